/* One accepted connection: TLS, head, then either a WebSocket, or one answer and a close that waits
 * until the client has read it. */
#include "lib/base/mem.h"
#include "lib/net/http/context_path.h"
#include "lib/net/server/server_private.h"
#include "lib/net/tls.h"
#include "lib/net/ws/handshake.h"

#include <string.h>
#include <unistd.h>

#define LINGER_MS 2000
#define LINGER_BYTES 1048576u /* of a body nobody wants */
#define READ_STEP 2048
#define TLS_STEP 4 /* its arithmetic costs as much as so many heads */
#define MAX_BODY_BYTES 1048576u
#define MAX_REPLY_HEAD_BYTES 1024u /* without extra headers */
#define FILE_STEP ((size_t)64 * 1024)
#define FILE_MS 30000 /* for each step of a file */
/* What all answers together may write in a round of the loop, and what each may at least. */
#define ROUND_BYTES ((size_t)1024 * 1024)
#define MIN_TURN_BYTES ((size_t)16384) /* a record of TLS that has begun goes on with no less */

static bool is_head(const struct oc_http_conn *c) {
    return c->state == OC_HC_TLS || c->state == OC_HC_HEAD;
}

static void set_state(struct oc_http_conn *c, enum oc_http_state state) {
    struct oc_server *s = c->server;
    bool was_head = is_head(c);
    c->state = state;
    if (!was_head || is_head(c)) {
        return;
    }
    if (s->answered_count >= s->opts.max_answered) {
        /* Who was answered first has had the longest to read it. */
        oc_http_conn_drop(oc_list_first(&s->answered, struct oc_http_conn, link));
    }
    s->head_count--;
    s->answered_count++;
    oc_list_remove(&c->link);
    oc_list_append(&s->answered, &c->link);
}

/* Nothing is sent any more. */
static void pay_off(struct oc_http_conn *c) {
    struct oc_http_payer *payer = oc_take(&c->payer);
    if (payer) {
        payer->conn = NULL;
        payer->on_gone(payer);
    }
}

static void note_held(struct oc_http_conn *c) {
    if (c->payer) {
        c->payer->on_held(c->payer, c->out.len);
    }
}

void oc_http_conn_drop(struct oc_http_conn *c) {
    pay_off(c);
    oc_defer_cancel(&c->drop_soon);
    if (is_head(c)) {
        c->server->head_count--;
    } else {
        c->server->answered_count--;
    }
    oc_list_remove(&c->link);
    oc_io_remove(&c->io);
    oc_timer_cancel(&c->deadline);
    oc_stream_destroy(c->stream);
    oc_buf_finish(&c->in);
    oc_buf_finish(&c->out);
    oc_auto_close(&c->file_fd);
    oc_free(c->head);
    oc_free(c);
}

static void wait_for(struct oc_http_conn *c, unsigned wanted) {
    oc_io_set_events(&c->io, oc_stream_events(c->stream, wanted));
}

static void on_drop_soon(struct oc_deferred *d) {
    oc_http_conn_drop(d->user);
}

void oc_http_payer_drop(struct oc_http_payer *p) {
    if (p->conn) {
        oc_defer(p->conn->server->loop, &p->conn->drop_soon);
    }
}

void oc_http_payer_go_on(struct oc_http_payer *p) {
    if (p->conn) {
        wait_for(p->conn, OC_IO_WRITE);
    }
}

static void http_conn_upgrade(struct oc_http_conn *c) {
    struct oc_server *s = c->server;
    struct oc_slice early = { .ptr = c->in.data + c->head_len, .len = c->in.len - c->head_len };
    oc_io_remove(&c->io);
    struct oc_ws_opts opts = s->opts.ws;
    opts.is_client = false;
    struct oc_ws *ws = oc_ws_create(s->loop, oc_take(&c->stream), &opts, NULL, NULL, early);
    s->handlers.on_ws(s->user, ws, c->head, &c->peer);
    oc_http_conn_drop(c);
}

static void http_conn_linger(struct oc_http_conn *c) {
    set_state(c, OC_HC_LINGER);
    oc_stream_end(c->stream);
    oc_timer_set(c->server->loop, &c->deadline, LINGER_MS);
    oc_buf_finish(&c->in);
    oc_buf_finish(&c->out);
    pay_off(c);
    wait_for(c, OC_IO_READ);
}

