/* D-Bus with a deadline: whatever sits at the other end may hang, and a person or an agent waits
 * for us. */
#ifndef PLATFORM_LINUX_BUS_BUS_H
#define PLATFORM_LINUX_BUS_BUS_H

#include <gio/gio.h>

/* Monotonic microseconds, as g_get_monotonic_time. */
gint64 os_bus_deadline(int ms);
/* At least 1 ms, for a call that is made anyway. */
int os_bus_ms_left(gint64 deadline);

/* The session's bus, or NULL with an error. Never starts one. */
GDBusConnection *os_bus_session(gint64 deadline, GError **error);
/* The one of the whole process, which libraries find by themselves. */
GDBusConnection *os_bus_session_shared(gint64 deadline, GError **error);
GDBusConnection *os_bus_system(gint64 deadline, GError **error);

/* One call, answered by the deadline or failed. take_args floats. reply_type NULL: any. */
GVariant *os_bus_call(GDBusConnection *bus, const char *const to[3], const char *method,
        GVariant *take_args, const char *reply_type, gint64 deadline, GError **error);
/* "process 123 (dunst)", or "somebody" when the bus does not say. The caller frees with g_free. */
char *os_bus_owner_text(GDBusConnection *bus, const char *name, gint64 deadline);

/* For a library's calls, which know no deadline: the connection is closed when it is over, and they
 * fail at once. The connection cannot be used then. */
struct os_bus_watchdog {
    GDBusConnection *bus;
    gint64 deadline;
    GThread *thread;
    GMutex lock;
    GCond changed;
    gboolean is_done, has_cut;
};
void os_bus_watchdog_start(struct os_bus_watchdog *dog, GDBusConnection *bus, gint64 deadline);
/* Whether it has cut the connection. */
gboolean os_bus_watchdog_stop(struct os_bus_watchdog *dog);

#endif
