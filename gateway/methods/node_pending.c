/* node.pending.*: what waits for a node that was asleep (docs/PROTOCOL.md#nodes). */
#include "gateway/conn/conn.h"
#include "gateway/core.h"
#include "gateway/methods/methods.h"
#include "gateway/nodes/node_work.h"
#include "lib/base/mem.h"
#include "lib/protocol/errors.h"
#include "lib/protocol/limits.h"

struct enqueue {
    const char *node_id, *type, *priority;
    int64_t expires_in_ms;
    bool wake;
};
#define T struct enqueue
static const struct oc_json_field enqueue_fields[] = {
    OC_STR(T, node_id, "nodeId", OC_REQUIRED | OC_NONEMPTY),
    OC_STR(T, type, "type", OC_REQUIRED | OC_NONEMPTY),
    OC_STR(T, priority, "priority", OC_NULLABLE),
    OC_INT(T, expires_in_ms, "expiresInMs", OC_NULLABLE, 1000, 86400000),
    OC_BOOL(T, wake, "wake", OC_NULLABLE),
};
#undef T

void gw_method_node_pending_enqueue(const struct gw_call *call) {
    struct enqueue p = { 0 };
    if (!gw_call_decode(call, enqueue_fields, OC_COUNT(enqueue_fields), &p)) {
        return;
    }
    struct oc_error err;
    if (!gw_roster_find(call->gw->roster, p.node_id)) {
        (void)oc_fail_cause(&err, OC_E_INVALID, OC_CAUSE_UNKNOWN_NODE, "unknown nodeId");
        gw_call_fail(call, &err);
        return;
    }
    cJSON *payload = NULL;
    enum oc_code rc = gw_node_work_add(
            call->gw->work, p.node_id, p.type, p.priority, p.expires_in_ms, &payload, &err);
    if (rc == OC_OK) {
        gw_call_ok(call, payload);
    } else if (rc == OC_E_INVALID) {
        gw_call_fail_params(call, &err);
    } else {
        gw_call_fail(call, &err);
    }
}

struct drain {
    int64_t max_items;
};
#define T struct drain
static const struct oc_json_field drain_fields[] = {
    OC_INT(T, max_items, "maxItems", OC_NULLABLE, 1, 10),
};
#undef T

void gw_method_node_pending_drain(const struct gw_call *call) {
    struct drain p = { .max_items = 4 };
    if (gw_call_decode(call, drain_fields, OC_COUNT(drain_fields), &p)) {
        gw_call_ok(call, gw_node_work_drain(call->gw->work, call->conn->device_id, p.max_items));
    }
}

/* Commands are never queued for absent nodes here: who invokes one hears at once that it is not
 * connected. */
void gw_method_node_pending_pull(const struct gw_call *call) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "nodeId", call->conn->device_id);
    cJSON_AddArrayToObject(o, "actions");
    gw_call_ok(call, o);
}

struct ack {
    struct oc_strv ids;
};
#define T struct ack
static const struct oc_json_field ack_fields[] = {
    OC_STRV(T, ids, "ids", OC_REQUIRED, OC_MAX_NODE_WORK),
};
#undef T

void gw_method_node_pending_ack(const struct gw_call *call) {
    struct ack p = { 0 };
    if (gw_call_decode(call, ack_fields, OC_COUNT(ack_fields), &p)) {
        cJSON *o = cJSON_CreateObject();
        oc_json_set_str(o, "nodeId", call->conn->device_id);
        cJSON_AddArrayToObject(o, "ackedIds");
        oc_json_set_int(o, "remainingCount", 0);
        gw_call_ok(call, o);
    }
    oc_strv_finish(&p.ids);
}
