/* JSON text to a value. lib/json/json.c refuses U+0000 and repeated keys, which agents send and
 * every other A2UI renderer takes. */
#include "canvas/value/value.h"

#include "lib/base/mem.h"
#include "lib/base/one_of.h"
#include "lib/base/utf8.h"
#include "lib/json/json_run.h"
#include "lib/json/json_scan.h"

#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

struct parser {
    const char *start, *at, *end;
    size_t *budget;     /* values that may still be made */
    struct oc_buf text; /* scratch for strings with escapes */
    struct oc_error *err;
    size_t *ret_at; /* NULL: the text of the error says where */
    enum oc_code rc;
};

static void value_parse_refuse(struct parser *p, enum oc_code code, const char *what) {
    size_t at = (size_t)(p->at - p->start);
    if (p->rc == OC_OK && p->ret_at) {
        *p->ret_at = at;
        p->rc = oc_fail(p->err, code, "%s", what);
    } else if (p->rc == OC_OK) {
        p->rc = oc_fail(p->err, code, "%s at position %zu", what, at);
    }
}

static void value_parse_unexpected(struct parser *p) {
    if (p->at == p->end) {
        value_parse_refuse(p, OC_E_INVALID, "unexpected end of JSON");
        return;
    }
    char what[40];
    unsigned char c = (unsigned char)*p->at;
    if (c > 0x20 && c < 0x7f) {
        snprintf(what, sizeof(what), "unexpected '%c'", c);
    } else {
        snprintf(what, sizeof(what), "unexpected byte 0x%02x", c);
    }
    value_parse_refuse(p, OC_E_INVALID, what);
}

