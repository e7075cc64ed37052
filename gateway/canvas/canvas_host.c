#include "gateway/canvas/canvas_host.h"

#include "gateway/canvas/canvas_files.h"
#include "gateway/canvas/canvas_page.h"
#include "gateway/canvas/canvas_payer.h"
#include "gateway/canvas/canvas_reload.h"
#include "gateway/canvas/canvas_script.h"
#include "gateway/canvas/canvas_watch.h"
#include "gateway/conn/conn.h"
#include "gateway/settings/own_url.h"
#include "lib/base/mem.h"
#include "lib/base/one_of.h"
#include "lib/base/str.h"
#include "lib/files/file.h"
#include "lib/log/log.h"
#include "lib/net/server/peer_user.h"
#include "lib/protocol/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TAG "gateway.canvas"
#define PREFIX "/__openclaw__/"
#define CAP PREFIX "cap/"
#define CANVAS PREFIX "canvas"
#define SOCKET PREFIX "ws"
#define PAGE PREFIX "a2ui"
/* Nothing of it in pages of other origins. */
#define NO_STORE "Cache-Control: no-store\r\nCross-Origin-Resource-Policy: same-origin\r\n"

enum {
    CAP_BYTES = GW_CANVAS_CAP_LEN / 4 * 3,
    CAP_MS = 10 * 60 * 1000, /* prolonged by each use */
};
#define MAX_MISSING \
    ((size_t)128 * 1024) /* the page about a missing one; its path is in the request's head */

struct gw_canvas_host {
    struct gw_canvas_uses uses;
    int root_fd;
    struct gw_canvas_reload *reload; /* NULL: switched off */
    struct gw_canvas_watch *watch;
};

static const char first_page[] =
        "<!doctype html>\n<meta charset=\"utf-8\">\n<title>Canvas</title>\n"
        "<style>body{font:16px system-ui;margin:3em;background:#0b0d12;color:#e5e7eb}</style>\n"
        "<h1>This canvas is empty</h1>\n<p>Put files into this directory; pages that show them "
        "load "
        "anew by themselves.</p>\n";

static bool is_enabled(const cJSON *config) {
    const cJSON *enabled = oc_json_path(config, "canvasHost.enabled");
    const char *skip = getenv("OPENCLAW_SKIP_CANVAS_HOST");
    return !cJSON_IsFalse(enabled) && !oc_streq(skip, "1");
}

static enum oc_code open_root(
        const cJSON *config, const char *state_dir, int *ret, struct oc_error *err) {
    const cJSON *own = oc_json_path(config, "canvasHost.root");
    bool is_own = cJSON_IsString(own) && own->valuestring[0] != '\0';
    OC_AUTO_FREE char *root =
            is_own ? oc_strdup(own->valuestring) : oc_path_join(state_dir, "canvas");
    OC_AUTO_FREE char *index = oc_path_join(root, "index.html");
    enum oc_code rc = is_own ? OC_OK : oc_dir_ensure_private(root, err);
    if (rc != OC_OK) {
        return rc;
    }
    *ret = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*ret < 0) {
        return oc_fail(err, OC_E_IO, "canvasHost.root '%s': %s", root, strerror(errno));
    }
    return is_own || oc_file_exists(index)
                   ? OC_OK
                   : oc_file_write_private(index, first_page, strlen(first_page), err);
}

struct gw_canvas_host *gw_canvas_host_create(
        const struct gw_canvas_uses *uses, const cJSON *config, const char *state_dir) {
    struct oc_error err;
    int fd = -1;
    if (!is_enabled(config)) {
        return NULL;
    }
    if (open_root(config, state_dir, &fd, &err) != OC_OK) {
        oc_auto_close(&fd);
        oc_log(OC_LOG_WARN, TAG, "no canvas files are served: %s", err.text);
        return NULL;
    }
    struct gw_canvas_host *h = oc_new(struct gw_canvas_host);
    h->uses = *uses;
    h->root_fd = fd;
    h->watch = gw_canvas_watch_create(uses);
    if (!cJSON_IsFalse(oc_json_path(config, "canvasHost.liveReload"))) {
        h->reload = gw_canvas_reload_create(uses->conns->loop, uses->conns->turns, fd);
    }
    return h;
}

