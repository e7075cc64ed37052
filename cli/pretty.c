#include "cli/pretty.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void newline(FILE *out, size_t depth) {
    fputc('\n', out);
    for (size_t i = 0; i < depth; i++) {
        fputs("  ", out);
    }
}

/* The code point when s starts with one that a terminal would obey; 0 otherwise. */
static uint32_t steering(const unsigned char *s, size_t len, size_t *ret_bytes) {
    if (s[0] == 0x7f) {
        *ret_bytes = 1;
        return 0x7f;
    }
    if (len >= 2 && s[0] == 0xc2 && s[1] < 0xa0) {
        *ret_bytes = 2;
        return s[1];
    }
    if (len >= 3 && s[0] == 0xe2) {
        uint32_t c = 0x2000u | (uint32_t)(s[1] & 0x3f) << 6 | (s[2] & 0x3f);
        *ret_bytes = 3;
        bool is_bidi = (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
        return is_bidi || c == 0x2028 || c == 0x2029 ? c : 0;
    }
    return 0;
}

/* s starts with a quote; returns the bytes of the whole string. */
static size_t put_string(const char *s, size_t len, FILE *out) {
    size_t from = 0, at = 1;
    while (at < len && s[at] != '"') {
        size_t bytes = 0;
        uint32_t c = steering((const unsigned char *)s + at, len - at, &bytes);
        if (c) {
            fwrite(s + from, 1, at - from, out);
            fprintf(out, "\\u%04x", (unsigned)c);
            at += bytes;
            from = at;
        } else {
            at += s[at] == '\\' ? 2 : 1;
        }
    }
    at = at < len ? at + 1 : len;
    fwrite(s + from, 1, at - from, out);
    return at;
}

void oc_pretty(struct oc_slice json, FILE *out) {
    size_t depth = 0;
    for (size_t i = 0; i < json.len;) {
        char c = json.ptr[i];
        if (c == '"') {
            i += put_string(json.ptr + i, json.len - i, out);
            continue;
        }
        i++;
        if (is_space(c)) {
            continue;
        }
        if (c == '}' || c == ']') {
            newline(out, --depth);
        }
        fputc(c, out);
        if (c == ':') {
            fputc(' ', out);
        } else if (c == ',') {
            newline(out, depth);
        } else if (c == '{' || c == '[') {
            while (i < json.len && is_space(json.ptr[i])) {
                i++;
            }
            if (i < json.len && json.ptr[i] == c + 2) { /* the closing one, in ASCII two further */
                fputc(json.ptr[i++], out);
            } else {
                newline(out, ++depth);
            }
        }
    }
}
