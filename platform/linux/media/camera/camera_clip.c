/* camera.clip → an MP4 and {format,durationMs,hasAudio,note?} */
#include "platform/linux/media/camera/cameras.h"
#include "platform/linux/media/record.h"
#include "platform/linux/media/tasks.h"

#include "lib/base/mem.h"
#include "lib/helper/capture_params.h"

#define FLUENT_FPS 15.0
enum { FPS = 30, MAX_WIDTH = 1280, STALL_MS = 1500, DEFAULT_MS = 3000 };

/* Why there is no sound, for who wanted some; NULL: there is. */
static const char *camera_clip_silence(
        bool is_wanted, bool has_microphone, const struct os_recording *r) {
    if (!is_wanted || (r->has_audio && !r->is_silent)) {
        return NULL;
    }
    if (!has_microphone) {
        return "the film has no sound: this session has no microphone; connect one, and see "
               "wpctl status for what PipeWire has";
    }
    return r->is_silent ? "nothing is to be heard: the microphone is switched off; "
                          "wpctl set-mute @DEFAULT_AUDIO_SOURCE@ 0 switches it on"
                        : "the film has no sound: the microphone sent none; see wpctl status for "
                          "the one that PipeWire prefers";
}

static enum oc_code camera_clip_record(const struct os_serve_request *request,
        struct os_recording *ret, const char **ret_note, struct oc_error *err) {
    struct os_cameras cameras;
    const struct os_camera *camera;
    enum oc_code rc = os_cameras_list(request->params, &cameras, err);
    rc = rc == OC_OK ? os_cameras_pick(&cameras, oc_json_get_str(request->params, "deviceId"),
                               oc_json_get_str(request->params, "facing"), &camera, err)
                     : rc;
    if (rc == OC_OK) {
        /* A machine without a microphone makes silent films, and says so. */
        bool is_wanted = oc_json_get_bool(request->params, "includeAudio", true);
        bool with_audio = is_wanted && cameras.nodes.has_audio_source;
        OC_AUTO_FREE char *source = os_camera_source(camera, MAX_WIDTH, FLUENT_FPS);
        rc = os_record(&(struct os_record_opts){ .what = "the camera",
                               .wire = "CAMERA_UNAVAILABLE",
                               .video = source,
                               .audio = with_audio ? OS_RECORD_MICROPHONE : NULL,
                               .duration_ms = oc_json_clamp_int(request->params, "durationMs", 1,
                                       OC_FILM_MAX_MS, DEFAULT_MS),
                               .fps = FPS,
                               .max_width = MAX_WIDTH,
                               .stall_ms = STALL_MS,
                               .drops_late = true,
                               .max_bytes = request->max_bytes },
                ret, err);
        if (rc != OC_OK) {
            os_camera_explain(camera, err);
        } else {
            *ret_note = camera_clip_silence(is_wanted, cameras.nodes.has_audio_source, ret);
        }
    }
    os_cameras_finish(&cameras);
    return rc;
}

void os_media_camera_clip(const struct os_serve_request *request) {
    struct os_recording recording;
    struct oc_error err;
    const char *note = NULL;
    if (camera_clip_record(request, &recording, &note, &err) != OC_OK) {
        os_media_fail(&err);
        return;
    }
    cJSON *result = cJSON_CreateObject();
    oc_json_set_str(result, "format", "mp4");
    oc_json_set_int(result, "durationMs", recording.duration_ms);
    oc_json_set_bool(result, "hasAudio", recording.has_audio);
    oc_json_set_str(result, "note", note);
    os_serve_result(result, recording.fd);
}
