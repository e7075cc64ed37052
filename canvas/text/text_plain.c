/* The text engine without fonts: every character is half as wide as the font is high and lines
 * break at spaces. For tests and fuzzing, where numbers that one can work out by hand matter more
 * than looks. */
#include "canvas/text/text.h"

#include "canvas/model/limits.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/utf8.h"

#include <math.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"
#define SLACK 0.01 /* a text must fit into the width that it has asked for */

struct text_line {
    size_t from, to,
            next; /* bytes: shown is from…to, spaces that were swallowed by the break end at next */
    size_t chars;
};

struct cv_text {
    struct cv_text_style style;
    char *bytes;
    size_t len;
    double char_px, line_px, size_px;
    enum cv_text_align align;
    bool no_wrap, ellipsis;
    size_t max_lines;
    size_t widest_line, widest_word; /* characters */
    uint64_t seen;
    double lines_width; /* what lines were made for; negative: none were */
    struct text_line *lines;
    size_t line_count, line_room;
};

struct cv_texts {
    struct oc_map *by_key;
    uint64_t now;
};

bool cv_texts_have(struct cv_texts *t, const char *family) {
    (void)t;
    (void)family;
    return true; /* whatever it is called, it looks the same */
}

struct cv_texts *cv_texts_create(void) {
    struct cv_texts *t = oc_new(struct cv_texts);
    t->by_key = oc_map_create();
    return t;
}

static void text_destroy(struct cv_text *t) {
    cv_text_style_finish(&t->style);
    oc_free(t->bytes);
    oc_free(t->lines);
    oc_free(t);
}

void cv_texts_destroy(struct cv_texts *t) {
    if (!t) {
        return;
    }
    size_t pos = 0;
    const char *key;
    void *text;
    while (oc_map_next(t->by_key, &pos, &key, &text)) {
        text_destroy(text);
    }
    oc_map_destroy(t->by_key);
    oc_free(t);
}

void cv_texts_age(struct cv_texts *t) {
    t->now++;
    struct oc_map *kept = oc_map_create();
    size_t pos = 0;
    const char *key;
    void *value;
    while (oc_map_next(t->by_key, &pos, &key, &value)) {
        struct cv_text *text = value;
        if (text->seen + 2 < t->now) {
            text_destroy(text);
        } else {
            (void)oc_map_put(kept, key, text);
        }
    }
    oc_map_destroy(t->by_key);
    t->by_key = kept;
}

/* Broken UTF-8 and NUL become U+FFFD, so that everything below may step by characters. */
static void text_plain_clean(struct cv_text *t, struct oc_slice in) {
    const char *bytes = in.ptr ? in.ptr : "";
    size_t len = oc_utf8_cut(bytes, in.ptr ? in.len : 0, CV_MAX_STRING);
    struct oc_buf out = OC_BUF_INIT(3 * CV_MAX_STRING + 1);
    for (size_t i = 0; i < len;) {
        size_t n = oc_utf8_char(bytes + i, len - i);
        if (n == 0 || bytes[i] == '\0') {
            (void)oc_buf_puts(&out, REPLACEMENT);
        } else {
            (void)oc_buf_append(&out, bytes + i, n);
        }
        i += n ? n : 1;
    }
    t->len = out.len;
    t->bytes = oc_buf_take(&out);
}

static size_t text_plain_step(const struct cv_text *t, size_t i) {
    return oc_utf8_char(t->bytes + i, t->len - i);
}

static void text_plain_measure(struct cv_text *t) {
    size_t line = 0, word = 0;
    for (size_t i = 0; i < t->len; i += text_plain_step(t, i)) {
        bool is_newline = t->bytes[i] == '\n';
        bool is_space = is_newline || t->bytes[i] == ' ';
        line = is_newline ? 0 : line + 1;
        word = is_space ? 0 : word + 1;
        if (line > t->widest_line) {
            t->widest_line = line;
        }
        if (word > t->widest_word) {
            t->widest_word = word;
        }
    }
    if (t->no_wrap) {
        t->widest_word = t->ellipsis ? 1 : t->widest_line;
    }
}

