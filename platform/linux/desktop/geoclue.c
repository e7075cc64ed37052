/* GeoClue over D-Bus: a client object of ours is started, and tells where the Location object is.
 * Everything here is asynchronous: without an agent of the desktop session GeoClue never even gives
 * a client object. */
#include "platform/linux/bus/bus.h"
#include "platform/linux/desktop/locate.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* GeoClue's accuracy level. Of those it asks no satellite receiver below this one, which may be all
 * that a machine has; a place that is to be coarse is made so by us. */
#define EXACT 8
#define SERVICE "org.freedesktop.GeoClue2"
#define CLIENT SERVICE ".Client"
#define PROPERTIES "org.freedesktop.DBus.Properties"
#define DESKTOP_ID "openclaw"

static void geoclue_fail(struct os_geoclue *g, GError *take_error) {
    g_autoptr(GError) e = take_error;
    if (g_error_matches(e, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
        return; /* stopped: nobody wants to know */
    }
    if (g_error_matches(e, G_DBUS_ERROR, G_DBUS_ERROR_ACCESS_DENIED)) {
        g->done(g->user, NULL, OS_LOCATE_REFUSED,
                "GeoClue does not allow it: allow '" DESKTOP_ID
                "' in the desktop's location settings or in /etc/geoclue/geoclue.conf");
    } else if (g_error_matches(e, G_DBUS_ERROR, G_DBUS_ERROR_SERVICE_UNKNOWN) ||
               g_error_matches(e, G_DBUS_ERROR, G_DBUS_ERROR_NAME_HAS_NO_OWNER)) {
        g->done(g->user, NULL, OS_LOCATE_ABSENT, "GeoClue is not installed (package geoclue-2.0)");
    } else {
        g_dbus_error_strip_remote_error(e);
        g_autofree char *why = g_strdup_printf("GeoClue: %s", e->message);
        g->done(g->user, NULL, OS_LOCATE_ABSENT, why);
    }
}

static void geoclue_call(struct os_geoclue *g, const char *path, const char *interface,
        const char *method, GVariant *take_args, const char *reply_type,
        GAsyncReadyCallback on_reply) {
    g_dbus_connection_call(g->bus, SERVICE, path, interface, method, take_args,
            reply_type ? G_VARIANT_TYPE(reply_type) : NULL, G_DBUS_CALL_FLAGS_NONE,
            os_bus_ms_left(g->deadline) + 1000 /* the deadline itself is not ours to tell */,
            g->cancel, on_reply, g);
}

static double geoclue_number(GVariantDict *o, const char *name, double least) {
    double v;
    return g_variant_dict_lookup(o, name, "d", &v) && isfinite(v) && v >= least ? v : NAN;
}

static const char *source_of(GVariantDict *o) {
    const char *text = NULL;
    g_autofree char *lower = NULL;
    if (g_variant_dict_lookup(o, "Description", "&s", &text)) {
        lower = g_ascii_strdown(text, -1);
    }
    if (lower && (strstr(lower, "gps") || strstr(lower, "nmea"))) {
        return "gps";
    }
    return lower && strstr(lower, "wifi") ? "wifi" : "unknown";
}

static void on_location(GObject *source, GAsyncResult *result, gpointer user) {
    struct os_geoclue *g = user;
    GError *e = NULL;
    g_autoptr(GVariant) reply =
            g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &e);
    if (!reply) {
        geoclue_fail(g, e);
        return;
    }
    g_autoptr(GVariant) properties = g_variant_get_child_value(reply, 0);
    g_auto(GVariantDict) o;
    g_variant_dict_init(&o, properties);
    struct os_fix fix = {
        .lat = geoclue_number(&o, "Latitude", -90),
        .lon = geoclue_number(&o, "Longitude", -180),
        .accuracy_m = geoclue_number(&o, "Accuracy", DBL_MIN), /* it says 0 when it does not know */
        .altitude_m = geoclue_number(&o, "Altitude", -100000),
        .speed_mps = geoclue_number(&o, "Speed", 0),
        .heading_deg = geoclue_number(&o, "Heading", 0),
        .source = source_of(&o),
    };
    guint64 seconds, micros;
    if (g_variant_dict_lookup(&o, "Timestamp", "(tt)", &seconds, &micros) && seconds > 0) {
        g_autoptr(GDateTime) at = g_date_time_new_from_unix_utc((gint64)seconds);
        g_autofree char *text = at ? g_date_time_format(at, "%Y-%m-%dT%H:%M:%S.000Z") : NULL;
        g_strlcpy(fix.timestamp, text ? text : "", sizeof(fix.timestamp));
    }
    if (isnan(fix.lat) || fix.lat > 90 || isnan(fix.lon) || fix.lon > 180) {
        g->done(g->user, NULL, OS_LOCATE_ABSENT, "GeoClue told a place that is not on this planet");
        return;
    }
    g->done(g->user, &fix, 0, NULL);
}

