/* system.run: one program with its arguments, output and exit status (protocol.md §9.1). */
#include "node/command.h"

#include "base/argv_text.h"
#include "base/mem.h"
#include "node/containment.h"
#include "node/desktop_prompt.h"
#include "node/exec_env.h"
#include "node/exec_harden.h"
#include "node/exec_notes.h"
#include "node/exec_policy.h"
#include "node/prompter.h"
#include "node/run.h"
#include "node/run_cwd.h"
#include "node/skill_bins.h"
#include "protocol/limits.h"

#include <unistd.h>

extern char **environ;

static void start_process(struct oc_run *r, const struct oc_exec_verdict *v) {
    const struct oc_run_params *p = oc_run_params(r);
    OC_AUTO_STRV struct oc_strv env = { 0 }, dropped = { 0 };
    oc_exec_env_build((const char *const *)environ, p->env, v->only_plain, &env);
    oc_exec_env_dropped(p->env, v->only_plain, &dropped);
    oc_run_start(r, &(struct oc_run_plan){ .path = v->path,
                            .argv = &v->argv,
                            .env = &env,
                            .env_dropped = &dropped,
                            .verdict = v,
                            /* Who approved has seen the words, not what is typed later. */
                            .allows_input = v->security == OC_EXEC_FULL && !v->is_by_approval });
}

/* shown: what somebody at this machine has allowed a moment ago; NULL: nobody was asked here. */
static void act(struct oc_node_host *host, struct oc_run *r, struct oc_exec_verdict *v,
        const struct oc_exec_look *shown) {
    const struct oc_run_params *p = oc_run_params(r);
    OC_AUTO_FREE char *mismatch = NULL;
    oc_run_note_gate(r, v);
    if (!v->is_allowed && !v->find_errno) {
        if (!p->approved && oc_streq(v->reason, "approval-required")) {
            oc_exec_note_asked(host, p, v);
        }
        oc_run_deny(r, v->reason, v->message);
    } else if (p->needs_screen_recording) {
        oc_run_deny(r, "permission:screenRecording", "PERMISSION_MISSING: screenRecording");
    } else if (v->find_errno) {
        oc_run_not_started(r, v->find_errno);
    } else if (!oc_exec_is_as_approved(host, p, v, shown, &mismatch)) {
        oc_run_deny(r, "execution-plan-miss", mismatch);
    } else {
        start_process(r, v);
    }
}

/* A command that waits for the word of somebody at this machine. */
struct asking {
    struct oc_node_call *call;
    struct oc_run_params params;
    struct oc_exec_look shown; /* what it was when the question came up */
    struct oc_prompter *prompter;
    struct oc_desktop_prompt *desktop; /* instead, when nobody serves the socket */
};

static void start(struct oc_node_call *call);
static void judge(struct oc_node_call *call, struct oc_run_params *take_params, bool may_ask,
        const struct oc_exec_look *shown);

static void end_asking(struct asking *a, const char *decision) {
    struct oc_node_call *call = a->call;
    struct oc_run_params params = a->params;
    struct oc_exec_look shown = a->shown;
    oc_free(a);
    call->work = NULL;
    call->cancel = NULL;
    call->abandon = NULL;
    if (oc_streq(decision, "deny")) {
        oc_run_deny(oc_run_create(call, &params), "user-denied", "SYSTEM_RUN_DENIED: user denied");
        return;
    }
    params.decision = decision;
    params.approved = params.asked_here = decision != NULL;
    judge(call, &params, false, decision ? &shown : NULL);
}

static void on_prompted(void *user, const char *decision) {
    end_asking(user, decision);
}

static void on_prompt_abandon(struct oc_node_call *call) {
    struct asking *a = call->work;
    oc_prompter_cancel(a->prompter);
    oc_desktop_prompt_cancel(a->desktop);
    oc_run_params_finish(&a->params);
    oc_free(a);
}

static void on_prompt_cancel(struct oc_node_call *call, enum oc_code why) {
    on_prompt_abandon(call);
    oc_node_call_reply_error(call, why == OC_E_TIMEOUT ? "TIMEOUT" : "CANCELLED",
            "the command was not started: nobody had allowed it yet");
}

/* Ours, so that nobody takes it for a program of this machine that asks. */
static cJSON *asker_of(const cJSON *caller) {
    cJSON *asker = cJSON_CreateObject();
    oc_json_set_str(asker, "id", oc_json_get_str(caller, "id"));
    oc_json_set_str(asker, "name", oc_json_get_str(caller, "name"));
    oc_json_set_str(asker, "client", oc_json_get_str(caller, "client"));
    return asker;
}

