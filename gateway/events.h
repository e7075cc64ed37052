/* Events to connections: one, or all that may see them. */
#ifndef GATEWAY_EVENTS_H
#define GATEWAY_EVENTS_H

#include "lib/base/str.h"
#include "lib/json/json.h"

#include <stdbool.h>

struct oc_conn;
struct oc_gateway;

enum oc_event {
#define OC_EVENT(id, name, audience, droppable) OC_EVENT_##id,
#include "gateway/events.def"
#undef OC_EVENT
    OC_EVENT_COUNT,
};

const char *oc_event_name(enum oc_event e);
/* Broadcasts of this event reach a connection with this role and these scopes. */
bool oc_event_visible(enum oc_event e, const char *role, const struct oc_strv *scopes);

/* A client that cannot keep up misses droppable events and is closed otherwise (1008, slow consumer). */
void oc_event_broadcast(struct oc_gateway *gw, enum oc_event e, cJSON *take_payload);
void oc_event_send(struct oc_conn *c, enum oc_event e, cJSON *take_payload);

#endif
