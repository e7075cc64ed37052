#include "canvas/web/web.h"

#include "canvas/web/guard.h"
#include "canvas/web/parse.h"
#include "canvas/window/place.h"
#include "lib/base/mem.h"

#include <math.h>
#include <stdarg.h>

#define WIDTH 900
#define HEIGHT 700
#define MAX_SIDE 2048 /* as display.c has it */
#define GEOMETRY_MS 250

static gboolean on_late(gpointer user) {
    struct cv_web *w = user;
    w->ask.timer = 0;
    w->ask.on_late(w);
    return G_SOURCE_REMOVE;
}

void cv_web_begin(
        struct cv_web *w, int ms, void (*late)(struct cv_web *w), cv_web_done *done, void *user) {
    w->ask.serial++;
    w->ask.done = done;
    w->ask.user = user;
    w->ask.on_late = late;
    w->ask.timer = g_timeout_add((guint)ms, on_late, w);
}

bool cv_web_is_current(const struct cv_web *w, unsigned serial) {
    return w->ask.done && w->ask.serial == serial;
}

static void web_finish(struct cv_web *w, struct cv_web_answer *answer) {
    cv_web_done *done = w->ask.done;
    w->ask.done = NULL;
    w->is_navigating = false;
    g_clear_handle_id(&w->ask.timer, g_source_remove);
    if (done) {
        done(w->ask.user, answer);
    }
    cJSON_Delete(answer->result);
    oc_auto_close(&answer->fd);
}

void cv_web_send_answer(struct cv_web *w, cJSON *take_result, int take_fd) {
    web_finish(w, &(struct cv_web_answer){ .ok = true, .result = take_result, .fd = take_fd });
}

void cv_web_fail(struct cv_web *w, const char *code, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    g_autofree char *message = g_strdup_vprintf(fmt, args);
    va_end(args);
    web_finish(w, &(struct cv_web_answer){ .fd = -1, .code = code, .message = message });
}

#define FAR 1e6 /* pixels; no screen is as large */

static double web_number(const cJSON *o, const char *key) {
    return oc_json_clamp_num(o, key, -FAR, FAR, NAN);
}

static gboolean on_geometry(gpointer user) {
    struct cv_web *w = user;
    w->geometry_timer = 0;
    if (!gtk_widget_get_mapped(GTK_WIDGET(w->window))) {
        return G_SOURCE_REMOVE;
    }
    struct cv_placement *p = &w->wanted;
    if (cv_place_grow(w->window, GTK_WIDGET(w->view), p)) {
        w->geometry_timer = g_timeout_add(GEOMETRY_MS, on_geometry, w);
        return G_SOURCE_REMOVE;
    }
    OC_AUTO_JSON cJSON *o = cJSON_CreateObject();
    if (cv_place_find(w->window, &p->x, &p->y)) {
        oc_json_set_int(o, "x", (int64_t)p->x);
        oc_json_set_int(o, "y", (int64_t)p->y);
    }
    p->width = gtk_widget_get_width(GTK_WIDGET(w->view));
    p->height = gtk_widget_get_height(GTK_WIDGET(w->view));
    oc_json_set_int(o, "width", (int64_t)p->width);
    oc_json_set_int(o, "height", (int64_t)p->height);
    if (w->events.on_geometry) {
        w->events.on_geometry(w->user, o);
    }
    return G_SOURCE_REMOVE;
}

static void geometry_soon(struct cv_web *w) {
    if (!w->is_headless && !w->geometry_timer) {
        w->geometry_timer = g_timeout_add(GEOMETRY_MS, on_geometry, w);
    }
}

static void on_resized(GObject *object, GParamSpec *spec, gpointer user) {
    (void)object, (void)spec;
    geometry_soon(user);
}

static void on_map(void *user) {
    struct cv_web *w = user;
    if (!w->is_headless) {
        cv_place_move(w->window, &w->wanted);
    }
    geometry_soon(w);
}

