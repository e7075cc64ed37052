#include "lib/client/calls.h"

#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/protocol/errors.h"
#include "lib/protocol/grounds.h"
#include "lib/protocol/limits.h"

#include <string.h>

#define DEFAULT_TIMEOUT_MS 30000

struct oc_call {
    struct oc_list link;
    struct oc_calls *calls;
    char id[OC_UUID_LEN + 1];
    char *method;
    int timeout_ms;
    struct oc_timer deadline;
    struct oc_deferred fail;
    bool is_failing; /* fail is queued with this: */
    struct oc_error err;
    oc_reply_done *done;
    void *user;
};

void oc_calls_init(struct oc_calls *c, struct oc_loop *loop) {
    c->loop = loop;
    c->by_id = oc_map_create();
    oc_list_init(&c->list);
}

static void unlink_call(struct oc_call *call) {
    oc_timer_cancel(&call->deadline);
    oc_defer_cancel(&call->fail);
    oc_list_remove(&call->link);
    oc_map_remove(call->calls->by_id, call->id);
    call->calls->count--;
    call->calls = NULL;
}

static void free_call(struct oc_call *call) {
    oc_free(call->method);
    oc_free(call);
}

static void calls_settle(struct oc_call *call, const struct oc_reply *reply) {
    unlink_call(call); /* first: done may start others or end everything */
    if (call->done) {
        call->done(call->user, reply);
    }
    free_call(call);
}

static void settle_error(struct oc_call *call, const struct oc_error *err) {
    calls_settle(call, &(struct oc_reply){ .code = err->code,
                               .error_code = oc_wire_code(err),
                               .message = err->text,
                               .text = err->text,
                               .grounds = err->grounds });
}

static void on_deadline(struct oc_timer *t) {
    struct oc_call *call = t->user;
    struct oc_error err;
    (void)oc_fail(&err, OC_E_TIMEOUT, "%s: no answer within %d ms", call->method, call->timeout_ms);
    settle_error(call, &err);
}

static void on_fail(struct oc_deferred *d) {
    struct oc_call *call = d->user;
    struct oc_error err = call->err;
    settle_error(call, &err);
}

struct oc_call *oc_calls_add(
        struct oc_calls *c, const char *method, int timeout_ms, oc_reply_done *done, void *user) {
    struct oc_call *call = oc_new(struct oc_call);
    call->calls = c;
    oc_uuid4(call->id);
    call->method = oc_strdup(method);
    call->timeout_ms = timeout_ms > 0 ? timeout_ms : DEFAULT_TIMEOUT_MS;
    call->done = done;
    call->user = user;
    call->fail = (struct oc_deferred){ .run = on_fail, .user = call };
    call->deadline = (struct oc_timer){ .on_expire = on_deadline, .user = call };
    oc_list_append(&c->list, &call->link);
    oc_map_put(c->by_id, call->id, call);
    c->count++;
    oc_timer_set(c->loop, &call->deadline, call->timeout_ms);
    return call;
}

const char *oc_call_id(const struct oc_call *call) {
    return call->id;
}

void oc_call_fail_soon(struct oc_call *call, enum oc_code code, const char *text) {
    call->is_failing = true;
    (void)oc_fail(&call->err, code, "%s: %s", call->method, text);
    oc_timer_cancel(&call->deadline);
    oc_defer(call->calls->loop, &call->fail);
}

static enum oc_code code_of_wire(const char *wire) {
    static const struct {
        const char *wire;
        enum oc_code code;
    } table[] = {
        { OC_WIRE_INVALID, OC_E_INVALID },
        { OC_WIRE_UNAVAILABLE, OC_E_UNAVAILABLE },
        { OC_WIRE_NOT_PAIRED, OC_E_DENIED },
        { OC_WIRE_FORBIDDEN, OC_E_DENIED },
    };
    for (size_t i = 0; i < OC_COUNT(table); i++) {
        if (strcmp(table[i].wire, wire) == 0) {
            return table[i].code;
        }
    }
    return OC_E_UNAVAILABLE;
}

static void settle_refused(struct oc_call *call, const struct oc_frame *f, struct oc_blob *blob) {
    OC_AUTO_JSON cJSON *error = NULL;
    if (f->error.len > 0 && f->error.len <= OC_MAX_REQUEST_BYTES) {
        (void)!oc_json_parse(f->error.ptr, f->error.len, &error, NULL);
    }
    const char *wire = oc_json_get_str(error, "code");
    const char *message = oc_json_get_str(error, "message");
    if (oc_str_blank(wire)) {
        wire = OC_WIRE_UNAVAILABLE;
    }
    message = oc_str_blank(message) ? "the gateway gave no reason" : message;
    struct oc_reply reply = { .code = code_of_wire(wire),
        .error_code = wire,
        .message = message,
        .error = error,
        .blob = blob };
    OC_AUTO_FREE char *text = oc_grounds_read(
            &(struct oc_told_error){ .message = message, .details = oc_json_get(error, "details") },
            &reply.grounds);
    reply.text = text;
    calls_settle(call, &reply);
}

bool oc_calls_answer(struct oc_calls *c, const struct oc_frame *f, struct oc_blob *blob) {
    struct oc_call *call = oc_map_get(c->by_id, f->id);
    if (!call) {
        return false;
    }
    if (f->ok) {
        calls_settle(call, &(struct oc_reply){ .ok = true, .payload = f->body, .blob = blob });
    } else {
        settle_refused(call, f, blob);
    }
    return true;
}

static struct oc_call *first_waiting(const struct oc_calls *c) {
    struct oc_call *call;
    oc_list_for_each(call, &c->list, link) {
        if (!call->is_failing) {
            return call;
        }
    }
    return NULL;
}

void oc_calls_fail_all(struct oc_calls *c, enum oc_code code, const char *text) {
    /* Those that fail soon anyway are left: a done that asks again would otherwise never let this
     * end. */
    struct oc_call *call;
    while ((call = first_waiting(c))) {
        struct oc_error err;
        (void)oc_fail(&err, code, "%s: %s", call->method, text);
        settle_error(call, &err);
    }
}

void oc_calls_finish(struct oc_calls *c) {
    while (!oc_list_empty(&c->list)) {
        struct oc_call *call = oc_list_first(&c->list, struct oc_call, link);
        unlink_call(call);
        free_call(call);
    }
    oc_map_destroy(c->by_id);
    c->by_id = NULL;
}
