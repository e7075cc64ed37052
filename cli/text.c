#include "cli/text.h"

#include "lib/base/mem.h"
#include "lib/base/one_of.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <utf8proc.h>

#define MAX_SHOWN_CHARS 400

/* The C library's wcwidth() would need a locale. */
static size_t char_width(uint32_t c) {
    return (size_t)utf8proc_charwidth((int32_t)c);
}

size_t cli_text_width(const char *s, size_t len) {
    size_t width = 0;
    for (size_t i = 0; i < len;) {
        width += char_width(oc_utf8_decode(s, len, i, &i));
    }
    return width;
}

/* A line may end behind these. */
static bool is_break(char c) {
    return oc_is_one_of(c, " /:,");
}

size_t cli_text_wrap(const char *s, size_t columns, size_t *ret_next) {
    size_t len = strlen(s), at = 0, width = 0, break_at = 0;
    while (at < len) {
        size_t next;
        uint32_t c = oc_utf8_decode(s, len, at, &next);
        size_t w = char_width(c);
        if (width + w > columns && c != ' ' && at > 0) {
            break;
        }
        if (c < 0x80 && is_break((char)c)) {
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

size_t cli_text_word(const char *s, size_t *ret_next) {
    size_t len = strlen(s), at = 0;
    while (at < len && !is_break(s[at])) {
        at++;
    }
    at += at < len && s[at] != ' '; /* the sign stays with the word before it */
    *ret_next = at;
    while (s[*ret_next] == ' ') {
        (*ret_next)++;
    }
    return at;
}

size_t cli_text_cut(const char *s, size_t columns) {
    size_t len = strlen(s), at = 0, width = 0;
    while (at < len) {
        size_t next;
        width += char_width(oc_utf8_decode(s, len, at, &next));
        if (width > columns) {
            break;
        }
        at = next;
    }
    while (at > 0 && s[at - 1] == ' ') {
        at--;
    }
    return at;
}

char *cli_unbroken(const char *words) {
    struct oc_buf b = OC_BUF_INIT(2 * strlen(words) + 16);
    for (; *words; words++) {
        bool is_space = *words == ' ';
        (void)oc_buf_append(&b, is_space ? CLI_NO_BREAK_SPACE : words, is_space ? 2 : 1);
    }
    return oc_buf_take(&b);
}

char *cli_shown(const char *peer_text) {
    return peer_text ? oc_printable(peer_text, strlen(peer_text), MAX_SHOWN_CHARS) : oc_strdup("");
}

char *cli_shown_list(const cJSON *array) {
    OC_AUTO_STRV struct oc_strv v = { 0 };
    const cJSON *item;
    cJSON_ArrayForEach(item, array) {
        if (cJSON_IsString(item)) {
            OC_AUTO_FREE char *shown = cli_shown(item->valuestring);
            oc_strv_add(&v, shown);
        }
    }
    return oc_strv_join(&v, ", ");
}

void cli_age(int64_t now_ms, int64_t at_ms, char ret[24]) {
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

void cli_time_of_day(int64_t wall_ms, char ret[CLI_TIME_LEN]) {
    time_t at = (time_t)(wall_ms / 1000);
    struct tm tm;
    ret[0] = '\0';
    if (localtime_r(&at, &tm)) {
        (void)strftime(ret, CLI_TIME_LEN, "%H:%M:%S", &tm);
    }
}

void cli_size(uint64_t bytes, char ret[24]) {
    if (bytes < 1000) {
        snprintf(ret, 24, "%d bytes", (int)bytes);
    } else if (bytes < 999500) {
        snprintf(ret, 24, "%.0f KB", (double)bytes / 1e3);
    } else {
        snprintf(ret, 24, "%.1f MB", (double)bytes / 1e6);
    }
}

void cli_span(int64_t ms, char ret[24]) {
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
