/* system.run.prepare: what exactly would run, for a person to approve
 * (docs/PROTOCOL.md#node-commands). The result is the union of what 2026.2.26 and 2026.9.6 read,
 * and `approval`, which is ours: what the policy says about it now, and what an approval "always"
 * would add to the list. Where nothing is asked, nothing is refused here either. */
#include "node/call/command.h"

#include "lib/base/mem.h"
#include "lib/protocol/limits.h"
#include "node/argv/exec_argv.h"
#include "node/argv/run_params.h"
#include "node/commands/host.h"
#include "node/looks/exec_harden.h"
#include "node/looks/run_cwd.h"
#include "node/owner/prompter.h"
#include "node/policy/exec_notes.h"
#include "node/run/run_question.h"
#include "node/run/run_reach.h"
#include "node/run/run_wait.h"
#include "node/sandbox/sandbox.h"

#include <string.h>

static enum oc_code system_run_prepare_harden(
        const struct nd_host *host, struct nd_run_params *p, struct oc_error *err) {
    enum oc_code rc = p->cwd ? nd_run_harden_cwd(&p->cwd, host->machine.state_dir, err) : OC_OK;
    OC_AUTO_FREE char *given = oc_strdup(p->argv.items[0]);
    if (rc == OC_OK) {
        rc = nd_exec_harden_program(&p->argv, p->cwd, host->machine.state_dir, err);
    }
    if (rc == OC_OK && strcmp(given, p->argv.items[0]) != 0) {
        oc_free(oc_take(&p->text));
        rc = nd_argv_text(&p->argv, NULL, &p->text, err); /* what is shown is what would run */
    }
    return rc;
}

static cJSON *plan_of(const struct nd_run_params *p) {
    cJSON *plan = cJSON_CreateObject();
    oc_json_set_int(plan, "version", 2);
    oc_json_set_strv(plan, "argv", &p->argv);
    oc_json_set_str_or_null(plan, "cwd", p->cwd);
    oc_json_set_str(plan, "rawCommand", p->text);
    oc_json_set_str(plan, "commandText", p->text);
    oc_json_set_str_or_null(plan, "commandPreview", NULL);
    oc_json_set_str_or_null(plan, "agentId", p->agent_id);
    oc_json_set_str_or_null(plan, "sessionKey", p->session_key);
    return plan;
}

static cJSON *policy_of(const struct nd_exec_rules *rules) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "security", nd_exec_security_name(rules->security));
    oc_json_set_str(o, "ask", nd_exec_ask_name(rules->ask));
    return o;
}

/* What is only known after a look: the first file in the reference's format, and all of them in
 * ours. */
static void put_files(struct nd_host *host, const struct nd_run_params *p,
        const struct nd_exec_looked *l, const struct oc_strv *remember, cJSON *plan,
        cJSON *approval) {
    const struct nd_exec_operand *own = l->found->has_real ? &l->found->real : &l->found->given;
    if (own->content[0]) {
        cJSON *o = cJSON_AddObjectToObject(plan, "mutableFileOperand");
        oc_json_set_int(o, "argvIndex", (int64_t)own->index);
        oc_json_set(o, "path", nd_exec_path_json(own->path));
        oc_json_set_str(o, "sha256", own->content);
    }
    nd_exec_put_bound(approval, &l->found->given, remember);
    OC_AUTO_FREE char *look = nd_exec_note_look(&host->notes, p, l, remember);
    char name[65];
    struct nd_exec_look now;
    struct nd_exec_plan_key key = { .argv = l->argv, .cwd = l->cwd };
    nd_exec_plan_name(&key, name);
    oc_json_set_str(approval, "look", look);
    oc_json_set_str(approval, "lookAt", name);
    nd_exec_look_of(&l->found->given, remember, &now);
    nd_exec_look_state(&now, name);
    oc_json_set_str(approval, "state", name);
}

static bool is_required(const struct nd_exec_verdict *v) {
    return !v->is_allowed && !v->find_errno && v->by == OC_RUN_GATE_APPROVAL_REQUIRED;
}

