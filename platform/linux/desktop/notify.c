/* Notifications, by libnotify. Its calls wait 25 s for a daemon that hangs, so a watchdog (bus.h)
 * cuts the connection when our time is over. What it does not tell is asked for beside it: what the
 * daemon can, who it is, and whether it is still there. */
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "platform/linux/bus/bus.h"
#include "platform/linux/desktop/tasks.h"

#include <glib-unix.h>
#include <libnotify/notify.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    LIMIT_MS = 1800, /* for all of it: who asked is told within 2 s */
    CLOSE_MS = 500,
    MAX_ACTIONS = 4,
    MAX_TITLE_CHARS = 200,
    MAX_BODY_CHARS = 2000,
    PASSIVE_MS = 5000,
    URGENT_MS = 15 * 60 * 1000,
    MAX_STAY_MS = 10 * 60 * 1000,
};

#define SERVICE "org.freedesktop.Notifications"
static const char *const daemon_at[] = { SERVICE, "/org/freedesktop/Notifications", SERVICE };
static const char *const bus_at[] = { "org.freedesktop.DBus", "/org/freedesktop/DBus",
    "org.freedesktop.DBus" };

struct notify {
    const cJSON *params;
    GDBusConnection *bus; /* the one that libnotify uses, too */
    gint64 deadline;
    gboolean has_markup, has_actions;
    char *daemon; /* its unique name */
    NotifyNotification *shown;
    /* while it stays */
    GMainLoop *loop;
    gboolean is_over;
};

/* The words of the reference's Linux node. */
static void notify_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void notify_fail(const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    g_autofree char *text = g_strdup_vprintf(fmt, args);
    va_end(args);
    os_serve_error("NOTIFICATIONS_UNAVAILABLE", "NOTIFICATIONS_UNAVAILABLE: %s", text);
}

/* was_cut: by the watchdog. */
static void fail_call(GError *take_error, gboolean was_cut) {
    g_autoptr(GError) e = take_error;
    if (g_error_matches(e, G_DBUS_ERROR, G_DBUS_ERROR_SERVICE_UNKNOWN) ||
            g_error_matches(e, G_DBUS_ERROR, G_DBUS_ERROR_NAME_HAS_NO_OWNER)) {
        notify_fail("nothing shows notifications in this session: no program owns " SERVICE
                    "; start the desktop's notification daemon, or install one such as dunst");
        return;
    }
    if (was_cut || g_error_matches(e, G_IO_ERROR, G_IO_ERROR_TIMED_OUT) ||
            g_error_matches(e, G_DBUS_ERROR, G_DBUS_ERROR_NO_REPLY) ||
            g_error_matches(e, G_DBUS_ERROR, G_DBUS_ERROR_TIMEOUT)) {
        g_autoptr(GDBusConnection) bus = os_bus_session(os_bus_deadline(100), NULL);
        g_autofree char *who =
                bus ? os_bus_owner_text(bus, SERVICE, os_bus_deadline(100)) : g_strdup("somebody");
        notify_fail(
                "the notification daemon does not answer: %s owns " SERVICE "; restart it", who);
        return;
    }
    g_autofree char *name = g_dbus_error_get_remote_error(e);
    gboolean is_start = name && g_str_has_prefix(name, "org.freedesktop.DBus.Error.Spawn");
    g_dbus_error_strip_remote_error(e);
    if (is_start) {
        notify_fail(
                "nothing shows notifications in this session, and its daemon cannot be started: %s",
                e->message);
        return;
    }
    notify_fail("the notification daemon refused: %s", e->message);
}

static gboolean open_bus(struct notify *n) {
    g_autoptr(GError) e = NULL;
    n->bus = os_bus_session_shared(n->deadline, &e);
    if (!n->bus || !notify_init("OpenClaw")) {
        notify_fail("there is no desktop session to show it in: %s",
                e ? e->message : "libnotify fails");
        return FALSE;
    }
    return TRUE;
}

/* The first call, which may also start the daemon. */
static gboolean meet_daemon(struct notify *n) {
    GError *e = NULL;
    g_autoptr(GVariant) caps =
            os_bus_call(n->bus, daemon_at, "GetCapabilities", NULL, "(as)", n->deadline, &e);
    if (!caps) {
        fail_call(e, FALSE);
        return FALSE;
    }
    g_autofree const char **names = NULL;
    g_variant_get(caps, "(^a&s)", &names);
    /* Links are markup too: dunst 1.9 with a short config reads markup, and offers only those. */
    n->has_markup =
            g_strv_contains(names, "body-markup") || g_strv_contains(names, "body-hyperlinks");
    n->has_actions = g_strv_contains(names, "actions");
    g_autoptr(GVariant) owner = os_bus_call(
            n->bus, bus_at, "GetNameOwner", g_variant_new("(s)", SERVICE), "(s)", n->deadline, &e);
    if (!owner) {
        fail_call(e, FALSE);
        return FALSE;
    }
    g_variant_get(owner, "(s)", &n->daemon);
    return TRUE;
}

