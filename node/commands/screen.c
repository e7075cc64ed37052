/* screen.record, screen.snapshot (docs/PROTOCOL.md#node-commands): parameters are checked here,
 * openclaw-media does the rest. */
#include "node/call/command.h"

#include "lib/base/mem.h"
#include "lib/helper/capture_params.h"
#include "lib/log/log.h"
#include "node/commands/helper_call.h"
#include "node/commands/host.h"
#include "node/owner/announce.h"
#include "node/owner/consent_time.h"
#include "node/owner/screen_token.h"
#include "node/owner/switches.h"

#include <string.h>

/* On top of the time that the capture itself takes: the first use of GStreamer looks at every
 * plugin, the desktop's portal may have to be started, a film is encoded to its end. */
enum { SNAPSHOT_MS = 27000, RECORD_MS = 35000 };

/* The desktop's permission comes before the pictures: it is kept even when these fail. */
static void on_progress(void *user, const cJSON *progress) {
    struct nd_call *call = user;
    const char *token = oc_json_get_str(progress, "restoreToken");
    struct oc_error err;
    if (token && nd_switch_is_on(call->host->machine.switches_path, "screen") &&
            nd_screen_token_save(call->host->machine.switches_path, token, &err) != OC_OK) {
        oc_log(OC_LOG_WARN, "node.screen",
                "the desktop's permission is not kept, so it will ask again: %s", err.text);
    }
}

static void screen_start(struct nd_call *call, cJSON *take_params, int64_t capture_ms) {
    OC_AUTO_FREE char *token = nd_screen_token_load(call->host->machine.switches_path);
    int64_t consent_ms = nd_consent_time_add(take_params, call->timeout_ms, capture_ms);
    if (token) {
        oc_json_set_str(take_params, "restoreToken", token);
    }
    nd_helper_answer_call_telling(call,
            &(struct nd_helper_opts){ .program = ND_HELPER_MEDIA,
                    .what = call->command->name,
                    .take_params = take_params,
                    .timeout_ms =
                            capture_ms + consent_ms + (capture_ms > 0 ? RECORD_MS : SNAPSHOT_MS) },
            on_progress);
}

static void start_record(struct nd_call *call) {
    OC_AUTO_JSON cJSON *params = cJSON_CreateObject();
    struct oc_error err;
    if (nd_call_read(call, oc_screen_record_params, params, &err) != OC_OK) {
        nd_call_fail(call, &err);
        return;
    }
    int64_t duration_ms = oc_json_get_ms(params, "durationMs", 0);
    bool has_sound = oc_json_get_bool(params, "includeAudio", true);
    nd_announce_capture(&call->host->desktop, "screen",
            has_sound ? "A screen of this machine is recorded, with the sound that is played"
                      : "A screen of this machine is recorded as a film without sound");
    screen_start(call, oc_take(&params), duration_ms);
}

static void start_snapshot(struct nd_call *call) {
    OC_AUTO_JSON cJSON *params = cJSON_CreateObject();
    struct oc_error err;
    if (nd_call_read(call, oc_screen_snapshot_params, params, &err) != OC_OK) {
        nd_call_fail(call, &err);
        return;
    }
    nd_announce_capture(
            &call->host->desktop, "screen", "A picture is taken of a screen of this machine");
    screen_start(call, oc_take(&params), 0);
}

const struct nd_command nd_command_screen_record = {
    .name = "screen.record",
    .cap = "screen",
    .summary = "Record a film of a screen of this machine",
    .switch_name = "screen",
    .helper = ND_HELPER_MEDIA,
    .start = start_record,
};

const struct nd_command nd_command_screen_snapshot = {
    .name = "screen.snapshot",
    .cap = "screen",
    .summary = "Take a picture of a screen of this machine",
    .switch_name = "screen",
    .helper = ND_HELPER_MEDIA,
    .start = start_snapshot,
};
