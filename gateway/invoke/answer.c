#include "gateway/invoke/answer.h"

#include "lib/base/utf8.h"
#include "lib/json/json.h"
#include "lib/json/json_scan.h"
#include "lib/protocol/errors.h"
#include "lib/protocol/grounds.h"
#include "lib/protocol/limits.h"
#include "lib/text/fix.h"

#include <stdio.h>
#include <string.h>

#define MAX_NODE_MESSAGE 8192
/* The payload ends up two levels below the root of the response. */
#define MAX_PAYLOAD_DEPTH (OC_MAX_FRAME_DEPTH - 2)

static bool is_blank(struct oc_slice s) {
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] != ' ') {
            return false;
        }
    }
    return true;
}

struct gw_answer gw_answer_from_result(const struct oc_invoke_result *r, struct oc_blob *blob,
        const char *node_id, const char *command) {
    struct gw_answer a = {
        .ok = r->ok, .node_id = node_id, .command = command, .blob = blob, .was_dispatched = true
    };
    if (!r->ok) {
        a.node_code = r->error_code;
        a.node_message = r->error_message;
        a.message = !oc_str_blank(r->error_text) ? r->error_text : "node invoke failed";
        a.grounds = r->grounds;
        oc_grounds_set_node(&a.grounds, a.grounds.gate ? node_id : NULL);
        return a;
    }
    if (r->has_payload_json && !is_blank(r->payload_json_body)) {
        a.payload = r->payload_json_body;
        a.payload_kind = oc_json_valid_escaped(a.payload, MAX_PAYLOAD_DEPTH, OC_MAX_FRAME_STEPS)
                                 ? GW_PAYLOAD_ESCAPED
                                 : GW_PAYLOAD_UNPARSED;
    } else if (r->payload.len > 0) {
        a.payload = r->payload;
        a.payload_kind = GW_PAYLOAD_RAW;
    }
    return a;
}

static void add_text(struct oc_msg *m, const char *text) {
    oc_msg_add_text(m, text, strlen(text));
}

static void add_string(struct oc_msg *m, const char *text) {
    OC_AUTO_BUF struct oc_buf b = OC_BUF_INIT(OC_MAX_REQUEST_BYTES);
    oc_json_append_string(&b, text, strlen(text));
    oc_msg_add_text(m, b.data, b.len);
}

static void add_quoted(struct oc_msg *m, const struct gw_answer *a) {
    add_text(m, "\"");
    oc_msg_add_slice(m, a->blob, a->payload, OC_PART_RAW);
    add_text(m, "\"");
}

static void add_success(struct oc_msg *m, const struct gw_answer *a, bool with_text) {
    add_text(m, "\"ok\":true,\"payload\":{\"ok\":true,\"nodeId\":");
    add_string(m, a->node_id);
    add_text(m, ",\"command\":");
    add_string(m, a->command);
    if (a->payload_kind != GW_PAYLOAD_NONE) {
        add_text(m, ",\"payload\":");
    }
    switch (a->payload_kind) {
    case GW_PAYLOAD_NONE:
        break;
    case GW_PAYLOAD_RAW:
        oc_msg_add_slice(m, a->blob, a->payload, OC_PART_RAW);
        break;
    case GW_PAYLOAD_ESCAPED:
        oc_msg_add_slice(m, a->blob, a->payload, OC_PART_UNESCAPE);
        break;
    case GW_PAYLOAD_UNPARSED:
        add_text(m, "{\"payloadJSON\":");
        add_quoted(m, a);
        add_text(m, "}");
        break;
    }
    add_text(m, ",\"payloadJSON\":");
    bool has_text = a->payload_kind == GW_PAYLOAD_ESCAPED || a->payload_kind == GW_PAYLOAD_UNPARSED;
    if (has_text && with_text) {
        add_quoted(m, a);
    } else {
        add_text(m, "null");
    }
    add_text(m, "}}");
}

static char *answer_cut(const char *text) {
    return oc_strndup(text, oc_utf8_cut(text, strlen(text), MAX_NODE_MESSAGE));
}

static cJSON *error_details(const struct gw_answer *a) {
    cJSON *d = cJSON_CreateObject();
    if (a->node_code || a->node_message) {
        cJSON *node_error = cJSON_AddObjectToObject(d, "nodeError");
        OC_AUTO_FREE char *message = a->node_message ? answer_cut(a->node_message) : NULL;
        oc_json_set_str(node_error, "code", a->node_code);
        oc_json_set_str(node_error, "message", message);
    } else {
        cJSON_AddNullToObject(d, "nodeError");
    }
    if (a->was_dispatched) {
        oc_json_set_bool(d, "nodeCommandDispatched", true);
    }
    if (a->grounds.gate) {
        oc_json_set_str(d, "command", a->command);
    }
    return d;
}

