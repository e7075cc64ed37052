#include "tests/unit/lib/net/net_testing.h"

#include "lib/net/loop/mailbox.h"
#include "lib/net/loop/poller.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#define HOUR_MS 3600000

struct fixture {
    struct oc_fake_clock clock;
    struct oc_loop *loop;
};

static int set_up_with(void **state, const struct oc_poller_ops *ops) {
    struct fixture *f = oc_new(struct fixture);
    oc_fake_clock_init(&f->clock, 1000);
    assert_int_equal(oc_loop_create_with(ops, &f->clock.clock, &f->loop, NULL), OC_OK);
    *state = f;
    return 0;
}

#ifdef __linux__
static int set_up_epoll(void **state) {
    return set_up_with(state, &oc_poller_epoll);
}
#endif

static int set_up_poll(void **state) {
    return set_up_with(state, &oc_poller_poll);
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    oc_loop_destroy(f->loop);
    oc_free(f);
    return 0;
}

/* Timers. */

static char order[64];

static void note_timer(struct oc_timer *t) {
    size_t n = strlen(order);
    order[n] = *(const char *)t->user;
    order[n + 1] = '\0';
}

static void test_timers_fire_in_order(void **state) {
    struct fixture *f = *state;
    order[0] = '\0';
    struct oc_timer t[5];
    for (int i = 0; i < 5; i++) {
        t[i] = (struct oc_timer){ .on_expire = note_timer, .user = (void *)&"abcde"[i] };
    }
    oc_timer_set(f->loop, &t[0], 30);
    oc_timer_set(f->loop, &t[1], 10);
    oc_timer_set(f->loop, &t[2], 20);
    oc_timer_set(f->loop, &t[3], 10); /* as late as b, set later */
    oc_timer_set(f->loop, &t[4], 5);
    oc_timer_set(f->loop, &t[4], 40); /* moved */
    oc_timer_cancel(&t[2]);
    oc_timer_cancel(&t[2]);
    oc_loop_step(f->loop, 0);
    assert_string_equal(order, "");
    oc_fake_clock_advance(&f->clock, 10);
    oc_loop_step(f->loop, 0);
    assert_string_equal(order, "bd");
    assert_null(t[1].loop);
    oc_fake_clock_advance(&f->clock, 100);
    oc_loop_step(f->loop, 0);
    assert_string_equal(order, "bdae");
}

struct endless {
    struct oc_timer timer;
    struct oc_loop *loop;
};

static void set_again(struct oc_timer *t) {
    note_timer(t);
    oc_timer_set(OC_CONTAINER(t, struct endless, timer)->loop, t, 0);
}

static void test_timer_set_in_timer_waits_a_round(void **state) {
    struct fixture *f = *state;
    order[0] = '\0';
    struct endless again = { .timer = { .on_expire = set_again, .user = (void *)"x" },
        .loop = f->loop };
    oc_timer_set(f->loop, &again.timer, 0);
    oc_loop_step(f->loop, 0);
    assert_string_equal(order, "x");
    oc_loop_step(f->loop, 0);
    assert_string_equal(order, "xx");
    oc_timer_cancel(&again.timer);
}

static void cancel_other(struct oc_timer *t) {
    note_timer(t);
    oc_timer_cancel(t + 1);
}

static void test_timer_cancelled_by_an_earlier_one(void **state) {
    struct fixture *f = *state;
    order[0] = '\0';
    struct oc_timer t[2] = { { .on_expire = cancel_other, .user = (void *)"1" },
        { .on_expire = note_timer, .user = (void *)"2" } };
    oc_timer_set(f->loop, &t[0], 1);
    oc_timer_set(f->loop, &t[1], 1);
    oc_fake_clock_advance(&f->clock, 5);
    oc_loop_step(f->loop, 0);
    assert_string_equal(order, "1");
}

static int64_t last_at_ms;
static int fired;

static void check_ascending(struct oc_timer *t) {
    assert_true(t->at_ms >= last_at_ms);
    last_at_ms = t->at_ms;
    fired++;
}

