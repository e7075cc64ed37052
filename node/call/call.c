#include "node/call/call.h"

#include "lib/base/list.h"
#include "lib/base/mem.h"
#include "lib/helper/params.h"
#include "lib/log/log.h"
#include "lib/protocol/errors.h"
#include "lib/protocol/grounds.h"
#include "lib/protocol/limits.h"
#include "node/call/answers.h"
#include "node/call/call_turns.h"
#include "node/call/command.h"
#include "node/helper/helper.h"
#include "node/owner/switches.h"

#include <assert.h>
#include <fcntl.h>
#include <string.h>

enum {
    MAX_CANCEL_BYTES = 64 * 1024,
    COPIES = 3,
    BYTES_PER_UNIT = 512, /* of params, each time something is made of them */
};

struct waiter {
    char *invoke_id;
    uint64_t connection;
};

struct call {
    struct nd_call pub; /* first: commands have a pointer to it */
    struct nd_calls *calls;
    struct oc_list link;
    cJSON *params, *caller;
    char *asked_as;
    struct oc_timer deadline;
    struct oc_deferred freeing; /* the command may still be on the stack when it answers */
    struct waiter waiters[ND_MAX_CALL_WAITERS];
    size_t waiter_count;
    size_t bytes; /* that count for it in nd_call_memory */
    struct nd_call_turn turn;
    unsigned weight;                  /* of its params, in units of work */
    void (*go)(struct nd_call *call); /* in its next turn */
    bool is_unbegun;                  /* it waits for its first turn */
    struct nd_answer_slot *slot;      /* NULL when the request had no key */
    bool is_answered;
};

struct nd_calls {
    struct nd_calls_opts opts;
    struct nd_uplink *uplink;
    struct nd_answers *answers;
    struct oc_list running;  /* call.link */
    struct oc_list answered; /* call.link: to be freed at the end of this round */
    size_t running_count;
    struct nd_call_turns turns;
    void (*on_idle)(void *user);
    void *idle_user;
};

struct nd_calls *nd_calls_create(const struct nd_calls_opts *opts) {
    struct nd_calls *calls = oc_new(struct nd_calls);
    calls->opts = *opts;
    calls->uplink = opts->uplink;
    calls->answers = nd_answers_create(oc_loop_clock(opts->machine->loop), opts->key_file);
    oc_list_init(&calls->running);
    oc_list_init(&calls->answered);
    nd_call_turns_init(&calls->turns, opts->machine->loop);
    return calls;
}

static void call_free(struct call *c) {
    oc_timer_cancel(&c->deadline);
    oc_defer_cancel(&c->freeing);
    nd_call_turn_finish(&c->turn);
    oc_list_remove(&c->link);
    for (size_t i = 0; i < c->waiter_count; i++) {
        oc_free(c->waiters[i].invoke_id);
    }
    nd_call_memory_give_back(c->calls->opts.memory, c->bytes);
    cJSON_Delete(c->params);
    cJSON_Delete(c->pub.clamped);
    cJSON_Delete(c->caller);
    oc_free(c->asked_as);
    oc_free(c);
}

void nd_calls_destroy(struct nd_calls *calls) {
    if (!calls) {
        return;
    }
    while (!oc_list_empty(&calls->running)) {
        struct call *c = oc_list_first(&calls->running, struct call, link);
        if (c->pub.abandon) {
            c->pub.abandon(&c->pub);
        }
        call_free(c);
    }
    while (!oc_list_empty(&calls->answered)) {
        call_free(oc_list_first(&calls->answered, struct call, link));
    }
    nd_call_turns_finish(&calls->turns);
    nd_answers_destroy(calls->answers);
    oc_free(calls);
}

uint64_t nd_calls_work(const struct nd_calls *calls) {
    return calls->turns.turns.work;
}

size_t nd_calls_running(const struct nd_calls *calls) {
    return calls->running_count;
}

void nd_calls_on_idle(struct nd_calls *calls, void (*on_idle)(void *user), void *user) {
    calls->on_idle = on_idle;
    calls->idle_user = user;
}

/* The reference refuses members that it does not know. */
static cJSON *error_for(const struct nd_uplink *up, const char *code, const char *text,
        const struct oc_grounds *grounds) {
    cJSON *error = oc_grounds_error(code, text, grounds, NULL, -1);
    if (!up->takes_grounds) {
        cJSON_DeleteItemFromObjectCaseSensitive(error, "details");
    }
    return error;
}

