/* exec.approvals.*: the file exec-approvals.json of this gateway, and through it that of a node
 * (docs/PROTOCOL.md#exec-approvals).
 *
 * A node's file is not a command like others: the command policy does not know it, so that no list
 * can hand it to those who may only invoke. It takes an administrator, and a node somebody has
 * approved. */
#include "lib/state/exec_approvals.h"
#include "gateway/conn/conn.h"
#include "gateway/core.h"
#include "gateway/methods/methods.h"
#include "gateway/nodes/gates.h"
#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/log/log.h"
#include "lib/protocol/errors.h"
#include "lib/protocol/grounds.h"
#include "lib/protocol/limits.h"
#include "lib/text/fix.h"

#define TAG "gateway.exec_approvals"
#define RETRY "re-run exec.approvals.get and retry"

struct params {
    const char *node_id, *base_hash;
    const cJSON *file;
};
#define T struct params
static const struct oc_json_field own_fields[] = {
    OC_OBJ(T, file, "file", OC_REQUIRED),
    OC_STR(T, base_hash, "baseHash", OC_NULLABLE),
};
static const struct oc_json_field node_get_fields[] = {
    OC_STR(T, node_id, "nodeId", OC_REQUIRED | OC_NONEMPTY),
};
static const struct oc_json_field node_set_fields[] = {
    OC_STR(T, node_id, "nodeId", OC_REQUIRED | OC_NONEMPTY),
    OC_OBJ(T, file, "file", OC_REQUIRED),
    OC_STR(T, base_hash, "baseHash", OC_NULLABLE),
};
#undef T

static char *own_path(void) {
    OC_AUTO_FREE char *home = oc_dir_home();
    return oc_exec_approvals_path(home);
}

static bool check_file(const struct gw_call *call, const cJSON *file) {
    struct oc_error err;
    if (oc_exec_approvals_check(file, "/file", &err) == OC_OK) {
        return true;
    }
    gw_call_fail_params(call, &err);
    return false;
}

void gw_method_exec_approvals_get(const struct gw_call *call) {
    OC_AUTO_FREE char *path = own_path();
    cJSON *snapshot = NULL;
    struct oc_error err;
    if (oc_exec_approvals_snapshot(path, &snapshot, &err) == OC_OK) {
        gw_call_ok(call, snapshot);
    } else {
        gw_call_fail(call, &err);
    }
}

void gw_method_exec_approvals_set(const struct gw_call *call) {
    struct params p = { 0 };
    if (!gw_call_decode(call, own_fields, OC_COUNT(own_fields), &p) || !check_file(call, p.file)) {
        return;
    }
    OC_AUTO_FREE char *path = own_path();
    cJSON *snapshot = NULL;
    struct oc_error err;
    switch (oc_exec_approvals_replace(path, p.file, p.base_hash, &snapshot, &err)) {
    case OC_OK:
        oc_log(OC_LOG_INFO, TAG, "replaced %s", path);
        gw_call_ok(call, snapshot);
        break;
    case OC_E_EXISTS:
        gw_call_fail_with(
                call, OC_WIRE_INVALID, "exec approvals base hash required; " RETRY, NULL, -1);
        break;
    case OC_E_CANCELLED:
        (void)oc_fail_cause(&err, OC_E_INVALID, OC_CAUSE_FILE_CHANGED,
                "exec approvals changed since last load; " RETRY);
        gw_call_fail(call, &err);
        break;
    case OC_E_UNAVAILABLE:
        (void)oc_fail_cause(&err, OC_E_UNAVAILABLE, OC_CAUSE_FILE_CHANGED,
                "exec approvals are being changed by another program; " RETRY);
        gw_call_fail(call, &err);
        break;
    default:
        gw_call_fail(call, &err);
        break;
    }
}

/* Answers when the node cannot be asked. */
static bool check_node(const struct gw_call *call, const char *node_id, const char *command) {
    const struct gw_node *node = gw_nodes_find(call->gw->nodes, node_id);
    if (!node) {
        gw_node_invoke_not_connected(call, node_id, command);
        return false;
    }
    cJSON *d = cJSON_CreateObject();
    oc_json_set_str(d, "command", command);
    if (node->approved_at_ms == 0) {
        struct oc_grounds g = { .cause = OC_CAUSE_COMMAND_NOT_APPROVED,
            .gate = OC_GATE_SURFACE,
            .remedy = OC_REMEDY_APPROVE_NODE };
        oc_grounds_set_subject(&g, node->pending_request_id);
        OC_AUTO_FREE char *fix = oc_fix_text(&g);
        oc_grounds_put(d, &g, fix);
        oc_json_set_str(d, "requestId", node->pending_request_id);
        gw_call_fail_with(call, OC_WIRE_INVALID,
                "node command not allowed: this node is not approved yet", d, -1);
        return false;
    }
    if (!oc_strv_has(&node->declared, command)) {
        gw_call_fail_with(
                call, OC_WIRE_UNAVAILABLE, "this node does not offer its exec approvals", d, -1);
        return false;
    }
    cJSON_Delete(d);
    return true;
}

static void ask_node(
        const struct gw_call *call, const char *node_id, const char *command, cJSON *take_params) {
    OC_AUTO_JSON cJSON *params = take_params;
    if (!check_node(call, node_id, command)) {
        return;
    }
    struct oc_buf text = OC_BUF_INIT(OC_MAX_MESSAGE_BYTES);
    oc_json_append(&text, params, false);
    struct oc_blob *blob = oc_blob_from_buf(&text);
    char key[OC_UUID_LEN + 1];
    oc_uuid4(key);
    gw_node_invoke_start(call,
            &(struct gw_invoke_spec){
                    .actor = "gateway",
                    .node_id = node_id,
                    .command = command,
                    .idempotency_key = key,
                    .blob = blob,
                    .params = { blob->data, blob->len },
            },
            true);
    oc_blob_unref(blob);
}

void gw_method_exec_approvals_node_get(const struct gw_call *call) {
    struct params p = { 0 };
    if (gw_call_decode(call, node_get_fields, OC_COUNT(node_get_fields), &p)) {
        ask_node(call, p.node_id, "system.execApprovals.get", cJSON_CreateObject());
    }
}

void gw_method_exec_approvals_node_set(const struct gw_call *call) {
    struct params p = { 0 };
    if (!gw_call_decode(call, node_set_fields, OC_COUNT(node_set_fields), &p) ||
            !check_file(call, p.file)) {
        return;
    }
    cJSON *params = cJSON_CreateObject();
    oc_json_set(params, "file", cJSON_Duplicate(p.file, true));
    oc_json_set_str(params, "baseHash", p.base_hash);
    ask_node(call, p.node_id, "system.execApprovals.set", params);
}
