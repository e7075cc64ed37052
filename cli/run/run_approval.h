/* nodes run, when the node wants somebody to allow the command first. */
#ifndef CLI_RUN_RUN_APPROVAL_H
#define CLI_RUN_RUN_APPROVAL_H

#include "cli/command.h"
#include "cli/run/live_run.h"

/* Whether the node has said that somebody has to allow it (about: as below), and the gateway asks
 * the person there as well: then it is asked for before it is tried. */
bool cli_run_asks_first(struct cli_cli *cli, const cJSON *about);
/* Whether a failed system.run can be run after an approval. */
bool cli_run_needs_approval(const struct oc_error *err);

struct cli_run_question {
    const cJSON *node;
    const cJSON *plan;  /* what the node said it would run; NULL: it did not */
    const cJSON *about; /* what it said for the person who decides (system.run.prepare "approval");
                           may be NULL */
};
/* Asks for the approval of what params say, tells the user how it is given, and waits. Once it is
 * given, or nobody has decided in time, params carry it: what that is worth is up to the node. A
 * signal meanwhile (live->signo) takes the request back. */
enum oc_code cli_run_get_approval(struct cli_live_run *live, const struct cli_run_question *q,
        cJSON *params, struct oc_error *err) OC_MUST_USE;

#endif
