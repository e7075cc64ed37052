#include "gateway/conn/events.h"

#include "gateway/conn/conn.h"
#include "gateway/conn/conns.h"
#include "gateway/conn/presence.h"
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/protocol/frame.h"
#include "lib/protocol/limits.h"
#include "lib/protocol/scopes.h"

#include <stdio.h>
#include <string.h>

enum audience { TARGETED, EVERYBODY, OPERATORS, READERS, PAIRING, APPROVALS };

static const struct {
    const char *name;
    enum audience audience;
    bool is_droppable;
} table[] = {
#define GW_EVENT(id, name, audience, droppable) { name, audience, droppable },
#include "gateway/conn/events.def"
#undef GW_EVENT
};

const char *gw_event_name(enum gw_event e) {
    return table[e].name;
}

bool gw_event_visible(enum gw_event e, const char *role, const struct oc_strv *scopes) {
    switch (table[e].audience) {
    case EVERYBODY:
        return true;
    case OPERATORS:
        return oc_streq(role, OC_ROLE_OPERATOR);
    case READERS:
        return oc_streq(role, OC_ROLE_OPERATOR) && oc_scope_held(scopes, OC_SCOPE_READ);
    case PAIRING:
        return oc_streq(role, OC_ROLE_OPERATOR) && oc_scope_held(scopes, OC_SCOPE_PAIRING);
    case APPROVALS:
        return oc_streq(role, OC_ROLE_OPERATOR) && oc_scope_held(scopes, OC_SCOPE_APPROVALS);
    case TARGETED:
        break;
    }
    return false;
}

static bool has_versions(enum gw_event e) {
    return e == GW_EVENT_PRESENCE || e == GW_EVENT_HEALTH;
}

/* The payload is printed once; only head and tail differ between receivers. */
static struct oc_msg *event_msg(
        const struct gw_conns *all, enum gw_event e, struct oc_blob *payload, int64_t seq) {
    struct oc_msg *m = oc_msg_create();
    OC_AUTO_FREE char *head =
            oc_strfmt("{\"type\":\"event\",\"event\":\"%s\",\"payload\":", table[e].name);
    oc_msg_add_text(m, head, strlen(head));
    oc_msg_add_slice(m, payload, (struct oc_slice){ payload->data, payload->len }, OC_PART_RAW);
    char tail[160] = "";
    int n = 0;
    if (seq >= 0) {
        n = snprintf(tail, sizeof(tail), ",\"seq\":%lld", (long long)seq);
    }
    if (has_versions(e)) {
        n += snprintf(tail + n, sizeof(tail) - (size_t)n,
                ",\"stateVersion\":{\"presence\":%lld,\"health\":%lld}",
                (long long)gw_presence_version(all->presence), (long long)all->health_version);
    }
    snprintf(tail + n, sizeof(tail) - (size_t)n, "}");
    oc_msg_add_text(m, tail, strlen(tail));
    return m;
}

static struct oc_blob *print_payload(cJSON *take_payload) {
    OC_AUTO_JSON cJSON *payload = take_payload;
    struct oc_buf b = OC_BUF_INIT(OC_MAX_MESSAGE_BYTES);
    if (oc_json_append(&b, payload, false) != OC_OK) {
        oc_buf_finish(&b);
        return NULL;
    }
    return oc_blob_from_buf(&b);
}

void gw_event_broadcast(struct gw_conns *all, enum gw_event e, cJSON *take_payload) {
    struct oc_blob *payload = print_payload(take_payload);
    if (!payload) {
        return;
    }
    int64_t global_seq = ++all->seq;
    struct gw_conn *c;
    oc_list_for_each(c, &all->list, link) {
        if (c->state != GW_CONN_READY || !gw_event_visible(e, c->role, &c->scopes)) {
            continue;
        }
        /* Protocol 3 counts for all clients together, protocol 4 for each. */
        int64_t seq = c->protocol >= 4 ? ++c->seq : global_seq;
        gw_conn_send(c, event_msg(all, e, payload, seq), table[e].is_droppable);
    }
    oc_blob_unref(payload);
}

void gw_event_send(struct gw_conn *c, enum gw_event e, cJSON *take_payload) {
    struct oc_blob *payload = print_payload(take_payload);
    if (payload) {
        gw_conn_send(c, event_msg(c->all, e, payload, -1), table[e].is_droppable);
        oc_blob_unref(payload);
    }
}
