/* What a client said of itself when it connected. Nothing of it is proven. */
#ifndef GATEWAY_ORIGIN_CLIENT_H
#define GATEWAY_ORIGIN_CLIENT_H

#include "lib/json/json.h"

struct oc_connect; /* lib/protocol/connect.h */

struct gw_conn_client { /* all owned; NULL: it did not say */
    char *id, *mode, *display_name, *version;
    char *platform, *device_family, *model_identifier, *instance_id;
    char *path_env;
    cJSON *permissions; /* of a node; node.event brings newer ones */
};

/* Copies. */
void gw_conn_client_init(struct gw_conn_client *c, const struct oc_connect *in);
void gw_conn_client_finish(struct gw_conn_client *c);

#endif
