#include "gateway/exec/approvals.h"

#include "gateway/exec/used_ids.h"
#include "lib/protocol/limits.h"
#include "tests/unit/unit.h"

struct fixture {
    struct oc_fake_clock clock;
    struct oc_loop *loop;
    struct gw_approvals *approvals;
};

struct caller {
    struct gw_approval_waiter waiter;
    unsigned answers, accepted;
    enum oc_decision decision;
};

static void on_settled(struct gw_approval_waiter *w, const struct gw_approval *a) {
    struct caller *c = OC_CONTAINER(w, struct caller, waiter);
    c->answers++;
    c->decision = a->decision;
}

static int setup(void **state) {
    struct fixture *f = oc_new(struct fixture);
    struct oc_error err;
    oc_fake_clock_init(&f->clock, 1700000000000);
    if (oc_loop_create(&f->clock.clock, &f->loop, &err) != OC_OK) {
        return -1;
    }
    f->approvals = gw_approvals_create(f->loop);
    *state = f;
    return 0;
}

static int teardown(void **state) {
    struct fixture *f = *state;
    gw_approvals_destroy(f->approvals);
    oc_loop_destroy(f->loop);
    oc_free(f);
    return 0;
}

static void advance(struct fixture *f, int64_t ms) {
    oc_fake_clock_advance(&f->clock, ms);
    oc_loop_step(f->loop, 0);
}

static enum oc_code add(
        struct fixture *f, const char *id, const char *actor, const struct gw_approval **ret) {
    struct oc_error err;
    return gw_approvals_add(f->approvals,
            &(struct gw_approval_spec){
                    .id = id, .actor = actor, .is_device = true, .timeout_ms = 1000 },
            cJSON_CreateObject(), ret, &err);
}

static void on_ready(struct gw_approval_waiter *w, const struct gw_approval *a) {
    struct caller *c = OC_CONTAINER(w, struct caller, waiter);
    assert_false(a->is_looking);
    assert_int_equal(c->answers, 0);
    c->accepted++;
}

/* Nobody sees or decides it before the node has looked; then everybody is told what it saw. */
static void looked_at_first(void **state) {
    struct fixture *f = *state;
    const struct gw_approval *a = NULL;
    struct oc_error err;
    struct caller asker = { .waiter.on_settled = on_settled, .waiter.on_ready = on_ready };
    assert_int_equal(add(f, "one", "d", &a), OC_OK);
    gw_approval_set_looking(a);
    assert_int_equal(gw_approval_wait(a, &asker.waiter, &err), OC_OK);
    OC_AUTO_JSON cJSON *none = gw_approvals_pending(f->approvals);
    assert_int_equal(cJSON_GetArraySize(none), 0);
    assert_int_equal(asker.accepted, 0);
    OC_AUTO_JSON cJSON *facts = cJSON_CreateObject(), *unbound = cJSON_CreateArray();
    gw_approval_looked(a, &(struct gw_approval_look){ .look = "l",
                                  .look_at = "c",
                                  .state = "s",
                                  .facts = facts,
                                  .unbound = unbound });
    assert_int_equal(asker.accepted, 1);
    assert_false(gw_approval_is_unbound(a));
    assert_true(oc_json_get_bool(a->request, "contentBound", false));
    OC_AUTO_JSON cJSON *one = gw_approvals_pending(f->approvals);
    assert_int_equal(cJSON_GetArraySize(one), 1);
    gw_approval_void(a, "changed");
    assert_int_equal(asker.answers, 1);
    assert_int_equal(asker.decision, OC_DECISION_DENY);
    assert_false(gw_approvals_resolve(f->approvals, "one", OC_DECISION_ALLOW_ONCE, "me", NULL));
}

/* Its time may end while the node looks: the asker hears both. */
static void out_of_time_while_looking(void **state) {
    struct fixture *f = *state;
    const struct gw_approval *a = NULL;
    struct oc_error err;
    struct caller asker = { .waiter.on_settled = on_settled, .waiter.on_ready = on_ready };
    assert_int_equal(add(f, "one", "d", &a), OC_OK);
    gw_approval_set_looking(a);
    assert_int_equal(gw_approval_wait(a, &asker.waiter, &err), OC_OK);
    advance(f, 1000);
    assert_int_equal(asker.accepted, 1);
    assert_int_equal(asker.answers, 1);
    assert_int_equal(asker.decision, OC_DECISION_NONE);
}

