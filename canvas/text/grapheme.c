#include "canvas/text/grapheme.h"

#include "lib/base/mem.h"
#include "lib/base/utf8.h"

#define JOINER 0x200d

struct range {
    uint32_t from, to;
};

static const struct range extends[] = {
#define OC_EXTENDS(from, to) { from, to },
#include "canvas/text/grapheme.def"
#undef OC_EXTENDS
};

static bool is_extending(uint32_t c) {
    if (c < 0x300)
        return false;
    size_t low = 0, high = OC_COUNT(extends);
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (c > extends[mid].to)
            low = mid + 1;
        else
            high = mid;
    }
    return low < OC_COUNT(extends) && c >= extends[low].from;
}

static bool is_flag_letter(uint32_t c) {
    return c >= 0x1f1e6 && c <= 0x1f1ff;
}

/* Syllables of Hangul that are written with their parts: leading, vowel, trailing. */
static bool joins_hangul(uint32_t a, uint32_t b) {
    bool a_leads = a >= 0x1100 && a <= 0x115f, b_vowel = b >= 0x1160 && b <= 0x11a7;
    bool b_trails = b >= 0x11a8 && b <= 0x11ff;
    bool a_whole = a >= 0xac00 && a <= 0xd7a3, a_open = a_whole && (a - 0xac00) % 28 == 0;
    if (a_leads)
        return b_vowel || (b >= 0x1100 && b <= 0x115f) || (b >= 0xac00 && b <= 0xd7a3);
    if (a_open || (a >= 0x1160 && a <= 0x11a7))
        return b_vowel || b_trails;
    return (a_whole || (a >= 0x11a8 && a <= 0x11ff)) && b_trails;
}

bool oc_grapheme_starts(const char *s, size_t len, size_t i) {
    if (i == 0 || i >= len)
        return true;
    size_t at, ignored;
    uint32_t c = oc_utf8_decode(s, len, i, &ignored);
    at = oc_utf8_back(s, i);
    uint32_t before = oc_utf8_decode(s, len, at, &ignored);
    if (before == '\n')
        return true;
    if (c == JOINER || is_extending(c) || joins_hangul(before, c))
        return false;
    if (before == JOINER)
        return c < 0x2190 || at == 0;
    if (!is_flag_letter(c) || !is_flag_letter(before))
        return true;
    size_t letters = 1;
    while (at > 0) {
        at = oc_utf8_back(s, at);
        if (!is_flag_letter(oc_utf8_decode(s, len, at, &ignored)))
            break;
        letters++;
    }
    return letters % 2 == 0;
}

size_t oc_grapheme_next(const char *s, size_t len, size_t i) {
    if (i >= len)
        return len;
    do
        (void)oc_utf8_decode(s, len, i, &i);
    while (i < len && !oc_grapheme_starts(s, len, i));
    return i;
}

size_t oc_grapheme_prev(const char *s, size_t len, size_t i) {
    if (i > len)
        i = len;
    while (i > 0) {
        i = oc_utf8_back(s, i);
        if (oc_grapheme_starts(s, len, i))
            break;
    }
    return i;
}
