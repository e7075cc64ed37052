/* What openclaw-canvas and openclaw-canvas-svg tell each other: the drawing on stdin, and on stdout this head with the pixels
 * (premultiplied ARGB) behind it. Nothing on stdout: it cannot be drawn, and stderr says why.
 * images_apart.c uses the same head for the other formats. */
#ifndef CANVAS_IMAGES_SVG_H
#define CANVAS_IMAGES_SVG_H

#include <stdint.h>

#define OC_SVG_MAGIC 0x4f435356u
#define OC_SVG_REFUSED 0x4f435358u /* the head is followed by why, and zero is its code */
#define OC_SVG_SECONDS 2           /* of a processor */
#define OC_SVG_MIN_SIDE 512        /* small drawings are drawn larger: they may be shown larger */
#define OC_SVG_MAX_SIDE 2048

struct oc_svg_head {
    uint32_t magic, px_w, px_h, zero;
    double w, h; /* natural */
};

#endif