/* Decided already: what was decided stays, and allows nothing any more. */
static void void_after_the_decision(void **state) {
    struct fixture *f = *state;
    const struct gw_approval *a = NULL;
    assert_int_equal(add(f, "one", "d", &a), OC_OK);
    assert_true(gw_approvals_resolve(f->approvals, "one", OC_DECISION_ALLOW_ONCE, "me", NULL));
    gw_approval_void(a, "changed");
    gw_approval_void(a, "again");
    assert_int_equal(a->decision, OC_DECISION_ALLOW_ONCE);
    assert_string_equal(a->void_reason, "changed");
}

static void decided(void **state) {
    struct fixture *f = *state;
    const struct gw_approval *a = NULL, *b = NULL;
    struct oc_error err;
    assert_int_equal(add(f, "one", "d", &a), OC_OK);
    assert_int_equal(add(f, "one", "d", &b), OC_E_EXISTS);
    struct caller first = { .waiter.on_settled = on_settled }, left = first, late = first;
    assert_int_equal(gw_approval_wait(a, &first.waiter, &err), OC_OK);
    assert_int_equal(gw_approval_wait(a, &left.waiter, &err), OC_OK);
    gw_approval_leave(&left.waiter);
    OC_AUTO_JSON cJSON *pending = gw_approvals_pending(f->approvals);
    assert_int_equal(cJSON_GetArraySize(pending), 1);
    assert_true(gw_approvals_resolve(f->approvals, "one", OC_DECISION_ALLOW_ONCE, "me", NULL));
    assert_false(gw_approvals_resolve(f->approvals, "one", OC_DECISION_DENY, "me", NULL));
    assert_int_equal(first.answers, 1);
    assert_int_equal(first.decision, OC_DECISION_ALLOW_ONCE);
    assert_int_equal(left.answers, 0);
    assert_int_equal(gw_approval_wait(a, &late.waiter, &err), OC_OK);
    assert_int_equal(late.answers, 1);
    OC_AUTO_JSON cJSON *none = gw_approvals_pending(f->approvals);
    assert_int_equal(cJSON_GetArraySize(none), 0);
    assert_int_equal(add(f, "one", "d", &b), OC_E_EXISTS); /* a decided one cannot be replaced */
    assert_false(gw_approval_is_expired(a));
    advance(f, 1000);
    assert_true(gw_approval_is_expired(a));
    advance(f, OC_APPROVAL_GRACE_MS);
    assert_null(gw_approvals_find(f->approvals, "one"));
}

static void out_of_time(void **state) {
    struct fixture *f = *state;
    const struct gw_approval *a = NULL;
    struct oc_error err;
    assert_int_equal(add(f, NULL, "d", &a), OC_OK);
    assert_int_equal(strlen(a->id), 36);
    struct caller c = { .waiter.on_settled = on_settled, .decision = OC_DECISION_DENY };
    assert_int_equal(gw_approval_wait(a, &c.waiter, &err), OC_OK);
    advance(f, 999);
    assert_int_equal(c.answers, 0);
    advance(f, 1);
    assert_int_equal(c.answers, 1);
    assert_int_equal(c.decision, OC_DECISION_NONE);
    assert_false(gw_approvals_resolve(f->approvals, a->id, OC_DECISION_ALLOW_ONCE, "me", NULL));
    advance(f, OC_APPROVAL_GRACE_MS);
    OC_AUTO_JSON cJSON *none = gw_approvals_pending(f->approvals);
    assert_int_equal(cJSON_GetArraySize(none), 0);
}

