/* The canvas program's side of the wire to the node: requests with ids come in, answers and events
 * go out. Knows no loop: who has one calls cv_serve_canvas_read when the socket can be read, and
 * cv_serve_canvas_tick when cv_serve_canvas_wait_ms is over or cv_serve_canvas_fd can be read.
 *
 *   {"id":7,"do":"push"} + JSONL     {"id":7,"ok":true,"result":{"surfaces":["main"]}}
 *   {"id":8,"do":"snapshot",…}       {"id":8,"ok":true,"result":{"format","width","height"}} +
 *                                    picture
 *   {"id":9,"do":"navigate",…}       {"id":9,"ok":true,"result":{"own":true}}: it is the page that
 *                                    the surfaces are on
 *   all requests are in serve_canvas.c's table; bytes travel as sealed memfds (lib/helper/packet.h)
 *
 *   events: {"event":{"action":{"userAction":{…}},"via"}}: via is how it came about, unless a
 *   person at this machine did it:
 *           "input" by the request of that name, "script" on a page by its own or an agent's
 *           {"event":{"wanted":"https://…"}} {"event":{"changed":REV}}
 *           {"event":{"geometry":{…}}} {"event":{"closed":true}}
 *           {"event":{"open":"https://…","via"}}: pressed, for the log {"event":{"play":{…}}}: a
 *           player was pressed, or is gone (node/canvas/canvas_player.h) {"event":{"pushed":true}}
 *           + JSONL, {"event":{"reset":true}}: a script did it (canvas/serve/eval.h)
 *           {"event":{"entered":true}} + {"surfaceId","path":["a","0"],"value"}: a person did;
 *           {"do":"enter"} + lines of such does it again */
#ifndef CANVAS_SERVE_SERVE_CANVAS_H
#define CANVAS_SERVE_SERVE_CANVAS_H

#include "canvas/serve/canvas.h"
#include "lib/json/json.h"

#include <stdint.h>

#define CV_TITLE "OpenClaw Canvas"

struct cv_serve_canvas;

/* Where on the screen; a NaN keeps what is. Page pixels. */
struct cv_placement {
    double x, y, width, height;
    bool stays_hidden; /* for later: do not show it now */
};

/* What a window does. The headless program has none; members may be NULL. */
struct cv_serve_screen {
    void *user;
    void (*show)(void *user, const struct cv_placement *placement);
    void (*hide)(void *user);
    void (*changed)(void *user); /* a new picture is due */
    bool (*is_shown)(void *user);
    void (*title)(void *user, const char *title); /* of the window, with who draws in it */
    void (*copy)(void *user, const char *text);
    void (*paste)(void *user);
    void (*open)(
            void *user, const char *url); /* in a program of the desktop; http, https, mailto */
};

/* Web pages, in a program of their own. NULL: there is none. */
struct cv_serve_web {
    void *user;
    /* As of canvas/web/wire.h; answers later by cv_serve_canvas_answer or _fail with this id. fd:
     * borrowed, -1: none. */
    void (*ask)(void *user, int64_t id, const char *what, const cJSON *params, int fd);
    void (*leave)(void *user); /* the A2UI surfaces are to be seen again */
};

/* Takes neither table nor socket; they outlive it. */
struct cv_serve_canvas *cv_serve_canvas_create(int socket, const struct cv_opts *opts,
        const struct cv_serve_screen *screen, const struct cv_serve_web *web);
void cv_serve_canvas_destroy(struct cv_serve_canvas *s);
struct cv_canvas *cv_serve_canvas_canvas(struct cv_serve_canvas *s);
/* The desktop likes this theme; it counts unless the owner chose one ({"do":"theme"}). */
void cv_serve_canvas_prefers(struct cv_serve_canvas *s, const char *theme);

/* All that is there now; false: the node is gone, and so should we. */
bool cv_serve_canvas_read(struct cv_serve_canvas *s);
int cv_serve_canvas_wait_ms(const struct cv_serve_canvas *s); /* -1: nothing is due */
int cv_serve_canvas_fd(const struct cv_serve_canvas *s); /* of pictures that are being decoded */
void cv_serve_canvas_tick(struct cv_serve_canvas *s);

void cv_serve_canvas_answer(struct cv_serve_canvas *s, int64_t id, cJSON *take_result, int take_fd);
void cv_serve_canvas_fail(
        struct cv_serve_canvas *s, int64_t id, const char *code, const char *message);
void cv_serve_canvas_tell(struct cv_serve_canvas *s, cJSON *take_event);

/* Of the web program, before its request is answered: a page is there; there was none before, and
 * this one cannot be shown. */
void cv_serve_canvas_page_shown(struct cv_serve_canvas *s, int64_t id);
void cv_serve_canvas_page_failed(struct cv_serve_canvas *s);

#endif
