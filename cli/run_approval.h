/* nodes run, when the node wants somebody to allow the command first. */
#ifndef CLI_RUN_APPROVAL_H
#define CLI_RUN_APPROVAL_H

#include "cli/command.h"

/* Whether a failed system.run can be run after an approval. */
bool oc_run_needs_approval(const struct oc_error *err);
/* Asks for the approval of what params say, tells the user how it is given, and waits. Once it is given, or
 * nobody has decided in time, params carry it: what that is worth is up to the node.
 * plan: what the node said it would run, or NULL. */
enum oc_code oc_run_get_approval(struct oc_cli *cli, const cJSON *node, const cJSON *plan,
        cJSON *params, struct oc_error *err) OC_MUST_USE;

#endif
