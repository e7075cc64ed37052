#include "node/canvas_pictures.h"

#include "base/below.h"
#include "base/file.h"
#include "base/list.h"
#include "base/mem.h"
#include "base/str.h"
#include "net/fetch.h"

#include <string.h>
#include <strings.h>

#define MAX_PICTURE ((size_t)20 * 1024 * 1024)
#define FETCH_MS 10000
#define AT_A_TIME 6
#define MAX_WANTED 256

struct wanted {
    struct oc_canvas_pictures *owner;
    struct oc_list link;
    char *url;
    struct oc_strv allow_hosts;
    struct oc_fetch *fetch; /* NULL: waits */
};

struct oc_canvas_pictures {
    struct oc_loop *loop;
    oc_canvas_brought *on_brought;
    void *user;
    struct oc_list all; /* wanted.link, in the order they were wanted */
    size_t count, fetching;
};

struct oc_canvas_pictures *oc_canvas_pictures_create(
        struct oc_loop *loop, oc_canvas_brought *on_brought, void *user) {
    struct oc_canvas_pictures *p = oc_new(struct oc_canvas_pictures);
    p->loop = loop;
    p->on_brought = on_brought;
    p->user = user;
    oc_list_init(&p->all);
    return p;
}

static void drop(struct wanted *w) {
    w->owner->fetching -= w->fetch != NULL;
    w->owner->count--;
    oc_fetch_cancel(w->fetch);
    oc_list_remove(&w->link);
    oc_strv_finish(&w->allow_hosts);
    oc_free(w->url);
    oc_free(w);
}

void oc_canvas_pictures_destroy(struct oc_canvas_pictures *p) {
    while (p && !oc_list_empty(&p->all)) {
        drop(OC_CONTAINER(p->all.next, struct wanted, link));
    }
    oc_free(p);
}

bool oc_canvas_pictures_are_busy(const struct oc_canvas_pictures *p) {
    return p->count > 0;
}

static void start_next(struct oc_canvas_pictures *p);

static void on_fetched(void *user, struct oc_buf *body, const struct oc_error *err) {
    struct wanted *w = user;
    struct oc_canvas_pictures *p = w->owner;
    OC_AUTO_FREE char *url = oc_take(&w->url);
    w->fetch = NULL;
    p->fetching--;
    drop(w);
    start_next(p);
    p->on_brought(p->user, url, body, err ? err->text : NULL);
}

static void start_next(struct oc_canvas_pictures *p) {
    struct oc_list *l;
    for (l = p->all.next; l != &p->all && p->fetching < AT_A_TIME; l = l->next) {
        struct wanted *w = OC_CONTAINER(l, struct wanted, link);
        if (w->fetch) {
            continue;
        }
        p->fetching++;
        w->fetch = oc_fetch_start(p->loop,
                &(struct oc_fetch_opts){ .url = w->url,
                        .accept = "image/*",
                        .max_bytes = MAX_PICTURE,
                        .timeout_ms = FETCH_MS,
                        .allow_hosts = &w->allow_hosts,
                        .allow_setting = OC_CANVAS_ALLOW_HOSTS },
                on_fetched, w);
    }
}

static bool is_web(const char *url) {
    return strncasecmp(url, "http://", 7) == 0 || strncasecmp(url, "https://", 8) == 0;
}

/* The path of a canvas file, in the ways in which agents write it; NULL: it is none. */
static const char *canvas_file(const char *url) {
    static const char host[] = "/__openclaw__/canvas/", scheme[] = "openclaw-canvas://";
    if (strncmp(url, host, sizeof(host) - 1) == 0) {
        return url + sizeof(host) - 1;
    }
    if (strncasecmp(url, scheme, sizeof(scheme) - 1) == 0) {
        const char *slash = strchr(url + sizeof(scheme) - 1, '/'); /* behind the session */
        return slash ? slash + 1 : NULL;
    }
    size_t name = strcspn(url, ":/");
    return url[0] != '/' && url[0] != '\0' && url[name] != ':' ? url : NULL;
}

static void bring_file(struct oc_canvas_pictures *p, const char *url, const char *state_dir) {
    const char *path = canvas_file(url);
    OC_AUTO_FREE char *root = state_dir ? oc_path_join(state_dir, "canvas") : NULL;
    OC_AUTO_FREE char *plain = path ? oc_strndup(path, strcspn(path, "?#")) : NULL;
    OC_AUTO_FD int fd = -1;
    OC_AUTO_BUF struct oc_buf bytes = OC_BUF_INIT(MAX_PICTURE);
    struct oc_error err;
    enum oc_code rc = !path || !root
                              ? oc_fail(&err, OC_E_UNSUPPORTED,
                                        "only http(s) addresses, data: and canvas files are shown")
                              : oc_file_open_below(root, plain, &fd, &err);
    rc = rc == OC_OK ? oc_buf_read_fd(&bytes, fd, &err) : rc;
    p->on_brought(p->user, url, rc == OC_OK ? &bytes : NULL, rc == OC_OK ? NULL : err.text);
}

void oc_canvas_pictures_want(
        struct oc_canvas_pictures *p, const char *url, const cJSON *config, const char *state_dir) {
    if (!is_web(url)) {
        bring_file(p, url, state_dir);
        return;
    }
    if (p->count >= MAX_WANTED) {
        p->on_brought(p->user, url, NULL, "too many pictures at a time");
        return;
    }
    struct wanted *w = oc_new(struct wanted);
    w->owner = p;
    w->url = oc_strdup(url);
    const cJSON *canvas = oc_json_path(config, "node.canvas");
    oc_json_get_strv(canvas, "allowHosts", &w->allow_hosts);
    oc_list_append(&p->all, &w->link);
    p->count++;
    start_next(p);
}
