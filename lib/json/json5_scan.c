#include "lib/json/json5_scan.h"

#include "lib/base/mem.h"
#include "lib/base/one_of.h"
#include "lib/base/str.h"
#include "lib/json/json.h"

#include <string.h>

static bool json5_scan_at(struct oc_slice t, size_t i, const char *what) {
    size_t n = strlen(what);
    return t.len - i >= n && memcmp(t.ptr + i, what, n) == 0;
}

static size_t space_at(struct oc_slice t, size_t i) {
    static const char *const wide[] = { "\xc2\xa0", "\xef\xbb\xbf", "\xe2\x80\xa8",
        "\xe2\x80\xa9" };
    if (i >= t.len) {
        return 0;
    }
    if ((unsigned char)t.ptr[i] < 0x80) { /* nearly all of a text */
        return t.ptr[i] == ' ' || (t.ptr[i] >= '\t' && t.ptr[i] <= '\r');
    }
    for (size_t k = 0; k < OC_COUNT(wide); k++) {
        if (json5_scan_at(t, i, wide[k])) {
            return strlen(wide[k]);
        }
    }
    return 0;
}

static size_t skip_blank(struct oc_slice t, size_t i) {
    for (;;) {
        size_t n = space_at(t, i);
        if (n) {
            i += n;
        } else if (json5_scan_at(t, i, "//")) {
            while (i < t.len && t.ptr[i] != '\n' && t.ptr[i] != '\r') {
                i++;
            }
        } else if (json5_scan_at(t, i, "/*")) {
            for (i += 2; i < t.len && !json5_scan_at(t, i, "*/"); i++) {
            }
            i = i + 2 < t.len ? i + 2 : t.len;
        } else {
            return i;
        }
    }
}

size_t oc_json5_blank(struct oc_slice text) {
    return skip_blank(text, 0);
}

static size_t skip_string(struct oc_slice t, size_t i) {
    char quote = t.ptr[i++];
    while (i < t.len && t.ptr[i] != quote) {
        i += t.ptr[i] == '\\' ? 2 : 1;
    }
    return i < t.len ? i + 1 : t.len;
}

static bool is_quote(char c) {
    return c == '"' || c == '\'';
}

/* A number, a literal or an unquoted key. */
static size_t skip_word(struct oc_slice t, size_t i) {
    while (i < t.len && t.ptr[i] && !oc_is_one_of(t.ptr[i], ",]}:/") && !space_at(t, i)) {
        i++;
    }
    return i;
}

static size_t skip_container(struct oc_slice t, size_t i) {
    size_t depth = 0;
    while (i < t.len) {
        char c = t.ptr[i];
        if (is_quote(c)) {
            i = skip_string(t, i);
            continue;
        }
        size_t next = skip_blank(t, i);
        if (next > i) {
            i = next;
            continue;
        }
        i++;
        if (c == '{' || c == '[') {
            depth++;
        } else if ((c == '}' || c == ']') && --depth == 0) {
            break;
        }
    }
    return i;
}

static size_t skip_value(struct oc_slice t, size_t i) {
    if (i >= t.len) {
        return t.len;
    }
    char c = t.ptr[i];
    return is_quote(c)            ? skip_string(t, i)
           : c == '{' || c == '[' ? skip_container(t, i)
                                  : skip_word(t, i);
}

struct oc_slice oc_json5_root(struct oc_slice text) {
    size_t from = skip_blank(text, 0), to = skip_value(text, from);
    return (struct oc_slice){ text.ptr + from, to - from };
}

static char *decode_key(struct oc_slice name) {
    if (name.len == 0 || !is_quote(name.ptr[0])) {
        return oc_strndup(name.ptr, name.len);
    }
    OC_AUTO_JSON cJSON *v = NULL;
    struct oc_error ignored;
    return oc_json5_parse(name.ptr, name.len, &v, &ignored) == OC_OK && cJSON_IsString(v)
                   ? oc_strdup(v->valuestring)
                   : oc_strndup(name.ptr, name.len);
}

void oc_json5_item_finish(struct oc_json5_item *item) {
    oc_free(item->key);
    *item = (struct oc_json5_item){ 0 };
}

bool oc_json5_next(
        struct oc_slice container, struct oc_json5_cursor *c, struct oc_json5_item *ret) {
    if (container.len < 2 || (container.ptr[0] != '{' && container.ptr[0] != '[')) {
        return false;
    }
    size_t i = skip_blank(container, c->pos ? c->pos : 1);
    if (i >= container.len || container.ptr[i] == '}' || container.ptr[i] == ']') {
        return false;
    }
    struct oc_json5_item item = { .index = c->index++ };
    if (container.ptr[0] == '{') {
        size_t end =
                is_quote(container.ptr[i]) ? skip_string(container, i) : skip_word(container, i);
        item.name = (struct oc_slice){ container.ptr + i, end - i };
        item.key = decode_key(item.name);
        i = skip_blank(container, end);
        i = skip_blank(container, i < container.len ? i + 1 : i); /* the colon */
    }
    size_t end = skip_value(container, i);
    item.value = (struct oc_slice){ container.ptr + i, end - i };
    i = skip_blank(container, end);
    if (i < container.len && container.ptr[i] == ',') {
        item.comma = container.ptr + i;
        i++;
    }
    c->pos = i;
    *ret = item;
    return true;
}

bool oc_json5_find(struct oc_slice value, const char *key, struct oc_json5_item *ret) {
    struct oc_json5_cursor c = { 0 };
    struct oc_json5_item item;
    int64_t wanted = -1;
    if (value.len > 0 && value.ptr[0] == '[' && !oc_parse_int(key, 0, INT32_MAX, &wanted)) {
        return false;
    }
    while (oc_json5_next(value, &c, &item)) {
        if (item.key ? strcmp(item.key, key) == 0 : (int64_t)item.index == wanted) {
            *ret = item;
            return true;
        }
        oc_json5_item_finish(&item);
    }
    return false;
}

void oc_json5_position(
        struct oc_slice text, const char *where, unsigned *ret_line, unsigned *ret_col) {
    unsigned line = 1, column = 1;
    for (const char *p = text.ptr; p < where && p < text.ptr + text.len; p++) {
        if (*p == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)*p & 0xc0) != 0x80) {
            column++;
        }
    }
    *ret_line = line;
    *ret_col = column;
}
