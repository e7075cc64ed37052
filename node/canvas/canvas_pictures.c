#include "node/canvas/canvas_pictures.h"

#include "lib/base/list.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/files/file.h"
#include "lib/helper/packet.h"
#include "lib/log/log.h"
#include "lib/net/fetch.h"
#include "lib/net/url.h"
#include "lib/text/fix.h"
#include "node/canvas/canvas_files.h"

#include <string.h>
#include <strings.h>

#define MAX_PICTURE ((size_t)20 * 1024 * 1024)
#define MAX_HELD (6 * MAX_PICTURE) /* under way, each as large as it may get, and not yet taken */
#define FETCH_MS 10000
#define WAIT_MS 30000 /* for its turn */
#define MAX_UNDER_WAY 6
#define MAX_TOLD 6    /* not yet taken; their addresses have to fit into a socket */
#define MAX_OF_HOST 4 /* fetched at a time */
#define MAX_SLOW 2    /* of a host without an answer, in a row: then it does not answer at all */
#define MAX_WANTED 256
#define MAX_QUEUED 4096 /* with those that only get an error */
#define MAX_QUEUED_BYTES ((size_t)8 * 1024 * 1024)

enum picture_state { WAITS, FETCHING, READY, TOLD };

struct wanted {
    struct nd_canvas_pictures *owner;
    struct oc_list link;
    uint64_t id;
    enum picture_state state;
    int64_t since_ms;
    char *url;
    char *host; /* NULL: a canvas file */
    struct oc_strv allow_hosts;
    struct oc_fetch *fetch;
    int fd;       /* READY, TOLD */
    size_t held;  /* bytes, or what they may become */
    char *error;  /* READY, TOLD: instead of fd */
    char *folder; /* of canvas files; NULL: none */
};

struct nd_canvas_pictures {
    struct oc_loop *loop;
    nd_canvas_brought *on_brought;
    void *user;
    struct oc_list all; /* wanted.link, in the order they were wanted */
    size_t count, bytes, under_way, told, held;
    uint64_t last_id;
    struct oc_timer next; /* something can go on */
    struct nd_canvas_files files;
    char *slow_host; /* the last one that let us wait */
    unsigned slow;
    bool is_flooded;
};

static void on_next(struct oc_timer *t);

struct nd_canvas_pictures *nd_canvas_pictures_create(
        struct oc_loop *loop, nd_canvas_brought *on_brought, void *user) {
    struct nd_canvas_pictures *p = oc_new(struct nd_canvas_pictures);
    p->loop = loop;
    p->on_brought = on_brought;
    p->user = user;
    p->next = (struct oc_timer){ .on_expire = on_next, .user = p };
    p->files.fd = -1;
    oc_list_init(&p->all);
    return p;
}

static void go_on(struct nd_canvas_pictures *p) {
    oc_timer_set(p->loop, &p->next, 0);
}

/* From one state to the next; with as many bytes, or as many as it may get. */
static void canvas_pictures_set(struct wanted *w, enum picture_state state, size_t held) {
    struct nd_canvas_pictures *p = w->owner;
    p->under_way += (state == FETCHING || state == READY) && held > 0;
    p->under_way -= (w->state == FETCHING || w->state == READY) && w->held > 0;
    p->told += state == TOLD;
    p->told -= w->state == TOLD;
    p->held = p->held - w->held + held;
    w->state = state;
    w->held = held;
}

static void canvas_pictures_drop(struct wanted *w) {
    struct nd_canvas_pictures *p = w->owner;
    p->count--;
    p->bytes -= strlen(w->url);
    canvas_pictures_set(w, WAITS, 0);
    oc_fetch_cancel(w->fetch);
    oc_list_remove(&w->link);
    oc_strv_finish(&w->allow_hosts);
    oc_auto_close(&w->fd);
    oc_free(w->url);
    oc_free(w->host);
    oc_free(w->error);
    oc_free(w->folder);
    oc_free(w);
    if (p->count == 0) {
        nd_canvas_files_forget(&p->files);
        oc_free(oc_take(&p->slow_host));
        p->is_flooded = false;
    }
}

void nd_canvas_pictures_clear(struct nd_canvas_pictures *p) {
    oc_timer_cancel(&p->next);
    while (!oc_list_empty(&p->all)) {
        canvas_pictures_drop(OC_CONTAINER(p->all.next, struct wanted, link));
    }
}

void nd_canvas_pictures_destroy(struct nd_canvas_pictures *p) {
    if (p) {
        nd_canvas_pictures_clear(p);
        oc_free(p);
    }
}

void nd_canvas_pictures_taken(struct nd_canvas_pictures *p, uint64_t id) {
    for (struct oc_list *l = p->all.next; l != &p->all; l = l->next) {
        struct wanted *w = OC_CONTAINER(l, struct wanted, link);
        if (w->id == id && w->state == TOLD) {
            canvas_pictures_drop(w);
            go_on(p);
            return;
        }
    }
}

static void canvas_pictures_fail(struct wanted *w, const char *why) {
    w->error = oc_strdup(why);
    canvas_pictures_set(w, READY, 0);
}

/* In a row: one that brings something is not slow. */
static void note_speed(struct wanted *w, bool is_late) {
    struct nd_canvas_pictures *p = w->owner;
    if (!oc_streq(p->slow_host, w->host)) {
        if (!is_late) {
            return;
        }
        oc_free(p->slow_host);
        p->slow_host = oc_strdup(w->host);
        p->slow = 0;
    }
    p->slow = is_late ? p->slow + 1 : 0;
}