static void ceilings(void **state) {
    struct fixture *f = *state;
    const struct gw_approval *a = NULL, *first = NULL;
    char actor[32];
    unsigned total = 0;
    for (unsigned i = 0; i < OC_MAX_APPROVALS_PER_ACTOR; i++, total++) {
        assert_int_equal(add(f, NULL, "greedy", i == 0 ? &first : &a), OC_OK);
    }
    assert_int_equal(add(f, NULL, "greedy", &a), OC_E_UNAVAILABLE);
    for (; total < OC_MAX_APPROVALS; total++) {
        snprintf(actor, sizeof(actor), "other-%u", total);
        assert_int_equal(add(f, NULL, actor, &a), OC_OK);
    }
    assert_int_equal(add(f, NULL, "late", &a), OC_E_UNAVAILABLE);
    struct caller many[OC_MAX_APPROVAL_WAITERS + 1];
    struct oc_error err;
    for (size_t i = 0; i < OC_COUNT(many); i++) {
        many[i] = (struct caller){ .waiter.on_settled = on_settled };
        assert_int_equal(gw_approval_wait(first, &many[i].waiter, &err),
                i < OC_MAX_APPROVAL_WAITERS ? OC_OK : OC_E_UNAVAILABLE);
    }
    advance(f, 1000);
    advance(f, OC_APPROVAL_GRACE_MS);
    assert_int_equal(add(f, NULL, "greedy", &a), OC_OK);
}

/* Whoever looks at an old screen must not say yes to another command. */
static cJSON *large_request(int words) {
    cJSON *request = cJSON_CreateObject();
    cJSON *argv = cJSON_AddArrayToObject(request, "commandArgv");
    for (int i = 0; i < words; i++) {
        cJSON_AddItemToArray(argv, cJSON_CreateString("a"));
    }
    return request;
}

/* Until it is refused; how many were taken. */
static size_t add_large(struct fixture *f, const char *actor, bool is_device) {
    struct oc_error err = { 0 };
    const struct gw_approval *a = NULL;
    size_t n = 0;
    while (gw_approvals_add(f->approvals,
                   &(struct gw_approval_spec){ .actor = actor, .is_device = is_device },
                   large_request(5000), &a, &err) == OC_OK) {
        (void)gw_approvals_resolve(
                f->approvals, a->id, OC_DECISION_DENY, "me", NULL); /* kept for a while */
        n++;
    }
    assert_non_null(strstr(err.text, "too much memory"));
    return n;
}

/* Short words are large trees, and those that were decided are kept, too. */
static void memory_has_a_ceiling(void **state) {
    struct fixture *f = *state;
    OC_AUTO_JSON cJSON *one = large_request(5000);
    size_t each = OC_MAX_APPROVAL_TREES_EACH / oc_json_tree_bytes(one);
    size_t all = OC_MAX_APPROVAL_TREES / oc_json_tree_bytes(one), taken = 0;
    assert_int_equal(add_large(f, "d0", true), each);
    for (int i = 1; i < 8; i++) {
        char name[8];
        (void)snprintf(name, sizeof(name), "d%d", i);
        taken += add_large(f, name, true);
    }
    assert_int_equal(each + taken, all);
    assert_int_equal(add_large(f, "owner", false), each); /* devices leave the owner room */
    advance(f, OC_APPROVAL_GRACE_MS);
    assert_int_equal(add_large(f, "d0", true), each);
}

static cJSON *text_of(size_t len) {
    OC_AUTO_FREE char *text = oc_alloc(len + 1);
    memset(text, 1, len); /* six bytes in JSON */
    return cJSON_CreateString(text);
}

/* As long as one may be, and a node that has as much to say about it as it can. */
static size_t add_talkative(struct fixture *f, const char *actor, bool is_device, size_t said) {
    size_t n = 0;
    for (;;) {
        const struct gw_approval *a = NULL;
        struct oc_error err;
        cJSON *request = cJSON_CreateObject();
        oc_json_set(request, "command", text_of(6000 / 6));
        struct gw_approval_spec spec = { .actor = actor, .is_device = is_device };
        if (gw_approvals_add(f->approvals, &spec, request, &a, &err) != OC_OK) {
            return n;
        }
        OC_AUTO_JSON cJSON *facts = cJSON_CreateObject();
        cJSON *bound = cJSON_CreateArray();
        oc_json_set(facts, "reason", text_of(said));
        gw_approval_set_looking(a);
        gw_approval_looked(
                a, &(struct gw_approval_look){ .look = "l", .facts = facts, .unbound = bound });
        cJSON_Delete(bound);
        assert_string_equal(a->look, "l");
        if (oc_json_get(a->request, "look")) {
            assert_false(gw_approval_is_unbound(a));
        } else {
            assert_true(gw_approval_is_unbound(a));
            assert_int_equal(cJSON_GetArraySize(oc_json_get(a->request, "unbound")), 1);
        }
        n++;
    }
}

