/* Sources of the task "locate". Each is asked once, at the same time if need be, and tells exactly once unless it is stopped. */
#ifndef PLATFORM_LINUX_DESKTOP_LOCATE_H
#define PLATFORM_LINUX_DESKTOP_LOCATE_H

#include <gio/gio.h>

struct oc_fix {
    double lat, lon;
    double accuracy_m, altitude_m, speed_mps, heading_deg; /* NAN: unknown */
    char timestamp[40];                                    /* ISO 8601; empty: now */
    const char *source;                                    /* a literal: gps, wifi, unknown */
};

enum oc_locate_failure {
    OC_LOCATE_ABSENT, /* there is no such source here */
    OC_LOCATE_REFUSED,
};

/* fix NULL: failed, and why says so in words. */
typedef void oc_locate_done(
        void *user, const struct oc_fix *fix, enum oc_locate_failure failure, const char *why);

struct oc_geoclue {
    GDBusConnection *bus;
    GCancellable *cancel;
    gint64 deadline;
    char *client; /* its object path */
    guint signals;
    gboolean waits_for_agent; /* nothing that an agent has to agree to has been answered yet */
    oc_locate_done *done;
    void *user;
};
/* g lives until oc_geoclue_stop. */
void oc_geoclue_start(struct oc_geoclue *g, gint64 deadline, oc_locate_done *done, void *user);
void oc_geoclue_stop(struct oc_geoclue *g);

struct oc_gpsd {
    GSocketClient *client;
    GSocketConnection *connection;
    GCancellable *cancel;
    char *where;
    char in[16384];
    size_t in_len;
    oc_locate_done *done;
    void *user;
};
/* where: "HOST" or "HOST:PORT". */
void oc_gpsd_start(struct oc_gpsd *g, const char *where, oc_locate_done *done, void *user);
void oc_gpsd_stop(struct oc_gpsd *g);

#endif
