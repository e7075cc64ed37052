/* Pictures without decoding, beside text_plain.c: bytes that say "640x400" are a picture of that size. */
#include "canvas/images_decode.h"

#include "base/mem.h"
#include "canvas/limits.h"

#include <stdlib.h>

enum oc_code oc_picture_decode(
        const void *bytes, size_t len, struct oc_picture *ret, struct oc_error *err) {
    OC_AUTO_FREE char *text = oc_strndup(bytes ? bytes : "", bytes ? len : 0);
    char *end = NULL;
    unsigned long w = strtoul(text, &end, 10), h = *end == 'x' ? strtoul(end + 1, NULL, 10) : 0;
    if (!w || !h || w > OC_CANVAS_MAX_SIDE || h > OC_CANVAS_MAX_SIDE)
        return oc_fail(err, OC_E_INVALID, "not a picture");
    *ret = (struct oc_picture){ .w = (double)w, .h = (double)h };
    return OC_OK;
}

void *oc_picture_keep(struct oc_picture *take_picture) {
    (void)take_picture;
    return NULL;
}

void oc_picture_drop(void *pixels) {
    (void)pixels;
}

void oc_picture_finish(struct oc_picture *p) {
    (void)p;
}