static void set_piece(struct oc_http_conn *c, const char *data, size_t len) {
    c->piece = (struct oc_slice){ data, len };
}

/* The next bytes of the file, up to where lasting goes. A file that has become shorter ends the
 * connection: its length is promised already. */
static bool read_file(struct oc_http_conn *c) {
    uint64_t left = c->lasting.len > 0 ? c->until_lasting : c->file_left;
    size_t want = left < FILE_STEP ? (size_t)left : FILE_STEP;
    if (c->out.max_bytes != FILE_STEP) {
        oc_buf_finish(&c->out);
        c->out = OC_BUF_INIT(FILE_STEP);
    }
    oc_buf_clear(&c->out);
    ssize_t n = read(c->file_fd, oc_buf_reserve(&c->out, want), want);
    if (n <= 0) {
        return false;
    }
    c->out.len = (size_t)n;
    c->file_left -= (uint64_t)n;
    c->until_lasting -= c->lasting.len > 0 ? (uint64_t)n : 0;
    set_piece(c, c->out.data, c->out.len);
    note_held(c);
    return true;
}

static bool has_more(const struct oc_http_conn *c) {
    return c->file_left > 0 || c->lasting.len > 0;
}

static bool next_piece(struct oc_http_conn *c) {
    oc_timer_set(c->server->loop, &c->deadline, FILE_MS);
    if (c->lasting.len > 0 && c->until_lasting == 0) {
        set_piece(c, c->lasting.ptr, c->lasting.len);
        c->lasting.len = 0;
        return true;
    }
    return read_file(c);
}

/* A peer on this machine takes a file as fast as we write it: without an end of the turn nobody
 * else would have one. */
static size_t turn_bytes(const struct oc_server *s) {
    size_t share = ROUND_BYTES / (s->answered_count + 1);
    share = share > FILE_STEP ? FILE_STEP : share;
    return share < MIN_TURN_BYTES ? MIN_TURN_BYTES : share;
}

static ssize_t write_piece(struct oc_http_conn *c, size_t max) {
    ssize_t n = oc_stream_write(c->stream, c->piece.ptr, c->piece.len < max ? c->piece.len : max);
    if (n > 0) {
        c->piece.ptr += n;
        c->piece.len -= (size_t)n;
        if (c->payer) {
            c->payer->on_sent(c->payer, (size_t)n);
        }
    }
    return n;
}

/* False: the connection is gone. */
static bool write_out(struct oc_http_conn *c) {
    size_t left = turn_bytes(c->server);
    while (c->piece.len > 0 || has_more(c)) {
        if (c->payer && !c->payer->may_send(c->payer)) {
            oc_io_set_events(&c->io, 0); /* until it may */
            return true;
        }
        if (c->piece.len == 0 && !next_piece(c)) {
            oc_http_conn_drop(c);
            return false;
        }
        /* The others' turn, when nothing is left; the descriptor says at once when to go on. */
        ssize_t n = left == 0 ? OC_STREAM_AGAIN : write_piece(c, left);
        if (n == OC_STREAM_AGAIN) {
            wait_for(c, OC_IO_WRITE);
            return true;
        }
        if (n <= 0) {
            oc_http_conn_drop(c);
            return false;
        }
        left -= (size_t)n;
    }
    if (c->state == OC_HC_UPGRADE) {
        http_conn_upgrade(c);
        return false;
    }
    http_conn_linger(c);
    return true;
}

static void take_payer(struct oc_http_conn *c, struct oc_http_payer *take_payer) {
    c->payer = take_payer;
    if (take_payer) {
        take_payer->conn = c;
    }
}

