/* Programs under the loop: output ceilings, endings, timeouts, and what is left behind. */
#include "node/process/process_impl.h"
#include "tests/unit/node/node_testing.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static const char *const env[] = { "PATH=/usr/bin:/bin", NULL };

struct outcome {
    int count, gone;
    struct nd_process_result result; /* buffers copied */
};

static void on_done(void *user, const struct nd_process_result *r) {
    struct outcome *o = user;
    o->count++;
    o->result = *r;
    o->result.out = o->result.err = OC_BUF_INIT(ND_MAX_OUTPUT_BYTES);
    oc_buf_append(&o->result.out, r->out.data, r->out.len);
    oc_buf_append(&o->result.err, r->err.data, r->err.len);
}

static void finish(struct outcome *o) {
    oc_buf_finish(&o->result.out);
    oc_buf_finish(&o->result.err);
}

static struct nd_process *start(
        struct test_host *t, const char *script, int64_t timeout_ms, struct outcome *o) {
    const char *argv[] = { "sh", "-c", script, NULL };
    struct nd_process *p = NULL;
    int errnum = 0;
    struct oc_error err;
    assert_int_equal(nd_process_start(t->host.machine.loop, os_native.exec,
                             &(struct os_spawn_opts){
                                     .path = "/bin/sh", .argv = argv, .env = env, .cwd = t->dir },
                             timeout_ms, on_done, o, &p, &errnum, &err),
            OC_OK);
    return p;
}

static void run(struct test_host *t, const char *script, int64_t timeout_ms, struct outcome *o) {
    *o = (struct outcome){ 0 };
    start(t, script, timeout_ms, o);
    STEP_UNTIL(t->host.machine.loop, o->count);
    oc_loop_step(t->host.machine.loop, 0);
    assert_int_equal(o->count, 1);
}

static void ends(void **state) {
    struct outcome o;
    run(*state, "printf out; printf err >&2; exit 5", 0, &o);
    assert_string_equal(o.result.out.data, "out");
    assert_string_equal(o.result.err.data, "err");
    assert_int_equal(o.result.end.status, 5);
    assert_false(o.result.timed_out || o.result.was_killed || o.result.is_truncated);
    finish(&o);
}

/* More than fits into a pipe, on both streams: nobody may block. */
static void much_output_is_read_and_cut(void **state) {
    struct outcome o;
    run(*state, "head -c 3000000 /dev/zero >&2; head -c 3000000 /dev/zero; exit 4", 0, &o);
    assert_int_equal(o.result.end.status, 4);
    assert_true(o.result.is_truncated);
    assert_int_equal(o.result.out.len + o.result.err.len, ND_MAX_OUTPUT_BYTES);
    finish(&o);
    run(*state, "head -c 200000 /dev/zero", 0, &o);
    assert_false(o.result.is_truncated);
    assert_int_equal(o.result.out.len, ND_MAX_OUTPUT_BYTES);
    finish(&o);
}

static void times_out(void **state) {
    struct test_host *t = *state;
    struct outcome o = { 0 };
    start(t, "echo before; echo ready > ready; sleep 1000", 100, &o);
    STEP_UNTIL(t->host.machine.loop, test_host_has_line(t, "ready"));
    oc_fake_clock_advance(&t->clock, 99);
    oc_loop_step(t->host.machine.loop, 0);
    assert_int_equal(o.count, 0);
    oc_fake_clock_advance(&t->clock, 1);
    STEP_UNTIL(t->host.machine.loop, o.count);
    assert_true(o.result.timed_out);
    assert_true(o.result.was_killed);
    assert_int_equal(o.result.end.status, SIGKILL);
    assert_string_equal(o.result.out.data, "before\n");
    finish(&o);
}

static void killed(void **state) {
    struct test_host *t = *state;
    struct outcome o = { 0 };
    struct nd_process *p = start(t, "sleep 1000", 0, &o);
    nd_process_kill(p, false);
    nd_process_kill(p, true); /* the first reason counts */
    STEP_UNTIL(t->host.machine.loop, o.count);
    assert_true(o.result.was_killed);
    assert_false(o.result.timed_out);
    finish(&o);
}

