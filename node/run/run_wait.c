#include "node/run/run_wait.h"

#include "lib/base/mem.h"
#include "node/owner/desktop_prompt.h"
#include "node/owner/prompter.h"

static void on_abandon(struct nd_call *call) {
    struct nd_run_wait *w = call->work;
    nd_look_cancel(w->look);
    nd_prompter_cancel(w->prompter);
    nd_desktop_prompt_cancel(w->desktop);
    if (w->on_drop) {
        w->on_drop(w);
    }
    nd_run_wait_end(w);
    nd_run_wait_destroy(w);
}

static void on_cancel(struct nd_call *call, enum oc_code why) {
    const char *unfinished = ((const struct nd_run_wait *)call->work)->unfinished;
    on_abandon(call);
    nd_call_not_started(call, why, unfinished);
}

struct nd_run_wait *nd_run_wait_begin(struct nd_runner *runner, struct nd_call *call,
        struct nd_run_params *take_params, const char *unfinished) {
    struct nd_run_wait *w = oc_new(struct nd_run_wait);
    w->runner = runner;
    w->call = call;
    w->params = *take_params;
    w->unfinished = unfinished;
    *take_params = (struct nd_run_params){ 0 };
    call->work = w;
    call->cancel = on_cancel;
    call->abandon = on_abandon;
    return w;
}

void nd_run_wait_end(struct nd_run_wait *w) {
    w->call->work = NULL;
    w->call->cancel = NULL;
    w->call->abandon = NULL;
}

void nd_run_wait_destroy(struct nd_run_wait *w) {
    nd_run_params_finish(&w->params);
    nd_exec_verdict_finish(&w->verdict);
    nd_exec_operand_finish(&w->found.given);
    nd_exec_operand_finish(&w->found.real);
    oc_strv_finish(&w->given);
    oc_free(w->cwd);
    oc_free(w->real);
    oc_free(w);
}

static void on_turn(struct nd_call *call) {
    struct nd_run_wait *w = call->work;
    w->go_on(w);
}

static void on_looked(void *user, struct nd_look_found *found) {
    struct nd_run_wait *w = user;
    w->look = NULL;
    w->found = *found;
    *found = (struct nd_look_found){ 0 };
    nd_call_in_turn(w->call, on_turn);
}

enum oc_code nd_run_wait_look(struct nd_run_wait *w, bool is_urgent,
        void (*go_on)(struct nd_run_wait *w), struct oc_error *err) {
    const struct nd_machine *machine = w->runner->machine;
    w->go_on = go_on;
    struct nd_look_ask ask = { .argv = w->given.count > 0 ? &w->given : &w->params.argv,
        .real = w->real,
        .cwd = w->cwd,
        .state_dir = machine->state_dir,
        .who = oc_json_get_str(w->call->caller, "id"),
        .is_urgent = is_urgent };
    return nd_look_start(w->runner->looks, machine->loop, &ask, on_looked, w, &w->look, err);
}
