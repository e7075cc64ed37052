#include "node/run/live.h"

#include "lib/base/encode.h"
#include "lib/base/list.h"
#include "lib/base/mem.h"
#include "lib/base/utf8.h"
#include "lib/log/log.h"
#include "lib/protocol/limits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(ND_LIVE_CHUNK / 3 * 4 <= OC_MAX_PROGRESS_BYTES, "a chunk must fit in base64");

/* Frame ids "live-<run>-<seq>": unlike those of other requests their answers matter. */
#define ID_PREFIX "live-"

enum { MAX_WAITING = 16 }; /* chunks; more than that and ND_LIVE_CHUNK bytes stay in the pipes */

struct chunk {
    struct oc_list link;
    bool is_err;
    size_t len;
    char bytes[];
};

struct output_tail {
    char bytes[4]; /* the start of a character whose rest has not come yet */
    size_t len;
};

struct nd_live {
    struct nd_uplink *uplink;
    struct nd_call *call;
    struct nd_process *process;
    uint64_t number; /* of this stream in the frame ids */
    uint64_t connection;
    int64_t seq;
    unsigned in_flight;
    struct oc_list waiting; /* chunk.link */
    size_t waiting_count, waiting_bytes;
    struct output_tail tails[2]; /* stdout, stderr */
    bool is_off;
};

static bool is_text(const struct chunk *c) {
    return oc_utf8_valid(c->bytes, c->len) && !memchr(c->bytes, 0, c->len);
}

static void put_chunk(struct oc_buf *b, const struct chunk *c) {
    oc_buf_puts(b, ",\"chunk\":");
    if (is_text(c)) {
        oc_json_append_string(b, c->bytes, c->len);
    } else {
        OC_AUTO_FREE char *encoded = oc_base64(c->bytes, c->len);
        oc_buf_printf(b, "\"%s\",\"encoding\":\"base64\"", encoded);
    }
    if (c->is_err) {
        oc_buf_puts(b, ",\"stream\":\"stderr\"");
    }
}

static void send_chunk(struct nd_uplink *up, const char *invoke_id, uint64_t number, int64_t seq,
        const struct chunk *c) {
    struct oc_buf b = OC_BUF_INIT(OC_MAX_MESSAGE_BYTES);
    oc_buf_printf(&b,
            "{\"type\":\"req\",\"id\":\"" ID_PREFIX "%" PRIu64 "-%" PRId64
            "\",\"method\":\"node.invoke.progress\",\"params\":{\"invokeId\":",
            number, seq);
    oc_json_append_string(&b, invoke_id, strlen(invoke_id));
    oc_buf_puts(&b, ",\"nodeId\":");
    oc_json_append_string(&b, up->device_id, strlen(up->device_id));
    oc_buf_printf(&b, ",\"seq\":%" PRId64, seq);
    put_chunk(&b, c);
    oc_buf_puts(&b, "}}");
    up->send(up, oc_msg_from_buf(&b));
}

static void live_send(struct nd_live *l, const struct chunk *c) {
    const char *invoke_id = nd_call_invoke_id(l->call);
    if (!invoke_id || l->uplink->connection != l->connection) {
        nd_live_stop(l);
        return;
    }
    send_chunk(l->uplink, invoke_id, l->number, l->seq, c);
    l->seq++;
    l->in_flight++;
}

void nd_live_announce(struct nd_uplink *uplink, struct nd_call *call) {
    const char *invoke_id = nd_call_invoke_id(call);
    if (invoke_id) {
        send_chunk(uplink, invoke_id, ++uplink->last_frame_id, 0, &(struct chunk){ 0 });
    }
}

static struct chunk *take_first(struct nd_live *l) {
    struct chunk *c = oc_list_first(&l->waiting, struct chunk, link);
    oc_list_remove(&c->link);
    l->waiting_count--;
    l->waiting_bytes -= c->len;
    return c;
}

static void put_last(struct nd_live *l, struct chunk *c) {
    oc_list_init(&c->link);
    oc_list_append(&l->waiting, &c->link);
    l->waiting_count++;
    l->waiting_bytes += c->len;
}

static void drop_waiting(struct nd_live *l) {
    while (!oc_list_empty(&l->waiting)) {
        oc_free(take_first(l));
    }
}

/* Sends as much as `window` allows. */
static void send_waiting(struct nd_live *l, unsigned window) {
    while (!l->is_off && !oc_list_empty(&l->waiting) && l->in_flight < window) {
        struct chunk *c = take_first(l);
        live_send(l, c);
        oc_free(c);
    }
}

