/* A command that waits: for a look at its files, or for the word of somebody at this machine. What was judged before waits with
 * it.
 *
 *   begin ──▶ look ──▶ the thread has looked ──▶ its caller's turn ──▶ go_on ─▶ end ─▶ destroy
 *     │                         └──────── cancelled, abandoned ────────────────────────▲
 *     └─────▶ a question (prompter, desktop) ──▶ answered ─▶ end ──────────────────────┘
 */
#ifndef NODE_RUN_RUN_WAIT_H
#define NODE_RUN_RUN_WAIT_H

#include "node/argv/run_params.h"
#include "node/call/call.h"
#include "node/looks/looks.h"
#include "node/policy/exec_plans.h"
#include "node/policy/exec_policy.h"
#include "node/run/run.h"

#include <stdbool.h>

struct oc_prompter;
struct oc_desktop_prompt;

struct oc_run_wait {
    struct oc_node_call *call;
    struct oc_run_params params;
    struct oc_exec_verdict verdict; /* what was judged before; zeroed: nothing was */
    struct oc_strv given;           /* argv before it was hardened; empty: as it is in params */
    char *cwd;                      /* where it is looked at */
    char *real;                 /* as what argv[0] is looked at as well; NULL: as nothing else */
    struct oc_look_found found; /* of the look */
    bool may_ask;               /* nobody at this machine was asked yet */
    bool has_shown;
    /* What somebody at this machine is asked about, or has allowed a moment ago. */
    struct oc_exec_look shown;
    struct oc_prompter *prompter;
    struct oc_desktop_prompt *desktop; /* instead, when nobody serves the socket */
    /* its own */
    struct oc_runner *runner;
    const char *unfinished;
    struct oc_look *look;
    void (*go_on)(struct oc_run_wait *w);
};

/* unfinished: a literal, what is told when the call is cancelled. */
struct oc_run_wait *oc_run_wait_begin(struct oc_runner *runner, struct oc_node_call *call,
        struct oc_run_params *take_params, const char *unfinished);
/* go_on follows when the files were looked at, in the caller's turn; is_urgent: right before a start. On failure nothing follows. */
enum oc_code oc_run_wait_look(struct oc_run_wait *w, bool is_urgent,
        void (*go_on)(struct oc_run_wait *w), struct oc_error *err) OC_MUST_USE;
/* The call does not wait any more, and can be answered. What is in w stays until it is destroyed. */
void oc_run_wait_end(struct oc_run_wait *w);
void oc_run_wait_destroy(struct oc_run_wait *w);

#endif
