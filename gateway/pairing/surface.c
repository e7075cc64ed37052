#include "gateway/pairing/surface.h"

#include "gateway/pairing/node_requests.h"
#include "gateway/pairing/pairing_priv.h"
#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/base/utf8.h"
#include "lib/log/log.h"
#include "lib/protocol/limits.h"
#include "lib/protocol/scopes.h"

#include <string.h>

struct gw_surface {
    struct gw_store *store;
    const struct oc_clock *clock;
};

struct gw_surface *gw_surface_create(struct gw_store *store, const struct oc_clock *clock) {
    struct gw_surface *s = oc_new(struct gw_surface);
    s->store = store;
    s->clock = clock;
    return s;
}

void gw_surface_destroy(struct gw_surface *s) {
    oc_free(s);
}

void gw_surface_outcome_finish(struct gw_surface_outcome *o) {
    oc_strv_finish(&o->caps);
    oc_strv_finish(&o->commands);
    cJSON_Delete(o->request);
    *o = (struct gw_surface_outcome){ 0 };
}

/* Commands that run, read or write on the host by themselves, and all whose names go on from there.
 */
static bool executes_on_host(const char *command) {
    static const char *const beginnings[] = { "system.run", "system.which", "system.execApprovals.",
        "browser.proxy", "fs.", "file.", "dir.", "terminal.", "agent.cli.", "mcp.tools.call",
        "computer.", "desktop." };
    for (size_t i = 0; i < OC_COUNT(beginnings); i++) {
        if (oc_starts_with(command, beginnings[i])) {
            return true;
        }
    }
    return false;
}

void gw_surface_required_scopes(const struct oc_strv *commands, struct oc_strv *ret) {
    bool needs_admin = false;
    for (size_t i = 0; i < commands->count; i++) {
        needs_admin = needs_admin || executes_on_host(commands->items[i]);
    }
    oc_strv_add(ret, OC_SCOPE_PAIRING);
    if (needs_admin) {
        oc_strv_add(ret, OC_SCOPE_ADMIN);
    } else if (commands->count > 0) {
        oc_strv_add(ret, OC_SCOPE_WRITE);
    }
}

static bool is_approved(const cJSON *node) {
    return oc_json_get(node, "approvedAtMs") != NULL;
}

/* By rename: it stays, whatever the node calls itself. */
static bool is_given_a_name(const cJSON *node) {
    return oc_json_get_str(node, "displayNameSource") != NULL;
}

static enum oc_code put_node(struct gw_surface *s, const cJSON *node, struct oc_error *err) {
    return gw_store_put(s->store, GW_NODES, oc_json_get_str(node, "nodeId"), NULL, node, err);
}

/* NULL without an error when there is none. */
static enum oc_code find_node(
        struct gw_surface *s, const char *node_id, cJSON **ret, struct oc_error *err) {
    enum oc_code rc = gw_store_get(s->store, GW_NODES, node_id, ret, err);
    return rc == OC_E_NOT_FOUND ? OC_OK : rc;
}

static cJSON *new_node(const char *node_id, int64_t now_ms) {
    cJSON *node = cJSON_CreateObject();
    oc_json_set_str(node, "nodeId", node_id);
    oc_json_set(node, "caps", cJSON_CreateArray());
    oc_json_set(node, "commands", cJSON_CreateArray());
    oc_json_set_int(node, "createdAtMs", now_ms);
    return node;
}

/* Takes over what a node says about itself. */
static void surface_tell(cJSON *node, const cJSON *from) {
    static const char *const told[] = { "clientId", "clientMode", "platform", "version",
        "deviceFamily", "remoteIp" };
    for (size_t i = 0; i < OC_COUNT(told); i++) {
        gw_doc_copy(node, from, told[i]);
    }
    if (!is_given_a_name(node)) {
        gw_doc_copy(node, from, "displayName");
    }
}

static cJSON *surface_describe(const struct gw_surface_claim *claim) {
    cJSON *d = cJSON_CreateObject();
    oc_json_set_str(d, "nodeId", claim->node_id);
    oc_json_set_str(d, "clientId", claim->client_id);
    oc_json_set_str(d, "clientMode", claim->client_mode);
    oc_json_set_str(d, "displayName", claim->display_name);
    oc_json_set_str(d, "platform", claim->platform);
    oc_json_set_str(d, "version", claim->version);
    oc_json_set_str(d, "deviceFamily", claim->device_family);
    oc_json_set_str(d, "remoteIp", claim->remote_ip);
    return d;
}