static long read_number(struct test_host *t, const char *name) {
    OC_AUTO_FREE char *path = oc_path_join(t->dir, name);
    OC_AUTO_BUF struct oc_buf text = { 0 };
    assert_int_equal(oc_file_read(path, 100, &text, NULL), OC_OK);
    return strtol(text.data, NULL, 10);
}

static int pidfd_of(struct test_host *t, const char *name) {
    STEP_UNTIL(t->host.machine.loop, test_host_has_line(t, name));
    int fd = (int)syscall(SYS_pidfd_open, (pid_t)read_number(t, name), 0);
    assert_true(fd >= 0);
    return fd;
}

static bool has_ended(int pidfd, int wait_ms) {
    struct pollfd p = { .fd = pidfd, .events = POLLIN };
    return poll(&p, 1, wait_ms) == 1;
}

/* What a program leaves in the background, whatever session it is in and whether it holds the pipes
 * or not, gets a moment and is killed before the end is reported. */
static void what_is_left_is_killed(void **state) {
    struct test_host *t = *state;
    struct outcome o = { 0 };
    start(t,
            "(setsid sh -c 'echo $$ > a; exec sleep 1000' > /dev/null 2>&1 < /dev/null &);"
            "(sh -c 'echo $$ > b; exec sleep 1000' &); while ! [ -s a ] || ! [ -s b ]; do :; done; "
            "echo started; exit 3",
            0, &o);
    int fds[] = { pidfd_of(t, "a"), pidfd_of(t, "b") };
    STEP_UNTIL(t->host.machine.loop, (oc_fake_clock_advance(&t->clock, 10), o.count));
    for (size_t i = 0; i < OC_COUNT(fds); i++) {
        assert_true(has_ended(fds[i], 0));
        close(fds[i]);
    }
    assert_true(o.result.cleaned_up);
    assert_false(o.result.left_behind || o.result.was_killed || o.result.timed_out);
    assert_int_equal(o.result.end.status, 3);
    assert_string_equal(o.result.out.data, "started\n");
    finish(&o);
}

/* Most of what is left at the end ends by itself: it is not killed, and nothing it says is lost. No
 * clock moves here. */
static void what_ends_soon_is_waited_for(void **state) {
    struct test_host *t = *state;
    OC_AUTO_FREE char *fifo = oc_path_join(t->dir, "fifo");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    struct outcome o = { 0 };
    start(t,
            "echo early; (sh -c 'echo $$ > pid; read x < fifo; echo late' &); while ! [ -s pid ]; "
            "do :; done",
            0, &o);
    close(pidfd_of(t, "pid"));
    FILE *f = fopen(fifo, "w");
    assert_non_null(f);
    fputs("go\n", f);
    fclose(f);
    STEP_UNTIL(t->host.machine.loop, o.count);
    assert_string_equal(o.result.out.data, "early\nlate\n");
    assert_false(o.result.cleaned_up || o.result.left_behind);
    finish(&o);
}

static void on_gone(void *user) {
    struct outcome *o = user;
    o->gone++;
}

static void what_may_stay_can_be_killed(void **state) {
    struct test_host *t = *state;
    struct outcome o = { 0 };
    struct nd_process *p =
            start(t, "(setsid sh -c 'echo $$ > pid; exec sleep 1000' &); exit 3", 0, &o);
    nd_process_keep_left(p, on_gone);
    int fd = pidfd_of(t, "pid");
    STEP_UNTIL(t->host.machine.loop, (oc_fake_clock_advance(&t->clock, 10), o.count));
    assert_true(o.result.left_behind);
    assert_int_equal(o.result.end.status, 3);
    assert_int_equal(o.gone, 0);
    assert_false(has_ended(fd, 0));
    finish(&o);
    nd_process_kill(p, false);
    STEP_UNTIL(t->host.machine.loop, o.gone);
    assert_true(has_ended(fd, 0));
    close(fd);
    assert_int_equal(o.count, 1);
}

