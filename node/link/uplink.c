#include "node/link/uplink.h"

#include "lib/protocol/limits.h"

#include <inttypes.h>

struct oc_buf nd_uplink_open_request(struct nd_uplink *up, const char *method) {
    struct oc_buf b = OC_BUF_INIT(OC_MAX_MESSAGE_BYTES);
    /* The prefix keeps these apart from the ids the session gives to its own requests. */
    oc_buf_printf(&b, "{\"type\":\"req\",\"id\":\"node-%" PRIu64 "\",\"method\":\"%s\",\"params\":",
            ++up->last_frame_id, method);
    return b;
}

void nd_uplink_request(struct nd_uplink *up, const char *method, cJSON *take_params) {
    OC_AUTO_JSON cJSON *params = take_params;
    struct oc_buf b = nd_uplink_open_request(up, method);
    oc_json_append(&b, params, false);
    oc_buf_putc(&b, '}');
    if (b.failed) {
        oc_buf_finish(&b);
        return;
    }
    up->send(up, oc_msg_from_buf(&b));
}

size_t nd_uplink_max_bytes(const struct nd_uplink *up) {
    return up->max_message_bytes ? up->max_message_bytes : OC_MAX_MESSAGE_BYTES;
}
