#include "gateway/canvas/canvas_caps.h"

#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"

#include <string.h>

enum { TOKEN_BYTES = GW_CANVAS_CAP_LEN / 4 * 3 };

struct gw_canvas_caps {
    struct oc_list all; /* gw_canvas_cap.link */
    unsigned count;
    gw_canvas_cap_ended *on_ended;
    void *user;
};

struct gw_canvas_caps *gw_canvas_caps_create(gw_canvas_cap_ended *on_ended, void *user) {
    struct gw_canvas_caps *c = oc_new(struct gw_canvas_caps);
    oc_list_init(&c->all);
    c->on_ended = on_ended;
    c->user = user;
    return c;
}

static void canvas_caps_end(struct gw_canvas_caps *c, struct gw_canvas_cap *cap) {
    c->on_ended(c->user, cap);
    oc_list_remove(&cap->link);
    c->count--;
    explicit_bzero(cap->token, sizeof(cap->token));
    oc_free(cap->node_id);
    oc_free(cap->actor);
    oc_free(cap->device_id);
    oc_free(cap);
}

void gw_canvas_caps_destroy(struct gw_canvas_caps *c) {
    if (!c) {
        return;
    }
    while (!oc_list_empty(&c->all)) {
        canvas_caps_end(c, oc_list_first(&c->all, struct gw_canvas_cap, link));
    }
    oc_free(c);
}

void gw_canvas_caps_end_late(struct gw_canvas_caps *c, int64_t now_ms) {
    struct gw_canvas_cap *cap, *next;
    oc_list_for_each_safe(cap, next, &c->all, link) {
        if (now_ms >= cap->until_ms || now_ms - cap->born_ms >= GW_CANVAS_WATCH_MAX_MS) {
            canvas_caps_end(c, cap);
        }
    }
}

/* False: this actor has as many as they may, and looks at all of them. */
static bool make_room_for(struct gw_canvas_caps *c, const char *actor) {
    unsigned held = 0;
    struct gw_canvas_cap *cap, *oldest = NULL;
    oc_list_for_each(cap, &c->all, link) {
        if (oc_streq(cap->actor, actor)) {
            held++;
            oldest = !oldest && cap->sockets == 0 ? cap : oldest;
        }
    }
    if (held < GW_MAX_WATCH_CAPS_PER_ACTOR) {
        return true;
    }
    if (oldest) {
        canvas_caps_end(c, oldest);
    }
    return oldest != NULL;
}

enum oc_code gw_canvas_cap_open(struct gw_canvas_caps *c, int64_t now_ms,
        const struct gw_canvas_cap *like, struct gw_canvas_cap **ret, struct oc_error *err) {
    gw_canvas_caps_end_late(c, now_ms);
    if (!make_room_for(c, like->actor)) {
        return oc_fail_busy(err, OC_REMEDY_CLOSE_PAGES,
                "%d of your addresses are being looked at, and that is all you may have",
                GW_MAX_WATCH_CAPS_PER_ACTOR);
    }
    if (c->count >= GW_MAX_WATCH_CAPS) {
        return oc_fail_busy(err, OC_REMEDY_TRY_LATER,
                "too many addresses of canvases are open (%u); they end after 30 minutes without "
                "use",
                c->count);
    }
    uint8_t secret[TOKEN_BYTES];
    oc_random(secret, sizeof(secret));
    OC_AUTO_SECRET char *token = oc_base64url(secret, sizeof(secret));
    struct gw_canvas_cap *cap = oc_new(struct gw_canvas_cap);
    memcpy(cap->token, token, sizeof(cap->token));
    cap->node_id = oc_strdup(like->node_id);
    cap->actor = oc_strdup(like->actor);
    cap->device_id = oc_strdup(like->device_id);
    cap->is_read_only = like->is_read_only;
    cap->until_ms = now_ms + GW_CANVAS_WATCH_MS;
    cap->born_ms = now_ms;
    oc_list_append(&c->all, &cap->link);
    c->count++;
    *ret = cap;
    return OC_OK;
}

/* All are compared, whichever fits. */
struct gw_canvas_cap *gw_canvas_cap_find(
        struct gw_canvas_caps *c, int64_t now_ms, const char *token) {
    struct gw_canvas_cap *cap, *found = NULL;
    gw_canvas_caps_end_late(c, now_ms);
    oc_list_for_each(cap, &c->all, link) {
        found = oc_secret_equal(cap->token, token) ? cap : found;
    }
    if (found) {
        gw_canvas_cap_used(found, now_ms);
    }
    return found;
}

void gw_canvas_cap_used(struct gw_canvas_cap *cap, int64_t now_ms) {
    cap->until_ms = now_ms + GW_CANVAS_WATCH_MS;
}

void gw_canvas_caps_end_device(struct gw_canvas_caps *c, const char *device_id) {
    struct gw_canvas_cap *cap, *next;
    oc_list_for_each_safe(cap, next, &c->all, link) {
        if (cap->device_id && strcmp(cap->device_id, device_id) == 0) {
            canvas_caps_end(c, cap);
        }
    }
}

unsigned gw_canvas_caps_end_node(struct gw_canvas_caps *c, const char *node_id) {
    unsigned before = c->count;
    struct gw_canvas_cap *cap, *next;
    oc_list_for_each_safe(cap, next, &c->all, link) {
        if (strcmp(cap->node_id, node_id) == 0) {
            canvas_caps_end(c, cap);
        }
    }
    return before - c->count;
}
