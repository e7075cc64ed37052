/* Calls of xdg-desktop-portal. A call is answered by a signal, perhaps minutes later: behind it a
 * person looks at a dialog. */
#ifndef PLATFORM_LINUX_MEDIA_PORTAL_H
#define PLATFORM_LINUX_MEDIA_PORTAL_H

#include "lib/base/error.h"

#include <gio/gio.h>
#include <stdbool.h>
#include <stdint.h>

#define OS_PORTAL_NAME "org.freedesktop.portal.Desktop"
#define OS_PORTAL_PATH "/org/freedesktop/portal/desktop"

struct os_portal_call {
    const char *interface, *method;
    const char *session;    /* its first argument; NULL: none */
    bool has_parent_window; /* its next one; we have no window */
    GVariantBuilder *options;
    int64_t timeout_ms; /* for the answer; a dialog that is still open then is closed */
};

/* How it was answered. */
enum os_portal_outcome { OS_PORTAL_DONE, OS_PORTAL_REFUSED, OS_PORTAL_FAILED, OS_PORTAL_SILENT };

/* OC_E_NOT_FOUND: there is no portal in this session. A bus that hangs is OC_E_UNAVAILABLE: behind
 * it somebody may refuse. */
enum oc_code os_portal_connect(GDBusConnection **ret, struct oc_error *err) OC_MUST_USE;
/* A property of an interface; 0 when there is none. OC_E_NOT_FOUND: the portal does not have the
 * interface. */
enum oc_code os_portal_get_uint(GDBusConnection *bus, const char *interface, const char *name,
        uint32_t *ret, struct oc_error *err) OC_MUST_USE;
enum oc_code os_portal_get_bool(GDBusConnection *bus, const char *interface, const char *name,
        bool *ret, struct oc_error *err) OC_MUST_USE;
/* OC_E_CLOSED: what stands behind the portal is not there. OC_E_DENIED: a rule forbids it, and
 * nobody was asked. ret_results is set when it is OS_PORTAL_DONE. */
enum oc_code os_portal_ask(GDBusConnection *bus, const struct os_portal_call *call,
        enum os_portal_outcome *ret_outcome, GVariant **ret_results,
        struct oc_error *err) OC_MUST_USE;
/* A connection to PipeWire that shows what was allowed. session NULL: the interface has none. */
enum oc_code os_portal_open_remote(GDBusConnection *bus, const char *interface, const char *session,
        int *ret_fd, struct oc_error *err) OC_MUST_USE;

#endif
