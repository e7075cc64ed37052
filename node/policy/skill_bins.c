#include "node/policy/skill_bins.h"

#include "lib/base/list.h"
#include "lib/base/mem.h"
#include "lib/json/json.h"
#include "lib/protocol/limits.h"

enum {
    BELIEVED_MS = 90000,
    ASK_AGAIN_MS = 5000, /* after no answer */
    ANSWER_MS = 5000,
    MAX_NAMES = 4096,
};

struct wait {
    struct oc_list link;
    struct nd_call *call;
    void (*start)(struct nd_call *call);
};

struct nd_skill_bins {
    struct oc_loop *loop;
    struct nd_uplink *uplink;
    struct oc_strv names;
    int64_t known_until_ms; /* 0: never asked */
    bool is_asking;
    struct oc_list waits; /* wait.link */
};

static int64_t now_ms(const struct nd_skill_bins *s) {
    return oc_mono_ms(oc_loop_clock(s->loop));
}

struct nd_skill_bins *nd_skill_bins_create(struct oc_loop *loop, struct nd_uplink *uplink) {
    struct nd_skill_bins *s = oc_new(struct nd_skill_bins);
    s->loop = loop;
    s->uplink = uplink;
    oc_list_init(&s->waits);
    return s;
}

void nd_skill_bins_destroy(struct nd_skill_bins *s) {
    if (s) {
        oc_strv_finish(&s->names);
        oc_free(s);
    }
}

const struct oc_strv *nd_skill_bins_now(const struct nd_skill_bins *s) {
    return s && now_ms(s) < s->known_until_ms ? &s->names : NULL;
}

/* Takes the call back from the wait. */
static struct nd_call *skill_bins_release(struct wait *w) {
    struct nd_call *call = w->call;
    call->work = NULL;
    call->cancel = NULL;
    call->abandon = NULL;
    oc_list_remove(&w->link);
    oc_free(w);
    return call;
}

static void on_cancel(struct nd_call *call, enum oc_code why) {
    (void)skill_bins_release(call->work);
    nd_call_not_started(call, why,
            "the command was not started: the gateway did not say in time which programs its "
            "skills need");
}

static void on_abandon(struct nd_call *call) {
    (void)skill_bins_release(call->work);
}

static void on_answer(void *user, const struct oc_reply *reply) {
    struct nd_skill_bins *s = user;
    s->is_asking = false;
    oc_strv_finish(&s->names);
    OC_AUTO_JSON cJSON *payload = NULL;
    bool is_known = reply->ok && reply->payload.len <= OC_MAX_REQUEST_BYTES &&
                    oc_json_parse(reply->payload.ptr, reply->payload.len, &payload, NULL) == OC_OK;
    const cJSON *bins = oc_json_get(payload, "bins");
    if (is_known && cJSON_GetArraySize(bins) <= MAX_NAMES) {
        oc_json_get_strv(payload, "bins", &s->names);
    }
    s->known_until_ms = now_ms(s) + (is_known ? BELIEVED_MS : ASK_AGAIN_MS);
    while (!oc_list_empty(&s->waits)) {
        struct wait *w = OC_CONTAINER(s->waits.next, struct wait, link);
        void (*start)(struct nd_call *) = w->start;
        start(skill_bins_release(w));
    }
}

bool nd_skill_bins_wait(
        struct nd_skill_bins *s, struct nd_call *call, void (*start)(struct nd_call *call)) {
    if (!s || !s->uplink->ask) {
        return false;
    }
    struct wait *w = oc_new(struct wait);
    w->call = call;
    w->start = start;
    oc_list_append(&s->waits, &w->link);
    call->work = w;
    call->cancel = on_cancel;
    call->abandon = on_abandon;
    if (!s->is_asking) {
        s->is_asking = true;
        s->uplink->ask(s->uplink, "skills.bins", cJSON_CreateObject(), ANSWER_MS, on_answer, s);
    }
    return true;
}
