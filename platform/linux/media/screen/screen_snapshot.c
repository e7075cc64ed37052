/* screen.snapshot → a picture and {format,width,height,screenIndex} */
#include "platform/linux/media/jpeg.h"
#include "platform/linux/media/pipeline.h"
#include "platform/linux/media/screen/screen.h"
#include "platform/linux/media/tasks.h"

#include "lib/base/mem.h"
#include "lib/helper/capture_params.h"

#include <gst/app/gstappsink.h>
#include <string.h>

enum { FIRST_FRAME_MS = 12000, POLL_MS = 20, FPS = 10, NO_MAX_WIDTH = 16384 };

static enum oc_code first_frame(struct os_pipeline *p, GstSample **ret, struct oc_error *err) {
    GstElement *out = gst_bin_get_by_name(GST_BIN(p->bin), "out");
    int64_t until_ms = os_pipeline_now_ms() + FIRST_FRAME_MS;
    enum oc_code rc = OC_OK;
    for (*ret = NULL; rc == OC_OK && !*ret;) {
        int64_t asked_ms = os_pipeline_now_ms();
        *ret = gst_app_sink_try_pull_sample(GST_APP_SINK(out), POLL_MS * GST_MSECOND);
        bool ended, has_waited = os_pipeline_now_ms() - asked_ms >=
                                 POLL_MS / 2; /* not before the source has started */
        rc = *ret ? OC_OK : os_pipeline_watch(p, has_waited ? 0 : 2, &ended, err);
        if (rc == OC_OK && !*ret && os_pipeline_now_ms() > until_ms) {
            rc = oc_fail_wire(err, OC_E_UNAVAILABLE, "UNAVAILABLE", "the screen sends no picture");
        }
    }
    gst_object_unref(out);
    return rc;
}

static enum oc_code take_frame(
        const struct os_screen_opts *opts, GstSample **ret, struct oc_error *err) {
    struct os_screen screen;
    struct os_pipeline p;
    gst_init(NULL, NULL);
    enum oc_code rc = os_screen_open(opts, &screen, err);
    if (rc == OC_OK) {
        OC_AUTO_FREE char *line = oc_strfmt("%s ! queue max-size-buffers=1 leaky=downstream ! "
                                            "videoconvert ! video/x-raw ! "
                                            "appsink name=out max-buffers=1 drop=true sync=false",
                screen.source);
        rc = os_pipeline_open(line, "UNAVAILABLE", &p, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    if (screen.prepare) {
        screen.prepare(p.bin, screen.user);
    }
    os_pipeline_play(&p);
    return first_frame(&p, ret, err);
}

void os_media_screen_snapshot(const struct os_serve_request *request) {
    const char *format = oc_json_get_str(request->params, "format");
    struct os_screen_opts opts = os_screen_read_opts(request, FPS);
    struct os_jpeg_opts jpeg_opts = { .max_width = (int)oc_json_clamp_int(request->params,
                                              "maxWidth", 1, OC_PICTURE_MAX_WIDTH, NO_MAX_WIDTH),
        .quality = oc_json_get_num(request->params, "quality", 0, 1, 0.9),
        .is_png = format && strcmp(format, "png") == 0,
        .max_bytes = os_jpeg_ceiling(request->max_bytes) };
    GstSample *frame = NULL;
    struct os_jpeg picture;
    struct oc_error err;
    enum oc_code rc = take_frame(&opts, &frame, &err);
    rc = rc == OC_OK ? os_jpeg_encode(frame, &jpeg_opts, &picture, &err) : rc;
    if (rc != OC_OK) {
        os_media_fail(&err);
        return;
    }
    cJSON *result = cJSON_CreateObject();
    oc_json_set_str(result, "format", format ? format : "jpg");
    oc_json_set_int(result, "width", picture.width);
    oc_json_set_int(result, "height", picture.height);
    oc_json_set_int(result, "screenIndex", opts.index);
    os_serve_result(result, picture.fd);
}