static void http_conn_reply(
        struct oc_http_conn *c, const struct oc_http_reply *r, bool is_head_request) {
    const char *body = r->body ? r->body : "";
    size_t body_len = r->body_len ? r->body_len : strlen(body);
    OC_AUTO_FD int fd = r->has_file ? r->take_fd : -1;
    uint64_t all = body_len + (r->has_file ? r->file_len + r->lasting.len : 0);
    set_state(c, OC_HC_REPLY);
    const char *extra = r->extra_headers ? r->extra_headers : "";
    c->out = OC_BUF_INIT(MAX_REPLY_HEAD_BYTES + strlen(extra) + body_len);
    oc_buf_printf(&c->out,
            "HTTP/1.1 %d %s\r\n"
            "Content-Type: %s\r\n"
            "Content-Length: %llu\r\n"
            "X-Content-Type-Options: nosniff\r\n"
            "Referrer-Policy: no-referrer\r\n"
            "%s"
            "Connection: close\r\n\r\n",
            r->status, oc_http_reason(r->status),
            r->content_type ? r->content_type : "text/plain; charset=utf-8",
            (unsigned long long)all, extra);
    if (!is_head_request) {
        oc_buf_append(&c->out, body, body_len);
    }
    oc_free(r->take_text);
    if (!is_head_request && r->has_file) {
        c->file_left = r->file_len;
        c->file_fd = oc_take_fd(&fd);
        c->lasting = r->lasting;
        c->until_lasting = r->lasting_at;
    }
    set_piece(c, c->out.data, c->out.len);
    take_payer(c, r->take_payer);
    note_held(c);
    (void)write_out(c);
}

static void http_conn_refuse(struct oc_http_conn *c, int status, const char *why) {
    OC_AUTO_FREE char *body = oc_strfmt("%s\n", why);
    const char *extra = NULL;
    if (status == 405) {
        extra = "Allow: GET, HEAD, POST\r\n";
    } else if (status == 426) {
        extra = "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n";
    } else if (status == 503) {
        extra = "Retry-After: 5\r\n";
    }
    bool is_head_request = c->head && c->head->method && strcmp(c->head->method, "HEAD") == 0;
    http_conn_reply(c,
            &(struct oc_http_reply){ .status = status, .body = body, .extra_headers = extra },
            is_head_request);
}

static void answer_upgrade(struct oc_http_conn *c) {
    const char *why = NULL;
    int status = oc_ws_check_upgrade(c->head, &why);
    if (status != 0) {
        http_conn_refuse(c, status, why);
        return;
    }
    struct oc_server *s = c->server;
    if (!oc_server_has_socket(s, &c->peer)) {
        http_conn_refuse(c, 503, "too many connections");
        return;
    }
    struct oc_http_reply r = { .status = 403 };
    if (s->handlers.may_upgrade && !s->handlers.may_upgrade(s->user, c->head, &c->peer, &r)) {
        http_conn_reply(c, &r, false);
        return;
    }
    set_state(c, OC_HC_UPGRADE);
    c->out = OC_BUF_INIT(1024);
    oc_ws_put_accept(&c->out, c->head);
    set_piece(c, c->out.data, c->out.len);
    (void)write_out(c);
}

static void http_conn_answer(struct oc_http_conn *c) {
    static const char *const methods[] = { "GET", "HEAD", "POST" };
    struct oc_server *s = c->server;
    const char *why = NULL;
    c->head = oc_new(struct oc_http_head);
    int status = oc_http_parse_request(c->in.data, c->head_len, c->head, &why);
    if (status != 0) {
        http_conn_refuse(c, status, why);
        return;
    }
    const char *prefix = s->opts.context_path;
    if (prefix && *prefix && !oc_context_path_strip(prefix, c->head)) {
        http_conn_refuse(c, 404, "not found");
        return;
    }
    if (oc_ws_is_upgrade(c->head)) {
        answer_upgrade(c);
        return;
    }
    bool is_known = false;
    for (size_t i = 0; i < OC_COUNT(methods); i++) {
        is_known = is_known || strcmp(c->head->method, methods[i]) == 0;
    }
    if (!is_known) {
        http_conn_refuse(c, 405, "method not allowed");
        return;
    }
    if (c->head->content_length > MAX_BODY_BYTES) {
        http_conn_refuse(c, 413, "body too large");
        return;
    }
    struct oc_http_reply r = { .status = 404, .body = "not found\n" };
    s->handlers.on_request(s->user, c->head, &c->peer, &r);
    http_conn_reply(c, &r, strcmp(c->head->method, "HEAD") == 0);
}

