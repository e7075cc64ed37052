#include "node/canvas/canvas_actions.h"

#include "lib/base/mem.h"
#include "node/canvas/canvas_action.h"

enum {
    ANSWER_MS = 10000,
    MAX_SENT = 8, /* and not answered */
    BURST = 20,
    EVERY_MS = 100, /* in the long run */
};

struct sent {
    struct nd_canvas_actions *of;
    char *id; /* NULL: free */
};

struct nd_canvas_actions {
    struct nd_canvas_site *site;
    nd_canvas_action_done *done;
    void *user;
    struct sent sent[MAX_SENT];
    int left; /* that may come now */
    int64_t counted_ms;
};

struct nd_canvas_actions *nd_canvas_actions_create(
        struct nd_canvas_site *site, nd_canvas_action_done *done, void *user) {
    struct nd_canvas_actions *a = oc_new(struct nd_canvas_actions);
    a->site = site;
    a->done = done;
    a->user = user;
    a->left = BURST;
    return a;
}

void nd_canvas_actions_destroy(struct nd_canvas_actions *a) {
    for (size_t i = 0; a && i < MAX_SENT; i++) {
        oc_free(a->sent[i].id);
    }
    oc_free(a);
}

/* NULL: an agent has it, as far as the gateway says; the reference answers only {"ok":true}. */
static const char *why_unheard(const struct oc_reply *reply) {
    OC_AUTO_JSON cJSON *told = NULL;
    struct oc_error ignored;
    if (!reply->payload.len ||
            oc_json_parse(reply->payload.ptr, reply->payload.len, &told, &ignored) != OC_OK ||
            oc_json_get_bool(told, "handled", true)) {
        return NULL;
    }
    const char *reason = oc_json_get_str(told, "reason");
    return oc_streq(reason, "no_listener")    ? "no agent listens"
           : oc_streq(reason, "rate_limited") ? "too many at a time"
           : oc_streq(reason, "not_approved") ? "this machine is not approved"
                                              : "refused by the gateway";
}

static void on_told(void *user, const struct oc_reply *reply) {
    struct sent *s = user;
    OC_AUTO_FREE char *id = oc_take(&s->id);
    const char *error = reply->ok                    ? why_unheard(reply)
                        : reply->code == OC_E_CLOSED ? "gateway not connected"
                        : reply->message             ? reply->message
                                                     : "send failed";
    s->of->done(s->of->user, id, error);
}

/* People do not press faster; programs that were taken over do. */
bool nd_canvas_actions_allow(struct nd_canvas_actions *a) {
    int64_t now = oc_loop_now_ms(a->site->machine->loop);
    int64_t earned = (now - a->counted_ms) / EVERY_MS;
    if (earned > 0) {
        a->left = earned >= BURST - a->left ? BURST : a->left + (int)earned;
        a->counted_ms = now;
    }
    if (a->left == 0) {
        return false;
    }
    a->left--;
    return true;
}

static struct sent *free_place(struct nd_canvas_actions *a) {
    for (size_t i = 0; i < MAX_SENT; i++) {
        if (!a->sent[i].id) {
            return &a->sent[i];
        }
    }
    return NULL;
}

void nd_canvas_actions_take(struct nd_canvas_actions *a, const cJSON *action,
        const char *session_key, const char *via) {
    struct nd_canvas_teller teller = { .session_key = session_key,
        .host = a->site->machine->name,
        .instance = a->site->uplink->instance_id,
        .via = via };
    OC_AUTO_FREE char *id = NULL;
    cJSON *params = NULL;
    struct sent *place = free_place(a);
    struct oc_error err;
    const char *given = oc_json_get_str(oc_json_get(action, "userAction"), "id");
    if (!nd_canvas_actions_allow(a)) {
        a->done(a->user, given, "too many in a short time");
    } else if (nd_canvas_action_tell(action, &teller, &params, &id, &err) != OC_OK) {
        a->done(a->user, given, err.text);
    } else if (!place || !a->site->uplink->ask) {
        cJSON_Delete(params);
        a->done(a->user, id, place ? "gateway not connected" : "too many at a time");
    } else {
        *place = (struct sent){ .of = a, .id = oc_take(&id) };
        a->site->uplink->ask(a->site->uplink, "node.event", params, ANSWER_MS, on_told, place);
    }
}
