/* Real programs through the exec table: what they inherit, how they end, how failures read. */
#include "platform/platform.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const struct os_exec_ops *ops;

static int setup(void **state) {
    (void)state;
    struct oc_error err;
    assert_int_equal(os_native.start(&err), OC_OK);
    ops = os_native.exec;
    return 0;
}

struct outcome {
    struct os_child_exit end;
    struct oc_buf out, err;
};

static void read_all(int fd, struct oc_buf *ret) {
    for (;;) {
        struct pollfd p = { .fd = fd, .events = POLLIN };
        assert_int_equal(poll(&p, 1, 30000), 1);
        char bytes[4096];
        ssize_t n = read(fd, bytes, sizeof(bytes));
        if (n == 0) {
            return;
        }
        if (n > 0) {
            oc_buf_append(ret, bytes, (size_t)n);
        } else {
            assert_int_equal(errno, EAGAIN);
        }
    }
}

static void run(const struct os_spawn_opts *opts, struct outcome *ret) {
    struct os_child c;
    struct oc_error err = { 0 };
    int errnum = 0;
    if (ops->spawn(opts, &c, &errnum, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    *ret = (struct outcome){ .out = OC_BUF_INIT(1 << 20), .err = OC_BUF_INIT(1 << 20) };
    read_all(c.out_fd, &ret->out);
    read_all(c.err_fd, &ret->err);
    struct pollfd p = { .fd = c.exit_fd, .events = POLLIN };
    assert_int_equal(poll(&p, 1, 30000), 1);
    assert_true(ops->reap(&c, &ret->end));
    assert_true(ops->reap(&c, &ret->end)); /* the answer is kept */
    ops->release(&c);
    ops->release(&c);
}

static void finish(struct outcome *o) {
    oc_buf_finish(&o->out);
    oc_buf_finish(&o->err);
}

static void run_sh(const char *script, struct outcome *ret) {
    const char *argv[] = { "sh", "-c", script, NULL };
    const char *env[] = { "PATH=/usr/bin:/bin", NULL };
    run(&(struct os_spawn_opts){ .path = "/bin/sh", .argv = argv, .env = env }, ret);
}

static int spawn_errno(const char *path, const char *cwd) {
    const char *argv[] = { path, NULL };
    const char *env[] = { NULL };
    struct os_child c;
    struct oc_error err;
    int errnum = 0;
    assert_int_equal(
            ops->spawn(
                    &(struct os_spawn_opts){ .path = path, .argv = argv, .env = env, .cwd = cwd },
                    &c, &errnum, &err),
            OC_E_IO);
    assert_non_null(strstr(err.text, path));
    return errnum;
}

static void output_and_status(void **state) {
    (void)state;
    struct outcome o;
    run_sh("echo out; echo err >&2; exit 3", &o);
    assert_string_equal(o.out.data, "out\n");
    assert_string_equal(o.err.data, "err\n");
    assert_false(o.end.by_signal);
    assert_int_equal(o.end.status, 3);
    finish(&o);
}

static void ends_by_signal(void **state) {
    (void)state;
    struct outcome o;
    run_sh("kill -KILL $$", &o);
    assert_true(o.end.by_signal);
    assert_int_equal(o.end.status, SIGKILL);
    finish(&o);
}

/* We ignore SIGPIPE and may block signals; a command must not notice. */
static void signals_are_as_usual(void **state) {
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    sigset_t term;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigprocmask(SIG_BLOCK, &term, NULL);
    struct outcome o;
    run_sh("kill -PIPE $$; echo survived", &o);
    assert_true(o.end.by_signal);
    assert_int_equal(o.end.status, SIGPIPE);
    finish(&o);
    run_sh("kill -TERM $$; echo survived", &o);
    assert_int_equal(o.end.status, SIGTERM);
    finish(&o);
    sigprocmask(SIG_UNBLOCK, &term, NULL);
    signal(SIGPIPE, SIG_DFL);
}

static void stdin_is_empty_and_descriptors_are_closed(void **state) {
    (void)state;
    int leaked = fcntl(STDERR_FILENO, F_DUPFD, 100); /* without close-on-exec */
    assert_true(leaked >= 100);
    struct outcome o;
    run_sh("cat; cd /proc/self/fd && echo *", &o);
    assert_null(strstr(o.out.data, "100"));
    assert_true(strncmp(o.out.data, "0 1 2", 5) == 0);
    finish(&o);
    close(leaked);
}

/* Whoever looks after a program gets nothing of ours either: what we close is closed while the
 * program runs. 5 is the one that only the program's side fills anew. */
static void the_supervisor_holds_nothing(void **state) {
    (void)state;
    ops->drop_spare(); /* it was forked before there was anything to hold */
    for (int number = 5; number < 8; number++) {
        int fds[2], saved = fcntl(number, F_DUPFD_CLOEXEC, 100);
        assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
        int reader = fcntl(fds[0], F_DUPFD_CLOEXEC, 100);
        int writer = fcntl(fds[1], F_DUPFD_CLOEXEC, 100);
        assert_true(reader >= 100 && writer >= 100);
        close(fds[0]);
        close(fds[1]);
        assert_int_equal(dup2(writer, number), number);
        close(writer);
        const char *argv[] = { "sleep", "1000", NULL };
        struct os_child c;
        struct oc_error err;
        int errnum;
        assert_int_equal(ops->spawn(&(struct os_spawn_opts){ .path = "/bin/sleep", .argv = argv },
                                 &c, &errnum, &err),
                OC_OK);
        close(number);
        struct pollfd p = { .fd = reader, .events = POLLIN };
        assert_int_equal(poll(&p, 1, 30000), 1);
        assert_true(p.revents & POLLHUP);
        close(reader);
        ops->kill_tree(&c);
        struct os_child_exit end;
        p = (struct pollfd){ .fd = c.exit_fd, .events = POLLIN };
        assert_int_equal(poll(&p, 1, 30000), 1);
        assert_true(ops->reap(&c, &end));
        ops->release(&c);
        if (saved >= 0) {
            dup2(saved, number);
            close(saved);
        }
    }
}

static void own_session(void **state) {
    (void)state;
    struct outcome o;
    run_sh("read -r pid comm st ppid pgrp sess rest < /proc/$$/stat; echo $((pid == pgrp)) $((pid "
           "== sess))",
            &o);
    assert_string_equal(o.out.data, "1 1\n");
    finish(&o);
}

static void environment_and_directory_are_the_given_ones(void **state) {
    (void)state;
    assert_int_equal(setenv("OC_TEST_SECRET", "x", 1), 0);
    const char *argv[] = { "my-name", "-c", "echo $0; pwd; env", NULL };
    const char *env[] = { "PATH=/usr/bin:/bin", "A=b c", NULL };
    struct outcome o;
    run(&(struct os_spawn_opts){ .path = "/bin/sh", .argv = argv, .env = env, .cwd = "/usr" }, &o);
    assert_true(strncmp(o.out.data, "my-name\n/usr\n", 13) == 0);
    assert_non_null(strstr(o.out.data, "A=b c\n"));
    assert_null(strstr(o.out.data, "OC_TEST_SECRET"));
    finish(&o);
}

static void relative_paths_are_looked_up_in_the_directory(void **state) {
    (void)state;
    const char *argv[] = { "./true", NULL };
    const char *env[] = { NULL };
    struct outcome o;
    run(&(struct os_spawn_opts){ .path = "./true", .argv = argv, .env = env, .cwd = "/usr/bin" },
            &o);
    assert_int_equal(o.end.status, 0);
    finish(&o);
}

static void failures_carry_errno(void **state) {
    (void)state;
    char dir[] = "/tmp/oc-process-XXXXXX";
    assert_non_null(mkdtemp(dir));
    char file[64];
    snprintf(file, sizeof(file), "%s/plain", dir);
    int fd = open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(spawn_errno("/no/such/program", NULL), ENOENT);
    assert_int_equal(spawn_errno("/bin/true", "/no/such/dir"), ENOENT);
    assert_int_equal(spawn_errno("/bin/true", file), ENOTDIR);
    assert_int_equal(spawn_errno(file, NULL), EACCES);
    assert_int_equal(spawn_errno(dir, NULL), EACCES);
    assert_int_equal(chmod(file, 0700), 0);
    assert_int_equal(spawn_errno(file, NULL), ENOEXEC);
    unlink(file);
    rmdir(dir);
}

static void failures_leak_no_descriptor(void **state) {
    (void)state;
    int before = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(before);
    for (int i = 0; i < 50; i++) {
        spawn_errno("/no/such/program", NULL);
    }
    int after = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(after);
    assert_int_equal(before, after);
}

static void orphans_are_collected(void **state) {
    (void)state;
    struct outcome o;
    run_sh("(sh -c 'exit 0' >/dev/null 2>&1 &)", &o);
    finish(&o);
    siginfo_t info;
    while (ops->reap_orphans()) { /* until it has ended, and whoever looked after it */
        assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT), 0);
    }
    ops->drop_spare();
    while (waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) == 0) { /* may be handed to us only now */
        ops->reap_orphans();
    }
    assert_int_equal(errno, ECHILD);
}