/* What waits grows together: a program that writes a word at a time need not be a frame a word. */
static bool live_join(struct nd_live *l, bool is_err, const char *bytes, size_t len) {
    if (oc_list_empty(&l->waiting)) {
        return false;
    }
    struct chunk *c = OC_CONTAINER(l->waiting.prev, struct chunk, link);
    if (c->is_err != is_err || c->len + len > ND_LIVE_CHUNK) {
        return false;
    }
    oc_list_remove(&c->link);
    l->waiting_count--;
    l->waiting_bytes -= c->len;
    c = oc_realloc(c, sizeof(*c) + c->len + len);
    memcpy(c->bytes + c->len, bytes, len);
    c->len += len;
    put_last(l, c);
    return true;
}

static void live_add(struct nd_live *l, bool is_err, const char *bytes, size_t len) {
    if (live_join(l, is_err, bytes, len)) {
        return;
    }
    struct chunk *c = oc_alloc(sizeof(*c) + len);
    c->is_err = is_err;
    c->len = len;
    memcpy(c->bytes, bytes, len);
    put_last(l, c);
}

/* Cuts at characters where there are any. */
static void add_all(struct nd_live *l, bool is_err, const char *bytes, size_t len) {
    while (len > 0) {
        size_t n = len;
        if (n > ND_LIVE_CHUNK) {
            n = ND_LIVE_CHUNK - oc_utf8_incomplete_tail(bytes, ND_LIVE_CHUNK);
        }
        live_add(l, is_err, bytes, n);
        bytes += n;
        len -= n;
    }
}

static void on_output(void *user, bool is_err, const char *bytes, size_t len) {
    struct nd_live *l = user;
    if (l->is_off) {
        return;
    }
    struct output_tail *t = &l->tails[is_err];
    OC_AUTO_BUF struct oc_buf joined = OC_BUF_INIT(sizeof(t->bytes) + len);
    if (t->len > 0) {
        oc_buf_append(&joined, t->bytes, t->len);
        oc_buf_append(&joined, bytes, len);
        bytes = joined.data;
        len = joined.len;
    }
    t->len = oc_utf8_incomplete_tail(bytes, len);
    memcpy(t->bytes, bytes + len - t->len, t->len);
    add_all(l, is_err, bytes, len - t->len);
    send_waiting(l, ND_LIVE_WINDOW);
    if (!l->is_off && (l->waiting_bytes >= ND_LIVE_CHUNK || l->waiting_count >= MAX_WAITING)) {
        nd_process_pause(l->process);
    }
}

struct nd_live *nd_live_create(
        struct nd_uplink *uplink, struct nd_call *call, struct nd_process *process, int64_t seq) {
    struct nd_live *l = oc_new(struct nd_live);
    l->uplink = uplink;
    l->call = call;
    l->process = process;
    l->number = ++uplink->last_frame_id;
    l->connection = uplink->connection;
    l->seq = seq;
    oc_list_init(&l->waiting);
    nd_process_set_output(process, on_output, l);
    return l;
}

void nd_live_stop(struct nd_live *l) {
    l->is_off = true;
    drop_waiting(l);
    nd_process_resume(l->process);
}

/* An old gateway does not know progress, and one whose caller is gone ignores it. */
static bool was_taken(const struct oc_frame *frame) {
    OC_AUTO_JSON cJSON *payload = NULL;
    return frame->ok && oc_frame_parse_body(frame, OC_MAX_PREAUTH_BYTES, &payload, NULL) == OC_OK &&
           !oc_json_get_bool(payload, "ignored", false);
}

bool nd_live_answered(struct nd_live *l, const struct oc_frame *frame) {
    if (strncmp(frame->id, ID_PREFIX, strlen(ID_PREFIX)) != 0 ||
            strtoull(frame->id + strlen(ID_PREFIX), NULL, 10) != l->number) {
        return false;
    }
    l->in_flight -= l->in_flight > 0;
    if (l->is_off) {
        return true;
    }
    if (!was_taken(frame)) {
        oc_log(OC_LOG_DEBUG, "node.live", "the gateway does not pass on live output");
        nd_live_stop(l);
        return true;
    }
    send_waiting(l, ND_LIVE_WINDOW);
    if (oc_list_empty(&l->waiting)) {
        nd_process_resume(l->process);
    }
    return true;
}

bool nd_live_flush(struct nd_live *l) {
    for (int i = 0; i < 2 && !l->is_off; i++) {
        add_all(l, i == 1, l->tails[i].bytes, l->tails[i].len);
        l->tails[i].len = 0;
    }
    send_waiting(l, (unsigned)-1);
    return !l->is_off;
}

void nd_live_destroy(struct nd_live *l) {
    if (l) {
        drop_waiting(l);
        oc_free(l);
    }
}
