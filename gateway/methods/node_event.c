/* node.event: what a node reports by itself. A node host waits for the answer before it goes on, so
 * every well-formed event gets one. Signs of life, how busy the machine is and what became of runs
 * are noted, requests to an agent handed over; nothing acts on the rest. */
#include "gateway/audit/run_audit.h"
#include "gateway/canvas/agent_requests.h"
#include "gateway/conn/conn.h"
#include "gateway/conn/events.h"
#include "gateway/core.h"
#include "gateway/exec/approval_at_node.h"
#include "gateway/methods/methods.h"
#include "gateway/nodes/host_stats.h"
#include "lib/base/mem.h"
#include "lib/json/json_scan.h"
#include "lib/protocol/connect.h"
#include "lib/protocol/errors.h"
#include "lib/protocol/limits.h"

#include <string.h>

#define MAX_EXEC_DEPTH 8
#define AGENT_REQUEST "agent.request"

struct params {
    const char *event, *payload_json;
    const cJSON *payload;
};
#define T struct params
static const struct oc_json_field fields[] = {
    OC_STR(T, event, "event", OC_REQUIRED | OC_NONEMPTY),
    OC_ANY(T, payload, "payload", 0),
    OC_STR(T, payload_json, "payloadJSON", 0),
};
#undef T

/* What woke the node, as far as we know the word: it is shown to people. */
static const char *seen_reason(const struct params *p) {
    static const char *const known[] = { "background", "silent_push", "bg_app_refresh",
        "significant_location", "manual", "connect", "foreground" };
    const char *trigger = oc_json_get_str(p->payload, "trigger");
    for (size_t i = 0; i < OC_COUNT(known); i++) {
        if (oc_streq(trigger, known[i])) {
            return known[i];
        }
    }
    return "background";
}

/* Kept with the connection. Operators hear of it, but not as often as a node likes to say it. */
static const char *note_host_stats(const struct gw_call *call, const struct params *p) {
    struct gw_node *node = call->conn->node;
    int64_t now_ms = oc_mono_ms(call->gw->clock);
    if (!node) {
        return "stale_connection";
    }
    cJSON *stats = gw_host_stats_read(p->payload, oc_wall_ms(call->gw->clock));
    if (!stats) {
        return "invalid_payload";
    }
    cJSON_Delete(node->host_stats);
    node->host_stats = stats;
    if (node->host_stats_told_ms == 0 ||
            now_ms - node->host_stats_told_ms >= OC_HOST_STATS_EVENT_MS) {
        node->host_stats_told_ms = now_ms;
        cJSON *o = cJSON_CreateObject();
        oc_json_set_str(o, "nodeId", node->id);
        oc_json_set(o, "hostStats", cJSON_Duplicate(stats, true));
        gw_event_broadcast(&call->gw->conns, GW_EVENT_NODE_HOST_STATS, o);
    }
    return NULL;
}

/* The owner of a node of ours changed what it may do; connect told how it was. Only shown: the node
 * decides itself. */
static const char *note_permissions(const struct gw_call *call, const struct params *p) {
    struct gw_conn *c = call->conn;
    const cJSON *now = oc_json_get(p->payload, "permissions");
    struct oc_error ignored;
    if (!c->node) {
        return "stale_connection";
    }
    if (!cJSON_IsObject(now) || oc_connect_check_permissions(now, &ignored) != OC_OK) {
        return "invalid_payload";
    }
    cJSON_Delete(c->client.permissions);
    c->client.permissions = cJSON_Duplicate(now, true);
    c->node->permissions = c->client.permissions;
    return NULL;
}

/* What became of a run; the node repeats it until we have it. False: we do not, and said so. */
static bool note_run_ended(
        const struct gw_call *call, const cJSON *report, const char **ret_why_not) {
    enum gw_report r = gw_run_audit_reported(call->gw->run_audit, call->conn->device_id, report);
    *ret_why_not = r == GW_REPORT_WRITTEN ? NULL : "unknown_run";
    if (r != GW_REPORT_FAILED) {
        return true;
    }
    gw_call_fail_with(call, OC_WIRE_UNAVAILABLE,
            "the end of the run is not written down: tell it again", NULL, -1);
    return false;
}

