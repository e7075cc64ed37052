#include "node/canvas/canvas_action.h"

#include "lib/base/buf.h"
#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/base/one_of.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "lib/protocol/limits.h"

#include <string.h>

#define MAIN_SESSION "main"
#define MAX_MESSAGE_BYTES ((size_t)256 * 1024)

static bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           oc_is_one_of(c, "_.:-");
}

/* One word of the text: what else it could have meant becomes '_', one for each character. */
static void put_tag(struct oc_buf *out, const char *name, const char *value) {
    OC_AUTO_FREE char *copy = oc_strdup(value ? value : "");
    const char *p = oc_trim(copy);
    (void)oc_buf_printf(out, " %s=%s", name, *p ? "" : "-");
    for (; *p; p++) {
        if (((unsigned char)*p & 0xc0) != 0x80) { /* not inside a character */
            char plain = *p;
            if (!is_plain(plain)) {
                plain = '_';
            }
            (void)oc_buf_putc(out, plain);
        }
    }
}

static const char *text_or(const cJSON *o, const char *key, const char *def) {
    const char *text = oc_json_get_str(o, key);
    return oc_str_blank(text) ? def : text;
}

static char *canvas_action_message(
        const cJSON *action, const char *name, const struct nd_canvas_teller *t) {
    const cJSON *context = oc_json_get(action, "context");
    struct oc_buf b = OC_BUF_INIT(MAX_MESSAGE_BYTES);
    (void)oc_buf_puts(&b, "CANVAS_A2UI");
    put_tag(&b, "action", name);
    put_tag(&b, "session", oc_str_blank(t->session_key) ? MAIN_SESSION : t->session_key);
    put_tag(&b, "surface", text_or(action, "surfaceId", "main"));
    put_tag(&b, "component", text_or(action, "sourceComponentId", "-"));
    put_tag(&b, "host", t->host);
    put_tag(&b, "instance", t->instance);
    if (t->via) {
        put_tag(&b, "via", t->via);
    }
    if (context && context->child) {
        (void)oc_buf_puts(&b, " ctx=");
        (void)oc_json_append(&b, context, false);
    }
    (void)oc_buf_puts(&b, " default=update_canvas");
    return b.failed ? (oc_buf_finish(&b), NULL) : oc_buf_take(&b);
}

static cJSON *canvas_action_payload(const char *text, const char *session_key, const char *id) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "message", text);
    oc_json_set_str(o, "sessionKey", oc_str_blank(session_key) ? MAIN_SESSION : session_key);
    oc_json_set_str(o, "thinking", "low");
    oc_json_set_bool(o, "deliver", false);
    oc_json_set_str(o, "key", id);
    return o;
}

/* The same as data, for who need not read the text. */
static void add_action(
        cJSON *payload, const cJSON *action, const char *name, const struct nd_canvas_teller *t) {
    OC_AUTO_FREE char *copy = oc_strdup(name);
    const cJSON *context = oc_json_get(action, "context");
    oc_json_set_str(payload, "action", oc_trim(copy));
    oc_json_set_str(payload, "surfaceId", text_or(action, "surfaceId", "main"));
    oc_json_set_str(payload, "sourceComponentId", text_or(action, "sourceComponentId", NULL));
    oc_json_set_str(payload, "timestamp", text_or(action, "timestamp", NULL));
    oc_json_set_str(payload, "via", t->via);
    if (cJSON_IsObject(context)) {
        oc_json_set(payload, "context", cJSON_Duplicate(context, true));
    }
}

enum oc_code nd_canvas_action_tell(const cJSON *action, const struct nd_canvas_teller *teller,
        cJSON **ret_params, char **ret_id, struct oc_error *err) {
    const cJSON *inner = oc_json_get(action, "userAction");
    action = cJSON_IsObject(inner) ? inner : action;
    const char *name = text_or(action, "name", oc_json_get_str(action, "action"));
    char id[OC_UUID_LEN + 1];
    if (oc_str_blank(name)) {
        return oc_fail(err, OC_E_INVALID, "the action has no name");
    }
    oc_uuid4(id);
    const char *given = text_or(action, "id", id);
    OC_AUTO_FREE char *text = canvas_action_message(action, name, teller);
    if (!text || oc_utf8_count(text) > OC_MAX_AGENT_MESSAGE) {
        return oc_fail(err, OC_E_TOO_LARGE, "too much data for one message to the agent");
    }
    OC_AUTO_JSON cJSON *inside = canvas_action_payload(text, teller->session_key, given);
    add_action(inside, action, name, teller);
    OC_AUTO_FREE char *json = oc_json_print(inside, false);
    cJSON *params = cJSON_CreateObject();
    oc_json_set_str(params, "event", "agent.request");
    oc_json_set_str(params, "payloadJSON", json);
    *ret_params = params;
    *ret_id = oc_strdup(given);
    return OC_OK;
}
