/* Who a run belongs to, as the gateway knows it and a node is told. */
#ifndef GATEWAY_EXEC_RUN_CALLER_H
#define GATEWAY_EXEC_RUN_CALLER_H

#include "gateway/nodes/nodes.h"
#include "lib/json/json.h"

struct oc_conn;

/* A device is itself; everyone who only knows the shared secret is its owner. */
const char *oc_run_actor(const struct oc_conn *c);
/* {"auth": device|shared-secret, "deviceId"?, "client"?, "mode"?, "name"?, "role"?, "scopes", "ip"?} for the audit and for
 * those who decide. Client, mode and name are what it calls itself. Caller deletes. */
cJSON *oc_run_caller(const struct oc_conn *c);
/* {"id","name"?,"client"?,"admin"}: what a node is told of whoever calls a command about runs. NULL for other commands, and
 * for nodes that would not know what to do with it. Caller deletes. */
cJSON *oc_run_vouch(const struct oc_conn *c, const struct oc_node *node, const char *command);

#endif
