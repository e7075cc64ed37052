/* Pictures without decoding, beside text_plain.c: bytes that say "640x400" are a picture of that
 * size. */
#include "canvas/images/images_decode.h"

#include "canvas/model/limits.h"
#include "lib/base/mem.h"

#include <stdlib.h>

struct cv_decoding {
    struct cv_picture picture;
};

struct cv_decoding *cv_decoding_start(
        const void *bytes, size_t len, size_t room, struct oc_error *err) {
    OC_AUTO_FREE char *text = oc_strndup(bytes ? bytes : "", bytes ? len : 0);
    char *end = NULL;
    unsigned long w = strtoul(text, &end, 10), h = *end == 'x' ? strtoul(end + 1, NULL, 10) : 0;
    (void)room;
    if (!w || !h || w > CV_MAX_SIDE || h > CV_MAX_SIDE) {
        (void)!oc_fail(err, OC_E_INVALID, "not a picture");
        return NULL;
    }
    struct cv_decoding *d = oc_new(struct cv_decoding);
    d->picture = (struct cv_picture){ .w = (double)w, .h = (double)h };
    return d;
}

int cv_decoding_fd(const struct cv_decoding *d) {
    (void)d;
    return -1;
}

int64_t cv_decoding_until_ms(const struct cv_decoding *d) {
    (void)d;
    return 0;
}

enum oc_code cv_decoding_end(struct cv_decoding *take_d, struct cv_picture *ret,
        int64_t *ret_cpu_ms, struct oc_error *err) {
    (void)err;
    *ret_cpu_ms = 0;
    *ret = take_d->picture;
    oc_free(take_d);
    return OC_OK;
}

void cv_decoding_cancel(struct cv_decoding *take_d) {
    oc_free(take_d);
}

enum oc_code cv_picture_need(
        const void *bytes, size_t len, size_t *ret_bytes, struct oc_error *err) {
    (void)bytes;
    (void)len;
    (void)err;
    *ret_bytes = 0;
    return OC_OK;
}

void *cv_picture_keep(struct cv_picture *take_picture) {
    (void)take_picture;
    return NULL;
}

void cv_picture_drop(void *pixels) {
    (void)pixels;
}

void cv_picture_finish(struct cv_picture *p) {
    (void)p;
}
