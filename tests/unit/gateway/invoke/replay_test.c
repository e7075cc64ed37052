#include "gateway/invoke/replay.h"

#include "tests/unit/unit.h"

#define TTL_MS INT64_C(600000)

struct fixture {
    struct oc_fake_clock clock;
    struct gw_replay *replay;
};

static int setup(void **state) {
    struct fixture *f = oc_new(struct fixture);
    oc_fake_clock_init(&f->clock, 1700000000000);
    f->replay = gw_replay_create(&f->clock.clock,
            &(struct gw_replay_limits){ .max_entries = 4, .max_bytes = 20, .ttl_ms = TTL_MS });
    *state = f;
    return 0;
}

static int teardown(void **state) {
    struct fixture *f = *state;
    gw_replay_destroy(f->replay);
    oc_free(f);
    return 0;
}

static struct gw_replay_entry *begin(struct fixture *f, const char *key) {
    return gw_replay_begin(f->replay, "me", key, "node", "cmd", "hash", f);
}

static void done(struct fixture *f, const char *key, const char *answer) {
    gw_replay_finish(
            f->replay, begin(f, key), answer ? oc_blob_copy(answer, strlen(answer)) : NULL);
}

static void test_life(void **state) {
    struct fixture *f = *state;
    assert_null(gw_replay_find(f->replay, "me", "k"));
    struct gw_replay_entry *e = begin(f, "k");
    assert_ptr_equal(gw_replay_find(f->replay, "me", "k"), e);
    assert_null(gw_replay_find(f->replay, "you", "k"));
    assert_ptr_equal(e->running, f);
    gw_replay_finish(f->replay, e, oc_blob_copy("yes", 3));
    assert_null(e->running);
    assert_string_equal(e->answer->data, "yes");
    oc_fake_clock_advance(&f->clock, TTL_MS - 1);
    assert_non_null(gw_replay_find(f->replay, "me", "k"));
    oc_fake_clock_advance(&f->clock, 1);
    assert_null(gw_replay_find(f->replay, "me", "k"));
    assert_int_equal(gw_replay_bytes(f->replay), 0);
}

static void test_running_does_not_expire(void **state) {
    struct fixture *f = *state;
    begin(f, "k");
    oc_fake_clock_advance(&f->clock, TTL_MS * 2);
    assert_non_null(gw_replay_find(f->replay, "me", "k"));
}

static void test_same_request(void **state) {
    struct fixture *f = *state;
    const struct gw_replay_entry *e = begin(f, "k");
    assert_true(gw_replay_same_request(e, "node", "cmd", "hash"));
    assert_false(gw_replay_same_request(e, "node2", "cmd", "hash"));
    assert_false(gw_replay_same_request(e, "node", "cmd2", "hash"));
    assert_false(gw_replay_same_request(e, "node", "cmd", "hash2"));
}

static void test_dropped_key_is_free(void **state) {
    struct fixture *f = *state;
    gw_replay_drop(f->replay, begin(f, "k"));
    assert_null(gw_replay_find(f->replay, "me", "k"));
}

static void test_a_key_that_counts_is_never_forgotten_for_a_new_one(void **state) {
    struct fixture *f = *state;
    begin(f, "running");
    assert_true(gw_replay_has_room(f->replay, "me"));
    done(f, "a", "1");
    assert_false(gw_replay_has_room(f->replay, "me"));
    assert_true(gw_replay_has_room(f->replay, "you")); /* one cannot use up everybody's */
    assert_non_null(gw_replay_find(f->replay, "me", "a"));
    oc_fake_clock_advance(&f->clock, 1000000);
    assert_true(gw_replay_has_room(f->replay, "me")); /* it has expired */
}

static void test_byte_ceiling_forgets_answers_not_keys(void **state) {
    struct fixture *f = *state;
    done(f, "a", "0123456789");
    done(f, "b", "0123456789");
    assert_int_equal(gw_replay_bytes(f->replay), 20);
    done(f, "c", "x");
    assert_int_equal(gw_replay_bytes(f->replay), 11);
    assert_null(gw_replay_find(f->replay, "me", "a")->answer);
    assert_non_null(gw_replay_find(f->replay, "me", "b")->answer);
    done(f, "d", NULL);
    assert_null(gw_replay_find(f->replay, "me", "d")->answer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_life, setup, teardown),
        cmocka_unit_test_setup_teardown(test_running_does_not_expire, setup, teardown),
        cmocka_unit_test_setup_teardown(test_same_request, setup, teardown),
        cmocka_unit_test_setup_teardown(test_dropped_key_is_free, setup, teardown),
        cmocka_unit_test_setup_teardown(
                test_a_key_that_counts_is_never_forgotten_for_a_new_one, setup, teardown),
        cmocka_unit_test_setup_teardown(
                test_byte_ceiling_forgets_answers_not_keys, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
