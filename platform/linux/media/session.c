#include "platform/linux/media/session.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "platform/linux/bus/bus.h"

#include <gio/gio.h>
#include <stdlib.h>
#include <string.h>

#define ASK_MS 2000

static void take_over(const char *entry) {
    static const char *const wanted[] = { "DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY" };
    for (size_t i = 0; i < OC_COUNT(wanted); i++) {
        size_t n = strlen(wanted[i]);
        if (strncmp(entry, wanted[i], n) == 0 && entry[n] == '=') {
            setenv(wanted[i], entry + n + 1, 1);
        }
    }
}

void os_media_find_session(void) {
    if (!oc_str_blank(getenv("WAYLAND_DISPLAY")) || !oc_str_blank(getenv("DISPLAY"))) {
        return;
    }
    GDBusConnection *bus = os_bus_session(os_bus_deadline(ASK_MS), NULL);
    if (!bus) {
        return;
    }
    GVariant *answer = g_dbus_connection_call_sync(bus, "org.freedesktop.systemd1",
            "/org/freedesktop/systemd1", "org.freedesktop.DBus.Properties", "Get",
            g_variant_new("(ss)", "org.freedesktop.systemd1.Manager", "Environment"),
            G_VARIANT_TYPE("(v)"), G_DBUS_CALL_FLAGS_NO_AUTO_START, ASK_MS, NULL, NULL);
    GVariant *list = NULL;
    if (answer) {
        g_variant_get(answer, "(v)", &list);
    }
    if (list && g_variant_is_of_type(list, G_VARIANT_TYPE_STRING_ARRAY)) {
        const char **entries = g_variant_get_strv(list, NULL);
        for (const char **e = entries; *e; e++) {
            take_over(*e);
        }
        g_free((void *)entries);
    }
    if (list) {
        g_variant_unref(list);
    }
    if (answer) {
        g_variant_unref(answer);
    }
    g_object_unref(bus);
}
