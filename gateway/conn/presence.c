#include "gateway/conn/presence.h"

#include "lib/base/list.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/identity/identity.h"
#include "lib/protocol/limits.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define GONE_TTL_MS 300000

struct presence_entry {
    struct oc_list link; /* gw_presence.by_age */
    char *key, *conn_id;
    cJSON *doc; /* wire shape */
    bool is_gone;
    int64_t at_ms; /* monotonic, of the last change */
};

struct gw_presence {
    const struct oc_clock *clock;
    struct oc_map *by_key;
    struct oc_list by_age; /* entry.link, oldest change first */
    int64_t version;
    char host[256];
    struct utsname os;
};

struct gw_presence *gw_presence_create(const struct oc_clock *clock) {
    struct gw_presence *p = oc_new(struct gw_presence);
    p->clock = clock;
    p->by_key = oc_map_create();
    oc_list_init(&p->by_age);
    p->version = 1;
    if (gethostname(p->host, sizeof(p->host) - 1) != 0) {
        snprintf(p->host, sizeof(p->host), "gateway");
    }
    if (uname(&p->os) != 0) {
        snprintf(p->os.sysname, sizeof(p->os.sysname), "unknown");
    }
    return p;
}

static void presence_drop(struct gw_presence *p, struct presence_entry *e) {
    oc_map_remove(p->by_key, e->key);
    oc_list_remove(&e->link);
    cJSON_Delete(e->doc);
    oc_free(e->key);
    oc_free(e->conn_id);
    oc_free(e);
}

void gw_presence_destroy(struct gw_presence *p) {
    if (!p) {
        return;
    }
    while (!oc_list_empty(&p->by_age)) {
        presence_drop(p, oc_list_first(&p->by_age, struct presence_entry, link));
    }
    oc_map_destroy(p->by_key);
    oc_free(p);
}

static void drop_expired(struct gw_presence *p) {
    int64_t now = oc_mono_ms(p->clock);
    struct presence_entry *e, *next;
    oc_list_for_each_safe(e, next, &p->by_age, link) {
        if (e->is_gone && now - e->at_ms >= GONE_TTL_MS) {
            presence_drop(p, e);
        }
    }
}

static void make_room(struct gw_presence *p) {
    if (oc_map_count(p->by_key) < OC_MAX_PRESENCE) {
        return;
    }
    struct presence_entry *e;
    oc_list_for_each(e, &p->by_age, link) {
        if (e->is_gone) {
            presence_drop(p, e);
            return;
        }
    }
    presence_drop(p, oc_list_first(&p->by_age, struct presence_entry, link));
}

/* A client chooses its instanceId, but a device proves its id: the first must not pass for the
 * second, or anybody could stand in the place of a device. */
static bool looks_like_device_id(const char *text) {
    return strlen(text) == OC_DEVICE_ID_LEN &&
           strspn(text, "0123456789abcdefABCDEF") == OC_DEVICE_ID_LEN;
}

static const char *key_of(const struct gw_presence_info *i) {
    bool is_instance = i->instance_id && !looks_like_device_id(i->instance_id);
    return i->device_id ? i->device_id : is_instance ? i->instance_id : i->conn_id;
}

static cJSON *presence_describe(
        const struct gw_presence_info *i, const char *reason, int64_t wall_ms) {
    const char *name = i->host ? i->host : i->client_id;
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "host", name);
    oc_json_set_str(o, "ip", i->ip);
    oc_json_set_str(o, "version", i->version);
    oc_json_set_str(o, "platform", i->platform);
    oc_json_set_str(o, "deviceFamily", i->device_family);
    oc_json_set_str(o, "modelIdentifier", i->model_identifier);
    oc_json_set_str(o, "mode", i->mode);
    oc_json_set_str(o, "deviceId", i->device_id);
    cJSON *roles = cJSON_AddArrayToObject(o, "roles");
    cJSON_AddItemToArray(roles, cJSON_CreateString(i->role));
    if (i->scopes && i->scopes->count > 0) {
        oc_json_set_strv(o, "scopes", i->scopes);
    }
    oc_json_set_str(o, "instanceId", key_of(i));
    oc_json_set_str(o, "reason", reason);
    oc_json_set_int(o, "ts", wall_ms);
    OC_AUTO_FREE char *text = oc_strfmt("Node: %s · mode %s", name, i->mode);
    oc_json_set_str(o, "text", text);
    return o;
}

static void presence_touch(struct gw_presence *p, struct presence_entry *e) {
    e->at_ms = oc_mono_ms(p->clock);
    oc_list_remove(&e->link);
    oc_list_append(&p->by_age, &e->link);
    p->version++;
}

static struct presence_entry *presence_add(struct gw_presence *p, const char *key) {
    make_room(p);
    struct presence_entry *e = oc_new(struct presence_entry);
    e->key = oc_strdup(key);
    oc_list_init(&e->link);
    oc_map_put(p->by_key, e->key, e);
    return e;
}

