/* Cameras behind the desktop's portal, for sessions that keep PipeWire from us (Flatpak, snap) or
 * show us none of its cameras. */
#ifndef PLATFORM_LINUX_MEDIA_CAMERA_CAMERA_PORTAL_H
#define PLATFORM_LINUX_MEDIA_CAMERA_CAMERA_PORTAL_H

#include "lib/base/error.h"

#include <gio/gio.h>
#include <stdint.h>

struct os_camera_portal {
    GDBusConnection *bus;
    int capture_fd; /* a connection to PipeWire, for GStreamer */
};

/* Nobody was asked, because there is no portal or it knows of no camera: OC_E_NOT_FOUND; because it
 * does not even tell that: OC_E_CLOSED. The person said no, or nothing in consent_ms: OC_E_DENIED,
 * OC_E_TIMEOUT. What is opened stays open until the program ends. */
enum oc_code os_camera_portal_ask(
        int64_t consent_ms, struct os_camera_portal *ret, struct oc_error *err) OC_MUST_USE;
/* One more connection to PipeWire: two cannot speak through the same. The caller's to close. */
enum oc_code os_camera_portal_open(
        const struct os_camera_portal *portal, int *ret_fd, struct oc_error *err) OC_MUST_USE;

#endif