/* Text comes from far away: no control characters, and an end. The caller frees. */
static char *notify_plain(
        const cJSON *params, const char *name, size_t max_chars, gboolean is_one_line) {
    const char *s = oc_json_get_str(params, name);
    GString *out = g_string_new(NULL);
    for (size_t n = 0; s && *s; s = g_utf8_next_char(s), n++) {
        gunichar c = g_utf8_get_char(s);
        if (n == max_chars) {
            g_string_append(out, "…");
            break;
        }
        if (!g_unichar_iscntrl(c)) {
            g_string_append_unichar(out, c);
        } else if (c == '\n' || c == '\t') {
            g_string_append_c(out, is_one_line || c == '\t' ? ' ' : '\n');
        }
    }
    return g_strstrip(g_string_free(out, FALSE));
}

struct priority {
    const char *name;
    NotifyUrgency urgency;
    int expires_ms; /* Never without end: nobody may fill a screen for good. */
};

static const struct priority *priority_of(const cJSON *params) {
    static const struct priority all[] = { { "active", NOTIFY_URGENCY_NORMAL,
                                                   NOTIFY_EXPIRES_DEFAULT },
        { "passive", NOTIFY_URGENCY_LOW, PASSIVE_MS },
        { "timeSensitive", NOTIFY_URGENCY_CRITICAL, URGENT_MS } };
    const char *name = oc_json_get_str(params, "priority");
    for (size_t i = 0; name && i < OC_COUNT(all); i++) {
        if (strcmp(all[i].name, name) == 0) {
            return &all[i];
        }
    }
    return &all[0];
}

/* A name of the freedesktop sound theme. Those of other systems ("Glass", "default") mean:
 * audible. */
static void set_sound(NotifyNotification *to, const cJSON *params) {
    const char *name = oc_json_get_str(params, "sound");
    if (!name || strcmp(name, "none") == 0) {
        notify_notification_set_hint(to, "suppress-sound", g_variant_new_boolean(TRUE));
        return;
    }
    gboolean is_theirs = strchr(name, '-') && strlen(name) < 64 &&
                         strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
    notify_notification_set_hint(
            to, "sound-name", g_variant_new_string(is_theirs ? name : "message-new-instant"));
}

static void notify_tell(struct notify *n, const char *name, const char *value) {
    if (!n->is_over) {
        n->is_over = TRUE;
        cJSON *event = cJSON_CreateObject();
        oc_json_set_str(event, name, value);
        os_serve_event(event);
    }
    g_main_loop_quit(n->loop);
}

static void on_action(NotifyNotification *shown, char *key, gpointer user) {
    (void)shown;
    notify_tell(user, "action", key);
}

static void on_closed(NotifyNotification *shown, gpointer user) {
    static const char *const reasons[] = { "unknown", "expired", "dismissed", "closed" };
    int reason = notify_notification_get_closed_reason(shown);
    notify_tell(
            user, "closed", reasons[reason > 0 && reason < (int)OC_COUNT(reasons) ? reason : 0]);
}

static size_t count_actions(const cJSON *params) {
    const cJSON *a = NULL;
    size_t n = 0;
    cJSON_ArrayForEach(a, oc_json_get(params, "actions")) {
        n += n < MAX_ACTIONS && oc_json_get_str(a, "key") && oc_json_get_str(a, "label");
    }
    return n;
}

static void add_actions(struct notify *n) {
    const cJSON *a = NULL;
    size_t count = 0;
    cJSON_ArrayForEach(a, oc_json_get(n->params, "actions")) {
        const char *key = oc_json_get_str(a, "key"), *label = oc_json_get_str(a, "label");
        if (key && label && count++ < MAX_ACTIONS) {
            notify_notification_add_action(n->shown, key, label, on_action, n, NULL);
        }
    }
}

static guint stay_ms(const cJSON *params) {
    return (guint)oc_json_clamp_int(params, "expiresMs", 1, MAX_STAY_MS, MAX_STAY_MS);
}

/* Only the daemon that gave the number knows what it stands for. */
static guint32 id_for(const struct notify *n, const cJSON *place) {
    const char *daemon = oc_json_get_str(place, "daemon");
    int64_t id = oc_json_get_int(place, "id", 1, G_MAXUINT32, 0);
    return daemon && strcmp(daemon, n->daemon) == 0 && id > 0 ? (guint32)id : 0;
}

static guint32 id_of(NotifyNotification *shown) {
    gint id = 0;
    g_object_get(shown, "id", &id, NULL);
    return (guint32)id;
}

