#include "gateway/exec/approvals.h"

#include "gateway/exec/run_manner.h"
#include "gateway/exec/used_ids.h"
#include "lib/base/encode.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/protocol/limits.h"

#define EACH_SHOWN 512 /* of an item in the list: its id, its times, a name */

struct gw_approvals {
    struct oc_loop *loop;
    struct oc_map *by_id;
    struct oc_list all; /* gw_approval.link */
    gw_approval_told *tell, *tell_expired;
    void *tell_user, *expired_user;
    struct gw_used_ids *used[2]; /* by is_device, so that devices leave the owner room */
};

struct gw_approvals *gw_approvals_create(struct oc_loop *loop) {
    struct gw_approvals *t = oc_new(struct gw_approvals);
    t->loop = loop;
    t->by_id = oc_map_create();
    oc_list_init(&t->all);
    for (size_t i = 0; i < OC_COUNT(t->used); i++) {
        /* One alone gets half of the places, and the owner is alone. */
        size_t places = (size_t)OC_MAX_APPROVAL_IDS_USED * (i == 0 ? 2 : 1);
        t->used[i] = gw_used_ids_create(places, OC_APPROVAL_ID_KEEP_MS);
    }
    return t;
}

void gw_approvals_on_settled(struct gw_approvals *t, gw_approval_told *tell, void *user) {
    t->tell = tell;
    t->tell_user = user;
}

void gw_approvals_on_expired(struct gw_approvals *t, gw_approval_told *tell, void *user) {
    t->tell_expired = tell;
    t->expired_user = user;
}

/* Whose share of the ids: the owner's secret is one actor, however many connections it makes. */
static const char *id_actor(bool is_device, const char *actor) {
    return is_device ? actor : "";
}

static void approvals_forget(struct gw_approval *a) {
    struct gw_approvals *t = a->table;
    gw_used_ids_add(t->used[a->is_device], a->id, id_actor(a->is_device, a->actor),
            oc_loop_now_ms(t->loop));
    while (!oc_list_empty(&a->waiters)) {
        oc_list_remove(a->waiters.next);
    }
    oc_timer_cancel(&a->timer);
    oc_map_remove(t->by_id, a->id);
    oc_list_remove(&a->link);
    cJSON_Delete(a->request);
    oc_free(a->id);
    oc_free(a->actor);
    oc_free(a->asked_by);
    oc_free(a->resolved_by);
    oc_free(a->look);
    oc_free(a->look_at);
    oc_free(a->state);
    oc_free(a->void_reason);
    cJSON_Delete(a->asker);
    cJSON_Delete(a->decider);
    oc_free(a);
}

void gw_approvals_destroy(struct gw_approvals *t) {
    if (!t) {
        return;
    }
    while (!oc_list_empty(&t->all)) {
        approvals_forget(oc_list_first(&t->all, struct gw_approval, link));
    }
    for (size_t i = 0; i < OC_COUNT(t->used); i++) {
        gw_used_ids_destroy(t->used[i]);
    }
    oc_map_destroy(t->by_id);
    oc_free(t);
}

static void on_timer(struct oc_timer *timer);

/* Nobody leaves or joins while they are told: a connection whose queue is full goes later
 * (gateway/conn/conn.c). */
static void make_ready(struct gw_approval *a) {
    a->is_looking = false;
    struct gw_approval_waiter *w, *next;
    oc_list_for_each_safe(w, next, &a->waiters, link) {
        if (w->on_ready) {
            w->on_ready(w, a);
        }
    }
}

/* The one exit. A waiter may ask for other approvals, but none goes away here. */
static void approvals_settle(struct gw_approval *a) {
    if (a->is_looking) {
        make_ready(a);
    }
    a->is_settled = true;
    a->resolved_at_ms = oc_wall_ms(oc_loop_clock(a->table->loop));
    oc_timer_set(a->table->loop, &a->timer, OC_APPROVAL_GRACE_MS);
    if (a->table->tell) {
        a->table->tell(a->table->tell_user, a);
    }
    while (!oc_list_empty(&a->waiters)) {
        struct gw_approval_waiter *w = oc_list_first(&a->waiters, struct gw_approval_waiter, link);
        oc_list_remove(&w->link);
        w->on_settled(w, a);
    }
}

