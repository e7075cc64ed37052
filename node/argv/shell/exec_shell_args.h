/* What a shell is told to run: its own options, read as POSIX shells read them.
 *
 * "bash -c -- text", "sh -c -e text" and "bash -euo pipefail -c text" all have their text
 * elsewhere. Options go on behind -c, and each "o" takes a word. Only options which every shell
 * takes the same way, and which make it read no further file, are understood. */
#ifndef NODE_ARGV_SHELL_EXEC_SHELL_ARGS_H
#define NODE_ARGV_SHELL_EXEC_SHELL_ARGS_H

#include "lib/base/str.h"

#include <stdbool.h>
#include <stddef.h>

enum nd_shell_source {
    ND_SHELL_FROM_TEXT,    /* argv[*ret_at] */
    ND_SHELL_FROM_FILE,    /* the file argv[*ret_at] */
    ND_SHELL_FROM_INPUT,   /* no word at all */
    ND_SHELL_FROM_UNKNOWN, /* not understood */
};

/* The shell is argv[shell]. *ret_is_login: it reads its account's startup files first, which may
 * set another PATH. */
enum nd_shell_source nd_shell_args_read(
        const struct oc_strv *argv, size_t shell, size_t *ret_at, bool *ret_is_login);

#endif
