/* org.freedesktop.portal.Camera:
 *
 *   IsCameraPresent ─▶ AccessCamera ─▶ the dialog, unless it was answered before
 *     ─▶ OpenPipeWireRemote ─▶ where the cameras are
 *
 * The desktop remembers the answer, a yes and a no; so a refusal says where it can be taken
 * back. */
#include "platform/linux/media/camera/camera_portal.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "platform/linux/media/portal.h"

#define CAMERA "org.freedesktop.portal.Camera"
#define REQUIRED "CAMERA_PERMISSION_REQUIRED"
#define SETTINGS "the desktop's privacy settings, or flatpak permission-remove devices camera"

static enum oc_code camera_portal_judge(enum os_portal_outcome outcome, struct oc_error *err) {
    switch (outcome) {
    case OS_PORTAL_DONE:
        return OC_OK;
    case OS_PORTAL_REFUSED:
        return oc_fail_wire(err, OC_E_DENIED, REQUIRED,
                "the desktop's portal does not let this node use the camera: the person "
                "at the machine said no, now or before; to be asked anew: " SETTINGS);
    case OS_PORTAL_SILENT:
        return oc_fail_wire(err, OC_E_TIMEOUT, REQUIRED,
                "nobody answered the desktop's question; be at the machine and try "
                "again; if it does not ask any more: " SETTINGS);
    default:
        return oc_fail_wire(err, OC_E_UNAVAILABLE, REQUIRED,
                "the desktop's portal could not ask for the camera");
    }
}

/* A portal that fails, not one that says no. */
static enum oc_code as_camera_error(struct oc_error *err) {
    return oc_fail_wire(err, OC_E_UNAVAILABLE, "CAMERA_UNAVAILABLE", "%s", err->text);
}

static enum oc_code check_presence(GDBusConnection *bus, struct oc_error *err) {
    bool is_present = false;
    enum oc_code rc = os_portal_get_bool(bus, CAMERA, "IsCameraPresent", &is_present, err);
    if (rc != OC_OK) {
        return rc;
    }
    return is_present ? OC_OK
                      : oc_fail(err, OC_E_NOT_FOUND, "the desktop's portal knows of no camera");
}

static enum oc_code access_camera(GDBusConnection *bus, int64_t consent_ms, struct oc_error *err) {
    GVariantBuilder *options = g_variant_builder_new(G_VARIANT_TYPE_VARDICT);
    enum os_portal_outcome outcome = OS_PORTAL_FAILED;
    GVariant *results = NULL;
    enum oc_code rc = os_portal_ask(bus,
            &(struct os_portal_call){ .interface = CAMERA,
                    .method = "AccessCamera",
                    .options = options,
                    .timeout_ms = consent_ms },
            &outcome, &results, err);
    g_variant_builder_unref(options);
    if (results) {
        g_variant_unref(results);
    }
    if (rc == OC_E_DENIED) {
        return oc_fail_wire(err, rc, REQUIRED,
                "this desktop has its cameras switched off for all programs; switch "
                "them on in its privacy settings");
    }
    return rc == OC_OK ? camera_portal_judge(outcome, err) : as_camera_error(err);
}

enum oc_code os_camera_portal_ask(
        int64_t consent_ms, struct os_camera_portal *ret, struct oc_error *err) {
    struct os_camera_portal portal = { .capture_fd = -1 };
    enum oc_code rc = os_portal_connect(&portal.bus, err);
    rc = rc == OC_OK ? check_presence(portal.bus, err) : rc;
    rc = rc == OC_OK || rc == OC_E_NOT_FOUND ? rc : OC_E_CLOSED;
    rc = rc == OC_OK ? access_camera(portal.bus, consent_ms, err) : rc;
    rc = rc == OC_OK ? os_camera_portal_open(&portal, &portal.capture_fd, err) : rc;
    if (rc == OC_OK) {
        *ret = portal;
    } else if (portal.bus) {
        g_object_unref(portal.bus);
    }
    return rc;
}

enum oc_code os_camera_portal_open(
        const struct os_camera_portal *portal, int *ret_fd, struct oc_error *err) {
    enum oc_code rc = os_portal_open_remote(portal->bus, CAMERA, NULL, ret_fd, err);
    return rc == OC_OK ? rc : as_camera_error(err);
}
