/* What an argument vector says: the text that stands for it, and whether a shell script hides
 * inside.
 *
 * Words: a "dispatch wrapper" only changes how another program runs (env, nice, timeout …). A
 * "shell wrapper" is a shell that is given its script as an argument (sh -c …). Both follow
 * docs/PROTOCOL.md#systemrun and docs/EXEC.md#scripts-and-wrappers, because gateways and callers
 * compute the same texts and compare. */
#ifndef NODE_ARGV_EXEC_ARGV_H
#define NODE_ARGV_EXEC_ARGV_H

#include "lib/base/error.h"
#include "lib/base/str.h"

#include <stdbool.h>

struct nd_argv_shape {
    const char
            *script; /* what the shell wrapper runs, borrowed from argv; NULL when there is none */
    bool has_env_changes; /* an env in front of it sets, clears or otherwise changes variables */
    bool has_more_args;   /* the script has arguments of its own */
};
void nd_argv_shape_of(const struct oc_strv *argv, struct nd_argv_shape *ret);

/* One layer of a command: what stands at argv[at]. */
enum nd_argv_layer {
    ND_ARGV_PROGRAM, /* nothing that this file knows */
    ND_ARGV_WRAPPER, /* a dispatch wrapper; the command behind it begins at *ret_next */
    ND_ARGV_EMPTY,   /* env without options or variables, which does nothing */
    ND_ARGV_SHELL,   /* a shell; its script is argv[*ret_next] */
    ND_ARGV_OPAQUE,  /* a wrapper or shell whose options are not understood, or that changes
                        variables */
};
enum { ND_ARGV_MAX_LAYERS = 4 }; /* wrappers around each other; more are not peeled */
enum nd_argv_layer nd_argv_layer_at(const struct oc_strv *argv, size_t at, size_t *ret_next);

/* The letters among e, u, x which the options of a shell at argv[at] set, when all of them are
 * understood: a login shell is taken as a plain one. Caller frees; NULL when an option means
 * something else. */
char *nd_argv_shell_flags(const struct oc_strv *argv, size_t at, size_t script);

/* Every argument as it is, in double quotes when it holds white space or quotes or is empty. Caller
 * frees. */
char *nd_argv_display(const struct oc_strv *argv);

/* The text that stands for the command in events, plans and approvals; caller frees. raw is what
 * the caller of the command says it is; when it is not blank it must be just that text. */
enum oc_code nd_argv_text(
        const struct oc_strv *argv, const char *raw, char **ret, struct oc_error *err) OC_MUST_USE;

#endif
