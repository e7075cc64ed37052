/* A reader for the part of the POSIX shell language whose meaning does not depend on anything but
 * the text.
 *
 * It knows words, quotes, escapes, and the operators && || ; | between commands. It either
 * understands every character or refuses the whole text and says where: expansions, redirections,
 * background jobs, comments, assignments, reserved words, functions, line breaks outside quotes and
 * everything that bash, zsh or ksh add are refused, not guessed.
 *
 * What was read can be written again as a script in which every word is in single quotes. That
 * script, not the text it came from, is what runs: so no shell can read it in another way than we
 * did. */
#ifndef NODE_ARGV_SHELL_EXEC_SHELL_H
#define NODE_ARGV_SHELL_EXEC_SHELL_H

#include "lib/base/buf.h"
#include "lib/base/str.h"

#include <stdbool.h>
#include <stddef.h>

#define ND_MAX_SCRIPT_BYTES (256u << 10)
#define ND_MAX_SCRIPT_COMMANDS 128
#define ND_MAX_SCRIPT_WORDS 4096 /* in one command */

enum nd_shell_op { ND_SHELL_END, ND_SHELL_AND, ND_SHELL_OR, ND_SHELL_THEN, ND_SHELL_PIPE };

struct nd_shell_command {
    struct oc_strv words;  /* never empty */
    enum nd_shell_op next; /* what stands behind it */
};

struct nd_shell_script {
    char *dir; /* of a "cd dir &&" in front, the one command of the shell itself that is read; NULL:
                  none */
    struct nd_shell_command *commands;
    size_t count;
};

/* False: *ret_why says what was not understood, for a person; caller frees. ret needs
 * nd_shell_finish in every case. */
bool nd_shell_read(const char *text, struct nd_shell_script *ret, char **ret_why);
void nd_shell_finish(struct nd_shell_script *s);

/* " && ", " || ", " ; ", " | " or "". */
const char *nd_shell_op_text(enum nd_shell_op op);
/* Appends the word so that every POSIX shell reads back exactly these bytes. */
void nd_shell_quote(struct oc_buf *out, const char *word);

#endif
