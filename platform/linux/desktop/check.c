/* check → {checks:[{check,ok,text,fix?}]}: would notifications be seen, and does anything here know
 * where it is? Nothing is shown. For openclaw doctor. */
#include "lib/base/mem.h"
#include "platform/linux/bus/bus.h"
#include "platform/linux/desktop/tasks.h"

#include <string.h>

enum { ASK_MS = 1500, GPSD_PORT = 2947, GPSD_SECONDS = 1 };

#define NOTIFICATIONS "org.freedesktop.Notifications"
#define GEOCLUE "org.freedesktop.GeoClue2"

static const char *words_of(GError *e) {
    g_dbus_error_strip_remote_error(e);
    return e->message;
}

static void check_notifications(cJSON *checks) {
    static const char *const daemon_at[] = { NOTIFICATIONS, "/org/freedesktop/Notifications",
        NOTIFICATIONS };
    gint64 deadline = os_bus_deadline(ASK_MS);
    g_autoptr(GError) e = NULL;
    g_autoptr(GDBusConnection) bus = os_bus_session(deadline, &e);
    if (!bus) {
        g_autofree char *text = g_strdup_printf("there is no session bus: %s", words_of(e));
        os_serve_add_check(checks, "notifications", false, text,
                "log in at the machine; on a machine without a desktop: sudo apt-get install "
                "dbus-user-session");
        return;
    }
    g_autoptr(GVariant) told =
            os_bus_call(bus, daemon_at, "GetServerInformation", NULL, "(ssss)", deadline, &e);
    if (!told && g_error_matches(e, G_IO_ERROR, G_IO_ERROR_TIMED_OUT)) {
        g_autofree char *who = os_bus_owner_text(bus, NOTIFICATIONS, os_bus_deadline(100));
        g_autofree char *text = g_strdup_printf("the notification daemon does not answer: %s", who);
        os_serve_add_check(checks, "notifications", false, text, "restart it");
    } else if (!told) {
        g_autofree char *text =
                g_strdup_printf("nothing shows notifications in this session: %s", words_of(e));
        os_serve_add_check(checks, "notifications", false, text,
                "start the desktop's notification daemon, or sudo apt-get install dunst");
    } else {
        const char *name, *version;
        g_variant_get(told, "(&s&s&s&s)", &name, NULL, &version, NULL);
        g_autofree char *text = g_strdup_printf("shown by %s %s", name, version);
        os_serve_add_check(checks, "notifications", true, text, NULL);
    }
}

/* Running, or started when it is asked. */
static gboolean has_geoclue(char **ret_why) {
    static const char *const bus_at[] = { "org.freedesktop.DBus", "/org/freedesktop/DBus",
        "org.freedesktop.DBus" };
    static const char *const lists[] = { "ListNames", "ListActivatableNames" };
    gint64 deadline = os_bus_deadline(ASK_MS);
    g_autoptr(GError) e = NULL;
    g_autoptr(GDBusConnection) bus = os_bus_system(deadline, &e);
    gboolean found = FALSE;
    for (size_t i = 0; bus && !found && i < OC_COUNT(lists); i++) {
        g_autoptr(GVariant) reply =
                os_bus_call(bus, bus_at, lists[i], NULL, "(as)", deadline, NULL);
        g_autofree const char **names = NULL;
        if (reply) {
            g_variant_get(reply, "(^a&s)", &names);
            found = g_strv_contains(names, GEOCLUE);
        }
    }
    *ret_why = g_strdup(e ? words_of(e) : "GeoClue is not installed");
    return found;
}

static gboolean has_gpsd(const char *where) {
    g_autoptr(GSocketClient) client = g_socket_client_new();
    g_socket_client_set_enable_proxy(client, FALSE);
    g_socket_client_set_timeout(client, GPSD_SECONDS);
    g_autoptr(GSocketConnection) connection =
            g_socket_client_connect_to_host(client, where, GPSD_PORT, NULL, NULL);
    return connection != NULL;
}

static void check_location(cJSON *checks, const char *where) {
    g_autofree char *why = NULL;
    gboolean geoclue = has_geoclue(&why), gpsd = has_gpsd(where);
    if (geoclue || gpsd) {
        g_autofree char *text = g_strdup_printf("%s%s%s", geoclue ? "GeoClue" : "",
                geoclue && gpsd ? ", then " : "", gpsd ? "gpsd" : "");
        os_serve_add_check(checks, "location", true, text, NULL);
        return;
    }
    g_autofree char *text = g_strdup_printf(
            "nothing here knows where this machine is: %s, no gpsd at %s", why, where);
    os_serve_add_check(checks, "location", false, text,
            "sudo apt-get install geoclue-2.0, or write the place down: openclaw config set "
            "node.location.fixed '{\"lat\":…,\"lon\":…}'");
}

void os_task_check(const struct os_serve_request *request) {
    const char *gpsd = oc_json_get_str(request->params, "gpsd");
    cJSON *result = cJSON_CreateObject(), *checks = cJSON_AddArrayToObject(result, "checks");
    if (oc_json_get_bool(request->params, "notifications", true)) {
        check_notifications(checks);
    }
    if (oc_json_get_bool(request->params, "location", true)) {
        check_location(checks, gpsd ? gpsd : "127.0.0.1");
    }
    os_serve_result(result, -1);
}
