/* Text that has been shaped. Two engines implement this header: text_pango.c, and text_plain.c, in
 * which every character is half as wide as the font is high, for tests and fuzzing without fonts. A
 * program links one of them.
 *
 * Widths and heights are logical pixels (before the scale factor). Texts live in a cache: getting
 * the same text with the same style again is a look-up; what two scenes did not ask for is
 * dropped. */
#ifndef CANVAS_TEXT_TEXT_H
#define CANVAS_TEXT_TEXT_H

#include "canvas/model/theme.h"
#include "lib/base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cv_texts; /* the cache */
struct cv_text;

enum cv_text_align {
    CV_ALIGN_START,
    CV_ALIGN_CENTER,
    CV_ALIGN_END
}; /* start: right in right-to-left paragraphs */

struct cv_text_span { /* a part of it that looks different; offsets in bytes */
    size_t from, to;
    unsigned bold : 1, italic : 1, mono : 1, underline : 1, strike : 1, has_color : 1;
    cv_color color;
};

struct cv_text_style {
    const char *family;      /* fontconfig list */
    double size_px, line_px; /* line_px 0: the font's own */
    int weight;
    bool italic;
    cv_color color; /* part of the style: colours are in the shaped text */
    enum cv_text_align align;
    bool no_wrap;     /* one line per paragraph */
    bool ellipsis;    /* cut the first line to the width with … */
    bool keep_spaces; /* code: nothing is collapsed, no wrapping inside words unless too long */
    size_t max_lines; /* 0: all */
    const struct cv_text_span *spans; /* ordered, not overlapping; copied */
    size_t span_count;
};

struct cv_texts *cv_texts_create(void);
void cv_texts_destroy(struct cv_texts *t);
void cv_texts_age(struct cv_texts *t);                      /* once a scene */
bool cv_texts_have(struct cv_texts *t, const char *family); /* one that is installed */
/* Never NULL. NUL and broken UTF-8 are shown as U+FFFD; longer than CV_MAX_STRING is cut. */
struct cv_text *cv_text_get(
        struct cv_texts *t, struct oc_slice text, const struct cv_text_style *style);

double cv_text_min_width(struct cv_text *t); /* of its longest unbreakable part */
double cv_text_max_width(struct cv_text *t); /* with no line broken but by newlines */
double cv_text_height(struct cv_text *t, double width);
/* For tests. */
double cv_text_baseline(struct cv_text *t, double width); /* of the first line */
/* For editing (text_edit.c, for Pango). Index in bytes, at grapheme boundaries. */
size_t cv_text_index_at(struct cv_text *t, double width, double x, double y);
void cv_text_caret(
        struct cv_text *t, double width, size_t index, double *ret_x, double *ret_y, double *ret_h);
size_t cv_text_move(struct cv_text *t, double width, size_t index, int by,
        bool words); /* by ±1: visual left, right */
size_t cv_text_move_line(
        struct cv_text *t, double width, size_t index, int by); /* by ±1: up, down */
/* Rectangles of a selection on each line: calls back for each. */
void cv_text_selection(struct cv_text *t, double width, size_t from, size_t to,
        void (*rect)(void *user, double x, double y, double w, double h), void *user);
struct oc_slice cv_text_string(const struct cv_text *t);
const struct cv_text_style *cv_text_style_of(const struct cv_text *t);
/* Characters that no font has: diagnostics "missing-glyphs". */
unsigned cv_text_unknown_glyphs(struct cv_text *t, double width);
/* How far outside the boxes of its lines it may be painted; what would reach further (marks on
 * marks) is cut off. 0: Latin letters, which lean over a little. */
double cv_text_slack(const struct cv_text *t);

/* Of a text and all of its style, for caches and damage (text_hash.c, shared by both engines). */
uint64_t cv_text_hash(struct oc_slice text, const struct cv_text_style *style);
bool cv_text_style_equal(const struct cv_text_style *a, const struct cv_text_style *b);
/* A copy with its own family and spans. */
void cv_text_style_copy(struct cv_text_style *to, const struct cv_text_style *from);
void cv_text_style_finish(struct cv_text_style *style);

#endif
