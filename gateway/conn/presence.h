/* Who is here: the gateway itself, then clients, newest change first. Bounded; those who left stay
 * visible for 5 minutes. */
#ifndef GATEWAY_CONN_PRESENCE_H
#define GATEWAY_CONN_PRESENCE_H

#include "lib/base/clock.h"
#include "lib/base/str.h"
#include "lib/json/json.h"

struct gw_presence;

struct gw_presence *gw_presence_create(const struct oc_clock *clock);
void gw_presence_destroy(struct gw_presence *p);

/* What is shown of a client. NULL strings are left out. Copied. */
struct gw_presence_info {
    const char *conn_id; /* which connection this is about */
    const char *device_id, *instance_id, *host, *client_id, *ip, *version, *platform,
            *device_family, *model_identifier, *mode, *role;
    const struct oc_strv *scopes;
};
/* Devices are shown once: a newer connection takes the entry over. */
void gw_presence_connected(struct gw_presence *p, const struct gw_presence_info *info);
/* False when nothing changed: the entry is gone or belongs to a newer connection. */
bool gw_presence_disconnected(struct gw_presence *p, const struct gw_presence_info *info);

/* What a client says about itself (gateway/conn/beacon.h), merged into the entry of its device or
 * instance, else of its host. An entry nobody is connected for goes five minutes after the last
 * word. */
void gw_presence_said(struct gw_presence *p, const cJSON *fields);

cJSON *gw_presence_list(struct gw_presence *p); /* array */
int64_t gw_presence_version(const struct gw_presence *p);

#endif
