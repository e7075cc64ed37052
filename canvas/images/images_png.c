#include "canvas/images/images_decode.h"
#include "lib/base/mem.h"

#include <spng.h>

static void auto_spng(spng_ctx **ctx) {
    spng_ctx_free(*ctx);
}

enum oc_code cv_decode_png(
        const uint8_t *bytes, size_t len, struct cv_picture *ret, struct oc_error *err) {
    __attribute__((cleanup(auto_spng))) spng_ctx *ctx = spng_ctx_new(0);
    CV_AUTO_PICTURE struct cv_picture p = { 0 };
    struct spng_ihdr head;
    spng_set_chunk_limits(ctx, 1 << 20, 4 << 20);
    spng_set_crc_action(ctx, SPNG_CRC_USE, SPNG_CRC_USE);
    int rc = spng_set_png_buffer(ctx, bytes, len);
    rc = rc ? rc : spng_get_ihdr(ctx, &head);
    if (rc == SPNG_EOVERFLOW) { /* so large that the library cannot count it */
        return oc_fail(err, OC_E_TOO_LARGE, "it is too large for a picture");
    }
    if (rc) {
        return oc_fail(err, OC_E_INVALID, "damaged PNG: %s", spng_strerror(rc));
    }
    enum oc_code code = cv_picture_begin(&p, head.width, head.height, head.width, head.height, err);
    if (code != OC_OK) {
        return code;
    }
    rc = spng_decode_image(ctx, p.argb, p.bytes, SPNG_FMT_RGBA8, SPNG_DECODE_TRNS);
    if (rc) {
        return oc_fail(err, OC_E_INVALID, "damaged PNG: %s", spng_strerror(rc));
    }
    const uint8_t *in = (const uint8_t *)p.argb;
    for (size_t i = 0; i < p.bytes / 4; i++) {
        p.argb[i] = cv_premultiply(in[4 * i + 3], in[4 * i], in[4 * i + 1], in[4 * i + 2]);
    }
    *ret = p;
    p.argb = NULL;
    return OC_OK;
}
