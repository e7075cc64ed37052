/* system.run.prepare: what exactly would run, for a person to approve (protocol.md §9.2, §10.7,
 * §17.1). The policy is told, not asked. The result is the union of what 2026.2.26 and 2026.9.6 read. */
#include "node/command.h"

#include "base/mem.h"
#include "node/exec_argv.h"
#include "node/exec_harden.h"
#include "node/exec_operand.h"
#include "node/exec_rules.h"
#include "node/run_cwd.h"
#include "node/run_params.h"

#include <string.h>

static enum oc_code prepare(const cJSON *params, struct oc_run_params *p, struct oc_error *err) {
    enum oc_code rc = oc_run_params_decode(params, p, err);
    if (rc == OC_OK && p->cwd) {
        rc = oc_run_harden_cwd(&p->cwd, err);
    }
    OC_AUTO_FREE char *given = rc == OC_OK ? oc_strdup(p->argv.items[0]) : NULL;
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

/* The script that the command would run is part of what is approved. */
static void bind_script(struct oc_node_host *host, const struct oc_run_params *p, cJSON *plan) {
    struct oc_exec_operand operand = { 0 };
    if (!oc_exec_operand_find(&p->argv, p->cwd, &operand)) {
        return;
    }
    cJSON *o = cJSON_AddObjectToObject(plan, "mutableFileOperand");
    oc_json_set_int(o, "argvIndex", (int64_t)operand.index);
    oc_json_set_str(o, "path", operand.path);
    oc_json_set_str(o, "sha256", operand.sha256);
    oc_exec_plans_add(&host->plans, &p->argv, p->cwd, operand.sha256);
    oc_exec_operand_finish(&operand);
}

/* What the owner's file says, for callers that ask before they run; a damaged one denies. */
static cJSON *policy_of(const struct oc_node_host *host, const struct oc_run_params *p) {
    struct oc_exec_rules rules;
    struct oc_error err;
    if (oc_exec_rules_read(host->approvals_path, host->config, p->agent_id, &rules, &err) !=
            OC_OK) {
        rules = (struct oc_exec_rules){ .ask = OC_EXEC_ASK_ALWAYS };
    }
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "security", oc_exec_security_name(rules.security));
    oc_json_set_str(o, "ask", oc_exec_ask_name(rules.ask));
    return o;
}

static void start(struct oc_node_call *call) {
    struct oc_run_params p;
    struct oc_error err = { 0 };
    if (prepare(call->params, &p, &err) != OC_OK) {
        oc_node_call_fail(call, &err);
    } else {
        cJSON *payload = cJSON_CreateObject();
        oc_json_set_str(payload, "cmdText", p.text);
        cJSON *plan = plan_of(&p);
        bind_script(call->host, &p, plan);
        oc_json_set(payload, "plan", plan);
        oc_json_set(payload, "execPolicy", policy_of(call->host, &p));
        oc_node_call_reply_json(call, payload);
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
