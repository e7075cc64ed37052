#include "node/canvas/canvas_impl.h"

#include "lib/base/mem.h"
#include "lib/helper/failure.h"
#include "lib/helper/packet.h"
#include "lib/log/log.h"
#include "lib/protocol/limits.h"
#include "node/canvas/canvas_kept.h"
#include "node/canvas/canvas_pictures.h"

#define TAG "node.canvas"

enum {
    ANSWER_MS = 30000,
    IDLE_MS = 60000, /* without a surface */
    MAX_OWN = 64,    /* what else it is told, and has not answered */
};

static bool has_nothing_to_show(const struct nd_canvas *c) {
    return nd_canvas_kept_is_empty(c->kept) && !c->page && !(c->is_window && c->is_visible);
}

void nd_canvas_watch_idle(struct nd_canvas *c) {
    if (c->helper && oc_list_empty(&c->asked) && has_nothing_to_show(c)) {
        oc_timer_set(c->site->machine->loop, &c->idle, IDLE_MS);
    } else {
        oc_timer_cancel(&c->idle);
    }
}

static void canvas_queue_release(struct nd_canvas_asked *a) {
    struct nd_canvas *c = a->canvas;
    oc_list_remove(&a->link);
    c->asked_count -= a->is_callers;
    c->own_count -= !a->is_callers;
    if (a->picture) {
        nd_canvas_pictures_taken(c->pictures, a->picture);
    }
    oc_timer_cancel(&a->deadline);
    cJSON_Delete(a->message);
    oc_auto_close(&a->fd);
    oc_blob_unref(a->jsonl);
    oc_free(a->session_key);
    oc_free(a);
}

static void canvas_queue_settle(struct nd_canvas_asked *a, struct nd_helper_answer *answer) {
    struct nd_canvas *c = a->canvas;
    nd_canvas_done *done = a->done;
    void *user = a->user;
    if (answer->ok) {
        nd_canvas_take_note(c, a, answer);
    }
    canvas_queue_release(a);
    nd_canvas_watch_idle(c);
    if (done) {
        done(user, answer);
    }
    cJSON_Delete(answer->result);
    oc_auto_close(&answer->fd);
}

void nd_canvas_fail(struct nd_canvas_asked *a, const char *why, const struct oc_grounds *grounds) {
    OC_AUTO_FREE char *text = oc_strfmt(ND_CANVAS_UNAVAILABLE ": %s", why);
    struct nd_helper_answer answer = { .fd = -1, .code = ND_CANVAS_UNAVAILABLE, .message = text };
    if (grounds) {
        answer.grounds = *grounds;
    }
    canvas_queue_settle(a, &answer);
}

struct nd_canvas_asked *nd_canvas_find(struct nd_canvas *c, uint64_t id) {
    for (struct oc_list *l = c->asked.next; l != &c->asked; l = l->next) {
        struct nd_canvas_asked *a = OC_CONTAINER(l, struct nd_canvas_asked, link);
        if (a->id == id) {
            return a;
        }
    }
    return NULL;
}

/* It hangs: whatever else it was asked waits behind. */
static void on_late(struct oc_timer *t) {
    struct nd_canvas_asked *a = t->user;
    struct nd_canvas *c = a->canvas;
    oc_log(OC_LOG_WARN, TAG, "the canvas did not answer in time and is ended what=%s",
            oc_json_get_str(a->message, "do"));
    nd_helper_stop(oc_take(&c->helper));
    a->is_again = true; /* it is the reason */
    int none = -1;
    nd_canvas_on_message(
            c, NULL, &none, &(struct nd_helper_answer){ .message = "it did not answer in time" });
}

/* One that does not listen is dying: what was asked waits for its end, and is asked again. One that
 * only does not keep up is asked when it does; how long that may take is the deadline's to say. */
void nd_canvas_send(struct nd_canvas_asked *a) {
    struct nd_canvas *c = a->canvas;
    struct oc_error err;
    a->is_unsent = c->is_full;
    if (a->is_unsent) {
        return;
    }
    enum oc_code rc = nd_helper_send(c->helper, a->message, a->fd, &err);
    a->is_unsent = c->is_full = rc == OC_E_UNAVAILABLE;
    if (rc != OC_OK && rc != OC_E_CLOSED && !c->is_full) {
        nd_canvas_fail(a, err.text, NULL);
    }
}

static struct nd_canvas_asked *first_unsent(struct nd_canvas *c) {
    for (struct oc_list *l = c->asked.next; l != &c->asked; l = l->next) {
        struct nd_canvas_asked *a = OC_CONTAINER(l, struct nd_canvas_asked, link);
        if (a->is_unsent) {
            return a;
        }
    }
    return NULL;
}

void nd_canvas_on_writable(void *user) {
    struct nd_canvas *c = user;
    struct nd_canvas_asked *a;
    c->is_full = false;
    while (c->helper && !c->is_full && (a = first_unsent(c))) {
        nd_canvas_send(a);
    }
}

struct nd_canvas_asked *nd_canvas_enqueue(
        struct nd_canvas *c, const struct nd_canvas_ask *ask, bool is_callers) {
    struct nd_canvas_asked *a = oc_new(struct nd_canvas_asked);
    a->canvas = c;
    a->is_callers = is_callers;
    a->id = ++c->last_id;
    a->fd = ask->bytes ? oc_sealed_create(ask->bytes, ask->len) : -1;
    a->message = cJSON_CreateObject();
    oc_json_set_int(a->message, "id", (int64_t)a->id);
    oc_json_set_str(a->message, "do", ask->what);
    oc_json_set(a->message, "params", ask->take_params);
    a->deadline = (struct oc_timer){ .on_expire = on_late, .user = a };
    oc_list_append(&c->asked, &a->link);
    c->asked_count += is_callers;
    c->own_count += !is_callers;
    oc_timer_set(c->site->machine->loop, &a->deadline,
            ask->timeout_ms > 0 ? ask->timeout_ms : ANSWER_MS);
    return a;
}

/* Ours: nobody waits for the answer. What we have to say to one that never answers has an end. */
void nd_canvas_tell(struct nd_canvas *c, const struct nd_canvas_ask *ask) {
    if (c->helper && c->own_count < MAX_OWN) {
        nd_canvas_send(nd_canvas_enqueue(c, ask, false));
    } else {
        cJSON_Delete(ask->take_params);
    }
}

void nd_canvas_take_answer(struct nd_canvas *c, const cJSON *message, int *fd) {
    struct nd_canvas_asked *a =
            nd_canvas_find(c, (uint64_t)oc_json_get_int(message, "id", 0, OC_JSON_MAX_EXACT, 0));
    struct nd_helper_answer answer = { .fd = -1, .ok = oc_json_get_bool(message, "ok", false) };
    if (!a) {
        return;
    }
    c->has_spoken = true;
    if (!answer.ok) {
        const char *code = oc_json_get_str(message, "code"),
                   *text = oc_json_get_str(message, "message");
        answer.code = code ? code : ND_CANVAS_UNAVAILABLE;
        answer.message = text ? text : "the canvas gave no reason";
        oc_failure_read(message, &answer.grounds);
    } else if (*fd >= 0 && !oc_sealed_check(*fd, OC_MAX_MESSAGE_BYTES, &answer.len)) {
        nd_canvas_fail(a, "the picture is not sealed or too large", NULL);
        return;
    } else {
        const cJSON *result = oc_json_get(message, "result");
        answer.result = cJSON_IsObject(result) ? cJSON_Duplicate(result, true) : NULL;
        answer.fd = oc_take_fd(fd);
    }
    canvas_queue_settle(a, &answer);
}
