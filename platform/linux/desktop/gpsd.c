/* gpsd's JSON protocol over TCP: one line asks it to watch, then every fix comes as a line of class
 * TPV. */
#include "lib/json/json.h"
#include "platform/linux/desktop/locate.h"

#include <math.h>
#include <string.h>

#define PORT 2947

static const char watch[] = "?WATCH={\"enable\":true,\"json\":true};\n";

static void gpsd_fail(struct os_gpsd *g, const char *text) {
    g_autofree char *why = g_strdup_printf("gpsd at %s: %s", g->where, text);
    g->done(g->user, NULL, OS_LOCATE_ABSENT, why);
}

/* True: somebody stopped us. */
static gboolean fail_with(struct os_gpsd *g, GError *take_error) {
    g_autoptr(GError) e = take_error;
    if (g_error_matches(e, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
        return TRUE;
    }
    gpsd_fail(g, e ? e->message : "it has closed the connection");
    return FALSE;
}

static double gpsd_number(const cJSON *o, const char *name, double least) {
    return oc_json_get_num(o, name, least, 1e9, NAN);
}

static void set_time(struct os_fix *fix, const char *text) {
    if (text && strlen(text) < sizeof(fix->timestamp) &&
            strspn(text, "0123456789-:.TZ") == strlen(text)) {
        g_strlcpy(fix->timestamp, text, sizeof(fix->timestamp));
    }
}

/* The error of both directions, where it does not say one for the plane. */
static double accuracy_of(const cJSON *o) {
    double plane = gpsd_number(o, "eph", 0), x = gpsd_number(o, "epx", 0),
           y = gpsd_number(o, "epy", 0);
    double m = isnan(plane) ? fmax(x, y) : plane;
    return m > 0 ? m : NAN;
}

/* True when it is settled. */
static gboolean take_line(struct os_gpsd *g, const char *line, size_t len) {
    OC_AUTO_JSON cJSON *o = NULL;
    struct oc_error err;
    if (oc_json_parse(line, len, &o, &err) != OC_OK) {
        gpsd_fail(g, "it does not speak gpsd's language");
        return TRUE;
    }
    const char *class = oc_json_get_str(o, "class");
    if (oc_streq(class, "DEVICES") && cJSON_GetArraySize(oc_json_get(o, "devices")) == 0) {
        gpsd_fail(g, "it has no receiver");
        return TRUE;
    }
    if (!oc_streq(class, "TPV") || oc_json_get_int(o, "mode", 0, 3, 0) < 2) {
        return FALSE;
    }
    struct os_fix fix = {
        .lat = gpsd_number(o, "lat", -90),
        .lon = gpsd_number(o, "lon", -180),
        .accuracy_m = accuracy_of(o),
        .altitude_m = gpsd_number(o, "altMSL", -100000),
        .speed_mps = gpsd_number(o, "speed", 0),
        .heading_deg = gpsd_number(o, "track", 0),
        .source = "gps",
    };
    if (isnan(fix.lat) || fix.lat > 90 || isnan(fix.lon) || fix.lon > 180) {
        return FALSE;
    }
    set_time(&fix, oc_json_get_str(o, "time"));
    g->done(g->user, &fix, 0, NULL);
    return TRUE;
}

static void read_more(struct os_gpsd *g);

static void on_read(GObject *source, GAsyncResult *result, gpointer user) {
    GError *e = NULL;
    gssize n = g_input_stream_read_finish(G_INPUT_STREAM(source), result, &e);
    if (n <= 0) {
        fail_with(user, e);
        return;
    }
    struct os_gpsd *g = user;
    g->in_len += (size_t)n;
    char *newline;
    while ((newline = memchr(g->in, '\n', g->in_len))) {
        size_t len = (size_t)(newline - g->in);
        if (len > 0 && take_line(g, g->in, len)) {
            return;
        }
        g->in_len -= len + 1;
        memmove(g->in, newline + 1, g->in_len);
    }
    if (g->in_len == sizeof(g->in)) {
        gpsd_fail(g, "it does not speak gpsd's language");
        return;
    }
    read_more(g);
}

static void read_more(struct os_gpsd *g) {
    g_input_stream_read_async(g_io_stream_get_input_stream(G_IO_STREAM(g->connection)),
            g->in + g->in_len, sizeof(g->in) - g->in_len, G_PRIORITY_DEFAULT, g->cancel, on_read,
            g);
}

static void on_connected(GObject *source, GAsyncResult *result, gpointer user) {
    GError *e = NULL;
    GSocketConnection *connection =
            g_socket_client_connect_to_host_finish(G_SOCKET_CLIENT(source), result, &e);
    if (!connection) {
        fail_with(user, e);
        return;
    }
    struct os_gpsd *g = user;
    g->connection = connection;
    /* So little fits into any socket's buffer. */
    GSocket *socket = g_socket_connection_get_socket(connection);
    if (g_socket_send(socket, watch, sizeof(watch) - 1, g->cancel, &e) != sizeof(watch) - 1) {
        fail_with(g, e);
        return;
    }
    read_more(g);
}

void os_gpsd_start(struct os_gpsd *g, const char *where, os_locate_done *done, void *user) {
    *g = (struct os_gpsd){ .done = done,
        .user = user,
        .where = g_strdup(where),
        .client = g_socket_client_new(),
        .cancel = g_cancellable_new() };
    g_socket_client_set_enable_proxy(g->client, FALSE);
    g_socket_client_connect_to_host_async(g->client, where, PORT, g->cancel, on_connected, g);
}

void os_gpsd_stop(struct os_gpsd *g) {
    if (g->cancel) {
        g_cancellable_cancel(g->cancel);
    }
    g_clear_object(&g->connection);
    g_clear_object(&g->client);
    g_clear_object(&g->cancel);
    g_free(g_steal_pointer(&g->where));
}
