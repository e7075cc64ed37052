/* The script in "python3 build.py": a file that decides what an approved command does, and that may change between the
 * approval and the run.
 *
 * system.run.prepare puts its hash into the plan. When the run comes, the file must still have it. Callers that do not
 * carry the plan along (2026.2.26) are covered too, because the node remembers what it prepared. */
#ifndef NODE_EXEC_OPERAND_H
#define NODE_EXEC_OPERAND_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct oc_exec_operand {
    size_t index; /* in argv */
    char *path;   /* the real one; owned */
    char sha256[65];
};

/* True when the command is an interpreter with a script file, or a script itself, and the file can be read. */
bool oc_exec_operand_find(const struct oc_strv *argv, const char *cwd, struct oc_exec_operand *ret);
void oc_exec_operand_finish(struct oc_exec_operand *o);

/* What was prepared and not run yet. A zeroed one is empty; old ones fall out.
 *
 * The first hash counts until a run has asked for it: otherwise who may prepare and change files could exchange the
 * script behind an approval by preparing once more. */
enum { OC_EXEC_PLANS = 64 };
struct oc_exec_plans {
    struct {
        char key[65], sha256[65]; /* hash of argv and cwd, hash of the script */
    } ring[OC_EXEC_PLANS];
    size_t next;
};
void oc_exec_plans_add(struct oc_exec_plans *plans, const struct oc_strv *argv, const char *cwd,
        const char *sha256);
/* The hash that the script of this command had; forgets it. False when it was not prepared. */
bool oc_exec_plans_take(struct oc_exec_plans *plans, const struct oc_strv *argv, const char *cwd,
        char ret_sha256[65]);

#endif
