#include "cli/pretty.h"

#include "lib/base/str.h"
#include "lib/json/json.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void pretty_newline(FILE *out, size_t depth) {
    fputc('\n', out);
    for (size_t i = 0; i < depth; i++) {
        fputs("  ", out);
    }
}

/* s starts with a quote; returns the bytes of the whole string. Characters that a terminal obeys or
 * that cannot be seen become escapes, which mean the same. */
static size_t put_string(const char *s, size_t len, FILE *out) {
    size_t from = 0, at = 1;
    while (at < len && s[at] != '"') {
        unsigned c;
        bool is_hidden;
        size_t bytes = oc_char_next(s + at, len - at, &c, &is_hidden);
        if (is_hidden) {
            fwrite(s + from, 1, at - from, out);
            char escape[OC_JSON_ESCAPE];
            oc_json_escape_char(c, escape);
            fputs(escape, out);
            at += bytes;
            from = at;
        } else {
            at += s[at] == '\\' ? 2 : bytes;
        }
    }
    at = at < len ? at + 1 : len;
    fwrite(s + from, 1, at - from, out);
    return at;
}

void cli_pretty(struct oc_slice json, FILE *out) {
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
            pretty_newline(out, --depth);
        }
        fputc(c, out);
        if (c == ':') {
            fputc(' ', out);
        } else if (c == ',') {
            pretty_newline(out, depth);
        } else if (c == '{' || c == '[') {
            while (i < json.len && is_space(json.ptr[i])) {
                i++;
            }
            if (i < json.len && json.ptr[i] == c + 2) { /* the closing one, in ASCII two further */
                fputc(json.ptr[i++], out);
            } else {
                pretty_newline(out, ++depth);
            }
        }
    }
}