/* Also when it kills whoever looks after it. */
static void what_may_stay_is_never_lost(void **state) {
    struct test_host *t = *state;
    struct outcome o = { 0 };
    OC_AUTO_FREE char *fifo = oc_path_join(t->dir, "fifo");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    nd_process_keep_left(start(t,
                                 "(setsid sh -c 'echo $$ > pid; read x < fifo;"
                                 "kill -KILL $(cut -d\" \" -f4 /proc/$$/stat); exec sleep 1000' &)",
                                 0, &o),
            on_gone);
    int fd = pidfd_of(t, "pid");
    STEP_UNTIL(t->host.machine.loop, (oc_fake_clock_advance(&t->clock, 10), o.count));
    finish(&o);
    FILE *f = fopen(fifo, "w");
    assert_non_null(f);
    fputs("go\n", f);
    fclose(f);
    STEP_UNTIL(t->host.machine.loop, o.gone);
    assert_true(has_ended(fd, 30000));
    close(fd);
}

/* Whoever lost his supervisor and was missed then is not given the time of an ordinary orphan. */
static void strays_are_looked_for_soon(void **state) {
    struct test_host *t = *state;
    struct outcome o, sleeping = { 0 };
    struct nd_process *p = start(t, "sleep 1000", 0, &sleeping); /* or no child would be left */
    run(t, "kill -KILL $PPID", 0, &o);
    finish(&o);
    pid_t stray = fork();
    if (stray == 0) {
        alarm(60);
        pause();
        _exit(0);
    }
    int fd = (int)syscall(SYS_pidfd_open, stray, 0);
    assert_true(fd >= 0);
    for (int i = 0; i < 10 && !has_ended(fd, 0); i++) {
        oc_fake_clock_advance(&t->clock, 100);
        oc_loop_step(t->host.machine.loop, 0);
    }
    assert_true(has_ended(fd, 1000));
    close(fd);
    nd_process_destroy(p);
}

static void destroyed_with_what_is_left(void **state) {
    struct test_host *t = *state;
    struct outcome o = { 0 };
    struct nd_process *p = start(t, "(setsid sh -c 'echo $$ > pid; exec sleep 1000' &)", 0, &o);
    nd_process_keep_left(p, on_gone);
    int fd = pidfd_of(t, "pid");
    STEP_UNTIL(t->host.machine.loop, (oc_fake_clock_advance(&t->clock, 10), o.count));
    finish(&o);
    nd_process_destroy(p);
    assert_true(has_ended(fd, 30000));
    close(fd);
    assert_int_equal(o.gone, 0);
}

struct seen {
    struct oc_buf text;
    struct nd_process *process;
    bool pauses;
    int pieces;
};

static void on_seen(void *user, bool is_err, const char *bytes, size_t len) {
    struct seen *s = user;
    (void)is_err;
    oc_buf_append(&s->text, bytes, len);
    s->pieces++;
    if (s->pauses) {
        nd_process_pause(s->process);
    }
}

static struct nd_process *start_seen(
        struct test_host *t, const char *script, struct outcome *o, struct seen *s) {
    const char *argv[] = { "sh", "-c", script, NULL };
    int errnum = 0;
    struct oc_error err;
    assert_int_equal(nd_process_start(t->host.machine.loop, os_native.exec,
                             &(struct os_spawn_opts){ .path = "/bin/sh",
                                     .argv = argv,
                                     .env = env,
                                     .cwd = t->dir,
                                     .in_order = true },
                             0, on_done, o, &s->process, &errnum, &err),
            OC_OK);
    s->text = OC_BUF_INIT(1 << 24);
    nd_process_set_output(s->process, on_seen, s);
    return s->process;
}

