/* portalfail: a desktop portal whose ScreenCast lets a session begin and fails when it starts
 * (response 2), as a real one does whose backend breaks down over the question. Prints each method
 * that it was asked for. */
#include <gio/gio.h>
#include <stdio.h>
#include <string.h>

#define PORTAL "/org/freedesktop/portal/desktop"

static const char description[] =
        "<node><interface name='org.freedesktop.portal.ScreenCast'>"
        "<method name='CreateSession'><arg type='a{sv}' direction='in'/>"
        "<arg type='o' direction='out'/></method>"
        "<method name='SelectSources'><arg type='o' direction='in'/>"
        "<arg type='a{sv}' direction='in'/><arg type='o' direction='out'/></method>"
        "<method name='Start'><arg type='o' direction='in'/><arg type='s' direction='in'/>"
        "<arg type='a{sv}' direction='in'/><arg type='o' direction='out'/></method>"
        "<property name='version' type='u' access='read'/>"
        "<property name='AvailableCursorModes' type='u' access='read'/>"
        "</interface></node>";

static void on_call(GDBusConnection *bus, const char *sender, const char *path,
        const char *interface, const char *method, GVariant *args, GDBusMethodInvocation *call,
        gpointer user) {
    (void)path;
    (void)interface;
    (void)user;
    g_autoptr(GVariant) options = g_variant_get_child_value(args, g_variant_n_children(args) - 1);
    const char *token = "none";
    g_variant_lookup(options, "handle_token", "&s", &token);
    g_autofree char *caller = g_strdelimit(g_strdup(sender + 1), ".", '_');
    g_autofree char *request = g_strdup_printf(PORTAL "/request/%s/%s", caller, token);
    printf("%s\n", method);
    fflush(stdout);
    g_dbus_method_invocation_return_value(call, g_variant_new("(o)", request));
    GVariantBuilder results;
    g_variant_builder_init(&results, G_VARIANT_TYPE_VARDICT);
    g_variant_builder_add(
            &results, "{sv}", "session_handle", g_variant_new_string(PORTAL "/session/1"));
    g_dbus_connection_emit_signal(bus, sender, request, "org.freedesktop.portal.Request",
            "Response", g_variant_new("(ua{sv})", strcmp(method, "Start") == 0 ? 2 : 0, &results),
            NULL);
}

static GVariant *on_get(GDBusConnection *bus, const char *sender, const char *path,
        const char *interface, const char *name, GError **error, gpointer user) {
    (void)bus;
    (void)sender;
    (void)path;
    (void)interface;
    (void)name;
    (void)error;
    (void)user;
    return g_variant_new_uint32(4);
}

static void on_bus(GDBusConnection *bus, const char *name, gpointer user) {
    static const GDBusInterfaceVTable functions = { .method_call = on_call,
        .get_property = on_get };
    GDBusNodeInfo *node = g_dbus_node_info_new_for_xml(description, NULL);
    (void)name;
    (void)user;
    g_dbus_connection_register_object(
            bus, PORTAL, node->interfaces[0], &functions, NULL, NULL, NULL);
}

int main(void) {
    g_bus_own_name(G_BUS_TYPE_SESSION, "org.freedesktop.portal.Desktop",
            G_BUS_NAME_OWNER_FLAGS_NONE, on_bus, NULL, NULL, NULL, NULL);
    g_main_loop_run(g_main_loop_new(NULL, FALSE));
    return 0;
}
