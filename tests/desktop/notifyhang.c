/* notifyhang: a notification daemon that says what it can and never answers when it is to show
 * something. */
#include <gio/gio.h>
#include <string.h>

#define SERVICE "org.freedesktop.Notifications"

static const char description[] =
        "<node><interface name='" SERVICE "'>"
        "<method name='GetCapabilities'><arg type='as' direction='out'/></method>"
        "<method name='GetServerInformation'><arg type='s' direction='out'/>"
        "<arg type='s' direction='out'/><arg type='s' direction='out'/>"
        "<arg type='s' direction='out'/></method>"
        "<method name='Notify'><arg type='s' direction='in'/><arg type='u' direction='in'/>"
        "<arg type='s' direction='in'/><arg type='s' direction='in'/><arg type='s' direction='in'/>"
        "<arg type='as' direction='in'/><arg type='a{sv}' direction='in'/>"
        "<arg type='i' direction='in'/><arg type='u' direction='out'/></method>"
        "</interface></node>";

static void on_call(GDBusConnection *bus, const char *sender, const char *path,
        const char *interface, const char *method, GVariant *args, GDBusMethodInvocation *call,
        gpointer user) {
    static const char *const can[] = { "body", "actions", NULL };
    (void)bus, (void)sender, (void)path, (void)interface, (void)args, (void)user;
    if (strcmp(method, "GetCapabilities") == 0) {
        g_dbus_method_invocation_return_value(call, g_variant_new("(^as)", can));
    } else if (strcmp(method, "GetServerInformation") == 0) {
        g_dbus_method_invocation_return_value(
                call, g_variant_new("(ssss)", "notifyhang", "tests", "1", "1.2"));
    }
}

static void on_bus(GDBusConnection *bus, const char *name, gpointer user) {
    static const GDBusInterfaceVTable functions = { .method_call = on_call };
    GDBusNodeInfo *node = g_dbus_node_info_new_for_xml(description, NULL);
    (void)name, (void)user;
    g_dbus_connection_register_object(bus, "/org/freedesktop/Notifications", node->interfaces[0],
            &functions, NULL, NULL, NULL);
}

int main(void) {
    g_bus_own_name(G_BUS_TYPE_SESSION, SERVICE, G_BUS_NAME_OWNER_FLAGS_NONE, on_bus, NULL, NULL,
            NULL, NULL);
    g_main_loop_run(g_main_loop_new(NULL, FALSE));
    return 0;
}
