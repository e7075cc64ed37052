/* Deciding about what was seen, and about nothing else. */
#ifndef CLI_APPROVALS_APPROVAL_DECIDE_H
#define CLI_APPROVALS_APPROVAL_DECIDE_H

#include "cli/command.h"
#include "lib/protocol/run_words.h"

/* Whether two items of exec.approval.list are the same request, not only the same id. */
bool cli_approval_is_same(const cJSON *seen, const cJSON *now);
/* exec.approval.resolve of what the person has seen, after one more look: ids are chosen by whoever
 * asks, and the id on the screen may have come to mean another command. OC_E_CANCELLED: it has;
 * nothing was decided. seen NULL: nothing was shown, the id counts. */
enum oc_code cli_approval_decide(struct cli_cli *cli, const char *id, const cJSON *seen,
        enum oc_decision decision, cJSON **ret, struct oc_error *err) OC_MUST_USE;

#endif
