/* Where this machine is. GeoClue is asked first. gpsd is asked when GeoClue has failed, or has been
 * silent for a while: it waits forever when the session has no agent. The first place that is told
 * is the answer. */
#include "platform/linux/desktop/locate.h"
#include "lib/base/mem.h"
#include "platform/linux/bus/bus.h"
#include "platform/linux/desktop/tasks.h"

#include <math.h>
#include <string.h>

enum {
    DEFAULT_MS = 10000,
    MIN_MS = 100,
    MAX_MS = 120000,
    HEAD_START_MS = 2000, /* of GeoClue, or a third of the time */
};

struct desktop_locating {
    GMainLoop *loop;
    struct os_geoclue geoclue;
    struct os_gpsd gpsd;
    const char *gpsd_where;
    gboolean geoclue_failed, gpsd_failed, gpsd_started;
    gboolean is_refused, is_settled;
    GString *reasons;
};

static void set_number(cJSON *o, const char *name, double v) {
    if (!isnan(v)) {
        cJSON_AddNumberToObject(o, name, v);
    }
}

static void locate_answer(struct desktop_locating *l, const struct os_fix *fix) {
    cJSON *o = cJSON_CreateObject();
    set_number(o, "lat", fix->lat);
    set_number(o, "lon", fix->lon);
    set_number(o, "accuracyMeters", fix->accuracy_m);
    set_number(o, "altitudeMeters", fix->altitude_m);
    set_number(o, "speedMps", fix->speed_mps);
    set_number(o, "headingDeg", fix->heading_deg);
    g_autoptr(GDateTime) now = g_date_time_new_now_utc();
    g_autofree char *text = g_date_time_format(now, "%Y-%m-%dT%H:%M:%S.000Z");
    oc_json_set_str(o, "timestamp", fix->timestamp[0] ? fix->timestamp : text);
    oc_json_set_str(o, "source", fix->source);
    os_serve_result(o, -1);
    l->is_settled = TRUE;
    g_main_loop_quit(l->loop);
}

static void add_reason(struct desktop_locating *l, const char *why) {
    g_string_append_printf(l->reasons, "%s%s", l->reasons->len ? "; " : "", why);
}

static void give_up(struct desktop_locating *l, gboolean is_late) {
    const char *code = l->is_refused ? "LOCATION_PERMISSION_REQUIRED"
                       : is_late     ? "LOCATION_TIMEOUT"
                                     : "LOCATION_UNAVAILABLE";
    os_serve_error(code, "%s: %s", code, l->reasons->str);
    l->is_settled = TRUE;
    g_main_loop_quit(l->loop);
}

static void on_gpsd(
        void *user, const struct os_fix *fix, enum os_locate_failure failure, const char *why) {
    struct desktop_locating *l = user;
    (void)failure;
    if (l->is_settled) {
        return;
    }
    if (fix) {
        locate_answer(l, fix);
        return;
    }
    l->gpsd_failed = TRUE;
    add_reason(l, why);
    if (l->geoclue_failed) {
        give_up(l, FALSE);
    }
}

static void ask_gpsd(struct desktop_locating *l) {
    if (!l->gpsd_started) {
        l->gpsd_started = TRUE;
        os_gpsd_start(&l->gpsd, l->gpsd_where, on_gpsd, l);
    }
}

static void on_geoclue(
        void *user, const struct os_fix *fix, enum os_locate_failure failure, const char *why) {
    struct desktop_locating *l = user;
    if (l->is_settled || l->geoclue_failed) {
        return;
    }
    if (fix) {
        locate_answer(l, fix);
        return;
    }
    l->geoclue_failed = TRUE;
    l->is_refused = failure == OS_LOCATE_REFUSED;
    add_reason(l, why);
    ask_gpsd(l);
    if (l->gpsd_failed) {
        give_up(l, FALSE);
    }
}

static gboolean on_silence(gpointer user) {
    ask_gpsd(user);
    return G_SOURCE_REMOVE;
}

static gboolean on_deadline(gpointer user) {
    struct desktop_locating *l = user;
    if (!l->geoclue_failed) {
        add_reason(l, l->geoclue.waits_for_agent
                              ? "GeoClue has not let us in: it needs an agent in the desktop "
                                "session, such "
                                "as GNOME's or /usr/libexec/geoclue-2.0/demos/agent"
                              : "GeoClue told no place");
    }
    if (l->gpsd_started && !l->gpsd_failed) {
        add_reason(l, "gpsd has no fix");
    }
    give_up(l, TRUE);
    return G_SOURCE_REMOVE;
}

void os_task_locate(const struct os_serve_request *request) {
    guint ms = (guint)oc_json_clamp_int(request->params, "timeoutMs", MIN_MS, MAX_MS, DEFAULT_MS);
    const char *where = oc_json_get_str(request->params, "gpsd");
    struct desktop_locating l = { .loop = g_main_loop_new(NULL, FALSE),
        .gpsd_where = where ? where : "127.0.0.1",
        .reasons = g_string_new(NULL) };
    guint head_start = MIN(ms / 3, (guint)HEAD_START_MS);
    g_timeout_add(ms, on_deadline, &l);
    g_timeout_add(head_start, on_silence, &l);
    os_geoclue_start(&l.geoclue, os_bus_deadline((int)ms), on_geoclue, &l);
    if (!l.is_settled) {
        g_main_loop_run(l.loop);
    }
    os_geoclue_stop(&l.geoclue);
    os_gpsd_stop(&l.gpsd);
    g_main_loop_unref(l.loop);
    g_string_free(l.reasons, TRUE);
}
