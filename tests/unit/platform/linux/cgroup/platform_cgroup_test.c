/* Commands in control groups. A claim is for the life of a process, so each
 * test claims in a child that was put into a group of its own, as a service
 * manager would do it. Needs root and a version 2 hierarchy with the memory
 * controller. */
#include "platform/linux/cgroup/cgroup.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const roots[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
static const char *root; /* NULL: cannot be tested here */
static char *group;

static bool put(const char *dir, const char *name, const char *text) {
    OC_AUTO_FREE char *path = oc_strfmt("%s/%s", dir, name);
    OC_AUTO_FD int fd = open(path, O_WRONLY | O_CLOEXEC);
    return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

static int find_root(void **state) {
    (void)state;
    for (size_t i = 0; i < OC_COUNT(roots) && !root; i++) {
        if (put(roots[i], "cgroup.subtree_control", "+memory") &&
                put(roots[i], "cgroup.subtree_control", "+pids")) {
            root = roots[i];
        }
    }
    group = oc_strfmt("%s/openclaw-test-%d", root ? root : "", (int)getpid());
    return 0;
}

static int forget_root(void **state) {
    (void)state;
    oc_free(group);
    return 0;
}

/* Ends with the number of the line that was not true. */
#define MUST(condition)      \
    do {                     \
        if (!(condition)) {  \
            _exit(__LINE__); \
        }                    \
    } while (0)

static const struct os_sandbox_features *claim(void) {
    static struct os_sandbox_features f;
    MUST(put(group, "cgroup.procs", "0"));
    MUST(os_native.start(NULL) == OC_OK);
    os_native.sandbox->claim(&f);
    MUST(f.cgroup_memory && f.cgroup_processes);
    return &f;
}

static struct os_child start(const struct os_sandbox_built *c, const char *script) {
    const char *argv[] = { "sh", "-c", script, NULL };
    const char *env[] = { "PATH=/usr/bin:/bin", NULL };
    struct os_child child;
    int errnum;
    MUST(os_native.exec->spawn(
                 &(struct os_spawn_opts){
                         .path = "/bin/sh", .argv = argv, .env = env, .sandbox = c },
                 &child, &errnum, NULL) == OC_OK);
    return child;
}

static struct os_child_exit wait_end(struct os_child *child) {
    struct os_child_exit end;
    struct pollfd p = { .fd = child->exit_fd, .events = POLLIN };
    MUST(poll(&p, 1, 60000) == 1 && os_native.exec->reap(child, &end));
    return end;
}

static void wait_gone(struct os_child *child) {
    struct pollfd p = { .fd = child->exit_fd, .events = POLLIN };
    os_native.exec->kill_tree(child);
    MUST(poll(&p, 1, 60000) == 1 && os_native.exec->is_gone(child));
}

static size_t leaves(void) {
    OC_AUTO_FREE char *command = oc_strfmt("ls %s | grep -c openclaw-run-", group);
    FILE *f = popen(command, "r"); /* NOLINT(cert-env33-c) */
    char text[16] = "";
    MUST(f && fgets(text, sizeof(text), f));
    pclose(f);
    return strtoul(text, NULL, 10);
}

static struct os_sandbox_built *prepare(
        const struct os_sandbox_features *f, struct os_limits limits) {
    struct os_sandbox_built *c = os_native.sandbox->prepare(
            &(struct os_sandbox_spec){ .features = f, .limits = limits });
    MUST(c && leaves() == 1);
    return c;
}

static void finish(struct os_sandbox_built *c, struct os_child *child) {
    os_native.exec->release(child);
    os_native.sandbox->release(c);
    MUST(leaves() == 0);
}

/* Two of them, neither of which has too much. */
static void hoard(void) {
    struct os_sandbox_built *c = prepare(claim(), (struct os_limits){ .memory_bytes = 96 << 20 });
    struct os_child child = start(c, "for i in 1 2; do head -c 60000000 "
                                     "/dev/zero | tail -c 60000000 & done; wait");
    struct os_child_exit end = wait_end(&child);
    MUST(end.over == OS_LIMIT_MEMORY && end.by_signal && end.status == SIGKILL);
    if (!end.is_alone) {
        wait_gone(&child); /* the others are dying, too */
    }
    finish(c, &child);
}

static void multiply(void) {
    struct os_sandbox_built *c = prepare(claim(), (struct os_limits){ .processes = 5 });
    struct os_child child = start(c, "for i in 1 2 3 4 5 6 7 8; do sleep 1000 & done; exit 55");
    struct os_child_exit end = wait_end(&child);
    MUST(end.by_signal || end.status != 55); /* the shell gave up */
    if (!end.is_alone) {
        wait_gone(&child);
    }
    finish(c, &child);
}

static void run_away(void) {
    struct os_sandbox_built *c = prepare(claim(), (struct os_limits){ .memory_bytes = 64 << 20 });
    struct os_child child = start(c, "(setsid env -i sleep 1000 &) ; exit 0");
    MUST(wait_end(&child).over == OS_LIMIT_NONE);
    wait_gone(&child);
    finish(c, &child);
}

/* Somebody else in our group: it is not ours to rearrange. */
static void share(void) {
    struct os_sandbox_features f = { 0 };
    int hold[2];
    MUST(put(group, "cgroup.procs", "0") && pipe(hold) == 0);
    if (fork() == 0) {
        char byte;
        close(hold[1]);
        _exit(read(hold[0], &byte, 1) == 0 ? 0 : 1);
    }
    os_native.sandbox->claim(&f);
    MUST(!f.cgroup_memory && !f.cgroup_processes);
    close(hold[1]);
    MUST(wait(NULL) > 0);
}

/* The kernel tells when the last one is gone: what our child kept ready for its
 * next program ends after it. */
static bool wait_empty(void) {
    OC_AUTO_FREE char *path = oc_strfmt("%s/cgroup.events", group);
    OC_AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct pollfd p = { .fd = fd, .events = POLLPRI };
    char text[256];
    do {
        ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
        if (n <= 0) {
            return false;
        }
        text[n] = '\0';
        if (strstr(text, "populated 0")) {
            return true;
        }
    } while (poll(&p, 1, 60000) == 1);
    return false;
}

static void in_group(void (*work)(void)) {
    if (!root) {
        skip();
    }
    assert_int_equal(mkdir(group, 0755), 0);
    pid_t pid = fork();
    if (pid == 0) {
        work();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    OC_AUTO_FREE char *own = oc_strfmt("%s/openclaw-node", group);
    bool is_empty = wait_empty();
    rmdir(own);
    int left = rmdir(group); /* nobody is left in it */
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_true(is_empty);
    assert_int_equal(left, 0);
}

static void memory_counts_together(void **state) {
    (void)state;
    in_group(hoard);
}

static void processes_are_counted(void **state) {
    (void)state;
    in_group(multiply);
}

static void a_group_goes_with_its_command(void **state) {
    (void)state;
    in_group(run_away);
}

static void a_shared_group_is_left_alone(void **state) {
    (void)state;
    in_group(share);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_counts_together),
        cmocka_unit_test(processes_are_counted),
        cmocka_unit_test(a_group_goes_with_its_command),
        cmocka_unit_test(a_shared_group_is_left_alone),
    };
    return cmocka_run_group_tests(tests, find_root, forget_root);
}
