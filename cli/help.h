/* Help texts, made from the command and option tables. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/command.h"
#include "lib/base/buf.h"

void cli_help_all(struct oc_buf *out);
/* The options that every command has which calls a gateway. */
void cli_help_options(struct oc_buf *out);
void cli_help_group(const struct cli_group *g, struct oc_buf *out);
void cli_help_command(const struct cli_command *c, struct oc_buf *out);
/* Only what the action has. */
void cli_help_action(const struct cli_command *c, const struct cli_action *a, struct oc_buf *out);
/* Help for the words of a path ("nodes", "status"); no words: everything. Prints; returns the exit
 * code. */
int cli_help_for(const char *const *words, size_t count);
/* "unknown command 'nodez'; did you mean 'nodes'?" on stderr; returns CLI_EXIT_USAGE. */
int cli_help_unknown(const char *group, const char *word);

#endif
