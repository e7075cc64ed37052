#include "node/run/run_reach.h"

#include "lib/base/mem.h"
#include "node/argv/paths/exec_reach.h"
#include "node/argv/run_params.h"
#include "node/looks/exec_harden.h"
#include "node/looks/looks.h"
#include "node/looks/run_cwd.h"
#include "node/policy/exec_notes.h"
#include "node/policy/exec_rules.h"
#include "node/sandbox/sandbox.h"

struct reaching {
    struct nd_runner *runner;
    struct nd_call *call;
    nd_run_reached *go;
    struct nd_exec_reach reach;
    struct nd_run_rehearsal last;
    struct nd_look *look;
};

static void rehearsal_finish(struct nd_run_rehearsal *r) {
    nd_exec_verdict_finish(&r->verdict);
    oc_free(oc_take(&r->cwd));
}

static void run_reach_destroy(struct reaching *g) {
    g->call->work = NULL;
    g->call->cancel = NULL;
    g->call->abandon = NULL;
    nd_exec_reach_finish(&g->reach);
    rehearsal_finish(&g->last);
    oc_free(g);
}

static void on_abandon(struct nd_call *call) {
    struct reaching *g = call->work;
    nd_look_cancel(g->look);
    run_reach_destroy(g);
}

static void on_cancel(struct nd_call *call, enum oc_code why) {
    on_abandon(call);
    nd_call_not_started(call, why,
            "nothing was started: a file system of the node that the command names does not "
            "answer");
}

/* Judges the command without a consequence, to see which paths that takes. */
static void run_reach_rehearse(struct reaching *g, struct nd_run_params *p) {
    const struct nd_machine *machine = g->runner->machine;
    struct oc_error ignored;
    rehearsal_finish(&g->last);
    if (nd_exec_rules_deny(machine->approvals_path, machine->config, p->agent_id)) {
        return;
    }
    OC_AUTO_FREE char *refusal = nd_sandbox_place(machine->sandbox, &p->cwd, NULL);
    if (refusal) {
        return;
    }
    g->last.cwd = oc_strdup(p->cwd);
    nd_exec_notes_judge(g->runner->notes, g->call->caller, p, &g->last.verdict);
    enum oc_code rc = p->cwd ? nd_run_harden_cwd(&p->cwd, machine->state_dir, &ignored) : OC_OK;
    if (rc == OC_OK) {
        rc = nd_exec_harden_program(&p->argv, p->cwd, machine->state_dir, &ignored);
    }
    (void)rc; /* what it leads to is said when it counts */
}

/* False: there is nothing that still has to answer. */
static bool find_needed(struct reaching *g) {
    struct nd_run_params p;
    struct oc_error ignored;
    if (nd_run_params_decode(g->call->params, &p, &ignored) == OC_OK) {
        nd_exec_reach_begin(&g->reach);
        run_reach_rehearse(g, &p);
        nd_exec_reach_end();
    }
    nd_run_params_finish(&p);
    return g->reach.needed.count > 0;
}

static void run_reach_ask(struct reaching *g);

/* Nothing was left out of the last rehearsal: it is a judgement. */
static void go_on(struct reaching *g) {
    nd_run_reached *go = g->go;
    struct nd_call *call = g->call;
    struct nd_run_rehearsal last = g->last;
    g->last = (struct nd_run_rehearsal){ 0 };
    run_reach_destroy(g);
    go(call, &last);
    rehearsal_finish(&last);
}

static void on_turn(struct nd_call *call) {
    struct reaching *g = call->work;
    for (size_t i = 0; i < g->reach.needed.count; i++) {
        oc_strv_add_unique(&g->reach.answered, g->reach.needed.items[i]);
    }
    if (find_needed(g)) {
        run_reach_ask(g);
        return;
    }
    go_on(g);
}

static void on_reached(void *user, struct nd_look_found *found) {
    (void)found;
    struct reaching *g = user;
    g->look = NULL;
    nd_call_in_turn(g->call, on_turn);
}

static void run_reach_ask(struct reaching *g) {
    struct nd_call *call = g->call;
    struct oc_error err = { 0 };
    struct nd_look_ask wish = { .argv = &g->reach.paths,
        .reach = &g->reach.paths,
        .who = oc_json_get_str(call->caller, "id") };
    if (nd_look_start(g->runner->looks, g->runner->machine->loop, &wish, on_reached, g, &g->look,
                &err) != OC_OK) {
        run_reach_destroy(g);
        nd_call_fail(call, &err);
    }
}

void nd_run_reach(struct nd_runner *runner, struct nd_call *call, nd_run_reached *go) {
    struct reaching *g = oc_new(struct reaching);
    g->runner = runner;
    g->call = call;
    g->go = go;
    if (!nd_exec_mounts_can_hang(&runner->mounts, runner->machine->mountinfo_path, &g->reach) ||
            !find_needed(g)) {
        go_on(g);
        return;
    }
    call->work = g;
    call->cancel = on_cancel;
    call->abandon = on_abandon;
    run_reach_ask(g);
}
