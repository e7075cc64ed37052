/* What Pango takes quadratic time for, taken out of a text before it is shaped. */
#include "canvas/text/text_limit.h"

#include "lib/base/mem.h"

#include <pango/pango.h>
#include <stdbool.h>
#include <string.h>

#define SHORT 256      /* bytes; not worth a look */
#define MAX_MARKS 32   /* on one letter */
#define MAX_STEPS 2e9  /* lines × bytes: for every line Pango counts the characters before it */
#define MAX_TURNS 2000 /* of the direction of writing, in a paragraph */

static bool is_control(gunichar c) {
    return c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
           (c >= 0x2066 && c <= 0x2069);
}

/* The blocks of the scripts that are written from right to left. */
static bool is_leftward(gunichar c) {
    return (c >= 0x590 && c <= 0x8ff) || (c >= 0xfb1d && c <= 0xfdff) ||
           (c >= 0xfe70 && c <= 0xfeff) || (c >= 0x10800 && c <= 0x10fff) ||
           (c >= 0x1e800 && c <= 0x1efff);
}

/* Some other character that has as many bytes, so that all places in the text stay what they
 * are. */
static void text_limit_replace(char *at, size_t n) {
    static const char *const others[] = { ".", "\xc2\xb7", "\xef\xbf\xbd", "\xf0\x90\x80\x80" };
    memcpy(at, others[n - 1], n);
}

struct paragraph {
    size_t marks, turns;
    bool is_rtl;
};

/* Is this character one too many? */
static bool is_excess(struct paragraph *p, gunichar c) {
    p->marks = g_unichar_ismark(c) ? p->marks + 1 : 0;
    bool is_rtl = is_leftward(c);
    if (is_control(c) || (is_rtl != p->is_rtl && !g_unichar_isspace(c))) {
        p->is_rtl = is_rtl;
        p->turns++;
    }
    return p->marks > MAX_MARKS || (p->turns > MAX_TURNS && (is_rtl || is_control(c)));
}

char *cv_text_limit(const char *bytes, size_t len) {
    char *limited = NULL;
    bool is_ascii = true;
    size_t lines = 0, most_lines = (size_t)(MAX_STEPS / (double)(len + 1));
    for (size_t i = 0; i < len; i++) {
        is_ascii = is_ascii && (unsigned char)bytes[i] < 0x80;
        lines += bytes[i] == '\n' || bytes[i] == '\r';
    }
    if (len <= SHORT || (is_ascii && lines <= most_lines)) {
        return NULL;
    }
    lines = 0;
    struct paragraph p = { 0 };
    for (size_t i = 0, n; i < len; i += n) {
        gunichar c = g_utf8_get_char(bytes + i);
        n = (size_t)(g_utf8_next_char(bytes + i) - (bytes + i));
        if (c == '\n' || c == '\r' || c == 0x2029) {
            p = (struct paragraph){ 0 };
            if (++lines <= most_lines) {
                continue;
            }
            limited = limited ? limited : oc_strndup(bytes, len);
            memset(limited + i, ' ', n);
        } else if (is_excess(&p, c)) {
            limited = limited ? limited : oc_strndup(bytes, len);
            text_limit_replace(limited + i, n);
        }
    }
    return limited;
}
