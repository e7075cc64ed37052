/* Events to connections: one, or all that may see them. */
#ifndef GATEWAY_CONN_EVENTS_H
#define GATEWAY_CONN_EVENTS_H

#include "lib/base/str.h"
#include "lib/json/json.h"

#include <stdbool.h>

struct gw_conn;
struct gw_conns;

enum gw_event {
#define GW_EVENT(id, name, audience, droppable) GW_EVENT_##id,
#include "gateway/conn/events.def"
#undef GW_EVENT
    GW_EVENT_COUNT,
};

const char *gw_event_name(enum gw_event e);
/* Broadcasts of this event reach a connection with this role and these scopes. */
bool gw_event_visible(enum gw_event e, const char *role, const struct oc_strv *scopes);

/* A client that cannot keep up misses droppable events and is closed otherwise (1008, slow
 * consumer). */
void gw_event_broadcast(struct gw_conns *all, enum gw_event e, cJSON *take_payload);
void gw_event_send(struct gw_conn *c, enum gw_event e, cJSON *take_payload);

#endif