static cJSON *build_request(const cJSON *described, const cJSON *node, const struct oc_strv *caps,
        const struct oc_strv *commands, int64_t now_ms) {
    char id[OC_UUID_LEN + 1];
    oc_uuid4(id);
    cJSON *request = cJSON_CreateObject();
    oc_json_set_str(request, "requestId", id);
    gw_doc_copy(request, described, "nodeId");
    surface_tell(request, described);
    if (is_given_a_name(node)) {
        gw_doc_copy(request, node, "displayName");
    }
    oc_json_set_strv(request, "caps", caps);
    oc_json_set_strv(request, "commands", commands);
    OC_AUTO_STRV struct oc_strv scopes = { 0 };
    gw_surface_required_scopes(commands, &scopes);
    oc_json_set_strv(request, "requiredApproveScopes", &scopes);
    oc_json_set_int(request, "ts", now_ms);
    return request;
}

static bool asks_the_same(const cJSON *a, const cJSON *b) {
    return cJSON_Compare(oc_json_get(a, "caps"), oc_json_get(b, "caps"), true) &&
           cJSON_Compare(oc_json_get(a, "commands"), oc_json_get(b, "commands"), true);
}

static bool asks_for_more(const cJSON *old, const cJSON *request) {
    return !oc_json_strv_covers(old, request, "commands") ||
           !oc_json_strv_covers(old, request, "caps");
}

/* Instead of what the node asked for before: both happen, or none. */
static enum oc_code replace_request(
        struct gw_surface *s, const char *node_id, const cJSON *request, struct oc_error *err) {
    enum oc_code rc = gw_store_begin(s->store, err);
    if (rc != OC_OK) {
        return rc;
    }
    rc = gw_store_delete_owned(s->store, GW_NODE_REQUESTS, node_id, err);
    if (rc == OC_OK) {
        rc = gw_store_put(s->store, GW_NODE_REQUESTS, oc_json_get_str(request, "requestId"),
                node_id, request, err);
    }
    return gw_store_end(s->store, rc, err);
}

/* One request per node: what is declared now replaces what was declared before. The id a person has
 * read stays good only for what they have read: a wider declaration gets a new one. may_refresh:
 * also write down a new name or version, which is no news. */
static enum oc_code surface_ask(struct gw_surface *s, cJSON *take_request, bool may_refresh,
        struct gw_surface_outcome *o, struct oc_error *err) {
    OC_AUTO_JSON cJSON *request = take_request;
    OC_AUTO_JSON cJSON *old = NULL;
    const char *node_id = oc_json_get_str(request, "nodeId");
    enum oc_code rc = gw_store_get_by_owner(s->store, GW_NODE_REQUESTS, node_id, &old, err);
    if (rc != OC_OK && rc != OC_E_NOT_FOUND) {
        return rc;
    }
    bool is_news = !old || !asks_the_same(old, request);
    if (!is_news) {
        gw_doc_copy(request, old, "ts");
    }
    if (!old || !asks_for_more(old, request)) {
        gw_doc_copy(request, old, "requestId");
    }
    if (!is_news && (!may_refresh || cJSON_Compare(old, request, true))) {
        o->request = oc_take(&old);
        return OC_OK;
    }
    rc = replace_request(s, node_id, request, err);
    if (rc == OC_OK) {
        o->request = oc_take(&request);
        o->is_new_request = is_news;
    }
    return rc;
}

static void keep_common(
        struct oc_strv *ret, const struct oc_strv *declared, const struct oc_strv *approved) {
    for (size_t i = 0; i < declared->count; i++) {
        if (oc_strv_has(approved, declared->items[i])) {
            oc_strv_add_unique(ret, declared->items[i]);
        }
    }
}

static void read_approved(const cJSON *node, struct oc_strv *caps, struct oc_strv *commands) {
    if (is_approved(node)) {
        oc_json_get_strv(node, "caps", caps);
        oc_json_get_strv(node, "commands", commands);
    }
}

/* A request is no longer needed. Nothing is written when there is none, which is every connect but
 * one. */
static enum oc_code drop_request_of(
        struct gw_surface *s, const char *node_id, struct oc_error *err) {
    OC_AUTO_JSON cJSON *request = NULL;
    enum oc_code rc = gw_store_get_by_owner(s->store, GW_NODE_REQUESTS, node_id, &request, err);
    if (rc == OC_OK) {
        rc = gw_store_delete_owned(s->store, GW_NODE_REQUESTS, node_id, err);
    }
    return rc == OC_E_NOT_FOUND ? OC_OK : rc;
}

