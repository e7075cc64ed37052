/* kill_tree against programs that run away: groups, sessions, orphans. Deaths are seen through
 * pidfds. */
#include "platform/platform.h"

#include "lib/base/mem.h"

#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
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

static struct os_child start(const char *script) {
    const char *argv[] = { "sh", "-c", script, NULL };
    const char *env[] = { "PATH=/usr/bin:/bin", NULL };
    struct os_child c;
    struct oc_error err;
    int errnum;
    assert_int_equal(
            ops->spawn(&(struct os_spawn_opts){ .path = "/bin/sh", .argv = argv, .env = env }, &c,
                    &errnum, &err),
            OC_OK);
    return c;
}

/* Reads `count` lines, each a process number, and opens a pidfd for each. */
static void read_pids(const struct os_child *c, int *ret_fds, size_t count) {
    char text[512] = "";
    size_t len = 0, lines = 0;
    while (lines < count) {
        struct pollfd p = { .fd = c->out_fd, .events = POLLIN };
        assert_int_equal(poll(&p, 1, 30000), 1);
        ssize_t n = read(c->out_fd, text + len, sizeof(text) - len - 1);
        assert_true(n > 0);
        len += (size_t)n;
        lines = 0;
        for (size_t i = 0; i < len; i++) {
            lines += text[i] == '\n';
        }
    }
    char *at = text;
    for (size_t i = 0; i < count; i++) {
        long pid = strtol(at, &at, 10);
        assert_true(pid > 1);
        ret_fds[i] = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
        assert_true(ret_fds[i] >= 0);
    }
}

static bool has_ended(int pidfd, int wait_ms) {
    struct pollfd p = { .fd = pidfd, .events = POLLIN };
    return poll(&p, 1, wait_ms) == 1;
}

static void assert_all_end(struct os_child *c, const int *fds, size_t count) {
    for (size_t i = 0; i < count; i++) {
        assert_false(has_ended(fds[i], 0));
    }
    ops->kill_tree(c);
    for (size_t i = 0; i < count; i++) {
        assert_true(has_ended(fds[i], 30000));
        close(fds[i]);
    }
    assert_true(has_ended(c->exit_fd, 30000));
    struct os_child_exit end;
    assert_true(ops->reap(c, &end));
    assert_int_equal(end.status, SIGKILL);
    ops->release(c);
    ops->reap_orphans();
}

static void group_and_sessions(void **state) {
    (void)state;
    struct os_child c =
            start("sleep 1000 & echo $!; setsid sleep 1000 & echo $!;"
                  "setsid sh -c 'sleep 1000 & echo $!; setsid sleep 1000 & echo $!; wait' & wait");
    int fds[4];
    read_pids(&c, fds, 4);
    assert_all_end(&c, fds, 4);
}

/* Its parent is gone and its session is its own: only the mark tells whose it was. */
static void orphans_in_their_own_session(void **state) {
    (void)state;
    struct os_child c = start("(setsid sh -c 'echo $$; sleep 1000 & echo $!; wait' &); sleep 1000");
    int fds[2];
    read_pids(&c, fds, 2);
    assert_all_end(&c, fds, 2);
}

static void orphans_without_environment(void **state) {
    (void)state;
    /* The inner shell is still attached when the tree is stopped, so losing the mark does not help
     * it. */
    struct os_child c = start("env -i setsid sh -c 'echo $$; exec env -i /bin/sleep 1000' & wait");
    int fds[1];
    read_pids(&c, fds, 1);
    assert_all_end(&c, fds, 1);
}

/* Its parent is gone, its group is its own and its environment empty: what is left is the session.
 */
static void orphans_in_another_group(void **state) {
    (void)state;
    struct os_child c =
            start("exec bash -c 'set -m; "
                  "(env -i sh -c \"echo \\$\\$; exec /bin/sleep 1000\" &); exec sleep 1000'");
    int fds[1];
    read_pids(&c, fds, 1);
    assert_all_end(&c, fds, 1);
}

static void others_are_left_alone(void **state) {
    (void)state;
    struct os_child other =
            start("(setsid sh -c 'echo $$; exec sleep 1000' &); sleep 1000 & echo $!; wait");
    int other_fds[2];
    read_pids(&other, other_fds, 2);
    struct os_child c = start("sleep 1000 & echo $!; wait");
    int fds[1];
    read_pids(&c, fds, 1);
    assert_all_end(&c, fds, 1);
    assert_false(has_ended(other.exit_fd, 0));
    assert_all_end(&other, other_fds, 2); /* which first checks that they are alive */
}

/* Nothing tells any more whose it was: parent gone, own session, no environment. Only that it is
 * below the supervisor. */
#define ESCAPE                                                                                  \
    "env -i setsid bash -c '(while kill -0 $$ 2>/dev/null; do :; done; echo $BASHPID; exec -c " \
    "/bin/sleep 1000) &';"

