/* system.run: one program with its arguments, output and exit status
 * (docs/PROTOCOL.md#systemrun). */
#include "node/call/command.h"

#include "lib/base/mem.h"
#include "lib/protocol/limits.h"
#include "node/argv/exec_env.h"
#include "node/commands/host.h"
#include "node/looks/exec_harden.h"
#include "node/looks/run_cwd.h"
#include "node/owner/desktop_prompt.h"
#include "node/owner/prompter.h"
#include "node/policy/exec_notes.h"
#include "node/policy/exec_policy.h"
#include "node/policy/exec_rules.h"
#include "node/policy/skill_bins.h"
#include "node/run/run.h"
#include "node/run/run_question.h"
#include "node/run/run_reach.h"
#include "node/run/run_wait.h"
#include "node/run/unconfirmed.h"
#include "node/sandbox/sandbox.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static void start_process(const cJSON *config, struct nd_run *r, const struct nd_exec_verdict *v) {
    const struct nd_run_params *p = nd_run_params_of(r);
    OC_AUTO_STRV struct oc_strv env = { 0 }, dropped = { 0 };
    nd_exec_env_build((const char *const *)environ, p->env, config, &env);
    nd_exec_env_dropped(p->env, config, &dropped);
    nd_run_start(r, &(struct nd_run_plan){ .path = v->path,
                            .argv = &v->argv,
                            .env = &env,
                            .env_dropped = &dropped,
                            .verdict = v,
                            /* Who approved has seen the words, not what is typed later. */
                            .allows_input = v->security == ND_EXEC_FULL && !v->is_by_approval });
}

/* How far a command is on its way from the call to its start. */
struct stage {
    bool may_ask; /* nobody at this machine was asked yet */
    bool has_shown;
    struct nd_exec_look shown; /* what somebody at this machine has allowed a moment ago */
    const struct nd_exec_looked *looked; /* what it is now; NULL: nobody has looked yet */
};

static void system_run_act(struct nd_host *host, struct nd_run *r, struct nd_exec_verdict *v,
        const struct stage *stage) {
    const struct nd_run_params *p = nd_run_params_of(r);
    OC_AUTO_FREE char *mismatch = NULL;
    struct oc_grounds grounds = { 0 };
    nd_run_note_gate(r, v);
    if (!v->is_allowed && !v->find_errno) {
        if (!p->approved && stage->looked) {
            oc_free(nd_exec_note_look(&host->notes, p, stage->looked, &v->remember));
        }
        /* Who reads it elsewhere can mend it from there only if the owner lets rules be changed
         * from afar. */
        v->grounds.is_at_node =
                nd_command_switched_off(&host->commands, "system.execApprovals.set") != NULL;
        nd_run_deny(r, v->by, v->message, &v->grounds);
    } else if (p->needs_screen_recording) {
        nd_run_deny(r, OC_RUN_GATE_PERMISSION_SCREEN, "PERMISSION_MISSING: screenRecording",
                &(struct oc_grounds){ .cause = OC_CAUSE_RUN_DENIED });
    } else if (v->find_errno) {
        nd_run_not_started(r, v->find_errno);
    } else if (v->is_by_approval &&
               !nd_exec_is_as_approved(&host->notes, p, v, stage->looked,
                       stage->has_shown ? &stage->shown : NULL, &mismatch, &grounds)) {
        nd_run_deny(r, OC_RUN_GATE_EXECUTION_PLAN_MISS, mismatch, &grounds);
    } else {
        start_process(host->machine.config, r, v);
    }
}

static void system_run_start(struct nd_call *call);
static void system_run_judge(
        struct nd_call *call, struct nd_run_params *take_params, const struct stage *stage);
static void system_run_decide(struct nd_call *call, struct nd_run_params *take_params,
        struct nd_exec_verdict *take_v, const struct stage *stage);

static void system_run_denied(struct nd_call *call, struct nd_run_params *take_params) {
    nd_run_deny(nd_run_create(&call->host->runner, call, take_params), OC_RUN_GATE_USER_DENIED,
            "SYSTEM_RUN_DENIED: user denied",
            &(struct oc_grounds){ .cause = OC_CAUSE_RUN_DENIED, .gate = OC_GATE_LOCAL });
}

static void end_asking(struct nd_run_wait *w, enum oc_decision decision) {
    struct nd_call *call = w->call;
    struct nd_run_params params = w->params;
    struct stage stage = { .has_shown = decision != OC_DECISION_NONE, .shown = w->shown };
    w->params = (struct nd_run_params){ 0 };
    nd_run_wait_end(w);
    nd_run_wait_destroy(w);
    if (decision == OC_DECISION_DENY) {
        system_run_denied(call, &params);
        return;
    }
    params.decision = decision;
    params.approved = params.asked_here = decision != OC_DECISION_NONE;
    system_run_judge(call, &params, &stage);
}

static void on_prompted(void *user, enum oc_decision decision) {
    end_asking(user, decision);
}

/* What was judged before would be the same now. Somebody's word is about one directory, and the
 * look took its time: it must still be real. What the program is was looked at, and is compared. */
