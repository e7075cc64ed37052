/* system.run.prepare: what exactly would run, for a person to approve (protocol.md §9.2, §10.7, §17.1). The result is the
 * union of what 2026.2.26 and 2026.9.6 read, and `approval`, which is ours: what the policy says about it now, and what an
 * approval "always" would add to the list. Where nothing is asked, nothing is refused here either. */
#include "node/command.h"

#include "base/mem.h"
#include "node/containment.h"
#include "node/exec_argv.h"
#include "node/exec_harden.h"
#include "node/exec_notes.h"
#include "node/exec_rules.h"
#include "node/run_cwd.h"
#include "node/run_params.h"

#include <string.h>

/* What the owner's file says; a damaged one denies. */
static struct oc_exec_rules rules_of(
        const struct oc_node_host *host, const struct oc_run_params *p) {
    struct oc_exec_rules rules;
    struct oc_error err;
    if (oc_exec_rules_read(host->approvals_path, host->config, p->agent_id, &rules, &err) !=
            OC_OK) {
        rules = (struct oc_exec_rules){ .ask = OC_EXEC_ASK_ALWAYS };
    }
    return rules;
}

static enum oc_code harden(struct oc_run_params *p, struct oc_error *err) {
    enum oc_code rc = p->cwd ? oc_run_harden_cwd(&p->cwd, err) : OC_OK;
    OC_AUTO_FREE char *given = oc_strdup(p->argv.items[0]);
    if (rc == OC_OK) {
        rc = oc_exec_harden_program(&p->argv, p->cwd, err);
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

/* The files that decide what the command does are part of what is approved. */
static void bind_files(struct oc_node_host *host, const struct oc_run_params *p,
        const struct oc_strv *given, const struct oc_strv *remember, cJSON *plan) {
    struct oc_exec_operand operand;
    oc_exec_note_prepared(host, p, given, remember, &operand);
    if (operand.sha256[0]) {
        cJSON *o = cJSON_AddObjectToObject(plan, "mutableFileOperand");
        oc_json_set_int(o, "argvIndex", (int64_t)operand.index);
        oc_json_set(o, "path", oc_exec_path_json(operand.path));
        oc_json_set_str(o, "sha256", operand.sha256);
    }
    oc_exec_operand_finish(&operand);
}

static cJSON *policy_of(const struct oc_exec_rules *rules) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "security", oc_exec_security_name(rules->security));
    oc_json_set_str(o, "ask", oc_exec_ask_name(rules->ask));
    return o;
}

static cJSON *approval_of(const struct oc_run_params *p, const struct oc_exec_rules *rules,
        const struct oc_exec_verdict *v) {
    cJSON *o = policy_of(rules);
    OC_AUTO_FREE char *program = oc_exec_program(&p->argv, p->cwd);
    oc_json_set(o, "resolvedPath", oc_exec_path_json(program));
    OC_AUTO_FREE char *own_dir = p->cwd ? NULL : oc_run_own_dir();
    oc_json_set(o, "nodeCwd", oc_exec_path_json(own_dir));
    oc_json_set_str(o, "wouldAllowFor", p->agent_id ? p->agent_id : "main");
    oc_json_set_str(o, "reason", v->why);
    oc_json_set(o, "wouldAllow", oc_exec_paths_json(&v->remember));
    return o;
}

/* given: its argv before it was hardened. */
static void answer(struct oc_node_call *call, const struct oc_run_params *p,
        const struct oc_strv *given, const struct oc_exec_rules *rules) {
    struct oc_exec_verdict verdict;
    oc_exec_ask(call->host, p, &verdict);
    cJSON *payload = cJSON_CreateObject();
    oc_json_set_str(payload, "cmdText", p->text);
    cJSON *plan = plan_of(p);
    if (!oc_exec_rules_are_open(rules)) {
        bind_files(call->host, p, given, &verdict.remember, plan);
    }
    oc_json_set(payload, "plan", plan);
    oc_json_set(payload, "execPolicy", policy_of(rules));
    oc_json_set(payload, "approval", approval_of(p, rules, &verdict));
    oc_exec_verdict_finish(&verdict);
    oc_node_call_reply_json(call, payload);
}

static void start(struct oc_node_call *call) {
    struct oc_run_params p;
    struct oc_error err = { 0 };
    if (oc_run_params_decode(call->params, &p, &err) != OC_OK) {
        oc_node_call_fail(call, &err);
        oc_run_params_finish(&p);
        return;
    }
    OC_AUTO_STRV struct oc_strv given = { 0 };
    oc_strv_copy(&given, &p.argv);
    p.approved = false;
    struct oc_exec_rules rules = rules_of(call->host, &p);
    OC_AUTO_FREE char *misplaced = oc_sandbox_place(call->host->sandbox, &p.cwd);
    if (misplaced) {
        oc_node_call_reply_error(call, "SYSTEM_RUN_DENIED", misplaced);
    } else if (!oc_exec_rules_are_open(&rules) && harden(&p, &err) != OC_OK) {
        oc_node_call_fail(call, &err);
    } else {
        answer(call, &p, &given, &rules);
    }
    oc_run_params_finish(&p);
}

const struct oc_node_command oc_node_system_run_prepare = {
    .name = "system.run.prepare",
    .cap = "system",
    .summary = "Say what system.run would run, for an approval",
    .needs_params = true,
    .is_pure = true,
    .available = oc_node_can_run,
    .start = start,
};