/* A full disk must not keep a node out. */
static void note_connect(
        struct gw_surface *s, cJSON *node, const cJSON *described, int64_t now_ms) {
    surface_tell(node, described);
    oc_json_set_int(node, "lastConnectedAtMs", now_ms);
    oc_json_set_int(node, "lastSeenAtMs", now_ms);
    oc_json_set_str(node, "lastSeenReason", "connect");
    struct oc_error err;
    if (gw_store_put_soon(s->store, GW_NODES, oc_json_get_str(node, "nodeId"), NULL, node, &err) !=
            OC_OK) {
        oc_log(OC_LOG_WARN, "gateway.surface", "cannot note that a node connected, ignoring: %s",
                err.text);
    }
}

enum oc_code gw_surface_check(struct gw_surface *s, const struct gw_surface_claim *claim,
        struct gw_surface_outcome *ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *node = NULL;
    enum oc_code rc = find_node(s, claim->node_id, &node, err);
    if (rc != OC_OK) {
        return rc;
    }
    int64_t now = oc_wall_ms(s->clock);
    /* A node that flaps must not write at every connect. */
    bool is_due = gw_stamp_is_due(oc_json_get_ms(node, "lastConnectedAtMs", 0), now);
    OC_AUTO_JSON cJSON *described = surface_describe(claim);
    OC_AUTO_STRV struct oc_strv caps = { 0 }, commands = { 0 };
    read_approved(node, &caps, &commands);

    struct gw_surface_outcome outcome = { 0 };
    keep_common(&outcome.commands, claim->commands, &commands);
    outcome.is_approved = oc_strv_covers(&commands, claim->commands);
    if (outcome.is_approved) {
        oc_strv_copy(&outcome.caps, claim->caps);
        rc = drop_request_of(s, claim->node_id, err);
    } else {
        keep_common(&outcome.caps, claim->caps, &caps);
        rc = surface_ask(s, build_request(described, node, claim->caps, claim->commands, now),
                is_due, &outcome, err);
    }
    if (rc != OC_OK) {
        gw_surface_outcome_finish(&outcome);
        return rc;
    }
    if (!node) {
        node = new_node(claim->node_id, now);
    }
    if (is_due) {
        note_connect(s, node, described, now);
    }
    *ret = outcome;
    return OC_OK;
}

static enum oc_code may_approve(
        const struct gw_actor *actor, const struct oc_strv *commands, struct oc_error *err) {
    OC_AUTO_STRV struct oc_strv scopes = { 0 };
    gw_surface_required_scopes(commands, &scopes);
    for (size_t i = 0; i < scopes.count; i++) {
        enum oc_code rc = gw_actor_require(actor, scopes.items[i], err);
        if (rc != OC_OK) {
            return rc;
        }
    }
    return OC_OK;
}

static void mint_token(cJSON *node) {
    uint8_t random[32];
    oc_random(random, sizeof(random));
    OC_AUTO_SECRET char *token = oc_base64url(random, sizeof(random));
    oc_json_set_str(node, "token", token);
}

/* Writes the approval and takes the node's pending request off the table, both or none. from: a
 * surface or a device request. */
