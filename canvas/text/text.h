/* Text that has been shaped. Two engines implement this header: text_pango.c, and text_plain.c, in which every character is half
 * as wide as the font is high, for tests and fuzzing without fonts. A program links one of them.
 *
 * Widths and heights are logical pixels (before the scale factor). Texts live in a cache: getting the same text with the same
 * style again is a look-up; what two scenes did not ask for is dropped. */
#ifndef CANVAS_TEXT_TEXT_H
#define CANVAS_TEXT_TEXT_H

#include "canvas/model/theme.h"
#include "lib/base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct oc_texts; /* the cache */
struct oc_text;

enum oc_text_align {
    OC_ALIGN_START,
    OC_ALIGN_CENTER,
    OC_ALIGN_END
}; /* start: right in right-to-left paragraphs */

struct oc_text_span { /* a part of it that looks different; offsets in bytes */
    size_t from, to;
    unsigned bold : 1, italic : 1, mono : 1, underline : 1, strike : 1, has_color : 1;
    oc_color color;
};

struct oc_text_style {
    const char *family;      /* fontconfig list */
    double size_px, line_px; /* line_px 0: the font's own */
    int weight;
    bool italic;
    oc_color color; /* part of the style: colours are in the shaped text */
    enum oc_text_align align;
    bool no_wrap;     /* one line per paragraph */
    bool ellipsis;    /* cut the first line to the width with … */
    bool keep_spaces; /* code: nothing is collapsed, no wrapping inside words unless too long */
    size_t max_lines; /* 0: all */
    const struct oc_text_span *spans; /* ordered, not overlapping; copied */
    size_t span_count;
};

struct oc_texts *oc_texts_create(void);
void oc_texts_destroy(struct oc_texts *t);
void oc_texts_age(struct oc_texts *t);                      /* once a scene */
bool oc_texts_have(struct oc_texts *t, const char *family); /* one that is installed */
/* Never NULL. NUL and broken UTF-8 are shown as U+FFFD; longer than OC_CANVAS_MAX_STRING is cut. */
struct oc_text *oc_text_get(
        struct oc_texts *t, struct oc_slice text, const struct oc_text_style *style);

double oc_text_min_width(struct oc_text *t); /* of its longest unbreakable part */
double oc_text_max_width(struct oc_text *t); /* with no line broken but by newlines */
double oc_text_height(struct oc_text *t, double width);
double oc_text_baseline(struct oc_text *t, double width); /* of the first line */
/* For editing (text_edit.c, for Pango). Index in bytes, at grapheme boundaries. */
size_t oc_text_index_at(struct oc_text *t, double width, double x, double y);
void oc_text_caret(
        struct oc_text *t, double width, size_t index, double *ret_x, double *ret_y, double *ret_h);
size_t oc_text_move(struct oc_text *t, double width, size_t index, int by,
        bool words); /* by ±1: visual left, right */
size_t oc_text_move_line(
        struct oc_text *t, double width, size_t index, int by); /* by ±1: up, down */
/* Rectangles of a selection on each line: calls back for each. */
void oc_text_selection(struct oc_text *t, double width, size_t from, size_t to,
        void (*rect)(void *user, double x, double y, double w, double h), void *user);
struct oc_slice oc_text_string(const struct oc_text *t);
const struct oc_text_style *oc_text_style_of(const struct oc_text *t);
/* Characters that no font has: diagnostics "missing-glyphs". */
unsigned oc_text_unknown_glyphs(struct oc_text *t, double width);
/* How far outside the boxes of its lines it may be painted; what would reach further (marks on marks) is cut off. 0: Latin letters,
 * which lean over a little. */
double oc_text_slack(const struct oc_text *t);

/* Of a text and all of its style, for caches and damage (text_hash.c, shared by both engines). */
uint64_t oc_text_hash(struct oc_slice text, const struct oc_text_style *style);
bool oc_text_style_equal(const struct oc_text_style *a, const struct oc_text_style *b);
/* A copy with its own family and spans. */
void oc_text_style_copy(struct oc_text_style *to, const struct oc_text_style *from);
void oc_text_style_finish(struct oc_text_style *style);

#endif
