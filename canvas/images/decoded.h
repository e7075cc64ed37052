/* What a process that decodes a picture writes into the file it was given: this head, and behind it
 * the pixels (premultiplied ARGB) or why there are none. */
#ifndef CANVAS_IMAGES_DECODED_H
#define CANVAS_IMAGES_DECODED_H

#include <stdint.h>

#define CV_DECODED_MAGIC 0x4f435356u
#define CV_DECODED_REFUSED 0x4f435358u /* followed by why, and zero is its code */

struct cv_decoded_head {
    uint32_t magic, px_w, px_h, zero;
    double w, h; /* natural */
};

#endif
