#include "node/run/run_wait.h"

#include "lib/base/mem.h"
#include "node/owner/desktop_prompt.h"
#include "node/owner/prompter.h"

static void on_abandon(struct oc_node_call *call) {
    struct oc_run_wait *w = call->work;
    oc_look_cancel(w->look);
    oc_prompter_cancel(w->prompter);
    oc_desktop_prompt_cancel(w->desktop);
    oc_run_wait_end(w);
    oc_run_wait_destroy(w);
}

static void on_cancel(struct oc_node_call *call, enum oc_code why) {
    const char *unfinished = ((const struct oc_run_wait *)call->work)->unfinished;
    on_abandon(call);
    oc_node_call_not_started(call, why, unfinished);
}

struct oc_run_wait *oc_run_wait_begin(struct oc_runner *runner, struct oc_node_call *call,
        struct oc_run_params *take_params, const char *unfinished) {
    struct oc_run_wait *w = oc_new(struct oc_run_wait);
    w->runner = runner;
    w->call = call;
    w->params = *take_params;
    w->unfinished = unfinished;
    *take_params = (struct oc_run_params){ 0 };
    call->work = w;
    call->cancel = on_cancel;
    call->abandon = on_abandon;
    return w;
}

void oc_run_wait_end(struct oc_run_wait *w) {
    w->call->work = NULL;
    w->call->cancel = NULL;
    w->call->abandon = NULL;
}

void oc_run_wait_destroy(struct oc_run_wait *w) {
    oc_run_params_finish(&w->params);
    oc_exec_verdict_finish(&w->verdict);
    oc_exec_operand_finish(&w->found.given);
    oc_exec_operand_finish(&w->found.real);
    oc_strv_finish(&w->given);
    oc_free(w->cwd);
    oc_free(w->real);
    oc_free(w);
}

static void on_turn(struct oc_node_call *call) {
    struct oc_run_wait *w = call->work;
    w->go_on(w);
}

static void on_looked(void *user, struct oc_look_found *found) {
    struct oc_run_wait *w = user;
    w->look = NULL;
    w->found = *found;
    *found = (struct oc_look_found){ 0 };
    oc_node_call_in_turn(w->call, on_turn);
}

enum oc_code oc_run_wait_look(struct oc_run_wait *w, bool is_urgent,
        void (*go_on)(struct oc_run_wait *w), struct oc_error *err) {
    const struct oc_machine *machine = w->runner->machine;
    w->go_on = go_on;
    struct oc_look_ask ask = { .argv = w->given.count > 0 ? &w->given : &w->params.argv,
        .real = w->real,
        .cwd = w->cwd,
        .state_dir = machine->state_dir,
        .who = oc_json_get_str(w->call->caller, "id"),
        .is_urgent = is_urgent };
    return oc_look_start(w->runner->looks, machine->loop, &ask, on_looked, w, &w->look, err);
}
