/* The documents that describe the gateway as a whole. It runs no agents, so those lists are
 * empty. */
#ifndef GATEWAY_HEALTH_H
#define GATEWAY_HEALTH_H

#include "lib/json/json.h"

struct gw_gateway;

cJSON *gw_health_build(const struct gw_gateway *gw);
cJSON *gw_status_build(const struct gw_gateway *gw);

#endif
