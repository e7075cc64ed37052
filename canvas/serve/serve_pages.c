#include "canvas/serve/serve_pages.h"

#include "canvas/serve/web_child.h"
#include "lib/base/mem.h"

struct oc_serve_pages {
    struct oc_serve_web web;
    struct oc_web_child *child;
    struct oc_serve_canvas *serve;
};

static void on_answer(void *user, int64_t id, cJSON *take_result, int take_fd) {
    struct oc_serve_pages *p = user;
    oc_serve_canvas_page_shown(p->serve, id);
    oc_serve_canvas_answer(p->serve, id, take_result, take_fd);
}

static void on_fail(void *user, int64_t id, const char *code, const char *message) {
    struct oc_serve_pages *p = user;
    if (!oc_web_child_has_page(p->child)) {
        oc_serve_canvas_page_failed(p->serve);
    }
    oc_serve_canvas_fail(p->serve, id, code, message);
}

static void on_event(void *user, const cJSON *event) {
    struct oc_serve_pages *p = user;
    oc_serve_canvas_tell(p->serve, cJSON_Duplicate(event, true));
}

static void ask(void *user, int64_t id, const char *what, const cJSON *params, int fd) {
    oc_web_child_ask(((struct oc_serve_pages *)user)->child, id, what, params, fd);
}

static void leave(void *user) {
    oc_web_child_stop(((struct oc_serve_pages *)user)->child);
}

struct oc_serve_pages *oc_serve_pages_create(bool is_headless, const char *root) {
    static const struct oc_web_child_events events = { on_answer, on_fail, on_event };
    struct oc_serve_pages *p = oc_new(struct oc_serve_pages);
    p->web = (struct oc_serve_web){ p, ask, leave };
    p->child = oc_web_child_create(&events, p, is_headless, root);
    if (!p->child) {
        oc_free(oc_take(&p));
    }
    return p;
}

void oc_serve_pages_destroy(struct oc_serve_pages *p) {
    if (p) {
        oc_web_child_destroy(p->child);
        oc_free(p);
    }
}

const struct oc_serve_web *oc_serve_pages_web(const struct oc_serve_pages *p) {
    return p ? &p->web : NULL;
}

void oc_serve_pages_attach(struct oc_serve_pages *p, struct oc_serve_canvas *serve) {
    if (p) {
        p->serve = serve;
    }
}

int oc_serve_pages_fd(const struct oc_serve_pages *p) {
    return p ? oc_web_child_fd(p->child) : -1;
}

void oc_serve_pages_read(struct oc_serve_pages *p) {
    if (p) {
        oc_web_child_read(p->child);
    }
}