static size_t list_bytes(const struct fixture *f) {
    OC_AUTO_JSON cJSON *list = gw_approvals_pending(f->approvals);
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(OC_MAX_MESSAGE_BYTES);
    assert_int_equal(oc_json_append(&text, list, false), OC_OK);
    return text.len;
}

/* What nodes say counts, too; whoever asked is not refused because of it. */
static void the_list_fits_into_a_message_whatever_nodes_say(void **state) {
    struct fixture *f = *state;
    static const size_t said[] = { 100, 2500, OC_MAX_APPROVAL_FACTS, 80000 };
    for (size_t i = 0; i < OC_COUNT(said); i++) {
        char name[8];
        (void)snprintf(name, sizeof(name), "d%zu", i);
        assert_true(add_talkative(f, name, true, said[i]) > 0);
    }
    assert_true(add_talkative(f, "owner", false, 2500) > 0);
    assert_in_range(list_bytes(f), OC_MAX_APPROVAL_LIST / 2,
            OC_MAX_APPROVAL_LIST + OC_MAX_APPROVAL_LIST_EACH);
    size_t bytes = 0;
    const struct gw_approval *a = NULL;
    while ((a = gw_approvals_before(f->approvals, a)) != NULL) {
        assert_int_equal(a->bytes, oc_json_tree_bytes(a->request));
        bytes += a->bytes;
    }
    assert_in_range(bytes, 1, OC_MAX_APPROVAL_TREES + OC_MAX_APPROVAL_TREES_EACH);
}

static void facts_that_are_too_long_are_left_out(void **state) {
    struct fixture *f = *state;
    const struct gw_approval *a = NULL;
    OC_AUTO_JSON cJSON *facts = cJSON_CreateObject(), *bound = cJSON_CreateArray();
    assert_int_equal(add(f, "short", "d", &a), OC_OK);
    oc_json_set_str(facts, "reason", "because");
    struct gw_approval_look look = { .state = "s", .facts = facts, .unbound = bound };
    gw_approval_looked(a, &look);
    assert_string_equal(oc_json_get_str(oc_json_get(a->request, "look"), "reason"), "because");
    assert_false(gw_approval_is_unbound(a));
    assert_int_equal(add(f, "long", "d", &a), OC_OK);
    oc_json_set(facts, "more", text_of(OC_MAX_APPROVAL_FACTS / 6));
    gw_approval_looked(a, &look);
    assert_null(oc_json_get(a->request, "look"));
    assert_true(gw_approval_is_unbound(a));
    assert_string_equal(a->state, "s"); /* it still ends when its files change */
}

static void an_id_means_one_command(void **state) {
    struct fixture *f = *state;
    const struct gw_approval *a = NULL;
    struct oc_error err;
    assert_int_equal(add(f, "expires", "d", &a), OC_OK);
    assert_int_equal(add(f, "decided", "d", &a), OC_OK);
    assert_true(gw_approvals_resolve(f->approvals, "decided", OC_DECISION_DENY, "me", NULL));
    advance(f, 1000);
    advance(f, OC_APPROVAL_GRACE_MS);
    assert_null(gw_approvals_find(f->approvals, "expires"));
    assert_int_equal(add(f, "expires", "d", &a), OC_E_EXISTS);
    assert_int_equal(add(f, "decided", "another", &a), OC_E_EXISTS);
    struct gw_approval_spec owner = { .id = "expires", .actor = "c" };
    assert_int_equal(
            gw_approvals_add(f->approvals, &owner, cJSON_CreateObject(), &a, &err), OC_E_EXISTS);
    assert_non_null(strstr(err.text, "used before"));
    assert_int_equal(add(f, "fresh", "d", &a), OC_OK);
}

static void count_expired(void *user, const struct gw_approval *a) {
    assert_int_equal(a->decision, OC_DECISION_NONE);
    assert_true(a->is_settled);
    ++*(unsigned *)user;
}

static void expiry_is_told(void **state) {
    struct fixture *f = *state;
    const struct gw_approval *a = NULL;
    unsigned told = 0;
    gw_approvals_on_expired(f->approvals, count_expired, &told);
    assert_int_equal(add(f, "one", "d", &a), OC_OK);
    assert_int_equal(add(f, "two", "d", &a), OC_OK);
    assert_true(gw_approvals_resolve(f->approvals, "two", OC_DECISION_DENY, "me", NULL));
    advance(f, 1000);
    assert_int_equal(told, 1);
    advance(f, OC_APPROVAL_GRACE_MS);
    assert_int_equal(told, 1);
}

