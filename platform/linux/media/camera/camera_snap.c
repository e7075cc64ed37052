/* camera.snap → a picture and {format,width,height,deviceId,bothSides?,phases?} */
#include "platform/linux/media/camera/cameras.h"
#include "platform/linux/media/jpeg.h"
#include "platform/linux/media/pipeline.h"
#include "platform/linux/media/tasks.h"

#include "lib/base/mem.h"
#include "lib/helper/capture_params.h"

#include <gst/app/gstappsink.h>
#include <string.h>

#define WIRE "CAMERA_UNAVAILABLE"
#define FLUENT_FPS 5.0 /* one picture does not make its sender wait long */
enum { FIRST_FRAME_MS = 8000, STALL_MS = 3000, POLL_MS = 20, DEFAULT_MAX_WIDTH = 1600 };

/* When a step was done, for whoever measures (tests/bench/capture) and asks for it: by the
 * machine's monotonic clock, in ms, so that what comes before and after can be measured elsewhere
 * on it. */
static void camera_snap_mark(cJSON *phases, const char *phase) {
    oc_json_set(phases, phase, cJSON_CreateNumber((double)g_get_monotonic_time() / 1000));
}

/* The first picture that comes delay_ms after the first of all: a camera needs a moment to get used
 * to the light. */
static enum oc_code wait_for_frame(
        struct os_pipeline *p, int64_t delay_ms, GstSample **ret, struct oc_error *err) {
    GstElement *out = gst_bin_get_by_name(GST_BIN(p->bin), "out");
    int64_t last_ms = os_pipeline_now_ms(), first_ms = 0;
    enum oc_code rc = OC_OK;
    for (*ret = NULL; rc == OC_OK && !*ret;) {
        int64_t asked_ms = os_pipeline_now_ms();
        GstSample *s = gst_app_sink_try_pull_sample(GST_APP_SINK(out), POLL_MS * GST_MSECOND);
        int64_t now_ms = os_pipeline_now_ms();
        if (s) {
            first_ms = first_ms ? first_ms : now_ms;
            last_ms = now_ms;
            if (now_ms - first_ms >= delay_ms) {
                *ret = s;
            } else {
                gst_sample_unref(s);
            }
        } else if (now_ms - last_ms > (first_ms ? STALL_MS : FIRST_FRAME_MS)) {
            rc = oc_fail_wire(err, OC_E_UNAVAILABLE, WIRE, "the camera %s",
                    first_ms ? "went away" : "sends no picture");
        } else {
            bool ended,
                    has_waited = now_ms - asked_ms >= POLL_MS / 2; /* not before it has started */
            rc = os_pipeline_watch(p, has_waited ? 0 : 2, &ended, err);
        }
    }
    gst_object_unref(out);
    return rc;
}

/* A frame of our own: the camera's memory goes when the camera goes. */
static GstSample *copy_frame(GstSample *take_frame) {
    GstBuffer *bytes = gst_buffer_copy_deep(gst_sample_get_buffer(take_frame));
    GstSample *copy = gst_sample_new(bytes, gst_sample_get_caps(take_frame), NULL, NULL);
    gst_buffer_unref(bytes);
    gst_sample_unref(take_frame);
    return copy;
}

/* GStreamer takes longer to get up than PipeWire to tell its cameras. */
static gpointer get_up(gpointer user) {
    gst_init(NULL, NULL);
    os_jpeg_prepare();
    return user;
}

/* Which camera it was; and who wants both sides need not ask twice when it stands in for both. */
static void tell_camera(
        const struct os_cameras *cameras, const struct os_camera *camera, cJSON *result) {
    oc_json_set_str(result, "deviceId", camera->id);
    if (os_cameras_is_both_sides(cameras, camera)) {
        oc_json_set_bool(result, "bothSides", true);
    }
}

static enum oc_code take_frame(const struct os_serve_request *request, int max_width,
        struct os_pipeline *ret_pipeline, GstSample **ret, cJSON *result, struct oc_error *err) {
    struct os_cameras cameras;
    const struct os_camera *camera;
    GThread *early = g_thread_new("gst-init", get_up, NULL);
    enum oc_code rc = os_cameras_list(request->params, &cameras, err);
    g_thread_join(early);
    rc = rc == OC_OK ? os_cameras_pick(&cameras, oc_json_get_str(request->params, "deviceId"),
                               oc_json_get_str(request->params, "facing"), &camera, err)
                     : rc;
    if (rc == OC_OK) {
        OC_AUTO_FREE char *source = os_camera_source(camera, max_width, FLUENT_FPS);
        OC_AUTO_FREE char *line = oc_strfmt("%s ! queue max-size-buffers=1 leaky=downstream ! "
                                            "videoconvert ! video/x-raw ! "
                                            "appsink name=out max-buffers=1 drop=true sync=false",
                source);
        rc = os_pipeline_open(line, WIRE, ret_pipeline, err);
        if (rc == OC_OK) {
            os_pipeline_play(ret_pipeline);
            rc = wait_for_frame(ret_pipeline,
                    oc_json_clamp_int(request->params, "delayMs", 0, OC_SNAP_MAX_DELAY_MS, 0), ret,
                    err);
        }
        if (rc != OC_OK) {
            os_camera_explain(camera, err);
        }
        tell_camera(&cameras, camera, result);
    }
    os_cameras_finish(&cameras);
    return rc;
}

void os_media_camera_snap(const struct os_serve_request *request) {
    const char *format = oc_json_get_str(request->params, "format");
    struct os_jpeg_opts opts = { .max_width = (int)oc_json_clamp_int(request->params, "maxWidth", 1,
                                         OC_PICTURE_MAX_WIDTH, DEFAULT_MAX_WIDTH),
        .quality = oc_json_get_num(request->params, "quality", 0, 1, 0.9),
        .is_png = format && strcmp(format, "png") == 0,
        .max_bytes = os_jpeg_ceiling(request->max_bytes) };
    struct os_pipeline p = { 0 };
    GstSample *frame = NULL;
    struct os_jpeg jpeg;
    struct oc_error err;
    OC_AUTO_JSON cJSON *phases = cJSON_CreateObject(), *result = cJSON_CreateObject();
    camera_snap_mark(phases, "started");
    enum oc_code rc = take_frame(request, opts.max_width, &p, &frame, result, &err);
    if (rc == OC_OK) {
        camera_snap_mark(phases, "picture");
        frame = copy_frame(frame);
        os_pipeline_begin_leave(&p);
        rc = os_jpeg_encode(frame, &opts, &jpeg, &err);
        camera_snap_mark(phases, "encoded");
    }
    if (p.bin) {
        os_pipeline_leave(&p);
    }
    if (rc != OC_OK) {
        os_media_fail(&err);
        return;
    }
    oc_json_set_str(result, "format", opts.is_png ? "png" : "jpg");
    oc_json_set_int(result, "width", jpeg.width);
    oc_json_set_int(result, "height", jpeg.height);
    if (oc_json_get_bool(request->params, "phases", false)) {
        oc_json_set(result, "phases", oc_take(&phases));
    }
    os_serve_result(oc_take(&result), jpeg.fd);
}