static void test_many_timers(void **state) {
    struct fixture *f = *state;
    enum { COUNT = 2000 };
    struct oc_timer *t = oc_new_array(struct oc_timer, COUNT);
    unsigned seed = 7;
    int expected = 0;
    last_at_ms = 0;
    fired = 0;
    for (int i = 0; i < COUNT; i++) {
        t[i].on_expire = check_ascending;
        oc_timer_set(f->loop, &t[i], rand_r(&seed) % 1000);
    }
    for (int i = 0; i < COUNT; i += 3) {
        oc_timer_cancel(&t[i]);
    }
    for (int i = 1; i < COUNT; i += 3) {
        oc_timer_set(f->loop, &t[i], rand_r(&seed) % 1000);
    }
    for (int i = 0; i < COUNT; i++) {
        expected += t[i].loop != NULL;
    }
    oc_fake_clock_advance(&f->clock, 1000);
    oc_loop_step(f->loop, 0);
    assert_int_equal(fired, expected);
    oc_free(t);
}

/* Descriptors. */

struct watched {
    struct oc_io io;
    int calls;
    unsigned events;
    struct watched *victim;
};

static void on_ready(struct oc_io *io, unsigned events) {
    struct watched *w = io->user;
    w->calls++;
    w->events = events;
    if (w->victim) {
        oc_io_remove(&w->victim->io);
        memset(w->victim, 0xdd, sizeof(*w->victim)); /* as if freed and used for something else */
        w->victim = NULL;
    }
}

static void watch(struct fixture *f, struct watched *w, int fd, unsigned events) {
    *w = (struct watched){ .io = { .fd = fd, .events = events, .on_ready = on_ready, .user = w } };
    assert_int_equal(oc_io_add(f->loop, &w->io, NULL), OC_OK);
}

static void test_descriptor_events(void **state) {
    struct fixture *f = *state;
    int fds[2];
    make_pair(fds);
    struct watched w;
    watch(f, &w, fds[0], OC_IO_READ);
    oc_loop_step(f->loop, 0);
    assert_int_equal(w.calls, 0);
    assert_int_equal(write(fds[1], "x", 1), 1);
    oc_loop_step(f->loop, 0);
    oc_loop_step(f->loop, 0);
    assert_int_equal(w.calls, 2); /* level-triggered */
    assert_int_equal(w.events, OC_IO_READ);
    oc_io_set_events(&w.io, OC_IO_WRITE);
    oc_loop_step(f->loop, 0);
    assert_int_equal(w.calls, 3);
    assert_int_equal(w.events, OC_IO_WRITE);
    oc_io_set_events(&w.io, 0);
    oc_loop_step(f->loop, 0);
    assert_int_equal(w.calls, 3);
    oc_io_set_events(&w.io, OC_IO_READ);
    close(fds[1]);
    oc_loop_step(f->loop, 0);
    assert_int_equal(w.calls, 4);
    assert_int_equal(w.events, OC_IO_READ | OC_IO_WRITE); /* a hang-up comes as both */
    oc_io_remove(&w.io);
    oc_io_remove(&w.io);
    oc_loop_step(f->loop, 0);
    assert_int_equal(w.calls, 4);
    close(fds[0]);
}

static void test_removing_another_ready_one(void **state) {
    struct fixture *f = *state;
    int a[2], b[2];
    make_pair(a);
    make_pair(b);
    struct watched one, two;
    watch(f, &one, a[0], OC_IO_WRITE);
    watch(f, &two, b[0], OC_IO_WRITE);
    one.victim = &two;
    two.victim = &one; /* whichever comes first kills the other */
    oc_loop_step(f->loop, 0);
    struct watched *survivor = one.calls == 1 ? &one : &two;
    assert_int_equal(survivor->calls, 1);
    oc_io_remove(&survivor->io);
    for (int i = 0; i < 2; i++) {
        close(a[i]);
        close(b[i]);
    }
}

static void test_more_ready_than_one_batch(void **state) {
    struct fixture *f = *state;
    enum { COUNT = 200 };
    struct watched *w = oc_new_array(struct watched, COUNT);
    int(*fds)[2] = oc_alloc_array(COUNT, sizeof(*fds));
    for (int i = 0; i < COUNT; i++) {
        make_pair(fds[i]);
        watch(f, &w[i], fds[i][0], OC_IO_WRITE);
    }
    for (int i = 0; i < 4; i++) {
        oc_loop_step(f->loop, 0);
    }
    for (int i = 0; i < COUNT; i++) {
        assert_true(w[i].calls > 0); /* nobody starves */
        oc_io_remove(&w[i].io);
        close(fds[i][0]);
        close(fds[i][1]);
    }
    oc_free(w);
    oc_free(fds);
}

