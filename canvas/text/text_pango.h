/* What text_pango.c (cache, measures, drawing) and text_edit.c (carets, moves, selections)
 * share. */
#ifndef CANVAS_TEXT_TEXT_PANGO_H
#define CANVAS_TEXT_TEXT_PANGO_H

#include "canvas/text/text_faces.h"
#include "lib/base/list.h"

struct cv_glyph {
    unsigned id;
    float x;
};

/* Most texts on a page are a few Latin words on one line: those are shaped directly (glyphs !=
 * NULL) and get a PangoLayout only when they must be broken or edited. Layouts are made when needed
 * and the longest unused ones are given up. */
struct cv_text {
    struct cv_text *next; /* in its bucket */
    struct oc_list link;  /* texts->layouts, when it has one */
    struct cv_texts *texts;
    uint64_t hash, seen;
    struct cv_text_style style;
    const struct cv_face *face;
    char *bytes;
    size_t len;
    double line_px, ascent; /* baseline of a line in its line box */
    double slack;
    PangoLayout *layout;
    double layout_w; /* what the layout is broken for; negative: unbroken */
    struct cv_glyph *glyphs;
    size_t glyph_count;
    bool is_measured;
    double min_w, max_w;
    size_t paragraphs;
    unsigned unknown; /* glyphs that no font has */
    struct {
        double width;
        size_t lines;
    } broken[2]; /* the last line counts */
};

/* The layout broken for this width. */
PangoLayout *cv_text_layout(struct cv_text *t, double width);
/* Where a line begins, considering alignment and direction; ret_pango_x: where Pango thinks it
 * does. */
double cv_text_line_x(
        const struct cv_text *t, PangoLayoutLine *line, double width, double *ret_line_w);

#endif
