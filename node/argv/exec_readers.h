/* Carriers that find out themselves what they run: which of their words are code, and which are
 * data. */
#ifndef NODE_ARGV_EXEC_READERS_H
#define NODE_ARGV_EXEC_READERS_H

#include <stdbool.h>

/* Its words are data rather than a script, as those of sed and less. */
bool nd_exec_reads_data(const char *name);
/* Whether the word is an option of such a carrier that is known, or called, like one whose value is
 * code: awk -f, --init-file=x. The value is the rest of the word, or the next one. */
bool nd_exec_is_code_option(const char *name, const char *word);

#endif
