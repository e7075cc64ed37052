#include "gateway/nodes/node_entry.h"

#include "gateway/nodes/gates.h"
#include "gateway/nodes/roster.h"
#include "gateway/origin/client.h"
#include "gateway/origin/locality.h"
#include "gateway/pairing/surface.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/json/json.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum detail {
    BRIEF,  /* no PATH, permissions or gates */
    NORMAL, /* gates only when one of them is shut */
    FULL,
};

/* Members after the first: every entry begins with one that is always there. */
static void put_str(struct oc_buf *b, const char *key, const char *value) {
    if (value) {
        oc_buf_printf(b, ",\"%s\":", key);
        oc_json_append_string(b, value, strlen(value));
    }
}

/* A node chooses its own name; one that the owner gave is marked. */
static void put_name(struct oc_buf *b, const char *name, bool is_given) {
    put_str(b, "displayName", name);
    put_str(b, "displayNameSource", name && is_given ? "owner" : NULL);
}

static void put_ms(struct oc_buf *b, const char *key, int64_t ms) {
    if (ms > 0) {
        oc_buf_printf(b, ",\"%s\":%lld", key, (long long)ms);
    }
}

static void put_strv(struct oc_buf *b, const char *key, const struct oc_strv *v) {
    oc_buf_printf(b, ",\"%s\":[", key);
    for (size_t i = 0; i < v->count; i++) {
        if (i > 0) {
            oc_buf_putc(b, ',');
        }
        oc_json_append_string(b, v->items[i], strlen(v->items[i]));
    }
    oc_buf_putc(b, ']');
}

static void put_json(struct oc_buf *b, const char *key, const cJSON *value) {
    oc_buf_printf(b, ",\"%s\":", key);
    oc_json_append(b, value, false);
}

static void put_pending(
        const struct gw_node_records *recs, const struct gw_node *n, struct oc_buf *b) {
    OC_AUTO_STRV struct oc_strv allowed = { 0 };
    gw_policy_filter(recs->policy, n->platform_class, &n->declared, &allowed);
    put_str(b, "pendingRequestId", n->pending_request_id);
    put_strv(b, "pendingDeclaredCaps", &n->declared_caps);
    put_strv(b, "pendingDeclaredCommands", &allowed);
}

static void put_connected(const struct gw_node_records *recs, const struct gw_node *n,
        enum detail detail, struct oc_buf *b) {
    const struct gw_conn_client *c = n->client;
    put_name(b, n->display_name, n->is_named_by_owner);
    put_str(b, "platform", c->platform);
    put_str(b, "version", c->version);
    put_str(b, "clientId", c->id);
    put_str(b, "clientMode", c->mode);
    put_str(b, "deviceFamily", c->device_family);
    put_str(b, "modelIdentifier", c->model_identifier);
    put_str(b, "remoteIp", n->from->is_loopback ? NULL : n->from->ip);
    put_strv(b, "caps", &n->caps);
    put_strv(b, "commands", &n->commands);
    if (detail != BRIEF) {
        put_str(b, "pathEnv", c->path_env);
    }
    if (detail != BRIEF && n->permissions) {
        put_json(b, "permissions", n->permissions);
    }
    put_str(b, "approvalState", gw_node_approval_state(n));
    if (n->pending_request_id) {
        put_pending(recs, n, b);
    }
    if (detail != BRIEF && n->host_stats) {
        put_json(b, "hostStats", n->host_stats);
    }
    put_ms(b, "connectedAtMs", n->connected_at_ms);
    put_ms(b, "lastConnectedAtMs", n->connected_at_ms);
    put_ms(b, "approvedAtMs", n->approved_at_ms);
    oc_buf_puts(b, ",\"paired\":true,\"connected\":true");
    if (detail == FULL || (detail == NORMAL && !gw_gates_all_open(n))) {
        oc_buf_puts(b, ",\"gates\":");
        gw_gates_put(b, n, recs->policy, detail == FULL);
    }
}

/* What an absent node declared last: what was approved, and what it asked for since. */
static void put_offline_gates(
        const struct gw_node_records *recs, const struct gw_known_node *k, struct oc_buf *b) {
    OC_AUTO_JSON cJSON *record = NULL, *request = NULL;
    struct oc_error err;
    bool is_known = gw_surface_node(recs->surface, k->id, &record, &err) == OC_OK;
    bool is_waiting = gw_surface_request_of(recs->surface, k->id, &request, &err) == OC_OK;
    if (!is_known && !is_waiting) {
        return;
    }
    enum gw_platform_class class = gw_platform_classify(k->platform, k->device_family);
    OC_AUTO_STRV struct oc_strv approved = { 0 }, all = { 0 };
    if (k->approved_at_ms > 0) {
        oc_json_get_strv(record, "commands", &approved);
    }
    oc_json_get_strv(request, "commands", &all);
    for (size_t i = 0; i < approved.count; i++) {
        oc_strv_add_unique(&all, approved.items[i]);
    }
    oc_strv_sort_unique(&all);
    oc_buf_puts(b, ",\"gates\":{");
    for (size_t i = 0; i < all.count; i++) {
        struct gw_command_gates gates = {
            .declared = true,
            .approved = oc_strv_has(&approved, all.items[i]),
            .policy = gw_policy_allows(recs->policy, class, all.items[i]),
        };
        if (i > 0) {
            oc_buf_putc(b, ',');
        }
        gw_gates_put_offline(b, all.items[i], &gates);
    }
    oc_buf_putc(b, '}');
}