static void send_refusal(struct nd_uplink *up, const char *invoke_id, const char *code,
        const char *text, const struct oc_grounds *grounds) {
    cJSON *params = cJSON_CreateObject();
    oc_json_set_str(params, "id", invoke_id);
    oc_json_set_str(params, "nodeId", up->device_id);
    oc_json_set_bool(params, "ok", false);
    oc_json_set(params, "error", error_for(up, code, text, grounds));
    nd_uplink_request(up, "node.invoke.result", params);
}

static void send_error(
        struct nd_uplink *up, const char *invoke_id, const char *code, const char *message) {
    send_refusal(up, invoke_id, code, message, &(struct oc_grounds){ 0 });
}

static void send_busy(struct nd_uplink *up, const char *invoke_id, const char *message) {
    send_refusal(up, invoke_id, OC_WIRE_UNAVAILABLE, message,
            &(struct oc_grounds){ .cause = OC_CAUSE_BUSY, .remedy = OC_REMEDY_TRY_LATER });
}

/* In a string of JSON: {"format":"jpg"} becomes {\"format\":\"jpg\",\"base64\":\"…\"}. False: no
 * descriptor was left. */
static bool add_payload(struct oc_msg *m, const struct nd_answer *answer) {
    struct oc_blob *payload = answer->payload;
    struct oc_slice all = { .ptr = payload->data, .len = payload->len };
    if (!answer->media) {
        oc_msg_add_slice(m, payload, all, OC_PART_ESCAPE);
        return true;
    }
    all.len--; /* the closing brace */
    oc_msg_add_slice(m, payload, all, OC_PART_ESCAPE);
    const char *name = all.len > 1 ? ",\\\"base64\\\":\\\"" : "\\\"base64\\\":\\\"";
    oc_msg_add_text(m, name, strlen(name));
    int fd = fcntl(answer->media->fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0) {
        return false;
    }
    oc_msg_add_file(m, fd, answer->media->len);
    oc_msg_add_text(m, "\\\"}", 3);
    return true;
}

/* The payload is escaped while it is written, so a large one is never copied. */
static void send_payload(
        struct nd_uplink *up, const char *invoke_id, const struct nd_answer *answer) {
    struct oc_blob *payload = answer->payload;
    OC_AUTO_BUF struct oc_buf head = nd_uplink_open_request(up, "node.invoke.result");
    oc_buf_puts(&head, "{\"id\":");
    oc_json_append_string(&head, invoke_id, strlen(invoke_id));
    oc_buf_puts(&head, ",\"nodeId\":");
    oc_json_append_string(&head, up->device_id, strlen(up->device_id));
    oc_buf_puts(&head, payload ? ",\"ok\":true,\"payloadJSON\":\"" : ",\"ok\":true");
    struct oc_msg *m = oc_msg_create();
    oc_msg_add_text(m, head.data, head.len);
    bool has_all = true;
    if (payload) {
        has_all = add_payload(m, answer);
        oc_msg_add_text(m, "\"", 1);
    }
    oc_msg_add_text(m, "}}", 2);
    if (!has_all) {
        oc_msg_destroy(m);
        send_error(up, invoke_id, OC_WIRE_UNAVAILABLE,
                "the capture cannot be sent: too many open files");
        return;
    }
    if (oc_msg_size(m) > nd_uplink_max_bytes(up)) {
        oc_msg_destroy(m);
        send_error(up, invoke_id, "PAYLOAD_TOO_LARGE",
                "the result is larger than the gateway's message limit");
        return;
    }
    up->send(up, m);
}

static void send_answer(
        struct nd_uplink *up, const char *invoke_id, const struct nd_answer *answer) {
    if (answer->ok) {
        send_payload(up, invoke_id, answer);
    } else {
        send_refusal(up, invoke_id, answer->code, answer->message,
                answer->grounds ? answer->grounds : &(struct oc_grounds){ 0 });
    }
}

/* Caller frees. */
static char *off_text(const struct nd_switch *off, const char *command, struct oc_grounds *ret) {
    *ret = (struct oc_grounds){
        .cause = OC_CAUSE_SWITCHED_OFF, .gate = OC_GATE_SWITCH, .remedy = OC_REMEDY_ENABLE_SWITCH
    };
    oc_grounds_set_subject(ret, off->name);
    return oc_strfmt(
            "%s: %s is off until the owner of this machine switches it on", off->disabled, command);
}

static void on_free(struct oc_deferred *d) {
    call_free(d->user);
}

