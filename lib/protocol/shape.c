#include "lib/protocol/shape.h"

#include "lib/base/mem.h"
#include "lib/json/json.h"
#include "lib/protocol/limits.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_SHOWN_CHARS 60

void oc_shape_complain(struct oc_shape *s, const char *fmt, ...) {
    char text[200];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    oc_buf_printf(&s->complaints, "%s%s", s->complaints.len ? "; " : "", text);
}

void oc_shape_require(struct oc_shape *s, const struct oc_json_pick *p) {
    if (!p->found) {
        oc_shape_complain(s, "must have required property '%s'", p->key);
    }
}

static bool is_one_of(const char *names, const char *name, size_t len) {
    for (const char *p = names; *p; p += strspn(p, " ")) {
        size_t n = strcspn(p, " ");
        if (n == len && memcmp(p, name, n) == 0) {
            return true;
        }
        p += n;
    }
    return false;
}

void oc_shape_names(struct oc_shape *s, struct oc_slice object, const char *names) {
    struct oc_json_cursor c = { 0 };
    struct oc_json_member m;
    while (!s->complaints.failed && oc_json_next(object, &c, &m)) {
        if (is_one_of(names, m.key.ptr, m.key.len)) {
            continue;
        }
        OC_AUTO_FREE char *name = oc_json_unescape(m.key, OC_MAX_ID_BYTES);
        if (name && is_one_of(names, name, strlen(name))) {
            continue; /* it was escaped */
        }
        const char *given = name ? name : m.key.ptr;
        OC_AUTO_FREE char *shown =
                oc_printable(given, name ? strlen(name) : m.key.len, MAX_SHOWN_CHARS);
        oc_shape_complain(s, "at root: unexpected property '%s'", shown);
        s->cause = OC_CAUSE_UNKNOWN_PROPERTY;
    }
}

char *oc_shape_string(struct oc_shape *s, const struct oc_json_pick *p, size_t max) {
    if (!p->found) {
        return NULL;
    }
    if (p->value.kind != OC_JK_STRING) {
        oc_shape_complain(s, "at /%s: must be string", p->key);
        return NULL;
    }
    struct oc_slice body = oc_json_body(p->value);
    if (body.len == 0) {
        oc_shape_complain(s, "at /%s: must NOT have fewer than 1 characters", p->key);
        return NULL;
    }
    char *text = oc_json_unescape(body, max);
    if (!text) {
        oc_shape_complain(
                s, "at /%s: must NOT have more than %zu characters, nor a NUL", p->key, max);
    }
    return text;
}

char *oc_shape_string_or_null(struct oc_shape *s, const struct oc_json_pick *p, size_t max) {
    return oc_pick_has(p) ? oc_shape_string(s, p, max) : NULL;
}

bool oc_shape_bool(struct oc_shape *s, const struct oc_json_pick *p) {
    if (p->found && p->value.kind != OC_JK_TRUE && p->value.kind != OC_JK_FALSE) {
        oc_shape_complain(s, "at /%s: must be boolean", p->key);
    }
    return p->found && p->value.kind == OC_JK_TRUE;
}

int64_t oc_shape_count(struct oc_shape *s, const struct oc_json_pick *p) {
    int64_t v = -1;
    if (!oc_pick_has(p)) {
        return -1;
    }
    if (!oc_json_int(p->value, -OC_JSON_MAX_EXACT, OC_JSON_MAX_EXACT, &v)) {
        oc_shape_complain(s, "at /%s: must be integer", p->key);
        return -1;
    }
    if (v < 0) {
        oc_shape_complain(s, "at /%s: must be >= 0", p->key);
        return -1;
    }
    return v;
}

enum oc_code oc_shape_finish(struct oc_shape *s, struct oc_error *err) {
    bool is_fine = s->complaints.len == 0 && !s->complaints.failed;
    if (!is_fine) {
        oc_fail_cause(err, OC_E_INVALID, s->cause, "%s",
                s->complaints.data ? s->complaints.data : "wrong shape");
    }
    oc_buf_finish(&s->complaints);
    return is_fine ? OC_OK : OC_E_INVALID;
}