static void test_bad_descriptor(void **state) {
    struct fixture *f = *state;
    struct oc_io io = { .fd = -1, .events = OC_IO_READ, .on_ready = on_ready };
    struct oc_error err;
    assert_int_equal(oc_io_add(f->loop, &io, &err), OC_E_IO);
    assert_null(io.loop);
}

/* Deferred calls. */

struct later {
    struct oc_deferred d;
    struct oc_loop *loop;
    struct later *cancels;
    int calls, again;
};

static void run_later(struct oc_deferred *d) {
    struct later *l = d->user;
    l->calls++;
    if (l->cancels) {
        oc_defer_cancel(&l->cancels->d);
    }
    if (l->again-- > 0) {
        oc_defer(l->loop, d);
    }
}

static void test_deferred(void **state) {
    struct fixture *f = *state;
    struct later a = { .loop = f->loop, .again = 1 }, b = { .loop = f->loop };
    a.d = (struct oc_deferred){ .run = run_later, .user = &a };
    b.d = (struct oc_deferred){ .run = run_later, .user = &b };
    a.cancels = &b;
    oc_defer(f->loop, &a.d);
    oc_defer(f->loop, &a.d); /* still once */
    oc_defer(f->loop, &b.d);
    oc_loop_step(f->loop, TEST_PATIENCE_MS); /* does not wait: there is work */
    assert_int_equal(a.calls, 1);
    assert_int_equal(b.calls, 0);
    oc_loop_step(f->loop, TEST_PATIENCE_MS);
    assert_int_equal(a.calls, 2);
    oc_loop_step(f->loop, 0);
    assert_int_equal(a.calls, 2);
    oc_defer(f->loop, &b.d);
    oc_defer_cancel(&b.d);
    oc_defer_cancel(&b.d);
    oc_loop_step(f->loop, 0);
    assert_int_equal(b.calls, 0);
}

/* Other threads. */

enum { POSTS = 500, THREADS = 4 };

struct poster {
    struct oc_loop *loop;
    pthread_t thread;
    int got[POSTS];
    int count;
};

struct post_arg {
    struct poster *poster;
    int number;
};

static void on_posted(void *user) {
    struct post_arg *a = user;
    a->poster->got[a->poster->count++] = a->number;
    oc_free(a);
}

static void *post_many(void *arg) {
    struct poster *p = arg;
    for (int i = 0; i < POSTS; i++) {
        struct post_arg *a = oc_new(struct post_arg);
        *a = (struct post_arg){ .poster = p, .number = i };
        oc_loop_post(p->loop, on_posted, a);
    }
    return NULL;
}

static bool all_arrived(const struct poster *p) {
    for (int i = 0; i < THREADS; i++) {
        if (p[i].count < POSTS) {
            return false;
        }
    }
    return true;
}

static void test_posts_from_threads(void **state) {
    struct fixture *f = *state;
    struct poster *p = oc_new_array(struct poster, THREADS);
    for (int i = 0; i < THREADS; i++) {
        p[i].loop = f->loop;
        assert_int_equal(pthread_create(&p[i].thread, NULL, post_many, &p[i]), 0);
    }
    STEP_UNTIL(f->loop, all_arrived(p));
    for (int i = 0; i < THREADS; i++) {
        pthread_join(p[i].thread, NULL);
        for (int k = 0; k < POSTS; k++) {
            assert_int_equal(p[i].got[k], k);
        }
    }
    oc_free(p);
}

static void count_up(void *user) {
    ++*(int *)user;
}

static void defer_it(void *user) {
    struct later *l = user;
    oc_defer(l->loop, &l->d);
}

static void test_destroy_runs_what_waits(void **state) {
    (void)state;
    struct oc_fake_clock clock;
    oc_fake_clock_init(&clock, 0);
    struct oc_loop *loop = make_loop(&clock.clock);
    int posted = 0;
    struct later l = { .loop = loop, .again = 3 };
    l.d = (struct oc_deferred){ .run = run_later, .user = &l };
    struct oc_timer t = { .on_expire = note_timer };
    oc_timer_set(loop, &t, 5);
    oc_loop_post(loop, count_up, &posted);
    oc_loop_post(loop, defer_it, &l);
    oc_loop_destroy(loop);
    assert_int_equal(posted, 1);
    assert_int_equal(l.calls, 4);
    assert_null(t.loop);
    oc_timer_cancel(&t);
}