/* The one exit of a call. */
static void call_settle(struct call *c, const struct nd_answer *answer) {
    assert(!c->is_answered);
    struct nd_calls *calls = c->calls;
    c->is_answered = true;
    c->pub.cancel = NULL;
    c->pub.attended = NULL;
    c->pub.abandon = NULL;
    oc_timer_cancel(&c->deadline);
    nd_call_turn_leave(&c->turn);
    oc_list_remove(&c->link);
    oc_list_append(&calls->answered, &c->link);
    calls->running_count--;
    for (size_t i = 0; i < c->waiter_count; i++) {
        if (c->waiters[i].connection == calls->uplink->connection) {
            send_answer(calls->uplink, c->waiters[i].invoke_id, answer);
        }
    }
    if (c->slot) {
        nd_answers_end(calls->answers, c->slot, answer);
    }
    oc_defer(calls->opts.machine->loop, &c->freeing);
    if (calls->running_count == 0 && calls->on_idle) {
        calls->on_idle(calls->idle_user);
    }
}

/* The owner may have changed their mind while it ran: what was captured then stays here. */
static void settle_ok(struct nd_call *call, const struct nd_answer *answer) {
    const struct nd_switch *off = nd_command_switched_off(
            ((struct call *)call)->calls->opts.commands, call->command->name);
    if (!off) {
        call_settle((struct call *)call, answer);
        return;
    }
    struct oc_grounds grounds;
    OC_AUTO_FREE char *text = off_text(off, call->command->name, &grounds);
    nd_call_refuse(call, off->disabled, text, &grounds);
}

void nd_call_reply_text(struct nd_call *call, struct oc_blob *take_json) {
    settle_ok(call, &(struct nd_answer){ .ok = true, .payload = take_json });
    oc_blob_unref(take_json);
}

enum oc_code nd_call_read(
        struct nd_call *call, const struct oc_param *table, cJSON *ret, struct oc_error *err) {
    if (!call->clamped) {
        call->clamped = cJSON_CreateArray();
    }
    return oc_params_read(table, call->params, ret, call->clamped, err);
}

/* Peers that do not know the member do not look at it. */
static void tell_changes(struct nd_call *call, cJSON *payload) {
    if (cJSON_GetArraySize(call->clamped) > 0 && cJSON_IsObject(payload)) {
        oc_json_set(payload, "clamped", oc_take(&call->clamped));
    }
}

void nd_call_reply_media(struct nd_call *call, cJSON *take_payload, int take_fd, size_t len) {
    OC_AUTO_FD int fd = take_fd;
    tell_changes(call, take_payload);
    char *text = oc_json_print(take_payload, false);
    cJSON_Delete(take_payload);
    struct oc_blob *payload = oc_blob_take(text, strlen(text));
    struct nd_media media = { .fd = fd, .len = len };
    settle_ok(call, &(struct nd_answer){ .ok = true, .payload = payload, .media = &media });
    oc_blob_unref(payload);
}

void nd_call_reply_json(struct nd_call *call, cJSON *take_payload) {
    if (!take_payload) {
        settle_ok(call, &(struct nd_answer){ .ok = true });
        return;
    }
    tell_changes(call, take_payload);
    char *text = oc_json_print(take_payload, false);
    cJSON_Delete(take_payload);
    nd_call_reply_text(call, oc_blob_take(text, strlen(text)));
}

void nd_call_refuse(struct nd_call *call, const char *code, const char *text,
        const struct oc_grounds *grounds) {
    OC_AUTO_FREE char *own_code = oc_strdup(code);
    OC_AUTO_FREE char *own_text = oc_strdup(text);
    struct oc_grounds own = *grounds;
    call_settle((struct call *)call, &(struct nd_answer){ .code = own_code,
                                             .message = own_text,
                                             .grounds = oc_grounds_any(&own) ? &own : NULL });
}

void nd_call_reply_error(struct nd_call *call, const char *code, const char *message) {
    nd_call_refuse(call, code, message, &(struct oc_grounds){ 0 });
}

void nd_call_not_started(struct nd_call *call, enum oc_code why, const char *text) {
    nd_call_refuse(call, why == OC_E_TIMEOUT ? "TIMEOUT" : "CANCELLED", text,
            &(struct oc_grounds){ .cause = OC_CAUSE_NOT_STARTED });
}

void nd_call_fail(struct nd_call *call, const struct oc_error *err) {
    nd_call_refuse(call, oc_wire_code(err), err->text, &err->grounds);
}

