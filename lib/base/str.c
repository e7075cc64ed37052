#include "lib/base/str.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool oc_streq(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool oc_str_in(const char *s, const char *const *list) {
    for (; *list; list++) {
        if (strcmp(s, *list) == 0) {
            return true;
        }
    }
    return false;
}

bool oc_starts_with(const char *s, const char *prefix) {
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool oc_ends_with(const char *s, const char *suffix) {
    size_t n = strlen(s), m = strlen(suffix);
    return n >= m && memcmp(s + n - m, suffix, m) == 0;
}

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool oc_str_blank(const char *s) {
    while (s && is_space(*s)) {
        s++;
    }
    return !s || !*s;
}

const char *oc_str_or_null(const char *s) {
    return oc_str_blank(s) ? NULL : s;
}

bool oc_secret_equal(const char *a, const char *b) {
    if (!a || !b) {
        return false;
    }
    size_t n = strlen(a);
    if (n != strlen(b)) {
        return false;
    }
    volatile unsigned char diff = 0; /* volatile: no early exit may be invented */
    for (size_t i = 0; i < n; i++) {
        diff = (unsigned char)(diff | (a[i] ^ b[i]));
    }
    return diff == 0;
}

bool oc_parse_int(const char *s, int64_t min, int64_t max, int64_t *ret) {
    const char *digits = s && *s == '-' ? s + 1 : s;
    if (!digits || *digits < '0' || *digits > '9') {
        return false; /* strtoll would skip spaces and take a plus */
    }
    char *end;
    errno = 0;
    long long v = strtoll(s, &end, 10);
    if (errno || *end || v < min || v > max) {
        return false;
    }
    *ret = v;
    return true;
}

/* Milliseconds in the unit at *s, which is moved behind it; 0 if there is none. */
static int64_t unit_ms(const char **s) {
    static const struct {
        const char *name;
        int64_t ms;
    } units[] = { { "ms", 1 }, { "s", 1000 }, { "m", 60000 }, { "h", 3600000 }, { "d", 86400000 } };
    for (size_t i = 0; i < OC_COUNT(units); i++) {
        if (oc_starts_with(*s, units[i].name)) {
            *s += strlen(units[i].name);
            return units[i].ms;
        }
    }
    return 0;
}

bool oc_parse_duration_ms(const char *s, int64_t *ret_ms) {
    if (oc_parse_int(s, 0, INT64_MAX, ret_ms)) {
        return true;
    }
    if (!s || !*s) {
        return false;
    }
    int64_t total = 0;
    while (*s) {
        int64_t v = 0;
        const char *start = s;
        for (; *s >= '0' && *s <= '9'; s++) {
            if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *s - '0', &v)) {
                return false;
            }
        }
        int64_t unit = s > start ? unit_ms(&s) : 0;
        if (!unit || __builtin_mul_overflow(v, unit, &v) ||
                __builtin_add_overflow(total, v, &total)) {
            return false;
        }
    }
    *ret_ms = total;
    return true;
}

bool oc_str_put(char *ret, size_t size, const char *text) {
    size_t len = strlen(text), n = len < size ? len : size - 1;
    while (n < len && n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80) {
        n--;
    }
    memcpy(ret, text, n);
    ret[n] = '\0';
    return n == len;
}

void oc_ascii_lower(char *s) {
    for (; *s; s++) {
        if (*s >= 'A' && *s <= 'Z') {
            *s = (char)(*s + 32);
        }
    }
}

char *oc_trim(char *s) {
    while (is_space(*s)) {
        s++;
    }
    size_t n = strlen(s);
    while (n > 0 && is_space(s[n - 1])) {
        n--;
    }
    s[n] = '\0';
    return s;
}

/* Characters that move the cursor, end a line, turn the writing direction or cannot be seen. */
static bool is_deceptive(unsigned c) {
    static const unsigned ranges[][2] = { { 0, 0x1f }, { 0x7f, 0x9f }, { 0xad, 0xad },
        { 0x34f, 0x34f }, { 0x61c, 0x61c }, { 0x115f, 0x1160 }, { 0x17b4, 0x17b5 },
        { 0x180b, 0x180f }, { 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f },
        { 0x3164, 0x3164 }, { 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb },
        { 0xe0000, 0xe0fff } };
    for (size_t i = 0; i < OC_COUNT(ranges); i++) {
        if (c >= ranges[i][0] && c <= ranges[i][1]) {
            return true;
        }
    }
    return false;
}

size_t oc_char_next(const char *src, size_t len, unsigned *ret_char, bool *ret_is_hidden) {
    size_t n = oc_utf8_char(src, len);
    size_t next = 1;
    *ret_char = n ? oc_utf8_decode(src, len, 0, &next) : (unsigned char)src[0];
    *ret_is_hidden = !n || is_deceptive(*ret_char);
    return next;
}

static void put_visible(struct oc_buf *out, unsigned c) {
    static const char letters[] = { ['\t'] = 't', ['\n'] = 'n', ['\r'] = 'r' };
    if (c < sizeof(letters) && letters[c]) {
        oc_buf_printf(out, "\\%c", letters[c]);
    } else if (c < 0x100) {
        oc_buf_printf(out, "\\x%02x", c);
    } else {
        oc_buf_printf(out, "\\u{%x}", c);
    }
}

char *oc_printable(const char *src, size_t len, size_t max_chars) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(SIZE_MAX / 2);
    for (size_t i = 0, chars = 0; i < len; chars++) {
        if (chars == max_chars) {
            oc_buf_puts(&out, "…");
            break;
        }
        unsigned c;
        bool is_hidden;
        size_t n = oc_char_next(src + i, len - i, &c, &is_hidden);
        if (is_hidden) {
            put_visible(&out, c);
        } else {
            oc_buf_append(&out, src + i, n);
        }
        i += n;
    }
    return oc_buf_take(&out);
}
