/* A reader for files people write: JSON5 into the same tree. Recursive, at most OC_JSON_MAX_DEPTH
 * deep. */
#include "lib/base/encode.h"
#include "lib/base/map.h"
#include "lib/base/utf8.h"
#include "lib/json/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct json5_reader {
    const char *start, *p, *end;
    unsigned depth;
    struct oc_json5_fault fault;
};

static enum oc_code fail_at(struct json5_reader *r, const char *at, const char *what) {
    unsigned line = 1, column = 1;
    for (const char *p = r->start; p < at; p++) {
        if (*p == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)*p & 0xc0) != 0x80) {
            column++;
        }
    }
    r->fault = (struct oc_json5_fault){ line, column, what };
    return OC_E_INVALID;
}

static enum oc_code json5_fail(struct json5_reader *r, const char *what) {
    return fail_at(r, r->p, what);
}

static bool looking_at(const struct json5_reader *r, const char *s) {
    size_t n = strlen(s);
    return (size_t)(r->end - r->p) >= n && memcmp(r->p, s, n) == 0;
}

/* Bytes of white space at p: ASCII, no-break space, BOM, line and paragraph separator. */
static size_t space_at(const struct json5_reader *r) {
    static const char *const spaces[] = { " ", "\t", "\n", "\r", "\v", "\f", "\xc2\xa0",
        "\xef\xbb\xbf", "\xe2\x80\xa8", "\xe2\x80\xa9" };
    for (size_t i = 0; i < OC_COUNT(spaces); i++) {
        if (looking_at(r, spaces[i])) {
            return strlen(spaces[i]);
        }
    }
    return 0;
}

static enum oc_code skip_space(struct json5_reader *r) {
    for (;;) {
        size_t n = space_at(r);
        if (n) {
            r->p += n;
        } else if (looking_at(r, "//")) {
            while (r->p < r->end && *r->p != '\n' && *r->p != '\r') {
                r->p++;
            }
        } else if (looking_at(r, "/*")) {
            const char *open = r->p;
            r->p += 2;
            while (!looking_at(r, "*/")) {
                if (r->p == r->end) {
                    return fail_at(r, open, "this comment never ends");
                }
                r->p++;
            }
            r->p += 2;
        } else {
            return OC_OK;
        }
    }
}

static enum oc_code read_hex(struct json5_reader *r, int digits, unsigned *ret) {
    unsigned v = 0;
    for (int i = 0; i < digits; i++, r->p++) {
        int d = r->p < r->end ? oc_hex_value(*r->p) : -1;
        if (d < 0) {
            return json5_fail(r, "expected a hexadecimal digit");
        }
        v = v << 4 | (unsigned)d;
    }
    *ret = v;
    return OC_OK;
}

static void put_code_point(struct oc_buf *out, unsigned c) {
    char s[4];
    oc_buf_append(out, s, oc_utf8_put(s, c));
}

/* Behind "\u" or "\x". */
static enum oc_code read_code_point(struct json5_reader *r, bool is_x, struct oc_buf *out) {
    const char *at = r->p;
    unsigned c = 0, low = 0;
    enum oc_code rc = read_hex(r, is_x ? 2 : 4, &c);
    if (rc != OC_OK) {
        return rc;
    }
    if (c == 0) {
        return fail_at(r, at, "a string cannot hold a NUL character");
    }
    if (c >= 0xd800 && c <= 0xdbff && looking_at(r, "\\u")) {
        r->p += 2;
        rc = read_hex(r, 4, &low);
        if (rc != OC_OK) {
            return rc;
        }
        if (low >= 0xdc00 && low <= 0xdfff) {
            put_code_point(out, 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00));
            return OC_OK;
        }
        c = 0xd800;
    }
    if (c >= 0xd800 && c <= 0xdfff) {
        return fail_at(r, at, "half of a surrogate pair");
    }
    put_code_point(out, c);
    return OC_OK;
}

/* Behind a backslash. */
static enum oc_code read_escape(struct json5_reader *r, struct oc_buf *out) {
    static const char names[] = "bfnrtv", meanings[] = "\b\f\n\r\t\v";
    static const char *const breaks[] = { "\r\n", "\n", "\r", "\xe2\x80\xa8", "\xe2\x80\xa9" };
    if (r->p == r->end) {
        return json5_fail(r, "the text ends inside a string");
    }
    for (size_t i = 0; i < OC_COUNT(breaks); i++) {
        if (looking_at(r, breaks[i])) {
            r->p += strlen(breaks[i]); /* a continued line */
            return OC_OK;
        }
    }
    char c = *r->p;
    if (c == 'u' || c == 'x') {
        r->p++;
        return read_code_point(r, c == 'x', out);
    }
    if (c >= '0' && c <= '9') {
        return json5_fail(r, "digits cannot be escaped");
    }
    const char *name = c ? strchr(names, c) : NULL;
    if (name) {
        oc_buf_putc(out, meanings[name - names]);
        r->p++;
    } else {
        size_t n = oc_utf8_char(r->p, (size_t)(r->end - r->p));
        oc_buf_append(out, r->p, n);
        r->p += n;
    }
    return OC_OK;
}

