/* The environment a command gets: ours without what is secret or dangerous, and the caller's
 * additions (docs/EXEC.md#variables, and stricter). Names are of three classes, by the table in
 * exec_env_names.def:
 *
 *   harmless  language, terminal, colours: passed on to every program
 *   other     any other name: passed on as part of what somebody approved, who saw name and value,
 *             and where everything runs; for the allowlist a program with such a variable is
 *             another one
 *   loads     loads code or configuration into programs: never taken from a caller
 *
 * The owner can let callers set single names all the same: node.exec.env.allow of the node's
 * openclaw.json. */
#ifndef NODE_ARGV_EXEC_ENV_H
#define NODE_ARGV_EXEC_ENV_H

#include "lib/base/str.h"
#include "lib/json/json.h"

#include <stdbool.h>

enum nd_env_class { ND_ENV_HARMLESS, ND_ENV_OTHER, ND_ENV_LOADS };
enum nd_env_class nd_exec_env_class(const char *name);

/* Fills ret (empty) with "NAME=value" strings. base is an environ; overrides an object of strings
 * or NULL: what must not come from a caller is left out, like all that is no string. config: the
 * node's openclaw.json, or NULL. */
void nd_exec_env_build(
        const char *const *base, const cJSON *overrides, const cJSON *config, struct oc_strv *ret);
/* The names of the caller's variables that were left out, for telling: at most so many. */
#define ND_MAX_ENV_DROPPED 32
void nd_exec_env_dropped(const cJSON *overrides, const cJSON *config, struct oc_strv *ret);
/* The names that no list covers: those of class other which the owner has not allowed. */
void nd_exec_env_uncovered(const cJSON *overrides, const cJSON *config, struct oc_strv *ret);

#endif