static bool system_run_holds(const struct nd_exec_notes *notes, const struct nd_exec_verdict *v) {
    struct oc_error ignored;
    OC_AUTO_FREE char *cwd = v->is_by_approval ? oc_strdup(v->cwd) : NULL;
    return nd_exec_is_current(notes, v) &&
           (!cwd || (nd_run_harden_cwd(&cwd, NULL, &ignored) == OC_OK && oc_streq(cwd, v->cwd)));
}

/* It was judged before, and is not again unless the owner has said something else meanwhile. */
static void on_looked(struct nd_run_wait *w) {
    struct nd_call *call = w->call;
    struct nd_exec_looked looked = { .cwd = w->cwd, .real = w->real, .found = &w->found };
    struct stage stage = {
        .may_ask = w->may_ask, .has_shown = w->has_shown, .shown = w->shown, .looked = &looked
    };
    nd_run_wait_end(w);
    if (!system_run_holds(&call->host->notes, &w->verdict)) {
        system_run_judge(call, &w->params, &stage);
    } else {
        system_run_decide(call, &w->params, &w->verdict, &stage);
    }
    nd_run_wait_destroy(w);
}

/* Whether its files decide about it now: somebody has allowed it, or is to be asked. Then also
 * where, and what argv[0] is for those who approve real paths. */
static bool needs_look(const struct nd_host *host, const struct nd_run_params *p,
        const struct nd_exec_verdict *v, char **ret_cwd, char **ret_real) {
    struct oc_error ignored;
    if (v->find_errno) {
        return false;
    }
    if (v->is_allowed) {
        *ret_cwd = oc_strdup(v->cwd);
        return v->is_by_approval;
    }
    if (p->approved || v->by != OC_RUN_GATE_APPROVAL_REQUIRED) {
        return false;
    }
    OC_AUTO_FREE char *cwd = oc_strdup(p->cwd);
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    oc_strv_copy(&argv, &p->argv);
    if ((cwd && nd_run_harden_cwd(&cwd, host->machine.state_dir, &ignored) != OC_OK) ||
            nd_exec_harden_program(&argv, cwd, host->machine.state_dir, &ignored) != OC_OK) {
        return false;
    }
    *ret_cwd = oc_take(&cwd);
    *ret_real = strcmp(argv.items[0], p->argv.items[0]) != 0 ? oc_strdup(argv.items[0]) : NULL;
    return true;
}

/* True: it goes on in on_looked, or was refused. */
static bool look_first(struct nd_call *call, struct nd_run_params *take_params,
        const struct stage *stage, struct nd_exec_verdict *take_v) {
    OC_AUTO_FREE char *cwd = NULL, *real = NULL;
    struct oc_error err;
    if (stage->looked || !needs_look(call->host, take_params, take_v, &cwd, &real)) {
        return false;
    }
    struct nd_run_wait *w = nd_run_wait_begin(
            &call->host->runner, call, take_params, "the command was not started");
    w->may_ask = stage->may_ask;
    w->has_shown = stage->has_shown;
    w->shown = stage->shown;
    w->cwd = oc_take(&cwd);
    w->real = oc_take(&real);
    w->verdict = *take_v;
    *take_v = (struct nd_exec_verdict){ 0 };
    if (nd_run_wait_look(w, w->verdict.is_allowed, on_looked, &err) != OC_OK) {
        OC_AUTO_FREE char *text = oc_strfmt("SYSTEM_RUN_DENIED: %s", err.text);
        nd_run_wait_end(w);
        nd_run_deny(nd_run_create(&call->host->runner, call, &w->params), OC_RUN_GATE_BUSY, text,
                &(struct oc_grounds){ .cause = OC_CAUSE_RUN_DENIED });
        nd_run_wait_destroy(w);
    }
    return true;
}

static size_t bytes_of(const struct oc_strv *argv) {
    size_t sum = 0;
    for (size_t i = 0; i < argv->count; i++) {
        sum += strlen(argv->items[i]) + 1;
    }
    return sum;
}

/* Somebody sits here and serves the approvals socket: their word is as good as an approval through
 * the gateway. False: there is nobody, and the params are still the caller's. */
static bool ask_here(struct nd_call *call, struct nd_run_params *take_params,
        const struct stage *stage, const struct nd_exec_verdict *v) {
    if (!stage->may_ask || !stage->looked || v->is_allowed || v->find_errno ||
            v->by != OC_RUN_GATE_APPROVAL_REQUIRED) {
        return false;
    }
    if (bytes_of(&take_params->argv) > OC_MAX_APPROVAL_BYTES) {
        return false; /* no more than gateways ask about, and nobody reads it */
    }
    const struct nd_exec_operand *files = &stage->looked->found->given;
    oc_free(take_params->cwd);
    take_params->cwd = oc_strdup(stage->looked->cwd);
    struct nd_host *host = call->host;
    OC_AUTO_JSON cJSON *request =
            nd_run_question_build(&(struct nd_run_question){ .node_name = host->machine.name,
                    .caller = call->caller,
                    .params = take_params,
                    .verdict = v,
                    .files = files,
                    .timeout_ms = ND_PROMPTER_MS });
    struct nd_run_wait *w = nd_run_wait_begin(&host->runner, call, take_params,
            "the command was not started: nobody had allowed it yet");
    nd_exec_look_of(files, &v->remember, &w->shown);
    w->prompter = nd_prompter_ask(
            host->machine.loop, host->machine.approvals_path, request, on_prompted, w);
    if (!w->prompter) {
        w->desktop = nd_desktop_prompt_ask(&host->desktop, request, NULL, on_prompted, w);
    }
    if (w->prompter || w->desktop) {
        return true;
    }
    *take_params = w->params;
    w->params = (struct nd_run_params){ 0 };
    nd_run_wait_end(w);
    nd_run_wait_destroy(w);
    return false;
}

