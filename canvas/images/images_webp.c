#include "canvas/images/images_decode.h"
#include "lib/base/mem.h"

#include <webp/decode.h>
#include <webp/demux.h>

#define LOSSLESS 2 /* WebPBitstreamFeatures.format */

static enum oc_code decode_first(
        const uint8_t *bytes, size_t len, struct cv_picture *ret, struct oc_error *err) {
    WebPIterator frame = { 0 };
    WebPDemuxer *demuxer = WebPDemux(&(WebPData){ bytes, len });
    WebPBitstreamFeatures inner;
    enum oc_code rc = OC_E_INVALID;
    if (demuxer && WebPDemuxGetFrame(demuxer, 1, &frame) &&
            WebPGetFeatures(frame.fragment.bytes, frame.fragment.size, &inner) == VP8_STATUS_OK &&
            !inner.has_animation) {
        rc = cv_decode_webp(frame.fragment.bytes, frame.fragment.size, ret, err);
    } else {
        rc = oc_fail(err, rc, "damaged WebP");
    }
    WebPDemuxReleaseIterator(&frame);
    WebPDemuxDelete(demuxer);
    return rc;
}

/* Of an animated one its first picture, as for GIF. */
enum oc_code cv_decode_webp(
        const uint8_t *bytes, size_t len, struct cv_picture *ret, struct oc_error *err) {
    WebPDecoderConfig config;
    CV_AUTO_PICTURE struct cv_picture p = { 0 };
    if (!WebPInitDecoderConfig(&config) ||
            WebPGetFeatures(bytes, len, &config.input) != VP8_STATUS_OK) {
        return oc_fail(err, OC_E_INVALID, "damaged WebP");
    }
    if (config.input.has_animation) {
        return decode_first(bytes, len, ret, err);
    }
    int w = config.input.width, h = config.input.height, side = w > h ? w : h;
    /* Lossless ones, and those with transparency, are decoded as a whole before they are made
     * smaller. */
    bool is_whole = config.input.format == LOSSLESS || config.input.has_alpha;
    enum oc_code rc =
            cv_picture_may_decode(w, h, is_whole ? CV_PICTURE_WHOLE : CV_PICTURE_SCALED, err);
    if (rc != OC_OK) {
        return rc;
    }
    double scale =
            side > CV_PICTURE_COMFORTABLE_SIDE ? (double)CV_PICTURE_COMFORTABLE_SIDE / side : 1;
    unsigned px_w = (unsigned)(w * scale + 0.5), px_h = (unsigned)(h * scale + 0.5);
    rc = cv_picture_begin(&p, w, h, px_w ? px_w : 1, px_h ? px_h : 1, err);
    if (rc != OC_OK) {
        return rc;
    }
    config.options.use_scaling = scale < 1;
    config.options.scaled_width = (int)p.px_w;
    config.options.scaled_height = (int)p.px_h;
    config.output.colorspace = MODE_bgrA; /* premultiplied */
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = (uint8_t *)p.argb;
    config.output.u.RGBA.stride = (int)p.px_w * 4;
    config.output.u.RGBA.size = p.bytes;
    VP8StatusCode status = WebPDecode(bytes, len, &config);
    WebPFreeDecBuffer(&config.output);
    if (status != VP8_STATUS_OK) {
        return oc_fail(err, OC_E_INVALID, "damaged WebP (%d)", (int)status);
    }
    *ret = p;
    p.argb = NULL;
    return OC_OK;
}
