#include "node/commands/helper_call.h"

#include "lib/base/mem.h"
#include "lib/protocol/errors.h"
#include "node/commands/host.h"

static void on_answer(void *user, struct oc_helper_answer *answer) {
    struct oc_node_call *call = user;
    call->work = NULL;
    if (!answer->ok) {
        oc_node_call_reply_error(call, answer->code, answer->message);
    } else if (answer->fd < 0) {
        oc_node_call_reply_json(call, oc_take(&answer->result));
    } else {
        cJSON *result = oc_take(&answer->result);
        oc_node_call_reply_media(
                call, result ? result : cJSON_CreateObject(), oc_take_fd(&answer->fd), answer->len);
    }
}

static void cancel(struct oc_node_call *call, enum oc_code why) {
    oc_helper_stop(call->work);
    if (why == OC_E_TIMEOUT) {
        oc_node_call_reply_error(call, "TIMEOUT", "the caller's time was over");
    } else if (call->host->machine.is_stopping) {
        oc_node_call_reply_error(call, OC_WIRE_UNAVAILABLE,
                "UNAVAILABLE: the node is stopping; nothing of the capture was kept");
    } else {
        oc_node_call_reply_error(call, "CANCELLED", "cancelled by the caller");
    }
}

static void abandon(struct oc_node_call *call) {
    oc_helper_stop(call->work);
}

/* Nobody would get the picture: a camera does not film for nobody. */
static void attended(struct oc_node_call *call, bool is_attended) {
    if (!is_attended) {
        cancel(call, OC_E_CANCELLED);
    }
}

void oc_helper_answer_call(struct oc_node_call *call, const struct oc_helper_opts *opts) {
    oc_helper_answer_call_telling(call, opts, NULL);
}

void oc_helper_answer_call_telling(struct oc_node_call *call, const struct oc_helper_opts *opts,
        void (*on_progress)(void *user, const cJSON *progress)) {
    struct oc_helper_events events = { .on_answer = on_answer, .on_progress = on_progress };
    struct oc_helper *h = oc_helper_start(&call->host->helpers, opts, &events, call);
    if (h) {
        call->work = h;
        call->cancel = cancel;
        call->abandon = abandon;
        call->attended = attended;
    }
}
