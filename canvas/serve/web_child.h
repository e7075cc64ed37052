/* The web program (openclaw-web) as the canvas programs see it: started when a page is asked for,
 * started again with the same page when it dies, ended when surfaces are to be seen again. Knows no
 * loop: who has one waits until the descriptor can be read. */
#ifndef CANVAS_SERVE_WEB_CHILD_H
#define CANVAS_SERVE_WEB_CHILD_H

#include "lib/json/json.h"

#include <stdint.h>

struct cv_web_child;

struct cv_web_child_events {
    void (*on_answer)(void *user, int64_t id, cJSON *take_result, int take_fd);
    void (*on_fail)(void *user, int64_t id, const char *code, const char *message);
    void (*on_event)(void *user, const cJSON *event);
};

/* NULL: it is not installed, beside our own program. Forks: before there are threads, and before
 * canvas/serve/canvas_sandbox.h. is_headless: its window is on a display of its own, that nobody
 * sees. root: the folder of canvas files; NULL: none. */
struct cv_web_child *cv_web_child_create(
        const struct cv_web_child_events *events, void *user, bool is_headless, const char *root);
void cv_web_child_destroy(struct cv_web_child *c); /* NULL is fine */

int cv_web_child_fd(const struct cv_web_child *c); /* always the same */
void cv_web_child_read(struct cv_web_child *c);

/* canvas/web/wire.h; answered or failed once, not before this returns. fd: borrowed, -1: none. */
void cv_web_child_ask(
        struct cv_web_child *c, int64_t id, const char *what, const cJSON *params, int fd);
/* There is no page any more; what was asked fails. */
void cv_web_child_stop(struct cv_web_child *c);
/* A page has been shown since the start or the last stop. */
bool cv_web_child_has_page(const struct cv_web_child *c);

#endif
