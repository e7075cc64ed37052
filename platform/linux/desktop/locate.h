/* Sources of the task "locate". Each is asked once, at the same time if need be, and tells exactly
 * once unless it is stopped. */
#ifndef PLATFORM_LINUX_DESKTOP_LOCATE_H
#define PLATFORM_LINUX_DESKTOP_LOCATE_H

#include <gio/gio.h>

struct os_fix {
    double lat, lon;
    double accuracy_m, altitude_m, speed_mps, heading_deg; /* NAN: unknown */
    char timestamp[40];                                    /* ISO 8601; empty: now */
    const char *source;                                    /* a literal: gps, wifi, unknown */
};

enum os_locate_failure {
    OS_LOCATE_ABSENT, /* there is no such source here */
    OS_LOCATE_REFUSED,
};

/* fix NULL: failed, and why says so in words. */
typedef void os_locate_done(
        void *user, const struct os_fix *fix, enum os_locate_failure failure, const char *why);

struct os_geoclue {
    GDBusConnection *bus;
    GCancellable *cancel;
    gint64 deadline;
    char *client; /* its object path */
    guint signals;
    gboolean waits_for_agent; /* nothing that an agent has to agree to has been answered yet */
    os_locate_done *done;
    void *user;
};
/* g lives until os_geoclue_stop. */
void os_geoclue_start(struct os_geoclue *g, gint64 deadline, os_locate_done *done, void *user);
void os_geoclue_stop(struct os_geoclue *g);

struct os_gpsd {
    GSocketClient *client;
    GSocketConnection *connection;
    GCancellable *cancel;
    char *where;
    char in[16384];
    size_t in_len;
    os_locate_done *done;
    void *user;
};
/* where: "HOST" or "HOST:PORT". */
void os_gpsd_start(struct os_gpsd *g, const char *where, os_locate_done *done, void *user);
void os_gpsd_stop(struct os_gpsd *g);

#endif
