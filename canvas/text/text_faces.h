/* Fonts, chosen once for each family, size, weight and slant. */
#ifndef CANVAS_TEXT_TEXT_FACES_H
#define CANVAS_TEXT_TEXT_FACES_H

#include "canvas/text/text.h"

#include <hb.h>
#include <pango/pangocairo.h>

struct oc_face {
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

struct oc_faces {
    PangoFontMap *map;
    PangoContext *context;
    struct oc_face **items;
    size_t count;
};

void oc_faces_init(struct oc_faces *f);
void oc_faces_finish(struct oc_faces *f);
/* Is it installed? Generic names (sans-serif …) are. */
bool oc_faces_have(struct oc_faces *f, const char *family);
/* Never NULL; lives as long as f. */
const struct oc_face *oc_faces_get(struct oc_faces *f, const struct oc_text_style *style);

#endif
