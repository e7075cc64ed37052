#include "canvas/text/direction.h"

#include "lib/base/utf8.h"

#include <string.h>

static bool is_leftwards(uint32_t c) {
    return (c >= 0x590 && c <= 0x8ff) || (c >= 0xfb1d && c <= 0xfdff) ||
           (c >= 0xfe70 && c <= 0xfeff) || (c >= 0x10800 && c <= 0x10fff) ||
           (c >= 0x1e800 && c <= 0x1efff);
}

/* Digits and signs have no direction of their own. */
static bool is_rightwards(uint32_t c) {
    bool is_ascii_letter = (c | 32) >= 'a' && (c | 32) <= 'z' && c < 128;
    bool is_sign = (c >= 0x2000 && c <= 0x2bff) || (c >= 0x3000 && c <= 0x3004);
    return is_ascii_letter || (c >= 0xc0 && !is_sign && c != 0xd7 && c != 0xf7);
}

bool oc_reads_leftwards(const char *utf8) {
    size_t len = strlen(utf8), next;
    for (size_t i = 0; i < len; i = next) {
        uint32_t c = oc_utf8_decode(utf8, len, i, &next);
        if (is_leftwards(c))
            return true;
        if (is_rightwards(c))
            return false;
    }
    return false;
}
