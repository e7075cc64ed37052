#include "node/host.h"

#include "lib/protocol/limits.h"

#include <inttypes.h>

struct oc_buf oc_node_host_open_request(struct oc_node_host *host, const char *method) {
    struct oc_buf b = OC_BUF_INIT(OC_MAX_MESSAGE_BYTES);
    /* The prefix keeps these apart from the ids the session gives to its own requests. */
    oc_buf_printf(&b, "{\"type\":\"req\",\"id\":\"node-%" PRIu64 "\",\"method\":\"%s\",\"params\":",
            ++host->last_frame_id, method);
    return b;
}

void oc_node_host_request(struct oc_node_host *host, const char *method, cJSON *take_params) {
    OC_AUTO_JSON cJSON *params = take_params;
    struct oc_buf b = oc_node_host_open_request(host, method);
    oc_json_append(&b, params, false);
    oc_buf_putc(&b, '}');
    if (b.failed) {
        oc_buf_finish(&b);
        return;
    }
    host->send(host, oc_msg_from_buf(&b));
}