static gboolean notify_show(struct notify *n, size_t action_count) {
    const struct priority *p = priority_of(n->params);
    g_autofree char *title = notify_plain(n->params, "title", MAX_TITLE_CHARS, TRUE);
    g_autofree char *body = notify_plain(n->params, "body", MAX_BODY_CHARS, FALSE);
    /* A question is escaped for everybody: better too many signs than some that a daemon hides. */
    gboolean is_escaped = n->has_markup || action_count > 0;
    g_autofree char *text = is_escaped ? g_markup_escape_text(body, -1) : g_strdup(body);
    /* One with buttons is taken away by us; if we are killed before, the daemon does it. */
    gboolean is_limited = action_count > 0 || oc_json_get(n->params, "expiresMs");
    n->shown = notify_notification_new(title[0] ? title : "OpenClaw", text, NULL);
    g_object_set(n->shown, "id", (gint)id_for(n, oc_json_get(n->params, "replaces")), NULL);
    notify_notification_set_urgency(n->shown, p->urgency);
    notify_notification_set_timeout(
            n->shown, is_limited ? (gint)stay_ms(n->params) : p->expires_ms);
    set_sound(n->shown, n->params);
    if (oc_streq(oc_json_get_str(n->params, "delivery"), "overlay")) {
        /* seen now or never: not kept in a list */
        notify_notification_set_hint(n->shown, "transient", g_variant_new_boolean(TRUE));
    }
    if (action_count > 0) {
        add_actions(n);
        g_signal_connect(n->shown, "closed", G_CALLBACK(on_closed), n);
    }
    GError *e = NULL;
    struct os_bus_watchdog dog;
    os_bus_watchdog_start(&dog, n->bus, n->deadline);
    gboolean is_shown = notify_notification_show(n->shown, &e);
    gboolean was_cut = os_bus_watchdog_stop(&dog);
    if (!is_shown) {
        fail_call(e, was_cut);
    }
    return is_shown;
}

static void close_it(const struct notify *n) {
    struct os_bus_watchdog dog;
    os_bus_watchdog_start(&dog, n->bus, os_bus_deadline(CLOSE_MS));
    notify_notification_close(n->shown, NULL);
    os_bus_watchdog_stop(&dog);
}

static void on_owner(GDBusConnection *bus, const char *name, gpointer user) {
    (void)bus, (void)name;
    notify_tell(user, "closed", "daemon gone");
}

static gboolean on_expired(gpointer user) {
    struct notify *n = user;
    notify_tell(n, "closed", "expired");
    close_it(n);
    return G_SOURCE_REMOVE;
}

static gboolean on_node_gone(gint fd, GIOCondition condition, gpointer user) {
    struct notify *n = user;
    (void)fd, (void)condition;
    n->is_over = TRUE; /* nobody to tell */
    close_it(n);
    g_main_loop_quit(n->loop);
    return G_SOURCE_REMOVE;
}

static void notify_stay(struct notify *n, const struct os_serve_request *request) {
    g_timeout_add(stay_ms(n->params), on_expired, n);
    g_bus_watch_name_on_connection(
            n->bus, n->daemon, G_BUS_NAME_WATCHER_FLAGS_NONE, NULL, on_owner, n, NULL);
    if (request->socket_fd >= 0) {
        g_unix_fd_add(request->socket_fd, G_IO_IN | G_IO_HUP | G_IO_ERR, on_node_gone, n);
    }
    g_main_loop_run(n->loop);
}

static cJSON *place_of(const struct notify *n) {
    cJSON *result = cJSON_CreateObject();
    oc_json_set_int(result, "id", id_of(n->shown));
    oc_json_set_str(result, "daemon", n->daemon);
    return result;
}

static void notify_run(struct notify *n, const struct os_serve_request *request) {
    if (!open_bus(n) || !meet_daemon(n)) {
        return;
    }
    size_t count = count_actions(n->params);
    if (count > 0 && !n->has_actions) {
        notify_fail("the notification daemon of this session has no buttons");
        return;
    }
    if (count == 0) {
        if (notify_show(n, 0)) {
            os_serve_result(place_of(n), -1);
        }
        return;
    }
    n->loop = g_main_loop_new(NULL, FALSE);
    if (notify_show(n, count)) { /* what is pressed meanwhile is told when the loop runs */
        os_serve_result_and_stay(place_of(n));
        notify_stay(n, request);
    }
    g_main_loop_unref(n->loop);
}

/* libnotify keeps the connection: to end it (notify_uninit) it would call a daemon that may
 * hang. */
static void notify_finish(struct notify *n) {
    g_clear_object(&n->shown);
    g_clear_object(&n->bus);
    g_free(n->daemon);
}

static gboolean has_text(const cJSON *params, const char *name) {
    return !oc_str_blank(oc_json_get_str(params, name));
}

void os_task_notify(const struct os_serve_request *request) {
    if (!has_text(request->params, "title") && !has_text(request->params, "body")) {
        os_serve_error("INVALID_REQUEST", "INVALID_REQUEST: empty notification");
        return;
    }
    struct notify n = { .params = request->params, .deadline = os_bus_deadline(LIMIT_MS) };
    notify_run(&n, request);
    notify_finish(&n);
}

void os_task_notify_close(const struct os_serve_request *request) {
    struct notify n = { .params = request->params, .deadline = os_bus_deadline(LIMIT_MS) };
    if (open_bus(&n) && meet_daemon(&n)) {
        guint32 id = id_for(&n, n.params);
        if (id) {
            n.shown = notify_notification_new("OpenClaw", NULL, NULL);
            g_object_set(n.shown, "id", (gint)id, NULL);
            close_it(&n);
        }
        os_serve_result(NULL, -1);
    }
    notify_finish(&n);
}
