/* mutterkey KEYSYM…: presses keys on a mutter that has no keyboard, as a person at the machine
 * would: one after the other down, then up again. */
#include <gio/gio.h>
#include <stdbool.h>
#include <stdio.h>

#define NAME "org.gnome.Mutter.RemoteDesktop"

static GDBusConnection *bus;

static GVariant *call(
        const char *path, const char *interface, const char *method, GVariant *arguments) {
    GError *problem = NULL;
    GVariant *answer = g_dbus_connection_call_sync(bus, NAME, path, interface, method, arguments,
            NULL, G_DBUS_CALL_FLAGS_NONE, 5000, NULL, &problem);
    if (!answer) {
        fprintf(stderr, "%s: %s\n", method, problem->message);
    }
    return answer;
}

int main(int argc, char **argv) {
    bus = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, NULL);
    GVariant *made =
            bus ? call("/org/gnome/Mutter/RemoteDesktop", NAME, "CreateSession", NULL) : NULL;
    const char *session = NULL;
    if (made) {
        g_variant_get(made, "(&o)", &session);
    }
    bool ok = argc > 1 && session && call(session, NAME ".Session", "Start", NULL);
    for (int i = 1; ok && i < 2 * argc - 1; i++) {
        bool is_down = i < argc;
        const char *key = argv[is_down ? i : 2 * argc - 1 - i];
        ok = call(session, NAME ".Session", "NotifyKeyboardKeysym",
                g_variant_new("(ub)", (guint32)g_ascii_strtoull(key, NULL, 16), is_down));
    }
    return ok ? 0 : 1;
}
