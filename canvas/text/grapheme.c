#include "canvas/text/grapheme.h"

#include "lib/base/utf8.h"

#include <utf8proc.h>

size_t cv_grapheme_next(const char *s, size_t len, size_t i) {
    if (i >= len) {
        return len;
    }
    utf8proc_int32_t state = 0;
    uint32_t c = oc_utf8_decode(s, len, i, &i);
    while (i < len) {
        size_t behind;
        uint32_t next = oc_utf8_decode(s, len, i, &behind);
        if (utf8proc_grapheme_break_stateful((int32_t)c, (int32_t)next, &state)) {
            break;
        }
        c = next;
        i = behind;
    }
    return i;
}

/* Whether flags and families end at i depends on all before them, up to the start of the line. */
size_t cv_grapheme_prev(const char *s, size_t len, size_t i) {
    i = i < len ? i : len;
    size_t at = i;
    while (at > 0 && (at == i || s[at - 1] != '\n')) {
        at--;
    }
    size_t start = at;
    while (at < i) {
        start = at;
        at = cv_grapheme_next(s, len, at);
    }
    return start;
}