static void escaped_orphans(void **state) {
    (void)state;
    struct os_child c = start(ESCAPE "sleep 1000");
    int fds[1];
    read_pids(&c, fds, 1);
    assert_all_end(&c, fds, 1);
}

static void a_stopped_supervisor_is_woken(void **state) {
    (void)state;
    struct os_child c = start("kill -STOP $PPID; sleep 1000 & echo $!; wait");
    int fds[1];
    read_pids(&c, fds, 1);
    assert_all_end(&c, fds, 1);
}

/* The second kill does not need the supervisor. */
static void more_force(void **state) {
    (void)state;
    struct os_child c = start(ESCAPE "while kill -STOP $PPID; do :; done");
    int fds[1];
    read_pids(&c, fds, 1);
    ops->kill_tree(&c);
    ops->kill_tree(&c);
    assert_true(has_ended(fds[0], 30000));
    close(fds[0]);
    assert_true(has_ended(c.exit_fd, 30000));
    struct os_child_exit end;
    assert_true(ops->reap(&c, &end));
    assert_int_equal(end.status, SIGKILL);
    ops->release(&c);
}

static void a_killed_supervisor_takes_its_program_along(void **state) {
    (void)state;
    struct os_child c =
            start("(setsid sh -c 'echo $$; exec sleep 1000' &); sleep 1000 & echo $!; wait");
    int fds[2];
    read_pids(&c, fds, 2);
    char path[64], line[256];
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)c.pid);
    FILE *f = fopen(path, "re");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof(line), f));
    fclose(f);
    long supervisor = strtol(strrchr(line, ')') + 4, NULL, 10); /* behind the state */
    assert_true(supervisor > 1 && supervisor != getpid());
    struct os_child other = start("setsid sleep 1000 & echo $!; wait");
    int other_fds[1];
    read_pids(&other, other_fds, 1);
    kill((pid_t)supervisor, SIGKILL);
    assert_true(has_ended(c.exit_fd, 30000));
    struct os_child_exit end;
    assert_true(ops->reap(&c, &end));
    assert_true(end.by_signal);
    for (size_t i = 0; i < 2; i++) {
        assert_true(has_ended(fds[i], 30000));
        close(fds[i]);
    }
    ops->release(&c);
    assert_false(has_ended(other_fds[0], 0));
    assert_all_end(&other, other_fds, 1);
}

/* The same by the program itself, again and again: whatever moment it chooses, nothing stays. */
static void a_program_that_kills_its_supervisor_wins_nothing(void **state) {
    (void)state;
    for (int i = 0; i < 50; i++) {
        struct os_child c =
                start("(setsid env -i /bin/sh -c 'echo $$; exec env -i /bin/sleep 1000' &);"
                      "kill -KILL $PPID");
        int fds[1];
        read_pids(&c, fds, 1);
        assert_true(has_ended(c.exit_fd, 30000));
        struct os_child_exit end;
        assert_true(ops->reap(&c, &end));
        assert_true(has_ended(fds[0], 30000));
        close(fds[0]);
        ops->release(&c);
    }
}

/* What a program left behind is not safe from it either, once it runs unwatched. */
static void a_daemon_that_kills_its_supervisor_dies(void **state) {
    (void)state;
    struct os_child c = start("(setsid sh -c 'echo $$; sleep 0.1;"
                              "kill -KILL $(cut -d\" \" -f4 /proc/$$/stat); exec sleep 1000' &)");
    int fds[1];
    read_pids(&c, fds, 1);
    assert_true(has_ended(c.exit_fd, 30000));
    struct os_child_exit end;
    assert_true(ops->reap(&c, &end));
    ops->release(&c);
    while (ops->reap_orphans()) {
        poll(NULL, 0, 5);
    }
    assert_true(has_ended(fds[0], 30000));
    close(fds[0]);
}

static void assert_nothing_is_left(void) {
    for (int i = 0; i < 1000 && ops->reap_orphans(); i++) {
        poll(NULL, 0, 10);
    }
    assert_int_equal(ops->reap_orphans(), 0);
}

/* One that was missed the first time, and has no supervisor: somebody who was born since. */
static void strays_are_looked_for_again(void **state) {
    (void)state;
    struct os_child c = start("kill -KILL $PPID");
    assert_true(has_ended(c.exit_fd, 30000));
    struct os_child_exit end;
    assert_true(ops->reap(&c, &end));
    ops->release(&c);
    struct os_child other = start("echo $$; exec sleep 1000");
    int other_fd;
    read_pids(&other, &other_fd, 1);
    pid_t stray = fork();
    if (stray == 0) {
        setsid();
        alarm(60);
        pause();
        _exit(0);
    }
    assert_true(stray > 0);
    int fd = (int)syscall(SYS_pidfd_open, stray, 0);
    int again_ms = ops->reap_orphans();
    assert_true(has_ended(fd, 30000));
    close(fd);
    int calm_ms = again_ms;
    for (int i = 0; i < 1000 && calm_ms == again_ms; i++) {
        calm_ms = ops->reap_orphans(); /* it is gone: what is left is nobody's hurry */
    }
    assert_true(again_ms > 0 && again_ms < calm_ms);
    assert_all_end(&other, &other_fd, 1);
    assert_nothing_is_left();
}

