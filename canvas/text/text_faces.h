/* Fonts, chosen once for each family, size, weight and slant. */
#ifndef CANVAS_TEXT_TEXT_FACES_H
#define CANVAS_TEXT_TEXT_FACES_H

#include "canvas/text/text.h"

#include <hb.h>
#include <pango/pangocairo.h>

struct cv_face {
    char *family;
    double size_px;
    int weight;
    bool italic;
    PangoFontDescription *desc;
    PangoFont *font;             /* of the first family that is installed; NULL: no fonts at all */
    hb_font_t *hb;               /* of `font`, positions in Pango units */
    cairo_scaled_font_t *scaled; /* of `font` */
    double ascent, descent;      /* whole pixels, as browsers round them */
};

struct cv_faces {
    PangoFontMap *map;
    PangoContext *context;
    struct cv_face **items;
    size_t count;
};

void cv_faces_init(struct cv_faces *f);
void cv_faces_finish(struct cv_faces *f);
/* Is it installed? Generic names (sans-serif …) are. */
bool cv_faces_have(struct cv_faces *f, const char *family);
/* Never NULL; lives as long as f. */
const struct cv_face *cv_faces_get(struct cv_faces *f, const struct cv_text_style *style);

#endif
