#include "canvas/window/opener.h"

#include "lib/base/mem.h"

#include <gio/gio.h>

#define PORTAL "org.freedesktop.portal.Desktop"
#define PATH "/org/freedesktop/portal/desktop"
#define OPEN "org.freedesktop.portal.OpenURI"

struct cv_opener {
    GCancellable *cancel;
    void (*on_failed)(void *user, const char *why);
    void *user;
};

struct opener_call {
    struct cv_opener *opener;
    char *url;
};

static void opener_finish(struct opener_call *take_call, const GError *error) {
    if (error && !g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
        g_printerr("a link is not opened: %s\n", error->message);
        take_call->opener->on_failed(
                take_call->opener->user, "this desktop has no portal that opens links");
    }
    g_free(take_call->url);
    g_free(take_call);
}

static void on_opened(GObject *bus, GAsyncResult *result, gpointer user) {
    g_autoptr(GError) error = NULL;
    GVariant *answer = g_dbus_connection_call_finish(G_DBUS_CONNECTION(bus), result, &error);
    if (answer) {
        g_variant_unref(answer);
    }
    opener_finish(user, error);
}

static void on_bus(GObject *source, GAsyncResult *result, gpointer user) {
    struct opener_call *c = user;
    (void)source;
    g_autoptr(GError) error = NULL;
    g_autoptr(GDBusConnection) bus = g_bus_get_finish(result, &error);
    if (!bus) {
        opener_finish(c, error);
        return;
    }
    GVariantBuilder options;
    g_variant_builder_init(&options, G_VARIANT_TYPE_VARDICT);
    g_dbus_connection_call(bus, PORTAL, PATH, OPEN, "OpenURI",
            g_variant_new("(ssa{sv})", "", c->url, &options), NULL, G_DBUS_CALL_FLAGS_NONE, -1,
            c->opener->cancel, on_opened, c);
}

void cv_opener_open(struct cv_opener *o, const char *url) {
    struct opener_call *c = g_new(struct opener_call, 1);
    *c = (struct opener_call){ o, g_strdup(url) };
    g_bus_get(G_BUS_TYPE_SESSION, o->cancel, on_bus, c);
}

struct cv_opener *cv_opener_create(void (*on_failed)(void *user, const char *why), void *user) {
    struct cv_opener *o = oc_new(struct cv_opener);
    *o = (struct cv_opener){ g_cancellable_new(), on_failed, user };
    return o;
}

void cv_opener_destroy(struct cv_opener *o) {
    if (o) {
        g_cancellable_cancel(o->cancel);
        g_object_unref(o->cancel);
        oc_free(o);
    }
}
