#include "gateway/nodes/node_work.h"

#include "lib/base/encode.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/protocol/limits.h"

#include <string.h>

#define DEFAULT_TTL_MS 86400000
#define STATUS 0 /* in types */

static const char *const types[] = { "status.request", "location.request" };

struct item {
    bool is_set;
    char id[OC_UUID_LEN + 1];
    bool is_urgent;
    int64_t created_at_ms, expires_at_ms;
};

struct queue {
    int64_t revision;
    struct item items[OC_COUNT(types)]; /* by type */
};

struct gw_node_work {
    const struct oc_clock *clock;
    struct oc_map *by_node; /* struct queue */
};

struct gw_node_work *gw_node_work_create(const struct oc_clock *clock) {
    struct gw_node_work *w = oc_new(struct gw_node_work);
    w->clock = clock;
    w->by_node = oc_map_create();
    return w;
}

void gw_node_work_forget(struct gw_node_work *w, const char *node_id) {
    struct queue *q = oc_map_get(w->by_node, node_id);
    if (q) {
        oc_map_remove(w->by_node, node_id);
        oc_free(q);
    }
}

void gw_node_work_destroy(struct gw_node_work *w) {
    if (!w) {
        return;
    }
    size_t pos = 0;
    const char *key;
    void *value;
    while (oc_map_next(w->by_node, &pos, &key, &value)) {
        oc_free(value);
    }
    oc_map_destroy(w->by_node);
    oc_free(w);
}

static void drop_expired(struct queue *q, int64_t now_ms) {
    for (size_t i = 0; i < OC_COUNT(types); i++) {
        struct item *it = &q->items[i];
        if (it->is_set && it->expires_at_ms <= now_ms) {
            it->is_set = false;
            q->revision++;
        }
    }
}

static bool is_empty(const struct queue *q) {
    bool is_set = false;
    for (size_t i = 0; i < OC_COUNT(types); i++) {
        is_set = is_set || q->items[i].is_set;
    }
    return !is_set;
}

/* The queue of a node, without what has expired; NULL when nothing is left. */
static struct queue *node_work_find(struct gw_node_work *w, const char *node_id) {
    struct queue *q = oc_map_get(w->by_node, node_id);
    if (q) {
        drop_expired(q, oc_wall_ms(w->clock));
    }
    if (q && is_empty(q)) {
        oc_map_remove(w->by_node, node_id);
        oc_free(q);
        q = NULL;
    }
    return q;
}

/* Nodes that never wake do not keep others out for longer than what they were asked lasts. */
static void drop_all_expired(struct gw_node_work *w) {
    OC_AUTO_STRV struct oc_strv ids = { 0 };
    size_t pos = 0;
    const char *key;
    void *value;
    while (oc_map_next(w->by_node, &pos, &key, &value)) {
        oc_strv_add(&ids, key);
    }
    for (size_t i = 0; i < ids.count; i++) {
        (void)node_work_find(w, ids.items[i]);
    }
}

static cJSON *node_work_describe(const struct item *it, const char *type) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "id", it->id);
    oc_json_set_str(o, "type", type);
    oc_json_set_str(o, "priority", it->is_urgent ? "high" : "normal");
    oc_json_set_int(o, "createdAtMs", it->created_at_ms);
    oc_json_set_int(o, "expiresAtMs", it->expires_at_ms);
    return o;
}

static cJSON *describe_baseline(int64_t now_ms) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "id", "baseline-status");
    oc_json_set_str(o, "type", types[STATUS]);
    oc_json_set_str(o, "priority", "default");
    oc_json_set_int(o, "createdAtMs", now_ms);
    cJSON_AddNullToObject(o, "expiresAtMs");
    return o;
}

static struct queue *queue_of(struct gw_node_work *w, const char *node_id, struct oc_error *err) {
    struct queue *q = node_work_find(w, node_id);
    if (!q && oc_map_count(w->by_node) >= OC_MAX_NODE_WORK_QUEUES) {
        drop_all_expired(w);
    }
    if (!q && oc_map_count(w->by_node) >= OC_MAX_NODE_WORK_QUEUES) {
        oc_fail(err, OC_E_UNAVAILABLE, "too many nodes have requests waiting");
    } else if (!q) {
        q = oc_new(struct queue);
        oc_map_put(w->by_node, node_id, q);
    }
    return q;
}

enum oc_code gw_node_work_add(struct gw_node_work *w, const char *node_id, const char *type,
        const char *priority, int64_t expires_in_ms, cJSON **ret, struct oc_error *err) {
    size_t at = 0;
    while (at < OC_COUNT(types) && strcmp(types[at], type) != 0) {
        at++;
    }
    if (at == OC_COUNT(types)) {
        return oc_fail(err, OC_E_INVALID, "at /type: must be equal to one of the allowed values");
    }
    if (priority && strcmp(priority, "normal") != 0 && strcmp(priority, "high") != 0) {
        return oc_fail(
                err, OC_E_INVALID, "at /priority: must be equal to one of the allowed values");
    }
    struct queue *q = queue_of(w, node_id, err);
    if (!q) {
        return OC_E_UNAVAILABLE;
    }
    int64_t now_ms = oc_wall_ms(w->clock);
    struct item *it = &q->items[at];
    if (!it->is_set) {
        *it = (struct item){ .is_set = true,
            .is_urgent = oc_streq(priority, "high"),
            .created_at_ms = now_ms,
            .expires_at_ms = now_ms + (expires_in_ms > 0 ? expires_in_ms : DEFAULT_TTL_MS) };
        oc_uuid4(it->id);
        q->revision++;
    }
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "nodeId", node_id);
    oc_json_set_int(o, "revision", q->revision);
    oc_json_set(o, "queued", node_work_describe(it, types[at]));
    oc_json_set_bool(o, "wakeTriggered", false); /* nothing here can wake a phone */
    *ret = o;
    return OC_OK;
}

/* Urgent before others, then in the order they came. NULL when there is none. */
static struct item *next_item(struct queue *q, const char **ret_type) {
    struct item *best = NULL;
    for (size_t i = 0; q && i < OC_COUNT(types); i++) {
        struct item *it = &q->items[i];
        bool is_better = it->is_set && (!best || it->is_urgent > best->is_urgent ||
                                               (it->is_urgent == best->is_urgent &&
                                                       it->created_at_ms < best->created_at_ms));
        if (is_better) {
            best = it;
            *ret_type = types[i];
        }
    }
    return best;
}

cJSON *gw_node_work_drain(struct gw_node_work *w, const char *node_id, int64_t max_items) {
    struct queue *q = node_work_find(w, node_id);
    bool wants_baseline = !q || !q->items[STATUS].is_set;
    cJSON *items = cJSON_CreateArray();
    const char *type = NULL;
    struct item *it;
    while (cJSON_GetArraySize(items) < max_items && (it = next_item(q, &type)) != NULL) {
        cJSON_AddItemToArray(items, node_work_describe(it, type));
        it->is_set = false;
    }
    if (q && cJSON_GetArraySize(items) > 0) {
        q->revision++;
    }
    if (wants_baseline && cJSON_GetArraySize(items) < max_items) {
        cJSON_AddItemToArray(items, describe_baseline(oc_wall_ms(w->clock)));
        wants_baseline = false;
    }
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "nodeId", node_id);
    oc_json_set_int(o, "revision", q ? q->revision : 0);
    oc_json_set(o, "items", items);
    oc_json_set_bool(o, "hasMore", wants_baseline || next_item(q, &type) != NULL);
    (void)node_work_find(w, node_id); /* an empty one is no longer kept */
    return o;
}
