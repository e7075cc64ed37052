#include "canvas/window/prefers.h"

#include "lib/base/mem.h"

#include <gio/gio.h>
#include <string.h>

#define PORTAL "org.freedesktop.portal.Desktop"
#define PATH "/org/freedesktop/portal/desktop"
#define SETTINGS "org.freedesktop.portal.Settings"
#define SPACE "org.freedesktop.appearance"
#define KEY "color-scheme" /* 0: no opinion, 1: dark, 2: light */

struct cv_prefers {
    GCancellable *cancel;
    GDBusConnection *bus;
    guint subscription;
    void (*on_theme)(void *user, const char *theme);
    void *user;
};

static void prefers_take(struct cv_prefers *p, GVariant *value) {
    GVariant *inner = g_variant_ref(value);
    while (g_variant_is_of_type(inner, G_VARIANT_TYPE_VARIANT)) { /* Read wraps it twice */
        GVariant *next = g_variant_get_variant(inner);
        g_variant_unref(inner);
        inner = next;
    }
    guint32 scheme =
            g_variant_is_of_type(inner, G_VARIANT_TYPE_UINT32) ? g_variant_get_uint32(inner) : 0;
    g_variant_unref(inner);
    if (scheme == 1 || scheme == 2) {
        p->on_theme(p->user, scheme == 2 ? "default" : "openclaw");
    }
}

static void on_signal(GDBusConnection *bus, const char *sender, const char *path,
        const char *interface, const char *name, GVariant *params, gpointer user) {
    (void)bus, (void)sender, (void)path, (void)interface, (void)name;
    const char *space = NULL, *key = NULL;
    GVariant *value = NULL;
    if (!g_variant_is_of_type(params, G_VARIANT_TYPE("(ssv)"))) {
        return;
    }
    g_variant_get(params, "(&s&sv)", &space, &key, &value);
    if (strcmp(space, SPACE) == 0 && strcmp(key, KEY) == 0) {
        prefers_take(user, value);
    }
    g_variant_unref(value);
}

static void on_read(GObject *bus, GAsyncResult *result, gpointer user) {
    GError *error = NULL;
    GVariant *answer = g_dbus_connection_call_finish(G_DBUS_CONNECTION(bus), result, &error);
    if (answer) {
        GVariant *value = g_variant_get_child_value(answer, 0);
        prefers_take(user, value);
        g_variant_unref(value);
        g_variant_unref(answer);
    }
    g_clear_error(&error); /* no portal, or gone: no opinion */
}

static void on_bus(GObject *source, GAsyncResult *result, gpointer user) {
    (void)source;
    GError *error = NULL;
    GDBusConnection *bus = g_bus_get_finish(result, &error);
    if (!bus) { /* also when cancelled, and then there is no user any more */
        g_clear_error(&error);
        return;
    }
    struct cv_prefers *p = user;
    p->bus = bus;
    p->subscription = g_dbus_connection_signal_subscribe(bus, PORTAL, SETTINGS, "SettingChanged",
            PATH, SPACE, G_DBUS_SIGNAL_FLAGS_NONE, on_signal, p, NULL);
    g_dbus_connection_call(bus, PORTAL, PATH, SETTINGS, "Read", g_variant_new("(ss)", SPACE, KEY),
            G_VARIANT_TYPE("(v)"), G_DBUS_CALL_FLAGS_NONE, 2000, p->cancel, on_read, p);
}

struct cv_prefers *cv_prefers_watch(void (*on_theme)(void *user, const char *theme), void *user) {
    struct cv_prefers *p = oc_new(struct cv_prefers);
    p->cancel = g_cancellable_new();
    p->on_theme = on_theme;
    p->user = user;
    g_bus_get(G_BUS_TYPE_SESSION, p->cancel, on_bus, p);
    return p;
}

void cv_prefers_destroy(struct cv_prefers *p) {
    if (!p) {
        return;
    }
    g_cancellable_cancel(p->cancel);
    if (p->bus) {
        g_dbus_connection_signal_unsubscribe(p->bus, p->subscription);
        g_object_unref(p->bus);
    }
    g_object_unref(p->cancel);
    oc_free(p);
}
