#include "canvas/input/edit.h"

#include "canvas/model/limits.h"
#include "canvas/text/grapheme.h"
#include "lib/base/utf8.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define DOT "\xe2\x80\xa2" /* U+2022 */
#define DOT_LEN 3
#define BROKEN "\xef\xbf\xbd"

static bool is_control(unsigned char c) {
    return c < 0x20 || c == 0x7f;
}

static void append_clean(struct oc_buf *out, struct oc_slice in, bool is_multiline) {
    for (size_t i = 0; i < in.len;) {
        size_t n = oc_utf8_char(in.ptr + i, in.len - i);
        unsigned char c = (unsigned char)in.ptr[i];
        if (n == 0 || c == 0) {
            (void)oc_buf_puts(out, BROKEN);
        } else if (c == '\n' || c == '\t') {
            (void)oc_buf_putc(out, is_multiline && c == '\n' ? '\n' : ' ');
        } else if (!is_control(c)) {
            (void)oc_buf_append(out, in.ptr + i, n);
        }
        i += n ? n : 1;
    }
}

struct oc_slice cv_edit_clean(struct cv_arena *a, struct oc_slice value, bool is_multiline) {
    value.len = value.ptr ? oc_utf8_cut(value.ptr, value.len, CV_MAX_STRING) : 0;
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(3 * CV_MAX_STRING + 1);
    append_clean(&out, value, is_multiline);
    return (struct oc_slice){ cv_arena_strndup(a, out.data ? out.data : "", out.len), out.len };
}

static size_t count_chars(const char *s, size_t len) {
    size_t n = 0;
    for (size_t i = 0; i < len; n++) {
        (void)oc_utf8_decode(s, len, i, &i);
    }
    return n;
}

static size_t nth_char(const char *s, size_t len, size_t n) {
    size_t i = 0;
    while (n-- > 0 && i < len) {
        (void)oc_utf8_decode(s, len, i, &i);
    }
    return i;
}

static size_t preedit_len(const struct cv_edit *e) {
    return e->local->preedit ? strlen(e->local->preedit) : 0;
}

struct oc_slice cv_edit_shown(
        const struct cv_edit *e, struct cv_arena *a, size_t *ret_from, size_t *ret_to) {
    size_t caret = e->local->caret, extra = preedit_len(e);
    *ret_from = *ret_to = 0;
    if (e->is_masked) { /* an input method has no business here */
        size_t n = count_chars(e->value.ptr, e->value.len);
        char *dots = cv_arena_alloc(a, n * DOT_LEN + 1);
        for (size_t i = 0; i < n * DOT_LEN; i++) {
            dots[i] = DOT[i % DOT_LEN];
        }
        return (struct oc_slice){ dots, n * DOT_LEN };
    }
    if (!extra) {
        return e->value;
    }
    char *text = cv_arena_alloc(a, e->value.len + extra + 1);
    memcpy(text, e->value.ptr, caret);
    memcpy(text + caret, e->local->preedit, extra);
    memcpy(text + caret + extra, e->value.ptr + caret, e->value.len - caret);
    *ret_from = caret;
    *ret_to = caret + extra;
    return (struct oc_slice){ text, e->value.len + extra };
}

static size_t edit_clamp(const struct cv_edit *e, size_t i) {
    if (i >= e->value.len) {
        return e->value.len;
    }
    while (i > 0 && ((unsigned char)e->value.ptr[i] & 0xc0) == 0x80) {
        i--;
    }
    return i;
}

void cv_edit_clamp(const struct cv_edit *e) {
    e->local->caret = edit_clamp(e, e->local->caret);
    e->local->anchor = edit_clamp(e, e->local->anchor);
}

size_t cv_edit_to_shown(const struct cv_edit *e, size_t index) {
    if (e->is_masked) {
        return count_chars(e->value.ptr, index) * DOT_LEN;
    }
    return index > e->local->caret ? index + preedit_len(e) : index;
}

static size_t to_value(const struct cv_edit *e, size_t shown) {
    if (e->is_masked) {
        return nth_char(e->value.ptr, e->value.len, shown / DOT_LEN);
    }
    size_t caret = e->local->caret, extra = preedit_len(e);
    if (shown > caret) {
        shown = shown >= caret + extra ? shown - extra : caret;
    }
    return edit_clamp(e, shown);
}

void cv_edit_caret(const struct cv_edit *e, double *ret_x, double *ret_y, double *ret_h) {
    size_t at = cv_edit_to_shown(e, e->local->caret);
    if (!e->is_masked && e->local->preedit) {
        at += e->local->preedit_caret < preedit_len(e) ? e->local->preedit_caret : preedit_len(e);
    }
    cv_text_caret(e->text, e->width, at, ret_x, ret_y, ret_h);
}

