#include "tests/unit/lib/net/net_testing.h"

#include "node/looks/looks.h"

#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>

/* What the threads do is held up here: every look waits for a permit of its caller's first
 * letter. */
static sem_t permits[26];
static atomic_int begun[26], let_on[26];

static void hold_up(const char *who, atomic_uint *steps) {
    (void)steps;
    atomic_fetch_add(&begun[who[0] - 'a'], 1);
    while (sem_wait(&permits[who[0] - 'a']) != 0) {
    }
    atomic_fetch_add(&let_on[who[0] - 'a'], 1);
}

/* The same, but nothing holds it up: it goes on and on until it may end. */
static atomic_uint all_steps;

static void be_busy(const char *who, atomic_uint *steps) {
    atomic_fetch_add(&begun[who[0] - 'a'], 1);
    while (sem_trywait(&permits[who[0] - 'a']) != 0) {
        atomic_fetch_add(steps, 1);
        atomic_fetch_add(&all_steps, 1);
        sched_yield();
    }
    atomic_fetch_add(&let_on[who[0] - 'a'], 1);
}

static void permit(char who, int times) {
    for (int i = 0; i < times; i++) {
        sem_post(&permits[who - 'a']);
    }
}

struct fixture {
    struct oc_fake_clock clock;
    struct oc_loop *loop;
    struct nd_looks looks;
    struct oc_strv argv;
    char order[64];
};

static int set_up(void **state) {
    struct fixture *f = oc_new(struct fixture);
    oc_fake_clock_init(&f->clock, 1000);
    f->loop = make_loop(&f->clock.clock);
    f->looks.in_thread = hold_up;
    oc_strv_add(&f->argv, "true");
    for (size_t i = 0; i < OC_COUNT(permits); i++) {
        sem_init(&permits[i], 0, 0);
        atomic_store(&begun[i], 0);
        atomic_store(&let_on[i], 0);
    }
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    nd_looks_finish(&f->looks);
    for (size_t i = 0; i < OC_COUNT(permits); i++) { /* else they take the next test's permits */
        while (atomic_load(&let_on[i]) < atomic_load(&begun[i])) {
            sched_yield();
        }
        sem_destroy(&permits[i]);
    }
    oc_loop_destroy(f->loop);
    oc_strv_finish(&f->argv);
    oc_free(f);
    return 0;
}

struct asked {
    struct fixture *f;
    char who;
    struct nd_look *look;
};

static void note(void *user, struct nd_look_found *found) {
    struct asked *a = user;
    assert_false(found->has_real);
    a->look = NULL;
    size_t n = strlen(a->f->order);
    a->f->order[n] = a->who;
    a->f->order[n + 1] = '\0';
}

static enum oc_code ask(struct fixture *f, struct asked *a, const char *who, struct oc_error *err) {
    *a = (struct asked){ .f = f, .who = who[0] };
    struct nd_look_ask asks = { .argv = &f->argv, .who = who };
    return nd_look_start(&f->looks, f->loop, &asks, note, a, &a->look, err);
}

static void ask_all(struct fixture *f, struct asked *a, const char *whose) {
    for (size_t i = 0; whose[i]; i++) {
        char who[2] = { whose[i], '\0' };
        assert_int_equal(ask(f, &a[i], who, NULL), OC_OK);
    }
}

static void three_callers_take_turns(void **state) {
    struct fixture *f = *state;
    struct asked a[9];
    ask_all(f, a, "aaabbbccc");
    permit('a', 3);
    permit('b', 3);
    permit('c', 3);
    STEP_UNTIL(f->loop, strlen(f->order) == 9);
    assert_string_equal(f->order, "abcabcabc");
    assert_int_equal(f->looks.made, 9);
}

static void a_look_that_is_cancelled_while_it_runs_says_nothing(void **state) {
    struct fixture *f = *state;
    struct asked a[3];
    ask_all(f, a, "abb");
    STEP_UNTIL(f->loop, atomic_load(&begun[0]) == 1);
    nd_look_cancel(a[0].look);
    nd_look_cancel(a[1].look); /* this one waits */
    permit('a', 1);
    permit('b', 1);
    STEP_UNTIL(f->loop, f->looks.made == 2);
    assert_string_equal(f->order, "b");
}

static void looks_that_end_while_one_runs(void **state) {
    struct fixture *f = *state;
    struct asked a[2];
    ask_all(f, a, "ab");
    STEP_UNTIL(f->loop, atomic_load(&begun[0]) == 1);
    nd_looks_finish(&f->looks);
    permit('a', 1);
    step_some(f->loop);
    assert_string_equal(f->order, "");
    assert_int_equal(atomic_load(&begun[1]), 0);
}

