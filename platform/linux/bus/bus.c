#include "platform/linux/bus/bus.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

gint64 os_bus_deadline(int ms) {
    return g_get_monotonic_time() + (gint64)ms * 1000;
}

int os_bus_ms_left(gint64 deadline) {
    gint64 left = (deadline - g_get_monotonic_time()) / 1000;
    return left < 1 ? 1 : (int)left;
}

struct opening {
    GMainLoop *loop;
    gboolean is_shared;
    GDBusConnection *bus;
    GError *error;
    gboolean is_abandoned;
};

static void destroy_opening(struct opening *o) {
    g_main_loop_unref(o->loop);
    g_clear_object(&o->bus);
    g_clear_error(&o->error);
    g_free(o);
}

static void on_opened(GObject *source, GAsyncResult *result, gpointer user) {
    struct opening *o = user;
    (void)source;
    o->bus = o->is_shared ? g_bus_get_finish(result, &o->error)
                          : g_dbus_connection_new_for_address_finish(result, &o->error);
    if (o->is_abandoned) {
        destroy_opening(o);
    } else {
        g_main_loop_quit(o->loop);
    }
}

static gboolean on_late(gpointer user) {
    struct opening *o = user;
    g_main_loop_quit(o->loop);
    return G_SOURCE_CONTINUE; /* removed by open_address */
}

/* address NULL: the shared session bus. Nothing limits how long either takes, and cancelling does
 * not: once a bus has let us in, GDBus waits for its first answer whatever we say. So what is late
 * is left alone. */
static GDBusConnection *open_address(const char *address, gint64 deadline, GError **error) {
    struct opening *o = g_new0(struct opening, 1);
    o->loop = g_main_loop_new(NULL, FALSE);
    o->is_shared = !address;
    guint timer = g_timeout_add((guint)os_bus_ms_left(deadline), on_late, o);
    if (o->is_shared) {
        g_bus_get(G_BUS_TYPE_SESSION, NULL, on_opened, o);
    } else {
        g_dbus_connection_new_for_address(address,
                G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                        G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
                NULL, NULL, on_opened, o);
    }
    g_main_loop_run(o->loop);
    g_source_remove(timer);
    if (!o->bus && !o->error) {
        o->is_abandoned = TRUE;
        g_set_error(error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT, "the bus does not answer");
        return NULL;
    }
    GDBusConnection *bus = g_steal_pointer(&o->bus);
    if (o->error) {
        g_propagate_error(error, g_steal_pointer(&o->error));
    }
    destroy_opening(o);
    if (bus) {
        g_dbus_connection_set_exit_on_close(bus, FALSE);
    }
    return bus;
}

static gboolean is_own_socket(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISSOCK(st.st_mode) && st.st_uid == geteuid();
}

/* Where the session's bus is; the caller frees. With DISPLAY set GDBus starts one of its own where
 * there is none, so it is never let look for itself. */
static char *find_session(GError **error) {
    const char *address = getenv("DBUS_SESSION_BUS_ADDRESS"), *runtime = getenv("XDG_RUNTIME_DIR");
    g_autofree char *path = g_strdup_printf("%s/bus", runtime ? runtime : "");
    if (address) {
        return g_strdup(address);
    }
    if (runtime && is_own_socket(path)) {
        return g_strdup_printf("unix:path=%s", path);
    }
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
            "neither DBUS_SESSION_BUS_ADDRESS nor $XDG_RUNTIME_DIR/bus says where it is");
    return NULL;
}

GDBusConnection *os_bus_session(gint64 deadline, GError **error) {
    g_autofree char *address = find_session(error);
    return address ? open_address(address, deadline, error) : NULL;
}

GDBusConnection *os_bus_session_shared(gint64 deadline, GError **error) {
    g_autofree char *address = find_session(error);
    if (!address) {
        return NULL;
    }
    setenv("DBUS_SESSION_BUS_ADDRESS", address, 1);
    return open_address(NULL, deadline, error);
}

GDBusConnection *os_bus_system(gint64 deadline, GError **error) {
    const char *address = getenv("DBUS_SYSTEM_BUS_ADDRESS");
    return open_address(
            address ? address : "unix:path=/run/dbus/system_bus_socket", deadline, error);
}

GVariant *os_bus_call(GDBusConnection *bus, const char *const to[3], const char *method,
        GVariant *take_args, const char *reply_type, gint64 deadline, GError **error) {
    return g_dbus_connection_call_sync(bus, to[0], to[1], to[2], method, take_args,
            reply_type ? G_VARIANT_TYPE(reply_type) : NULL, G_DBUS_CALL_FLAGS_NONE,
            os_bus_ms_left(deadline), NULL, error);
}

char *os_bus_owner_text(GDBusConnection *bus, const char *name, gint64 deadline) {
    static const char *const to[] = { "org.freedesktop.DBus", "/org/freedesktop/DBus",
        "org.freedesktop.DBus" };
    g_autoptr(GVariant) reply = os_bus_call(bus, to, "GetConnectionUnixProcessID",
            g_variant_new("(s)", name), "(u)", deadline, NULL);
    if (!reply) {
        return g_strdup("somebody");
    }
    guint32 pid;
    g_variant_get(reply, "(u)", &pid);
    g_autofree char *path = g_strdup_printf("/proc/%u/comm", pid);
    g_autofree char *comm = NULL;
    if (!g_file_get_contents(path, &comm, NULL, NULL)) {
        return g_strdup_printf("process %u", pid);
    }
    return g_strdup_printf("process %u (%s)", pid, g_strstrip(comm));
}

static gpointer bus_watch(gpointer user) {
    struct os_bus_watchdog *dog = user;
    g_mutex_lock(&dog->lock);
    while (!dog->is_done && g_cond_wait_until(&dog->changed, &dog->lock, dog->deadline)) {
    }
    if (!dog->is_done) {
        dog->has_cut = TRUE;
        g_dbus_connection_close_sync(dog->bus, NULL, NULL);
    }
    g_mutex_unlock(&dog->lock);
    return NULL;
}

void os_bus_watchdog_start(struct os_bus_watchdog *dog, GDBusConnection *bus, gint64 deadline) {
    *dog = (struct os_bus_watchdog){ .bus = bus, .deadline = deadline };
    g_mutex_init(&dog->lock);
    g_cond_init(&dog->changed);
    dog->thread = g_thread_new("watchdog", bus_watch, dog);
}

gboolean os_bus_watchdog_stop(struct os_bus_watchdog *dog) {
    g_mutex_lock(&dog->lock);
    dog->is_done = TRUE;
    g_cond_signal(&dog->changed);
    g_mutex_unlock(&dog->lock);
    g_thread_join(dog->thread);
    g_mutex_clear(&dog->lock);
    g_cond_clear(&dog->changed);
    return dog->has_cut;
}