static cJSON *approval_of(const struct nd_host *host, const struct nd_run_params *p,
        const struct nd_exec_verdict *v, bool tells_paths) {
    cJSON *o = policy_of(&v->rules);
    oc_json_set_bool(o, "required", is_required(v));
    OC_AUTO_FREE char *program =
            tells_paths ? nd_exec_program(&p->argv, p->cwd, host->machine.state_dir) : NULL;
    oc_json_set(o, "resolvedPath", nd_exec_path_json(program));
    OC_AUTO_FREE char *own_dir = p->cwd ? NULL : nd_run_own_dir();
    oc_json_set(o, "nodeCwd", nd_exec_path_json(own_dir));
    oc_json_set_str(o, "wouldAllowFor", p->agent_id ? p->agent_id : "main");
    oc_json_set_str(o, "reason", v->why);
    return o;
}

/* Who may change the list has to know what would be on it. */
static bool is_admin(const struct nd_call *call) {
    return oc_json_get_bool(call->caller, "admin", false);
}

/* looked: NULL where nobody is asked about it. asked_at: where somebody here is, or NULL. */
static void system_run_prepare_answer(struct nd_call *call, const struct nd_run_params *p,
        const struct nd_exec_verdict *v, const struct nd_exec_looked *looked,
        const char *asked_at) {
    cJSON *payload = cJSON_CreateObject(), *plan = plan_of(p),
          *approval = approval_of(call->host, p, v, v->is_allowed || looked || is_admin(call));
    oc_json_set_str(payload, "cmdText", p->text);
    if (looked) {
        put_files(call->host, p, looked, &v->remember, plan, approval);
        oc_json_set_str(approval, "asksHere", asked_at);
    } else {
        oc_json_set(approval, "wouldAllow", nd_exec_paths_json(&v->remember));
    }
    oc_json_set(payload, "plan", plan);
    oc_json_set(payload, "execPolicy", policy_of(&v->rules));
    oc_json_set(payload, "approval", approval);
    nd_call_reply_json(call, payload);
}

static void system_run_prepare_refuse(struct nd_call *call, const struct nd_exec_verdict *v) {
    nd_call_refuse(call, "SYSTEM_RUN_DENIED", v->message, &v->grounds);
}

static struct nd_exec_looked looked_of(struct nd_run_wait *w) {
    return (struct nd_exec_looked){
        .argv = &w->given, .cwd = w->params.cwd, .real = w->params.argv.items[0], .found = &w->found
    };
}

/* The approval that the gateway makes this look for, if it wants the person here to be asked. */
static const char *approval_asked_for(const struct nd_call *call) {
    return oc_str_or_null(oc_json_get_str(oc_json_get(call->caller, "ask"), "id"));
}

static void on_drop(struct nd_run_wait *w) {
    nd_asks_forget(&w->call->host->asks, approval_asked_for(w->call));
}

/* Somebody can read the question, or nobody is asked here. */
static void on_shown(void *user, const char *where) {
    struct nd_run_wait *w = user;
    struct nd_exec_looked looked = looked_of(w);
    nd_run_wait_end(w);
    system_run_prepare_answer(w->call, &w->params, &w->verdict, &looked, where);
    nd_run_wait_destroy(w);
}

/* The gateway's operators are asked about it, and so is whoever is here: the person sees what this
 * look saw. The gateway hears it when the question is there to be read. */
static void ask_owner(struct nd_run_wait *w, const char *approval_id) {
    struct nd_call *call = w->call;
    const cJSON *ask = oc_json_get(call->caller, "ask");
    OC_AUTO_JSON cJSON *request = nd_run_question_build(&(struct nd_run_question){
            .node_name = call->host->machine.name,
            .caller = call->caller,
            .params = &w->params,
            .verdict = &w->verdict,
            .files = &w->found.given,
            .manner = oc_json_get(ask, "run"),
            .timeout_ms =
                    oc_json_clamp_int(ask, "timeoutMs", 1, OC_DEFAULT_APPROVAL_MS, ND_PROMPTER_MS),
    });
    w->on_drop = on_drop;
    nd_asks_open(&call->host->asks, &(struct nd_ask_opts){ .approval_id = approval_id,
                                            .caller_id = oc_json_get_str(call->caller, "id"),
                                            .request = request,
                                            .shown = on_shown,
                                            .user = w });
}

