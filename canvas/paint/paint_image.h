#ifndef CANVAS_PAINT_PAINT_IMAGE_H
#define CANVAS_PAINT_PAINT_IMAGE_H

#include "canvas/display/display_list.h"

struct _cairo;
struct oc_image;

/* The picture stretched over r. */
void oc_image_draw(const struct oc_image *image, struct _cairo *cr, struct oc_rect r);

#endif