static void used_ids_are_bounded(void **state) {
    (void)state;
    struct gw_used_ids *u = gw_used_ids_create(4, 1000);
    assert_true(gw_used_ids_reserve(u, "x", 0));
    assert_true(gw_used_ids_reserve(u, "x", 0));
    assert_false(gw_used_ids_reserve(u, "x", 0)); /* the rest is for others */
    gw_used_ids_add(u, "a", "x", 0);
    gw_used_ids_add(u, "a", "x", 500); /* counts from the first time, and once */
    assert_true(gw_used_ids_reserve(u, "x", 500));
    gw_used_ids_add(u, "b", "x", 500);
    assert_true(gw_used_ids_reserve(u, "y", 999));
    gw_used_ids_add(u, "c", "y", 999);
    assert_false(gw_used_ids_reserve(u, "x", 999));
    assert_true(gw_used_ids_has(u, "a"));
    assert_true(gw_used_ids_reserve(u, "y", 1000)); /* a may go, when the room is needed */
    assert_false(gw_used_ids_has(u, "a"));
    assert_true(gw_used_ids_has(u, "b"));
    assert_false(gw_used_ids_reserve(u, "y", 1499));
    assert_true(gw_used_ids_reserve(u, "z", 1499));
    gw_used_ids_destroy(u);
}

/* One device that asks all the time keeps no other from asking. */
static void one_device_leaves_room(void **state) {
    struct fixture *f = *state;
    const struct gw_approval *a = NULL;
    unsigned asked = 0;
    while (add(f, NULL, "greedy", &a) == OC_OK) {
        assert_true(gw_approvals_resolve(f->approvals, a->id, OC_DECISION_DENY, "me", NULL));
        if (++asked % 256 == 0) {
            advance(f, OC_APPROVAL_GRACE_MS);
        }
    }
    assert_int_equal(asked, OC_MAX_APPROVAL_IDS_USED / 2);
    assert_int_equal(add(f, NULL, "other", &a), OC_OK);
    assert_int_equal(add(f, NULL, "other", &a), OC_OK);
    assert_int_equal(add(f, NULL, "greedy", &a), OC_E_UNAVAILABLE);
    advance(f, OC_APPROVAL_ID_KEEP_MS);
    assert_int_equal(add(f, NULL, "greedy", &a), OC_OK);
}

/* What could not be remembered must not begin; and devices that ask without end do not keep the
 * owner from asking. */
static void too_many_ids(void **state) {
    struct fixture *f = *state;
    const struct gw_approval *a = NULL;
    struct oc_error err;
    char actor[32];
    enum oc_code rc = OC_OK;
    unsigned asked = 0;
    for (; asked <= OC_MAX_APPROVAL_IDS_USED && rc == OC_OK; asked++) {
        snprintf(actor, sizeof(actor), "d%u", asked);
        rc = add(f, NULL, actor, &a);
        if (rc == OC_OK) {
            assert_true(gw_approvals_resolve(f->approvals, a->id, OC_DECISION_DENY, "me", NULL));
        }
        if (asked % 256 == 255) {
            advance(f, OC_APPROVAL_GRACE_MS);
        }
    }
    assert_int_equal(rc, OC_E_UNAVAILABLE);
    struct gw_approval_spec owner = { .actor = "c" };
    assert_int_equal(gw_approvals_add(f->approvals, &owner, cJSON_CreateObject(), &a, &err), OC_OK);
    advance(f, OC_APPROVAL_ID_KEEP_MS);
    assert_int_equal(add(f, NULL, "late", &a), OC_OK);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = { TEST(decided), TEST(out_of_time), TEST(ceilings),
        TEST(looked_at_first), TEST(out_of_time_while_looking), TEST(void_after_the_decision),
        TEST(the_list_fits_into_a_message_whatever_nodes_say),
        TEST(facts_that_are_too_long_are_left_out), TEST(an_id_means_one_command),
        TEST(expiry_is_told), TEST(memory_has_a_ceiling), TEST(used_ids_are_bounded),
        TEST(one_device_leaves_room), TEST(too_many_ids) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
