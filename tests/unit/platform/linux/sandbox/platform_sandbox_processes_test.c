/* Other processes are out of a sandbox's reach, and its own end with it. */
#include "tests/unit/platform/linux/sandbox/sandbox_scene.h"

#include <fcntl.h>
#include <signal.h>

static void other_processes_are_out_of_reach(void **state) {
    need_sandbox();
    const struct sandbox_place *p = *state;
    struct os_sandbox_features all[4];
    size_t n = list_kernels(all);
    for (size_t i = 0; i < n; i++) {
        struct os_sandbox_spec how = strict;
        how.features = &all[i];
        OC_AUTO_FREE char *look = oc_strfmt(
                "cat /proc/%d/environ /proc/%d/cmdline; echo $?", (int)getpid(), (int)getpid());
        expect_output(p, &how, look, "1\n");
        if (all[i].namespaces || all[i].landlock_abi >= 6) {
            OC_AUTO_FREE char *signal_us = oc_strfmt("kill -0 %d; echo $?", (int)getpid());
            expect_output(p, &how, signal_us, "1\n");
        }
    }
    if (kernel.own_proc) {
        expect_output(p, &strict, "cat /proc/1/environ; ls /proc/1/root/; echo $?", "2\n");
        expect_output(p, &strict, "kill -9 1; echo $?", kernel.landlock_abi >= 6 ? "1\n" : "0\n");
    }
}

static void everything_ends_with_the_program(void **state) {
    need_sandbox();
    if (!kernel.namespaces) {
        skip();
    }
    const struct sandbox_place *p = *state;
    /* A FIFO that the runaway holds open for writing: its reader sees the end when all are gone. */
    OC_AUTO_FREE char *fifo = oc_strfmt("%s/fifo", p->workspace);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    OC_AUTO_FD int fd = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    expect_output(p, &strict,
            "(setsid env -i sleep 1000 > fifo 2>&1 < /dev/null &) ; "
            "setsid sh -c 'echo started > fifo'; echo end",
            "end\n");
    struct oc_buf text = OC_BUF_INIT(1000);
    read_all(fd, &text);
    assert_string_equal(text.data, "started\n");
    oc_buf_finish(&text);
}

static void kill_tree_reaches_inside(void **state) {
    need_sandbox();
    const struct sandbox_place *p = *state;
    const char *const writable[] = { p->workspace, NULL };
    struct os_sandbox_spec spec = strict;
    spec.readable = system_dirs;
    spec.writable = writable;
    spec.run_dir = p->run_dir;
    spec.features = &kernel;
    struct oc_error err = { 0 };
    struct os_sandbox_built *c = sandbox->prepare(&spec);
    const char *argv[] = { "sh", "-c", "setsid sleep 1000 & echo up; wait", NULL };
    const char *env[] = { "PATH=/usr/bin:/bin", NULL };
    struct os_child child;
    int errnum = 0;
    assert_int_equal(ops->spawn(
                             &(struct os_spawn_opts){
                                     .path = "/bin/sh", .argv = argv, .env = env, .sandbox = c },
                             &child, &errnum, &err),
            OC_OK);
    sandbox->release(c);
    char up[3];
    struct pollfd ready = { .fd = child.out_fd, .events = POLLIN };
    assert_int_equal(poll(&ready, 1, 30000), 1);
    assert_int_equal(read(child.out_fd, up, sizeof(up)), sizeof(up));
    ops->kill_tree(&child);
    struct oc_buf rest = OC_BUF_INIT(1000);
    read_all(child.out_fd, &rest); /* ends when nobody holds the pipe */
    oc_buf_finish(&rest);
    struct pollfd ended = { .fd = child.exit_fd, .events = POLLIN };
    struct os_child_exit end;
    assert_int_equal(poll(&ended, 1, 30000), 1);
    assert_true(ops->reap(&child, &end));
    assert_true(end.by_signal);
    assert_int_equal(end.status, SIGKILL);
    ops->release(&child);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(other_processes_are_out_of_reach),
        TEST(everything_ends_with_the_program),
        TEST(kill_tree_reaches_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
