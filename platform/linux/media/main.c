/* openclaw-media: pictures, films and recordings, taken and played, by PipeWire and GStreamer. */
#include "platform/linux/media/tasks.h"

#include "lib/base/mem.h"
#include "lib/helper/capture_params.h"
#include "platform/linux/helper/helper_sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_MEMORY ((int64_t)3 << 30) /* films of large screens */

static const struct os_serve_task tasks[] = {
    { "camera.clip", "A short film", oc_camera_clip_params, NULL, os_media_camera_clip },
    { "camera.list", "Which cameras there are", NULL, NULL, os_media_camera_list },
    { "camera.snap", "A picture", oc_camera_snap_params, NULL, os_media_camera_snap },
    { "check", "Whether captures would work here; takes none", NULL,
            "\"only\": camera, screen or gstreamer", os_media_check },
    { "play", "Plays a sound or a film (--in FILE)", os_play_params, NULL, os_media_play },
    { "screen.record", "A film of a screen", oc_screen_record_params, NULL,
            os_media_screen_record },
    { "screen.snapshot", "A picture of a screen", oc_screen_snapshot_params, NULL,
            os_media_screen_snapshot },
};

void os_media_fail(const struct oc_error *err) {
    const char *code = err->wire ? err->wire : "UNAVAILABLE";
    OC_AUTO_FREE char *message = oc_strfmt("%s: %s", code, err->text);
    os_serve_refuse(code, message, &err->grounds);
}

/* GStreamer remembers what its plugins can do in a file of our own: what other programs load is out
 * of reach. */
static void enter_sandbox(void) {
    OC_AUTO_FREE char *cache = os_helper_enter_sandbox(&(struct os_helper_sandbox_opts){
            .cache = "openclaw-media", .memory_bytes = MAX_MEMORY, .has_devices = true });
    if (cache) {
        OC_AUTO_FREE char *registry = oc_strfmt("%s/registry.bin", cache);
        setenv("GST_REGISTRY", registry, 1);
    }
}

int main(int argc, char **argv) {
    static const struct os_serve_program program = { .name = "openclaw-media",
        .summary = "camera and screen captures, and what is played, for the OpenClaw node",
        .tasks = tasks,
        .count = OC_COUNT(tasks) };
    if (argc == 2 && strcmp(argv[1], "--socket") == 0) {
        enter_sandbox(); /* by hand it writes the file that it is told to */
    }
    int rc = os_serve(&program, argc, argv);
    fflush(NULL);
    _exit(rc); /* a source that hangs would hang in the libraries' exit handlers, too */
}