static void presence_change(struct gw_presence *p, struct presence_entry *e,
        const struct gw_presence_info *info, const char *reason) {
    static const char *const said[] = { "lastInputSeconds", "tags" }; /* a connection has none */
    cJSON *doc = presence_describe(info, reason, oc_wall_ms(p->clock));
    for (size_t i = 0; i < OC_COUNT(said); i++) {
        const cJSON *old = oc_json_get(e->doc, said[i]);
        oc_json_set(doc, said[i], old ? cJSON_Duplicate(old, true) : NULL);
    }
    cJSON_Delete(e->doc);
    e->doc = doc;
    presence_touch(p, e);
}

void gw_presence_connected(struct gw_presence *p, const struct gw_presence_info *info) {
    drop_expired(p);
    struct presence_entry *e = oc_map_get(p->by_key, key_of(info));
    if (!e) {
        e = presence_add(p, key_of(info));
    }
    oc_free(e->conn_id);
    e->conn_id = oc_strdup(info->conn_id);
    e->is_gone = false;
    presence_change(p, e, info, "connect");
}

bool gw_presence_disconnected(struct gw_presence *p, const struct gw_presence_info *info) {
    struct presence_entry *e = oc_map_get(p->by_key, key_of(info));
    if (!e || !oc_streq(e->conn_id, info->conn_id)) {
        return false;
    }
    e->is_gone = true;
    presence_change(p, e, info, "disconnect");
    return true;
}

/* Whose entry this is about. */
static char *said_key(const cJSON *fields) {
    static const char *const keys[] = { "deviceId", "instanceId", "host", "ip", "text" };
    const char *found = NULL;
    for (size_t i = 0; i < OC_COUNT(keys) && !found; i++) {
        found = oc_json_get_str(fields, keys[i]);
    }
    OC_AUTO_FREE char *copy = oc_strdup(found ? found : "");
    char *key = oc_trim(copy);
    oc_ascii_lower(key);
    return oc_strdup(key);
}

/* Roles and scopes add up: one device may be here several times. */
static void merge_list(cJSON *doc, const cJSON *list) {
    OC_AUTO_STRV struct oc_strv all = { 0 };
    oc_json_get_strv(doc, list->string, &all);
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, list) {
        if (all.count < OC_MAX_SCOPES) {
            oc_strv_add_unique(&all, item->valuestring);
        }
    }
    oc_json_set_strv(doc, list->string, &all);
}

void gw_presence_said(struct gw_presence *p, const cJSON *fields) {
    drop_expired(p);
    OC_AUTO_FREE char *key = said_key(fields);
    const char *instance = oc_json_get_str(fields, "instanceId");
    struct presence_entry *e = oc_map_get(p->by_key, key);
    if (!e && instance) { /* of a connection: as it wrote it */
        e = oc_map_get(p->by_key, instance);
    }
    if (!e) {
        e = presence_add(p, key);
        e->is_gone = true; /* nobody will say that it has left */
        e->doc = cJSON_CreateObject();
    }
    const cJSON *field = NULL;
    oc_json_for_each_member(field, fields) {
        if (oc_streq(field->string, "roles") || oc_streq(field->string, "scopes")) {
            merge_list(e->doc, field);
        } else {
            oc_json_set(e->doc, field->string, cJSON_Duplicate(field, true));
        }
    }
    oc_json_set_int(e->doc, "ts", oc_wall_ms(p->clock));
    presence_touch(p, e);
}

static cJSON *describe_self(const struct gw_presence *p) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "host", p->host);
    oc_json_set_str(o, "version", OC_VERSION);
    OC_AUTO_FREE char *platform = oc_strfmt("%s %s", p->os.sysname, p->os.release);
    platform[0] = (char)(platform[0] | 0x20);
    oc_json_set_str(o, "platform", platform);
    oc_json_set_str(o, "deviceFamily", p->os.sysname);
    oc_json_set_str(o, "modelIdentifier", p->os.machine);
    oc_json_set_str(o, "mode", "gateway");
    oc_json_set_str(o, "reason", "self");
    OC_AUTO_FREE char *text =
            oc_strfmt("Gateway: %s · app %s · mode gateway · reason self", p->host, OC_VERSION);
    oc_json_set_str(o, "text", text);
    oc_json_set_int(o, "ts", oc_wall_ms(p->clock));
    return o;
}

cJSON *gw_presence_list(struct gw_presence *p) {
    drop_expired(p);
    cJSON *all = cJSON_CreateArray();
    cJSON_AddItemToArray(all, describe_self(p));
    for (struct oc_list *l = p->by_age.prev; l != &p->by_age; l = l->prev) {
        struct presence_entry *e = OC_CONTAINER(l, struct presence_entry, link);
        cJSON_AddItemToArray(all, cJSON_Duplicate(e->doc, true));
    }
    return all;
}

int64_t gw_presence_version(const struct gw_presence *p) {
    return p->version;
}
