/* system.run.prepare: what exactly would run, for a person to approve (docs/PROTOCOL.md#node-commands). The result is the
 * union of what 2026.2.26 and 2026.9.6 read, and `approval`, which is ours: what the policy says about it now, and what an
 * approval "always" would add to the list. Where nothing is asked, nothing is refused here either. */
#include "node/call/command.h"

#include "lib/base/mem.h"
#include "node/argv/exec_argv.h"
#include "node/argv/run_params.h"
#include "node/commands/host.h"
#include "node/looks/exec_harden.h"
#include "node/looks/looks.h"
#include "node/looks/run_cwd.h"
#include "node/policy/exec_notes.h"
#include "node/policy/exec_rules.h"
#include "node/run/run_reach.h"
#include "node/sandbox/containment.h"

#include <string.h>

/* What the owner's file says; a damaged one denies. */
static struct oc_exec_rules rules_of(
        const struct oc_node_host *host, const struct oc_run_params *p) {
    struct oc_exec_rules rules;
    struct oc_error err;
    if (oc_exec_rules_read(host->machine.approvals_path, host->machine.config, p->agent_id, &rules,
                &err) != OC_OK) {
        rules = (struct oc_exec_rules){ .ask = OC_EXEC_ASK_ALWAYS };
    }
    return rules;
}

static enum oc_code harden(
        const struct oc_node_host *host, struct oc_run_params *p, struct oc_error *err) {
    enum oc_code rc = p->cwd ? oc_run_harden_cwd(&p->cwd, host->machine.state_dir, err) : OC_OK;
    OC_AUTO_FREE char *given = oc_strdup(p->argv.items[0]);
    if (rc == OC_OK) {
        rc = oc_exec_harden_program(&p->argv, p->cwd, host->machine.state_dir, err);
    }
    if (rc == OC_OK && strcmp(given, p->argv.items[0]) != 0) {
        oc_free(oc_take(&p->text));
        rc = oc_argv_text(&p->argv, NULL, &p->text, err); /* what is shown is what would run */
    }
    return rc;
}

static cJSON *plan_of(const struct oc_run_params *p) {
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

static cJSON *policy_of(const struct oc_exec_rules *rules) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "security", oc_exec_security_name(rules->security));
    oc_json_set_str(o, "ask", oc_exec_ask_name(rules->ask));
    return o;
}

/* What is only known after a look: the first file in the reference's format, and all of them in ours. */
static void put_files(struct oc_node_host *host, const struct oc_run_params *p,
        const struct oc_exec_looked *l, const struct oc_strv *remember, cJSON *plan,
        cJSON *approval) {
    const struct oc_exec_operand *own = l->found->has_real ? &l->found->real : &l->found->given;
    if (own->content[0]) {
        cJSON *o = cJSON_AddObjectToObject(plan, "mutableFileOperand");
        oc_json_set_int(o, "argvIndex", (int64_t)own->index);
        oc_json_set(o, "path", oc_exec_path_json(own->path));
        oc_json_set_str(o, "sha256", own->content);
    }
    oc_exec_put_bound(approval, &l->found->given, remember);
    OC_AUTO_FREE char *look = oc_exec_note_look(&host->notes, p, l, remember);
    char name[65];
    struct oc_exec_look now;
    struct oc_exec_plan_key key = { .argv = l->argv, .cwd = l->cwd };
    oc_exec_plan_name(&key, name);
    oc_json_set_str(approval, "look", look);
    oc_json_set_str(approval, "lookAt", name);
    oc_exec_look_of(&l->found->given, remember, &now);
    oc_exec_look_state(&now, name);
    oc_json_set_str(approval, "state", name);
}

static cJSON *approval_of(const struct oc_node_host *host, const struct oc_run_params *p,
        const struct oc_exec_rules *rules, const struct oc_exec_verdict *v, bool tells_paths) {
    cJSON *o = policy_of(rules);
    OC_AUTO_FREE char *program =
            tells_paths ? oc_exec_program(&p->argv, p->cwd, host->machine.state_dir) : NULL;
    oc_json_set(o, "resolvedPath", oc_exec_path_json(program));
    OC_AUTO_FREE char *own_dir = p->cwd ? NULL : oc_run_own_dir();
    oc_json_set(o, "nodeCwd", oc_exec_path_json(own_dir));
    oc_json_set_str(o, "wouldAllowFor", p->agent_id ? p->agent_id : "main");
    oc_json_set_str(o, "reason", v->why);
    return o;
}

/* Who may change the list has to know what would be on it. */
static bool is_admin(const struct oc_node_call *call) {
    return oc_json_get_bool(call->caller, "admin", false);
}

/* looked: NULL where nobody is asked about it. */
static void answer(struct oc_node_call *call, const struct oc_run_params *p,
        const struct oc_exec_rules *rules, const struct oc_exec_verdict *v,
        const struct oc_exec_looked *looked) {
    cJSON *payload = cJSON_CreateObject(), *plan = plan_of(p),
          *approval =
                  approval_of(call->host, p, rules, v, v->is_allowed || looked || is_admin(call));
    oc_json_set_str(payload, "cmdText", p->text);
    if (looked) {
        put_files(call->host, p, looked, &v->remember, plan, approval);
    } else {
        oc_json_set(approval, "wouldAllow", oc_exec_paths_json(&v->remember));
    }
    oc_json_set(payload, "plan", plan);
    oc_json_set(payload, "execPolicy", policy_of(rules));
    oc_json_set(payload, "approval", approval);
    oc_node_call_reply_json(call, payload);
}

