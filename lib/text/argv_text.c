#include "lib/text/argv_text.h"

#include "lib/base/buf.h"
#include "lib/base/one_of.h"
#include "lib/base/utf8.h"

#include <stdint.h>
#include <string.h>

enum quoting { PLAIN, SINGLE, ESCAPED };

/* A blank that is not the space of the keyboard but looks like one, or what changes the look of its
 * neighbour. Names may have them, commands have no need to. */
static bool is_odd(unsigned c) {
    return (c >= 0xfe00 && c <= 0xfe0f) || c == 0xa0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200a) || c == 0x202f || c == 0x205f || c == 0x2800 || c == 0x3000;
}

static size_t argv_text_next(const char *s, size_t len, unsigned *ret_char, bool *ret_is_hidden) {
    size_t n = oc_char_next(s, len, ret_char, ret_is_hidden);
    *ret_is_hidden = *ret_is_hidden || is_odd(*ret_char);
    return n;
}

static bool is_plain(unsigned c, bool is_program) {
    bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return is_word || c >= 0x80 || oc_is_one_of((int)c, "_@%+:,./-") || (c == '=' && !is_program);
}

static enum quoting quoting_of(const char *word, size_t len, bool is_program) {
    enum quoting q = len == 0 ? SINGLE : PLAIN;
    for (size_t i = 0; i < len;) {
        unsigned c;
        bool is_hidden;
        i += argv_text_next(word + i, len - i, &c, &is_hidden);
        if (is_hidden) {
            return ESCAPED;
        }
        q = is_plain(c, is_program) ? q : SINGLE;
    }
    return q;
}

/* Inside $'…'. */
static void put_escaped(
        struct oc_buf *out, const char *bytes, size_t n, unsigned c, bool is_hidden) {
    if (c == '\n' || c == '\t' || c == '\r') {
        oc_buf_printf(out, "\\%c", c == '\n' ? 'n' : c == '\t' ? 't' : 'r');
    } else if (is_hidden && (c < 0x80 || n == 1)) {
        oc_buf_printf(out, "\\x%02x", c);
    } else if (is_hidden) {
        oc_buf_printf(out, c > 0xffff ? "\\U%08x" : "\\u%04x", c);
    } else {
        oc_buf_puts(out, c == '\'' || c == '\\' ? "\\" : "");
        oc_buf_append(out, bytes, n);
    }
}

/* The first len bytes of it. */
static void put_word(struct oc_buf *out, const char *word, size_t len, bool is_program) {
    enum quoting q = quoting_of(word, len, is_program);
    oc_buf_puts(out, q == PLAIN ? "" : q == SINGLE ? "'" : "$'");
    for (size_t i = 0; i < len;) {
        unsigned c;
        bool is_hidden;
        size_t n = argv_text_next(word + i, len - i, &c, &is_hidden);
        if (q == ESCAPED) {
            put_escaped(out, word + i, n, c, is_hidden);
        } else if (q == SINGLE && c == '\'') {
            oc_buf_puts(out, "'\\''");
        } else {
            oc_buf_append(out, word + i, n);
        }
        i += n;
    }
    oc_buf_puts(out, q == PLAIN ? "" : "'");
}

char *oc_argv_shown_within(const struct oc_strv *argv, size_t max_bytes) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(SIZE_MAX / 2);
    bool is_cut = false;
    for (size_t i = 0; i < argv->count && !is_cut; i++) {
        size_t left = out.len < max_bytes ? max_bytes - out.len : 0;
        size_t len = strnlen(argv->items[i], left + 1);
        is_cut = len > left;
        if (is_cut) {
            len = left - oc_utf8_incomplete_tail(argv->items[i], left);
        }
        oc_buf_puts(&out, i > 0 ? " " : "");
        if (!is_cut || len > 0) {
            put_word(&out, argv->items[i], len, i == 0);
        }
    }
    oc_buf_puts(&out, is_cut ? "…" : "");
    return oc_buf_take(&out);
}

char *oc_argv_shown(const struct oc_strv *argv) {
    return oc_argv_shown_within(argv, SIZE_MAX / 2);
}
