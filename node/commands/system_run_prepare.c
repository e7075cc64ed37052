/* system.run.prepare: what exactly would run, for a person to approve (protocol.md §9.2, §10.7,
 * §17.1). No policy is asked. The result is the union of what 2026.2.26 and 2026.9.6 read. */
#include "node/command.h"

#include "base/mem.h"
#include "node/exec_argv.h"
#include "node/exec_path.h"
#include "node/run_cwd.h"
#include "node/run_params.h"
#include "protocol/errors.h"

#include <string.h>

static bool can_run(const struct oc_node_host *host) {
    return host->platform->exec != NULL;
}

static enum oc_code refuse(struct oc_error *err, const char *text) {
    return oc_fail_wire(
            err, OC_E_INVALID, OC_WIRE_INVALID, "SYSTEM_RUN_DENIED: approval requires %s", text);
}

/* A path in argv[0] becomes the real one; a bare name stays, it is looked up when it runs. */
static enum oc_code harden_program(struct oc_run_params *p, struct oc_error *err) {
    char **program = &p->argv.items[0];
    struct oc_argv_shape shape;
    oc_argv_shape_of(&p->argv, &shape);
    if (shape.script || !strchr(*program, '/')) {
        return OC_OK;
    }
    OC_AUTO_FREE char *joined = (*program)[0] == '/' || !p->cwd
                                        ? oc_run_absolute(*program)
                                        : oc_strfmt("%s/%s", p->cwd, *program);
    OC_AUTO_FREE char *real = oc_exec_real(joined);
    if (!real) {
        return refuse(err, "a stable executable path");
    }
    oc_free(*program);
    *program = oc_take(&real);
    oc_free(oc_take(&p->text));
    return oc_argv_text(&p->argv, NULL, &p->text, err); /* what is shown is what would run */
}

static enum oc_code prepare(const cJSON *params, struct oc_run_params *p, struct oc_error *err) {
    enum oc_code rc = oc_run_params_decode(params, p, err);
    if (rc == OC_OK && p->cwd) {
        rc = oc_run_harden_cwd(&p->cwd, err);
    }
    return rc == OC_OK ? harden_program(p, err) : rc;
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

static void start(struct oc_node_call *call) {
    struct oc_run_params p;
    struct oc_error err = { 0 };
    if (prepare(call->params, &p, &err) != OC_OK) {
        oc_node_call_fail(call, &err);
    } else {
        cJSON *payload = cJSON_CreateObject();
        oc_json_set_str(payload, "cmdText", p.text);
        oc_json_set(payload, "plan", plan_of(&p));
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
    .available = can_run,
    .start = start,
};
