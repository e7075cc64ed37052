/* What people at nodes ask of an agent: the node event agent.request, for instance of a button on a
 * canvas. This gateway runs no agent itself; it hands the request to every operator that listens
 * (agent.requests.listen), and says when there is none. */
#ifndef GATEWAY_CANVAS_AGENT_REQUESTS_H
#define GATEWAY_CANVAS_AGENT_REQUESTS_H

#include "lib/json/json.h"

struct gw_conn;

/* NULL: somebody has it. Otherwise why nobody does, as the answer to the node says it. */
const char *gw_agent_request_take(struct gw_conn *from, const cJSON *payload);

#endif