/* Gate and fix stand in the message, too, as they are for those who are not at the node. A node
 * that has not said them hears its own words repeated: clients of the reference know them. */
static cJSON *error_of(const struct gw_answer *a) {
    OC_AUTO_FREE char *text = answer_cut(a->message);
    cJSON *d = error_details(a);
    if (!oc_streq(a->message, a->node_message)) {
        return oc_grounds_error(OC_WIRE_UNAVAILABLE, text, &a->grounds, d, -1);
    }
    OC_AUTO_FREE char *fix = oc_fix_text(&a->grounds);
    oc_grounds_put(d, &a->grounds, fix);
    return oc_wire_error(OC_WIRE_UNAVAILABLE, text, d, -1);
}

static void add_failure(struct oc_msg *m, const struct gw_answer *a) {
    OC_AUTO_JSON cJSON *error = error_of(a);
    OC_AUTO_FREE char *text = oc_json_print(error, false);
    add_text(m, "\"ok\":false,\"error\":");
    add_text(m, text);
    add_text(m, "}");
}

static void add_tail(struct oc_msg *m, const struct gw_answer *a, bool with_text) {
    if (a->remembered) {
        struct oc_slice all = { a->remembered->data, a->remembered->len };
        oc_msg_add_slice(m, a->remembered, all, OC_PART_RAW);
    } else if (a->ok) {
        add_success(m, a, with_text);
    } else {
        add_failure(m, a);
    }
}

static struct oc_msg *answer_build(
        const struct gw_answer *a, const char *request_id, bool with_text) {
    struct oc_msg *m = oc_msg_create();
    add_text(m, "{\"type\":\"res\",\"id\":");
    add_string(m, request_id);
    add_text(m, ",");
    add_tail(m, a, with_text);
    return m;
}

struct oc_msg *gw_answer_msg(const struct gw_answer *a, const char *request_id) {
    struct oc_msg *m = answer_build(a, request_id, true);
    if (oc_msg_size(m) <= OC_MAX_MESSAGE_BYTES) {
        return m;
    }
    oc_msg_destroy(m);
    m = answer_build(a, request_id, false);
    if (oc_msg_size(m) <= OC_MAX_MESSAGE_BYTES) {
        return m;
    }
    oc_msg_destroy(m);
    struct gw_answer too_large = {
        .node_id = a->node_id,
        .command = a->command,
        .message = "the node's result is too large for one message",
        .was_dispatched = true,
    };
    return answer_build(&too_large, request_id, false);
}

struct oc_msg *gw_answer_bare_msg(const struct gw_answer *a, const char *request_id) {
    bool is_value = a->payload_kind == GW_PAYLOAD_RAW || a->payload_kind == GW_PAYLOAD_ESCAPED;
    if (!a->ok || a->payload.len > OC_MAX_MESSAGE_BYTES / 2) {
        return gw_answer_msg(a, request_id);
    }
    struct oc_msg *m = oc_msg_create();
    add_text(m, "{\"type\":\"res\",\"id\":");
    add_string(m, request_id);
    add_text(m, ",\"ok\":true,\"payload\":");
    if (is_value) {
        oc_msg_add_slice(m, a->blob, a->payload,
                a->payload_kind == GW_PAYLOAD_RAW ? OC_PART_RAW : OC_PART_UNESCAPE);
    } else {
        add_text(m, "{}");
    }
    add_text(m, "}");
    return m;
}

struct oc_blob *gw_answer_remember(const struct gw_answer *a, size_t max_bytes) {
    if (a->payload.len > max_bytes) {
        return NULL;
    }
    struct oc_msg *m = oc_msg_create();
    add_tail(m, a, true);
    struct oc_buf b = OC_BUF_INIT(max_bytes);
    char piece[4096];
    size_t n;
    while (!b.failed && (n = oc_msg_read(m, piece, sizeof(piece))) > 0) {
        oc_buf_append(&b, piece, n);
    }
    oc_msg_destroy(m);
    if (b.failed) {
        oc_buf_finish(&b);
        return NULL;
    }
    return oc_blob_from_buf(&b);
}