static void start_again(struct nd_call *call) {
    nd_call_in_turn(call, system_run_start);
}

static void system_run_decide(struct nd_call *call, struct nd_run_params *take_params,
        struct nd_exec_verdict *take_v, const struct stage *stage) {
    struct nd_host *host = call->host;
    if (take_v->rules.ask == ND_EXEC_ASK_OFF) {
        nd_run_params_unapprove(take_params); /* not in the log, not for "always" */
    }
    if (take_v->needs_skills && nd_skill_bins_wait(host->notes.skills, call, start_again)) {
        nd_run_params_finish(take_params); /* starts again when the gateway has said more */
    } else if (!look_first(call, take_params, stage, take_v) &&
               !ask_here(call, take_params, stage, take_v)) {
        if (take_v->is_allowed) { /* where it was judged is where it runs */
            oc_free(take_params->cwd);
            take_params->cwd = oc_strdup(take_v->cwd);
        }
        system_run_act(host, nd_run_create(&host->runner, call, take_params), take_v, stage);
    }
    nd_exec_verdict_finish(take_v);
}

static void system_run_judge(
        struct nd_call *call, struct nd_run_params *take_params, const struct stage *stage) {
    struct nd_exec_verdict v;
    nd_exec_notes_judge(&call->host->notes, call->caller, take_params, &v);
    system_run_decide(call, take_params, &v, stage);
}

/* Who says nothing about the time gets the owner's limit. */
static void system_run_limit(const struct nd_host *host, struct nd_run_params *p) {
    struct nd_exec_source source = { .agent_id = p->agent_id ? p->agent_id : "main",
        .config = host->machine.config };
    double seconds;
    if (!p->timeout &&
            oc_json_as_num(nd_exec_source_config(&source, "timeoutSec"), 0, INFINITY, &seconds) &&
            seconds > 0) {
        double ms = seconds * 1000;
        p->timeout_ms = ms >= OC_MAX_INVOKE_MS ? OC_MAX_INVOKE_MS : ms < 1 ? 1 : (int64_t)ms;
    }
}

/* A verdict on the way here counts if the sandbox puts the command where it was judged: what may
 * run elsewhere may not run here. */
static void system_run_go(struct nd_call *call, struct nd_run_rehearsal *rehearsal) {
    struct nd_exec_verdict *v = &rehearsal->verdict;
    struct nd_run_params params;
    struct oc_error err = { 0 };
    if (nd_run_params_decode(call->params, &params, &err) != OC_OK) {
        nd_call_fail(call, &err);
        nd_run_params_finish(&params);
        return;
    }
    const struct nd_host *host = call->host;
    enum oc_decision decided = nd_asks_decided(&host->asks, params.run_id);
    if (decided == OC_DECISION_DENY) { /* whatever the gateway made of it */
        system_run_denied(call, &params);
        return;
    }
    params.was_asked_here = decided != OC_DECISION_NONE;
    system_run_limit(host, &params);
    struct oc_grounds grounds = { 0 };
    OC_AUTO_FREE char *refusal = NULL;
    bool is_judged = v->is_allowed || v->message;
    bool is_denied = is_judged ? v->security == ND_EXEC_DENY
                               : nd_sandbox_places(host->machine.sandbox) &&
                                         nd_exec_rules_deny(host->machine.approvals_path,
                                                 host->machine.config, params.agent_id);
    if (!is_denied) {
        refusal = nd_sandbox_place(host->machine.sandbox, &params.cwd, &grounds);
    }
    if (refusal) {
        nd_run_deny(nd_run_create(&call->host->runner, call, &params), OC_RUN_GATE_SANDBOX, refusal,
                &grounds);
        return;
    }
    struct stage stage = { .may_ask = true };
    if (is_judged && (is_denied || oc_streq(rehearsal->cwd, params.cwd))) {
        system_run_decide(call, &params, v, &stage);
    } else {
        system_run_judge(call, &params, &stage);
    }
}

static void system_run_start(struct nd_call *call) {
    nd_run_reach(&call->host->runner, call, system_run_go);
}

const struct nd_command nd_command_system_run = {
    .name = "system.run",
    .cap = "system",
    .summary = "Run a program on this machine",
    .needs_params = true,
    .knows = nd_run_params_knows,
    .available = nd_can_run,
    .on_repeat = nd_unconfirmed_repeat,
    .start = system_run_start,
};