static void skip_space(struct parser *p) {
    while (p->at < p->end &&
            (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r')) {
        p->at++;
    }
}

static bool next_is(struct parser *p, char c) {
    if (p->at == p->end || *p->at != c) {
        return false;
    }
    p->at++;
    return true;
}

/* Bytes at p->at that mean themselves. */
static size_t plain_run(const struct parser *p) {
    size_t left = (size_t)(p->end - p->at), n = oc_json_plain_run(p->at, left);
    for (; n < left; n++) {
        unsigned char c = (unsigned char)p->at[n];
        if (c == '"' || c == '\\' || (c < 0x20 && c != 0) || c >= 0x80) {
            break;
        }
    }
    return n;
}

static bool is_hex(const char *s) {
    return strspn(s, "0123456789abcdefABCDEF") >= 4;
}

static bool value_parse_escape(struct parser *p) {
    size_t left = (size_t)(p->end - p->at);
    char ahead[8] = { 0 };
    memcpy(ahead, p->at, left < 7 ? left : 7);
    if (!oc_is_one_of(ahead[1], "\"\\/bfnrtu") || (ahead[1] == 'u' && !is_hex(ahead + 2))) {
        p->at++;
        value_parse_unexpected(p);
        return false;
    }
    size_t used;
    unsigned c = oc_json_escape_at(p->at, left, &used);
    char utf8[4];
    oc_buf_append(&p->text, utf8, oc_utf8_put(utf8, c == OC_JSON_LONE_SURROGATE ? 0xfffd : c));
    p->at += used;
    return true;
}

/* After the opening quote. The slice lives until the next string. */
static bool value_parse_string(struct parser *p, struct oc_slice *ret) {
    size_t n = plain_run(p);
    if (n < (size_t)(p->end - p->at) && p->at[n] == '"') {
        *ret = (struct oc_slice){ p->at, n };
        p->at += n + 1;
        return true;
    }
    oc_buf_clear(&p->text);
    for (;;) {
        oc_buf_append(&p->text, p->at, n);
        p->at += n;
        if (p->at == p->end) {
            break;
        }
        unsigned char c = (unsigned char)*p->at;
        if (c == '"') {
            p->at++;
            *ret = (struct oc_slice){ p->text.data ? p->text.data : "", p->text.len };
            return true;
        }
        if (c == '\\') {
            if (!value_parse_escape(p)) {
                return false;
            }
        } else if (c >= 0x80) {
            size_t len = oc_utf8_char(p->at, (size_t)(p->end - p->at));
            oc_buf_append(&p->text, len ? p->at : REPLACEMENT, len ? len : 3);
            p->at += len ? len : 1;
        } else {
            break; /* a raw control character */
        }
        n = plain_run(p);
    }
    value_parse_unexpected(p);
    return false;
}

static size_t value_parse_digits(struct parser *p) {
    size_t n = 0;
    while (p->at < p->end && *p->at >= '0' && *p->at <= '9') {
        p->at++;
        n++;
    }
    return n;
}

static struct cv_value *value_parse_number(struct parser *p) {
    const char *from = p->at;
    next_is(p, '-');
    if (!next_is(p, '0') && !value_parse_digits(p)) {
        value_parse_unexpected(p);
        return NULL;
    }
    if (next_is(p, '.') && !value_parse_digits(p)) {
        value_parse_unexpected(p);
        return NULL;
    }
    if (next_is(p, 'e') || next_is(p, 'E')) {
        if (!next_is(p, '+')) {
            next_is(p, '-');
        }
        if (!value_parse_digits(p)) {
            value_parse_unexpected(p);
            return NULL;
        }
    }
    return cv_value_create_number(cv_number_parse(from, (size_t)(p->at - from)));
}

static bool value_parse_word(struct parser *p, const char *text) {
    size_t len = strlen(text);
    if ((size_t)(p->end - p->at) < len || memcmp(p->at, text, len) != 0) {
        return false;
    }
    p->at += len;
    return true;
}

static struct cv_value *value_parse_value(struct parser *p, unsigned depth);

static struct cv_value *value_parse_map(struct parser *p, unsigned depth) {
    OC_AUTO(cv_value) struct cv_value *m = cv_value_create(CV_V_MAP);
    skip_space(p);
    if (next_is(p, '}')) {
        return oc_take(&m);
    }
    for (;;) {
        struct oc_slice found;
        skip_space(p);
        if (!next_is(p, '"')) {
            value_parse_unexpected(p);
            return NULL;
        }
        if (!value_parse_string(p, &found)) {
            return NULL;
        }
        /* The value's strings overwrite the scratch, so the key goes in first. */
        OC_AUTO_FREE char *kept = NULL;
        if (found.ptr == p->text.data) {
            kept = oc_alloc(found.len + 1);
            memcpy(kept, found.ptr, found.len);
            found.ptr = kept;
        }
        skip_space(p);
        if (!next_is(p, ':')) {
            value_parse_unexpected(p);
            return NULL;
        }
        struct cv_value *member = value_parse_value(p, depth + 1);
        if (!member) {
            return NULL;
        }
        cv_value_set(m, found, member);
        skip_space(p);
        if (next_is(p, '}')) {
            return oc_take(&m);
        }
        if (!next_is(p, ',')) {
            value_parse_unexpected(p);
            return NULL;
        }
    }
}

static struct cv_value *value_parse_array(struct parser *p, unsigned depth) {
    OC_AUTO(cv_value) struct cv_value *a = cv_value_create(CV_V_ARRAY);
    skip_space(p);
    if (next_is(p, ']')) {
        return oc_take(&a);
    }
    for (;;) {
        struct cv_value *item = value_parse_value(p, depth + 1);
        if (!item) {
            return NULL;
        }
        cv_value_append(a, item);
        skip_space(p);
        if (next_is(p, ']')) {
            return oc_take(&a);
        }
        if (!next_is(p, ',')) {
            value_parse_unexpected(p);
            return NULL;
        }
    }
}

/* Recurses, at most CV_VALUE_MAX_DEPTH deep. */
static struct cv_value *value_parse_value(struct parser *p, unsigned depth) {
    skip_space(p);
    if (!*p->budget) {
        value_parse_refuse(p, OC_E_TOO_LARGE, "too many values");
        return NULL;
    }
    --*p->budget;
    if (p->at == p->end) {
        value_parse_unexpected(p);
        return NULL;
    }
    char c = *p->at;
    if (c == '{' || c == '[') {
        if (depth >= CV_VALUE_MAX_DEPTH) {
            value_parse_refuse(p, OC_E_TOO_LARGE, "nested too deep");
            return NULL;
        }
        p->at++;
        return c == '{' ? value_parse_map(p, depth) : value_parse_array(p, depth);
    }
    if (next_is(p, '"')) {
        struct oc_slice s;
        return value_parse_string(p, &s) ? cv_value_create_string(s.ptr, s.len) : NULL;
    }
    if (c == '-' || (c >= '0' && c <= '9')) {
        return value_parse_number(p);
    }
    if (value_parse_word(p, "true")) {
        return cv_value_create_bool(true);
    }
    if (value_parse_word(p, "false")) {
        return cv_value_create_bool(false);
    }
    if (value_parse_word(p, "null")) {
        return cv_value_create(CV_V_NULL);
    }
    value_parse_unexpected(p);
    return NULL;
}

enum oc_code cv_value_parse_within(
        const char *text, size_t len, size_t *budget, struct cv_value **ret, struct oc_error *err) {
    return cv_value_parse_at(text, len, budget, ret, NULL, err);
}

enum oc_code cv_value_parse_at(const char *text, size_t len, size_t *budget, struct cv_value **ret,
        size_t *ret_at, struct oc_error *err) {
    struct parser p = { .start = text,
        .at = text,
        .end = text + len,
        .budget = budget,
        .text = OC_BUF_INIT(len + len / 2 * 4 + 16),
        .ret_at = ret_at,
        .err = err };
    OC_AUTO(cv_value) struct cv_value *v = value_parse_value(&p, 0);
    if (v) {
        skip_space(&p);
        if (p.at < p.end) {
            value_parse_unexpected(&p);
        }
    }
    oc_buf_finish(&p.text);
    if (p.rc == OC_OK) {
        *ret = oc_take(&v);
    }
    return p.rc;
}

enum oc_code cv_value_parse(
        const char *text, size_t len, struct cv_value **ret, struct oc_error *err) {
    size_t budget = CV_VALUE_MAX_VALUES;
    return cv_value_parse_within(text, len, &budget, ret, err);
}
