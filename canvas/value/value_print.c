#include "canvas/value/value.h"

#include "lib/json/json.h"
#include "lib/json/json_scan.h"

#include <string.h>

/* A text that is longer than the room is not looked at to its end. */
static struct oc_slice value_print_fitting(const struct oc_buf *out, struct oc_slice s) {
    size_t room = out->failed ? 0 : out->max_bytes - out->len;
    return s.len > room ? (struct oc_slice){ s.ptr, room + 1 } : s;
}

static void value_print_print(struct oc_buf *out, const struct cv_value *v, unsigned depth) {
    enum cv_value_type type = cv_value_type_of(v);
    switch (type) {
    case CV_V_NULL:
        oc_buf_puts(out, "null");
        return;
    case CV_V_BOOL:
        oc_buf_puts(out, cv_value_bool(v) ? "true" : "false");
        return;
    case CV_V_NUMBER:
        cv_number_print(out, cv_value_number(v), "null");
        return;
    case CV_V_STRING: {
        struct oc_slice s = value_print_fitting(out, cv_value_string(v));
        oc_json_append_string(out, s.ptr, s.len);
        return;
    }
    case CV_V_MAP:
    case CV_V_ARRAY:
        break;
    }
    if (depth > CV_VALUE_MAX_DEPTH * 2) {
        oc_buf_puts(out, "null");
        return;
    }
    oc_buf_putc(out, type == CV_V_MAP ? '{' : '[');
    for (size_t i = 0; i < cv_value_count(v) && !out->failed; i++) {
        if (i) {
            oc_buf_putc(out, ',');
        }
        if (type == CV_V_MAP) {
            struct oc_slice key = value_print_fitting(out, cv_value_key(v, i));
            oc_json_append_string(out, key.ptr, key.len);
            oc_buf_putc(out, ':');
        }
        value_print_print(out, cv_value_at(v, i), depth + 1);
    }
    oc_buf_putc(out, type == CV_V_MAP ? '}' : ']');
}

enum oc_code cv_value_print(struct oc_buf *out, const struct cv_value *v) {
    value_print_print(out, v, 0);
    return out->failed ? OC_E_TOO_LARGE : OC_OK;
}

enum oc_code cv_string_to_text(struct oc_buf *out, struct oc_slice s) {
    while (s.len && !out->failed) {
        const char *nul = memchr(s.ptr, 0, s.len);
        size_t n = nul ? (size_t)(nul - s.ptr) : s.len;
        oc_buf_append(out, s.ptr, n);
        if (nul) {
            oc_buf_puts(out, "\xef\xbf\xbd");
        }
        s.ptr += n + (nul != NULL);
        s.len -= n + (nul != NULL);
    }
    return out->failed ? OC_E_TOO_LARGE : OC_OK;
}

enum oc_code cv_value_to_text(struct oc_buf *out, const struct cv_value *v) {
    switch (cv_value_type_of(v)) {
    case CV_V_NULL:
        return OC_OK;
    case CV_V_NUMBER:
        return cv_number_to_text(out, cv_value_number(v));
    case CV_V_STRING:
        return cv_string_to_text(out, cv_value_string(v));
    case CV_V_BOOL:
    case CV_V_MAP:
    case CV_V_ARRAY:
        return cv_value_print(out, v);
    }
    return OC_OK;
}