static void on_timer(struct oc_timer *timer) {
    struct gw_approval *a = timer->user;
    if (a->is_settled) {
        approvals_forget(a);
        return;
    }
    approvals_settle(a);
    if (a->table->tell_expired) {
        a->table->tell_expired(a->table->expired_user, a);
    }
}

/* What there is: of one actor, and of all devices. */
struct sums {
    size_t own, own_waiting, own_bytes, own_shown;
    size_t waiting, bytes, shown;
};

/* The owner's secret is one actor, however many connections it makes. Devices share what is left of
 * the table with each other but not with the owner, so that none of them can keep the owner from
 * asking. */
static struct sums sum_up(const struct gw_approvals *t, bool is_device, const char *actor) {
    struct sums s = { 0 };
    const struct gw_approval *a;
    oc_list_for_each(a, &t->all, link) {
        bool is_own = a->is_device == is_device && (!is_device || oc_streq(a->actor, actor));
        size_t shown = a->is_settled ? 0 : a->shown;
        s.own += is_own;
        s.own_waiting += is_own && !a->is_settled;
        s.own_bytes += is_own ? a->bytes : 0;
        s.own_shown += is_own ? shown : 0;
        s.waiting += a->is_device && !a->is_settled;
        s.bytes += a->is_device ? a->bytes : 0;
        s.shown += a->is_device ? shown : 0;
    }
    return s;
}

static bool has_room(const struct sums *s, bool is_device, size_t bytes, size_t shown) {
    return s->own_bytes + bytes <= OC_MAX_APPROVAL_TREES_EACH &&
           s->own_shown + shown <= OC_MAX_APPROVAL_LIST_EACH &&
           (!is_device || (s->bytes + bytes <= OC_MAX_APPROVAL_TREES &&
                                  s->shown + shown <= OC_MAX_APPROVAL_LIST));
}

/* As text; more than max: max + 1. */
static size_t text_bytes(const cJSON *tree, size_t max) {
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(max);
    return !tree ? 0 : oc_json_append(&text, tree, false) == OC_OK ? text.len : max + 1;
}

static enum oc_code check_ceilings(const struct gw_approvals *t,
        const struct gw_approval_spec *spec, size_t bytes, size_t shown, struct oc_error *err) {
    struct sums s = sum_up(t, spec->is_device, spec->actor);
    if (!has_room(&s, spec->is_device, bytes, shown)) {
        return oc_fail_busy(err, OC_REMEDY_SHORTER_COMMANDS,
                "approvals that were asked for in the last minutes take too much memory");
    }
    if (s.own_waiting >= OC_MAX_APPROVALS_PER_ACTOR || s.own >= OC_MAX_APPROVALS_KEPT_PER_ACTOR ||
            (spec->is_device && s.waiting >= OC_MAX_APPROVALS)) {
        return oc_fail_busy(
                err, OC_REMEDY_LIST_APPROVALS, "too many approvals wait for a decision");
    }
    /* The last of them, since it takes the place. */
    if (!gw_used_ids_reserve(t->used[spec->is_device], id_actor(spec->is_device, spec->actor),
                oc_loop_now_ms(t->loop))) {
        return oc_fail_busy(
                err, OC_REMEDY_TRY_LATER, "too many approvals were asked for in the last minutes");
    }
    return OC_OK;
}

/* An id means one command, for those who still look at an old screen too. */
static enum oc_code check_id(const struct gw_approvals *t, const char *id, struct oc_error *err) {
    if (id && oc_map_get(t->by_id, id)) {
        return oc_fail(err, OC_E_EXISTS, "approval id already pending");
    }
    if (id && (gw_used_ids_has(t->used[0], id) || gw_used_ids_has(t->used[1], id))) {
        (void)oc_fail(err, OC_E_EXISTS, "approval id was used before");
        if (err) {
            err->grounds.remedy = OC_REMEDY_NEW_ID;
        }
        return OC_E_EXISTS;
    }
    return OC_OK;
}

