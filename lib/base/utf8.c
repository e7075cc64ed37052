#include "lib/base/utf8.h"

#include <string.h>

/* Which bytes may follow a lead byte: how many, and the range of the first (it rules out overlong
 * forms, surrogates and anything beyond U+10FFFF). */
static unsigned utf8_lead(uint8_t c, uint8_t *ret_lo, uint8_t *ret_hi) {
    *ret_lo = 0x80;
    *ret_hi = 0xbf;
    if (c >= 0xc2 && c <= 0xdf) {
        return 1;
    }
    if (c >= 0xe0 && c <= 0xef) {
        *ret_lo = c == 0xe0 ? 0xa0 : 0x80;
        *ret_hi = c == 0xed ? 0x9f : 0xbf;
        return 2;
    }
    if (c >= 0xf0 && c <= 0xf4) {
        *ret_lo = c == 0xf0 ? 0x90 : 0x80;
        *ret_hi = c == 0xf4 ? 0x8f : 0xbf;
        return 3;
    }
    return 0;
}

/* Bytes of the character at s, or 0 with *ret_bad = length of the broken piece. */
static size_t utf8_step(const uint8_t *s, size_t len, size_t *ret_bad) {
    *ret_bad = 1;
    if (s[0] < 0x80) {
        return 1;
    }
    uint8_t lo, hi;
    unsigned need = utf8_lead(s[0], &lo, &hi);
    if (!need) {
        return 0;
    }
    for (unsigned i = 1; i <= need; i++) {
        if (i >= len || s[i] < lo || s[i] > hi) {
            *ret_bad = i;
            return 0;
        }
        lo = 0x80;
        hi = 0xbf;
    }
    return need + 1;
}

size_t oc_utf8_char(const char *s, size_t len) {
    size_t bad;
    return len ? utf8_step((const uint8_t *)s, len, &bad) : 0;
}

uint32_t oc_utf8_decode(const char *s, size_t len, size_t i, size_t *ret_next) {
    static const uint8_t mask[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
    size_t n = i < len ? oc_utf8_char(s + i, len - i) : 0;
    *ret_next = i + (n ? n : i < len);
    if (n == 0) {
        return i < len ? 0xfffd : 0;
    }
    uint32_t c = (uint8_t)s[i] & mask[n];
    for (size_t k = 1; k < n; k++) {
        c = c << 6 | ((uint8_t)s[i + k] & 0x3f);
    }
    return c;
}

size_t oc_utf8_back(const char *s, size_t i) {
    do {
        i--;
    } while (i > 0 && ((uint8_t)s[i] & 0xc0) == 0x80);
    return i;
}

/* Length of the run of ASCII at the start of s. */
static size_t ascii_run(const char *s, size_t len) {
    size_t i = 0;
    for (; i + 8 <= len; i += 8) {
        uint64_t w;
        memcpy(&w, s + i, 8);
        if (w & UINT64_C(0x8080808080808080)) {
            break;
        }
    }
    while (i < len && (uint8_t)s[i] < 0x80) {
        i++;
    }
    return i;
}

bool oc_utf8_valid(const char *s, size_t len) {
    size_t i = 0;
    while ((i += ascii_run(s + i, len - i)) < len) {
        size_t n = oc_utf8_char(s + i, len - i);
        if (!n) {
            return false;
        }
        i += n;
    }
    return true;
}

size_t oc_utf8_incomplete_tail(const char *s, size_t len) {
    for (size_t back = 1; back <= 3 && back <= len; back++) {
        const uint8_t *p = (const uint8_t *)s + len - back;
        if ((*p & 0xc0) == 0x80) {
            continue;
        }
        uint8_t lo, hi;
        size_t bad, need = utf8_lead(*p, &lo, &hi);
        bool is_prefix = need >= back && utf8_step(p, back, &bad) == 0 && bad == back;
        return is_prefix ? back : 0;
    }
    return 0;
}

enum oc_code oc_utf8_append_repaired(struct oc_buf *out, const char *s, size_t len) {
    size_t i = 0, done = 0;
    while ((i += ascii_run(s + i, len - i)) < len) {
        size_t bad, n = utf8_step((const uint8_t *)s + i, len - i, &bad);
        if (!n) {
            oc_buf_append(out, s + done, i - done);
            oc_buf_append(out, "\xef\xbf\xbd", 3);
            done = i + bad;
            n = bad;
        }
        i += n;
    }
    return oc_buf_append(out, s + done, len - done);
}

size_t oc_utf8_cut(const char *s, size_t len, size_t max) {
    if (len <= max) {
        return len;
    }
    for (size_t back = 0; back <= 3 && back <= max; back++) {
        if (((uint8_t)s[max - back] & 0xc0) != 0x80) {
            return max - back;
        }
    }
    return max; /* not UTF-8: there is no character to keep whole */
}

size_t oc_utf8_put(char *out, unsigned c) {
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3f));
        out[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3f));
    out[2] = (char)(0x80 | (c >> 6 & 0x3f));
    out[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

size_t oc_utf8_count(const char *s) {
    size_t n = 0;
    for (; *s; s++) {
        n += ((unsigned char)*s & 0xc0) != 0x80;
    }
    return n;
}
