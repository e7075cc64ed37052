#include "canvas/web/wire.h"

#include "canvas/web/web.h"
#include "lib/base/mem.h"
#include "lib/helper/packet.h"

#include <glib-unix.h>
#include <poll.h>
#include <string.h>

#define MAX_QUEUE 64
#define MAX_SCRIPT ((size_t)16 * 1024 * 1024)

struct request {
    int64_t id;
    char *what;
    cJSON *params;
    int fd;
};

struct wire {
    int socket;
    GMainLoop *loop;
    struct cv_web *web;
    GQueue queue; /* struct request */
    bool is_busy; /* the first one is being answered */
};

static void run_next(struct wire *w);

static void send_packet(struct wire *w, cJSON *take_message, int fd) {
    OC_AUTO_JSON cJSON *message = take_message;
    struct oc_error err;
    enum oc_code rc;
    while ((rc = oc_packet_send(w->socket, message, fd, &err)) == OC_E_UNAVAILABLE) {
        struct pollfd p = { .fd = w->socket, .events = POLLOUT };
        (void)poll(&p, 1, 1000);
    }
    if (rc != OC_OK) {
        g_printerr("a message to the canvas is lost: %s\n", err.text);
        g_main_loop_quit(w->loop);
    }
}

static void send_event(struct wire *w, const char *name, cJSON *take_value) {
    cJSON *o = cJSON_CreateObject(), *event = cJSON_AddObjectToObject(o, "event");
    oc_json_set(event, name, take_value);
    send_packet(w, o, -1);
}

static void on_action(void *user, cJSON *take_action, const char *via) {
    cJSON *o = cJSON_CreateObject(), *event = cJSON_AddObjectToObject(o, "event");
    oc_json_set(event, "action", take_action);
    oc_json_set_str(event, "via", via);
    send_packet(user, o, -1);
}

static void on_geometry(void *user, const cJSON *geometry) {
    send_event(user, "geometry", cJSON_Duplicate(geometry, true));
}

static void on_closed(void *user) {
    send_event(user, "closed", cJSON_CreateTrue());
}

static void free_request(struct request *r) {
    oc_free(r->what);
    cJSON_Delete(r->params);
    oc_auto_close(&r->fd);
    oc_free(r);
}

static gboolean on_idle(gpointer user) {
    run_next(user);
    return G_SOURCE_REMOVE;
}

static void on_done(void *user, struct cv_web_answer *a) {
    struct wire *w = user;
    struct request *r = g_queue_pop_head(&w->queue);
    cJSON *o = cJSON_CreateObject();
    oc_json_set_int(o, "id", r->id);
    oc_json_set_bool(o, "ok", a->ok);
    if (a->ok) {
        cJSON *result = oc_take(&a->result);
        oc_json_set(o, "result", result ? result : cJSON_CreateObject());
    } else {
        oc_json_set_str(o, "code", a->code);
        oc_json_set_str(o, "message", a->message);
    }
    send_packet(w, o, a->fd);
    free_request(r);
    w->is_busy = false;
    g_idle_add(on_idle, w);
}

static void run_navigate(struct wire *w, const struct request *r) {
    const char *url = oc_json_get_str(r->params, "url"),
               *title = oc_json_get_str(r->params, "title");
    const cJSON *placement = oc_json_get(r->params, "placement");
    bool trusts = oc_json_get_bool(r->params, "trustNetwork", w->web->trusts_network);
    if (trusts != w->web->trusts_network) {
        cv_web_set_bridge(w->web, trusts);
    }
    if (title) {
        oc_free(w->web->title);
        w->web->title = oc_strdup(title);
    }
    cv_web_resize(w->web, placement);
    w->web->comes_with_page = oc_json_get_bool(r->params, "show", false);
    cv_web_navigate(w->web, url ? url : "", on_done, w);
}

static void run_eval(struct wire *w, const struct request *r) {
    const char *script = oc_json_get_str(r->params, "javaScript");
    OC_AUTO_BUF struct oc_buf text = { 0 };
    struct oc_error err;
    if (!script && oc_sealed_read(r->fd, MAX_SCRIPT, &text, &err) == OC_OK) {
        script = text.data && !memchr(text.data, 0, text.len) ? text.data : "";
    }
    cv_web_eval(w->web, script ? script : "", on_done, w);
}