static enum oc_code read_string(struct json5_reader *r, char **ret) {
    const char *open = r->p;
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(SIZE_MAX / 2);
    for (r->p++; r->p < r->end && *r->p != *open;) {
        char c = *r->p;
        if (c == '\n' || c == '\r') {
            return fail_at(r, open, "this string is not closed on its line");
        }
        if (c == '\0') {
            return json5_fail(r, "a string cannot hold a NUL character");
        }
        r->p++;
        if (c != '\\') {
            oc_buf_putc(&out, c);
            continue;
        }
        enum oc_code rc = read_escape(r, &out);
        if (rc != OC_OK) {
            return rc;
        }
    }
    if (r->p == r->end) {
        return fail_at(r, open, "this string is never closed");
    }
    r->p++;
    *ret = oc_buf_take(&out);
    return OC_OK;
}

static bool is_word_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || (unsigned char)c >= 0x80;
}

/* The length of the word at p: an unquoted key, a literal. */
static size_t word_at(const struct json5_reader *r) {
    size_t n = 0;
    while (r->p + n < r->end && is_word_char(r->p[n])) {
        struct json5_reader at = *r;
        at.p += n;
        if (space_at(&at)) {
            break;
        }
        n++;
    }
    return n;
}

static enum oc_code read_key(struct json5_reader *r, char **ret) {
    if (r->p < r->end && (*r->p == '"' || *r->p == '\'')) {
        return read_string(r, ret);
    }
    size_t n = word_at(r);
    if (n == 0 || (*r->p >= '0' && *r->p <= '9')) {
        return json5_fail(r, "expected a key");
    }
    *ret = oc_strndup(r->p, n);
    r->p += n;
    return OC_OK;
}

static size_t digits_at(const char *p, const char *end) {
    size_t n = 0;
    while (p + n < end && p[n] >= '0' && p[n] <= '9') {
        n++;
    }
    return n;
}

/* Hexadecimal integers; exact up to 2^53. */
static enum oc_code read_hex_number(struct json5_reader *r, double *ret) {
    const char *at = r->p;
    double v = 0;
    for (r->p += 2; r->p < r->end && oc_hex_value(*r->p) >= 0; r->p++) {
        v = v * 16 + oc_hex_value(*r->p);
    }
    if (r->p == at + 2 || v > OC_JSON_MAX_EXACT) {
        return fail_at(r, at, "not a hexadecimal number that can be kept exactly");
    }
    *ret = v;
    return OC_OK;
}

static enum oc_code read_decimal(struct json5_reader *r, double *ret) {
    const char *at = r->p, *p = at;
    size_t whole = digits_at(p, r->end), part = 0;
    bool has_leading_zero = whole > 1 && *p == '0';
    p += whole;
    if (p < r->end && *p == '.') {
        part = digits_at(++p, r->end);
        p += part;
    }
    if ((whole == 0 && part == 0) || has_leading_zero) {
        return fail_at(
                r, at, has_leading_zero ? "a number cannot start with 0" : "expected a value");
    }
    if (p < r->end && (*p == 'e' || *p == 'E')) {
        p++;
        p += p < r->end && (*p == '+' || *p == '-') ? 1 : 0;
        size_t n = digits_at(p, r->end);
        if (n == 0) {
            return fail_at(r, at, "this number has no exponent behind its e");
        }
        p += n;
    }
    OC_AUTO_FREE char *text = oc_strndup(at, (size_t)(p - at));
    *ret = strtod(text, NULL);
    if (!isfinite(*ret)) {
        return fail_at(r, at, "this number is too large");
    }
    r->p = p;
    return OC_OK;
}

static enum oc_code read_number(struct json5_reader *r, cJSON **ret) {
    const char *at = r->p;
    double sign = 1, v = 0;
    if (*r->p == '+' || *r->p == '-') {
        sign = *r->p++ == '-' ? -1 : 1;
    }
    bool is_hex = looking_at(r, "0x") || looking_at(r, "0X");
    enum oc_code rc = is_hex ? read_hex_number(r, &v) : read_decimal(r, &v);
    if (rc != OC_OK) {
        return rc;
    }
    if (word_at(r) > 0) {
        return fail_at(r, at, "expected a value");
    }
    *ret = cJSON_CreateNumber(sign * v);
    return OC_OK;
}

static enum oc_code read_value(struct json5_reader *r, cJSON **ret);

/* Behind an item: true at the closing bracket, which is taken. */
static enum oc_code end_of_item(struct json5_reader *r, char close, bool *ret_done) {
    enum oc_code rc = skip_space(r);
    if (rc != OC_OK) {
        return rc;
    }
    bool has_comma = r->p < r->end && *r->p == ',';
    if (has_comma) {
        r->p++;
        rc = skip_space(r);
        if (rc != OC_OK) {
            return rc;
        }
    }
    *ret_done = r->p < r->end && *r->p == close;
    if (*ret_done) {
        r->p++;
    } else if (!has_comma) {
        return json5_fail(r, close == '}' ? "expected ',' or '}'" : "expected ',' or ']'");
    }
    return OC_OK;
}

