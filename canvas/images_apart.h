/* Pictures are decoded in processes of their own: what a file makes its decoder do ends there. Such a process writes a head
 * (images_svg.h) and pixels, or a head and why not, into a file in memory. */
#ifndef CANVAS_IMAGES_APART_H
#define CANVAS_IMAGES_APART_H

#include "canvas/images_decode.h"

#include <stdbool.h>
#include <sys/types.h>

typedef enum oc_code oc_picture_decoder(
        const uint8_t *bytes, size_t len, struct oc_picture *ret, struct oc_error *err);

enum oc_code oc_decode_apart(oc_picture_decoder *decode, const uint8_t *bytes, size_t len,
        struct oc_picture *ret, struct oc_error *err) OC_MUST_USE;
/* Whether it ended well and in time; then, and otherwise too, it is gone. */
bool oc_apart_wait(pid_t pid) OC_MUST_USE;
enum oc_code oc_apart_take(int fd, struct oc_picture *ret, struct oc_error *err) OC_MUST_USE;

#endif
