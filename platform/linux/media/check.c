/* check → {checks:[{check,ok,text,fix?}]}: would captures work here? Nothing is captured, and
 * nobody is asked. For openclaw doctor. */
#include "platform/linux/media/camera/cameras.h"
#include "platform/linux/media/pipeline.h"
#include "platform/linux/media/portal.h"
#include "platform/linux/media/screen/screen.h"
#include "platform/linux/media/session.h"
#include "platform/linux/media/tasks.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 1024 };

/* "CAMERA_UNAVAILABLE: why" → "why" */
static const char *check_reason(const struct oc_error *err) {
    size_t len = err->wire ? strlen(err->wire) : 0;
    bool has_code = len > 0 && strncmp(err->text, err->wire, len) == 0 && err->text[len] == ':';
    return has_code ? err->text + len + 2 : err->text;
}

static void add_names(const struct os_cameras *cameras, struct oc_buf *out) {
    for (size_t i = 0; i < cameras->count; i++) {
        oc_buf_printf(out, "%s%s", i > 0 ? ", " : "", cameras->items[i].name);
    }
    oc_buf_puts(out, cameras->nodes.has_audio_source ? "; a microphone for the sound of clips"
                                                     : "; no microphone, so clips have no sound");
}

static void check_camera(cJSON *checks) {
    struct os_cameras cameras;
    struct oc_error err;
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(MAX_TEXT);
    OC_AUTO_JSON cJSON *nobody_is_asked = cJSON_CreateObject();
    oc_json_set_int(nobody_is_asked, "consentMs", 0);
    enum oc_code rc = os_cameras_list(nobody_is_asked, &cameras, &err);
    if (rc == OC_OK && cameras.count > 0) {
        add_names(&cameras, &text);
        os_serve_add_check(checks, "camera", true, text.data, NULL);
    } else if (rc == OC_E_DENIED && cameras.refused) {
        OC_AUTO_FREE char *why = oc_strfmt("%s is not for this user", cameras.refused);
        os_serve_add_check(checks, "camera", false, why,
                "sudo usermod -aG video \"$USER\", then log in again");
    } else if (rc == OC_OK) {
        os_serve_add_check(checks, "camera", false,
                "PipeWire runs, but it shows no camera, unless the desktop's camera portal has "
                "one: "
                "that asks the person at the machine",
                "connect a camera; openclaw nodes camera list shows what is seen");
    } else {
        os_serve_add_check(checks, "camera", false, check_reason(&err),
                "systemctl --user enable --now pipewire.socket wireplumber.service");
    }
    os_cameras_finish(&cameras);
}

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

static void check_wayland(cJSON *checks, const struct os_screen_opts *opts) {
    GDBusConnection *bus = NULL;
    struct os_screen screen;
    struct oc_error portal, other;
    uint32_t version = 0;
    enum oc_code rc = os_portal_connect(&bus, &portal);
    rc = rc == OC_OK ? os_portal_get_uint(bus, "org.freedesktop.portal.ScreenCast", "version",
                               &version, &portal)
                     : rc;
    if (rc == OC_OK) {
        OC_AUTO_FREE char *text =
                oc_strfmt("Wayland, through the desktop's portal (ScreenCast version %u); the "
                          "person at the machine is asked the first time",
                        version);
        os_serve_add_check(checks, "screen", true, text, NULL);
    } else if (rc == OC_E_NOT_FOUND && os_screen_open_wlroots(opts, &screen, &other) == OC_OK) {
        os_serve_add_check(
                checks, "screen", true, "Wayland, through the compositor's wlr-screencopy", NULL);
        oc_free(screen.source);
    } else {
        os_serve_add_check(checks, "screen", false, check_reason(&portal),
                "sudo apt-get install xdg-desktop-portal and the desktop's own part of it "
                "(xdg-desktop-portal-gnome, -kde or -wlr), then log in again");
    }
    g_clear_object(&bus);
}

static void check_screen(cJSON *checks) {
    struct os_screen_opts opts = { .fps = 10 };
    struct os_screen screen;
    struct oc_error err;
    os_media_find_session();
    const char *display = getenv("DISPLAY");
    if (!oc_str_blank(getenv("WAYLAND_DISPLAY"))) {
        check_wayland(checks, &opts);
    } else if (oc_str_blank(display)) {
        os_serve_add_check(checks, "screen", false,
                "there is no screen: neither WAYLAND_DISPLAY nor DISPLAY is set, and no desktop "
                "session was found",
                "log in at the machine, or start the node from the session");
    } else if (os_screen_open_x11(&opts, &screen, &err) == OC_OK) {
        OC_AUTO_FREE char *text = oc_strfmt("X11, display %s", display);
        os_serve_add_check(checks, "screen", true, text, NULL);
        oc_free(screen.source);
    } else {
        os_serve_add_check(checks, "screen", false, check_reason(&err),
                "export DISPLAY and XAUTHORITY as the desktop session has them, and restart the "
                "node");
    }
}

void os_media_check(const struct os_serve_request *request) {
    static void (*const all[])(cJSON *) = { check_camera, check_screen, check_elements };
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
