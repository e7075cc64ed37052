/* How busy a node's machine is, as newer node hosts report it (node.event node.host.stats). */
#ifndef GATEWAY_NODES_HOST_STATS_H
#define GATEWAY_NODES_HOST_STATS_H

#include "lib/json/json.h"

#include <stdint.h>

/* The report with the time it came, as node.list and the event node.hostStats show it; NULL when it
 * makes no sense. */
cJSON *gw_host_stats_read(const cJSON *payload, int64_t now_ms);

#endif
