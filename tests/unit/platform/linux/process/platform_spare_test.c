/* A supervisor that has had a program gets the next one, and that must not feel it. */
#include "platform/linux/process/spare.h"
#include "platform/platform.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const struct os_exec_ops *ops;

static int setup(void **state) {
    (void)state;
    struct oc_error err;
    assert_int_equal(os_native.start(&err), OC_OK);
    ops = os_native.exec;
    ops->drop_spare();
    return 0;
}

static void wait_readable(int fd) {
    struct pollfd p = { .fd = fd, .events = POLLIN };
    assert_int_equal(poll(&p, 1, 30000), 1);
}

static void start(const struct os_spawn_opts *opts, struct os_child *ret) {
    struct oc_error err = { 0 };
    int errnum = 0;
    if (ops->spawn(opts, ret, &errnum, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
}

static void start_sh(const char *script, struct os_child *ret) {
    const char *argv[] = { "sh", "-c", script, NULL };
    const char *env[] = { "PATH=/usr/bin:/bin:/usr/sbin:/sbin", NULL };
    start(&(struct os_spawn_opts){ .path = "/bin/sh", .argv = argv, .env = env }, ret);
}

/* Its output, to be freed; the program has ended and is released. */
static char *finish(struct os_child *c, struct os_child_exit *ret_end) {
    struct oc_buf out = OC_BUF_INIT(1 << 20);
    char bytes[4096];
    ssize_t n;
    do {
        wait_readable(c->out_fd);
        n = read(c->out_fd, bytes, sizeof(bytes));
        oc_buf_append(&out, bytes, n > 0 ? (size_t)n : 0);
    } while (n > 0 || (n < 0 && errno == EAGAIN));
    wait_readable(c->exit_fd);
    assert_true(ops->reap(c, ret_end));
    ops->release(c);
    oc_buf_append(&out, "", 1);
    return out.data;
}

static char *run_sh(const char *script) {
    struct os_child c;
    struct os_child_exit end;
    start_sh(script, &c);
    return finish(&c, &end);
}

/* Who looks after a program of now. */
static pid_t supervisor(void) {
    OC_AUTO_FREE char *said = run_sh("echo $PPID");
    return (pid_t)strtol(said, NULL, 10);
}

static void the_next_program_has_the_same(void **state) {
    (void)state;
    pid_t first = supervisor();
    assert_true(first > 1);
    assert_int_equal(os_spare_pid(), first);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(supervisor(), first);
    }
}

static void a_program_gets_what_is_its_own(void **state) {
    (void)state;
    pid_t before = supervisor();
    const char *argv[] = { "my-name", "-c",
        "echo $0 $PPID; pwd; env | sort; cd /proc/self/fd && echo *;"
        "read -r pid comm st ppid pgrp sess rest < /proc/$$/stat; echo $((pid == sess))",
        NULL };
    const char *env[] = { "A=b c", "PATH=/usr/bin:/bin", NULL };
    struct os_child c;
    struct os_child_exit end;
    start(&(struct os_spawn_opts){ .path = "/bin/sh", .argv = argv, .env = env, .cwd = "/usr" },
            &c);
    OC_AUTO_FREE char *said = finish(&c, &end);
    char wanted[64];
    snprintf(wanted, sizeof(wanted), "my-name %d\n/usr\nA=b c\n", (int)before);
    assert_true(strncmp(said, wanted, strlen(wanted)) == 0);
    const char *fds = strstr(said, "\n0 1 2");
    assert_non_null(fds);
    assert_null(strstr(fds, " 4 5")); /* the shell has one of its own open there, not more */
    assert_non_null(strstr(said, "\n1\n"));
    assert_int_equal(end.status, 0);
    OC_AUTO_FREE char *later = run_sh("echo ${A-unset}; pwd");
    assert_true(strncmp(later, "unset\n", 6) == 0);
    assert_null(strstr(later, "/usr\n"));
}

static void failures_read_the_same(void **state) {
    (void)state;
    supervisor();
    const char *argv[] = { "x", NULL };
    struct os_child c;
    struct oc_error err;
    int errnum = 0;
    assert_int_equal(ops->spawn(&(struct os_spawn_opts){ .path = "/no/such", .argv = argv }, &c,
                             &errnum, &err),
            OC_E_IO);
    assert_int_equal(errnum, ENOENT);
    supervisor();
    assert_int_equal(
            ops->spawn(
                    &(struct os_spawn_opts){ .path = "/bin/true", .argv = argv, .cwd = "/no/such" },
                    &c, &errnum, &err),
            OC_E_IO);
    assert_int_equal(errnum, ENOENT);
}

static void two_at_a_time_have_two(void **state) {
    (void)state;
    pid_t first = supervisor();
    struct os_child one, two;
    struct os_child_exit end;
    start_sh("echo $PPID", &one);
    start_sh("echo $PPID", &two);
    OC_AUTO_FREE char *said_one = finish(&one, &end), *said_two = finish(&two, &end);
    assert_int_equal(strtol(said_one, NULL, 10), first);
    assert_int_not_equal(strtol(said_two, NULL, 10), first);
    assert_int_equal(os_spare_pid(), first);
    siginfo_t info;
    while (ops->reap_orphans()) { /* the other one goes, and is collected */
        assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT), 0);
    }
    ops->drop_spare();
    assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void wait_gone(struct os_child *c) {
    do {
        wait_readable(c->exit_fd);
    } while (!ops->is_gone(c));
}

