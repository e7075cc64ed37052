/* camera.list, camera.snap, camera.clip (protocol.md §9.7): parameters are checked here, openclaw-media does the rest. */
#include "node/command.h"

#include "base/capture_params.h"
#include "base/mem.h"
#include "node/announce.h"
#include "node/helper_call.h"

/* On top of the time that the capture itself takes: the first use of GStreamer looks at every plugin, a camera needs a
 * moment for its first frame, a clip is encoded to its end. */
enum { LIST_MS = 10000, SNAP_MS = 17000, CLIP_MS = 25000 };

static void start_list(struct oc_node_call *call) {
    oc_helper_answer_call(call,
            &(struct oc_helper_opts){
                    .program = OC_HELPER_MEDIA, .what = "camera.list", .timeout_ms = LIST_MS });
}

static void start_snap(struct oc_node_call *call) {
    OC_AUTO_JSON cJSON *params = cJSON_CreateObject();
    struct oc_error err;
    if (oc_node_call_read(call, oc_camera_snap_params, params, &err) != OC_OK) {
        oc_node_call_fail(call, &err);
        return;
    }
    oc_announce_capture(call->host, "camera", "A picture is taken with the camera of this machine");
    int64_t delay_ms = oc_json_get_int(params, "delayMs", 0);
    oc_helper_answer_call(call, &(struct oc_helper_opts){ .program = OC_HELPER_MEDIA,
                                        .what = "camera.snap",
                                        .take_params = oc_take(&params),
                                        .timeout_ms = SNAP_MS + delay_ms });
}

static void start_clip(struct oc_node_call *call) {
    OC_AUTO_JSON cJSON *params = cJSON_CreateObject();
    struct oc_error err;
    if (oc_node_call_read(call, oc_camera_clip_params, params, &err) != OC_OK) {
        oc_node_call_fail(call, &err);
        return;
    }
    bool has_sound = oc_json_get_bool(params, "includeAudio", true);
    oc_announce_capture(call->host, "camera",
            has_sound ? "The camera and the microphone of this machine record a film with sound"
                      : "The camera of this machine records a film without sound");
    int64_t duration_ms = oc_json_get_int(params, "durationMs", 0);
    oc_helper_answer_call(call, &(struct oc_helper_opts){ .program = OC_HELPER_MEDIA,
                                        .what = "camera.clip",
                                        .take_params = oc_take(&params),
                                        .timeout_ms = CLIP_MS + duration_ms });
}

const struct oc_node_command oc_node_camera_list = {
    .name = "camera.list",
    .cap = "camera",
    .summary = "Which cameras this machine has",
    .is_pure = true,
    .consent = "camera",
    .helper = OC_HELPER_MEDIA,
    .start = start_list,
};

const struct oc_node_command oc_node_camera_snap = {
    .name = "camera.snap",
    .cap = "camera",
    .summary = "Take a picture with a camera of this machine",
    .consent = "camera",
    .helper = OC_HELPER_MEDIA,
    .start = start_snap,
};

const struct oc_node_command oc_node_camera_clip = {
    .name = "camera.clip",
    .cap = "camera",
    .summary = "Record a short film with a camera of this machine",
    .consent = "camera",
    .helper = OC_HELPER_MEDIA,
    .start = start_clip,
};