static void expect_numbers(struct seen *s, int count) {
    OC_AUTO_BUF struct oc_buf wanted = OC_BUF_INIT(1 << 20);
    for (int i = 0; i < count; i++) {
        oc_buf_printf(&wanted, "%d\n", i);
    }
    assert_int_equal(s->text.len, wanted.len);
    assert_memory_equal(s->text.data, wanted.data, wanted.len);
    oc_buf_finish(&s->text);
}

/* Written without a pause, to both streams in turn and in runs. */
#define COUNT_UP                                                                                   \
    "i=0; while [ $i -lt 2000 ]; do if [ $((i*7/5%2)) = 0 ]; then echo $i; else echo $i >&2; fi; " \
    "i=$((i+1)); done"

static void both_streams_come_in_order(void **state) {
    struct test_host *t = *state;
    struct outcome o = { 0 };
    struct seen s = { 0 };
    start_seen(t, COUNT_UP, &o, &s);
    STEP_UNTIL(t->host.machine.loop, o.count);
    expect_numbers(&s, 2000);
    finish(&o);
}

/* Somebody slow: a pause after every piece. */
static void pauses_keep_the_order(void **state) {
    struct test_host *t = *state;
    struct outcome o = { 0 };
    struct seen s = { .pauses = true };
    start_seen(t, COUNT_UP, &o, &s);
    STEP_UNTIL(t->host.machine.loop, (o.count ? (void)0 : nd_process_resume(s.process), o.count));
    expect_numbers(&s, 2000);
    finish(&o);
}

/* A flood goes through in large pieces, and nothing of it is lost, with and without pauses. */
static void a_flood_is_not_slow(void **state) {
    struct test_host *t = *state;
    for (int pauses = 0; pauses < 2; pauses++) {
        struct outcome o = { 0 };
        struct seen s = { .pauses = pauses };
        start_seen(t, "head -c 4000000 /dev/zero; printf end >&2", &o, &s);
        STEP_UNTIL(
                t->host.machine.loop, (o.count ? (void)0 : nd_process_resume(s.process), o.count));
        assert_int_equal(s.text.len, 4000003);
        assert_true(s.pieces < 4000000 / 4096 / 2);
        oc_buf_finish(&s.text);
        finish(&o);
    }
}

/* What may stay goes on, writing, and somebody reads. */
static void background_work_goes_on(void **state) {
    struct test_host *t = *state;
    OC_AUTO_FREE char *fifo = oc_path_join(t->dir, "fifo");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    struct outcome o = { 0 };
    nd_process_keep_left(start(t,
                                 "(sh -c 'echo $$ > pid; read x < fifo; head -c 300000 /dev/zero "
                                 "|| exit; exec sleep "
                                 "1000' &); "
                                 "echo started",
                                 0, &o),
            on_gone);
    int fd = pidfd_of(t, "pid");
    STEP_UNTIL(t->host.machine.loop,
            (oc_fake_clock_advance(&t->clock, 10), o.count)); /* it is waited for a moment */
    assert_int_equal(o.result.end.status, 0);
    assert_string_equal(o.result.out.data, "started\n");
    finish(&o);
    assert_false(has_ended(fd, 0));
    /* Its output is more than a pipe holds; sleep is only reached if someone reads. */
    FILE *f = fopen(fifo, "w");
    assert_non_null(f);
    fputs("go\n", f);
    fclose(f);
    OC_AUTO_FREE char *comm = oc_strfmt("/proc/%ld/comm", read_number(t, "pid"));
    OC_AUTO_BUF struct oc_buf name = { 0 };
    STEP_UNTIL(t->host.machine.loop,
            oc_file_read(comm, 100, &name, NULL) == OC_OK && strcmp(name.data, "sleep\n") == 0);
    assert_int_equal(syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0), 0);
    assert_true(has_ended(fd, 30000));
    close(fd);
    STEP_UNTIL(t->host.machine.loop, o.gone);
}

static void tell(struct test_host *t, const char *fifo) {
    OC_AUTO_FREE char *path = oc_path_join(t->dir, fifo);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("go\n", f);
    fclose(f);
}

/* A program that has ended, with a reader who pauses, something in the pipe, and a child that holds
 * the pipe's other end. */
