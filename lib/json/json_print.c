/* Text from a tree. cJSON's own printer rounds numbers to 15 digits and indents with tabs. */
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "lib/json/json.h"
#include "lib/json/json_scan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names of files are bytes, JSON is UTF-8: a peer hangs up on anything else, and a file of ours
 * could not be read back. */
enum oc_code oc_json_append_string(struct oc_buf *out, const char *s, size_t len) {
    struct oc_slice text = { s, len };
    OC_AUTO_BUF struct oc_buf repaired = OC_BUF_INIT(SIZE_MAX / 2);
    if (!oc_utf8_valid(s, len)) {
        oc_utf8_append_repaired(&repaired, s, len);
        text = (struct oc_slice){ repaired.data, repaired.len };
    }
    char piece[1024];
    size_t n;
    oc_buf_putc(out, '"');
    while (!out->failed && (n = oc_json_escape_step(&text, piece, sizeof(piece))) > 0) {
        oc_buf_append(out, piece, n);
    }
    return oc_buf_putc(out, '"');
}

/* A short text that reads back as the same double. */
static void put_number(struct oc_buf *out, double d) {
    if (!isfinite(d)) {
        oc_buf_puts(out, "null"); /* what JavaScript writes */
        return;
    }
    if (d == floor(d) && fabs(d) <= OC_JSON_MAX_EXACT) {
        oc_buf_printf(out, "%lld", (long long)d);
        return;
    }
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(text, sizeof(text), "%.*g", digits, d);
        if (strtod(text, NULL) == d) {
            break;
        }
    }
    oc_buf_puts(out, text);
}

static void new_line(struct oc_buf *out, bool pretty, unsigned depth) {
    if (!pretty) {
        return;
    }
    oc_buf_putc(out, '\n');
    for (unsigned i = 0; i < depth; i++) {
        oc_buf_append(out, "  ", 2);
    }
}

static void put_value(struct oc_buf *out, const cJSON *v, bool pretty, unsigned depth);

static void put_children(struct oc_buf *out, const cJSON *v, bool pretty, unsigned depth) {
    bool is_object = cJSON_IsObject(v);
    oc_buf_putc(out, is_object ? '{' : '[');
    const cJSON *child;
    cJSON_ArrayForEach(child, v) {
        if (child != v->child) {
            oc_buf_putc(out, ',');
        }
        new_line(out, pretty, depth + 1);
        if (is_object) {
            const char *key = child->string ? child->string : "";
            oc_json_append_string(out, key, strlen(key));
            oc_buf_puts(out, pretty ? ": " : ":");
        }
        put_value(out, child, pretty, depth + 1);
    }
    if (v->child) {
        new_line(out, pretty, depth);
    }
    oc_buf_putc(out, is_object ? '}' : ']');
}

static void put_value(struct oc_buf *out, const cJSON *v, bool pretty, unsigned depth) {
    if (cJSON_IsObject(v) || cJSON_IsArray(v)) {
        put_children(out, v, pretty, depth);
    } else if (cJSON_IsString(v)) {
        oc_json_append_string(out, v->valuestring, strlen(v->valuestring));
    } else if (cJSON_IsNumber(v)) {
        put_number(out, v->valuedouble);
    } else if (cJSON_IsBool(v)) {
        oc_buf_puts(out, cJSON_IsTrue(v) ? "true" : "false");
    } else if (cJSON_IsRaw(v) && v->valuestring) {
        oc_buf_puts(out, v->valuestring);
    } else {
        oc_buf_puts(out, "null");
    }
}

enum oc_code oc_json_append(struct oc_buf *out, const cJSON *v, bool pretty) {
    put_value(out, v, pretty, 0);
    return out->failed ? OC_E_TOO_LARGE : OC_OK;
}

char *oc_json_print(const cJSON *v, bool pretty) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(SIZE_MAX / 2);
    oc_json_append(&out, v, pretty);
    return oc_buf_take(&out);
}

void oc_json_escape_char(unsigned c, char ret[OC_JSON_ESCAPE]) {
    if (c > 0xffff) {
        snprintf(ret, OC_JSON_ESCAPE, "\\u%04x\\u%04x", 0xd800u + ((c - 0x10000u) >> 10 & 0x3ffu),
                0xdc00u + ((c - 0x10000u) & 0x3ffu));
    } else {
        snprintf(ret, OC_JSON_ESCAPE, "\\u%04x", c & 0xffffu);
    }
}

/* Outside of strings JSON is all ASCII, and inside every escape has been made: what is hidden here
 * is a character itself. */
char *oc_json_print_line(const cJSON *v) {
    OC_AUTO_FREE char *text = oc_json_print(v, false);
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(SIZE_MAX / 2);
    size_t len = strlen(text);
    for (size_t i = 0, from = 0; i < len;) {
        unsigned c;
        bool is_hidden;
        size_t n = oc_char_next(text + i, len - i, &c, &is_hidden);
        if (is_hidden) {
            char escape[OC_JSON_ESCAPE];
            oc_json_escape_char(c, escape);
            oc_buf_append(&out, text + from, i - from);
            oc_buf_puts(&out, escape);
            from = i + n;
        }
        i += n;
        if (i == len) {
            oc_buf_append(&out, text + from, len - from);
        }
    }
    return oc_buf_take(&out);
}
