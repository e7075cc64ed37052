#include "gateway/invoke/answer.h"
#include "gateway/nodes/gates.h"

#include "lib/base/utf8.h"
#include "lib/json/json.h"
#include "lib/json/json_scan.h"
#include "lib/protocol/errors.h"
#include "lib/protocol/limits.h"
#include "lib/protocol/switches.h"
#include "lib/text/paste.h"

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

struct oc_answer oc_answer_from_result(const struct oc_invoke_result *r, struct oc_blob *blob,
        const char *node_id, const char *command) {
    struct oc_answer a = {
        .ok = r->ok, .node_id = node_id, .command = command, .blob = blob, .was_dispatched = true
    };
    if (!r->ok) {
        a.node_code = r->error_code;
        a.node_message = r->error_message;
        a.message = !oc_str_blank(r->error_message) ? r->error_message : "node invoke failed";
        return a;
    }
    if (r->has_payload_json && !is_blank(r->payload_json_body)) {
        a.payload = r->payload_json_body;
        a.payload_kind = oc_json_valid_escaped(a.payload, MAX_PAYLOAD_DEPTH, OC_MAX_FRAME_STEPS)
                                 ? OC_PAYLOAD_ESCAPED
                                 : OC_PAYLOAD_UNPARSED;
    } else if (r->payload.len > 0) {
        a.payload = r->payload;
        a.payload_kind = OC_PAYLOAD_RAW;
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

static void add_quoted(struct oc_msg *m, const struct oc_answer *a) {
    add_text(m, "\"");
    oc_msg_add_slice(m, a->blob, a->payload, OC_PART_RAW);
    add_text(m, "\"");
}

static void add_success(struct oc_msg *m, const struct oc_answer *a, bool with_text) {
    add_text(m, "\"ok\":true,\"payload\":{\"ok\":true,\"nodeId\":");
    add_string(m, a->node_id);
    add_text(m, ",\"command\":");
    add_string(m, a->command);
    if (a->payload_kind != OC_PAYLOAD_NONE) {
        add_text(m, ",\"payload\":");
    }
    switch (a->payload_kind) {
    case OC_PAYLOAD_NONE:
        break;
    case OC_PAYLOAD_RAW:
        oc_msg_add_slice(m, a->blob, a->payload, OC_PART_RAW);
        break;
    case OC_PAYLOAD_ESCAPED:
        oc_msg_add_slice(m, a->blob, a->payload, OC_PART_UNESCAPE);
        break;
    case OC_PAYLOAD_UNPARSED:
        add_text(m, "{\"payloadJSON\":");
        add_quoted(m, a);
        add_text(m, "}");
        break;
    }
    add_text(m, ",\"payloadJSON\":");
    bool has_text = a->payload_kind == OC_PAYLOAD_ESCAPED || a->payload_kind == OC_PAYLOAD_UNPARSED;
    if (has_text && with_text) {
        add_quoted(m, a);
    } else {
        add_text(m, "null");
    }
    add_text(m, "}}");
}

/* The node refused by its own rules: name the gate and the way to open it. */
static bool is_local_approval(const struct oc_answer *a) {
    return oc_streq(a->node_code, "SYSTEM_RUN_DENIED") ||
           (a->node_message && (oc_starts_with(a->node_message, "SYSTEM_RUN_DENIED") ||
                                       oc_starts_with(a->node_message, "SYSTEM_RUN_DISABLED")));
}

static char *cut(const char *text) {
    return oc_strndup(text, oc_utf8_cut(text, strlen(text), MAX_NODE_MESSAGE));
}

#define FIX_MARK "gate: local exec approvals; fix: "
#define ENTRY_MARK "add {\"pattern\":\""

/* A command that changes the node's rules from where the caller is; NULL when they must be looked at there. */
static char *gateway_fix(const struct oc_answer *a, const char *message) {
    if (strstr(message, FIX_MARK OC_FIX_AT_NODE)) {
        return NULL;
    }
    bool is_damaged = strstr(message, "; fix: repair ") != NULL;
    if (!is_damaged && (strstr(message, "DISABLED") || strstr(message, "security=deny"))) {
        return oc_gates_fix_local(a->node_id);
    }
    const char *entry = strstr(message, FIX_MARK ENTRY_MARK);
    if (!entry) {
        const char *said = strstr(message, FIX_MARK);
        size_t len = said ? strlen(said += strlen(FIX_MARK)) : 0;
        OC_AUTO_FREE char *command =
                len > 0 ? oc_strndup(said, len - (said[len - 1] == ')')) : NULL;
        return command ? oc_gates_fix_from_afar(a->node_id, command) : NULL;
    }
    entry += strlen(FIX_MARK ENTRY_MARK);
    OC_AUTO_FREE char *program = oc_strndup(entry, strcspn(entry, "\""));
    return oc_gates_fix_program(a->node_id, program);
}

/* In the node's own words if it has any: it knows its files best. Other nodes' refusals are told by their code. */
static char *local_fix(const struct oc_answer *a) {
    OC_AUTO_FREE char *message = cut(a->node_message ? a->node_message : "");
    OC_AUTO_FREE char *ours = gateway_fix(a, message);
    if (ours) {
        return oc_take(&ours);
    }
    char *said = strstr(message, FIX_MARK);
    if (said) {
        said += strlen(FIX_MARK);
        size_t n = strlen(said);
        OC_AUTO_FREE char *told = oc_strndup(said, n > 0 && said[n - 1] == ')' ? n - 1 : n);
        return oc_paste_told(OC_NODE, told);
    }
    OC_AUTO_FREE char *id = oc_paste_id(a->node_id);
    return oc_paste("openclaw approvals allowlist add --node <its id> <path of the program>",
            "openclaw approvals allowlist add --node %s <path of the program>", id);
}

static cJSON *error_details(const struct oc_answer *a) {
    cJSON *d = cJSON_CreateObject();
    if (a->node_code || a->node_message) {
        cJSON *node_error = cJSON_AddObjectToObject(d, "nodeError");
        OC_AUTO_FREE char *message = a->node_message ? cut(a->node_message) : NULL;
        oc_json_set_str(node_error, "code", a->node_code);
        oc_json_set_str(node_error, "message", message);
    } else {
        cJSON_AddNullToObject(d, "nodeError");
    }
    if (a->was_dispatched) {
        oc_json_set_bool(d, "nodeCommandDispatched", true);
    }
    const struct oc_switch *off = oc_switch_by_code(a->node_code);
    if (off) {
        oc_json_set_str(d, "command", a->command);
        oc_json_set_str(d, "gate", oc_gate_name(OC_GATE_SWITCH));
        OC_AUTO_FREE char *fix = oc_strfmt(OC_FIX_AT_NODE "openclaw node enable %s", off->name);
        oc_json_set_str(d, "fix", fix);
    } else if (is_local_approval(a)) {
        oc_json_set_str(d, "command", a->command);
        oc_json_set_str(d, "gate", oc_gate_name(OC_GATE_LOCAL));
        OC_AUTO_FREE char *fix = local_fix(a);
        oc_json_set_str(d, "fix", fix);
    }
    return d;
}

/* What the node said, with the fix of the details: clients that show only the message have no other. */
static char *failure_text(const struct oc_answer *a) {
    OC_AUTO_FREE char *message = cut(a->message);
    char *said = is_local_approval(a) ? strstr(message, FIX_MARK) : NULL;
    OC_AUTO_FREE char *fix = said ? local_fix(a) : NULL;
    if (!fix) {
        return oc_take(&message);
    }
    return oc_strfmt("%.*s" FIX_MARK "%s)", (int)(said - message), message, fix);
}

static void add_failure(struct oc_msg *m, const struct oc_answer *a) {
    OC_AUTO_FREE char *message = failure_text(a);
    OC_AUTO_JSON cJSON *error = oc_wire_error(OC_WIRE_UNAVAILABLE, message, error_details(a), -1);
    OC_AUTO_FREE char *text = oc_json_print(error, false);
    add_text(m, "\"ok\":false,\"error\":");
    add_text(m, text);
    add_text(m, "}");
}

static void add_tail(struct oc_msg *m, const struct oc_answer *a, bool with_text) {
    if (a->remembered) {
        struct oc_slice all = { a->remembered->data, a->remembered->len };
        oc_msg_add_slice(m, a->remembered, all, OC_PART_RAW);
    } else if (a->ok) {
        add_success(m, a, with_text);
    } else {
        add_failure(m, a);
    }
}

static struct oc_msg *build(const struct oc_answer *a, const char *request_id, bool with_text) {
    struct oc_msg *m = oc_msg_create();
    add_text(m, "{\"type\":\"res\",\"id\":");
    add_string(m, request_id);
    add_text(m, ",");
    add_tail(m, a, with_text);
    return m;
}

struct oc_msg *oc_answer_msg(const struct oc_answer *a, const char *request_id) {
    struct oc_msg *m = build(a, request_id, true);
    if (oc_msg_size(m) <= OC_MAX_MESSAGE_BYTES) {
        return m;
    }
    oc_msg_destroy(m);
    m = build(a, request_id, false);
    if (oc_msg_size(m) <= OC_MAX_MESSAGE_BYTES) {
        return m;
    }
    oc_msg_destroy(m);
    struct oc_answer too_large = {
        .node_id = a->node_id,
        .command = a->command,
        .message = "the node's result is too large for one message",
        .was_dispatched = true,
    };
    return build(&too_large, request_id, false);
}

struct oc_msg *oc_answer_bare_msg(const struct oc_answer *a, const char *request_id) {
    bool is_value = a->payload_kind == OC_PAYLOAD_RAW || a->payload_kind == OC_PAYLOAD_ESCAPED;
    if (!a->ok || a->payload.len > OC_MAX_MESSAGE_BYTES / 2) {
        return oc_answer_msg(a, request_id);
    }
    struct oc_msg *m = oc_msg_create();
    add_text(m, "{\"type\":\"res\",\"id\":");
    add_string(m, request_id);
    add_text(m, ",\"ok\":true,\"payload\":");
    if (is_value) {
        oc_msg_add_slice(m, a->blob, a->payload,
                a->payload_kind == OC_PAYLOAD_RAW ? OC_PART_RAW : OC_PART_UNESCAPE);
    } else {
        add_text(m, "{}");
    }
    add_text(m, "}");
    return m;
}

struct oc_blob *oc_answer_remember(const struct oc_answer *a, size_t max_bytes) {
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
