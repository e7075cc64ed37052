/* openclaw-canvas-window: the canvas on a desktop. The same wire as openclaw-canvas
 * (canvas/serve/serve_canvas.h), in GLib's loop. */
#include "canvas/serve/canvas_sandbox.h"
#include "canvas/serve/serve_canvas.h"
#include "canvas/serve/serve_pages.h"
#include "canvas/window/opener.h"
#include "canvas/window/prefers.h"
#include "canvas/window/view.h"

#include "lib/base/mem.h"

#include <glib-unix.h>
#include <gtk/gtk.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
        "openclaw-canvas-window: A2UI v0.8 in a window of this desktop\n\n"
        "Started by `openclaw node run` when something is to be shown (--socket).\n"
        "To draw a file without a node: openclaw canvas render FILE --out picture.png\n";

struct program {
    struct cv_serve_canvas *serve;
    struct cv_serve_pages *pages; /* NULL: there is no web program */
    struct cv_view *view;
    struct cv_opener *opener;
    GMainLoop *loop;
    guint tick;
};

static gboolean on_tick(gpointer user);

/* What is due later: pills that end, snapshots that wait for pictures. */
static void wait_again(struct program *p) {
    if (p->tick) {
        g_source_remove(p->tick);
    }
    int ms = cv_serve_canvas_wait_ms(p->serve);
    p->tick = ms < 0 ? 0 : g_timeout_add((guint)ms, on_tick, p);
}

static gboolean on_tick(gpointer user) {
    struct program *p = user;
    p->tick = 0;
    cv_serve_canvas_tick(p->serve);
    wait_again(p);
    return G_SOURCE_REMOVE;
}

static gboolean on_readable(gint fd, GIOCondition condition, gpointer user) {
    struct program *p = user;
    (void)fd, (void)condition;
    if (!cv_serve_canvas_read(p->serve)) {
        g_main_loop_quit(p->loop);
        return G_SOURCE_REMOVE;
    }
    wait_again(p);
    return G_SOURCE_CONTINUE;
}

static gboolean on_pictures(gint fd, GIOCondition condition, gpointer user) {
    struct program *p = user;
    (void)fd, (void)condition;
    cv_serve_canvas_tick(p->serve);
    wait_again(p);
    return G_SOURCE_CONTINUE;
}

static void main_show(void *user, const struct cv_placement *placement) {
    cv_view_show(((struct program *)user)->view, placement);
}

static void main_hide(void *user) {
    cv_view_hide(((struct program *)user)->view);
}

static bool is_shown(void *user) {
    return cv_view_is_shown(((struct program *)user)->view);
}

static void main_title(void *user, const char *title) {
    cv_view_name(((struct program *)user)->view, title);
}

static gboolean on_web(gint fd, GIOCondition condition, gpointer user) {
    struct program *p = user;
    (void)fd, (void)condition;
    cv_serve_pages_read(p->pages);
    wait_again(p);
    return G_SOURCE_CONTINUE;
}

static void main_changed(void *user) {
    struct program *p = user;
    if (p->view) {
        cv_view_changed(p->view);
    }
    if (p->serve) {
        wait_again(p);
    }
}

static void main_copy(void *user, const char *text) {
    cv_view_copy(((struct program *)user)->view, text);
}

static void main_paste(void *user) {
    cv_view_paste(((struct program *)user)->view);
}

static void open_address(void *user, const char *url) {
    cv_opener_open(((struct program *)user)->opener, url);
}

static void on_not_opened(void *user, const char *why) {
    struct program *p = user;
    cv_canvas_pill(cv_serve_canvas_canvas(p->serve), CV_PILL_FAILED, why);
}

static void on_geometry(void *user, const struct cv_placement *where) {
    struct program *p = user;
    cJSON *event = cJSON_CreateObject(), *o = cJSON_AddObjectToObject(event, "geometry");
    if (!isnan(where->x)) {
        oc_json_set_int(o, "x", (int64_t)where->x);
        oc_json_set_int(o, "y", (int64_t)where->y);
    }
    oc_json_set_int(o, "width", (int64_t)where->width);
    oc_json_set_int(o, "height", (int64_t)where->height);
    cv_serve_canvas_tell(p->serve, event);
}

static void on_closed(void *user) {
    struct program *p = user;
    cJSON *event = cJSON_CreateObject();
    oc_json_set_bool(event, "closed", true);
    cv_serve_canvas_tell(p->serve, event);
}

static void on_prefers(void *user, const char *theme) {
    struct program *p = user;
    cv_serve_canvas_prefers(p->serve, theme);
    cv_view_changed(p->view);
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(help, stdout);
        return 0;
    }
    bool has_root = argc == 4 && strcmp(argv[2], "--root") == 0;
    if ((argc != 2 && !has_root) || strcmp(argv[1], "--socket") != 0) {
        fputs(help, stderr);
        return 2;
    }
    struct program p = { .pages = cv_serve_pages_create(false, has_root ? argv[3] : NULL) };
    cv_wall_in(true, has_root ? argv[3] : NULL);
    if (!gtk_init_check()) {
        fprintf(stderr, "openclaw-canvas-window: no display can be opened\n");
        return 3;
    }
    static const struct cv_view_events events = { on_geometry, on_closed };
    struct cv_serve_screen screen = { &p, main_show, main_hide, main_changed, is_shown, main_title,
        main_copy, main_paste, open_address };
    struct cv_opts opts = { .width = 900, .height = 700, .scale = 1 };
    p.loop = g_main_loop_new(NULL, FALSE);
    p.serve = cv_serve_canvas_create(0, &opts, &screen, cv_serve_pages_web(p.pages));
    cv_serve_pages_attach(p.pages, p.serve);
    p.opener = cv_opener_create(on_not_opened, &p);
    p.view = cv_view_create(cv_serve_canvas_canvas(p.serve), &events, &p);
    struct cv_prefers *prefers = cv_prefers_watch(on_prefers, &p);
    g_unix_fd_add(0, G_IO_IN | G_IO_HUP | G_IO_ERR, on_readable, &p);
    g_unix_fd_add(cv_serve_canvas_fd(p.serve), G_IO_IN, on_pictures, &p);
    if (p.pages) {
        g_unix_fd_add(cv_serve_pages_fd(p.pages), G_IO_IN, on_web, &p);
    }
    g_main_loop_run(p.loop);
    cv_prefers_destroy(prefers);
    cv_opener_destroy(p.opener);
    if (p.tick) {
        g_source_remove(p.tick);
    }
    cv_view_destroy(oc_take(&p.view));
    cv_serve_pages_destroy(p.pages);
    cv_serve_canvas_destroy(p.serve);
    g_main_loop_unref(p.loop);
    fflush(NULL);
    _exit(0); /* a leak detector would look at itself in ways that the sandbox forbids */
}
