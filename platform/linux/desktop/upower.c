/* What powers this machine, as UPower sums it up in its "display device": its own batteries, or a
 * UPS, but never a mouse's.
 *
 *   {"isPresent":true,"level":0.8,"state":"unplugged"}      {"isPresent":false}: UPower is not
 *                                                           there, or knows of none
 *
 * UPower is started by this where it can be: elsewhere nobody waits for it. */
#include "lib/base/mem.h"
#include "lib/json/json.h"
#include "platform/linux/bus/bus.h"
#include "platform/linux/desktop/tasks.h"

#define UPOWER "org.freedesktop.UPower"
enum { LIMIT_MS = 1500 };
/* Its words: UpDeviceKind and UpDeviceState. */
enum { KIND_BATTERY = 2, KIND_UPS = 3 };

static const char *const bus_at[] = { "org.freedesktop.DBus", "/org/freedesktop/DBus",
    "org.freedesktop.DBus" };

static gboolean has_owner(GDBusConnection *bus, gint64 deadline) {
    gboolean is_there = FALSE;
    g_autoptr(GVariant) reply = os_bus_call(
            bus, bus_at, "NameHasOwner", g_variant_new("(s)", UPOWER), "(b)", deadline, NULL);
    if (reply) {
        g_variant_get(reply, "(b)", &is_there);
    }
    return is_there;
}

static gboolean is_activatable(GDBusConnection *bus, gint64 deadline) {
    g_autoptr(GVariant) reply =
            os_bus_call(bus, bus_at, "ListActivatableNames", NULL, "(as)", deadline, NULL);
    if (!reply) {
        return FALSE;
    }
    g_autoptr(GVariant) list = g_variant_get_child_value(reply, 0);
    g_autofree const char **names = g_variant_get_strv(list, NULL);
    return g_strv_contains(names, UPOWER);
}

static const char *state_name(guint32 state) {
    static const char *const names[] = { "unknown", "charging", "unplugged", "unplugged", "full",
        "full" /* waits to be charged */, "unplugged" };
    return names[state < OC_COUNT(names) ? state : 0];
}

static cJSON *upower_summary(GVariant *properties) {
    gboolean is_present = FALSE;
    guint32 kind = 0, state = 0;
    double percent = -1;
    g_variant_lookup(properties, "IsPresent", "b", &is_present);
    g_variant_lookup(properties, "Type", "u", &kind);
    g_variant_lookup(properties, "State", "u", &state);
    g_variant_lookup(properties, "Percentage", "d", &percent);
    is_present = is_present && (kind == KIND_BATTERY || kind == KIND_UPS);
    cJSON *o = cJSON_CreateObject();
    oc_json_set_bool(o, "isPresent", is_present);
    if (is_present && percent >= 0 && percent <= 100) {
        cJSON_AddNumberToObject(o, "level", percent / 100);
    }
    if (is_present) {
        oc_json_set_str(o, "state", state_name(state));
    }
    return o;
}

static void upower_ask(GDBusConnection *bus, gint64 deadline) {
    static const char *const display[] = { UPOWER, "/org/freedesktop/UPower/devices/DisplayDevice",
        "org.freedesktop.DBus.Properties" };
    if (!has_owner(bus, deadline) && !is_activatable(bus, deadline)) {
        cJSON *o = cJSON_CreateObject();
        oc_json_set_bool(o, "isPresent", false);
        os_serve_result(o, -1);
        return;
    }
    g_autoptr(GError) e = NULL;
    g_autoptr(GVariant) reply = os_bus_call(bus, display, "GetAll",
            g_variant_new("(s)", UPOWER ".Device"), "(a{sv})", deadline, &e);
    if (!reply) {
        g_dbus_error_strip_remote_error(e);
        os_serve_error("UNAVAILABLE", "UNAVAILABLE: UPower: %s", e->message);
        return;
    }
    g_autoptr(GVariant) properties = g_variant_get_child_value(reply, 0);
    os_serve_result(upower_summary(properties), -1);
}

void os_task_power(const struct os_serve_request *request) {
    gint64 deadline = os_bus_deadline(LIMIT_MS);
    g_autoptr(GError) e = NULL;
    g_autoptr(GDBusConnection) bus = os_bus_system(deadline, &e);
    (void)request;
    if (bus) {
        upower_ask(bus, deadline);
    } else {
        os_serve_error("UNAVAILABLE", "UNAVAILABLE: no system bus: %s", e->message);
    }
}