enum oc_code gw_approvals_add(struct gw_approvals *t, const struct gw_approval_spec *spec,
        cJSON *take_request, const struct gw_approval **ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *request = take_request;
    size_t bytes = oc_json_tree_bytes(request);
    size_t shown = EACH_SHOWN + text_bytes(request, OC_MAX_APPROVAL_LIST_EACH) +
                   text_bytes(spec->asker, OC_MAX_APPROVAL_LIST_EACH);
    enum oc_code rc = check_id(t, spec->id, err);
    if (rc == OC_OK) {
        rc = check_ceilings(t, spec, bytes, shown, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    int64_t timeout_ms = spec->timeout_ms > 0 ? spec->timeout_ms : OC_DEFAULT_APPROVAL_MS;
    char fresh[OC_UUID_LEN + 1];
    oc_uuid4(fresh);
    struct gw_approval *a = oc_new(struct gw_approval);
    a->table = t;
    a->id = oc_strdup(spec->id ? spec->id : fresh);
    a->request = oc_take(&request);
    a->bytes = bytes;
    a->shown = shown;
    a->actor = oc_strdup(spec->actor);
    a->asked_by = oc_strdup(spec->asked_by);
    a->asker = spec->asker ? cJSON_Duplicate(spec->asker, true) : NULL;
    a->is_device = spec->is_device;
    a->created_at_ms = oc_wall_ms(oc_loop_clock(t->loop));
    a->expires_at_ms = a->created_at_ms + timeout_ms;
    a->deadline_ms = oc_loop_now_ms(t->loop) + timeout_ms;
    a->timer.on_expire = on_timer;
    a->timer.user = a;
    oc_list_init(&a->waiters);
    oc_list_append(&t->all, &a->link);
    oc_map_put(t->by_id, a->id, a);
    oc_timer_set(t->loop, &a->timer, timeout_ms);
    *ret = a;
    return OC_OK;
}

const struct gw_approval *gw_approvals_find(const struct gw_approvals *t, const char *id) {
    return oc_map_get(t->by_id, id);
}

/* Instead of a name, for peers that know no causes. */
static const char *name_without_person(enum oc_cause cause) {
    switch (cause) {
    case OC_CAUSE_APPROVAL_CHANGED:
        return "(the command changed)";
    case OC_CAUSE_ASKER_LEFT:
        return "(the asker left)";
    default:
        return "(nobody)";
    }
}

static bool approvals_end(struct gw_approval *a, enum oc_decision decision, enum oc_cause cause,
        const char *by, const cJSON *decider) {
    if (!a || a->is_settled) {
        return false;
    }
    a->decision = decision;
    a->cause = cause;
    a->resolved_by = oc_strdup(by ? by : name_without_person(cause));
    a->decider = decider ? cJSON_Duplicate(decider, true) : NULL;
    approvals_settle(a);
    return true;
}

bool gw_approvals_resolve(struct gw_approvals *t, const char *id, enum oc_decision decision,
        const char *resolved_by, const cJSON *decider) {
    return approvals_end(oc_map_get(t->by_id, id), decision, OC_CAUSE_NONE, resolved_by, decider);
}

bool gw_approvals_withdraw(struct gw_approvals *t, const char *id, enum oc_cause cause,
        const char *by, const cJSON *decider) {
    return approvals_end(oc_map_get(t->by_id, id), OC_DECISION_DENY, cause, by, decider);
}

bool gw_approval_is_expired(const struct gw_approval *a) {
    return oc_loop_now_ms(a->table->loop) >= a->deadline_ms;
}

static struct gw_approval *own_of(const struct gw_approval *a) {
    return oc_map_get(a->table->by_id, a->id);
}

void gw_approval_set_looking(const struct gw_approval *a) {
    own_of(a)->is_looking = true;
}

static bool has_room_for(
        const struct gw_approval *a, const struct gw_approval_look *look, size_t *ret_shown) {
    size_t own = text_bytes(look->facts, OC_MAX_APPROVAL_FACTS);
    size_t bytes = oc_json_tree_bytes(look->facts) + oc_json_tree_bytes(look->unbound);
    *ret_shown = own + text_bytes(look->unbound, OC_MAX_APPROVAL_FACTS);
    struct sums s = sum_up(a->table, a->is_device, a->actor);
    return own <= OC_MAX_APPROVAL_FACTS && has_room(&s, a->is_device, bytes, *ret_shown);
}

static void set_unbound(struct gw_approval *a, const cJSON *unbound) {
    OC_AUTO_JSON cJSON *all = gw_run_manner_unbound(oc_json_get(a->request, "run"), unbound);
    if (all) {
        oc_json_set_bool(a->request, "contentBound", !all->child);
        oc_json_set(a->request, "unbound", oc_take(&all));
    }
}

/* Whoever decides does not see all that the node said, and has to know. */
static void leave_out(struct gw_approval *a) {
    static const char *const why[] = { "what the node says about it is too long to be shown" };
    OC_AUTO_JSON cJSON *unbound = cJSON_CreateStringArray(why, 1);
    set_unbound(a, unbound);
}

void gw_approval_looked(const struct gw_approval *a, const struct gw_approval_look *look) {
    struct gw_approval *own = own_of(a);
    size_t shown = 0;
    own->look = oc_strdup(look->look);
    own->look_at = oc_strdup(look->look_at);
    own->state = oc_strdup(look->state);
    own->asked_at = look->asked_at;
    if (!has_room_for(a, look, &shown)) {
        leave_out(own);
    } else {
        own->shown += shown;
        oc_json_set(own->request, "look", look->facts ? cJSON_Duplicate(look->facts, true) : NULL);
        set_unbound(own, look->unbound);
    }
    own->bytes = oc_json_tree_bytes(own->request);
    make_ready(own);
}

void gw_approval_answered_there(const struct gw_approval *a) {
    own_of(a)->asked_at = NULL;
}

void gw_approval_void(const struct gw_approval *a, const char *reason) {
    struct gw_approval *own = own_of(a);
    if (own->void_reason) {
        return;
    }
    own->void_reason = oc_strdup(reason);
    (void)approvals_end(own, OC_DECISION_DENY, OC_CAUSE_APPROVAL_CHANGED, NULL, NULL);
}

bool gw_approval_is_unbound(const struct gw_approval *a) {
    return !oc_json_get_bool(a->request, "contentBound", true);
}

void gw_approval_set_used(const struct gw_approval *a, bool is_used) {
    own_of(a)->is_used = is_used;
}

enum oc_code gw_approval_wait(
        const struct gw_approval *a, struct gw_approval_waiter *w, struct oc_error *err) {
    oc_list_init(&w->link);
    if (a->is_settled) {
        w->on_settled(w, a);
        return OC_OK;
    }
    size_t waiting = 0;
    const struct gw_approval_waiter *other;
    oc_list_for_each(other, &a->waiters, link) {
        waiting++;
    }
    if (waiting >= OC_MAX_APPROVAL_WAITERS) {
        return oc_fail_busy(err, OC_REMEDY_TRY_LATER, "too many wait for this approval");
    }
    struct gw_approval *own = oc_map_get(a->table->by_id, a->id);
    oc_list_append(&own->waiters, &w->link);
    return OC_OK;
}

void gw_approval_leave(struct gw_approval_waiter *w) {
    oc_list_remove(&w->link);
}

const struct gw_approval *gw_approvals_before(
        const struct gw_approvals *t, const struct gw_approval *a) {
    const struct oc_list *at = a ? a->link.prev : t->all.prev;
    return at == &t->all ? NULL : OC_CONTAINER(at, const struct gw_approval, link);
}

cJSON *gw_approvals_pending(const struct gw_approvals *t) {
    cJSON *list = cJSON_CreateArray();
    const struct gw_approval *a;
    oc_list_for_each(a, &t->all, link) {
        if (a->is_settled || a->is_looking) {
            continue;
        }
        cJSON *o = cJSON_CreateObject();
        oc_json_set_str(o, "id", a->id);
        oc_json_set(o, "request", cJSON_CreateObjectReference(a->request->child));
        oc_json_set_int(o, "createdAtMs", a->created_at_ms);
        oc_json_set_int(o, "expiresAtMs", a->expires_at_ms);
        oc_json_set_str(o, "approvalKind", "exec");
        oc_json_set_str(o, "requestedBy", a->asked_by);
        oc_json_set(o, "asker", a->asker ? cJSON_Duplicate(a->asker, true) : NULL);
        cJSON_AddItemToArray(list, o);
    }
    return list;
}