enum { HEADS = 8, HYDRA_SECONDS = 30 };

/* One head: a new process with every step, which wakes up all others, and grows those again that
 * have not moved for long. */
static void be_head(volatile long *steps, int me) {
    long last = 0;
    int still = 0;
    time_t end = time(NULL) + HYDRA_SECONDS;
    while (time(NULL) < end) {
        steps[me]++;
        kill(0, SIGCONT);
        int next = (me + 1) % HEADS;
        still = steps[next] == last ? still + 1 : 0;
        last = steps[next];
        if (still > 300) {
            still = 0;
            if (fork() == 0) {
                me = next;
                continue;
            }
        }
        if (fork() > 0) {
            _exit(0);
        }
    }
    _exit(0);
}

static int be_hydra(void) {
    volatile long *steps =
            mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t supervisor = getppid();
    for (int i = 0; i < HEADS; i++) {
        if (fork() == 0) {
            setpgid(0, getppid());
            close(1);
            close(2);
            be_head(steps, i);
        }
    }
    while (steps[HEADS - 1] < 10) {
    }
    kill(supervisor, SIGKILL);
    return 0;
}

/* Faster than any list of processes, and without anybody who looks after it. */
static void a_hydra_dies(void **state) {
    (void)state;
    char self[512] = "", script[600];
    assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
    snprintf(script, sizeof(script), "exec '%s' hydra", self);
    for (int i = 0; i < 10; i++) {
        struct os_child c = start(script);
        assert_true(has_ended(c.exit_fd, 30000));
        struct os_child_exit end;
        assert_true(ops->reap(&c, &end));
        ops->release(&c);
        assert_nothing_is_left();
    }
}

/* A node that is killed with SIGKILL cannot clean up; its programs must end all the same. */
static void programs_die_with_the_node(void **state) {
    (void)state;
    int to_us[2];
    assert_int_equal(pipe(to_us), 0);
    pid_t node = fork();
    if (node == 0) {
        struct os_child c = start(ESCAPE "sleep 1000 & echo $!; wait");
        char text[256];
        for (size_t lines = 0; lines < 2;) {
            struct pollfd p = { .fd = c.out_fd, .events = POLLIN };
            poll(&p, 1, 30000);
            ssize_t n = read(c.out_fd, text, sizeof(text));
            for (ssize_t i = 0; i < n; i++) {
                lines += text[i] == '\n';
            }
            if (n <= 0 || write(to_us[1], text, (size_t)n) != n) {
                _exit(1);
            }
        }
        pause();
        _exit(0);
    }
    struct os_child as_if = { .out_fd = to_us[0] };
    int fds[2];
    read_pids(&as_if, fds, 2);
    assert_false(has_ended(fds[0], 0) || has_ended(fds[1], 0));
    kill(node, SIGKILL);
    for (size_t i = 0; i < 2; i++) {
        assert_true(has_ended(fds[i], 30000));
        close(fds[i]);
    }
    assert_int_equal(waitpid(node, NULL, 0), node);
    close(to_us[0]);
    close(to_us[1]);
}

static void stopped_programs_die_too(void **state) {
    (void)state;
    struct os_child c = start("sleep 1000 & echo $!; kill -STOP $!; kill -STOP $$");
    int fds[1];
    read_pids(&c, fds, 1);
    assert_all_end(&c, fds, 1);
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "hydra") == 0) {
        return be_hydra();
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(group_and_sessions),
        cmocka_unit_test(orphans_in_their_own_session),
        cmocka_unit_test(orphans_without_environment),
        cmocka_unit_test(orphans_in_another_group),
        cmocka_unit_test(others_are_left_alone),
        cmocka_unit_test(stopped_programs_die_too),
        cmocka_unit_test(escaped_orphans),
        cmocka_unit_test(a_stopped_supervisor_is_woken),
        cmocka_unit_test(more_force),
        cmocka_unit_test(a_killed_supervisor_takes_its_program_along),
        cmocka_unit_test(a_program_that_kills_its_supervisor_wins_nothing),
        cmocka_unit_test(a_daemon_that_kills_its_supervisor_dies),
        cmocka_unit_test(strays_are_looked_for_again),
        cmocka_unit_test(a_hydra_dies),
        cmocka_unit_test(programs_die_with_the_node),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
