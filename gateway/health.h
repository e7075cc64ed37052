/* The documents that describe the gateway as a whole. It runs no agents, so those lists are empty. */
#ifndef GATEWAY_HEALTH_H
#define GATEWAY_HEALTH_H

#include "lib/json/json.h"

struct oc_gateway;

cJSON *oc_health_build(const struct oc_gateway *gw);
cJSON *oc_status_build(const struct oc_gateway *gw);

#endif