void gw_canvas_host_destroy(struct gw_canvas_host *h) {
    if (!h) {
        return;
    }
    gw_canvas_reload_destroy(h->reload);
    gw_canvas_watch_destroy(h->watch);
    close(h->root_fd);
    oc_free(h);
}

static void canvas_host_reply(
        struct oc_http_reply *ret, int status, const char *type, const char *body) {
    *ret = (struct oc_http_reply){
        .status = status, .content_type = type, .body = body, .extra_headers = NO_STORE
    };
}

static bool is_under(const char *path, const char *prefix) {
    size_t n = strlen(prefix);
    return strncmp(path, prefix, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

/* What the path asks for without a capability; *ret_cap is set when it has one. */
static const char *without_cap(const char *path, char ret_cap[GW_CANVAS_CAP_LEN + 1]) {
    ret_cap[0] = '\0';
    if (strncmp(path, CAP, strlen(CAP)) != 0) {
        return path;
    }
    const char *token = path + strlen(CAP), *end = strchr(token, '/');
    if (end && end - token == GW_CANVAS_CAP_LEN) {
        memcpy(ret_cap, token, GW_CANVAS_CAP_LEN);
        ret_cap[GW_CANVAS_CAP_LEN] = '\0';
        return end;
    }
    return "";
}

/* A node may look when somebody has approved that it shows something. The address is told before,
 * since nodes that wait for their approval stay connected. */
static bool may_show(const struct gw_node *node) {
    for (size_t i = 0; node && i < node->commands.count; i++) {
        if (oc_starts_with(node->commands.items[i], "canvas.")) {
            return true;
        }
    }
    return false;
}

/* The node whose capability it is; NULL: nobody's. All are compared, whichever fits. */
static const char *owner_of(struct gw_canvas_host *h, const char *cap) {
    int64_t now = oc_loop_now_ms(h->uses.conns->loop);
    const char *owner = NULL;
    struct gw_conn *c;
    oc_list_for_each(c, &h->uses.conns->list, link) {
        struct gw_canvas_pass *pass = &c->canvas_pass;
        if (pass->cap[0] && c->state == GW_CONN_READY && now < pass->until_ms &&
                oc_secret_equal(pass->cap, cap) && may_show(c->node)) {
            pass->until_ms = now + CAP_MS;
            owner = c->device_id;
        }
    }
    return owner;
}

/* As slow for guessers as any other way in. */
static bool knows_secret(
        struct gw_canvas_host *h, const struct oc_http_head *head, const char *guesser) {
    static const char bearer[] = "Bearer ";
    const char *given = oc_http_header(head, "Authorization");
    if (!given || strncmp(given, bearer, strlen(bearer)) != 0 || !h->uses.conns->cfg->secret ||
            gw_rate_limit_wait_ms(h->uses.rate, GW_CRED_BEARER, guesser) > 0) {
        return false;
    }
    if (oc_secret_equal(h->uses.conns->cfg->secret, given + strlen(bearer))) {
        return true;
    }
    gw_rate_limit_failed(h->uses.rate, GW_CRED_BEARER, guesser);
    return false;
}

static bool is_here(const struct gw_origin_facts *f) {
    return f->is_loopback && !f->is_forwarded && f->host_is_loopback &&
           (!f->has_origin || f->origin_allowed);
}

/* A browser here asks for a page of another site (even one here: it may be anybody's). Following a
 * link shows that page nothing. */
static bool is_for_other_site(const struct oc_http_head *head) {
    const char *site = oc_http_header(head, "Sec-Fetch-Site"),
               *dest = oc_http_header(head, "Sec-Fetch-Dest");
    return site && !oc_streq(site, "same-origin") && !oc_streq(site, "none") &&
           !oc_streq(dest, "document");
}

/* By whose right this may be looked at, for the budgets; NULL: it may not. */
static const char *find_right(struct gw_canvas_host *h, const struct oc_http_head *head,
        const struct oc_peer *peer, const char *cap) {
    const struct gw_config *cfg = h->uses.conns->cfg;
    if (cap[0]) {
        return owner_of(h, cap);
    }
    struct gw_origin_facts from;
    gw_origin_facts_read(&from, head, peer, &cfg->allowed_origins, &cfg->proxies);
    if (is_here(&from) && !is_for_other_site(head) && oc_peer_is_this_user(peer)) {
        return "here";
    }
    return knows_secret(h, head, gw_origin_guesser(&from, peer)) ? "shared-secret" : NULL;
}

static void canvas_host_refuse(struct oc_http_reply *ret) {
    canvas_host_reply(ret, 401, "application/json; charset=utf-8",
            "{\"error\":{\"message\":\"Unauthorized\",\"type\":\"unauthorized\"}}");
}

/* One would live on in the browser after its file and its capability have gone, between the person
 * and every page of this gateway. What is not there is also taken out again, if an older version of
 * this program has let it in. */
static bool is_for_service_worker(const struct oc_http_head *head) {
    return oc_http_header(head, "Service-Worker") ||
           oc_streq(oc_http_header(head, "Sec-Fetch-Dest"), "serviceworker");
}

/* A folder without a page says which file it waits for; the page comes when that is there. */
static void serve_missing(const char *path, struct oc_http_reply *ret) {
    if (!oc_ends_with(path, "/")) {
        canvas_host_reply(ret, 404, "text/plain; charset=utf-8", "not found\n");
        return;
    }
    struct oc_buf page = OC_BUF_INIT(MAX_MISSING);
    (void)oc_buf_puts(&page, "<!doctype html>\n<meta charset=\"utf-8\">\n<title>Not found</title>\n"
                             "<h1>Nothing here yet</h1>\n<p>Create <code>");
    for (const char *p = path + strspn(path, "/"); *p; p++) {
        (void)(oc_is_one_of(*p, "<>&\"") ? oc_buf_printf(&page, "&#%d;", *p)
                                         : oc_buf_putc(&page, *p));
    }
    (void)oc_buf_puts(&page, "index.html</code> in the canvas folder of the gateway.</p>\n");
    (void)oc_buf_puts(&page, gw_canvas_script);
    canvas_host_reply(ret, 404, "text/html; charset=utf-8", page.failed ? "" : page.data);
    ret->take_text = page.data;
}

/* What a folder's page loads is in the folder. Relative, so that a capability stays. */
static void serve_redirect(const char *asked, struct oc_http_reply *ret) {
    canvas_host_reply(ret, 308, "text/plain; charset=utf-8", "");
    ret->take_text = oc_strfmt(NO_STORE "Location: ./%s/\r\n", strrchr(asked, '/') + 1);
    ret->extra_headers = ret->take_text;
}

/* A page gets our script on its way out; of a request for its head, only its size changes. */
static void serve_open(struct gw_canvas_host *h, const struct gw_canvas_file *f, const char *right,
        bool is_head, struct oc_http_reply *ret) {
    OC_AUTO_FD int fd = f->fd;
    bool looks = f->is_html && !is_head;
    uint64_t at = looks ? gw_canvas_script_at(fd, f->size) : 0;
    struct oc_http_payer *payer = gw_canvas_payer_create(h->uses.conns->turns,
            h->uses.conns->parties, right,
            OC_TURN_UNITS_PER_MESSAGE + (looks ? GW_CANVAS_SCRIPT_LOOKS_AT / OC_TURN_BYTES_IN : 0));
    if (!payer) {
        canvas_host_reply(
                ret, 503, "text/plain; charset=utf-8", "too many files are being sent to you\n");
        ret->extra_headers = NO_STORE "Retry-After: 1\r\n";
        return;
    }
    canvas_host_reply(ret, 200, f->type, "");
    ret->has_file = true;
    ret->file_len = f->size;
    ret->take_fd = oc_take_fd(&fd);
    ret->take_payer = payer;
    if (f->is_html) {
        ret->lasting = (struct oc_slice){ gw_canvas_script, strlen(gw_canvas_script) };
        ret->lasting_at = at;
    }
}

static void serve_file(struct gw_canvas_host *h, const char *asked, const char *right, bool is_head,
        struct oc_http_reply *ret) {
    struct gw_canvas_file f;
    const char *path = asked + strlen(CANVAS);
    if (!gw_canvas_file_open(h->root_fd, path, &f)) {
        serve_missing(path, ret);
    } else if (f.is_index && !oc_ends_with(path, "/")) {
        oc_auto_close(&f.fd);
        serve_redirect(asked, ret);
    } else {
        serve_open(h, &f, right, is_head, ret);
    }
}

/* The page that shows a node's canvas is for those who have an address of their own for it; being
 * here is not enough, as it is not for the same thing at the node. */
static struct gw_canvas_cap *canvas_host_watched(struct gw_canvas_host *h, const char *cap) {
    int64_t now = oc_loop_now_ms(h->uses.conns->loop);
    return cap[0] ? gw_canvas_cap_find(gw_canvas_watch_caps(h->watch), now, cap) : NULL;
}

static void serve_page(
        struct gw_canvas_host *h, const char *cap, const char *path, struct oc_http_reply *ret) {
    if (canvas_host_watched(h, cap)) {
        gw_canvas_page_answer(path, ret);
    } else {
        gw_canvas_page_refuse(path, ret);
    }
}

bool gw_canvas_host_answer(struct gw_canvas_host *h, const struct oc_http_head *head,
        const struct oc_peer *peer, struct oc_http_reply *ret) {
    char cap[GW_CANVAS_CAP_LEN + 1];
    const char *path = oc_http_path(head);
    if (!h || strncmp(path, PREFIX, strlen(PREFIX)) != 0) {
        return false;
    }
    const char *asked = without_cap(path, cap), *method = oc_http_method(head);
    const char *cut = *asked ? NULL : strstr(path, PAGE); /* behind what is no capability */
    bool is_page = is_under(cut ? cut : asked, PAGE);
    asked = is_page && cut ? cut : asked;
    const char *right = *asked && !is_page ? find_right(h, head, peer, cap) : NULL;
    if (!*asked || (!is_page && !right)) {
        canvas_host_refuse(ret);
    } else if (!oc_streq(method, "GET") && !oc_streq(method, "HEAD")) {
        canvas_host_reply(ret, 405, "text/plain; charset=utf-8", "Method Not Allowed");
        ret->extra_headers = NO_STORE "Allow: GET, HEAD\r\n";
    } else if (is_for_service_worker(head)) {
        canvas_host_reply(
                ret, 404, "text/plain; charset=utf-8", "service workers are not served\n");
    } else if (is_page) {
        serve_page(h, cap, asked + strlen(PAGE), ret);
    } else if (oc_streq(asked, SOCKET)) {
        canvas_host_reply(ret, h->reload ? 426 : 404, "text/plain; charset=utf-8",
                h->reload ? "upgrade required" : "not found\n");
    } else if (is_under(asked, CANVAS)) {
        serve_file(h, asked, right, oc_streq(method, "HEAD"), ret);
    } else {
        canvas_host_reply(ret, 404, "text/plain; charset=utf-8", "Not Found");
    }
    return true;
}

bool gw_canvas_host_owns(const struct gw_canvas_host *h, const struct oc_http_head *head) {
    return h && strncmp(oc_http_path(head), PREFIX, strlen(PREFIX)) == 0;
}

static bool may_watch(struct gw_canvas_host *h, const char *cap, struct oc_http_reply *ret) {
    const struct gw_canvas_cap *found = canvas_host_watched(h, cap);
    if (!found) {
        canvas_host_refuse(ret);
        return false;
    }
    if (!gw_canvas_watch_has_room(h->watch, found)) {
        canvas_host_reply(ret, 503, "text/plain; charset=utf-8", "too many pages watch\n");
        return false;
    }
    return true;
}

bool gw_canvas_host_may_upgrade(struct gw_canvas_host *h, const struct oc_http_head *head,
        const struct oc_peer *peer, struct oc_http_reply *ret) {
    char cap[GW_CANVAS_CAP_LEN + 1];
    const char *asked = without_cap(oc_http_path(head), cap);
    if (oc_streq(asked, PAGE "/ws")) {
        return may_watch(h, cap, ret);
    }
    if (!*asked || !find_right(h, head, peer, cap)) {
        canvas_host_refuse(ret);
        return false;
    }
    if (!h->reload || !oc_streq(asked, SOCKET)) {
        canvas_host_reply(ret, 404, "text/plain; charset=utf-8", "not found\n");
        return false;
    }
    if (gw_canvas_reload_is_full(h->reload)) {
        canvas_host_reply(ret, 503, "text/plain; charset=utf-8", "too many pages listen\n");
        return false;
    }
    return true;
}

void gw_canvas_host_accept(
        struct gw_canvas_host *h, const struct oc_http_head *head, struct oc_ws *take_ws) {
    char cap[GW_CANVAS_CAP_LEN + 1];
    if (!oc_streq(without_cap(oc_http_path(head), cap), PAGE "/ws")) {
        gw_canvas_reload_accept(h->reload, take_ws);
        return;
    }
    struct gw_canvas_cap *found = canvas_host_watched(h, cap);
    if (found && gw_canvas_watch_has_room(h->watch, found)) {
        gw_canvas_watch_accept(h->watch, found, take_ws);
    } else { /* since we said that it may */
        oc_ws_destroy(take_ws);
    }
}

struct gw_canvas_caps *gw_canvas_host_caps(struct gw_canvas_host *h) {
    return h ? gw_canvas_watch_caps(h->watch) : NULL;
}

static bool is_loopback_name(const char *host) {
    return oc_starts_with(host, "127.") || oc_starts_with(host, "localhost") ||
           oc_starts_with(host, "[::1]");
}

/* Who asks from the gateway's own machine wants an address for others, if others can come. */
char *gw_canvas_host_watch_url(struct gw_canvas_host *h, const struct gw_conn *asking,
        const struct gw_canvas_cap *cap, uint16_t port) {
    const struct gw_config *cfg = h->uses.conns->cfg;
    const char *path = cfg->context_path ? cfg->context_path : "";
    if (asking->host && !is_loopback_name(asking->host)) {
        return oc_strfmt("%s://%s%s" CAP "%s" PAGE "/", h->uses.has_tls ? "https" : "http",
                asking->host, path, cap->token);
    }
    OC_AUTO_FREE char *own =
            gw_own_url(cfg, h->uses.has_tls, port); /* ws://… with the path in it */
    return oc_strfmt("http%s" CAP "%s" PAGE "/", own + strlen("ws"), cap->token);
}

char *gw_canvas_host_url(struct gw_canvas_host *h, struct gw_conn *node) {
    if (!h || !node->host) {
        return NULL;
    }
    uint8_t secret[CAP_BYTES];
    oc_random(secret, sizeof(secret));
    OC_AUTO_FREE char *cap = oc_base64url(secret, sizeof(secret));
    memcpy(node->canvas_pass.cap, cap, GW_CANVAS_CAP_LEN + 1);
    node->canvas_pass.until_ms = oc_loop_now_ms(h->uses.conns->loop) + CAP_MS;
    const struct gw_config *cfg = h->uses.conns->cfg;
    const char *path = cfg->context_path ? cfg->context_path : "";
    return oc_strfmt(
            "%s://%s%s" CAP "%s", h->uses.has_tls ? "https" : "http", node->host, path, cap);
}
