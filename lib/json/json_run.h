/* The fast path that check and escape share. */
#ifndef LIB_JSON_JSON_RUN_H
#define LIB_JSON_JSON_RUN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define OC_EVERY_BYTE(b) (UINT64_C(0x0101010101010101) * (b))
#define OC_ANY_ZERO_BYTE(w) (((w)-OC_EVERY_BYTE(1)) & ~(w)&OC_EVERY_BYTE(0x80))

/* Bytes at the start of s, counted in eights, that are ASCII and neither quote, backslash nor
 * control character. */
static inline size_t oc_json_plain_run(const char *s, size_t len) {
    size_t i = 0;
    for (; i + 8 <= len; i += 8) {
        uint64_t w;
        memcpy(&w, s + i, 8);
        uint64_t quote = w ^ OC_EVERY_BYTE('"'), slash = w ^ OC_EVERY_BYTE('\\');
        uint64_t control = (w - OC_EVERY_BYTE(0x20)) & ~w;
        if (((w | control) & OC_EVERY_BYTE(0x80)) | OC_ANY_ZERO_BYTE(quote) |
                OC_ANY_ZERO_BYTE(slash)) {
            break;
        }
    }
    return i;
}

#endif
