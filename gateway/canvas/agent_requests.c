#include "gateway/canvas/agent_requests.h"

#include "gateway/conn/conn.h"
#include "gateway/conn/conns.h"
#include "gateway/conn/events.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "lib/log/log.h"
#include "lib/protocol/limits.h"

#include <string.h>

#define WINDOW_MS 10000
#define MAX_IN_WINDOW 40 /* of one device, however often it connects; a person presses less often */

/* What the request may say besides its message, as the reference reads it. Attachments are not
 * passed on: nobody has asked for them. */
static const char *const texts[] = { "sessionKey", "thinking", "to", "channel", "receiptText",
    "key" };

/* What was done on a canvas, besides the message that says it in words. */
static const char *const action_texts[] = { "surfaceId", "sourceComponentId", "timestamp", "via" };

/* NULL: there is none that may be passed on. */
static const char *bounded_text(const cJSON *payload, const char *key) {
    const char *text = oc_json_get_str(payload, key);
    return text && strlen(text) <= OC_MAX_AGENT_FIELD ? text : NULL;
}

static bool is_small(const cJSON *value) {
    OC_AUTO_BUF struct oc_buf printed = OC_BUF_INIT(OC_MAX_AGENT_CONTEXT);
    return oc_json_append(&printed, value, false) == OC_OK;
}

static void add_action(cJSON *to, const cJSON *payload) {
    const char *action = bounded_text(payload, "action");
    const cJSON *context = oc_json_get(payload, "context");
    if (oc_str_blank(action)) {
        return;
    }
    oc_json_set_str(to, "action", action);
    for (size_t i = 0; i < OC_COUNT(action_texts); i++) {
        oc_json_set_str(to, action_texts[i], bounded_text(payload, action_texts[i]));
    }
    if (cJSON_IsObject(context) && is_small(context)) {
        oc_json_set(to, "context", cJSON_Duplicate(context, true));
    }
}

static cJSON *agent_requests_telling(
        const struct gw_conn *from, const char *message, const cJSON *payload) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "nodeId", from->node->id);
    oc_json_set_str(o, "displayName", from->node->display_name);
    oc_json_set_int(o, "receivedAtMs", oc_wall_ms(from->all->clock));
    oc_json_set_str(o, "message", message);
    for (size_t i = 0; i < OC_COUNT(texts); i++) {
        oc_json_set_str(o, texts[i], bounded_text(payload, texts[i]));
    }
    oc_json_set_bool(o, "deliver", oc_json_get_bool(payload, "deliver", false));
    add_action(o, payload);
    return o;
}

static size_t hand_over(const struct gw_conns *all, const cJSON *request) {
    size_t count = 0;
    struct gw_conn *c;
    oc_list_for_each(c, &all->list, link) {
        if (c->state == GW_CONN_READY && c->hears_agent_requests) {
            gw_event_send(c, GW_EVENT_AGENT_REQUESTED, cJSON_Duplicate(request, true));
            count++;
        }
    }
    return count;
}

const char *gw_agent_request_take(struct gw_conn *from, const cJSON *payload) {
    if (!from->node) {
        return "stale_connection";
    }
    if (from->node->approved.count == 0) {
        return "not_approved";
    }
    const char *message = oc_json_get_str(payload, "message");
    if (oc_str_blank(message)) {
        return "invalid_payload";
    }
    if (oc_utf8_count(message) > OC_MAX_AGENT_MESSAGE) {
        return "too_long";
    }
    if (!gw_allowance_take(&from->party->agent_requests, oc_mono_ms(from->all->clock), WINDOW_MS,
                MAX_IN_WINDOW)) {
        return "rate_limited";
    }
    OC_AUTO_JSON cJSON *request = agent_requests_telling(from, message, payload);
    size_t count = hand_over(from->all, request);
    oc_log(count ? OC_LOG_INFO : OC_LOG_WARN, "gateway.agent",
            count ? "request of a node handed over node=%.12s listeners=%zu"
                  : "request of a node that nobody hears node=%.12s listeners=%zu; to hear it run: "
                    "openclaw nodes requests",
            from->node->id, count);
    return count ? NULL : "no_listener";
}
