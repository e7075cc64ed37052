/* camera.list, camera.snap, camera.clip (docs/PROTOCOL.md#node-commands): parameters are checked
 * here, openclaw-media does the rest. */
#include "node/call/command.h"

#include "lib/base/mem.h"
#include "lib/helper/capture_params.h"
#include "node/commands/helper_call.h"
#include "node/commands/host.h"
#include "node/owner/announce.h"
#include "node/owner/consent_time.h"

/* On top of the time that the capture itself takes: the first use of GStreamer looks at every
 * plugin, a camera needs a moment for its first frame, a clip is encoded to its end; the desktop's
 * portal may have to be started. */
enum { LIST_MS = 20000, SNAP_MS = 27000, CLIP_MS = 35000 };

/* more_ms: on top of the capture and of a person's answer. */
static void camera_start(
        struct nd_call *call, cJSON *take_params, int64_t capture_ms, int64_t more_ms) {
    int64_t consent_ms = nd_consent_time_add(take_params, call->timeout_ms, capture_ms);
    nd_helper_answer_call(call, &(struct nd_helper_opts){ .program = ND_HELPER_MEDIA,
                                        .what = call->command->name,
                                        .take_params = take_params,
                                        .timeout_ms = capture_ms + consent_ms + more_ms });
}

static void start_list(struct nd_call *call) {
    camera_start(call, cJSON_CreateObject(), 0, LIST_MS);
}

static void start_snap(struct nd_call *call) {
    OC_AUTO_JSON cJSON *params = cJSON_CreateObject();
    struct oc_error err;
    if (nd_call_read(call, oc_camera_snap_params, params, &err) != OC_OK) {
        nd_call_fail(call, &err);
        return;
    }
    nd_announce_capture(
            &call->host->desktop, "camera", "A picture is taken with the camera of this machine");
    int64_t delay_ms = oc_json_get_ms(params, "delayMs", 0);
    camera_start(call, oc_take(&params), delay_ms, SNAP_MS);
}

static void start_clip(struct nd_call *call) {
    OC_AUTO_JSON cJSON *params = cJSON_CreateObject();
    struct oc_error err;
    if (nd_call_read(call, oc_camera_clip_params, params, &err) != OC_OK) {
        nd_call_fail(call, &err);
        return;
    }
    bool has_sound = oc_json_get_bool(params, "includeAudio", true);
    nd_announce_capture(&call->host->desktop, "camera",
            has_sound ? "The camera and the microphone of this machine record a film with sound"
                      : "The camera of this machine records a film without sound");
    int64_t duration_ms = oc_json_get_ms(params, "durationMs", 0);
    camera_start(call, oc_take(&params), duration_ms, CLIP_MS);
}

const struct nd_command nd_command_camera_list = {
    .name = "camera.list",
    .cap = "camera",
    .summary = "Which cameras this machine has",
    .is_pure = true,
    .switch_name = "camera",
    .helper = ND_HELPER_MEDIA,
    .start = start_list,
};

const struct nd_command nd_command_camera_snap = {
    .name = "camera.snap",
    .cap = "camera",
    .summary = "Take a picture with a camera of this machine",
    .switch_name = "camera",
    .helper = ND_HELPER_MEDIA,
    .start = start_snap,
};

const struct nd_command nd_command_camera_clip = {
    .name = "camera.clip",
    .cap = "camera",
    .summary = "Record a short film with a camera of this machine",
    .switch_name = "camera",
    .helper = ND_HELPER_MEDIA,
    .start = start_clip,
};
