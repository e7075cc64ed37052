/* One web view in one window. What it is asked comes one at a time (wire.c queues), so there is one
 * answer to wait for.
 *
 *   navigate (load.c) · eval (script.c) · snapshot, view (view.c) · input (touch.c) · present, hide
 *   (web.c)
 *   parse.c    what kind of script an eval is
 *   policy.c   all that pages may not do
 *   guard.c    which addresses their connections may go to
 *   files.c    canvas files, and reloading when they change
 *   bridge.c   what pages may tell the agent */
#ifndef CANVAS_WEB_WEB_H
#define CANVAS_WEB_WEB_H

#include "canvas/serve/serve_canvas.h"
#include "lib/base/error.h"
#include "lib/json/json.h"

#include <gtk/gtk.h>
#include <libsoup/soup.h>
#include <webkit/webkit.h>

#define CV_WEB_UNAVAILABLE "CANVAS_UNAVAILABLE"
#define CV_WEB_SCRIPT_MS 8000
#define CV_WEB_LOAD_MS 15000
/* Begins scripts of ours that call what pages have: WebKit takes ours for a press of a person at
 * this machine, on which pages may write the clipboard. What a message wakes is none. */
#define CV_WEB_NO_GESTURE                                                                \
    "await new Promise(go => { const c = new MessageChannel(); c.port1.onmessage = go; " \
    "c.port2.postMessage(0); });\n"
#define CV_WEB_PAGE_MB 1024
#define CV_WEB_MARK "X-OpenClaw-Window" /* header of a request for a canvas file that we made */

struct cv_web;

struct cv_web_answer {
    bool ok;
    cJSON *result;              /* ok; the receiver may take it */
    int fd;                     /* ok: sealed bytes or -1; the receiver may take it */
    const char *code, *message; /* not ok */
};
typedef void cv_web_done(void *user, struct cv_web_answer *answer);

struct cv_web_events {
    void (*on_action)(void *user, cJSON *take_action, const char *via);
    void (*on_geometry)(void *user, const cJSON *geometry);
    void (*on_closed)(void *user);   /* a person closed the window */
    void (*on_returned)(void *user); /* is_returning is over; may be NULL */
};

struct cv_guard;
struct cv_parser;

struct cv_web_ask {
    unsigned serial; /* of callbacks that come too late */
    cv_web_done *done;
    void *user;
    guint timer;
    void (*on_late)(struct cv_web *w);
};

struct cv_web {
    GtkWindow *window;
    WebKitWebView *view;
    struct cv_web_events events;
    void *user;
    struct cv_guard *guard; /* of the process */
    bool is_headless;
    struct cv_placement wanted; /* where it is, or is to be when it is shown */
    char *title;                /* of a window without a site; with one, behind it */
    bool trusts_network;
    char *root;           /* canvas files; NULL: none */
    char *target;         /* the last address that we went to */
    char *committed;      /* address of the page that is there */
    char mark[33];        /* CV_WEB_MARK until the page is there; "": none */
    bool comes_with_page; /* the window is shown when there is something in it */
    bool has_committed;   /* since the last navigate */
    bool is_navigating;   /* somebody waits for it */
    unsigned http_error;  /* status of the page that it was refused for; 0: none */
    bool is_returning; /* its process died, and it is being loaded again: nothing can be asked of it
                        */
    bool is_lost;      /* it died too often, or could not be loaded again */
    guint returning_timer;
    struct cv_web_ask ask;
    struct cv_parser *parser; /* with the first eval */
    char *script;             /* that it reads now */
    gint64 died_at[3];        /* processes of pages, newest first */
    GHashTable *served;       /* paths of canvas files that the page has used */
    GHashTable *watched;      /* folder → GFileMonitor */
    guint reload_timer, geometry_timer;
    char *clipboard;  /* of who does things elsewhere: the desktop's is not theirs */
    const char *via;  /* what came last, "input" or "script"; NULL: a person did something in the
                         window */
    unsigned actions; /* in this second */
    gint64 actions_second;
};

/* NULL, and it has said why: pages could not be kept from addresses that are not theirs. */
struct cv_web *cv_web_create(bool is_headless, const struct cv_web_events *events, void *user);
void cv_web_destroy(struct cv_web *w);

/* Each answers once, before or after it returns; not before the one before has answered. */
void cv_web_navigate(struct cv_web *w, const char *url, cv_web_done *done, void *user);
void cv_web_eval(struct cv_web *w, const char *script, cv_web_done *done, void *user);
/* params: format, maxWidth, quality, maxBytes as of canvas.snapshot */
void cv_web_snapshot(struct cv_web *w, const cJSON *params, cv_web_done *done, void *user);
/* A PNG with the number of what it shows ("rev"), or only "changed": false when that is
 * params.since. */
void cv_web_view(struct cv_web *w, const cJSON *params, cv_web_done *done, void *user);
void cv_web_input(struct cv_web *w, const cJSON *params, cv_web_done *done, void *user);

/* placement may be NULL, and its members may be missing. Does not take the focus. */
void cv_web_present(struct cv_web *w, const cJSON *placement);
void cv_web_resize(
        struct cv_web *w, const cJSON *placement); /* the same, but hidden stays hidden */
void cv_web_hide(struct cv_web *w);
/* What became of a user action. */
void cv_web_tell_status(struct cv_web *w, const cJSON *status);

/* For the files of this folder. */
void cv_web_begin(
        struct cv_web *w, int ms, void (*on_late)(struct cv_web *w), cv_web_done *done, void *user);
bool cv_web_is_current(const struct cv_web *w, unsigned serial);
void cv_web_send_answer(struct cv_web *w, cJSON *take_result, int take_fd);
void cv_web_fail(struct cv_web *w, const char *code, const char *fmt, ...) G_GNUC_PRINTF(3, 4);
/* The page does not answer: its process is ended, and the page loaded again. */
void cv_web_restart_page(struct cv_web *w);

/* headers: of the request, may be NULL */
bool cv_web_may_load_local(const struct cv_web *w, SoupMessageHeaders *headers);

void cv_web_init_load(struct cv_web *w);
void cv_web_init_policy(struct cv_web *w);
void cv_web_init_files(struct cv_web *w, WebKitWebContext *context);
void cv_web_init_bridge(struct cv_web *w, WebKitUserContentManager *manager);
void cv_web_forget_files(struct cv_web *w); /* another page is loaded */
void cv_web_finish_files(struct cv_web *w);
void cv_web_set_bridge(struct cv_web *w, bool trusts_network);

#endif