static void put_offline(const struct gw_node_records *recs, const struct gw_known_node *k,
        enum detail detail, struct oc_buf *b) {
    put_name(b, k->display_name, k->is_named_by_owner);
    put_str(b, "platform", k->platform);
    put_str(b, "version", k->version);
    put_str(b, "clientId", k->client_id);
    put_str(b, "clientMode", k->client_mode);
    put_str(b, "deviceFamily", k->device_family);
    put_str(b, "remoteIp", k->remote_ip);
    oc_buf_puts(b, ",\"caps\":[],\"commands\":[]");
    put_str(b, "approvalState", k->approved_at_ms > 0 ? "approved" : "pending-approval");
    put_ms(b, "lastConnectedAtMs", k->last_connected_ms);
    put_ms(b, "approvedAtMs", k->approved_at_ms);
    oc_buf_puts(b, ",\"paired\":true,\"connected\":false");
    if (detail == FULL) {
        put_offline_gates(recs, k, b);
    }
}

static void put_seen(const struct gw_node_records *recs, const char *id, struct oc_buf *b) {
    const struct gw_known_node *k = gw_roster_find(recs->roster, id);
    if (k && k->seen_reason) {
        put_ms(b, "lastSeenAtMs", k->seen_ms);
        put_str(b, "lastSeenReason", k->seen_reason);
    }
}

/* One of both is set. */
struct entry_row {
    const struct gw_node *node;
    const struct gw_known_node *known;
    const char *id, *name;
};

static int by_rank(const void *a, const void *b) {
    const struct entry_row *x = a, *y = b;
    if ((x->node == NULL) != (y->node == NULL)) {
        return x->node ? -1 : 1;
    }
    int order = strcasecmp(x->name, y->name);
    return order != 0 ? order : strcmp(x->id, y->id);
}

static size_t node_entry_collect(const struct gw_node_records *recs, struct entry_row *rows) {
    size_t n = 0, pos = 0;
    for (const struct gw_node *c; (c = gw_nodes_next(recs->live, &pos)) != NULL;) {
        rows[n++] = (struct entry_row){
            .node = c, .id = c->id, .name = c->display_name ? c->display_name : c->id
        };
    }
    pos = 0;
    for (const struct gw_known_node *k; (k = gw_roster_next(recs->roster, &pos)) != NULL;) {
        if (!gw_nodes_find(recs->live, k->id)) {
            rows[n++] = (struct entry_row){
                .known = k, .id = k->id, .name = k->display_name ? k->display_name : k->id
            };
        }
    }
    qsort(rows, n, sizeof(rows[0]), by_rank);
    return n;
}

static void put_row(const struct gw_node_records *recs, const struct entry_row *r,
        enum detail detail, struct oc_buf *b) {
    if (r->node) {
        put_connected(recs, r->node, detail, b);
    } else {
        put_offline(recs, r->known, detail, b);
    }
    put_seen(recs, r->id, b);
}

static void put_all(const struct gw_node_records *recs, const struct entry_row *rows, size_t n,
        enum detail detail, struct oc_buf *b) {
    oc_buf_printf(b, "{\"ts\":%lld,\"nodes\":[", (long long)oc_wall_ms(recs->clock));
    for (size_t i = 0; i < n && !b->failed; i++) {
        oc_buf_printf(b, "%s{\"nodeId\":", i > 0 ? "," : "");
        oc_json_append_string(b, rows[i].id, strlen(rows[i].id));
        put_row(recs, &rows[i], detail, b);
        oc_buf_putc(b, '}');
    }
    oc_buf_puts(b, "]}");
}

void gw_node_entries_put(const struct gw_node_records *recs, struct oc_buf *ret) {
    OC_AUTO_FREE struct entry_row *rows = oc_new_array(
            struct entry_row, gw_nodes_count(recs->live) + gw_roster_count(recs->roster) + 1);
    size_t n = node_entry_collect(recs, rows);
    put_all(recs, rows, n, NORMAL, ret);
    if (ret->failed) {
        size_t max_bytes = ret->max_bytes;
        oc_buf_finish(ret);
        *ret = OC_BUF_INIT(max_bytes);
        put_all(recs, rows, n, BRIEF, ret);
    }
}

enum oc_code gw_node_entry_put(const struct gw_node_records *recs, const char *node_id,
        struct oc_buf *ret, struct oc_error *err) {
    struct entry_row r = {
        .node = gw_nodes_find(recs->live, node_id),
        .known = gw_roster_find(recs->roster, node_id),
        .id = node_id,
    };
    if (!r.node && !r.known) {
        return oc_fail_cause(err, OC_E_INVALID, OC_CAUSE_UNKNOWN_NODE, "unknown nodeId");
    }
    oc_buf_printf(ret, "{\"ts\":%lld", (long long)oc_wall_ms(recs->clock));
    put_str(ret, "nodeId", node_id);
    put_row(recs, &r, FULL, ret);
    oc_buf_putc(ret, '}');
    return OC_OK;
}
