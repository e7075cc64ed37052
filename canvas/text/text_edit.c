/* Carets, selections and moves in a shaped text. Lines all have the same height, so they are found
 * by division. */
#include "canvas/text/text_pango.h"

#include <math.h>

static PangoLayoutLine *line_of(PangoLayout *l, int n) {
    int count = pango_layout_get_line_count(l);
    return pango_layout_get_line_readonly(l, n < 0 ? 0 : n >= count ? count - 1 : n);
}

static size_t text_edit_clamp(const struct cv_text *t, size_t index) {
    return index > t->len ? t->len : index;
}

static size_t index_in(struct cv_text *t, PangoLayoutLine *line, double width, double x) {
    double line_x = cv_text_line_x(t, line, width, NULL);
    int index = 0, trailing = 0;
    (void)pango_layout_line_x_to_index(
            line, (int)lround((x - line_x) * PANGO_SCALE), &index, &trailing);
    const char *at = t->bytes + index;
    for (; trailing > 0 && *at; trailing--) {
        at = g_utf8_next_char(at);
    }
    return (size_t)(at - t->bytes);
}

size_t cv_text_index_at(struct cv_text *t, double width, double x, double y) {
    if (!t->len) {
        return 0;
    }
    PangoLayout *l = cv_text_layout(t, width);
    double n = floor(y / t->line_px);
    if (!(n >= 0)) {
        n = 0;
    }
    return index_in(t, line_of(l, n > 1e6 ? 1000000 : (int)n), width, x);
}

/* In its line. After the last character Pango gives the right end of a line, whatever its
 * direction. */
static int caret_x(const struct cv_text *t, PangoLayout *l, size_t index, int *ret_line) {
    int x = 0;
    pango_layout_index_to_line_x(l, (int)index, FALSE, ret_line, &x);
    PangoLayoutLine *line = line_of(l, *ret_line);
    if (line->length > 0 && index == (size_t)line->start_index + (size_t)line->length) {
        const char *last = g_utf8_prev_char(t->bytes + index);
        pango_layout_line_index_to_x(line, (int)(last - t->bytes), TRUE, &x);
    }
    return x;
}

void cv_text_caret(struct cv_text *t, double width, size_t index, double *ret_x, double *ret_y,
        double *ret_h) {
    PangoLayout *l = cv_text_layout(t, width);
    int n = 0, x = caret_x(t, l, text_edit_clamp(t, index), &n);
    *ret_x = cv_text_line_x(t, line_of(l, n), width, NULL) + (double)x / PANGO_SCALE;
    *ret_y = n * t->line_px;
    *ret_h = t->line_px;
}

static size_t move_word(const struct cv_text *t, PangoLayout *l, size_t index, int by) {
    int n = 0;
    const PangoLogAttr *attrs = pango_layout_get_log_attrs_readonly(l, &n);
    long at = g_utf8_pointer_to_offset(t->bytes, t->bytes + index);
    do {
        at += by;
    } while (at > 0 && at < n - 1 && !(by > 0 ? attrs[at].is_word_end : attrs[at].is_word_start));
    if (at < 0) {
        at = 0;
    }
    if (at > n - 1) {
        at = n - 1;
    }
    return (size_t)(g_utf8_offset_to_pointer(t->bytes, at) - t->bytes);
}

size_t cv_text_move(struct cv_text *t, double width, size_t index, int by, bool words) {
    PangoLayout *l = cv_text_layout(t, width);
    index = text_edit_clamp(t, index);
    if (words) {
        return move_word(t, l, index, by < 0 ? -1 : 1);
    }
    int next = 0, trailing = 0;
    pango_layout_move_cursor_visually(l, TRUE, (int)index, 0, by, &next, &trailing);
    if (next < 0) {
        return 0;
    }
    if (next == G_MAXINT) {
        return t->len;
    }
    const char *at = t->bytes + next;
    for (; trailing > 0 && *at; trailing--) {
        at = g_utf8_next_char(at);
    }
    return (size_t)(at - t->bytes);
}

size_t cv_text_move_line(struct cv_text *t, double width, size_t index, int by) {
    PangoLayout *l = cv_text_layout(t, width);
    int n = 0, x = caret_x(t, l, text_edit_clamp(t, index), &n);
    if (n + by < 0) {
        return 0;
    }
    if (n + by >= pango_layout_get_line_count(l)) {
        return t->len;
    }
    double line_x = cv_text_line_x(t, line_of(l, n), width, NULL);
    return index_in(t, line_of(l, n + by), width, line_x + (double)x / PANGO_SCALE);
}

void cv_text_selection(struct cv_text *t, double width, size_t from, size_t to,
        void (*rect)(void *user, double x, double y, double w, double h), void *user) {
    if (from >= to || !t->len) {
        return;
    }
    PangoLayoutIter *it = pango_layout_get_iter(cv_text_layout(t, width));
    for (int n = 0;; n++) {
        PangoLayoutLine *line = pango_layout_iter_get_line_readonly(it);
        PangoRectangle logical;
        pango_layout_iter_get_line_extents(it, NULL, &logical);
        /* Pango's ranges count from the layout's edge as Pango aligns it. */
        double shift = cv_text_line_x(t, line, width, NULL) - (double)logical.x / PANGO_SCALE;
        size_t start = (size_t)line->start_index, end = start + (size_t)line->length;
        if (from <= end && to > start) {
            int *ranges = NULL, count = 0; /* pairs */
            pango_layout_line_get_x_ranges(line, (int)(from > start ? from : start),
                    (int)(to < end ? to : end), &ranges, &count);
            for (const int *r = ranges; count > 0; count--, r += 2) {
                double x0 = (double)r[0] / PANGO_SCALE, x1 = (double)r[1] / PANGO_SCALE;
                if (x1 > x0) {
                    rect(user, x0 + shift, n * t->line_px, x1 - x0, t->line_px);
                }
            }
            g_free(ranges);
        }
        if (!pango_layout_iter_next_line(it)) {
            break;
        }
    }
    pango_layout_iter_free(it);
}
