/* What openclaw-canvas and openclaw-canvas-svg tell each other: the drawing on stdin, and on stdout
 * what canvas/images/decoded.h says. Nothing on stdout: it cannot be drawn, and stderr says why. */
#ifndef CANVAS_IMAGES_IMAGES_SVG_H
#define CANVAS_IMAGES_IMAGES_SVG_H

#include "canvas/images/decoded.h"

#define CV_SVG_SECONDS 2    /* of a processor */
#define CV_SVG_MIN_SIDE 512 /* small drawings are drawn larger: they may be shown larger */
#define CV_SVG_MAX_SIDE 2048

#endif