/* A window that was never shown has no size, and then its page has none and cannot be looked at. */
static void size_hidden(struct cv_web *w) {
    int least;
    gtk_widget_realize(GTK_WIDGET(w->window));
    gtk_widget_measure(
            GTK_WIDGET(w->view), GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
    gtk_widget_allocate(GTK_WIDGET(w->view), (int)w->wanted.width, (int)w->wanted.height, -1, NULL);
}

void cv_web_resize(struct cv_web *w, const cJSON *placement) {
    struct cv_placement *p = &w->wanted;
    double x = web_number(placement, "x"), y = web_number(placement, "y");
    double width = web_number(placement, "width"), height = web_number(placement, "height");
    *p = (struct cv_placement){ isnan(x) ? p->x : x, isnan(y) ? p->y : y,
        width >= 1 ? fmin(width, MAX_SIDE) : p->width,
        height >= 1 ? fmin(height, MAX_SIDE) : p->height };
    gtk_window_set_default_size(w->window, (int)p->width, (int)p->height);
    if (gtk_widget_get_mapped(GTK_WIDGET(w->window))) {
        on_map(w);
    } else {
        size_hidden(w);
    }
}

void cv_web_present(struct cv_web *w, const cJSON *placement) {
    cv_web_resize(w, placement);
    if (!gtk_widget_get_visible(GTK_WIDGET(w->window))) {
        gtk_widget_realize(GTK_WIDGET(w->window));
        cv_place_unasked(w->window);
        gtk_widget_set_visible(
                GTK_WIDGET(w->window), TRUE); /* not gtk_window_present, which takes the focus */
    }
    geometry_soon(w);
}

void cv_web_hide(struct cv_web *w) {
    if (!w->is_headless) { /* there nobody sees it, and pages in windows that are hidden do not draw
                            */
        gtk_widget_set_visible(GTK_WIDGET(w->window), FALSE);
    }
}

static gboolean on_close(GtkWindow *window, gpointer user) {
    struct cv_web *w = user;
    (void)window;
    cv_web_hide(w);
    if (w->events.on_closed) {
        w->events.on_closed(w->user);
    }
    return TRUE;
}

/* What scripts of ours do comes by other ways, so it is a person's. */
static gboolean on_event(GtkEventControllerLegacy *controller, GdkEvent *event, gpointer user) {
    (void)controller;
    GdkEventType type = gdk_event_get_event_type(event);
    if (type == GDK_BUTTON_PRESS || type == GDK_KEY_PRESS || type == GDK_TOUCH_BEGIN) {
        ((struct cv_web *)user)->via = NULL;
    }
    return GDK_EVENT_PROPAGATE;
}

static WebKitSettings *web_settings(void) {
    WebKitSettings *s = webkit_settings_new();
    webkit_settings_set_hardware_acceleration_policy(s, WEBKIT_HARDWARE_ACCELERATION_POLICY_NEVER);
    webkit_settings_set_javascript_can_open_windows_automatically(s, FALSE);
    webkit_settings_set_allow_modal_dialogs(s, FALSE);
    webkit_settings_set_enable_media_stream(s, FALSE);
    webkit_settings_set_enable_webrtc(s, FALSE);
    webkit_settings_set_enable_fullscreen(s, FALSE);
    webkit_settings_set_enable_page_cache(s, FALSE);
    webkit_settings_set_enable_html5_database(s, FALSE);
    return s;
}

/* WebKit gives up caches first; a page that still grows is ended, and load.c says why. */
static WebKitWebContext *context_with_limit(void) {
    WebKitMemoryPressureSettings *limit = webkit_memory_pressure_settings_new();
    webkit_memory_pressure_settings_set_memory_limit(limit, CV_WEB_PAGE_MB);
    webkit_memory_pressure_settings_set_kill_threshold(limit, 1);
    webkit_memory_pressure_settings_set_poll_interval(limit, 0.5);
    WebKitWebContext *context =
            g_object_new(WEBKIT_TYPE_WEB_CONTEXT, "memory-pressure-settings", limit, NULL);
    webkit_network_session_set_memory_pressure_settings(limit);
    webkit_memory_pressure_settings_free(limit);
    return context;
}

struct cv_web *cv_web_create(bool is_headless, const struct cv_web_events *events, void *user) {
    struct cv_guard *guard = NULL;
    struct oc_error err;
    if (cv_guard_create(&guard, &err) != OC_OK) {
        g_printerr("openclaw-web: %s\n", err.text);
        return NULL;
    }
    struct cv_web *w = oc_new(struct cv_web);
    w->guard = guard;
    w->is_headless = is_headless;
    w->events = *events;
    w->user = user;
    WebKitWebContext *context = context_with_limit();
    g_autoptr(WebKitNetworkSession) session = webkit_network_session_new_ephemeral();
    g_autoptr(WebKitUserContentManager) manager = webkit_user_content_manager_new();
    g_autoptr(WebKitSettings) s = web_settings();
    webkit_network_session_set_tls_errors_policy(session, WEBKIT_TLS_ERRORS_POLICY_FAIL);
    WebKitNetworkProxySettings *proxy =
            webkit_network_proxy_settings_new(cv_guard_uri(guard), NULL);
    webkit_network_session_set_proxy_settings(session, WEBKIT_NETWORK_PROXY_MODE_CUSTOM, proxy);
    webkit_network_proxy_settings_free(proxy);
    w->view = g_object_new(WEBKIT_TYPE_WEB_VIEW, "web-context", context, "network-session", session,
            "user-content-manager", manager, "settings", s, NULL);
    w->window = GTK_WINDOW(gtk_window_new());
    w->title = oc_strdup(CV_TITLE);
    gtk_window_set_title(w->window, w->title);
    gtk_window_set_icon_name(w->window, "openclaw");
    w->wanted = (struct cv_placement){ NAN, NAN, WIDTH, HEIGHT };
    gtk_window_set_default_size(w->window, WIDTH, HEIGHT);
    gtk_window_set_decorated(w->window, !is_headless);
    gtk_window_set_child(w->window, GTK_WIDGET(w->view));
    g_signal_connect(w->window, "close-request", G_CALLBACK(on_close), w);
    g_signal_connect(w->window, "notify::default-width", G_CALLBACK(on_resized), w);
    g_signal_connect(w->window, "notify::default-height", G_CALLBACK(on_resized), w);
    cv_place_watch(w->window, on_map, w);
    GtkEventController *person = gtk_event_controller_legacy_new();
    gtk_event_controller_set_propagation_phase(person, GTK_PHASE_CAPTURE);
    g_signal_connect(person, "event", G_CALLBACK(on_event), w);
    gtk_widget_add_controller(GTK_WIDGET(w->window), person);
    cv_web_init_files(w, context);
    cv_web_init_bridge(w, manager);
    cv_web_init_policy(w);
    cv_web_init_load(w);
    g_object_unref(context);
    if (is_headless) {
        cv_web_present(w, NULL);
    }
    return w;
}

void cv_web_destroy(struct cv_web *w) {
    g_clear_handle_id(&w->ask.timer, g_source_remove);
    g_clear_handle_id(&w->geometry_timer, g_source_remove);
    g_clear_handle_id(&w->returning_timer, g_source_remove);
    gtk_window_destroy(w->window);
    cv_web_finish_files(w);
    cv_parser_destroy(w->parser);
    g_free(w->script);
    oc_free(w->title);
    oc_free(w->root);
    oc_free(w->target);
    oc_free(w->committed);
    g_free(w->clipboard);
    oc_free(w);
}