static void overdue(struct fixture *f) {
    oc_fake_clock_advance(&f->clock, ND_LOOK_MS + 1);
    step_some(f->loop);
}

static void one_that_never_comes_back_holds_nobody_else_up(void **state) {
    struct fixture *f = *state;
    struct asked a[3], more;
    struct oc_error err = { 0 };
    ask_all(f, a, "aab");
    permit('b', 1);
    STEP_UNTIL(f->loop, atomic_load(&begun[0]) == 1);
    overdue(f);
    STEP_UNTIL(f->loop, strcmp(f->order, "b") == 0);
    assert_int_equal(ask(f, &more, "a", &err), OC_E_UNAVAILABLE);
    assert_non_null(strstr(err.text, "does not answer"));
    assert_int_equal(atomic_load(&begun[0]), 1); /* the second of the same caller does not begin */
    permit('a', 2);
    STEP_UNTIL(f->loop, strcmp(f->order, "baa") == 0); /* it came back after all */
    permit('a', 1);
    assert_int_equal(ask(f, &more, "a", NULL), OC_OK);
    STEP_UNTIL(f->loop, strcmp(f->order, "baaa") == 0);
}

static void no_more_than_four_threads_are_stuck(void **state) {
    struct fixture *f = *state;
    struct asked a[5], more;
    ask_all(f, a, "abcde");
    for (int i = 0; i < 4; i++) {
        STEP_UNTIL(f->loop, atomic_load(&begun[i]) == 1);
        overdue(f);
    }
    assert_null(f->looks.running);
    assert_int_equal(atomic_load(&begun[4]), 0);
    assert_int_equal(ask(f, &more, "f", NULL), OC_E_UNAVAILABLE);
    permit('c', 1);
    permit('e', 1);
    STEP_UNTIL(f->loop, strcmp(f->order, "ce") == 0);
    nd_look_cancel(a[0].look); /* its thread is still stuck */
    permit('a', 1);
    permit('b', 1);
    STEP_UNTIL(f->loop, f->looks.made == 4);
    assert_string_equal(f->order, "ceb");
    nd_looks_finish(&f->looks); /* d is stuck to the end */
    permit('d', 1);
    step_some(f->loop);
    assert_string_equal(f->order, "ceb");
}

/* Until every busy thread has made a step, whatever else the machine does. */
static void overdue_but_busy(struct fixture *f, char who) {
    STEP_UNTIL(f->loop, atomic_load(&begun[who - 'a']) == 1);
    for (int i = 0; i <= ND_LOOK_MS / ND_LOOK_STEP_MS; i++) {
        unsigned before = atomic_load(&all_steps);
        STEP_UNTIL(f->loop, atomic_load(&all_steps) - before > 1000);
        oc_fake_clock_advance(&f->clock, ND_LOOK_STEP_MS + 1);
        step_some(f->loop);
    }
}

/* Nobody is told that a file system does not answer: it does. */
static void a_busy_look_is_not_stuck(void **state) {
    struct fixture *f = *state;
    struct asked a[2], more;
    f->looks.in_thread = be_busy;
    ask_all(f, a, "ab");
    permit('b', 1);
    overdue_but_busy(f, 'a');
    STEP_UNTIL(f->loop, strcmp(f->order, "b") == 0);   /* it has lost its place */
    assert_int_equal(ask(f, &more, "a", NULL), OC_OK); /* which waits for the first one */
    step_some(f->loop);
    assert_int_equal(atomic_load(&begun[0]), 1);
    permit('a', 2);
    STEP_UNTIL(f->loop, strcmp(f->order, "baa") == 0);
}

static void busy_looks_of_four_callers_keep_nobody_out(void **state) {
    struct fixture *f = *state;
    struct asked a[4], more;
    f->looks.in_thread = be_busy;
    ask_all(f, a, "abcd");
    for (char who = 'a'; who <= 'd'; who++) {
        overdue_but_busy(f, who);
    }
    permit('e', 1);
    assert_int_equal(ask(f, &more, "e", NULL), OC_OK);
    STEP_UNTIL(f->loop, strcmp(f->order, "e") == 0);
    for (char who = 'a'; who <= 'd'; who++) {
        permit(who, 1);
    }
    STEP_UNTIL(f->loop, f->looks.made == 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(three_callers_take_turns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
                a_look_that_is_cancelled_while_it_runs_says_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(looks_that_end_while_one_runs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
                one_that_never_comes_back_holds_nobody_else_up, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_more_than_four_threads_are_stuck, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_busy_look_is_not_stuck, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
                busy_looks_of_four_callers_keep_nobody_out, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