/* exec.* events also hold what the program wrote, any bytes of it: only our part is made into a
 * tree. Caller deletes. */
static cJSON *audit_in(const char *text) {
    struct oc_slice all = { text, strlen(text) };
    struct oc_json_value v;
    cJSON *audit = NULL;
    struct oc_error ignored;
    if (!oc_json_valid(all.ptr, all.len, MAX_EXEC_DEPTH) ||
            oc_json_root(all).kind != OC_JK_OBJECT || !oc_json_find(all, "audit", &v) ||
            oc_json_parse_within(v.raw.ptr, v.raw.len, OC_MAX_REQUEST_VALUES, &audit, &ignored) !=
                    OC_OK) {
        return NULL;
    }
    return audit;
}

static const char *note_presence(const struct gw_call *call, const struct params *p) {
    const char *reason = NULL;
    if (strcmp(p->event, "node.presence.alive") == 0) {
        reason = seen_reason(p);
    } else if (strcmp(p->event, "node.presence.activity") == 0) {
        reason = "activity";
    }
    if (reason) {
        gw_roster_seen(
                call->gw->roster, call->conn->device_id, oc_wall_ms(call->gw->clock), reason);
    }
    return reason ? NULL : "unsupported_event";
}

/* Newer node hosts want to know what became of these: NULL, or why nothing did. */
static const char *node_event_handle(const struct gw_call *call, const struct params *p) {
    if (strcmp(p->event, OC_EVENT_NAME_PERMISSIONS) == 0) {
        return note_permissions(call, p);
    }
    if (strcmp(p->event, AGENT_REQUEST) == 0) {
        return gw_agent_request_take(call->conn, p->payload);
    }
    if (strcmp(p->event, OC_EVENT_NAME_PROMPTED) == 0) {
        return gw_approval_prompted(&call->gw->looks, call->conn, p->payload);
    }
    if (strcmp(p->event, OC_EVENT_NAME_FOLLOWS) == 0) {
        gw_moves_follower(call->conn);
        return NULL;
    }
    return strcmp(p->event, "node.host.stats") == 0 ? note_host_stats(call, p)
                                                    : note_presence(call, p);
}

void gw_method_node_event(const struct gw_call *call) {
    struct params p = { 0 };
    if (!gw_call_decode(call, fields, OC_COUNT(fields), &p)) {
        return;
    }
    OC_AUTO_JSON cJSON *parsed = NULL;
    struct oc_error ignored;
    bool is_exec = oc_starts_with(p.event, "exec.");
    if (p.payload_json && is_exec) {
        parsed = audit_in(p.payload_json);
    } else if (p.payload_json && oc_json_parse_within(p.payload_json, strlen(p.payload_json),
                                         OC_MAX_REQUEST_VALUES, &parsed, &ignored) == OC_OK) {
        p.payload = parsed;
    }
    const cJSON *audit = parsed ? parsed : oc_json_get(p.payload, "audit");
    if (is_exec && gw_run_audit_report_soon(call->gw->run_audit, call, audit)) {
        return;
    }
    bool is_end = strcmp(p.event, OC_EVENT_NAME_RUN_ENDED) == 0;
    const char *why_not = NULL;
    if ((is_exec || is_end) && !note_run_ended(call, is_exec ? audit : p.payload, &why_not)) {
        return;
    }
    cJSON *payload = cJSON_CreateObject();
    oc_json_set_bool(payload, "ok", true);
    if (oc_starts_with(p.event, "node.") || strcmp(p.event, AGENT_REQUEST) == 0) {
        why_not = is_end ? why_not : node_event_handle(call, &p);
        oc_json_set_str(payload, "event", p.event);
        oc_json_set_bool(payload, "handled", !why_not);
        oc_json_set_str(payload, "reason", why_not ? why_not : "updated");
    }
    gw_call_ok(call, payload);
}