static char *key_of(struct oc_slice text, const struct cv_text_style *s) {
    struct oc_buf key = OC_BUF_INIT(8 * CV_MAX_STRING);
    (void)oc_buf_printf(&key, "%s|%.3f|%.3f|%d|%d|%x|%d%d%d%d|%zu|", s->family ? s->family : "",
            s->size_px, s->line_px, s->weight, s->italic, (unsigned)s->color, (int)s->align,
            s->no_wrap, s->ellipsis, s->keep_spaces, s->max_lines);
    for (size_t i = 0; i < s->span_count; i++) {
        const struct cv_text_span *p = &s->spans[i];
        (void)oc_buf_printf(&key, "%zu-%zu:%d%d%d%d%d%d:%x|", p->from, p->to, p->bold, p->italic,
                p->mono, p->underline, p->strike, p->has_color, (unsigned)p->color);
    }
    struct cv_text cleaned = { 0 };
    text_plain_clean(&cleaned, text);
    (void)oc_buf_append(&key, cleaned.bytes, cleaned.len);
    oc_free(cleaned.bytes);
    return oc_buf_take(&key);
}

struct cv_text *cv_text_get(
        struct cv_texts *texts, struct oc_slice text, const struct cv_text_style *style) {
    OC_AUTO_FREE char *key = key_of(text, style);
    struct cv_text *t = oc_map_get(texts->by_key, key);
    if (!t) {
        t = oc_new(struct cv_text);
        cv_text_style_copy(&t->style, style);
        text_plain_clean(t, text);
        t->size_px = style->size_px > 0 && isfinite(style->size_px) ? style->size_px : 14;
        t->char_px = t->size_px / 2;
        t->line_px =
                style->line_px > 0 && isfinite(style->line_px) ? style->line_px : t->size_px * 1.25;
        t->align = style->align;
        t->no_wrap = style->no_wrap || style->ellipsis;
        t->ellipsis = style->ellipsis;
        t->max_lines = style->ellipsis ? 1 : style->max_lines;
        t->lines_width = -1;
        text_plain_measure(t);
        (void)oc_map_put(texts->by_key, key, t);
    }
    t->seen = texts->now;
    return t;
}

const struct cv_text_style *cv_text_style_of(const struct cv_text *t) {
    return &t->style;
}

double cv_text_min_width(struct cv_text *t) {
    return (double)t->widest_word * t->char_px;
}

double cv_text_max_width(struct cv_text *t) {
    return (double)t->widest_line * t->char_px;
}

/* The line that starts at `from`: up to a newline, or to the last space that fits, or, in a word
 * that is too long, to the last character that fits. */
static struct text_line line_at(const struct cv_text *t, size_t from, double width) {
    struct text_line l = { .from = from, .to = t->len, .next = t->len };
    size_t chars = 0, break_at = 0, break_chars = 0;
    for (size_t i = from; i < t->len; i += text_plain_step(t, i)) {
        if (t->bytes[i] == '\n') {
            l.to = i;
            l.next = i + 1;
            break;
        }
        bool is_space = t->bytes[i] == ' ';
        bool fits = t->no_wrap || (double)(chars + 1) * t->char_px <= width + SLACK;
        if (!is_space && !fits && chars > 0) {
            l.to = l.next = break_at ? break_at : i;
            l.chars = break_at ? break_chars : chars;
            return l;
        }
        chars++;
        if (is_space) {
            break_at = i + 1;
            break_chars = chars;
        }
    }
    l.chars = chars;
    return l;
}

static void add_line(struct cv_text *t, struct text_line l) {
    if (t->line_count == t->line_room) {
        t->line_room = t->line_room ? 2 * t->line_room : 4;
        t->lines = oc_realloc(t->lines, t->line_room * sizeof(t->lines[0]));
    }
    t->lines[t->line_count++] = l;
}

static void need_lines(struct cv_text *t, double width) {
    if (!(width >= 0)) {
        width = 0;
    }
    if (t->lines_width == width) {
        return;
    }
    t->lines_width = width;
    t->line_count = 0;
    size_t from = 0;
    do {
        add_line(t, line_at(t, from, width));
        from = t->lines[t->line_count - 1].next;
        if (t->max_lines && t->line_count == t->max_lines) {
            return;
        }
    } while (from < t->len);
    if (t->len > 0 && t->bytes[t->len - 1] == '\n') { /* opens a line for the caret */
        add_line(t, (struct text_line){ t->len, t->len, t->len, 0 });
    }
}

double cv_text_height(struct cv_text *t, double width) {
    need_lines(t, width);
    return (double)t->line_count * t->line_px;
}

double cv_text_baseline(struct cv_text *t, double width) {
    (void)width;
    return (t->line_px - t->size_px) / 2 + 0.8 * t->size_px;
}

