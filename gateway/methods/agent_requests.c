/* agent.requests.listen: from now on this connection hears what people at nodes ask of an agent
 * (event agent.requested). Ours; the reference runs the agent itself. */
#include "gateway/conn/conn.h"
#include "gateway/methods/methods.h"

void gw_method_agent_requests_listen(const struct gw_call *call) {
    call->conn->hears_agent_requests = true;
    cJSON *o = cJSON_CreateObject();
    oc_json_set_bool(o, "ok", true);
    gw_call_ok(call, o);
}