static void run_at_once(struct wire *w, const struct request *r) {
    struct cv_web_answer a = { .ok = true, .fd = -1 };
    if (strcmp(r->what, "present") == 0 && !oc_json_get_bool(r->params, "quiet", false)) {
        cv_web_present(w->web, oc_json_get(r->params, "placement"));
    } else if (strcmp(r->what, "present") == 0) {
        cv_web_resize(w->web, oc_json_get(r->params, "placement"));
    } else if (strcmp(r->what, "hide") == 0) {
        cv_web_hide(w->web);
    } else if (strcmp(r->what, "action-status") == 0) {
        cv_web_tell_status(w->web, r->params);
    } else {
        a = (struct cv_web_answer){
            .fd = -1, .code = "INVALID_REQUEST", .message = "openclaw-web does not know this"
        };
    }
    on_done(w, &a);
}

/* Asked now, an empty page would answer. */
static bool needs_page(const struct request *r) {
    static const char *const whats[] = { "eval", "snapshot", "view", "input" };
    for (size_t i = 0; i < G_N_ELEMENTS(whats); i++) {
        if (strcmp(r->what, whats[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void on_returned(void *user) {
    g_idle_add(on_idle, user);
}

static void run_next(struct wire *w) {
    const struct request *r = g_queue_peek_head(&w->queue);
    if (w->is_busy || !r || (w->web->is_returning && needs_page(r))) {
        return;
    }
    w->is_busy = true;
    if (strcmp(r->what, "navigate") == 0) {
        run_navigate(w, r);
    } else if (strcmp(r->what, "eval") == 0) {
        run_eval(w, r);
    } else if (strcmp(r->what, "snapshot") == 0) {
        cv_web_snapshot(w->web, r->params, on_done, w);
    } else if (strcmp(r->what, "view") == 0) {
        cv_web_view(w->web, r->params, on_done, w);
    } else if (strcmp(r->what, "input") == 0) {
        cv_web_input(w->web, r->params, on_done, w);
    } else {
        run_at_once(w, r);
    }
}

/* False: it makes no sense. */
static bool wire_take(struct wire *w, struct oc_slice text, int take_fd) {
    OC_AUTO_FD int fd = take_fd;
    OC_AUTO_JSON cJSON *o = NULL;
    struct oc_error err;
    if (oc_json_parse(text.ptr, text.len, &o, &err) != OC_OK ||
            g_queue_get_length(&w->queue) >= MAX_QUEUE) {
        return false;
    }
    struct request *r = oc_new(struct request);
    cJSON *params = cJSON_DetachItemFromObjectCaseSensitive(o, "params");
    const char *what = oc_json_get_str(o, "do");
    r->id = oc_json_get_int(o, "id", 0, OC_JSON_MAX_EXACT, 0);
    r->what = oc_strdup(what ? what : "");
    r->params = params ? params : cJSON_CreateObject();
    r->fd = oc_take_fd(&fd);
    g_queue_push_tail(&w->queue, r);
    return true;
}

static gboolean on_readable(gint socket, GIOCondition condition, gpointer user) {
    struct wire *w = user;
    (void)condition;
    for (;;) {
        struct oc_slice text;
        int fd = -1;
        enum oc_packet got = oc_packet_recv(socket, false, &text, &fd);
        if (got == OC_PACKET_NONE) {
            break;
        }
        if (got != OC_PACKET_GOT || !wire_take(w, text, fd)) {
            g_main_loop_quit(w->loop);
            return G_SOURCE_REMOVE;
        }
    }
    run_next(w);
    return G_SOURCE_CONTINUE;
}

bool cv_web_serve(int socket, bool is_headless, const char *root) {
    static const struct cv_web_events events = { on_action, on_geometry, on_closed, on_returned };
    struct wire w = { .socket = socket, .loop = g_main_loop_new(NULL, FALSE) };
    g_queue_init(&w.queue);
    w.web = cv_web_create(is_headless, &events, &w);
    if (!w.web) {
        return false;
    }
    w.web->root = oc_strdup(root);
    g_unix_fd_add(socket, G_IO_IN | G_IO_HUP | G_IO_ERR, on_readable, &w);
    g_main_loop_run(w.loop);
    cv_web_destroy(w.web);
    g_main_loop_unref(w.loop);
    return true;
}
