#include "lib/protocol/frame.h"

#include "lib/protocol/limits.h"
#include "lib/protocol/shape.h"

#include <string.h>

enum { TYPE, ID, METHOD, PARAMS, OK, PAYLOAD, ERROR, EVENT, SEQ, MEMBERS };

/* Which kind it says it is. What says nothing sensible is measured against a request. */
static enum oc_frame_type read_type(
        struct oc_shape *s, const struct oc_json_pick *p, bool *ret_known) {
    static const char *const names[] = { "\"req\"", "\"res\"", "\"event\"" };
    for (size_t i = 0; i < OC_COUNT(names); i++) {
        if (p->found && oc_slice_eq(p->value.raw, names[i])) {
            *ret_known = true;
            return (enum oc_frame_type)i;
        }
    }
    oc_shape_require(s, p);
    *ret_known = false;
    return OC_FRAME_REQ;
}

static void read_req(struct oc_shape *s, const struct oc_json_pick *m, struct oc_frame *ret) {
    oc_shape_require(s, &m[ID]);
    oc_shape_require(s, &m[METHOD]);
    ret->id = oc_shape_string(s, &m[ID], OC_MAX_ID_BYTES);
    ret->name = oc_shape_string(s, &m[METHOD], OC_MAX_ID_BYTES);
    if (m[PARAMS].found) {
        ret->body = m[PARAMS].value.raw;
    }
}

static void read_res(struct oc_shape *s, const struct oc_json_pick *m, struct oc_frame *ret) {
    oc_shape_require(s, &m[ID]);
    oc_shape_require(s, &m[OK]);
    ret->id = oc_shape_string(s, &m[ID], OC_MAX_ID_BYTES);
    ret->ok = oc_shape_bool(s, &m[OK]);
    if (m[PAYLOAD].found) {
        ret->body = m[PAYLOAD].value.raw;
    }
    if (oc_pick_has(&m[ERROR]) && m[ERROR].value.kind != OC_JK_OBJECT) {
        oc_shape_complain(s, "at /error: must be object");
    } else if (oc_pick_has(&m[ERROR])) {
        ret->error = m[ERROR].value.raw;
    }
}

static void read_event(struct oc_shape *s, const struct oc_json_pick *m, struct oc_frame *ret) {
    oc_shape_require(s, &m[EVENT]);
    ret->name = oc_shape_string(s, &m[EVENT], OC_MAX_ID_BYTES);
    ret->seq = oc_shape_count(s, &m[SEQ]);
    if (m[PAYLOAD].found) {
        ret->body = m[PAYLOAD].value.raw;
    }
}

static enum oc_code frame_decode(
        struct oc_slice text, size_t max_steps, struct oc_frame *ret, struct oc_error *err) {
    *ret = (struct oc_frame){ .seq = -1 };
    bool is_heavy = false;
    bool is_json =
            oc_json_valid_within(text.ptr, text.len, OC_MAX_FRAME_DEPTH, max_steps, &is_heavy);
    if (is_heavy) {
        return oc_fail(err, OC_E_TOO_LARGE,
                "too large: of a message only %zu bytes may be other than plain text in strings",
                max_steps);
    }
    if (!is_json) {
        return oc_fail(err, OC_E_CORRUPT, "not a JSON text");
    }
    struct oc_json_value root = oc_json_root(text);
    if (root.kind != OC_JK_OBJECT) {
        return oc_fail(err, OC_E_INVALID, "must be object");
    }
    struct oc_json_pick m[MEMBERS] = {
        [TYPE] = { "type" },
        [ID] = { "id" },
        [METHOD] = { "method" },
        [PARAMS] = { "params" },
        [OK] = { "ok" },
        [PAYLOAD] = { "payload" },
        [ERROR] = { "error" },
        [EVENT] = { "event" },
        [SEQ] = { "seq" },
    };
    struct oc_shape s = OC_SHAPE_INIT;
    const char *twice = oc_json_pick_all(root.raw, m, MEMBERS);
    if (twice) {
        oc_shape_complain(&s, "at root: duplicate property '%s'", twice);
    }
    bool is_known;
    ret->type = read_type(&s, &m[TYPE], &is_known);
    static void (*const read[])(
            struct oc_shape *, const struct oc_json_pick *, struct oc_frame *) = {
        [OC_FRAME_REQ] = read_req,
        [OC_FRAME_RES] = read_res,
        [OC_FRAME_EVENT] = read_event,
    };
    read[ret->type](&s, m, ret);
    if (m[TYPE].found && !is_known) {
        oc_shape_complain(&s, "at /type: must be equal to constant");
    }
    return oc_shape_finish(&s, err);
}

