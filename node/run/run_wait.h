/* A command that waits: for a look at its files, or for the word of somebody at this machine. What
 * was judged before waits with it.
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

struct nd_prompter;
struct nd_desktop_prompt;

struct nd_run_wait {
    struct nd_call *call;
    struct nd_run_params params;
    struct nd_exec_verdict verdict; /* what was judged before; zeroed: nothing was */
    struct oc_strv given;           /* argv before it was hardened; empty: as it is in params */
    char *cwd;                      /* where it is looked at */
    char *real;                 /* as what argv[0] is looked at as well; NULL: as nothing else */
    struct nd_look_found found; /* of the look */
    bool may_ask;               /* nobody at this machine was asked yet */
    bool has_shown;
    /* What somebody at this machine is asked about, or has allowed a moment ago. */
    struct nd_exec_look shown;
    struct nd_prompter *prompter;
    struct nd_desktop_prompt *desktop;      /* instead, when nobody serves the socket */
    void (*on_drop)(struct nd_run_wait *w); /* cancelled or abandoned. May be NULL */
    /* its own */
    struct nd_runner *runner;
    const char *unfinished;
    struct nd_look *look;
    void (*go_on)(struct nd_run_wait *w);
};

/* unfinished: a literal, what is told when the call is cancelled. */
struct nd_run_wait *nd_run_wait_begin(struct nd_runner *runner, struct nd_call *call,
        struct nd_run_params *take_params, const char *unfinished);
/* go_on follows when the files were looked at, in the caller's turn; is_urgent: right before a
 * start. On failure nothing follows. */
enum oc_code nd_run_wait_look(struct nd_run_wait *w, bool is_urgent,
        void (*go_on)(struct nd_run_wait *w), struct oc_error *err) OC_MUST_USE;
/* The call does not wait any more, and can be answered. What is in w stays until it is
 * destroyed. */
void nd_run_wait_end(struct nd_run_wait *w);
void nd_run_wait_destroy(struct nd_run_wait *w);

#endif