/* The start or end of the line that the caret stands in, as it is wrapped. */
static size_t line_edge(const struct cv_edit *e, bool is_end) {
    double x, y, h, ignored, there;
    cv_edit_caret(e, &x, &y, &h);
    size_t at = cv_text_index_at(e->text, e->width, is_end ? 1e6 : -1e6, y + h / 2);
    cv_text_caret(e->text, e->width, at, &ignored, &there, &h);
    if (is_end && there > y && at > 0) { /* after the space at which the line was broken */
        at = cv_text_move(e->text, e->width, at, -1, false);
    }
    return to_value(e, at);
}

static size_t edit_moved(const struct cv_edit *e, enum cv_key key, bool ctrl) {
    size_t len = e->value.len, from = e->local->caret, to = e->local->anchor;
    size_t shown = cv_edit_to_shown(e, from);
    switch (key) {
    case CV_KEY_LEFT:
    case CV_KEY_RIGHT:
        if (ctrl && e->is_masked) { /* the words of a password stay hidden */
            return key == CV_KEY_LEFT ? 0 : len;
        }
        return to_value(
                e, cv_text_move(e->text, e->width, shown, key == CV_KEY_LEFT ? -1 : 1, ctrl));
    case CV_KEY_UP:
    case CV_KEY_DOWN:
        return to_value(e, cv_text_move_line(e->text, e->width, shown, key == CV_KEY_UP ? -1 : 1));
    case CV_KEY_HOME:
        return ctrl || !e->is_multiline ? 0 : line_edge(e, false);
    case CV_KEY_END:
        return ctrl || !e->is_multiline ? len : line_edge(e, true);
    default:
        return to;
    }
}

/* An arrow without Shift leaves a selection at its edge. */
static bool edit_collapse(const struct cv_edit *e, enum cv_key key, unsigned mods) {
    struct cv_local *l = e->local;
    if (mods || l->caret == l->anchor || (key != CV_KEY_LEFT && key != CV_KEY_RIGHT)) {
        return false;
    }
    double ax, cx, y, h, ay;
    cv_text_caret(e->text, e->width, cv_edit_to_shown(e, l->anchor), &ax, &ay, &h);
    cv_text_caret(e->text, e->width, cv_edit_to_shown(e, l->caret), &cx, &y, &h);
    bool caret_is_left = y < ay || (!(y > ay) && cx < ax);
    if ((key == CV_KEY_LEFT) == caret_is_left) {
        l->anchor = l->caret;
    } else {
        l->caret = l->anchor;
    }
    return true;
}

bool cv_edit_move(const struct cv_edit *e, enum cv_key key, unsigned mods) {
    struct cv_local *l = e->local;
    cv_edit_clamp(e);
    if (key == CV_KEY_A && (mods & CV_MOD_CTRL)) {
        l->anchor = 0;
        l->caret = e->value.len;
        return true;
    }
    bool is_vertical = key == CV_KEY_UP || key == CV_KEY_DOWN;
    bool is_arrow = key == CV_KEY_LEFT || key == CV_KEY_RIGHT || is_vertical;
    if (!is_arrow && key != CV_KEY_HOME && key != CV_KEY_END) {
        return false;
    }
    if (mods & CV_MOD_ALT || (is_vertical && !e->is_multiline)) {
        return false;
    }
    l->follow = true;
    if (edit_collapse(e, key, mods)) {
        return true;
    }
    l->caret = edit_moved(e, key, mods & CV_MOD_CTRL);
    if (!(mods & CV_MOD_SHIFT)) {
        l->anchor = l->caret;
    }
    return true;
}

static bool is_word(uint32_t c) {
    return c >= 0x80 || isalnum((int)c) || c == '_';
}

static void select_word(const struct cv_edit *e, size_t at) {
    const char *s = e->value.ptr;
    size_t len = e->value.len, from = at, to = at, next;
    if (e->is_masked) {
        from = 0;
        to = len;
    }
    while (from > 0 && is_word(oc_utf8_decode(s, len, oc_utf8_back(s, from), &next))) {
        from = oc_utf8_back(s, from);
    }
    while (to < len && is_word(oc_utf8_decode(s, len, to, &next))) {
        to = next;
    }
    if (from == to) {
        to = cv_grapheme_next(s, len, to);
    }
    e->local->anchor = from;
    e->local->caret = to;
}

