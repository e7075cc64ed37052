#include "platform/linux/media/screen/screen.h"

#include "lib/base/str.h"
#include "platform/linux/media/session.h"

#include <stdlib.h>

enum { DEFAULT_CONSENT_MS = 30000, MAX_CONSENT_MS = 600000, RETRIES = 5, RETRY_US = 400000 };

struct os_screen_opts os_screen_read_opts(const struct os_serve_request *request, int fps) {
    return (struct os_screen_opts){ .index = oc_json_clamp_int(request->params, "screenIndex",
                                            INT32_MIN, INT32_MAX, 0),
        .fps = fps,
        .restore_token = oc_json_get_str(request->params, "restoreToken"),
        .consent_ms = oc_json_clamp_int(
                request->params, "consentMs", 0, MAX_CONSENT_MS, DEFAULT_CONSENT_MS) };
}

enum oc_code os_screen_check_index(int64_t index, size_t count, struct oc_error *err) {
    if (index >= 0 && (uint64_t)index < count) {
        return OC_OK;
    }
    if (count == 1) {
        return oc_fail_wire(err, OC_E_INVALID, "INVALID_REQUEST",
                "screenIndex %lld: there is one screen, and its index is 0", (long long)index);
    }
    return oc_fail_wire(err, OC_E_INVALID, "INVALID_REQUEST",
            "screenIndex %lld: there are %zu screens, 0 to %zu", (long long)index, count,
            count - 1);
}

/* GNOME 43 crashes after a dialog that nobody answered, and is started again. */
static enum oc_code open_portal_again(
        const struct os_screen_opts *opts, struct os_screen *ret, struct oc_error *err) {
    enum oc_code rc = OC_E_CLOSED;
    for (int i = 0; rc == OC_E_CLOSED && i < RETRIES; i++) {
        g_usleep(RETRY_US);
        rc = os_screen_open_portal(opts, ret, err);
    }
    return rc;
}

static enum oc_code open_wayland(
        const struct os_screen_opts *opts, struct os_screen *ret, struct oc_error *err) {
    struct oc_error portal, wlroots;
    *ret = (struct os_screen){ 0 };
    enum oc_code rc = os_screen_open_portal(opts, ret, &portal);
    if (ret->was_asked && rc == OC_E_CLOSED) {
        oc_fail(&wlroots, OC_E_DENIED, "nothing else is tried once somebody may have been asked");
        rc = open_portal_again(opts, ret, &portal);
    } else if (rc == OC_E_NOT_FOUND || rc == OC_E_CLOSED) {
        enum oc_code other = os_screen_open_wlroots(opts, ret, &wlroots);
        if (other != OC_E_NOT_FOUND) {
            *err = wlroots;
            return other;
        }
        rc = rc == OC_E_CLOSED ? open_portal_again(opts, ret, &portal) : rc;
    }
    if (rc == OC_E_NOT_FOUND || rc == OC_E_CLOSED) {
        return oc_fail_wire(err, OC_E_UNAVAILABLE, "UNAVAILABLE",
                "this Wayland session shows its screen to nobody: %s; %s", portal.text,
                wlroots.text);
    }
    *err = portal;
    return rc;
}

enum oc_code os_screen_open(
        const struct os_screen_opts *opts, struct os_screen *ret, struct oc_error *err) {
    os_media_find_session();
    if (!oc_str_blank(getenv("WAYLAND_DISPLAY"))) {
        return open_wayland(opts, ret, err); /* DISPLAY is Xwayland then, which sees nothing */
    }
    if (!oc_str_blank(getenv("DISPLAY"))) {
        return os_screen_open_x11(opts, ret, err);
    }
    return oc_fail_wire(err, OC_E_UNAVAILABLE, "UNAVAILABLE",
            "there is no screen: neither WAYLAND_DISPLAY nor DISPLAY is set, and no "
            "desktop session was found; log in at the machine, or start the node from the session");
}