enum oc_code oc_frame_decode(struct oc_slice text, struct oc_frame *ret, struct oc_error *err) {
    return frame_decode(text, SIZE_MAX, ret, err);
}

enum oc_code oc_frame_decode_quick(
        struct oc_slice text, struct oc_frame *ret, struct oc_error *err) {
    return frame_decode(text, OC_MAX_FRAME_STEPS, ret, err);
}

void oc_frame_finish(struct oc_frame *f) {
    oc_free(f->id);
    oc_free(f->name);
    *f = (struct oc_frame){ .seq = -1 };
}

enum oc_code oc_frame_parse_body(
        const struct oc_frame *f, size_t max_bytes, cJSON **ret, struct oc_error *err) {
    if (f->body.len == 0 || oc_slice_eq(f->body, "null")) {
        *ret = cJSON_CreateObject();
        return OC_OK;
    }
    if (f->body.len > max_bytes) {
        return oc_fail(err, OC_E_TOO_LARGE, "params of %zu bytes; at most %zu are taken here",
                f->body.len, max_bytes);
    }
    if (oc_json_count_values(f->body.ptr, f->body.len) > OC_MAX_FRAME_VALUES) {
        return oc_fail(err, OC_E_TOO_LARGE, "more than %d values", OC_MAX_FRAME_VALUES);
    }
    return oc_json_parse(f->body.ptr, f->body.len, ret, err);
}

static void put_text(struct oc_buf *out, const char *before, const char *s) {
    oc_buf_puts(out, before);
    oc_json_append_string(out, s, strlen(s));
}

static void put_json(struct oc_buf *out, const char *before, const cJSON *v) {
    if (v) {
        oc_buf_puts(out, before);
        oc_json_append(out, v, false);
    }
}

void oc_frame_put_req(struct oc_buf *out, const char *id, const char *method, const cJSON *params) {
    put_text(out, "{\"type\":\"req\",\"id\":", id);
    put_text(out, ",\"method\":", method);
    put_json(out, ",\"params\":", params);
    oc_buf_putc(out, '}');
}

void oc_frame_put_res(struct oc_buf *out, const char *id, const cJSON *payload) {
    put_text(out, "{\"type\":\"res\",\"id\":", id);
    oc_buf_puts(out, ",\"ok\":true");
    put_json(out, ",\"payload\":", payload);
    oc_buf_putc(out, '}');
}

void oc_frame_put_res_error(struct oc_buf *out, const char *id, const cJSON *error) {
    put_text(out, "{\"type\":\"res\",\"id\":", id);
    oc_buf_puts(out, ",\"ok\":false");
    put_json(out, ",\"error\":", error);
    oc_buf_putc(out, '}');
}

void oc_frame_put_event(struct oc_buf *out, const char *event, const cJSON *payload, int64_t seq,
        int64_t presence_version, int64_t health_version) {
    put_text(out, "{\"type\":\"event\",\"event\":", event);
    put_json(out, ",\"payload\":", payload);
    if (seq >= 0) {
        oc_buf_printf(out, ",\"seq\":%lld", (long long)seq);
    }
    if (presence_version >= 0) {
        oc_buf_printf(out, ",\"stateVersion\":{\"presence\":%lld,\"health\":%lld}",
                (long long)presence_version, (long long)health_version);
    }
    oc_buf_putc(out, '}');
}