void cv_edit_press(const struct cv_edit *e, double x, double y, unsigned clicks, bool extend) {
    struct cv_local *l = e->local;
    cv_edit_clamp(e);
    size_t at = to_value(e, cv_text_index_at(e->text, e->width, x, y));
    l->follow = true;
    if (clicks == 2) {
        select_word(e, at);
        return;
    }
    l->caret = at;
    if (!extend) {
        l->anchor = at;
    }
    if (clicks >= 3) {
        l->anchor = 0;
        l->caret = e->value.len;
    }
}

void cv_edit_drag(const struct cv_edit *e, double x, double y) {
    cv_edit_clamp(e);
    e->local->caret = to_value(e, cv_text_index_at(e->text, e->width, x, y));
    e->local->follow = true;
}

static void edit_range(const struct cv_edit *e, size_t *ret_from, size_t *ret_to) {
    cv_edit_clamp(e);
    size_t a = e->local->caret, b = e->local->anchor;
    *ret_from = a < b ? a : b;
    *ret_to = a < b ? b : a;
}

struct oc_slice cv_edit_selected(const struct cv_edit *e) {
    size_t from, to;
    edit_range(e, &from, &to);
    return (struct oc_slice){ e->value.ptr + from, to - from };
}

static void edit_replace(
        const struct cv_edit *e, size_t from, size_t to, struct oc_slice with, struct oc_buf *out) {
    (void)oc_buf_append(out, e->value.ptr, from);
    (void)oc_buf_append(out, with.ptr, with.len);
    (void)oc_buf_append(out, e->value.ptr + to, e->value.len - to);
    e->local->caret = e->local->anchor = from + with.len;
    e->local->follow = true;
}

/* By the order of the bytes, whichever way they are written. */
static size_t word_edge(const struct cv_edit *e, size_t i, bool back) {
    const char *s = e->value.ptr;
    size_t len = e->value.len, next;
    bool seen = false;
    while (back ? i > 0 : i < len) {
        size_t at = back ? oc_utf8_back(s, i) : i;
        bool word = is_word(oc_utf8_decode(s, len, at, &next));
        if (seen && !word) {
            break;
        }
        seen = seen || word;
        i = back ? at : next;
    }
    return i;
}

bool cv_edit_delete(const struct cv_edit *e, enum cv_key key, unsigned mods, struct oc_buf *out) {
    if (key != CV_KEY_BACKSPACE && key != CV_KEY_DELETE) {
        return false;
    }
    size_t from, to;
    edit_range(e, &from, &to);
    bool back = key == CV_KEY_BACKSPACE, words = mods & CV_MOD_CTRL;
    if (from == to && words && e->is_masked) {
        from = back ? 0 : from;
        to = back ? to : e->value.len;
    } else if (from == to && back) {
        from = words ? word_edge(e, from, true)
                     : cv_grapheme_prev(e->value.ptr, e->value.len, from);
    } else if (from == to) {
        to = words ? word_edge(e, to, false) : cv_grapheme_next(e->value.ptr, e->value.len, to);
    }
    if (from == to) {
        return false;
    }
    edit_replace(e, from, to, (struct oc_slice){ "", 0 }, out);
    return true;
}

bool cv_edit_insert(const struct cv_edit *e, const char *utf8, struct oc_buf *out) {
    size_t from, to, len = strlen(utf8);
    edit_range(e, &from, &to);
    OC_AUTO_BUF struct oc_buf clean = OC_BUF_INIT(3 * CV_MAX_STRING + 1);
    append_clean(&clean, (struct oc_slice){ utf8, oc_utf8_cut(utf8, len, CV_MAX_STRING) },
            e->is_multiline);
    size_t kept = e->value.len - (to - from);
    size_t room = kept < CV_MAX_STRING ? CV_MAX_STRING - kept : 0;
    size_t n = clean.len ? oc_utf8_cut(clean.data, clean.len, room) : 0;
    if (n == 0) {
        return false;
    }
    edit_replace(e, from, to, (struct oc_slice){ clean.data, n }, out);
    return true;
}

bool cv_edit_is_number(const char *text, size_t len) {
    size_t i = 0;
    bool digits = false;
    if (i < len && (text[i] == '-' || text[i] == '+')) {
        i++;
    }
    for (bool point = false; i < len; i++) {
        if (text[i] == '.' && !point) {
            point = true;
        } else if (isdigit((unsigned char)text[i])) {
            digits = true;
        } else {
            break;
        }
    }
    if (i < len && digits && (text[i] == 'e' || text[i] == 'E')) {
        i++;
        if (i < len && (text[i] == '-' || text[i] == '+')) {
            i++;
        }
        while (i < len && isdigit((unsigned char)text[i])) {
            i++;
        }
    }
    return i == len;
}
