#include "node/run/run_reach.h"

#include "lib/base/mem.h"
#include "node/argv/exec_reach.h"
#include "node/argv/run_params.h"
#include "node/looks/exec_harden.h"
#include "node/looks/looks.h"
#include "node/looks/run_cwd.h"
#include "node/policy/exec_notes.h"
#include "node/policy/exec_rules.h"
#include "node/sandbox/sandbox.h"

struct reaching {
    struct oc_runner *runner;
    struct oc_node_call *call;
    void (*go)(struct oc_node_call *call);
    struct oc_exec_reach reach;
    struct oc_look *look;
};

static void destroy(struct reaching *g) {
    g->call->work = NULL;
    g->call->cancel = NULL;
    g->call->abandon = NULL;
    oc_exec_reach_finish(&g->reach);
    oc_free(g);
}

static void on_abandon(struct oc_node_call *call) {
    struct reaching *g = call->work;
    oc_look_cancel(g->look);
    destroy(g);
}

static void on_cancel(struct oc_node_call *call, enum oc_code why) {
    on_abandon(call);
    oc_node_call_not_started(call, why,
            "nothing was started: a file system of the node that the command names does not "
            "answer");
}

/* Judges the command without a consequence, to see which paths that takes. */
static void rehearse(const struct reaching *g, struct oc_run_params *p) {
    const struct oc_machine *machine = g->runner->machine;
    struct oc_exec_verdict v;
    struct oc_error ignored;
    if (oc_exec_rules_deny(machine->approvals_path, machine->config, p->agent_id)) {
        return;
    }
    oc_free(oc_sandbox_place(machine->sandbox, &p->cwd, NULL));
    oc_exec_ask(g->runner->notes, g->call->caller, p, &v);
    enum oc_code rc = p->cwd ? oc_run_harden_cwd(&p->cwd, machine->state_dir, &ignored) : OC_OK;
    if (rc == OC_OK) {
        rc = oc_exec_harden_program(&p->argv, p->cwd, machine->state_dir, &ignored);
    }
    (void)rc; /* what it leads to is said when it counts */
    oc_exec_verdict_finish(&v);
}

/* False: there is nothing that still has to answer. */
static bool find_needed(struct reaching *g) {
    struct oc_run_params p;
    struct oc_error ignored;
    if (oc_run_params_decode(g->call->params, &p, &ignored) == OC_OK) {
        oc_exec_reach_begin(&g->reach);
        rehearse(g, &p);
        oc_exec_reach_end();
    }
    oc_run_params_finish(&p);
    return g->reach.needed.count > 0;
}

static void ask(struct reaching *g);

static void on_turn(struct oc_node_call *call) {
    struct reaching *g = call->work;
    void (*go)(struct oc_node_call *) = g->go;
    for (size_t i = 0; i < g->reach.needed.count; i++) {
        oc_strv_add_unique(&g->reach.answered, g->reach.needed.items[i]);
    }
    if (find_needed(g)) {
        ask(g);
        return;
    }
    destroy(g);
    go(call);
}

static void on_reached(void *user, struct oc_look_found *found) {
    (void)found;
    struct reaching *g = user;
    g->look = NULL;
    oc_node_call_in_turn(g->call, on_turn);
}

static void ask(struct reaching *g) {
    struct oc_node_call *call = g->call;
    struct oc_error err = { 0 };
    struct oc_look_ask wish = { .argv = &g->reach.paths,
        .reach = &g->reach.paths,
        .who = oc_json_get_str(call->caller, "id") };
    if (oc_look_start(g->runner->looks, g->runner->machine->loop, &wish, on_reached, g, &g->look,
                &err) != OC_OK) {
        destroy(g);
        oc_node_call_fail(call, &err);
    }
}

bool oc_run_reach(struct oc_runner *runner, struct oc_node_call *call,
        void (*go)(struct oc_node_call *call)) {
    struct reaching *g = oc_new(struct reaching);
    g->runner = runner;
    g->call = call;
    g->go = go;
    if (!oc_exec_reach_open(&g->reach) || !find_needed(g)) {
        destroy(g);
        return false;
    }
    call->work = g;
    call->cancel = on_cancel;
    call->abandon = on_abandon;
    ask(g);
    return true;
}
