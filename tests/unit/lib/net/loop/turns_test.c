#include "lib/net/loop/turns.h"

#include "lib/protocol/limits.h"
#include "tests/unit/lib/net/net_testing.h"

#define MESSAGES 1000

/* Somebody with many messages, who handles them as a connection does. */
struct talker {
    struct oc_turns *turns;
    struct oc_turn *turn;
    struct oc_turn_waiter waiter;
    struct oc_deferred kick;
    int done, most_at_once;
};

static struct oc_loop *loop;
static struct oc_turns turns;

static int set_up(void **state) {
    (void)state;
    loop = make_loop(&oc_clock_system);
    oc_turns_init(&turns, loop);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    oc_turns_finish(&turns);
    oc_loop_destroy(loop);
    return 0;
}

static void talk(struct oc_deferred *d) {
    struct talker *t = d->user;
    int before = t->done;
    while (t->done < MESSAGES && oc_turn_may(t->turns, t->turn, &t->waiter)) {
        oc_turn_begin(t->turns, t->turn, &t->waiter);
        t->done++;
        oc_turn_end(t->turns);
    }
    t->most_at_once = t->done - before > t->most_at_once ? t->done - before : t->most_at_once;
}

static void go_on(void *user) {
    struct talker *t = user;
    oc_defer(loop, &t->kick);
}

static void begin(struct talker *t, struct oc_turn *turn) {
    *t = (struct talker){ .turns = &turns, .turn = turn };
    t->waiter = (struct oc_turn_waiter){ .go_on = go_on, .user = t };
    oc_list_init(&t->waiter.link);
    t->kick = (struct oc_deferred){ .run = talk, .user = t };
    oc_defer(loop, &t->kick);
}

static void one_party_gets_a_turn_per_round(void **state) {
    (void)state;
    struct oc_turn turn;
    struct talker t;
    oc_turn_init(&turn);
    begin(&t, &turn);
    int rounds = 0;
    while (t.done < MESSAGES) {
        oc_loop_step(loop, 0);
        rounds++;
    }
    assert_in_range(t.most_at_once, 1, OC_TURN_UNITS / OC_TURN_UNITS_PER_MESSAGE);
    assert_in_range(rounds, MESSAGES / t.most_at_once, 2 * MESSAGES);
    assert_int_equal(turns.work, MESSAGES * OC_TURN_UNITS_PER_MESSAGE);
    oc_turn_finish(&turn);
}

/* Work outside of messages is the charged party's, within another's message too; what is left is
 * nobody's. */
static void work_without_a_message_is_somebodys(void **state) {
    (void)state;
    struct oc_turn a, b;
    struct oc_turn_waiter w = { 0 };
    oc_turn_init(&a);
    oc_turn_init(&b);
    oc_turns_count(&turns, 3);
    assert_int_equal(turns.nobodys, 3);
    oc_turn_begin(&turns, &a, &w);
    struct oc_turn *before = oc_turns_charge(&turns, &b);
    oc_turns_count(&turns, OC_TURN_UNITS);
    oc_turns_charge_end(&turns, before);
    oc_turns_count(&turns, 1);
    oc_turn_end(&turns);
    assert_int_equal(a.units, OC_TURN_UNITS_PER_MESSAGE + 1);
    assert_int_equal(b.units, OC_TURN_UNITS);
    assert_true(b.is_over);
    before = oc_turns_charge(&turns, &a);
    assert_null(before);
    oc_turns_charge_end(&turns, before);
    assert_int_equal(turns.nobodys, 3);
    assert_int_equal(turns.work, OC_TURN_UNITS + OC_TURN_UNITS_PER_MESSAGE + 4);
    oc_loop_step(loop, 0);
    oc_turn_finish(&a);
    oc_turn_finish(&b);
}

/* Two connections of one party take turns, and both come to an end. */
static void connections_of_a_party_share_its_turn(void **state) {
    (void)state;
    struct oc_turn turn;
    struct talker a, b;
    oc_turn_init(&turn);
    begin(&a, &turn);
    begin(&b, &turn);
    while (a.done + b.done < 2 * MESSAGES) {
        uint64_t before = turns.work;
        oc_loop_step(loop, 0);
        assert_in_range(turns.work - before, 0, OC_TURN_UNITS + OC_TURN_UNITS_PER_MESSAGE);
        int apart = a.done > b.done ? a.done - b.done : b.done - a.done;
        assert_in_range(apart, 0, 2 * OC_TURN_UNITS / OC_TURN_UNITS_PER_MESSAGE);
    }
    oc_turn_finish(&turn);
}

/* Many parties that never stop do not make a round longer than one of them does alone, but for the
 * least share. */
static void a_crowd_gets_shorter_turns(void **state) {
    (void)state;
    enum { CROWD = 8 };
    struct oc_turn turn[CROWD];
    struct talker t[CROWD];
    int left = CROWD, rounds = 0;
    for (int i = 0; i < CROWD; i++) {
        oc_turn_init(&turn[i]);
        begin(&t[i], &turn[i]);
    }
    while (left > 0) {
        uint64_t before = turns.work;
        oc_loop_step(loop, 0);
        if (++rounds > 3) {
            assert_in_range(
                    turns.work - before, 0, OC_TURN_UNITS + CROWD * OC_TURN_UNITS_PER_MESSAGE);
        }
        left = 0;
        for (int i = 0; i < CROWD; i++) {
            left += t[i].done < MESSAGES;
        }
    }
    for (int i = 0; i < CROWD; i++) {
        oc_turn_finish(&turn[i]);
    }
}

static void who_leaves_hears_nothing(void **state) {
    (void)state;
    struct oc_turn turn;
    struct talker t;
    oc_turn_init(&turn);
    begin(&t, &turn);
    oc_loop_step(loop, 0);
    oc_turn_waiter_leave(&t.waiter);
    int done = t.done;
    for (int i = 0; i < 10; i++) {
        oc_loop_step(loop, 0);
    }
    assert_int_equal(t.done, done);
    oc_turn_finish(&turn);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(one_party_gets_a_turn_per_round),
        TEST(work_without_a_message_is_somebodys),
        TEST(connections_of_a_party_share_its_turn),
        TEST(a_crowd_gets_shorter_turns),
        TEST(who_leaves_hears_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