static struct nd_process *start_held(struct test_host *t, int64_t timeout_ms, struct outcome *o,
        struct seen *s, int *ret_pidfd) {
    static const char script[] =
            "exec 3</proc/self/fd/1; mkfifo fifo go; echo first; read x < go; echo second;"
            "(setsid sh -c 'echo $$ > pid; read x < fifo; read y <&3; echo $y > stolen;"
            "exec sleep 1000' &); while ! [ -s pid ]; do :; done";
    const char *argv[] = { "sh", "-c", script, NULL };
    int errnum = 0;
    struct oc_error err;
    *s = (struct seen){ .text = OC_BUF_INIT(1000), .pauses = true };
    assert_int_equal(nd_process_start(t->host.machine.loop, os_native.exec,
                             &(struct os_spawn_opts){
                                     .path = "/bin/sh", .argv = argv, .env = env, .cwd = t->dir },
                             timeout_ms, on_done, o, &s->process, &errnum, &err),
            OC_OK);
    nd_process_set_output(s->process, on_seen, s);
    STEP_UNTIL(t->host.machine.loop, s->pieces == 1);
    tell(t, "go");
    STEP_UNTIL(t->host.machine.loop, s->process->has_ended);
    assert_int_equal(s->process->owed, strlen("second\n"));
    *ret_pidfd = pidfd_of(t, "pid");
    return s->process;
}

/* What is gone from the pipe is not waited for, whoever took it. */
static void stolen_output_is_not_waited_for(void **state) {
    struct test_host *t = *state;
    struct outcome o = { 0 };
    struct seen s;
    int fd;
    struct nd_process *p = start_held(t, 0, &o, &s, &fd);
    tell(t, "fifo");
    STEP_UNTIL(t->host.machine.loop, test_host_has_line(t, "stolen"));
    nd_process_resume(p);
    STEP_UNTIL(t->host.machine.loop, (oc_fake_clock_advance(&t->clock, 10), o.count));
    assert_true(o.result.cleaned_up);
    assert_string_equal(s.text.data, "first\n");
    assert_true(has_ended(fd, 30000));
    close(fd);
    finish(&o);
    oc_buf_finish(&s.text);
}

/* A kill needs nobody who reads. Nor does it wait for the clock, which stands still here. */
static void a_kill_ends_what_waits_for_its_reader(void **state) {
    struct test_host *t = *state;
    struct outcome o = { 0 };
    struct seen s;
    int fd;
    nd_process_kill(start_held(t, 0, &o, &s, &fd), false);
    assert_int_equal(o.count, 0); /* from the loop, not from here */
    STEP_UNTIL(t->host.machine.loop, o.count);
    assert_true(o.result.cleaned_up);
    assert_false(o.result.was_killed || o.result.end.by_signal);
    assert_true(has_ended(fd, 30000));
    close(fd);
    finish(&o);
    oc_buf_finish(&s.text);
}

/* The time limit is for what was left behind too; the reader loses nothing by it. */
static void a_timeout_takes_what_was_left(void **state) {
    struct test_host *t = *state;
    struct outcome o = { 0 };
    struct seen s;
    int fd;
    struct nd_process *p = start_held(t, 60000, &o, &s, &fd);
    oc_fake_clock_advance(&t->clock, 60000);
    STEP_UNTIL(t->host.machine.loop, has_ended(fd, 0));
    close(fd);
    STEP_UNTIL(t->host.machine.loop, p->is_gone);
    assert_int_equal(o.count, 0);
    s.pauses = false;
    nd_process_resume(p);
    STEP_UNTIL(t->host.machine.loop, o.count);
    assert_true(o.result.cleaned_up);
    assert_false(o.result.timed_out);
    assert_string_equal(s.text.data, "first\nsecond\n");
    finish(&o);
    oc_buf_finish(&s.text);
}