static enum oc_code read_member(struct json5_reader *r, cJSON *object, struct oc_map *seen) {
    const char *at = r->p;
    OC_AUTO_FREE char *key = NULL;
    enum oc_code rc = read_key(r, &key);
    if (rc != OC_OK) {
        return rc;
    }
    if (oc_map_put(seen, key, object)) {
        return fail_at(r, at, "this key is already in the object");
    }
    rc = skip_space(r);
    if (rc != OC_OK) {
        return rc;
    }
    if (r->p == r->end || *r->p != ':') {
        return json5_fail(r, "expected ':' after the key");
    }
    r->p++;
    cJSON *value = NULL;
    rc = read_value(r, &value);
    if (rc == OC_OK) {
        cJSON_AddItemToObject(object, key, value);
    }
    return rc;
}

static enum oc_code read_items(
        struct json5_reader *r, cJSON *into, struct oc_map *seen, char close) {
    r->p++;
    enum oc_code rc = skip_space(r);
    bool done = rc == OC_OK && r->p < r->end && *r->p == close;
    if (done) {
        r->p++;
    }
    while (rc == OC_OK && !done) {
        if (seen) {
            rc = read_member(r, into, seen);
        } else {
            cJSON *value = NULL;
            rc = read_value(r, &value);
            if (rc == OC_OK) {
                cJSON_AddItemToArray(into, value);
            }
        }
        if (rc == OC_OK) {
            rc = end_of_item(r, close, &done);
        }
    }
    return rc;
}

static enum oc_code read_container(struct json5_reader *r, cJSON **ret) {
    bool is_object = *r->p == '{';
    if (r->depth == OC_JSON_MAX_DEPTH) {
        return json5_fail(r, "too many levels");
    }
    r->depth++;
    OC_AUTO_JSON cJSON *v = is_object ? cJSON_CreateObject() : cJSON_CreateArray();
    struct oc_map *seen = is_object ? oc_map_create() : NULL;
    enum oc_code rc = read_items(r, v, seen, is_object ? '}' : ']');
    oc_map_destroy(seen);
    r->depth--;
    if (rc == OC_OK) {
        *ret = oc_take(&v);
    }
    return rc;
}

static enum oc_code read_word(struct json5_reader *r, cJSON **ret) {
    size_t n = word_at(r);
    struct oc_slice word = { r->p, n };
    if (oc_slice_eq(word, "Infinity") || oc_slice_eq(word, "NaN")) {
        return json5_fail(r, "Infinity and NaN cannot be kept in JSON");
    }
    *ret = oc_slice_eq(word, "true")    ? cJSON_CreateTrue()
           : oc_slice_eq(word, "false") ? cJSON_CreateFalse()
           : oc_slice_eq(word, "null")  ? cJSON_CreateNull()
                                        : NULL;
    if (!*ret) {
        return json5_fail(r, r->p == r->end ? "the text ends where a value should be"
                             : n            ? "expected a value (text needs quotes)"
                                            : "expected a value");
    }
    r->p += n;
    return OC_OK;
}

static enum oc_code read_value(struct json5_reader *r, cJSON **ret) {
    enum oc_code rc = skip_space(r);
    if (rc != OC_OK) {
        return rc;
    }
    char c = '\0';
    if (r->p < r->end) {
        c = *r->p;
    }
    if (c == '{' || c == '[') {
        return read_container(r, ret);
    }
    if (c == '"' || c == '\'') {
        OC_AUTO_FREE char *text = NULL;
        rc = read_string(r, &text);
        if (rc == OC_OK) {
            *ret = cJSON_CreateString(text);
        }
        return rc;
    }
    if ((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.') {
        return read_number(r, ret);
    }
    return read_word(r, ret);
}

static enum oc_code read_text(struct json5_reader *r, cJSON **ret) {
    for (const char *p = r->start; p < r->end;) {
        size_t n = oc_utf8_char(p, (size_t)(r->end - p));
        if (!n) {
            return fail_at(r, p, "this is not UTF-8");
        }
        p += n;
    }
    OC_AUTO_JSON cJSON *v = NULL;
    enum oc_code rc = read_value(r, &v);
    if (rc == OC_OK) {
        rc = skip_space(r);
    }
    if (rc == OC_OK && r->p < r->end) {
        rc = json5_fail(r, "more text behind the end of the value");
    }
    if (rc == OC_OK) {
        *ret = oc_take(&v);
    }
    return rc;
}

bool oc_json5_parse_at(const char *text, size_t len, cJSON **ret, struct oc_json5_fault *fault) {
    struct json5_reader r = { .start = text, .p = text, .end = text + len };
    bool is_good = read_text(&r, ret) == OC_OK;
    *fault = r.fault;
    return is_good;
}

enum oc_code oc_json5_parse(const char *text, size_t len, cJSON **ret, struct oc_error *err) {
    struct oc_json5_fault f;
    return oc_json5_parse_at(text, len, ret, &f)
                   ? OC_OK
                   : oc_fail(err, OC_E_INVALID, "line %u, column %u: %s", f.line, f.column, f.why);
}
