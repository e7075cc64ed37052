/* A raw frame as a JPEG file in memory: no EXIF, no larger than it may be. */
#ifndef PLATFORM_LINUX_MEDIA_JPEG_H
#define PLATFORM_LINUX_MEDIA_JPEG_H

#include "lib/base/error.h"

#include <gst/gst.h>
#include <stdbool.h>
#include <stddef.h>

struct os_jpeg_opts {
    int max_width;
    double quality;   /* 0…1 */
    bool is_png;      /* without loss; quality says nothing then */
    size_t max_bytes; /* first the quality suffers, then the size */
};

struct os_jpeg {
    int fd; /* a memfd */
    int width, height;
};

enum oc_code os_jpeg_encode(GstSample *frame, const struct os_jpeg_opts *opts, struct os_jpeg *ret,
        struct oc_error *err) OC_MUST_USE;
/* Loads what it takes, while there is nothing else to do. */
void os_jpeg_prepare(void);
/* What callers may show to a model: at most this in base64 (docs/PROTOCOL.md#node-commands). */
size_t os_jpeg_ceiling(size_t max_bytes);

#endif
