/* Pictures are decoded in processes of their own: what a file makes its decoder do ends there. Such
 * a process writes a head (decoded.h) and pixels, or a head and why not, into a file in memory. */
#ifndef CANVAS_IMAGES_IMAGES_APART_H
#define CANVAS_IMAGES_IMAGES_APART_H

#include "canvas/images/images_decode.h"

#include <stdbool.h>
#include <sys/types.h>

typedef enum oc_code cv_picture_decoder(
        const uint8_t *bytes, size_t len, struct cv_picture *ret, struct oc_error *err);

/* NULL: err says why. */
struct cv_decoding *cv_apart_start(cv_picture_decoder *decode, const uint8_t *bytes, size_t len,
        size_t room, struct oc_error *err) OC_MUST_USE;
struct cv_decoding *cv_svg_start(
        const uint8_t *bytes, size_t len, struct oc_error *err) OC_MUST_USE;
/* A process that was started, and the file it writes to; broken is said when it does not end
 * well. */
struct cv_decoding *cv_apart_watch(pid_t pid, int take_out, const char *broken) OC_MUST_USE;
bool cv_apart_write(int fd, const void *bytes, size_t len) OC_MUST_USE;

#endif
