#include "lib/protocol/invoke.h"

#include "lib/base/utf8.h"
#include "lib/protocol/grounds.h"
#include "lib/protocol/limits.h"
#include "lib/protocol/shape.h"

#include <string.h>

#define MAX_ERROR_TEXT 65536
#define MAX_CALLER_BYTES 4096
#define MAX_DETAILS_BYTES 16384

static enum oc_code invoke_pick(struct oc_slice text, struct oc_json_pick *picks, size_t n,
        struct oc_shape *s, struct oc_error *err) {
    struct oc_json_value root = oc_json_root(text);
    if (root.kind != OC_JK_OBJECT) {
        return oc_fail(err, OC_E_INVALID, "must be object");
    }
    const char *twice = oc_json_pick_all(root.raw, picks, n);
    if (twice) {
        oc_shape_complain(s, "at root: duplicate property '%s'", twice);
    }
    return OC_OK;
}

static int64_t limit_ms(int64_t ms) {
    return ms < OC_MAX_INVOKE_MS ? ms : OC_MAX_INVOKE_MS;
}

enum oc_code oc_invoke_call_decode(
        struct oc_slice params, struct oc_invoke_call *ret, struct oc_error *err) {
    enum { NODE_ID, COMMAND, KEY, PARAMS, TIMEOUT, N };
    *ret = (struct oc_invoke_call){ .timeout_ms = -1 };
    struct oc_json_pick m[N] = { { "nodeId" }, { "command" }, { "idempotencyKey" }, { "params" },
        { "timeoutMs" } };
    struct oc_shape s = OC_SHAPE_INIT;
    enum oc_code rc = invoke_pick(params, m, N, &s, err);
    if (rc != OC_OK) {
        return rc;
    }
    for (int i = NODE_ID; i <= KEY; i++) {
        oc_shape_require(&s, &m[i]);
    }
    ret->node_id = oc_shape_string(&s, &m[NODE_ID], OC_MAX_ID_BYTES);
    ret->command = oc_shape_string(&s, &m[COMMAND], OC_MAX_ID_BYTES);
    ret->idempotency_key = oc_shape_string(&s, &m[KEY], OC_MAX_ID_BYTES);
    ret->timeout_ms = limit_ms(oc_shape_count(&s, &m[TIMEOUT]));
    if (oc_pick_has(&m[PARAMS])) {
        ret->params = m[PARAMS].value.raw;
    }
    return oc_shape_finish(&s, err);
}

void oc_invoke_call_finish(struct oc_invoke_call *c) {
    oc_free(c->node_id);
    oc_free(c->command);
    oc_free(c->idempotency_key);
    *c = (struct oc_invoke_call){ .timeout_ms = -1 };
}

/* paramsJSON is a text inside a string; some gateways send the object itself as params. */
static struct oc_blob *read_params(
        struct oc_shape *s, const struct oc_json_pick *json, const struct oc_json_pick *params) {
    if (!oc_pick_has(json)) {
        return oc_pick_has(params) ? oc_blob_copy(params->value.raw.ptr, params->value.raw.len)
                                   : NULL;
    }
    if (json->value.kind != OC_JK_STRING) {
        oc_shape_complain(s, "at /paramsJSON: must be string");
        return NULL;
    }
    struct oc_slice body = oc_json_body(json->value);
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(OC_MAX_MESSAGE_BYTES);
    if (oc_json_unescape_append(&text, body) != OC_OK) {
        oc_shape_complain(s, "at /paramsJSON: too large");
        return NULL;
    }
    return oc_blob_from_buf(&text);
}

/* One that makes no sense is nobody. */
static cJSON *read_caller(const struct oc_json_pick *p) {
    cJSON *caller = NULL;
    struct oc_error ignored;
    if (!oc_pick_has(p) || p->value.kind != OC_JK_OBJECT || p->value.raw.len > MAX_CALLER_BYTES ||
            oc_json_parse(p->value.raw.ptr, p->value.raw.len, &caller, &ignored) != OC_OK) {
        return NULL;
    }
    return caller;
}

enum oc_code oc_invoke_request_decode(
        struct oc_slice payload, struct oc_invoke_request *ret, struct oc_error *err) {
    enum { ID, NODE_ID, COMMAND, JSON, PARAMS, TIMEOUT, KEY, CALLER, N };
    *ret = (struct oc_invoke_request){ .timeout_ms = -1 };
    struct oc_json_pick m[N] = { { "id" }, { "nodeId" }, { "command" }, { "paramsJSON" },
        { "params" }, { "timeoutMs" }, { "idempotencyKey" }, { "caller" } };
    struct oc_shape s = OC_SHAPE_INIT;
    enum oc_code rc = invoke_pick(payload, m, N, &s, err);
    if (rc != OC_OK) {
        return rc;
    }
    for (int i = ID; i <= COMMAND; i++) {
        oc_shape_require(&s, &m[i]);
    }
    ret->id = oc_shape_string(&s, &m[ID], OC_MAX_ID_BYTES);
    ret->node_id = oc_shape_string(&s, &m[NODE_ID], OC_MAX_ID_BYTES);
    ret->command = oc_shape_string(&s, &m[COMMAND], OC_MAX_ID_BYTES);
    ret->idempotency_key = oc_shape_string_or_null(&s, &m[KEY], OC_MAX_ID_BYTES);
    ret->timeout_ms = limit_ms(oc_shape_count(&s, &m[TIMEOUT]));
    ret->params_json = read_params(&s, &m[JSON], &m[PARAMS]);
    ret->caller = read_caller(&m[CALLER]);
    return oc_shape_finish(&s, err);
}

