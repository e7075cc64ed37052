#include "cli/text.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MAX_SHOWN_CHARS 400

struct range {
    uint32_t first, last;
};

/* The common blocks are enough here: a wrong guess only shifts a table border. wcwidth() would need
 * a locale. */
static const struct range zero_width[] = {
    { 0x0300, 0x036f },
    { 0x0483, 0x0489 },
    { 0x0591, 0x05bd },
    { 0x0610, 0x061a },
    { 0x064b, 0x065f },
    { 0x200b, 0x200f },
    { 0x202a, 0x202e },
    { 0x2060, 0x2064 },
    { 0x20d0, 0x20f0 },
    { 0xfe00, 0xfe0f },
    { 0xfe20, 0xfe2f },
    { 0xfeff, 0xfeff },
};
static const struct range double_width[] = {
    { 0x1100, 0x115f },
    { 0x231a, 0x231b },
    { 0x23e9, 0x23ec },
    { 0x2e80, 0x303e },
    { 0x3041, 0x33ff },
    { 0x3400, 0x4dbf },
    { 0x4e00, 0x9fff },
    { 0xa000, 0xa4cf },
    { 0xac00, 0xd7a3 },
    { 0xf900, 0xfaff },
    { 0xfe30, 0xfe4f },
    { 0xff00, 0xff60 },
    { 0xffe0, 0xffe6 },
    { 0x1f300, 0x1f64f },
    { 0x1f680, 0x1f6ff },
    { 0x1f900, 0x1f9ff },
    { 0x20000, 0x3fffd },
};

static bool in_ranges(uint32_t c, const struct range *r, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (c >= r[i].first && c <= r[i].last) {
            return true;
        }
    }
    return false;
}

static size_t char_width(uint32_t c) {
    if (c < 0x300) {
        return 1;
    }
    if (in_ranges(c, zero_width, OC_COUNT(zero_width))) {
        return 0;
    }
    return in_ranges(c, double_width, OC_COUNT(double_width)) ? 2 : 1;
}

size_t oc_text_width(const char *s, size_t len) {
    size_t width = 0;
    for (size_t i = 0; i < len;) {
        width += char_width(oc_utf8_decode(s, len, i, &i));
    }
    return width;
}

size_t oc_text_wrap(const char *s, size_t columns, size_t *ret_next) {
    size_t len = strlen(s), at = 0, width = 0, break_at = 0;
    while (at < len) {
        size_t next;
        uint32_t c = oc_utf8_decode(s, len, at, &next);
        size_t w = char_width(c);
        if (width + w > columns && c != ' ' && at > 0) {
            break;
        }
        if (c == ' ' || (strchr("/:,", (int)c) && c < 0x80)) {
            break_at = next;
        }
        at = next;
        width += w;
    }
    size_t cut = at == len || break_at == 0 ? at : break_at;
    *ret_next = cut;
    while (s[*ret_next] == ' ') {
        (*ret_next)++;
    }
    while (cut > 0 && s[cut - 1] == ' ') {
        cut--;
    }
    return cut;
}

char *oc_shown(const char *peer_text) {
    return peer_text ? oc_printable(peer_text, strlen(peer_text), MAX_SHOWN_CHARS) : oc_strdup("");
}

char *oc_shown_list(const cJSON *array) {
    OC_AUTO_STRV struct oc_strv v = { 0 };
    const cJSON *item;
    cJSON_ArrayForEach(item, array) {
        if (cJSON_IsString(item)) {
            OC_AUTO_FREE char *shown = oc_shown(item->valuestring);
            oc_strv_add(&v, shown);
        }
    }
    return oc_strv_join(&v, ", ");
}

void oc_age(int64_t now_ms, int64_t at_ms, char ret[24]) {
    int64_t s = (now_ms - at_ms) / 1000;
    if (at_ms <= 0) {
        ret[0] = '\0';
    } else if (s < 60) {
        snprintf(ret, 24, "just now"); /* also when the clocks disagree */
    } else if (s < 3600) {
        snprintf(ret, 24, "%dm ago", (int)(s / 60));
    } else if (s < 172800) {
        snprintf(ret, 24, "%dh ago", (int)(s / 3600));
    } else {
        snprintf(ret, 24, "%lldd ago", (long long)(s / 86400));
    }
}

void oc_span(int64_t ms, char ret[24]) {
    int64_t s = ms / 1000;
    if (ms < 1000) {
        snprintf(ret, 24, "%dms", (int)(ms < 0 ? 0 : ms));
    } else if (s < 60) {
        snprintf(ret, 24, "%ds", (int)s);
    } else if (s < 3600) {
        snprintf(ret, 24, "%dm %ds", (int)(s / 60), (int)(s % 60));
    } else if (s < 86400) {
        snprintf(ret, 24, "%dh %dm", (int)(s / 3600), (int)(s / 60 % 60));
    } else {
        snprintf(ret, 24, "%lldd %dh", (long long)(s / 86400), (int)(s / 3600 % 24));
    }
}
