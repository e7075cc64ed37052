#include "node/commands/helper_call.h"

#include "lib/base/mem.h"
#include "lib/protocol/errors.h"
#include "node/commands/host.h"

static void on_answer(void *user, struct nd_helper_answer *answer) {
    struct nd_call *call = user;
    call->work = NULL;
    if (!answer->ok) {
        nd_call_refuse(call, answer->code, answer->message, &answer->grounds);
    } else if (answer->fd < 0) {
        nd_call_reply_json(call, oc_take(&answer->result));
    } else {
        cJSON *result = oc_take(&answer->result);
        nd_call_reply_media(
                call, result ? result : cJSON_CreateObject(), oc_take_fd(&answer->fd), answer->len);
    }
}

static void helper_call_cancel(struct nd_call *call, enum oc_code why) {
    nd_helper_stop(call->work);
    if (why == OC_E_TIMEOUT) {
        nd_call_reply_error(call, "TIMEOUT", "the caller's time was over");
    } else if (call->host->machine.is_stopping) {
        nd_call_reply_error(call, OC_WIRE_UNAVAILABLE,
                "UNAVAILABLE: the node is stopping; nothing of the capture was kept");
    } else {
        nd_call_reply_error(call, "CANCELLED", "cancelled by the caller");
    }
}

static void helper_call_abandon(struct nd_call *call) {
    nd_helper_stop(call->work);
}

/* Nobody would get the picture, so none is taken. */
static void helper_call_attended(struct nd_call *call, bool is_attended) {
    if (!is_attended) {
        helper_call_cancel(call, OC_E_CANCELLED);
    }
}

void nd_helper_answer_call(struct nd_call *call, const struct nd_helper_opts *opts) {
    nd_helper_answer_call_telling(call, opts, NULL);
}

void nd_helper_answer_call_telling(struct nd_call *call, const struct nd_helper_opts *opts,
        void (*on_progress)(void *user, const cJSON *progress)) {
    struct nd_helper_events events = { .on_answer = on_answer, .on_progress = on_progress };
    struct nd_helper *h = nd_helper_start(&call->host->helpers, opts, &events, call);
    if (h) {
        call->work = h;
        call->cancel = helper_call_cancel;
        call->abandon = helper_call_abandon;
        call->attended = helper_call_attended;
    }
}