void oc_invoke_request_finish(struct oc_invoke_request *r) {
    oc_free(r->id);
    oc_free(r->node_id);
    oc_free(r->command);
    oc_free(r->idempotency_key);
    oc_blob_unref(r->params_json);
    cJSON_Delete(r->caller);
    *r = (struct oc_invoke_request){ .timeout_ms = -1 };
}

/* A member of the error object, cut to max bytes; NULL unless it is a string with something in it.
 */
static char *error_text(const struct oc_json_pick *p, size_t max) {
    struct oc_slice body = p->found ? oc_json_body(p->value) : (struct oc_slice){ 0 };
    OC_AUTO_FREE char *text = oc_realloc(NULL, max + 1);
    size_t len = 0, n;
    while (max - len >= 4 && (n = oc_json_unescape_step(&body, text + len, max - len)) > 0) {
        len += n;
    }
    text[len - oc_utf8_incomplete_tail(text, len)] = '\0';
    return *text ? oc_strdup(text) : NULL;
}

static void read_error(struct oc_slice object, struct oc_invoke_result *ret) {
    struct oc_json_pick e[] = { { "code" }, { "message" }, { "details" } };
    oc_json_pick_all(object, e, OC_COUNT(e));
    ret->error_code = error_text(&e[0], OC_MAX_ID_BYTES);
    ret->error_message = error_text(&e[1], MAX_ERROR_TEXT);
    OC_AUTO_JSON cJSON *details = NULL;
    struct oc_error ignored;
    if (oc_pick_has(&e[2]) && e[2].value.raw.len <= MAX_DETAILS_BYTES &&
            oc_json_parse(e[2].value.raw.ptr, e[2].value.raw.len, &details, &ignored) != OC_OK) {
        details = NULL;
    }
    if (ret->error_code || ret->error_message) {
        ret->error_text = oc_grounds_read(&(struct oc_told_error){ .is_of_node = true,
                                                  .node_code = ret->error_code,
                                                  .message = ret->error_message,
                                                  .details = details },
                &ret->grounds);
    }
}

enum oc_code oc_invoke_result_decode(
        struct oc_slice params, struct oc_invoke_result *ret, struct oc_error *err) {
    enum { ID, NODE_ID, OK, PAYLOAD, JSON, ERROR, N };
    *ret = (struct oc_invoke_result){ 0 };
    struct oc_json_pick m[N] = { { "id" }, { "nodeId" }, { "ok" }, { "payload" }, { "payloadJSON" },
        { "error" } };
    struct oc_shape s = OC_SHAPE_INIT;
    enum oc_code rc = invoke_pick(params, m, N, &s, err);
    if (rc != OC_OK) {
        return rc;
    }
    for (int i = ID; i <= OK; i++) {
        oc_shape_require(&s, &m[i]);
    }
    ret->id = oc_shape_string(&s, &m[ID], OC_MAX_ID_BYTES);
    ret->node_id = oc_shape_string(&s, &m[NODE_ID], OC_MAX_ID_BYTES);
    ret->ok = oc_shape_bool(&s, &m[OK]);
    if (m[PAYLOAD].found) {
        ret->payload = m[PAYLOAD].value.raw;
    }
    if (m[JSON].found && m[JSON].value.kind == OC_JK_STRING) {
        ret->has_payload_json = true;
        ret->payload_json_body = oc_json_body(m[JSON].value);
    } else if (oc_pick_has(&m[JSON]) && !m[PAYLOAD].found) {
        ret->payload = m[JSON].value.raw; /* the object itself where its text belongs */
    }
    if (oc_pick_has(&m[ERROR]) && m[ERROR].value.kind != OC_JK_OBJECT) {
        oc_shape_complain(&s, "at /error: must be object");
    } else if (oc_pick_has(&m[ERROR])) {
        read_error(m[ERROR].value.raw, ret);
    }
    return oc_shape_finish(&s, err);
}

void oc_invoke_result_finish(struct oc_invoke_result *r) {
    oc_free(r->id);
    oc_free(r->node_id);
    oc_free(r->error_code);
    oc_free(r->error_message);
    oc_free(r->error_text);
    *r = (struct oc_invoke_result){ 0 };
}