const char *nd_call_invoke_id(const struct nd_call *call) {
    const struct call *c = (const struct call *)call;
    for (size_t i = c->waiter_count; i > 0; i--) {
        if (c->waiters[i - 1].connection == c->calls->uplink->connection) {
            return c->waiters[i - 1].invoke_id;
        }
    }
    return NULL;
}

void nd_calls_cut(struct nd_calls *calls) {
    struct call *c, *tmp;
    oc_list_for_each_safe(c, tmp, &calls->running, link) {
        if (c->pub.attended && !nd_call_invoke_id(&c->pub)) {
            c->pub.attended(&c->pub, false);
        }
    }
}

static void on_deadline(struct oc_timer *t) {
    struct call *c = t->user;
    if (c->pub.cancel) {
        c->pub.cancel(&c->pub, OC_E_TIMEOUT);
    }
}

static void add_waiter(struct call *c, const char *invoke_id) {
    c->waiters[c->waiter_count++] = (struct waiter){ .invoke_id = oc_strdup(invoke_id),
        .connection = c->calls->uplink->connection };
}

static void drop_unknown(const struct nd_command *command, cJSON *params) {
    bool has_names = command->knows && cJSON_IsObject(params);
    for (cJSON *v = has_names ? params->child : NULL, *next; v; v = next) {
        next = v->next;
        if (!command->knows(v->string)) {
            cJSON_Delete(cJSON_DetachItemViaPointer(params, v));
        }
    }
}

/* Stable texts: what a parser has to say about someone's input helps nobody and differs between
 * versions. */
static const char *parse_params(
        const struct nd_command *command, const struct oc_blob *text, cJSON **ret) {
    if (!text) {
        if (command->needs_params) {
            return "Error: INVALID_REQUEST: paramsJSON required";
        }
        *ret = cJSON_CreateObject();
        return NULL;
    }
    if (text->len > (command->max_params ? command->max_params : OC_MAX_REQUEST_BYTES)) {
        return "Error: INVALID_REQUEST: paramsJSON too large";
    }
    if (oc_json_count_values(text->data, text->len) > ND_MAX_PARAM_VALUES) {
        return "Error: INVALID_REQUEST: paramsJSON has too many values";
    }
    OC_AUTO_JSON cJSON *params = NULL;
    struct oc_error err;
    if (oc_json_parse(text->data, text->len, &params, &err) != OC_OK) {
        return "Error: INVALID_REQUEST: paramsJSON malformed";
    }
    if (!cJSON_IsObject(params)) {
        return "Error: INVALID_REQUEST: paramsJSON must be an object";
    }
    drop_unknown(command, params);
    *ret = oc_take(&params);
    return NULL;
}

/* The tree, and what a command makes of it: lists, texts for people, texts for the log. */
static size_t memory_of(const cJSON *params) {
    return oc_json_tree_bytes(params) * COPIES;
}

size_t nd_call_take_memory(struct nd_call *call) {
    struct call *c = (struct call *)call;
    size_t bytes = c->bytes;
    c->bytes = 0;
    return bytes;
}

void nd_call_memory_give_back(struct nd_call_memory *memory, size_t bytes) {
    memory->bytes -= bytes;
}

static void leave_unbegun(struct nd_call *call) {
    struct call *c = (struct call *)call;
    nd_call_turn_leave(&c->turn);
    c->is_unbegun = false;
    call->cancel = NULL;
    call->abandon = NULL;
    call->attended = NULL;
}

static void cancel_unbegun(struct nd_call *call, enum oc_code why) {
    leave_unbegun(call);
    nd_call_not_started(call, why,
            "the command was not started: the node is busy with others of the same caller");
}

/* Nobody would get the picture: it is not taken later either. */
static void unbegun_attended(struct nd_call *call, bool is_attended) {
    if (!is_attended && oc_streq(call->command->helper, ND_HELPER_MEDIA)) {
        cancel_unbegun(call, OC_E_CANCELLED);
    }
}

static void on_turn(void *user) {
    struct call *c = user;
    if (c->is_unbegun) {
        leave_unbegun(&c->pub);
    }
    c->go(&c->pub);
}

void nd_call_in_turn(struct nd_call *call, void (*go)(struct nd_call *call)) {
    struct call *c = (struct call *)call;
    if (!call->cancel && !call->abandon) {
        c->is_unbegun = true;
        call->cancel = cancel_unbegun;
        call->abandon = leave_unbegun;
        call->attended = unbegun_attended;
    }
    c->go = go;
    nd_call_turn_take(&c->turn, c->weight, on_turn, c);
}

