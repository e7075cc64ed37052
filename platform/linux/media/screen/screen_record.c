/* screen.record → an MP4 and {format,durationMs,fps,screenIndex,hasAudio,note?} */
#include "platform/linux/media/pw_nodes.h"
#include "platform/linux/media/record.h"
#include "platform/linux/media/screen/screen.h"
#include "platform/linux/media/tasks.h"

#include "lib/base/mem.h"
#include "lib/helper/capture_params.h"

/* What the machine plays, not what its microphone hears. */
#define SOUND                                                                                 \
    "pipewiresrc do-timestamp=true stream-properties=\"props,media.class=Stream/Input/Audio," \
    "stream.capture.sink=(string)true\""

enum { DEFAULT_MS = 10000, DEFAULT_FPS = 10, MAX_WIDTH = 1920, STALL_MS = 3000 };

/* A machine that plays nothing makes silent films, and says so. */
static bool has_sound(void) {
    struct os_pw_nodes nodes;
    struct oc_error err;
    if (os_pw_nodes_list(-1, &nodes, &err) != OC_OK) {
        return false;
    }
    bool found = nodes.has_audio_sink;
    os_pw_nodes_finish(&nodes);
    return found;
}

/* The screen is looked at more often than a slow film shows: a film begins when the first picture
 * has come, and its sound with it, and a picture comes when the next one does. */
static int source_fps(int fps) {
    return fps >= DEFAULT_FPS ? fps : fps * ((DEFAULT_FPS + fps - 1) / fps);
}

static enum oc_code screen_record_record(const struct os_serve_request *request,
        const struct os_screen_opts *opts, int fps, struct os_recording *ret,
        struct oc_error *err) {
    struct os_screen screen;
    enum oc_code rc = os_screen_open(opts, &screen, err);
    if (rc != OC_OK) {
        return rc;
    }
    OC_AUTO_FREE char *video =
            oc_strfmt("%s ! videorate ! video/x-raw,framerate=%d/1", screen.source, opts->fps);
    bool with_audio = oc_json_get_bool(request->params, "includeAudio", true) && has_sound();
    return os_record(&(struct os_record_opts){ .what = "the screen",
                             .wire = "UNAVAILABLE",
                             .video = video,
                             .audio = with_audio ? SOUND : NULL,
                             .duration_ms = oc_json_clamp_int(
                                     request->params, "durationMs", 1, OC_FILM_MAX_MS, DEFAULT_MS),
                             .fps = fps,
                             .source_fps = opts->fps,
                             .max_width = MAX_WIDTH,
                             .skips_unchanged = true,
                             .stall_ms = STALL_MS,
                             .max_bytes = request->max_bytes,
                             .prepare = screen.prepare,
                             .user = screen.user },
            ret, err);
}

void os_media_screen_record(const struct os_serve_request *request) {
    int fps = (int)oc_json_clamp_int(request->params, "fps", 1, OC_RECORD_MAX_FPS, DEFAULT_FPS);
    struct os_screen_opts opts = os_screen_read_opts(request, source_fps(fps));
    opts.is_film = true;
    struct os_recording recording;
    struct oc_error err;
    if (screen_record_record(request, &opts, fps, &recording, &err) != OC_OK) {
        os_media_fail(&err);
        return;
    }
    cJSON *result = cJSON_CreateObject();
    oc_json_set_str(result, "format", "mp4");
    oc_json_set_int(result, "durationMs", recording.duration_ms);
    oc_json_set_int(result, "fps", fps);
    oc_json_set_int(result, "screenIndex", opts.index);
    oc_json_set_bool(result, "hasAudio", recording.has_audio);
    if (!recording.has_audio && oc_json_get_bool(request->params, "includeAudio", true)) {
        oc_json_set_str(result, "note",
                "the film has no sound: PipeWire has nothing that plays any; see wpctl status");
    }
    os_serve_result(result, recording.fd);
}
