/* openclaw-media: pictures, films and recordings, by PipeWire and GStreamer. */
#include "platform/linux/media/tasks.h"

#include "base/mem.h"
#include "platform/linux/media/confine.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct oc_serve_task tasks[] = {
    { "camera.clip", "{\"deviceId\":…,\"facing\":…,\"durationMs\":3000,\"includeAudio\":true}",
            "A short film", oc_media_camera_clip },
    { "camera.list", "{}", "Which cameras there are", oc_media_camera_list },
    { "camera.snap",
            "{\"deviceId\":…,\"facing\":…,\"maxWidth\":1600,\"quality\":0.9,\"delayMs\":2000}",
            "A picture", oc_media_camera_snap },
    { "screen.record", "{\"screenIndex\":0,\"durationMs\":10000,\"fps\":10,\"includeAudio\":true}",
            "A film of a screen", oc_media_screen_record },
    { "screen.snapshot", "{\"screenIndex\":0,\"maxWidth\":1600,\"quality\":0.9,\"format\":\"jpg\"}",
            "A picture of a screen", oc_media_screen_snapshot },
};

void oc_media_fail(const struct oc_error *err) {
    oc_serve_error(err->wire ? err->wire : "UNAVAILABLE", "%s", err->text);
}

int main(int argc, char **argv) {
    static const struct oc_serve_program program = { .name = "openclaw-media",
        .summary = "camera and screen captures for the OpenClaw node",
        .tasks = tasks,
        .count = OC_COUNT(tasks) };
    if (argc == 2 && strcmp(argv[1], "--socket") == 0) {
        oc_media_confine(); /* by hand it writes the file that it is told to */
    }
    int rc = oc_serve(&program, argc, argv);
    fflush(NULL);
    _exit(rc); /* a source that hangs would hang in the libraries' farewells too */
}