/* A command whose files are being looked at. */
struct looking {
    struct oc_node_call *call;
    struct oc_run_params params; /* hardened */
    struct oc_strv given;        /* its argv before that */
    struct oc_look *look;
};

static void destroy(struct looking *l) {
    l->call->work = NULL;
    l->call->cancel = NULL;
    l->call->abandon = NULL;
    oc_run_params_finish(&l->params);
    oc_strv_finish(&l->given);
    oc_free(l);
}

static void on_abandon(struct oc_node_call *call) {
    struct looking *l = call->work;
    oc_look_cancel(l->look);
    destroy(l);
}

static void on_cancel(struct oc_node_call *call, enum oc_code why) {
    on_abandon(call);
    oc_node_call_reply_error(call, why == OC_E_TIMEOUT ? "TIMEOUT" : "CANCELLED",
            "the node has not looked at the command's files yet");
}

static void refuse(struct oc_node_call *call, const struct oc_exec_verdict *v) {
    oc_node_call_refuse(call, "SYSTEM_RUN_DENIED", v->message, &v->grounds);
}

static void on_looked(void *user, struct oc_look_found *found) {
    struct looking *l = user;
    struct oc_node_call *call = l->call;
    struct oc_run_params p = l->params;
    OC_AUTO_STRV struct oc_strv given = l->given;
    l->params = (struct oc_run_params){ 0 };
    l->given = (struct oc_strv){ 0 };
    destroy(l);
    struct oc_exec_rules rules = rules_of(call->host, &p);
    struct oc_exec_verdict v;
    oc_exec_ask(&call->host->notes, call->caller, &p,
            &v); /* the owner may have said something else meanwhile */
    struct oc_exec_looked looked = {
        .argv = &given, .cwd = p.cwd, .real = p.argv.items[0], .found = found
    };
    if (v.security == OC_EXEC_DENY) {
        refuse(call, &v);
    } else {
        answer(call, &p, &rules, &v, &looked);
    }
    oc_exec_verdict_finish(&v);
    oc_run_params_finish(&p);
}

static void look(
        struct oc_node_call *call, struct oc_run_params *take_params, struct oc_strv *take_given) {
    struct oc_node_host *host = call->host;
    struct oc_error err = { 0 };
    struct looking *l = oc_new(struct looking);
    l->call = call;
    l->params = *take_params;
    l->given = *take_given;
    *take_params = (struct oc_run_params){ 0 };
    *take_given = (struct oc_strv){ 0 };
    call->work = l;
    call->cancel = on_cancel;
    call->abandon = on_abandon;
    bool is_other = strcmp(l->given.items[0], l->params.argv.items[0]) != 0;
    struct oc_look_ask ask = { .argv = &l->given,
        .real = is_other ? l->params.argv.items[0] : NULL,
        .cwd = l->params.cwd,
        .state_dir = host->machine.state_dir,
        .who = oc_json_get_str(call->caller, "id") };
    if (oc_look_start(&host->looks, host->machine.loop, &ask, on_looked, l, &l->look, &err) !=
            OC_OK) {
        destroy(l);
        oc_node_call_fail(call, &err);
    }
}

/* Somebody may be asked about it, or has to be: then its files are part of the answer. Where nothing is asked, or it is
 * refused anyway, nothing about files is told. */
static bool is_asked_about(const struct oc_exec_rules *rules, const struct oc_exec_verdict *v) {
    return !oc_exec_rules_are_open(rules) && (v->is_allowed || rules->ask != OC_EXEC_ASK_OFF);
}

static void go(struct oc_node_call *call) {
    struct oc_run_params p;
    struct oc_error err = { 0 };
    if (oc_run_params_decode(call->params, &p, &err) != OC_OK) {
        oc_node_call_fail(call, &err);
        oc_run_params_finish(&p);
        return;
    }
    OC_AUTO_STRV struct oc_strv given = { 0 };
    oc_strv_copy(&given, &p.argv);
    p.approved = p.is_unanswered = false;
    p.decision = NULL;
    struct oc_exec_rules rules = rules_of(call->host, &p);
    struct oc_exec_verdict v;
    oc_exec_ask(&call->host->notes, call->caller, &p, &v);
    OC_AUTO_FREE char *misplaced = NULL;
    struct oc_grounds grounds = { 0 };
    if (v.security == OC_EXEC_DENY) { /* first: nothing about any file or directory is told then */
        refuse(call, &v);
    } else if ((misplaced = oc_sandbox_place(call->host->machine.sandbox, &p.cwd, &grounds)) !=
               NULL) {
        oc_node_call_refuse(call, "SYSTEM_RUN_DENIED", misplaced, &grounds);
    } else if (!is_asked_about(&rules, &v)) {
        answer(call, &p, &rules, &v, NULL);
    } else if (harden(call->host, &p, &err) != OC_OK) {
        oc_node_call_fail(call, &err);
    } else {
        look(call, &p, &given);
    }
    oc_exec_verdict_finish(&v);
    oc_run_params_finish(&p);
}

static void start(struct oc_node_call *call) {
    if (!oc_run_reach(&call->host->runner, call, go)) {
        go(call);
    }
}

const struct oc_node_command oc_node_system_run_prepare = {
    .name = "system.run.prepare",
    .cap = "system",
    .summary = "Say what system.run would run, for an approval",
    .needs_params = true,
    .knows = oc_run_params_knows,
    .is_pure = true,
    .available = oc_node_can_run,
    .start = start,
};
