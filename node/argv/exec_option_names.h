/* Options that run or load something in most programs that have one of that name. */
#ifndef NODE_ARGV_EXEC_OPTION_NAMES_H
#define NODE_ARGV_EXEC_OPTION_NAMES_H

#include <stdbool.h>

/* What an option is called: without its dashes and its value, in lower case. False: it is none, or
 * too long for a name. */
bool nd_exec_option_name(const char *word, char ret[64]);
/* By its name: "--to-command", "-wrapper". One that turns something off names nothing. */
bool nd_exec_is_called_like_code(const char *word);

#endif
