#include "node/declare/reports.h"

#include "lib/base/mem.h"
#include "lib/net/watch/watch.h"
#include "lib/protocol/connect.h"

enum {
    SETTLE_MS = 100,
};

struct nd_reports {
    struct nd_uplink *uplink;
    struct nd_permissions_of of;
    struct oc_watch *watch; /* exec-approvals.json, consent.json */
    cJSON *told;            /* the permissions the gateway has heard of */
    bool is_up;
};

static void send_event(struct nd_reports *r, const char *event, cJSON *take_payload) {
    OC_AUTO_JSON cJSON *payload = take_payload;
    OC_AUTO_FREE char *text = oc_json_print(payload, false);
    cJSON *params = cJSON_CreateObject();
    oc_json_set_str(params, "event", event);
    oc_json_set_str(params, "payloadJSON", text);
    nd_uplink_request(r->uplink, "node.event", params);
}

void nd_reports_check(struct nd_reports *r) {
    OC_AUTO_JSON cJSON *now = nd_permissions(&r->of);
    if (!now || !r->is_up || cJSON_Compare(now, r->told, true)) {
        return;
    }
    cJSON *payload = cJSON_CreateObject();
    oc_json_set(payload, "permissions", cJSON_Duplicate(now, true));
    send_event(r, OC_EVENT_NAME_PERMISSIONS, payload);
    cJSON_Delete(r->told);
    r->told = oc_take(&now);
}

static void on_rules_changed(void *user) {
    nd_reports_check(user);
}

struct nd_reports *nd_reports_create(struct nd_uplink *uplink, const struct nd_permissions_of *of) {
    struct nd_reports *r = oc_new(struct nd_reports);
    r->uplink = uplink;
    r->of = *of;
    OC_AUTO_STRV struct oc_strv files = { 0 };
    oc_strv_add(&files, of->machine->approvals_path);
    if (of->machine->switches_path) {
        oc_strv_add(&files, of->machine->switches_path);
    }
    r->watch = oc_watch_create(of->machine->loop, &(struct oc_watch_opts){ .files = &files,
                                                          .settle_ms = SETTLE_MS,
                                                          .on_change = on_rules_changed,
                                                          .user = r });
    return r;
}

void nd_reports_destroy(struct nd_reports *r) {
    if (!r) {
        return;
    }
    oc_watch_destroy(r->watch);
    cJSON_Delete(r->told);
    oc_free(r);
}

cJSON *nd_reports_permissions(struct nd_reports *r) {
    r->is_up = false;
    cJSON_Delete(r->told);
    r->told = nd_permissions(&r->of);
    return r->told ? cJSON_Duplicate(r->told, true) : NULL;
}

void nd_reports_connected(struct nd_reports *r) {
    r->is_up = true;
    nd_reports_check(r); /* while we were connecting */
}