static cJSON *question(const struct oc_node_call *call, const struct oc_run_params *p,
        const struct oc_exec_verdict *v) {
    cJSON *request = cJSON_CreateObject();
    OC_AUTO_FREE char *shown = oc_argv_shown(&p->argv);
    oc_json_set_str(request, "command", shown);
    oc_json_set_strv(request, "commandArgv", &p->argv);
    oc_json_set_str(request, "host", "node");
    oc_json_set_str(request, "cwd", p->cwd);
    oc_json_set_str(request, "nodeName", call->host->name);
    oc_json_set(request, "asker", asker_of(call->caller));
    oc_json_set_int(request, "timeoutMs", OC_PROMPTER_MS);
    oc_json_set_str(request, "agentId", p->agent_id);
    oc_json_set_str(request, "sessionKey", p->session_key);
    OC_AUTO_STRV struct oc_strv names = { 0 };
    const cJSON *variable;
    cJSON_ArrayForEach(variable, p->env) {
        oc_strv_add(&names, variable->string);
    }
    oc_json_set_strv(request, "envKeys", &names);
    oc_json_set_str(request, "reason", v->why);
    OC_AUTO_FREE char *program = oc_exec_program(&p->argv, p->cwd);
    oc_json_set(request, "resolvedPath", oc_exec_path_json(program));
    oc_json_set(request, "wouldAllow", oc_exec_paths_json(&v->remember));
    OC_AUTO_FREE char *own_dir = p->cwd ? NULL : oc_run_own_dir();
    oc_json_set(request, "nodeCwd", oc_exec_path_json(own_dir));
    oc_json_set_str(request, "wouldAllowFor", p->agent_id ? p->agent_id : "main");
    oc_json_set_str(request, "security", oc_exec_security_name(v->rules.security));
    oc_json_set_str(request, "ask", oc_exec_ask_name(v->rules.ask));
    cJSON *run = cJSON_AddObjectToObject(request, "run");
    oc_json_set_bool(run, "background", p->background);
    oc_json_set_bool(run, "tty", p->has_tty);
    if (p->timeout_ms > 0) {
        oc_json_set_int(run, "timeoutMs", p->timeout_ms);
    }
    return request;
}

/* Somebody sits here and serves the approvals socket: their word is as good as an approval through the gateway. False:
 * there is nobody, and the params are still the caller's. */
static bool ask_here(struct oc_node_call *call, struct oc_run_params *take_params,
        const struct oc_exec_verdict *v) {
    struct oc_error ignored;
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    oc_strv_copy(&argv, &take_params->argv);
    if ((take_params->cwd && oc_run_harden_cwd(&take_params->cwd, &ignored) != OC_OK) ||
            oc_exec_harden_program(&argv, take_params->cwd, &ignored) != OC_OK) {
        return false;
    }
    struct asking *a = oc_new(struct asking);
    a->call = call;
    oc_exec_look_at(&take_params->argv, take_params->cwd, &v->remember, &a->shown, NULL);
    OC_AUTO_JSON cJSON *request = question(call, take_params, v);
    struct oc_node_host *host = call->host;
    a->prompter = oc_prompter_ask(host->loop, host->approvals_path, request, on_prompted, a);
    if (!a->prompter) {
        a->desktop = oc_desktop_prompt_ask(host, request, on_prompted, a);
    }
    if (!a->prompter && !a->desktop) {
        oc_free(a);
        return false;
    }
    a->params = *take_params;
    *take_params = (struct oc_run_params){ 0 };
    call->work = a;
    call->cancel = on_prompt_cancel;
    call->abandon = on_prompt_abandon;
    return true;
}

static void judge(struct oc_node_call *call, struct oc_run_params *take_params, bool may_ask,
        const struct oc_exec_look *shown) {
    struct oc_node_host *host = call->host;
    struct oc_exec_verdict verdict;
    oc_exec_ask(host, take_params, &verdict);
    if (verdict.needs_skills && oc_skill_bins_wait(host->skills, call, start)) {
        oc_run_params_finish(take_params); /* starts again when the gateway has said more */
    } else if (may_ask && !verdict.is_allowed && !verdict.find_errno &&
               oc_streq(verdict.reason, "approval-required") &&
               ask_here(call, take_params, &verdict)) {
        /* goes on when they have said something */
    } else {
        if (verdict.is_allowed) { /* where it was judged is where it runs */
            oc_free(take_params->cwd);
            take_params->cwd = oc_strdup(verdict.cwd);
        }
        act(host, oc_run_create(call, take_params), &verdict, shown);
    }
    oc_exec_verdict_finish(&verdict);
}

/* Who says nothing about the time gets the owner's limit. */
static void limit(const struct oc_node_host *host, struct oc_run_params *p) {
    struct oc_exec_source source = { .agent_id = p->agent_id ? p->agent_id : "main",
        .config = host->config };
    const cJSON *seconds = oc_exec_source_config(&source, "timeoutSec");
    if (!p->timeout && cJSON_IsNumber(seconds) && seconds->valuedouble > 0) {
        double ms = seconds->valuedouble * 1000;
        p->timeout_ms = ms >= OC_MAX_INVOKE_MS ? OC_MAX_INVOKE_MS : ms < 1 ? 1 : (int64_t)ms;
    }
}

static void start(struct oc_node_call *call) {
    struct oc_run_params params;
    struct oc_error err = { 0 };
    if (oc_run_params_decode(call->params, &params, &err) != OC_OK) {
        oc_node_call_fail(call, &err);
        oc_run_params_finish(&params);
        return;
    }
    limit(call->host, &params);
    OC_AUTO_FREE char *refusal = oc_sandbox_place(call->host->sandbox, &params.cwd);
    if (refusal) {
        oc_run_deny(oc_run_create(call, &params), "containment", refusal);
        return;
    }
    judge(call, &params, true, NULL);
}

const struct oc_node_command oc_node_system_run = {
    .name = "system.run",
    .cap = "system",
    .summary = "Run a program on this machine",
    .needs_params = true,
    .available = oc_node_can_run,
    .start = start,
};