static void collecting_orphans_keeps_the_status_of_children(void **state) {
    (void)state;
    const char *argv[] = { "sh", "-c", "exit 7", NULL };
    const char *env[] = { NULL };
    struct os_child c;
    struct oc_error err;
    int errnum;
    assert_int_equal(
            ops->spawn(&(struct os_spawn_opts){ .path = "/bin/sh", .argv = argv, .env = env }, &c,
                    &errnum, &err),
            OC_OK);
    struct pollfd p = { .fd = c.exit_fd, .events = POLLIN };
    assert_int_equal(poll(&p, 1, 30000), 1);
    ops->reap_orphans();
    struct os_child_exit end;
    assert_true(ops->reap(&c, &end));
    assert_int_equal(end.status, 7);
    ops->release(&c);
}

static void writes(int fd, const char *text) {
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static void waits_for_end(struct os_child *c, int status) {
    struct pollfd p = { .fd = c->exit_fd, .events = POLLIN };
    struct os_child_exit end;
    assert_int_equal(poll(&p, 1, 30000), 1);
    assert_true(ops->reap(c, &end));
    assert_int_equal(end.status, status);
    ops->release(c);
}

static void input_comes_through_a_pipe(void **state) {
    (void)state;
    const char *argv[] = { "sh", "-c", "read -r n; exit $n", NULL };
    const char *env[] = { NULL };
    struct os_child c;
    int errnum;
    struct os_spawn_opts opts = {
        .path = "/bin/sh", .argv = argv, .env = env, .wants_input = true
    };
    assert_int_equal(ops->spawn(&opts, &c, &errnum, NULL), OC_OK);
    assert_true(c.in_fd >= 0);
    writes(c.in_fd, "9\n");
    waits_for_end(&c, 9);
}

/* One terminal for all three, of the wanted size, which is also the session's own. */
static void a_terminal_of_its_own(void **state) {
    (void)state;
    const char *argv[] = { "sh", "-c",
        "test -t 0 && test -t 1 && test -t 2 && test -w /dev/tty || exit 1;"
        "set -- $(stty size); test \"$1 $2\" = '33 99' || exit 2;"
        "echo ready; read -r go; set -- $(stty size); test \"$1 $2\" = '44 88' || exit 3; exit 5",
        NULL };
    const char *env[] = { "PATH=/usr/bin:/bin", NULL };
    struct os_child c;
    int errnum;
    struct os_tty_size size = { .columns = 99, .rows = 33 };
    struct os_spawn_opts opts = { .path = "/bin/sh", .argv = argv, .env = env, .tty = &size };
    assert_int_equal(ops->spawn(&opts, &c, &errnum, NULL), OC_OK);
    assert_true(c.in_fd >= 0);
    assert_int_equal(c.err_fd, -1);
    char seen[64];
    struct pollfd p = { .fd = c.out_fd, .events = POLLIN };
    assert_int_equal(poll(&p, 1, 30000), 1); /* it says that it is ready, or it has ended */
    assert_true(read(c.out_fd, seen, sizeof(seen)) > 0);
    ops->resize(c.in_fd, &(struct os_tty_size){ .columns = 88, .rows = 44 });
    writes(c.in_fd, "go\n");
    waits_for_end(&c, 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_and_status),
        cmocka_unit_test(ends_by_signal),
        cmocka_unit_test(signals_are_as_usual),
        cmocka_unit_test(stdin_is_empty_and_descriptors_are_closed),
        cmocka_unit_test(the_supervisor_holds_nothing),
        cmocka_unit_test(own_session),
        cmocka_unit_test(environment_and_directory_are_the_given_ones),
        cmocka_unit_test(relative_paths_are_looked_up_in_the_directory),
        cmocka_unit_test(failures_carry_errno),
        cmocka_unit_test(failures_leak_no_descriptor),
        cmocka_unit_test(orphans_are_collected),
        cmocka_unit_test(input_comes_through_a_pipe),
        cmocka_unit_test(a_terminal_of_its_own),
        cmocka_unit_test(collecting_orphans_keeps_the_status_of_children),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