static void call_start(struct nd_calls *calls, const struct oc_invoke_request *req,
        const struct nd_command *command, cJSON *take_params, size_t bytes,
        const struct nd_answer_query *query) {
    struct call *c = oc_new(struct call);
    c->calls = calls;
    c->params = take_params;
    c->bytes = bytes;
    c->weight = (unsigned)(bytes / COPIES / BYTES_PER_UNIT);
    calls->opts.memory->bytes += bytes;
    c->caller = cJSON_Duplicate(req->caller, true);
    c->asked_as = oc_strdup(req->id);
    c->pub = (struct nd_call){ .host = calls->opts.host,
        .command = command,
        .params = take_params,
        .caller = c->caller,
        .asked_as = c->asked_as,
        .timeout_ms = req->timeout_ms };
    c->deadline = (struct oc_timer){ .on_expire = on_deadline, .user = c };
    c->freeing = (struct oc_deferred){ .run = on_free, .user = c };
    nd_call_turn_init(&c->turn, &calls->turns, oc_json_get_str(c->caller, "id"));
    oc_list_init(&c->link);
    oc_list_append(&calls->running, &c->link);
    calls->running_count++;
    add_waiter(c, req->id);
    if (query) {
        c->slot = nd_answers_begin(calls->answers, query, c);
    }
    if (req->timeout_ms > 0) {
        oc_timer_set(calls->opts.machine->loop, &c->deadline, req->timeout_ms);
    }
    nd_call_in_turn(&c->pub, command->start);
}

/* True if the key settles the request: it runs already, or has run. */
static bool settled_by_key(struct nd_calls *calls, const struct oc_invoke_request *req,
        const struct nd_command *command, const struct nd_answer_query *query) {
    void *running = NULL;
    const struct nd_answer *answer = NULL;
    enum nd_answer_state state = nd_answers_find(calls->answers, query, &running, &answer);
    bool is_repeat =
            state == ND_ANSWER_RUNNING || state == ND_ANSWER_KNOWN || state == ND_ANSWER_NOT_KEPT;
    /* Only a gateway that says who asks audits. */
    if (is_repeat && req->caller && command->on_repeat) {
        command->on_repeat(calls->uplink, req->id);
    }
    switch (state) {
    case ND_ANSWER_NEW:
        return false;
    case ND_ANSWER_RUNNING: {
        struct call *c = running;
        if (c->waiter_count == ND_MAX_CALL_WAITERS) {
            send_error(calls->uplink, req->id, OC_WIRE_UNAVAILABLE,
                    "node busy: too many repeats of one request");
        } else {
            add_waiter(c, req->id);
            if (c->pub.attended) {
                c->pub.attended(&c->pub, true);
            }
        }
        return true;
    }
    case ND_ANSWER_KNOWN:
        send_answer(calls->uplink, req->id, answer);
        return true;
    case ND_ANSWER_NOT_KEPT:
        send_error(calls->uplink, req->id, "DUPLICATE_REQUEST",
                "a request with this idempotencyKey has already run; its result is not kept");
        return true;
    case ND_ANSWER_OTHER_USE:
        send_error(calls->uplink, req->id, "DUPLICATE_REQUEST",
                "this idempotencyKey was used for a request with other params");
        return true;
    case ND_ANSWER_FULL:
        send_busy(calls->uplink, req->id, "node busy: too many commands in ten minutes");
        return true;
    }
    return false;
}

static void refuse_command(struct nd_calls *calls, const struct oc_invoke_request *req) {
    struct nd_uplink *up = calls->uplink;
    const struct nd_switch *off = nd_command_switched_off(calls->opts.commands, req->command);
    if (!off) {
        send_error(up, req->id, OC_WIRE_UNAVAILABLE, "command not supported");
        return;
    }
    struct oc_grounds grounds;
    OC_AUTO_FREE char *text = off_text(off, req->command, &grounds);
    send_refusal(up, req->id, off->disabled, text, &grounds);
}