static void on_looked(struct nd_run_wait *w) {
    struct nd_call *call = w->call;
    struct nd_exec_verdict *v = &w->verdict;
    /* The owner may have said something else meanwhile. */
    if (!v->why || !nd_exec_is_current(&call->host->notes, v)) {
        nd_exec_verdict_finish(v);
        nd_exec_notes_judge(&call->host->notes, call->caller, &w->params, v);
    }
    /* Who has left since does not want anybody to be asked. */
    const char *approval_id = nd_call_invoke_id(call) ? approval_asked_for(call) : NULL;
    if (v->security == ND_EXEC_DENY) {
        nd_run_wait_end(w);
        system_run_prepare_refuse(call, v);
        nd_run_wait_destroy(w);
    } else if (approval_id && is_required(v)) {
        ask_owner(w, approval_id);
    } else {
        on_shown(w, NULL);
    }
}

/* p: hardened. v: NULL when it was judged by other words than those. */
static void system_run_prepare_look(struct nd_call *call, struct nd_run_params *take_params,
        struct oc_strv *take_given, struct nd_exec_verdict *take_v) {
    struct oc_error err = { 0 };
    struct nd_run_wait *w = nd_run_wait_begin(&call->host->runner, call, take_params,
            "the node has not looked at the command's files yet");
    w->given = *take_given;
    *take_given = (struct oc_strv){ 0 };
    if (take_v) {
        w->verdict = *take_v;
        *take_v = (struct nd_exec_verdict){ 0 };
    }
    bool is_other = strcmp(w->given.items[0], w->params.argv.items[0]) != 0;
    w->real = is_other ? oc_strdup(w->params.argv.items[0]) : NULL;
    w->cwd = oc_strdup(w->params.cwd);
    if (nd_run_wait_look(w, false, on_looked, &err) != OC_OK) {
        nd_run_wait_end(w);
        nd_run_wait_destroy(w);
        nd_call_fail(call, &err);
    }
}

/* Somebody may be asked about it, or has to be: then its files are part of the answer. Where
 * nothing is asked, or it is refused anyway, nothing about files is told. */
static bool is_asked_about(const struct nd_exec_verdict *v) {
    return !nd_exec_rules_are_open(&v->rules) && (v->is_allowed || v->rules.ask != ND_EXEC_ASK_OFF);
}

/* What the command is as it stands, without an approval and before the sandbox places it, was not
 * judged on the way here. */
static void system_run_prepare_go(struct nd_call *call, struct nd_run_rehearsal *unused) {
    (void)unused;
    struct nd_run_params p;
    struct oc_error err = { 0 };
    if (nd_run_params_decode(call->params, &p, &err) != OC_OK) {
        nd_call_fail(call, &err);
        nd_run_params_finish(&p);
        return;
    }
    OC_AUTO_STRV struct oc_strv given = { 0 };
    OC_AUTO_FREE char *cwd = oc_strdup(p.cwd), *misplaced = NULL;
    oc_strv_copy(&given, &p.argv);
    p.approved = p.is_unanswered = false;
    p.decision = OC_DECISION_NONE;
    struct oc_grounds grounds = { 0 };
    struct nd_exec_verdict v;
    nd_exec_notes_judge(&call->host->notes, call->caller, &p, &v);
    if (v.security == ND_EXEC_DENY) { /* first: nothing about any file or directory is told then */
        system_run_prepare_refuse(call, &v);
    } else if ((misplaced = nd_sandbox_place(call->host->machine.sandbox, &p.cwd, &grounds)) !=
               NULL) {
        nd_call_refuse(call, "SYSTEM_RUN_DENIED", misplaced, &grounds);
    } else if (!is_asked_about(&v)) {
        system_run_prepare_answer(call, &p, &v, NULL, NULL);
    } else if (system_run_prepare_harden(call->host, &p, &err) != OC_OK) {
        nd_call_fail(call, &err);
    } else {
        bool is_same = oc_streq(cwd, p.cwd) && strcmp(given.items[0], p.argv.items[0]) == 0;
        system_run_prepare_look(call, &p, &given, is_same ? &v : NULL);
    }
    nd_exec_verdict_finish(&v);
    nd_run_params_finish(&p);
}

static void system_run_prepare_start(struct nd_call *call) {
    nd_run_reach(&call->host->runner, call, system_run_prepare_go);
}

const struct nd_command nd_command_system_run_prepare = {
    .name = "system.run.prepare",
    .cap = "system",
    .summary = "Say what system.run would run, for an approval",
    .needs_params = true,
    .knows = nd_run_params_knows,
    .is_pure = true,
    .available = nd_can_run,
    .start = system_run_prepare_start,
};
