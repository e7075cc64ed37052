#ifndef CANVAS_PAINT_PAINT_IMAGE_H
#define CANVAS_PAINT_PAINT_IMAGE_H

#include "canvas/display/display_list.h"

struct _cairo;
struct cv_image;

/* The picture stretched over r. */
void cv_image_draw(const struct cv_image *image, struct _cairo *cr, struct cv_rect r);

#endif
