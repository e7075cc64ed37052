/* What the tests of pictures share. */
#ifndef TESTS_UNIT_CANVAS_IMAGES_CANVAS_IMAGES_TESTING_H
#define TESTS_UNIT_CANVAS_IMAGES_CANVAS_IMAGES_TESTING_H

#include "canvas/images/images.h"
#include "canvas/images/images_apart.h"
#include "canvas/images/images_sandbox.h"
#include "canvas/model/limits.h"
#include "canvas/paint/paint_image.h"
#include "lib/base/encode.h"
#include "lib/files/file.h"
#include "tests/unit/unit.h"

#include <cairo.h>
#include <spng.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define RED 0xffff0000u
#define BLUE 0xff0000ffu

static inline struct oc_buf load(const char *name) {
    struct oc_buf out = OC_BUF_INIT(1 << 20);
    struct oc_error err;
    OC_AUTO_FREE char *path = oc_strfmt("%s/canvas/pictures/%s", OC_TEST_DIR, name);
    if (oc_file_read(path, 1 << 20, &out, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    return out;
}

/* Lossy formats come near. */
static inline bool is_near(uint32_t a, uint32_t b) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
        if (abs((int)(a >> shift & 255) - (int)(b >> shift & 255)) > 12) {
            return false;
        }
    }
    return true;
}

static inline void check_halves(const char *name, const struct cv_picture *p) {
    size_t middle = (size_t)p->px_w * (p->px_h / 2);
    uint32_t left = p->argb[middle], right = p->argb[middle + p->px_w - 1];
    if (!is_near(left, RED) || !is_near(right, BLUE)) {
        fail_msg("%s: %08x %08x", name, left, right);
    }
}

#endif