static void a_timeout_takes_the_tree(void **state) {
    struct test_host *t = *state;
    struct outcome o = { 0 };
    start(t,
            "sleep 1000 & echo $! > a; setsid sleep 1000 & echo $! > b; (setsid sh -c 'echo $$ > "
            "c; exec sleep 1000' &); wait",
            1000, &o);
    int fds[] = { pidfd_of(t, "a"), pidfd_of(t, "b"), pidfd_of(t, "c") };
    oc_fake_clock_advance(&t->clock, 1000);
    STEP_UNTIL(t->host.machine.loop, o.count);
    assert_true(o.result.timed_out);
    for (size_t i = 0; i < OC_COUNT(fds); i++) {
        assert_true(has_ended(fds[i], 30000));
        close(fds[i]);
    }
    finish(&o);
}

static bool has_children(void) {
    OC_AUTO_BUF struct oc_buf pids = { 0 };
    struct oc_error err;
    assert_int_equal(oc_file_read("/proc/thread-self/children", 4096, &pids, &err), OC_OK);
    return pids.len > 0;
}

static void destroyed(void **state) {
    struct test_host *t = *state;
    struct outcome o = { 0 };
    struct nd_process *p = start(t, "echo $$ > pid; exec sleep 1000", 0, &o);
    int fd = pidfd_of(t, "pid");
    nd_process_destroy(p);
    assert_true(has_ended(fd, 30000));
    close(fd);
    oc_loop_step(t->host.machine.loop, 0);
    assert_int_equal(o.count, 0);
    /* Who looked after it is collected, also when nothing else is ever started. */
    STEP_UNTIL(t->host.machine.loop, (oc_fake_clock_advance(&t->clock, 500), !has_children()));
    nd_process_destroy(NULL);
}

static void not_started(void **state) {
    struct test_host *t = *state;
    const char *argv[] = { "x", NULL };
    struct nd_process *p = NULL;
    int errnum = 0;
    struct outcome o = { 0 };
    assert_int_equal(
            nd_process_start(t->host.machine.loop, os_native.exec,
                    &(struct os_spawn_opts){ .path = "/no/such", .argv = argv, .env = env }, 0,
                    on_done, &o, &p, &errnum, NULL),
            OC_E_IO);
    assert_int_equal(errnum, ENOENT);
    assert_null(p);
}

static void no_descriptor_stays(void **state) {
    struct outcome o;
    run(*state, "true", 0, &o);
    finish(&o);
    int before = dup(0);
    close(before);
    struct test_host *t = *state;
    for (int i = 0; i < 20; i++) {
        o = (struct outcome){ 0 };
        nd_process_kill(start(t, "echo x; sleep 1000", 0, &o), true);
        STEP_UNTIL(t->host.machine.loop, o.count);
        finish(&o);
    }
    int after = dup(0);
    close(after);
    assert_int_equal(before, after);
}

static void names_of_errors(void **state) {
    (void)state;
    char text[24];
    assert_string_equal(nd_errno_name(ENOENT, text), "ENOENT");
    assert_string_equal(nd_errno_name(E2BIG, text), "E2BIG");
    assert_string_equal(nd_errno_name(12345, text), "errno 12345");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, test_host_setup, test_host_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(ends),
        TEST(much_output_is_read_and_cut),
        TEST(times_out),
        TEST(killed),
        TEST(what_is_left_is_killed),
        TEST(what_ends_soon_is_waited_for),
        TEST(what_may_stay_can_be_killed),
        TEST(what_may_stay_is_never_lost),
        TEST(destroyed_with_what_is_left),
        TEST(both_streams_come_in_order),
        TEST(pauses_keep_the_order),
        TEST(a_flood_is_not_slow),
        TEST(background_work_goes_on),
        TEST(a_timeout_takes_the_tree),
        TEST(strays_are_looked_for_soon),
        TEST(stolen_output_is_not_waited_for),
        TEST(a_kill_ends_what_waits_for_its_reader),
        TEST(a_timeout_takes_what_was_left),
        TEST(destroyed),
        TEST(not_started),
        TEST(no_descriptor_stays),
        TEST(names_of_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
