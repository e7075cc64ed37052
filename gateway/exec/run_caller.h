/* Who a run belongs to, as the gateway knows it and a node is told. */
#ifndef GATEWAY_EXEC_RUN_CALLER_H
#define GATEWAY_EXEC_RUN_CALLER_H

#include "gateway/nodes/nodes.h"
#include "lib/json/json.h"

struct gw_conn;

/* A device is itself; everyone who only knows the shared secret is its owner. */
const char *gw_run_actor(const struct gw_conn *c);
/* {"auth": device|shared-secret, "deviceId"?, "client"?, "mode"?, "name"?, "role"?, "scopes",
 * "ip"?} for the audit and for those who decide. Client, mode and name are what it calls itself.
 * Caller deletes. */
cJSON *gw_run_caller(const struct gw_conn *c);
/* {"id","name"?,"client"?,"admin"}: what a node is told of whoever calls a command about runs. NULL
 * for other commands, and for nodes that would not know what to do with it. Caller deletes. */
cJSON *gw_run_vouch(const struct gw_conn *c, const struct gw_node *node, const char *command);

#endif
