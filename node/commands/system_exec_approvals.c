/* system.execApprovals.get and set: an operator reads or replaces this machine's
 * exec-approvals.json (docs/PROTOCOL.md#node-commands).
 *
 * Gateways let them through for administrators alone, by exec.approvals.node.*, never by
 * node.invoke. That is the gateway's word; what may run here is the owner's, so changing it from
 * afar is one more of their switches. */
#include "node/call/command.h"

#include "lib/base/mem.h"
#include "lib/log/log.h"
#include "lib/protocol/errors.h"
#include "lib/state/exec_approvals.h"
#include "node/commands/host.h"

#define TAG "node.exec_approvals"
#define PREFIX "Error: INVALID_REQUEST: "

static void fail_for(struct nd_call *call, enum oc_cause cause, const char *text) {
    OC_AUTO_FREE char *message = oc_strfmt(PREFIX "%s", text);
    nd_call_refuse(call, OC_WIRE_INVALID, message, &(struct oc_grounds){ .cause = cause });
}

static void system_exec_approvals_fail(struct nd_call *call, const char *text) {
    fail_for(call, OC_CAUSE_NONE, text);
}

static void get_system_exec_approvals(struct nd_call *call) {
    cJSON *snapshot = NULL;
    struct oc_error err;
    if (oc_exec_approvals_snapshot(call->host->machine.approvals_path, &snapshot, &err) != OC_OK) {
        system_exec_approvals_fail(call, err.text);
        return;
    }
    nd_call_reply_json(call, snapshot);
}

static void set_system_exec_approvals(struct nd_call *call) {
    const cJSON *file = oc_json_get(call->params, "file");
    struct oc_error err;
    if (!cJSON_IsObject(file)) {
        system_exec_approvals_fail(call, "exec approvals file required");
        return;
    }
    if (oc_exec_approvals_check(file, "/file", &err) != OC_OK) {
        system_exec_approvals_fail(call, err.text);
        return;
    }
    cJSON *snapshot = NULL;
    switch (oc_exec_approvals_replace(call->host->machine.approvals_path, file,
            oc_json_get_str(call->params, "baseHash"), &snapshot, &err)) {
    case OC_OK:
        oc_log(OC_LOG_WARN, TAG, "the gateway replaced %s", call->host->machine.approvals_path);
        nd_call_reply_json(call, snapshot);
        break;
    case OC_E_EXISTS:
        system_exec_approvals_fail(call, "exec approvals base hash required; reload and retry");
        break;
    case OC_E_CANCELLED:
        fail_for(call, OC_CAUSE_FILE_CHANGED, "exec approvals changed; reload and retry");
        break;
    case OC_E_UNAVAILABLE:
        fail_for(call, OC_CAUSE_FILE_CHANGED,
                "exec approvals are being changed by another program; reload and retry");
        break;
    default:
        system_exec_approvals_fail(call, err.text);
        break;
    }
}

const struct nd_command nd_command_system_exec_approvals_get = {
    .name = "system.execApprovals.get",
    .cap = "system",
    .summary = "Show which programs this machine allows",
    .available = nd_can_run,
    .start = get_system_exec_approvals,
};

const struct nd_command nd_command_system_exec_approvals_set = {
    .name = "system.execApprovals.set",
    .cap = "system",
    .summary = "Change which programs this machine allows",
    .needs_params = true,
    .switch_name = "approvals",
    .is_for_afar = true,
    .available = nd_can_run,
    .start = set_system_exec_approvals,
};
