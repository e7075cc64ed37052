/* check → {checks:[{check,ok,text,fix?}]}: would captures work here? Nothing is captured, and
 * nobody is asked. For openclaw doctor. */
#include "platform/linux/media/pipeline.h"
#include "platform/linux/media/tasks.h"

#include "lib/base/mem.h"

#include <stdio.h>
#include <string.h>

/* One of several will do. */
struct need {
    const char *what, *elements[3], *package;
};

static void check_elements(cJSON *checks) {
    static const struct need needs[] = {
        { "H.264 for films", { "x264enc", "openh264enc" }, "gstreamer1.0-plugins-ugly" },
        { "AAC for their sound", { "avenc_aac", "voaacenc" }, "gstreamer1.0-libav" },
        { "H.264 for films", { "h264parse" }, "gstreamer1.0-plugins-bad" },
        { "MP4 for films", { "mp4mux" }, "gstreamer1.0-plugins-good" },
        { "JPEG for pictures", { "jpegenc" }, "gstreamer1.0-plugins-good" },
        { "PipeWire for cameras and sound", { "pipewiresrc" }, "gstreamer1.0-pipewire" },
        { "screens of X servers", { "ximagesrc" }, "gstreamer1.0-plugins-good" },
    };
    bool all = true;
    gst_init(NULL, NULL);
    for (size_t i = 0; i < OC_COUNT(needs); i++) {
        bool found = false;
        for (size_t k = 0; !found && needs[i].elements[k]; k++) {
            found = os_pipeline_has_element(needs[i].elements[k]);
        }
        if (!found) {
            OC_AUTO_FREE char *text = oc_strfmt(
                    "GStreamer lacks %s, needed for %s", needs[i].elements[0], needs[i].what);
            OC_AUTO_FREE char *fix = oc_strfmt("sudo apt-get install %s", needs[i].package);
            os_serve_add_check(checks, "gstreamer", false, text, fix);
            all = false;
        }
    }
    if (all) {
        os_serve_add_check(checks, "gstreamer", true,
                "it can make JPEG pictures and MP4 films with sound", NULL);
    }
}

void os_media_check(const struct os_serve_request *request) {
    static void (*const all[])(
            cJSON *) = { os_media_check_camera, os_media_check_screen, check_elements };
    static const char *const names[] = { "camera", "screen", "gstreamer" };
    if (oc_json_get_bool(request->params, "quiet", false) && !freopen("/dev/null", "w", stderr)) {
        os_serve_error("UNAVAILABLE", "there is no /dev/null");
        return;
    }
    const char *only = oc_json_get_str(request->params, "only");
    cJSON *result = cJSON_CreateObject(), *checks = cJSON_AddArrayToObject(result, "checks");
    for (size_t i = 0; i < OC_COUNT(all); i++) {
        if (!only || strcmp(only, names[i]) == 0) {
            all[i](checks);
        }
    }
    os_serve_result(result, -1);
}
