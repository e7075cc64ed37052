/* Strings in and out of JSON quotes, in pieces. */
#include "lib/base/mem.h"
#include "lib/base/utf8.h"
#include "lib/json/json_run.h"
#include "lib/json/json_scan.h"

#include <string.h>

#define NOT_HEX 0x10000u

/* The code unit of \uXXXX at s, or NOT_HEX. */
static unsigned unit_at(const char *s, size_t len) {
    if (len < 6 || s[0] != '\\' || s[1] != 'u') {
        return NOT_HEX;
    }
    unsigned unit = 0;
    for (int i = 2; i < 6; i++) {
        char c = s[i];
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                                : NOT_HEX;
        if (digit == NOT_HEX) {
            return NOT_HEX;
        }
        unit = unit << 4 | digit;
    }
    return unit;
}

unsigned oc_json_escape_at(const char *s, size_t len, size_t *ret_len) {
    static const char names[] = "bfnrt", meanings[] = "\b\f\n\r\t";
    *ret_len = len < 2 ? len : 2;
    if (len < 2) {
        return 0xfffd;
    }
    if (s[1] != 'u') {
        const char *name = s[1] ? strchr(names, s[1]) : NULL;
        return name ? (unsigned char)meanings[name - names] : (unsigned char)s[1];
    }
    unsigned unit = unit_at(s, len);
    *ret_len = len < 6 ? len : 6;
    if (unit < 0xd800 || (unit > 0xdfff && unit != NOT_HEX)) {
        return unit;
    }
    unsigned low = unit <= 0xdbff && len > 6 ? unit_at(s + 6, len - 6) : NOT_HEX;
    if (low >= 0xdc00 && low <= 0xdfff) {
        *ret_len = 12;
        return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
    }
    return OC_JSON_LONE_SURROGATE;
}

size_t oc_json_unescape_step(struct oc_slice *body, char *out, size_t max) {
    size_t n = 0;
    while (body->len > 0 && max - n >= 4) {
        size_t used = body->len < max - n ? body->len : max - n; /* look no further than we write */
        const char *slash = memchr(body->ptr, '\\', used);
        used = slash ? (size_t)(slash - body->ptr) : used;
        if (used > 0) {
            memcpy(out + n, body->ptr, used);
            n += used;
        } else {
            unsigned c = oc_json_escape_at(body->ptr, body->len, &used);
            n += oc_utf8_put(out + n, c == OC_JSON_LONE_SURROGATE ? 0xfffd : c);
        }
        body->ptr += used;
        body->len -= used;
    }
    return n;
}

static size_t put_escape(char *out, unsigned char c) {
    static const char names[] = { ['\b'] = 'b',
        ['\t'] = 't',
        ['\n'] = 'n',
        ['\f'] = 'f',
        ['\r'] = 'r',
        ['"'] = '"',
        ['\\'] = '\\' };
    out[0] = '\\';
    if (names[c]) {
        out[1] = names[c];
        return 2;
    }
    static const char digits[] = "0123456789abcdef";
    out[1] = 'u';
    out[2] = out[3] = '0';
    out[4] = digits[c >> 4];
    out[5] = digits[c & 15];
    return 6;
}

static bool must_escape(unsigned char c) {
    return c < 0x20 || c == '"' || c == '\\';
}

size_t oc_json_escape_step(struct oc_slice *text, char *out, size_t max) {
    size_t n = 0, i = 0;
    while (i < text->len && max - n >= 6) {
        size_t left = text->len - i, room = max - n;
        size_t plain = oc_json_plain_run(text->ptr + i, left < room ? left : room);
        if (plain > 0) {
            memcpy(out + n, text->ptr + i, plain);
            n += plain;
            i += plain;
            continue;
        }
        unsigned char c = (unsigned char)text->ptr[i++];
        if (must_escape(c)) {
            n += put_escape(out + n, c);
        } else {
            out[n++] = (char)c;
        }
    }
    text->ptr += i;
    text->len -= i;
    return n;
}

enum oc_code oc_json_unescape_append(struct oc_buf *out, struct oc_slice body) {
    size_t room = out->max_bytes - out->len, n;
    (void)oc_buf_reserve(
            out, body.len < room ? body.len : room); /* text is never longer than its body */
    char piece[4096];
    while (!out->failed && (n = oc_json_unescape_step(&body, piece, sizeof(piece))) > 0) {
        oc_buf_append(out, piece, n);
    }
    return oc_buf_append(out, "", 0);
}

char *oc_json_unescape(struct oc_slice body, size_t max) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(max);
    if (oc_json_unescape_append(&out, body) != OC_OK || memchr(out.data, '\0', out.len)) {
        return NULL;
    }
    return oc_buf_take(&out);
}