static double text_plain_indent(const struct cv_text *t, const struct text_line *l, double width) {
    double room = width - (double)l->chars * t->char_px;
    if (room <= 0 || t->align == CV_ALIGN_START) {
        return 0;
    }
    return t->align == CV_ALIGN_CENTER ? room / 2 : room;
}

static size_t line_of(const struct cv_text *t, size_t index) {
    size_t i = 0;
    while (i + 1 < t->line_count && index >= t->lines[i].next &&
            t->lines[i].next > t->lines[i].from) {
        i++;
    }
    return i;
}

static size_t chars_between(const struct cv_text *t, size_t from, size_t to) {
    size_t n = 0;
    for (size_t i = from; i < to && i < t->len; i += text_plain_step(t, i)) {
        n++;
    }
    return n;
}

/* The place of character number `chars` of a line. */
static size_t index_in_line(const struct cv_text *t, const struct text_line *l, size_t chars) {
    size_t i = l->from;
    while (chars-- > 0 && i < l->to) {
        i += text_plain_step(t, i);
    }
    return i;
}

size_t cv_text_index_at(struct cv_text *t, double width, double x, double y) {
    need_lines(t, width);
    double row = floor(y / t->line_px);
    size_t i = row <= 0 ? 0 : (size_t)fmin(row, (double)(t->line_count - 1));
    const struct text_line *l = &t->lines[i];
    double at = round((x - text_plain_indent(t, l, width)) / t->char_px);
    return index_in_line(t, l, at <= 0 ? 0 : (size_t)fmin(at, (double)l->chars));
}

void cv_text_caret(struct cv_text *t, double width, size_t index, double *ret_x, double *ret_y,
        double *ret_h) {
    need_lines(t, width);
    size_t i = line_of(t, index);
    const struct text_line *l = &t->lines[i];
    *ret_x = text_plain_indent(t, l, width) + (double)chars_between(t, l->from, index) * t->char_px;
    *ret_y = (double)i * t->line_px;
    *ret_h = t->line_px;
}

static size_t step_back(const struct cv_text *t, size_t i) {
    do {
        i--;
    } while (i > 0 && ((unsigned char)t->bytes[i] & 0xc0) == 0x80);
    return i;
}

static bool is_word(const struct cv_text *t, size_t i) {
    return t->bytes[i] != ' ' && t->bytes[i] != '\n';
}

size_t cv_text_move(struct cv_text *t, double width, size_t index, int by, bool words) {
    (void)width;
    if (index > t->len) {
        index = t->len;
    }
    if (by < 0 && words) {
        while (index > 0 && !is_word(t, step_back(t, index))) {
            index = step_back(t, index);
        }
        while (index > 0 && is_word(t, step_back(t, index))) {
            index = step_back(t, index);
        }
        return index;
    }
    if (words) {
        while (index < t->len && !is_word(t, index)) {
            index += text_plain_step(t, index);
        }
        while (index < t->len && is_word(t, index)) {
            index += text_plain_step(t, index);
        }
        return index;
    }
    if (by < 0) {
        return index > 0 ? step_back(t, index) : 0;
    }
    return index < t->len ? index + text_plain_step(t, index) : t->len;
}

size_t cv_text_move_line(struct cv_text *t, double width, size_t index, int by) {
    double x, y, h;
    cv_text_caret(t, width, index, &x, &y, &h);
    if (by < 0 && y <= 0) {
        return 0;
    }
    if (by > 0 && y + h >= cv_text_height(t, width)) {
        return t->len;
    }
    return cv_text_index_at(t, width, x, y + (by < 0 ? -h / 2 : h * 1.5));
}

void cv_text_selection(struct cv_text *t, double width, size_t from, size_t to,
        void (*rect)(void *user, double x, double y, double w, double h), void *user) {
    need_lines(t, width);
    for (size_t i = 0; i < t->line_count; i++) {
        const struct text_line *l = &t->lines[i];
        size_t a = from > l->from ? from : l->from, b = to < l->to ? to : l->to;
        if (a >= b) {
            continue;
        }
        double x =
                text_plain_indent(t, l, width) + (double)chars_between(t, l->from, a) * t->char_px;
        rect(user, x, (double)i * t->line_px, (double)chars_between(t, a, b) * t->char_px,
                t->line_px);
    }
}

struct oc_slice cv_text_string(const struct cv_text *t) {
    return (struct oc_slice){ t->bytes, t->len };
}

unsigned cv_text_unknown_glyphs(struct cv_text *t, double width) {
    (void)t;
    (void)width;
    return 0;
}

double cv_text_slack(const struct cv_text *t) {
    (void)t;
    return 0;
}
