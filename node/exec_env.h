/* The environment a command gets: ours without what is secret or dangerous, and the caller's
 * additions as far as they cannot change which code runs (protocol.md §10.8, and stricter). */
#ifndef NODE_EXEC_ENV_H
#define NODE_EXEC_ENV_H

#include "base/json.h"
#include "base/str.h"

#include <stdbool.h>

/* Fills ret (empty) with "NAME=value" strings. base is an environ; overrides an object of strings
 * or NULL: what must not come from a caller is left out, like all that is no string. With
 * only_plain nothing but the names of terminal and language settings is taken: for shell scripts,
 * which read variables as code in too many ways, and for the allowlist, where a variable could turn
 * an allowed program into another one. */
void oc_exec_env_build(
        const char *const *base, const cJSON *overrides, bool only_plain, struct oc_strv *ret);
/* The names of the caller's variables that were left out, for telling: at most so many. */
#define OC_MAX_ENV_DROPPED 32
void oc_exec_env_dropped(const cJSON *overrides, bool only_plain, struct oc_strv *ret);

#endif
