#include "canvas/serve/serve_pages.h"

#include "canvas/serve/web_child.h"
#include "lib/base/mem.h"

struct cv_serve_pages {
    struct cv_serve_web web;
    struct cv_web_child *child;
    struct cv_serve_canvas *serve;
};

static void on_answer(void *user, int64_t id, cJSON *take_result, int take_fd) {
    struct cv_serve_pages *p = user;
    cv_serve_canvas_page_shown(p->serve, id);
    cv_serve_canvas_answer(p->serve, id, take_result, take_fd);
}

static void on_fail(void *user, int64_t id, const char *code, const char *message) {
    struct cv_serve_pages *p = user;
    if (!cv_web_child_has_page(p->child)) {
        cv_serve_canvas_page_failed(p->serve);
    }
    cv_serve_canvas_fail(p->serve, id, code, message);
}

static void on_event(void *user, const cJSON *event) {
    struct cv_serve_pages *p = user;
    cv_serve_canvas_tell(p->serve, cJSON_Duplicate(event, true));
}

static void serve_pages_ask(void *user, int64_t id, const char *what, const cJSON *params, int fd) {
    cv_web_child_ask(((struct cv_serve_pages *)user)->child, id, what, params, fd);
}

static void serve_pages_leave(void *user) {
    cv_web_child_stop(((struct cv_serve_pages *)user)->child);
}

struct cv_serve_pages *cv_serve_pages_create(bool is_headless, const char *root) {
    static const struct cv_web_child_events events = { on_answer, on_fail, on_event };
    struct cv_serve_pages *p = oc_new(struct cv_serve_pages);
    p->web = (struct cv_serve_web){ p, serve_pages_ask, serve_pages_leave };
    p->child = cv_web_child_create(&events, p, is_headless, root);
    if (!p->child) {
        oc_free(oc_take(&p));
    }
    return p;
}

void cv_serve_pages_destroy(struct cv_serve_pages *p) {
    if (p) {
        cv_web_child_destroy(p->child);
        oc_free(p);
    }
}

const struct cv_serve_web *cv_serve_pages_web(const struct cv_serve_pages *p) {
    return p ? &p->web : NULL;
}

void cv_serve_pages_attach(struct cv_serve_pages *p, struct cv_serve_canvas *serve) {
    if (p) {
        p->serve = serve;
    }
}

int cv_serve_pages_fd(const struct cv_serve_pages *p) {
    return p ? cv_web_child_fd(p->child) : -1;
}

void cv_serve_pages_read(struct cv_serve_pages *p) {
    if (p) {
        cv_web_child_read(p->child);
    }
}
