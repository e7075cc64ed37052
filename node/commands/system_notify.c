/* system.notify: a notification on the desktop of this machine (docs/PROTOCOL.md#node-commands). */
#include "node/call/command.h"

#include "lib/base/mem.h"
#include "lib/helper/capture_params.h"
#include "lib/protocol/errors.h"
#include "node/commands/host.h"
#include "node/owner/notices.h"

/* More than a person reads is a way to hide something else. */
enum { MAX_NOTICES = 20, WINDOW_MS = 10000 };

/* One that is on its way to the screen. */
struct showing {
    struct nd_call *call;
    struct nd_helper *helper;
    char *key;
};

static void system_notify_forget(struct showing *s) {
    s->call->work = NULL;
    oc_free(s->key);
    oc_free(s);
}

static void on_answer(void *user, struct nd_helper_answer *answer) {
    struct showing *s = user;
    struct nd_call *call = s->call;
    if (answer->ok) {
        nd_notice_shown(&call->host->desktop, s->key, answer->result);
    }
    system_notify_forget(s);
    if (answer->ok) {
        nd_call_reply_json(call, NULL);
    } else {
        nd_call_refuse(call, answer->code, answer->message, &answer->grounds);
    }
}

static void system_notify_abandon(struct nd_call *call) {
    struct showing *s = call->work;
    nd_helper_stop(s->helper);
    system_notify_forget(s);
}

static void system_notify_cancel(struct nd_call *call, enum oc_code why) {
    system_notify_abandon(call);
    nd_call_reply_error(call, why == OC_E_TIMEOUT ? "TIMEOUT" : "CANCELLED",
            "the notification may not have been shown");
}

/* How long to wait; 0: go on. */
static int64_t too_soon_ms(const struct nd_host *host) {
    static int64_t started_ms;
    static int count;
    int64_t now = oc_mono_ms(oc_loop_clock(host->machine.loop));
    if (count == 0 || now - started_ms >= WINDOW_MS) {
        started_ms = now;
        count = 0;
    }
    if (count >= MAX_NOTICES) {
        return started_ms + WINDOW_MS - now;
    }
    count++;
    return 0;
}

static void system_notify_start(struct nd_call *call) {
    static const struct nd_helper_events events = { .on_answer = on_answer };
    OC_AUTO_JSON cJSON *asked = cJSON_CreateObject();
    struct oc_error err;
    if (nd_call_read(call, oc_notify_params, asked, &err) != OC_OK) {
        nd_call_fail(call, &err);
        return;
    }
    struct nd_notice notice = { .title = oc_json_get_str(asked, "title"),
        .body = oc_json_get_str(asked, "body"),
        .sound = oc_json_get_str(asked, "sound"),
        .priority = oc_json_get_str(asked, "priority"),
        .delivery = oc_json_get_str(asked, "delivery") };
    if (!notice.title && !notice.body) {
        nd_call_reply_error(call, OC_WIRE_INVALID, "INVALID_REQUEST: empty notification");
        return;
    }
    int64_t wait_ms = too_soon_ms(call->host);
    if (wait_ms > 0) {
        OC_AUTO_FREE char *text = oc_strfmt("UNAVAILABLE: too many notifications: %d in %d s are "
                                            "shown; try again in %lld ms",
                MAX_NOTICES, WINDOW_MS / 1000, (long long)wait_ms);
        nd_call_refuse(
                call, OC_WIRE_UNAVAILABLE, text, &(struct oc_grounds){ .cause = OC_CAUSE_BUSY });
        return;
    }
    struct showing *s = oc_new(struct showing);
    s->call = call;
    /* The same words again are the same notification again; never one of the node's own, whose keys
     * begin otherwise. */
    s->key = oc_strfmt(
            "notify\n%s\n%s", notice.title ? notice.title : "", notice.body ? notice.body : "");
    notice.key = s->key;
    call->work = s;
    struct nd_helper *h = nd_helper_start(&call->host->helpers,
            &(struct nd_helper_opts){ .program = ND_HELPER_DESKTOP,
                    .what = "notify",
                    .take_params = nd_notice_params(&call->host->desktop, &notice),
                    .timeout_ms = ND_NOTICE_MS },
            &events, s);
    if (h) { /* otherwise it is answered, and all of this is gone */
        s->helper = h;
        call->cancel = system_notify_cancel;
        call->abandon = system_notify_abandon;
    }
}

const struct nd_command nd_command_system_notify = {
    .name = "system.notify",
    .cap = "system",
    .summary = "Show a notification on this machine's desktop",
    .needs_params = true,
    .helper = ND_HELPER_DESKTOP,
    .start = system_notify_start,
};