static void read_head(struct oc_http_conn *c) {
    size_t max = c->server->opts.max_head_bytes;
    for (;;) {
        size_t room = max - c->in.len;
        size_t want = room < READ_STEP ? room : READ_STEP;
        ssize_t n = oc_stream_read(c->stream, oc_buf_reserve(&c->in, want), want);
        if (n == OC_STREAM_AGAIN) {
            wait_for(c, OC_IO_READ);
            return;
        }
        if (n <= 0) {
            oc_http_conn_drop(c);
            return;
        }
        c->in.len += (size_t)n;
        c->head_len = oc_http_head_end(c->in.data, c->in.len, &c->scanned);
        if (c->head_len > 0) {
            http_conn_answer(c);
            return;
        }
        if (c->in.len == max) {
            http_conn_refuse(c, 431, "request head too large");
            return;
        }
        if (!oc_http_may_start_with(c->in.data[0])) {
            http_conn_refuse(
                    c, 400, "this port speaks HTTP and WebSocket without TLS"); /* most likely a TLS
                                                                                  hello */
            return;
        }
    }
}

/* Who knows us from before TLS was on, or typed http://, is told so. */
static void refuse_plain(struct oc_http_conn *c) {
    c->stream = oc_tls_unwrap(c->stream);
    http_conn_reply(c,
            &(struct oc_http_reply){ .status = 426,
                    .body = "this port speaks TLS: use https:// or wss://\n",
                    .extra_headers = "Upgrade: TLS/1.2, HTTP/1.1\r\n" },
            false);
}

static void read_tls(struct oc_http_conn *c) {
    bool is_done;
    struct oc_error err = { 0 };
    if (oc_stream_handshake(c->stream, &is_done, &err) != OC_OK) {
        if (err.grounds.cause == OC_CAUSE_NEEDS_TLS) {
            refuse_plain(c);
            return;
        }
        oc_http_conn_drop(c);
    } else if (!is_done) {
        wait_for(c, OC_IO_READ | OC_IO_WRITE);
    } else {
        set_state(c, OC_HC_HEAD);
        read_head(c);
    }
}

static void read_linger(struct oc_http_conn *c) {
    char waste[4096];
    ssize_t n;
    while ((n = oc_stream_read(c->stream, waste, sizeof(waste))) > 0) {
        c->drained_bytes += (size_t)n;
        if (c->drained_bytes > LINGER_BYTES) {
            break;
        }
    }
    if (n != OC_STREAM_AGAIN) {
        oc_http_conn_drop(c);
    }
}

static void on_ready(struct oc_io *io, unsigned events) {
    (void)events;
    struct oc_http_conn *c = io->user;
    switch (c->state) {
    case OC_HC_TLS:
        if (oc_server_may_step(c->server, TLS_STEP)) {
            read_tls(c);
        }
        break;
    case OC_HC_HEAD:
        if (oc_server_may_step(c->server, 1)) {
            read_head(c);
        }
        break;
    case OC_HC_REPLY:
    case OC_HC_UPGRADE:
        (void)write_out(c);
        break;
    case OC_HC_LINGER:
        read_linger(c);
        break;
    }
}

static void on_deadline(struct oc_timer *t) {
    struct oc_http_conn *c = t->user;
    if (c->state == OC_HC_HEAD && c->in.len > 0) {
        oc_timer_set(c->server->loop, t, LINGER_MS); /* for the answer */
        http_conn_refuse(c, 408, "request head took too long");
    } else {
        oc_http_conn_drop(c);
    }
}

void oc_http_conn_start(struct oc_server *s, struct oc_stream *take_stream,
        const struct oc_peer *peer, const struct oc_origin *origin) {
    struct oc_http_conn *c = oc_new(struct oc_http_conn);
    c->server = s;
    c->stream = take_stream;
    c->peer = *peer;
    c->peer.memo = &c->peer_memo;
    c->origin = *origin;
    c->state = s->opts.tls ? OC_HC_TLS : OC_HC_HEAD;
    c->file_fd = -1;
    c->in = OC_BUF_INIT(s->opts.max_head_bytes);
    c->deadline = (struct oc_timer){ .on_expire = on_deadline, .user = c };
    c->drop_soon = (struct oc_deferred){ .run = on_drop_soon, .user = c };
    c->io = (struct oc_io){
        .fd = take_stream->fd, .events = OC_IO_READ, .on_ready = on_ready, .user = c
    };
    oc_list_append(&s->heads, &c->link);
    s->head_count++;
    oc_timer_set(s->loop, &c->deadline, s->opts.head_timeout_ms);
    if (oc_io_add(s->loop, &c->io, NULL) != OC_OK) {
        oc_http_conn_drop(c);
    }
}
