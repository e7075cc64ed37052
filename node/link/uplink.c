#include "node/link/uplink.h"

#include "lib/protocol/limits.h"

#include <inttypes.h>

struct oc_buf oc_uplink_open_request(struct oc_uplink *up, const char *method) {
    struct oc_buf b = OC_BUF_INIT(OC_MAX_MESSAGE_BYTES);
    /* The prefix keeps these apart from the ids the session gives to its own requests. */
    oc_buf_printf(&b, "{\"type\":\"req\",\"id\":\"node-%" PRIu64 "\",\"method\":\"%s\",\"params\":",
            ++up->last_frame_id, method);
    return b;
}

void oc_uplink_request(struct oc_uplink *up, const char *method, cJSON *take_params) {
    OC_AUTO_JSON cJSON *params = take_params;
    struct oc_buf b = oc_uplink_open_request(up, method);
    oc_json_append(&b, params, false);
    oc_buf_putc(&b, '}');
    if (b.failed) {
        oc_buf_finish(&b);
        return;
    }
    up->send(up, oc_msg_from_buf(&b));
}

size_t oc_uplink_max_bytes(const struct oc_uplink *up) {
    return up->max_message_bytes ? up->max_message_bytes : OC_MAX_MESSAGE_BYTES;
}
