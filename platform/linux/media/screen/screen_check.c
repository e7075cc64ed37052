/* Whether there is a screen, and by which way it is reached, for `check`. */
#include "platform/linux/media/portal.h"
#include "platform/linux/media/screen/screen.h"
#include "platform/linux/media/session.h"
#include "platform/linux/media/tasks.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"

#include <stdlib.h>

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
        os_serve_add_check(checks, "screen", false, portal.text,
                "sudo apt-get install xdg-desktop-portal and the desktop's own part of it "
                "(xdg-desktop-portal-gnome, -kde or -wlr), then log in again");
    }
    g_clear_object(&bus);
}

void os_media_check_screen(cJSON *checks) {
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
        os_serve_add_check(checks, "screen", false, err.text,
                "export DISPLAY and XAUTHORITY as the desktop session has them, and restart the "
                "node");
    }
}
