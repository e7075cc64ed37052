#include "platform/linux/media/jpeg.h"

#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "platform/linux/helper/serve.h"
#include "platform/linux/media/pipeline.h"

#include <errno.h>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>
#include <string.h>
#include <unistd.h>

enum { MAX_BASE64_BYTES = 5 * 1000 * 1000, LOWEST_QUALITY = 40, SMALLEST_SIDE = 32 };

size_t os_jpeg_ceiling(size_t max_bytes) {
    size_t most = (size_t)MAX_BASE64_BYTES / 4 * 3;
    return max_bytes < most ? max_bytes : most;
}

/* quality 0: PNG. */
static enum oc_code encode_once(GstSample *frame, int width, int height, int quality,
        GstSample **ret, struct oc_error *err) {
    OC_AUTO_FREE char *encoder =
            quality > 0 ? oc_strfmt("jpegenc quality=%d", quality) : oc_strdup("pngenc");
    OC_AUTO_FREE char *line = oc_strfmt("appsrc name=in format=time ! videoconvert ! videoscale ! "
                                        "video/x-raw,width=%d,height=%d,pixel-aspect-ratio=1/1 ! "
                                        "%s ! appsink name=out sync=false",
            width, height, encoder);
    struct os_pipeline p;
    enum oc_code rc = os_pipeline_open(line, "UNAVAILABLE", &p, err);
    if (rc != OC_OK) {
        return rc;
    }
    GstElement *in = gst_bin_get_by_name(GST_BIN(p.bin), "in");
    GstElement *out = gst_bin_get_by_name(GST_BIN(p.bin), "out");
    gst_element_set_state(p.bin, GST_STATE_PLAYING);
    gst_app_src_push_sample(GST_APP_SRC(in), frame);
    gst_app_src_end_of_stream(GST_APP_SRC(in));
    *ret = gst_app_sink_pull_sample(GST_APP_SINK(out)); /* NULL after an error */
    bool ended;
    if (!*ret && (rc = os_pipeline_watch(&p, 0, &ended, err)) == OC_OK) {
        rc = oc_fail_wire(err, OC_E_UNAVAILABLE, "UNAVAILABLE", "the picture cannot be encoded");
    }
    gst_object_unref(in);
    gst_object_unref(out);
    os_pipeline_close(&p);
    return rc;
}

void os_jpeg_prepare(void) {
    static const char *const elements[] = { "appsrc", "appsink", "jpegenc", "queue", "videoconvert",
        "videoscale" };
    for (size_t i = 0; i < OC_COUNT(elements); i++) {
        GstElement *e = gst_element_factory_make(elements[i], NULL);
        if (e) {
            gst_object_unref(e);
        }
    }
}

static bool write_all(int fd, const guint8 *data, gsize size) {
    while (size > 0) {
        ssize_t n = write(fd, data, size);
        if (n <= 0) {
            return false;
        }
        data += n;
        size -= (gsize)n;
    }
    return true;
}

static enum oc_code jpeg_keep(GstSample *jpeg, int *ret_fd, struct oc_error *err) {
    OC_AUTO_FD int fd = os_serve_memfd();
    GstMapInfo map;
    if (fd < 0 || !gst_buffer_map(gst_sample_get_buffer(jpeg), &map, GST_MAP_READ)) {
        return oc_fail_wire(err, OC_E_IO, "UNAVAILABLE", "no memory for the picture");
    }
    bool ok = write_all(fd, map.data, map.size);
    gst_buffer_unmap(gst_sample_get_buffer(jpeg), &map);
    if (!ok) {
        return oc_fail_wire(
                err, OC_E_IO, "UNAVAILABLE", "the picture cannot be kept: %s", strerror(errno));
    }
    *ret_fd = oc_take_fd(&fd);
    return OC_OK;
}

/* The picture's own shape, on a display with square pixels. */
static bool read_size(GstSample *frame, int *ret_width, int *ret_height) {
    GstVideoInfo info;
    if (!gst_sample_get_caps(frame) ||
            !gst_video_info_from_caps(&info, gst_sample_get_caps(frame))) {
        return false;
    }
    *ret_width = GST_VIDEO_INFO_WIDTH(&info);
    *ret_height = GST_VIDEO_INFO_HEIGHT(&info);
    int n = GST_VIDEO_INFO_PAR_N(&info), d = GST_VIDEO_INFO_PAR_D(&info);
    if (n > 0 && d > 0 && n != d) {
        *ret_width = (int)((int64_t)*ret_width * n / d);
    }
    return *ret_width > 0 && *ret_height > 0;
}

static int jpeg_scaled(int side, int to, int from) {
    int result = (int)(((int64_t)side * to + from / 2) / from);
    return result > 0 ? result : 1;
}

enum oc_code os_jpeg_encode(GstSample *frame, const struct os_jpeg_opts *opts, struct os_jpeg *ret,
        struct oc_error *err) {
    int full_width, full_height, quality = opts->is_png ? 0 : (int)(opts->quality * 100 + 0.5);
    if (!read_size(frame, &full_width, &full_height)) {
        return oc_fail_wire(err, OC_E_UNAVAILABLE, "UNAVAILABLE", "the source sends no pictures");
    }
    int width = full_width < opts->max_width ? full_width : opts->max_width;
    for (;;) {
        int height = jpeg_scaled(full_height, width, full_width);
        GstSample *jpeg = NULL;
        enum oc_code rc = encode_once(frame, width, height, quality, &jpeg, err);
        if (rc != OC_OK) {
            return rc;
        }
        if (gst_buffer_get_size(gst_sample_get_buffer(jpeg)) <= opts->max_bytes) {
            struct os_jpeg done = { .fd = -1, .width = width, .height = height };
            rc = jpeg_keep(jpeg, &done.fd, err);
            gst_sample_unref(jpeg);
            if (rc == OC_OK) {
                *ret = done;
            }
            return rc;
        }
        gst_sample_unref(jpeg);
        if (quality > LOWEST_QUALITY) {
            quality = quality - 20 > LOWEST_QUALITY ? quality - 20 : LOWEST_QUALITY;
        } else if (width > SMALLEST_SIDE) {
            width = width * 3 / 4;
        } else {
            return oc_fail_wire(err, OC_E_TOO_LARGE, "PAYLOAD_TOO_LARGE",
                    "no picture fits into %zu bytes", opts->max_bytes);
        }
    }
}