/* What is left of a program must not stand below the supervisor of the next. */
static void not_while_something_is_left(void **state) {
    (void)state;
    pid_t first = supervisor();
    struct os_child c;
    struct os_child_exit end;
    start_sh("sleep 1000 >/dev/null 2>&1 & exit 4", &c);
    wait_readable(c.exit_fd);
    assert_true(ops->reap(&c, &end));
    assert_int_equal(end.status, 4);
    assert_false(end.is_alone);
    assert_int_not_equal(supervisor(), first);
    ops->kill_tree(&c);
    wait_gone(&c);
    close(c.out_fd);
    close(c.err_fd);
    c.out_fd = c.err_fd = -1;
    ops->release(&c);
    assert_int_not_equal(supervisor(), first);
}

static void not_after_a_kill(void **state) {
    (void)state;
    pid_t first = supervisor();
    struct os_child c;
    struct os_child_exit end;
    start_sh("exec sleep 1000", &c);
    ops->kill_tree(&c);
    oc_free(finish(&c, &end));
    assert_true(end.by_signal);
    assert_int_equal(os_spare_pid(), 0);
    assert_int_not_equal(supervisor(), first);
}

static void not_with_changed_habits(void **state) {
    (void)state;
    static const char *const changes[] = {
        "prlimit --pid $PPID --nofile=64:64",
        "renice -n 19 -p $PPID >/dev/null",
        "chrt -b -p 0 $PPID",
        "ionice -c 3 -p $PPID",
    };
    static const char ask[] = "ulimit -n; nice; ionice; chrt -p $$ | sed 's/^pid [0-9]*//'";
    for (size_t i = 0; i < OC_COUNT(changes); i++) {
        pid_t before = supervisor();
        OC_AUTO_FREE char *usual = run_sh(ask);
        OC_AUTO_FREE char *script = oc_strfmt("%s && echo changed", changes[i]);
        OC_AUTO_FREE char *said = run_sh(script);
        assert_string_equal(said, "changed\n");
        OC_AUTO_FREE char *now = run_sh(ask);
        assert_string_equal(now, usual);
        assert_int_not_equal(supervisor(), before);
    }
}

/* A job that nobody takes is given to a new one. */
static void a_killed_or_stopped_one_holds_up_nothing(void **state) {
    (void)state;
    pid_t first = supervisor();
    assert_int_equal(kill(first, SIGSTOP), 0);
    assert_int_equal(supervisor(), first);
    siginfo_t info;
    assert_int_equal(kill(first, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)first, &info, WEXITED | WNOWAIT), 0);
    pid_t second = supervisor();
    assert_int_not_equal(second, first);
    assert_int_equal(kill(second, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)second, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(ops->reap_orphans(), 0);
    assert_int_equal(os_spare_pid(), 0);
}

/* It waits for us in a child of ours, which we kill: the spare is then ours to collect, by its end
 * alone. */
static void it_ends_with_the_node(void **state) {
    (void)state;
    ops->drop_spare();
    int said[2];
    assert_int_equal(pipe(said), 0);
    pid_t node = fork();
    assert_true(node >= 0);
    if (node == 0) {
        pid_t pid = supervisor();
        if (pid != os_spare_pid() || write(said[1], &pid, sizeof(pid)) != sizeof(pid)) {
            _exit(1);
        }
        for (;;) {
            pause();
        }
    }
    pid_t spare;
    assert_int_equal(read(said[0], &spare, sizeof(spare)), sizeof(spare));
    assert_int_equal(kill(node, SIGKILL), 0);
    assert_int_equal(waitpid(node, NULL, 0), node);
    int status;
    assert_int_equal(waitpid(spare, &status, 0), spare); /* we are the next subreaper */
    assert_true(WIFEXITED(status));
    close(said[0]);
    close(said[1]);
}

static void no_descriptor_is_lost(void **state) {
    (void)state;
    supervisor();
    int before = dup(0);
    close(before);
    for (int i = 0; i < 50; i++) {
        supervisor();
    }
    int after = dup(0);
    close(after);
    assert_int_equal(before, after);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_program_has_the_same),
        cmocka_unit_test(a_program_gets_what_is_its_own),
        cmocka_unit_test(failures_read_the_same),
        cmocka_unit_test(two_at_a_time_have_two),
        cmocka_unit_test(not_while_something_is_left),
        cmocka_unit_test(not_after_a_kill),
        cmocka_unit_test(not_with_changed_habits),
        cmocka_unit_test(a_killed_or_stopped_one_holds_up_nothing),
        cmocka_unit_test(it_ends_with_the_node),
        cmocka_unit_test(no_descriptor_is_lost),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