static void on_updated(GDBusConnection *bus, const char *sender, const char *path,
        const char *interface, const char *signal, GVariant *args, gpointer user) {
    struct os_geoclue *g = user;
    (void)bus, (void)sender, (void)path, (void)interface, (void)signal;
    if (!g_variant_is_of_type(args, G_VARIANT_TYPE("(oo)"))) {
        return;
    }
    const char *place;
    g_variant_get(args, "(o&o)", NULL, &place);
    if (strcmp(place, "/") != 0) {
        geoclue_call(g, place, PROPERTIES, "GetAll", g_variant_new("(s)", SERVICE ".Location"),
                "(a{sv})", on_location);
    }
}

static void on_started(GObject *source, GAsyncResult *result, gpointer user) {
    GError *e = NULL;
    g_autoptr(GVariant) reply =
            g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &e);
    if (!reply) {
        geoclue_fail(user, e);
        return;
    }
    ((struct os_geoclue *)user)->waits_for_agent = FALSE;
}

static void on_set(GObject *source, GAsyncResult *result, gpointer user) {
    GError *e = NULL;
    g_autoptr(GVariant) reply =
            g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &e);
    if (!reply) {
        geoclue_fail(user, e);
    }
}

static void on_client(GObject *source, GAsyncResult *result, gpointer user) {
    struct os_geoclue *g = user;
    GError *e = NULL;
    g_autoptr(GVariant) reply =
            g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &e);
    if (!reply) {
        geoclue_fail(g, e);
        return;
    }
    g_variant_get(reply, "(o)", &g->client);
    g->signals = g_dbus_connection_signal_subscribe(g->bus, SERVICE, CLIENT, "LocationUpdated",
            g->client, NULL, G_DBUS_SIGNAL_FLAGS_NONE, on_updated, g, NULL);
    geoclue_call(g, g->client, PROPERTIES, "Set",
            g_variant_new("(ssv)", CLIENT, "DesktopId", g_variant_new_string(DESKTOP_ID)), NULL,
            on_set);
    geoclue_call(g, g->client, PROPERTIES, "Set",
            g_variant_new("(ssv)", CLIENT, "RequestedAccuracyLevel", g_variant_new_uint32(EXACT)),
            NULL, on_set);
    geoclue_call(g, g->client, CLIENT, "Start", NULL, NULL, on_started);
}

void os_geoclue_start(struct os_geoclue *g, gint64 deadline, os_locate_done *done, void *user) {
    *g = (struct os_geoclue){ .deadline = deadline,
        .done = done,
        .user = user,
        .waits_for_agent = TRUE,
        .cancel = g_cancellable_new() };
    gint64 soon = os_bus_deadline(1000);
    GError *e = NULL;
    g->bus = os_bus_system(MIN(soon, deadline), &e);
    if (!g->bus) {
        g_autofree char *why = g_strdup_printf("GeoClue: no system bus: %s", e->message);
        g_error_free(e);
        done(user, NULL, OS_LOCATE_ABSENT, why);
        return;
    }
    geoclue_call(g, "/org/freedesktop/GeoClue2/Manager", SERVICE ".Manager", "GetClient", NULL,
            "(o)", on_client);
}

void os_geoclue_stop(struct os_geoclue *g) {
    g_cancellable_cancel(g->cancel);
    if (g->signals) {
        g_dbus_connection_signal_unsubscribe(g->bus, g->signals);
    }
    g_clear_object(&g->bus);
    g_clear_object(&g->cancel);
    g_free(g_steal_pointer(&g->client));
}