static enum oc_code surface_grant(struct gw_surface *s, const char *node_id, const cJSON *from,
        cJSON **ret_node, struct oc_error *err) {
    OC_AUTO_JSON cJSON *node = NULL;
    enum oc_code rc = find_node(s, node_id, &node, err);
    if (rc == OC_OK) {
        rc = gw_store_begin(s->store, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    int64_t now = oc_wall_ms(s->clock);
    if (!node) {
        node = new_node(node_id, now);
    }
    surface_tell(node, from);
    OC_AUTO_STRV struct oc_strv caps = { 0 }, commands = { 0 };
    oc_json_get_strv(from, "caps", &caps);
    oc_json_get_strv(from, "commands", &commands);
    oc_strv_sort_unique(&caps);
    oc_strv_sort_unique(&commands);
    oc_json_set_strv(node, "caps", &caps);
    oc_json_set_strv(node, "commands", &commands);
    oc_json_set_int(node, "approvedAtMs", now);
    mint_token(node);
    rc = put_node(s, node, err);
    if (rc == OC_OK) {
        rc = gw_store_delete_owned(s->store, GW_NODE_REQUESTS, node_id, err);
    }
    rc = gw_store_end(s->store, rc, err);
    if (rc == OC_OK) {
        *ret_node = oc_take(&node);
    }
    return rc;
}

static enum oc_code find_request(
        struct gw_surface *s, const char *request_id, cJSON **ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *request = NULL;
    enum oc_code rc = gw_store_get(s->store, GW_NODE_REQUESTS, request_id, &request, err);
    if (rc == OC_E_NOT_FOUND ||
            (rc == OC_OK && gw_node_request_is_stale(request, oc_wall_ms(s->clock)))) {
        return gw_request_unknown(err);
    }
    if (rc == OC_OK) {
        *ret = oc_take(&request);
    }
    return rc;
}

enum oc_code gw_surface_approve(struct gw_surface *s, const struct gw_actor *actor,
        const char *request_id, cJSON **ret_payload, cJSON **ret_request, struct oc_error *err) {
    OC_AUTO_JSON cJSON *request = NULL;
    OC_AUTO_STRV struct oc_strv commands = { 0 };
    enum oc_code rc = find_request(s, request_id, &request, err);
    if (rc == OC_OK) {
        oc_json_get_strv(request, "commands", &commands);
        rc = may_approve(actor, &commands, err);
    }
    if (rc == OC_OK) {
        rc = gw_actor_may_decide(actor, oc_json_get_str(request, "nodeId"), err);
    }
    cJSON *node = NULL;
    if (rc == OC_OK) {
        rc = surface_grant(s, oc_json_get_str(request, "nodeId"), request, &node, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    cJSON *payload = cJSON_CreateObject();
    oc_json_set_str(payload, "requestId", request_id);
    oc_json_set(payload, "node", node);
    *ret_payload = payload;
    *ret_request = oc_take(&request);
    return OC_OK;
}

enum oc_code gw_surface_preapprove(struct gw_surface *s, const struct gw_actor *actor,
        const cJSON *device_request, cJSON **ret_node, struct oc_error *err) {
    const char *node_id = oc_json_get_str(device_request, "deviceId");
    if (!node_id || !cJSON_IsArray(oc_json_get(device_request, "commands"))) {
        return oc_fail(err, OC_E_INVALID, "the pairing request is not one of a node");
    }
    OC_AUTO_STRV struct oc_strv commands = { 0 };
    oc_json_get_strv(device_request, "commands", &commands);
    enum oc_code rc = may_approve(actor, &commands, err);
    return rc == OC_OK ? surface_grant(s, node_id, device_request, ret_node, err) : rc;
}

enum oc_code gw_surface_reject(struct gw_surface *s, const struct gw_actor *actor,
        const char *request_id, cJSON **ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *request = NULL;
    enum oc_code rc = find_request(s, request_id, &request, err);
    if (rc == OC_OK) {
        rc = gw_actor_may_decide(actor, oc_json_get_str(request, "nodeId"), err);
    }
    if (rc == OC_OK) {
        rc = gw_store_delete(s->store, GW_NODE_REQUESTS, request_id, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    cJSON *payload = cJSON_CreateObject();
    oc_json_set_str(payload, "requestId", request_id);
    oc_json_set_str(payload, "nodeId", oc_json_get_str(request, "nodeId"));
    *ret = payload;
    return OC_OK;
}

enum oc_code gw_surface_remove(
        struct gw_surface *s, const char *node_id, cJSON **ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *node = NULL;
    OC_AUTO_JSON cJSON *request = NULL;
    enum oc_code rc = find_node(s, node_id, &node, err);
    if (rc == OC_OK && !node) {
        rc = gw_store_get_by_owner(s->store, GW_NODE_REQUESTS, node_id, &request, err);
        rc = rc == OC_E_NOT_FOUND
                     ? oc_fail_cause(err, OC_E_INVALID, OC_CAUSE_UNKNOWN_NODE, "unknown nodeId")
                     : rc;
    }
    if (rc == OC_OK) {
        rc = gw_store_begin(s->store, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    rc = gw_store_delete(s->store, GW_NODES, node_id, err);
    if (rc == OC_OK) {
        rc = gw_store_delete_owned(s->store, GW_NODE_REQUESTS, node_id, err);
    }
    rc = gw_store_end(s->store, rc, err);
    if (rc != OC_OK) {
        return rc;
    }
    cJSON *payload = cJSON_CreateObject();
    oc_json_set_str(payload, "nodeId", node_id);
    *ret = payload;
    return OC_OK;
}

static bool is_paired_as_node(const cJSON *device) {
    OC_AUTO_STRV struct oc_strv roles = { 0 };
    gw_device_roles(device, &roles);
    return oc_strv_has(&roles, OC_ROLE_NODE);
}

enum oc_code gw_surface_rename(struct gw_surface *s, const char *node_id, const char *display_name,
        bool by_owner, struct oc_error *err) {
    OC_AUTO_FREE char *copy = oc_strdup(display_name ? display_name : "");
    const char *name = oc_trim(copy);
    if (!*name) {
        return oc_fail(err, OC_E_INVALID, "displayName must not be blank");
    }
    if (strlen(name) > OC_MAX_NAME_BYTES || !oc_utf8_valid(name, strlen(name))) {
        return oc_fail(err, OC_E_INVALID, "displayName must have at most %d bytes of valid UTF-8",
                OC_MAX_NAME_BYTES);
    }
    OC_AUTO_JSON cJSON *node = NULL;
    enum oc_code rc = find_node(s, node_id, &node, err);
    if (rc == OC_OK && !node) {
        OC_AUTO_JSON cJSON *device = NULL;
        rc = gw_store_get(s->store, GW_DEVICES, node_id, &device, err);
        if (rc == OC_E_NOT_FOUND || (rc == OC_OK && !is_paired_as_node(device))) {
            rc = oc_fail_cause(err, OC_E_INVALID, OC_CAUSE_UNKNOWN_NODE, "unknown nodeId");
        }
        node = new_node(node_id, oc_wall_ms(s->clock));
    }
    if (rc != OC_OK) {
        return rc;
    }
    oc_json_set_str(node, "displayName", name);
    oc_json_set_str(node, "displayNameSource", by_owner ? "owner" : "device");
    return put_node(s, node, err);
}

bool gw_surface_verify(struct gw_surface *s, const char *node_id, const char *token) {
    OC_AUTO_JSON cJSON *node = NULL;
    struct oc_error err;
    if (find_node(s, node_id, &node, &err) != OC_OK) {
        oc_log(OC_LOG_ERROR, "gateway.surface", "cannot check a token, refusing it: %s", err.text);
        return false;
    }
    const char *stored = oc_json_get_str(node, "token");
    return stored && *stored && is_approved(node) && oc_secret_equal(stored, token);
}

static void hide_token(cJSON *node) {
    cJSON_DeleteItemFromObjectCaseSensitive(node, "token");
}

enum oc_code gw_surface_list(struct gw_surface *s, cJSON **ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *requests = NULL;
    OC_AUTO_JSON cJSON *nodes = NULL;
    enum oc_code rc = gw_store_all(s->store, GW_NODE_REQUESTS, &requests, err);
    if (rc == OC_OK) {
        rc = gw_store_all(s->store, GW_NODES, &nodes, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    cJSON *paired = cJSON_CreateArray(), *next = NULL;
    for (cJSON *request = requests->child; request; request = next) {
        next = request->next;
        if (gw_node_request_is_stale(request, oc_wall_ms(s->clock))) {
            cJSON_Delete(cJSON_DetachItemViaPointer(requests, request));
        }
    }
    cJSON *payload = cJSON_CreateObject();
    oc_json_set(payload, "pending", gw_docs_newest_first(oc_take(&requests), "ts", "requestId"));
    for (cJSON *node = nodes->child; node; node = next) {
        next = node->next;
        if (is_approved(node)) {
            hide_token(node);
            cJSON_AddItemToArray(paired, cJSON_DetachItemViaPointer(nodes, node));
        }
    }
    oc_json_set(payload, "paired", gw_docs_newest_first(paired, "approvedAtMs", "nodeId"));
    *ret = payload;
    return OC_OK;
}

enum oc_code gw_surface_node(
        struct gw_surface *s, const char *node_id, cJSON **ret, struct oc_error *err) {
    cJSON *node = NULL;
    enum oc_code rc = gw_store_get(s->store, GW_NODES, node_id, &node, err);
    if (rc == OC_OK) {
        hide_token(node);
        *ret = node;
    }
    return rc;
}

enum oc_code gw_surface_request_of(
        struct gw_surface *s, const char *node_id, cJSON **ret, struct oc_error *err) {
    return gw_store_get_by_owner(s->store, GW_NODE_REQUESTS, node_id, ret, err);
}
