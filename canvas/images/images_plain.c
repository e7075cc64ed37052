/* Pictures without decoding, beside text_plain.c: bytes that say "640x400" are a picture of that size. */
#include "canvas/images/images_decode.h"

#include "canvas/model/limits.h"
#include "lib/base/mem.h"

#include <stdlib.h>

struct oc_decoding {
    struct oc_picture picture;
};

struct oc_decoding *oc_decoding_start(
        const void *bytes, size_t len, size_t room, struct oc_error *err) {
    OC_AUTO_FREE char *text = oc_strndup(bytes ? bytes : "", bytes ? len : 0);
    char *end = NULL;
    unsigned long w = strtoul(text, &end, 10), h = *end == 'x' ? strtoul(end + 1, NULL, 10) : 0;
    (void)room;
    if (!w || !h || w > OC_CANVAS_MAX_SIDE || h > OC_CANVAS_MAX_SIDE) {
        (void)!oc_fail(err, OC_E_INVALID, "not a picture");
        return NULL;
    }
    struct oc_decoding *d = oc_new(struct oc_decoding);
    d->picture = (struct oc_picture){ .w = (double)w, .h = (double)h };
    return d;
}

int oc_decoding_fd(const struct oc_decoding *d) {
    (void)d;
    return -1;
}

int64_t oc_decoding_until_ms(const struct oc_decoding *d) {
    (void)d;
    return 0;
}

enum oc_code oc_decoding_end(struct oc_decoding *take_d, struct oc_picture *ret,
        int64_t *ret_cpu_ms, struct oc_error *err) {
    (void)err;
    *ret_cpu_ms = 0;
    *ret = take_d->picture;
    oc_free(take_d);
    return OC_OK;
}

void oc_decoding_cancel(struct oc_decoding *take_d) {
    oc_free(take_d);
}

enum oc_code oc_picture_need(
        const void *bytes, size_t len, size_t *ret_bytes, struct oc_error *err) {
    (void)bytes;
    (void)len;
    (void)err;
    *ret_bytes = 0;
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
