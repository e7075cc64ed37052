#include "gateway/fairness/hold.h"

#include "lib/base/mem.h"
#include "lib/protocol/limits.h"
#include "tests/unit/unit.h"

#define MIB ((size_t)1024 * 1024)

/* A connection that closes when it has to let go, or a party's calls on somebody else's link that
 * are cancelled. */
struct thing {
    struct gw_hold hold;
    bool is_closed;
};

static void close_it(struct gw_hold *h) {
    struct thing *t = OC_CONTAINER(h, struct thing, hold);
    t->is_closed = true;
    gw_hold_set(h, 0);
}

static struct thing *hold(struct gw_party *party, size_t bytes) {
    struct thing *t = oc_new(struct thing);
    gw_hold_init(&t->hold, party, close_it);
    gw_hold_set(&t->hold, bytes);
    return t;
}

static void drop(struct thing *t) {
    gw_hold_finish(&t->hold);
    oc_free(t);
}

static void test_the_largest_party_lets_go_of_its_largest(void **state) {
    (void)state;
    struct gw_parties *p = gw_parties_create();
    struct gw_party *one = gw_party_of_device(p, "one"), *two = gw_party_of_device(p, "two");
    /* The largest single thing is the other one's, but the greedy one has most in all. */
    struct thing *honest = hold(one, 25 * MIB);
    struct thing *greedy[6];
    for (size_t i = 0; i < 6; i++) {
        greedy[i] = hold(two, (i == 3 ? 13 : 10) * MIB);
        assert_false(greedy[i]->is_closed);
    }
    assert_int_equal(gw_parties_held(p), 88 * MIB);
    gw_hold_set(&honest->hold, 35 * MIB);
    assert_false(honest->is_closed);
    assert_true(greedy[3]->is_closed);
    assert_int_equal(gw_parties_held(p), 85 * MIB);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(greedy[i]->is_closed, i == 3);
        drop(greedy[i]);
    }
    drop(honest);
    assert_int_equal(gw_parties_held(p), 0);
    gw_party_unref(one);
    gw_party_unref(two);
    gw_parties_destroy(p);
}

static void test_who_grows_may_be_the_one(void **state) {
    (void)state;
    struct gw_parties *p = gw_parties_create();
    struct gw_party *one = gw_party_of_device(p, "one");
    struct thing *t = hold(one, 1);
    gw_hold_set(&t->hold, OC_MAX_HELD_BYTES);
    assert_false(t->is_closed);
    gw_hold_set(&t->hold, OC_MAX_HELD_BYTES + 1);
    assert_true(t->is_closed);
    assert_int_equal(gw_parties_held(p), 0);
    drop(t);
    gw_party_unref(one);
    gw_parties_destroy(p);
}

static void keep_some(struct gw_hold *h) {
    struct thing *t = OC_CONTAINER(h, struct thing, hold);
    t->is_closed = true;
}

static void test_who_has_nothing_left_to_give_is_asked_once(void **state) {
    (void)state;
    struct gw_parties *p = gw_parties_create();
    struct gw_party *one = gw_party_of_device(p, "one"), *two = gw_party_of_device(p, "two");
    struct thing *stuck = oc_new(struct thing);
    gw_hold_init(&stuck->hold, one, keep_some);
    gw_hold_set(&stuck->hold, 60 * MIB);
    struct thing *other = hold(two, 50 * MIB);
    assert_true(stuck->is_closed);
    assert_true(other->is_closed); /* the next in line: the ceiling holds */
    drop(stuck);
    drop(other);
    gw_party_unref(one);
    gw_party_unref(two);
    gw_parties_destroy(p);
}

/* One link, several parties: what is kept for each of them is a hold of its own. */
static void test_a_link_of_several_parties_stays(void **state) {
    (void)state;
    struct gw_parties *p = gw_parties_create();
    struct gw_party *client = gw_party_of_device(p, "client");
    struct gw_party *agents[2] = { gw_party_of_device(p, "client/agent-a"),
        gw_party_of_device(p, "client/agent-b") };
    struct thing *link = hold(client, 2 * MIB);
    struct thing *calls[2] = { hold(agents[0], 30 * MIB), hold(agents[1], 30 * MIB) };
    gw_hold_set(&calls[1]->hold, 70 * MIB);
    assert_true(calls[1]->is_closed);
    assert_false(calls[0]->is_closed);
    assert_false(link->is_closed);
    assert_int_equal(agents[1]->held_bytes, 0);
    assert_int_equal(gw_parties_held(p), 32 * MIB);
    for (size_t i = 0; i < 2; i++) {
        drop(calls[i]);
        gw_party_unref(agents[i]);
    }
    drop(link);
    gw_party_unref(client);
    gw_parties_destroy(p);
}

static void test_bytes_go_with_the_connection_to_its_party(void **state) {
    (void)state;
    struct gw_parties *p = gw_parties_create();
    struct gw_party *here = gw_party_of_address(p, "127.0.0.1", true);
    struct gw_party *device = gw_party_of_device(p, "one");
    struct thing *t = hold(here, MIB);
    gw_hold_move(&t->hold, device);
    assert_int_equal(here->held_bytes, 0);
    assert_int_equal(device->held_bytes, MIB);
    assert_int_equal(gw_parties_held(p), MIB);
    drop(t);
    assert_int_equal(device->held_bytes, 0);
    gw_party_unref(here);
    gw_party_unref(device);
    gw_parties_destroy(p);
}

static void count_calm(void *user) {
    ++*(unsigned *)user;
}

static void test_it_tells_when_most_was_given_back(void **state) {
    (void)state;
    struct gw_parties *p = gw_parties_create();
    unsigned calm = 0;
    gw_parties_on_calm(p, count_calm, &calm);
    struct gw_party *one = gw_party_of_device(p, "one");
    struct thing *t = hold(one, MIB);
    gw_hold_set(&t->hold, 0);
    assert_int_equal(calm, 0); /* too little to speak of */
    gw_hold_set(&t->hold, 40 * MIB);
    gw_hold_set(&t->hold, 20 * MIB);
    assert_int_equal(calm, 0);
    gw_hold_set(&t->hold, 9 * MIB);
    assert_int_equal(calm, 1);
    gw_hold_set(&t->hold, 0);
    assert_int_equal(calm, 2);
    drop(t);
    gw_party_unref(one);
    gw_parties_destroy(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_largest_party_lets_go_of_its_largest),
        cmocka_unit_test(test_who_grows_may_be_the_one),
        cmocka_unit_test(test_who_has_nothing_left_to_give_is_asked_once),
        cmocka_unit_test(test_a_link_of_several_parties_stays),
        cmocka_unit_test(test_bytes_go_with_the_connection_to_its_party),
        cmocka_unit_test(test_it_tells_when_most_was_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