static void call_handle(struct nd_calls *calls, const struct oc_invoke_request *req) {
    struct nd_uplink *up = calls->uplink;
    const struct nd_command *command = nd_command_find(calls->opts.commands, req->command);
    if (!command) {
        refuse_command(calls, req);
        return;
    }
    OC_AUTO_JSON cJSON *params = NULL;
    const char *problem = parse_params(command, req->params_json, &params);
    if (problem) {
        send_error(up, req->id, OC_WIRE_INVALID, problem);
        return;
    }
    struct nd_answer_query query = { .command = req->command, .key = req->idempotency_key };
    if (req->params_json) {
        query.params =
                (struct oc_slice){ .ptr = req->params_json->data, .len = req->params_json->len };
    }
    bool has_key = !oc_str_blank(req->idempotency_key) && !command->is_pure;
    if (has_key && settled_by_key(calls, req, command, &query)) {
        return;
    }
    if (req->timeout_ms == 0) {
        send_refusal(up, req->id, "TIMEOUT",
                "the deadline had passed before the command was started",
                &(struct oc_grounds){ .cause = OC_CAUSE_NOT_STARTED });
        return;
    }
    if (calls->running_count >= ND_MAX_NODE_CALLS) {
        send_busy(up, req->id, "node busy: too many commands are running");
        return;
    }
    size_t bytes = memory_of(params), used = calls->opts.memory->bytes;
    if (used > 0 && used + bytes > ND_MAX_NODE_CALL_BYTES) {
        send_error(up, req->id, OC_WIRE_UNAVAILABLE,
                "node busy: what running commands were given takes too much memory; try again when "
                "one has ended");
        return;
    }
    call_start(calls, req, command, oc_take(&params), bytes, has_key ? &query : NULL);
}

void nd_calls_request(struct nd_calls *calls, struct oc_slice payload) {
    struct oc_invoke_request req;
    struct oc_error err;
    if (oc_invoke_request_decode(payload, &req, &err) == OC_OK) {
        call_handle(calls, &req);
    } else if (req.id) {
        send_error(calls->uplink, req.id, OC_WIRE_INVALID,
                "INVALID_REQUEST: malformed node.invoke.request");
    } else {
        oc_log(OC_LOG_DEBUG, "node.call", "the gateway sent an invoke without id, ignoring");
    }
    oc_invoke_request_finish(&req);
}

static struct waiter *find_waiter(struct call *c, const char *invoke_id) {
    for (size_t i = 0; i < c->waiter_count; i++) {
        if (c->waiters[i].connection == c->calls->uplink->connection &&
                strcmp(c->waiters[i].invoke_id, invoke_id) == 0) {
            return &c->waiters[i];
        }
    }
    return NULL;
}

/* Others still want the answer, so only this request ends. The last one to wait gets the answer
 * like everyone: a gateway that has not given up on it wants to know what became of the command,
 * and others ignore it. */
static void cancel_waiter(struct call *c, struct waiter *w) {
    if (c->waiter_count > 1) {
        send_error(c->calls->uplink, w->invoke_id, "CANCELLED",
                "the request was cancelled; others wait for the same command");
        oc_free(w->invoke_id);
        *w = c->waiters[--c->waiter_count];
    } else if (c->pub.cancel) {
        c->pub.cancel(&c->pub, OC_E_CANCELLED);
    }
}

void nd_calls_cancel(struct nd_calls *calls, struct oc_slice payload) {
    OC_AUTO_JSON cJSON *tree = NULL;
    struct oc_error err;
    if (payload.len == 0 || payload.len > MAX_CANCEL_BYTES ||
            oc_json_parse(payload.ptr, payload.len, &tree, &err) != OC_OK) {
        return;
    }
    const char *id = oc_json_get_str(tree, "invokeId");
    id = id ? id : oc_json_get_str(tree, "id");
    struct call *c;
    oc_list_for_each(c, &calls->running, link) {
        struct waiter *w = id ? find_waiter(c, id) : NULL;
        if (w) {
            cancel_waiter(c, w);
            return;
        }
    }
}

void nd_calls_withdraw(struct nd_calls *calls) {
    struct call *c, *tmp;
    oc_list_for_each_safe(c, tmp, &calls->running, link) {
        const char *name = c->pub.command->name;
        const struct nd_switch *off = nd_command_switched_off(calls->opts.commands, name);
        if (!off || !c->pub.abandon) {
            continue; /* it answers by itself, and settle_ok looks again */
        }
        struct oc_grounds grounds;
        OC_AUTO_FREE char *text = off_text(off, name, &grounds);
        c->pub.abandon(&c->pub);
        nd_call_refuse(&c->pub, off->disabled, text, &grounds);
    }
}

void nd_calls_cancel_all(struct nd_calls *calls) {
    struct call *c, *tmp;
    oc_list_for_each_safe(c, tmp, &calls->running, link) {
        if (c->pub.cancel) {
            c->pub.cancel(&c->pub, OC_E_CANCELLED);
        }
    }
}
