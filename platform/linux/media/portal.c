#include "platform/linux/media/portal.h"

#include "lib/base/mem.h"
#include "platform/linux/bus/bus.h"

#include <gio/gunixfdlist.h>
#include <string.h>

/* The first call may have to start the portal. */
enum { FIRST_CALL_MS = 10000, CALL_MS = 5000, CONNECT_MS = 3000, REMOTE_MS = 10000 };

struct portal_waiting {
    bool has_answer, is_late;
    uint32_t response;
    GVariant *results;
};

/* The portal is missing, or lacks this part: other than a portal that says no. */
static bool is_absence(const GError *problem) {
    static const int codes[] = { G_DBUS_ERROR_SERVICE_UNKNOWN, G_DBUS_ERROR_NAME_HAS_NO_OWNER,
        G_DBUS_ERROR_UNKNOWN_METHOD, G_DBUS_ERROR_UNKNOWN_INTERFACE, G_DBUS_ERROR_UNKNOWN_OBJECT,
        G_DBUS_ERROR_UNKNOWN_PROPERTY, G_DBUS_ERROR_INVALID_ARGS, G_DBUS_ERROR_SPAWN_EXEC_FAILED,
        G_DBUS_ERROR_SPAWN_CHILD_EXITED, G_DBUS_ERROR_SPAWN_CHILD_SIGNALED,
        G_DBUS_ERROR_SPAWN_FAILED, G_DBUS_ERROR_SPAWN_SERVICE_NOT_FOUND };
    for (size_t i = 0; i < OC_COUNT(codes); i++) {
        if (g_error_matches(problem, G_DBUS_ERROR, codes[i])) {
            return true;
        }
    }
    return false;
}

static enum oc_code portal_fail(
        const char *what, GError *take_problem, enum oc_code absent, struct oc_error *err) {
    g_autofree char *name = g_dbus_error_get_remote_error(take_problem);
    bool is_forbidden = g_strcmp0(name, "org.freedesktop.portal.Error.NotAllowed") == 0;
    g_dbus_error_strip_remote_error(take_problem);
    enum oc_code code = is_absence(take_problem) ? absent
                        : is_forbidden           ? OC_E_DENIED
                                                 : OC_E_UNAVAILABLE;
    oc_fail_wire(
            err, code, "UNAVAILABLE", "the desktop portal: %s: %s", what, take_problem->message);
    g_error_free(take_problem);
    return code;
}

enum oc_code os_portal_connect(GDBusConnection **ret, struct oc_error *err) {
    GError *problem = NULL;
    GDBusConnection *bus = os_bus_session(os_bus_deadline(CONNECT_MS), &problem);
    enum oc_code rc = OC_OK;
    if (bus) {
        *ret = bus;
    } else if (g_error_matches(problem, G_IO_ERROR, G_IO_ERROR_TIMED_OUT)) {
        rc = oc_fail_wire(err, OC_E_UNAVAILABLE, "UNAVAILABLE", "the session bus does not answer");
    } else {
        rc = oc_fail(err, OC_E_NOT_FOUND, "no session bus: %s", problem->message);
    }
    g_clear_error(&problem);
    return rc;
}

/* type: of one value, as GVariant spells it. ret is left alone when there is no such property. */
static enum oc_code portal_get(GDBusConnection *bus, const char *interface, const char *name,
        const char *type, void *ret, struct oc_error *err) {
    GError *problem = NULL;
    GVariant *all = g_dbus_connection_call_sync(bus, OS_PORTAL_NAME, OS_PORTAL_PATH,
            "org.freedesktop.DBus.Properties", "GetAll", g_variant_new("(s)", interface),
            G_VARIANT_TYPE("(a{sv})"), G_DBUS_CALL_FLAGS_NONE, FIRST_CALL_MS, NULL, &problem);
    if (!all) {
        return portal_fail(interface, problem, OC_E_NOT_FOUND, err);
    }
    GVariant *dict = g_variant_get_child_value(all, 0);
    g_variant_lookup(dict, name, type, ret);
    g_variant_unref(dict);
    g_variant_unref(all);
    return OC_OK;
}

enum oc_code os_portal_get_uint(GDBusConnection *bus, const char *interface, const char *name,
        uint32_t *ret, struct oc_error *err) {
    *ret = 0;
    return portal_get(bus, interface, name, "u", ret, err);
}

enum oc_code os_portal_get_bool(GDBusConnection *bus, const char *interface, const char *name,
        bool *ret, struct oc_error *err) {
    gboolean value = FALSE;
    enum oc_code rc = portal_get(bus, interface, name, "b", &value, err);
    *ret = value;
    return rc;
}

static void on_response(GDBusConnection *bus, const char *sender, const char *path,
        const char *interface, const char *name, GVariant *args, gpointer user) {
    struct portal_waiting *w = user;
    (void)bus;
    (void)sender;
    (void)path;
    (void)interface;
    (void)name;
    if (!w->has_answer && g_variant_is_of_type(args, G_VARIANT_TYPE("(ua{sv})"))) {
        g_variant_get(args, "(u@a{sv})", &w->response, &w->results);
        w->has_answer = true;
    }
}