static void on_fetched(void *user, struct oc_buf *body, const struct oc_error *err) {
    struct wanted *w = user;
    w->fetch = NULL;
    note_speed(w, err && err->code == OC_E_TIMEOUT);
    w->fd = err ? -1 : oc_sealed_create(body->data, body->len);
    if (w->fd < 0) {
        OC_AUTO_FREE char *why = err ? oc_fix_error(err) : NULL;
        canvas_pictures_fail(w, why ? why : "no memory to hand it over");
    } else {
        canvas_pictures_set(w, READY, body->len + 1);
    }
    go_on(w->owner);
}

static size_t fetching_from(const struct nd_canvas_pictures *p, const char *host) {
    size_t n = 0;
    for (const struct oc_list *l = p->all.next; l != &p->all; l = l->next) {
        const struct wanted *w = OC_CONTAINER(l, struct wanted, link);
        n += w->state == FETCHING && oc_streq(w->host, host);
    }
    return n;
}

static bool has_room(const struct nd_canvas_pictures *p) {
    return p->under_way < MAX_UNDER_WAY && p->held + MAX_PICTURE <= MAX_HELD;
}

static void canvas_pictures_fetch(struct wanted *w) {
    struct nd_canvas_pictures *p = w->owner;
    if (!has_room(p) || fetching_from(p, w->host) >= MAX_OF_HOST) {
        return;
    }
    canvas_pictures_set(w, FETCHING, MAX_PICTURE);
    w->fetch = oc_fetch_start(p->loop,
            &(struct oc_fetch_opts){ .url = w->url,
                    .accept = "image/*",
                    .max_bytes = MAX_PICTURE,
                    .timeout_ms = FETCH_MS,
                    .allow_hosts = &w->allow_hosts,
                    .allow = OC_REMEDY_ALLOW_HOST },
            on_fetched, w);
}

/* True: it was read, and the next one has to wait for the loop's next round. */
static bool read_file(struct wanted *w) {
    struct oc_error err;
    size_t len = 0;
    if (!has_room(w->owner)) {
        return false;
    }
    enum oc_code rc = nd_canvas_files_read(
            &w->owner->files, w->folder, w->url, MAX_PICTURE, &w->fd, &len, &err);
    if (rc != OC_OK) {
        canvas_pictures_fail(w, err.text);
    } else {
        canvas_pictures_set(w, READY, len + 1);
    }
    return true;
}

/* False: somebody must wait for the next round. */
static bool canvas_pictures_start(struct wanted *w) {
    struct nd_canvas_pictures *p = w->owner;
    if (!w->host) {
        return !read_file(w);
    }
    if (p->slow >= MAX_SLOW && oc_streq(p->slow_host, w->host)) {
        canvas_pictures_fail(w, "its host does not answer");
    } else if (oc_loop_now_ms(p->loop) - w->since_ms > WAIT_MS) {
        canvas_pictures_fail(w, "other pictures took too long");
    } else {
        canvas_pictures_fetch(w);
    }
    return true;
}

static void on_next(struct oc_timer *t) {
    struct nd_canvas_pictures *p = t->user;
    bool may_read = true;
    for (struct oc_list *l = p->all.next; l != &p->all; l = l->next) {
        struct wanted *w = OC_CONTAINER(l, struct wanted, link);
        if (w->state == WAITS && (w->host || may_read) && !canvas_pictures_start(w)) {
            may_read = false;
        }
    }
    for (struct oc_list *l = p->all.next; l != &p->all && p->told < MAX_TOLD; l = l->next) {
        struct wanted *w = OC_CONTAINER(l, struct wanted, link);
        if (w->state == READY) {
            canvas_pictures_set(w, TOLD, w->held);
            go_on(p); /* who is told may take it at once, and then this list is another */
            p->on_brought(p->user, w->id, w->url, w->fd, w->error);
            return;
        }
    }
    if (!may_read) {
        go_on(p);
    }
}

static char *host_of(const char *url) {
    struct oc_url parts;
    struct oc_error err;
    if (oc_url_parse(url, &parts, &err) != OC_OK) {
        return oc_strdup(""); /* the fetch says what is wrong with it */
    }
    char *host = oc_url_authority(&parts);
    oc_url_finish(&parts);
    return host;
}

static bool is_web(const char *url) {
    return strncasecmp(url, "http://", 7) == 0 || strncasecmp(url, "https://", 8) == 0;
}

void nd_canvas_pictures_want(
        struct nd_canvas_pictures *p, const char *url, const cJSON *config, const char *state_dir) {
    size_t len = strlen(url);
    if (p->count >= MAX_QUEUED || p->bytes + len > MAX_QUEUED_BYTES) {
        if (!p->is_flooded) {
            oc_log(OC_LOG_WARN, "node.canvas", "the canvas wants too many pictures, ignoring some");
        }
        p->is_flooded = true;
        return;
    }
    struct wanted *w = oc_new(struct wanted);
    w->owner = p;
    w->id = ++p->last_id;
    w->since_ms = oc_loop_now_ms(p->loop);
    w->fd = -1;
    w->url = oc_strdup(url);
    if (p->count >= MAX_WANTED) {
        canvas_pictures_fail(w, "too many pictures at a time");
    } else if (is_web(url)) {
        w->host = host_of(url);
        oc_json_get_strv(oc_json_path(config, "node.canvas"), "allowHosts", &w->allow_hosts);
    } else {
        w->folder = state_dir ? oc_path_join(state_dir, "canvas") : NULL;
    }
    oc_list_append(&p->all, &w->link);
    p->count++;
    p->bytes += len;
    go_on(p);
}
