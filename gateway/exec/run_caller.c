#include "gateway/exec/run_caller.h"

#include "gateway/conn/conn.h"
#include "lib/base/mem.h"
#include "lib/protocol/limits.h"
#include "lib/protocol/scopes.h"

#include <string.h>

enum { MAX_NAME = 64 };

const char *gw_run_actor(const struct gw_conn *c) {
    return c->party->name;
}

static void put_cut(cJSON *o, const char *key, const char *text, size_t max) {
    if (text && !oc_str_blank(text)) {
        OC_AUTO_FREE char *shown = oc_printable(text, strlen(text), max);
        oc_json_set_str(o, key, shown);
    }
}

static void put_shown(cJSON *o, const char *key, const char *text) {
    put_cut(o, key, text, MAX_NAME);
}

cJSON *gw_run_caller(const struct gw_conn *c) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "auth", c->device_id ? "device" : "shared-secret");
    put_cut(o, "deviceId", c->device_id, OC_MAX_AUDIT_TEXT);
    put_cut(o, "client", c->client.id, OC_MAX_AUDIT_TEXT);
    put_cut(o, "mode", c->client.mode, OC_MAX_AUDIT_TEXT);
    put_cut(o, "name", c->client.display_name, OC_MAX_AUDIT_TEXT);
    put_cut(o, "role", c->role, OC_MAX_AUDIT_TEXT);
    oc_json_set_strv(o, "scopes", &c->scopes);
    put_cut(o, "ip", c->from.ip, OC_MAX_AUDIT_TEXT);
    return o;
}

cJSON *gw_run_vouch(const struct gw_conn *c, const struct gw_node *node, const char *command) {
    /* Nodes of ours; the published request has no such member. */
    if (!node || !oc_starts_with(command, "system.run") ||
            !oc_strv_has(&node->declared, "system.runs.list")) {
        return NULL;
    }
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "id", gw_run_actor(c));
    put_shown(o, "name", c->client.display_name);
    put_shown(o, "client", c->client.id);
    oc_json_set_bool(o, "admin", oc_strv_has(&c->scopes, OC_SCOPE_ADMIN));
    return o;
}