static gboolean on_late(gpointer user) {
    ((struct portal_waiting *)user)->is_late = true;
    return G_SOURCE_REMOVE;
}

static GVariant *portal_arguments(const struct os_portal_call *call) {
    if (call->has_parent_window) {
        return g_variant_new("(osa{sv})", call->session, "", call->options);
    }
    return call->session ? g_variant_new("(oa{sv})", call->session, call->options)
                         : g_variant_new("(a{sv})", call->options);
}

/* The answer may come before the call returns: where it will come from is known, so we listen there
 * first. */
static char *request_path(GDBusConnection *bus, const char *token) {
    OC_AUTO_FREE char *sender = oc_strdup(g_dbus_connection_get_unique_name(bus) + 1);
    for (char *p = sender; *p; p++) {
        if (*p == '.') {
            *p = '_';
        }
    }
    return oc_strfmt("/org/freedesktop/portal/desktop/request/%s/%s", sender, token);
}

static void close_dialog(GDBusConnection *bus, const char *path) {
    GVariant *done =
            g_dbus_connection_call_sync(bus, OS_PORTAL_NAME, path, "org.freedesktop.portal.Request",
                    "Close", NULL, NULL, G_DBUS_CALL_FLAGS_NONE, 2000, NULL, NULL);
    if (done) {
        g_variant_unref(done);
    }
}

static void wait_for_answer(struct portal_waiting *w, int64_t timeout_ms) {
    guint timer = g_timeout_add((guint)(timeout_ms > 0 ? timeout_ms : 1), on_late, w);
    while (!w->has_answer && !w->is_late) {
        g_main_context_iteration(NULL, TRUE);
    }
    if (!w->is_late) {
        g_source_remove(timer);
    }
}

enum oc_code os_portal_ask(GDBusConnection *bus, const struct os_portal_call *call,
        enum os_portal_outcome *ret_outcome, GVariant **ret_results, struct oc_error *err) {
    static unsigned count;
    OC_AUTO_FREE char *token = oc_strfmt("openclaw%u", ++count);
    OC_AUTO_FREE char *path = request_path(bus, token);
    g_variant_builder_add(call->options, "{sv}", "handle_token", g_variant_new_string(token));
    struct portal_waiting w = { 0 };
    GError *problem = NULL;
    guint subscription = g_dbus_connection_signal_subscribe(bus, OS_PORTAL_NAME,
            "org.freedesktop.portal.Request", "Response", path, NULL, G_DBUS_SIGNAL_FLAGS_NONE,
            on_response, &w, NULL);
    GVariant *handle = g_dbus_connection_call_sync(bus, OS_PORTAL_NAME, OS_PORTAL_PATH,
            call->interface, call->method, portal_arguments(call), NULL, G_DBUS_CALL_FLAGS_NONE,
            CALL_MS, NULL, &problem);
    if (handle) {
        g_variant_unref(handle);
        wait_for_answer(&w, call->timeout_ms);
    }
    g_dbus_connection_signal_unsubscribe(bus, subscription);
    if (!handle) {
        return portal_fail(call->method, problem, OC_E_CLOSED, err);
    }
    if (!w.has_answer) {
        close_dialog(bus, path);
        *ret_outcome = OS_PORTAL_SILENT;
    } else if (w.response == 0) {
        *ret_outcome = OS_PORTAL_DONE;
        *ret_results = w.results;
    } else {
        g_variant_unref(w.results);
        *ret_outcome = w.response == 1 ? OS_PORTAL_REFUSED : OS_PORTAL_FAILED;
    }
    return OC_OK;
}

enum oc_code os_portal_open_remote(GDBusConnection *bus, const char *interface, const char *session,
        int *ret_fd, struct oc_error *err) {
    GVariantBuilder *options = g_variant_builder_new(G_VARIANT_TYPE_VARDICT);
    GUnixFDList *fds = NULL;
    GError *problem = NULL;
    gint32 index = 0;
    int fd = -1;
    GVariant *answer = g_dbus_connection_call_with_unix_fd_list_sync(bus, OS_PORTAL_NAME,
            OS_PORTAL_PATH, interface, "OpenPipeWireRemote",
            portal_arguments(&(struct os_portal_call){ .session = session, .options = options }),
            G_VARIANT_TYPE("(h)"), G_DBUS_CALL_FLAGS_NONE, REMOTE_MS, NULL, &fds, NULL, &problem);
    g_variant_builder_unref(options);
    if (answer) {
        g_variant_get(answer, "(h)", &index);
        fd = fds ? g_unix_fd_list_get(fds, index, &problem) : -1;
        g_variant_unref(answer);
    }
    if (fds) {
        g_object_unref(fds);
    }
    if (fd < 0) {
        oc_fail_wire(err, OC_E_UNAVAILABLE, "UNAVAILABLE",
                "the desktop portal: OpenPipeWireRemote: %s",
                problem ? problem->message : "no descriptor");
        g_clear_error(&problem);
        return OC_E_UNAVAILABLE;
    }
    *ret_fd = fd;
    return OC_OK;
}
