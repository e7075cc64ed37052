/* Pictures as hosts and agents send them, in this process; but not SVG, which another program
 * draws. */
#include "canvas/images/images_decode.h"
#include "canvas/model/limits.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    CV_AUTO_PICTURE struct cv_picture p = { 0 };
    struct oc_error err = { .text = "" };
    if (memmem(data, size, "<svg", 4)) {
        return 0;
    }
    if (cv_picture_decode_here(data, size, &p, &err) != OC_OK) {
        CHECK(err.text[0] && !p.argb);
        return 0;
    }
    CHECK(p.w > 0 && p.h > 0 && p.px_w > 0 && p.px_h > 0 && p.argb);
    CHECK(p.bytes == (size_t)p.px_w * p.px_h * 4 && p.bytes / 4 <= CV_MAX_IMAGE_PIXELS);
    for (size_t i = 0; i < p.bytes / 4; i++) {
        uint32_t c = p.argb[i], a = c >> 24;
        CHECK((c >> 16 & 255) <= a && (c >> 8 & 255) <= a && (c & 255) <= a); /* premultiplied */
    }
    return 0;
}
