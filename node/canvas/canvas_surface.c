#include "node/canvas/canvas_surface.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/one_of.h"
#include "lib/base/str.h"

#include <string.h>
#include <strings.h>

#define CAP "/__openclaw__/cap/"
#define FILES "/__openclaw__/canvas"
#define ANSWER_MS 5000
/* A capability lives for ten minutes, and longer when it is used. */
#define YOUNG_MS ((int64_t)9 * 60 * 1000)
#define MAX_ADDRESS 2048

struct nd_canvas_surface {
    char *url; /* with the capability */
    int64_t got_at_ms;
    bool may_be_fresh; /* pluginSurfaceUrls: paths are the gateway's, and it can be asked for
                          another */
};

struct surface_search {
    struct nd_canvas_site *site;
    char *url;
    nd_canvas_surface_done *done;
    void *user;
};

static bool is_address(const char *url) {
    if (!url || strlen(url) > MAX_ADDRESS ||
            (strncasecmp(url, "http://", 7) != 0 && strncasecmp(url, "https://", 8) != 0)) {
        return false;
    }
    for (const char *p = url; *p; p++) {
        if (*p <= ' ' || *p > '~' || oc_is_one_of(*p, "\"<>\\^`{|}?#@")) {
            return false;
        }
    }
    return true;
}

static void canvas_surface_keep(struct nd_canvas_site *site, const char *url, bool may_be_fresh) {
    nd_canvas_surface_finish(site);
    if (is_address(url)) {
        site->surface = oc_new(struct nd_canvas_surface);
        site->surface->url = oc_strdup(url);
        site->surface->may_be_fresh = may_be_fresh;
        site->surface->got_at_ms = oc_loop_now_ms(site->machine->loop);
    }
}

void nd_canvas_surface_hello(struct nd_canvas_site *site, const struct oc_hello *hello) {
    const char *fresh = hello->canvas_surface_url;
    canvas_surface_keep(site, fresh ? fresh : hello->canvas_host_url, fresh != NULL);
}

void nd_canvas_surface_finish(struct nd_canvas_site *site) {
    if (site->surface) {
        oc_free_secret(oc_take(&site->surface->url));
        oc_free(oc_take(&site->surface));
    }
}

static bool is_file(const char *path) {
    size_t n = strlen(FILES);
    return strncmp(path, FILES, n) == 0 && oc_is_one_of(path[n], "/?#");
}

/* At the gateway, or NULL. */
static const char *path_of(const struct nd_canvas_surface *s, const char *url) {
    if (!s) {
        return NULL;
    }
    if (is_file(url)) {
        return s->may_be_fresh ? url : NULL;
    }
    const char *cap = strstr(s->url, CAP);
    size_t n = cap ? (size_t)(cap - s->url) : strlen(s->url);
    return strncasecmp(url, s->url, n) == 0 && is_file(url + n) ? url + n : NULL;
}

bool nd_canvas_surface_has(const struct nd_canvas_site *site, const char *url) {
    return url && path_of(site->surface, url);
}

static char *address_of(const struct nd_canvas_surface *s, const char *url) {
    const char *path = path_of(s, url);
    return path ? oc_strfmt("%s%s", s->url, path) : NULL;
}

char *nd_canvas_surface_known(const struct nd_canvas_site *site, const char *url) {
    const struct nd_canvas_surface *s = site->surface;
    bool is_young = s && oc_loop_now_ms(site->machine->loop) - s->got_at_ms < YOUNG_MS;
    return is_young || (s && !s->may_be_fresh) ? address_of(s, url) : NULL;
}

static void canvas_surface_tell(struct surface_search *take_search) {
    struct surface_search *s = take_search;
    OC_AUTO_SECRET char *address = address_of(s->site->surface, s->url);
    s->done(s->user, address);
    oc_free(s->url);
    oc_free(s);
}

static void on_answer(void *user, const struct oc_reply *reply) {
    struct surface_search *s = user;
    OC_AUTO_JSON cJSON *payload = NULL;
    struct oc_error err;
    if (reply->ok && s->site->surface &&
            oc_json_parse(reply->payload.ptr, reply->payload.len, &payload, &err) == OC_OK) {
        const char *url = oc_json_get_str(oc_json_get(payload, "pluginSurfaceUrls"), "canvas");
        if (is_address(url)) {
            canvas_surface_keep(s->site, url, true);
        }
    }
    canvas_surface_tell(
            s); /* a gateway that gives no other: the one that we have may still be good */
}

void nd_canvas_surface_find(
        struct nd_canvas_site *site, const char *url, nd_canvas_surface_done *done, void *user) {
    struct surface_search *s = oc_new(struct surface_search);
    *s = (struct surface_search){ .site = site, .url = oc_strdup(url), .done = done, .user = user };
    if (!site->surface || !site->surface->may_be_fresh || !site->uplink->ask) {
        canvas_surface_tell(s);
        return;
    }
    cJSON *params = cJSON_CreateObject();
    oc_json_set_str(params, "surface", "canvas");
    site->uplink->ask(site->uplink, "node.pluginSurface.refresh", params, ANSWER_MS, on_answer, s);
}

char *nd_canvas_surface_hide(const char *text) {
    struct oc_buf b = OC_BUF_INIT(SIZE_MAX);
    for (const char *cap; (cap = strstr(text, CAP));) {
        cap += strlen(CAP);
        (void)oc_buf_append(&b, text, (size_t)(cap - text));
        (void)oc_buf_puts(&b, "…");
        text = cap + strcspn(cap, "/ \t\r\n\"'");
    }
    (void)oc_buf_puts(&b, text);
    return oc_buf_take(&b);
}