static void *post_late(void *arg) {
    struct oc_mailbox *mb = arg;
    int never = 0;
    assert_false(oc_mailbox_post(mb, count_up, &never));
    assert_int_equal(never, 0);
    oc_mailbox_unref(mb);
    return NULL;
}

static void test_mailbox_outlives_the_loop(void **state) {
    (void)state;
    struct oc_loop *loop = make_loop(&oc_clock_system);
    struct oc_mailbox *mb = oc_mailbox_ref(oc_loop_mailbox(loop));
    oc_loop_destroy(loop);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, post_late, mb), 0);
    pthread_join(thread, NULL);
}

/* Signals, and the run/stop pair. */

static int got_signal;

static void on_signal(void *user, int signo) {
    got_signal = signo;
    oc_loop_stop(user);
}

static void test_signal_wakes_and_stops(void **state) {
    struct fixture *f = *state;
    struct oc_error err;
    got_signal = 0;
    assert_int_equal(oc_loop_on_signal(f->loop, SIGUSR1, on_signal, f->loop, &err), OC_OK);
    struct oc_loop *other = make_loop(&oc_clock_system);
    assert_int_equal(oc_loop_on_signal(other, SIGUSR1, on_signal, other, &err), OC_E_EXISTS);
    oc_loop_destroy(other);
    assert_int_equal(oc_loop_on_signal(f->loop, 0, on_signal, f->loop, &err), OC_E_INVALID);
    raise(SIGUSR1);
    assert_int_equal(got_signal, 0); /* only from the loop */
    oc_loop_run(f->loop);
    assert_int_equal(got_signal, SIGUSR1);
    oc_loop_destroy(f->loop);
    struct sigaction now;
    assert_int_equal(sigaction(SIGUSR1, NULL, &now), 0);
    assert_ptr_equal(now.sa_handler, SIG_DFL); /* given back */
    f->loop = NULL;
}

static void test_stop_before_run(void **state) {
    struct fixture *f = *state;
    oc_loop_stop(f->loop);
    oc_loop_run(f->loop); /* returns */
}

static void test_waits_by_its_own_clock(void **state) {
    struct fixture *f = *state;
    order[0] = '\0';
    struct oc_timer t = { .on_expire = note_timer, .user = (void *)"t" };
    oc_timer_set(f->loop, &t, HOUR_MS);
    oc_loop_step(f->loop, 1); /* an hour of the fake clock is not waited for */
    assert_string_equal(order, "");
    assert_int_equal(oc_loop_now_ms(f->loop), oc_mono_ms(oc_loop_clock(f->loop)));
    oc_fake_clock_advance(&f->clock, HOUR_MS);
    oc_loop_step(f->loop, TEST_PATIENCE_MS);
    assert_string_equal(order, "t");
}

#ifdef __linux__
#define WITH_BOTH(test)                                             \
    cmocka_unit_test_setup_teardown(test, set_up_epoll, tear_down), \
            cmocka_unit_test_setup_teardown(test, set_up_poll, tear_down)
#else
#define WITH_BOTH(test) cmocka_unit_test_setup_teardown(test, set_up_poll, tear_down)
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_BOTH(test_timers_fire_in_order),
        WITH_BOTH(test_timer_set_in_timer_waits_a_round),
        WITH_BOTH(test_timer_cancelled_by_an_earlier_one),
        WITH_BOTH(test_many_timers),
        WITH_BOTH(test_descriptor_events),
        WITH_BOTH(test_removing_another_ready_one),
        WITH_BOTH(test_more_ready_than_one_batch),
        WITH_BOTH(test_bad_descriptor),
        WITH_BOTH(test_deferred),
        WITH_BOTH(test_posts_from_threads),
        WITH_BOTH(test_signal_wakes_and_stops),
        WITH_BOTH(test_stop_before_run),
        WITH_BOTH(test_waits_by_its_own_clock),
        cmocka_unit_test(test_destroy_runs_what_waits),
        cmocka_unit_test(test_mailbox_outlives_the_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
