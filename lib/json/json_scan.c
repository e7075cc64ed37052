/* Walking over JSON text that has been validated. Nothing here checks syntax again, but every loop
 * is bounded by the slice, so a text that was not validated gives nonsense, not a crash. */
#include "lib/json/json_scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t skip_space(struct oc_slice t, size_t i) {
    while (i < t.len && is_space(t.ptr[i])) {
        i++;
    }
    return i;
}

/* i is at an opening quote; the result is behind the closing one. */
static size_t skip_string(struct oc_slice t, size_t i) {
    size_t start = ++i;
    while (i < t.len) {
        const char *quote = memchr(t.ptr + i, '"', t.len - i);
        if (!quote) {
            return t.len;
        }
        size_t at = (size_t)(quote - t.ptr), slashes = 0;
        while (at - slashes > start && t.ptr[at - slashes - 1] == '\\') {
            slashes++;
        }
        i = at + 1;
        if (slashes % 2 == 0) {
            return i;
        }
    }
    return t.len;
}

static size_t skip_value(struct oc_slice t, size_t i) {
    unsigned depth = 0;
    while (i < t.len) {
        switch (t.ptr[i]) {
        case '"':
            i = skip_string(t, i);
            break;
        case '{':
        case '[':
            depth++;
            i++;
            break;
        case '}':
        case ']':
            if (depth == 0) {
                return i;
            }
            depth--;
            i++;
            break;
        default:
            if (depth == 0 && (t.ptr[i] == ',' || is_space(t.ptr[i]))) {
                return i;
            }
            i++;
            continue; /* inside a number, a literal or between tokens */
        }
        if (depth == 0) {
            return i;
        }
    }
    return t.len;
}

static enum oc_json_kind kind_of(char first) {
    switch (first) {
    case '{':
        return OC_JK_OBJECT;
    case '[':
        return OC_JK_ARRAY;
    case '"':
        return OC_JK_STRING;
    case 't':
        return OC_JK_TRUE;
    case 'f':
        return OC_JK_FALSE;
    case 'n':
        return OC_JK_NULL;
    default:
        return OC_JK_NUMBER;
    }
}

static struct oc_json_value value_at(struct oc_slice t, size_t i, size_t *ret_end) {
    size_t end = skip_value(t, i);
    *ret_end = end;
    return (struct oc_json_value){
        .kind = i < t.len ? kind_of(t.ptr[i]) : OC_JK_NULL,
        .raw = { t.ptr + i, end - i },
    };
}

struct oc_json_value oc_json_root(struct oc_slice text) {
    size_t end;
    if (text.len == 0) {
        return (struct oc_json_value){ .kind = OC_JK_NULL };
    }
    return value_at(text, skip_space(text, 0), &end);
}

struct oc_slice oc_json_body(struct oc_json_value v) {
    if (v.kind != OC_JK_STRING || v.raw.len < 2) {
        return (struct oc_slice){ 0 };
    }
    return (struct oc_slice){ v.raw.ptr + 1, v.raw.len - 2 };
}

bool oc_json_next_item(struct oc_slice array, struct oc_json_cursor *c, struct oc_json_value *ret) {
    size_t i = c->pos;
    if (!c->started) {
        c->started = true;
        i = skip_space(array, 0) + 1; /* behind '[' */
    }
    i = skip_space(array, i);
    if (i < array.len && array.ptr[i] == ',') {
        i = skip_space(array, i + 1);
    }
    if (i >= array.len || array.ptr[i] == ']') {
        c->pos = array.len;
        return false;
    }
    *ret = value_at(array, i, &c->pos);
    return true;
}

bool oc_json_next(struct oc_slice object, struct oc_json_cursor *c, struct oc_json_member *ret) {
    size_t i = c->pos;
    if (!c->started) {
        c->started = true;
        i = skip_space(object, 0) + 1; /* behind '{' */
    }
    i = skip_space(object, i);
    if (i < object.len && object.ptr[i] == ',') {
        i = skip_space(object, i + 1);
    }
    if (i >= object.len || object.ptr[i] != '"') {
        c->pos = object.len;
        return false;
    }
    size_t end = skip_string(object, i);
    struct oc_slice key = { object.ptr + i + 1, end - i >= 2 ? end - i - 2 : 0 };
    i = skip_space(object, end);
    i = skip_space(object, i < object.len ? i + 1 : i); /* ':' */
    ret->key = key;
    ret->value = value_at(object, i, &c->pos);
    return true;
}

static bool key_equals(struct oc_slice body, const char *key) {
    if (body.len == 0 || (body.ptr[0] != key[0] && body.ptr[0] != '\\')) {
        return body.len == 0 && !*key; /* nearly always: it is another's */
    }
    size_t len = strlen(key);
    if (!memchr(body.ptr, '\\', body.len)) {
        return body.len == len && memcmp(body.ptr, key, len) == 0;
    }
    char piece[64];
    size_t n;
    while ((n = oc_json_unescape_step(&body, piece, sizeof(piece))) > 0) {
        if (n > len || memcmp(piece, key, n) != 0) {
            return false;
        }
        key += n;
        len -= n;
    }
    return len == 0;
}

bool oc_json_find(struct oc_slice object, const char *key, struct oc_json_value *ret) {
    struct oc_json_cursor c = { 0 };
    struct oc_json_member m;
    while (oc_json_next(object, &c, &m)) {
        if (key_equals(m.key, key)) {
            *ret = m.value;
            return true;
        }
    }
    return false;
}

const char *oc_json_pick_all(struct oc_slice object, struct oc_json_pick *picks, size_t n) {
    struct oc_json_cursor c = { 0 };
    struct oc_json_member m;
    const char *twice = NULL;
    while (oc_json_next(object, &c, &m)) {
        for (size_t i = 0; i < n; i++) {
            if (!key_equals(m.key, picks[i].key)) {
                continue;
            }
            twice = picks[i].found ? picks[i].key : twice;
            picks[i].value = m.value;
            picks[i].found = true;
            break;
        }
    }
    return twice;
}

bool oc_json_int(struct oc_json_value v, int64_t min, int64_t max, int64_t *ret) {
    char text[64]; /* longer spellings of an integer exist, but nobody sends them */
    if (v.kind != OC_JK_NUMBER || v.raw.len >= sizeof(text)) {
        return false;
    }
    memcpy(text, v.raw.ptr, v.raw.len);
    text[v.raw.len] = '\0';
    double d = strtod(text, NULL);
    if (d != floor(d) || !(fabs(d) <= 9007199254740992.0)) {
        return false;
    }
    int64_t i = (int64_t)d;
    if (i < min || i > max) {
        return false;
    }
    *ret = i;
    return true;
}
