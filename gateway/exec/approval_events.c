#include "gateway/exec/approval_events.h"

#include "gateway/conn/conns.h"
#include "gateway/conn/events.h"
#include "gateway/exec/approval_at_node.h"

cJSON *gw_approval_brief(const struct gw_approval *a) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "id", a->id);
    oc_json_set_int(o, "createdAtMs", a->created_at_ms);
    oc_json_set_int(o, "expiresAtMs", a->expires_at_ms);
    return o;
}

void gw_exec_approval_announce(struct gw_conns *all, const struct gw_approval *a) {
    cJSON *payload = gw_approval_brief(a);
    oc_json_set(payload, "request", cJSON_Duplicate(a->request, true));
    oc_json_set_str(payload, "requestedBy", a->asked_by);
    oc_json_set(payload, "asker", cJSON_Duplicate(a->asker, true));
    gw_event_broadcast(all, GW_EVENT_EXEC_APPROVAL_REQUESTED, payload);
}

void gw_exec_approval_tell_end(struct gw_conns *all, const struct gw_approval *a) {
    cJSON *event = cJSON_CreateObject();
    oc_json_set_str(event, "id", a->id);
    /* 2026.9.6 says deny for those that ran out of time as well; the status tells them apart. */
    oc_json_set_str(
            event, "decision", oc_decision_name(a->decision ? a->decision : OC_DECISION_DENY));
    oc_json_set_str(event, "terminalStatus", a->decision ? NULL : "expired");
    oc_json_set_str_or_null(event, "resolvedBy", a->resolved_by);
    oc_json_set_int(event, "ts", a->resolved_at_ms);
    oc_json_set_str(event, "cause", oc_cause_name(a->cause));
    if (a->cause == OC_CAUSE_WITHDRAWN) {
        oc_json_set(event, "withdrawn", cJSON_CreateTrue()); /* for older builds of ours */
    }
    oc_json_set_str(event, "reason", a->void_reason);
    oc_json_set(event, "request", cJSON_Duplicate(a->request, true));
    gw_event_broadcast(all, GW_EVENT_EXEC_APPROVAL_RESOLVED, event);
    if (a->asked_at) {
        gw_approval_ask_over(all, oc_json_get_str(a->request, "nodeId"), a->id);
    }
}

void gw_exec_approval_changed(struct gw_conns *all, const struct gw_approval *a) {
    bool was_open = !a->is_settled;
    gw_approval_void(a,
            "SYSTEM_RUN_DENIED: execution plan mismatch (the files of this command were "
            "seen in another state after the approval was asked for)");
    if (was_open) {
        gw_exec_approval_tell_end(all, a);
    }
}

void gw_exec_approval_expired(void *user, const struct gw_approval *a) {
    gw_exec_approval_tell_end(user, a);
}
