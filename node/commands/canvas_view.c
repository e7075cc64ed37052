/* canvas.view, ours: the canvas as a picture for somebody elsewhere, when it is another than the
 * last they saw.
 *
 *   {"since"?,"waitMs"?} ─▶ {"rev","width","height","changed":true,"format":"png","base64"}
 *                        └▶ {"rev","width","height","changed":false}: nothing new, also not
 *                           within waitMs
 *
 * {"width","height"?,"scale"?}: laid out for a view port of the asker's own; without a height it is
 * as high as its content. A web page has one size, whoever looks.
 *
 * Web pages do not say when they change: their answer comes at once, with "polled":true. */
#include "node/call/command.h"

#include "lib/base/mem.h"
#include "node/canvas/canvas.h"
#include "node/commands/canvas_port.h"
#include "node/commands/host.h"

enum { LOOK_MS = 25000, MAX_WAIT_MS = 25000 };

struct view {
    struct nd_call *call;
    int64_t since;
    cJSON *port;    /* the asker's view port, an object; empty: the canvas' own */
    uint64_t asked; /* 0: waits for a change */
    cJSON *last;    /* answer without news */
    struct nd_canvas_watch watch;
    struct oc_timer waiting; /* not set: the next answer counts */
};

static void canvas_view_finish(struct view *v) {
    if (v->asked) {
        nd_canvas_forget(&v->call->host->canvas, v->asked);
    }
    nd_canvas_unwatch(&v->watch);
    oc_timer_cancel(&v->waiting);
    cJSON_Delete(v->last);
    cJSON_Delete(v->port);
    oc_free(v);
}

static void on_answer(void *user, struct nd_helper_answer *a) {
    struct view *v = user;
    struct nd_call *call = v->call;
    v->asked = 0;
    bool is_polled = oc_json_get_bool(a->result, "polled", false);
    if (a->ok && a->fd < 0 && v->waiting.loop && !is_polled) {
        cJSON_Delete(v->last);
        v->last = oc_take(&a->result);
        nd_node_canvas_watch(&call->host->canvas, &v->watch);
        return;
    }
    canvas_view_finish(v);
    cJSON *result = a->result ? oc_take(&a->result) : cJSON_CreateObject();
    if (!a->ok) {
        cJSON_Delete(result);
        nd_call_refuse(call, a->code, a->message, &a->grounds);
    } else if (a->fd < 0) {
        nd_call_reply_json(call, result);
    } else {
        oc_json_set_str(result, "format", "png");
        nd_call_reply_media(call, result, oc_take_fd(&a->fd), a->len);
    }
}

/* v may be gone afterwards. */
static void canvas_view_look(struct view *v) {
    cJSON *params = cJSON_Duplicate(v->port, true);
    oc_json_set_int(params, "since", v->since);
    uint64_t asked = nd_node_canvas_ask(&v->call->host->canvas,
            &(struct nd_canvas_ask){ .what = "view", .take_params = params, .timeout_ms = LOOK_MS },
            on_answer, v);
    if (asked) {
        v->asked = asked;
    }
}

static void on_changed(struct nd_canvas_watch *w) {
    canvas_view_look(w->user);
}

static void on_waited(struct oc_timer *t) {
    struct view *v = t->user;
    struct nd_call *call = v->call;
    if (v->asked) {
        return; /* its answer counts now */
    }
    cJSON *last = v->last ? oc_take(&v->last) : cJSON_CreateObject();
    canvas_view_finish(v);
    nd_call_reply_json(call, last);
}

static void canvas_view_abandon(struct nd_call *call) {
    canvas_view_finish(call->work);
}

static void canvas_view_cancel(struct nd_call *call, enum oc_code why) {
    canvas_view_finish(call->work);
    bool is_late = why == OC_E_TIMEOUT;
    nd_call_reply_error(call, is_late ? "TIMEOUT" : "CANCELLED",
            is_late ? "TIMEOUT: the caller's time was over" : "CANCELLED: cancelled by the caller");
}

static void canvas_view_start(struct nd_call *call) {
    int64_t wait_ms = oc_json_get_ms(call->params, "waitMs", 0);
    OC_AUTO_JSON cJSON *port = cJSON_CreateObject();
    struct oc_error err;
    if (nd_canvas_copy_port(call->params, port, &err) != OC_OK) {
        nd_call_fail(call, &err);
        return;
    }
    struct view *v = oc_new(struct view);
    v->call = call;
    v->port = oc_take(&port);
    v->since = oc_json_get_int(call->params, "since", 0, OC_JSON_MAX_EXACT, -1);
    v->watch = (struct nd_canvas_watch){ .on_changed = on_changed, .user = v };
    v->waiting = (struct oc_timer){ .on_expire = on_waited, .user = v };
    if (wait_ms > 0) {
        oc_timer_set(call->host->machine.loop, &v->waiting,
                wait_ms < MAX_WAIT_MS ? wait_ms : MAX_WAIT_MS);
    }
    call->work = v;
    call->cancel = canvas_view_cancel;
    call->abandon = canvas_view_abandon;
    canvas_view_look(v);
}

const struct nd_command nd_command_canvas_view = {
    .name = "canvas.view",
    .cap = "canvas",
    .summary = "The canvas as it is now, if it has changed",
    .is_pure = true,
    .switch_name = "canvas",
    .helper = ND_HELPER_CANVAS,
    .start = canvas_view_start,
};
