/* How a program gets into a sandbox and what it begins with: failures, descriptors, limits, a
 * terminal; and how its end is told. */
#include "tests/unit/platform/linux/sandbox/sandbox_scene.h"

#include <fcntl.h>
#include <signal.h>

static void ends_are_told_as_they_were(void **state) {
    need_sandbox();
    const struct sandbox_place *p = *state;
    struct outcome o;
    run_script(p, &strict, "echo out; echo err >&2; exit 3", &o);
    assert_string_equal(o.out.data, "out\n");
    assert_string_equal(o.err.data, "err\n");
    assert_false(o.end.by_signal);
    assert_int_equal(o.end.status, 3);
    outcome_finish(&o);
    static const int signals[] = { SIGTERM, SIGKILL, SIGSEGV, SIGPIPE };
    for (size_t i = 0; i < OC_COUNT(signals); i++) {
        OC_AUTO_FREE char *script = oc_strfmt("kill -%d $$", signals[i]);
        run_script(p, &strict, script, &o);
        assert_true(o.end.by_signal);
        assert_int_equal(o.end.status, signals[i]);
        outcome_finish(&o);
    }
}

static void failures_to_start_keep_their_errno(void **state) {
    need_sandbox();
    const struct sandbox_place *p = *state;
    struct outcome o;
    struct oc_error err = { 0 };
    int errnum = 0;
    const char *argv[] = { "x", NULL };
    assert_int_equal(
            try_run(p, &strict, "/usr/bin/no-such-program", argv, &o, &errnum, &err), OC_E_IO);
    assert_int_equal(errnum, ENOENT);
    OC_AUTO_FREE char *outside = oc_strfmt("%s/tool", p->dir);
    write_text(outside, "#!/bin/sh\necho ran\n");
    chmod(outside, 0700);
    assert_int_equal(try_run(p, &strict, outside, argv, &o, &errnum, &err), OC_E_IO);
    assert_int_equal(errnum, kernel.namespaces ? ENOENT : EACCES);
}

static void a_sandbox_that_cannot_be_built_stops_the_start(void **state) {
    need_sandbox();
    const struct sandbox_place *p = *state;
    if (!kernel.namespaces) {
        skip();
    }
    OC_AUTO_FREE char *shm = oc_strfmt("%s/tmp", p->run_dir);
    assert_int_equal(rmdir(shm), 0); /* the mount fails */
    struct outcome o;
    struct oc_error err = { 0 };
    int errnum = 0;
    const char *argv[] = { "true", NULL };
    assert_int_equal(try_run(p, &strict, "/bin/true", argv, &o, &errnum, &err), OC_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, "mounts: No such file"));
}

static void inherited_descriptors_are_closed(void **state) {
    need_sandbox();
    const struct sandbox_place *p = *state;
    int leaked = open(p->secret, O_RDONLY); /* NOLINT(android-cloexec-open): on purpose */
    int high = fcntl(leaked, F_DUPFD, 100);
    struct os_sandbox_features all[4];
    size_t n = list_kernels(all);
    for (size_t i = 0; i < n; i++) {
        struct os_sandbox_spec how = strict;
        how.features = &all[i];
        expect_output(p, &how,
                "python3 -c '\nimport os\nfor fd in range(3, 300):\n    try:\n        "
                "os.fstat(fd)\n"
                "        print(fd)\n    except OSError: pass\n'; echo end",
                "end\n");
    }
    close(leaked);
    close(high);
}

static void limits_hold(void **state) {
    need_sandbox();
    const struct sandbox_place *p = *state;
    struct os_sandbox_spec how = { .limits = { .file_bytes = 4096, .open_files = 32 } };
    expect_output(p, &how, "ulimit -n", "32\n"); /* also without a sandbox */
    expect_output(p, &how, "cat $SECRET", "the secret\n");
    how.is_on = true;
    expect_output(p, &how, "trap '' XFSZ; head -c 9000 /dev/zero > big; stat -c %s big", "4096\n");
    how.limits = (struct os_limits){ .memory_bytes = 200 << 20 };
    expect_output(p, &how, "python3 -c 'bytearray(400 << 20)' 2>&1 | grep -o MemoryError",
            "MemoryError\n");
    how.limits = (struct os_limits){ .cpu_seconds = 1 };
    struct outcome o;
    run_script(p, &how, "while :; do :; done", &o);
    assert_true(o.end.by_signal);
    assert_int_equal(o.end.status, SIGXCPU);
    outcome_finish(&o);
    if (kernel.namespaces && getuid() != 0) { /* the kernel exempts root */
        how.limits = (struct os_limits){ .processes = 10 };
        run_script(
                p, &how, "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 100 & done; echo all", &o);
        assert_null(o.out.data && strstr(o.out.data, "all") ? o.out.data : NULL);
        outcome_finish(&o);
    }
}

static void terminals_work(void **state) {
    need_sandbox();
    const struct sandbox_place *p = *state;
    const char *const writable[] = { p->workspace, NULL };
    struct os_sandbox_features all[4];
    size_t n = list_kernels(all);
    for (size_t i = 0; i < n; i++) {
        struct os_sandbox_spec spec = strict;
        spec.readable = system_dirs;
        spec.writable = writable;
        spec.run_dir = p->run_dir;
        spec.features = &all[i];
        struct os_sandbox_built *c = sandbox->prepare(&spec);
        const char *argv[] = { "sh", "-c",
            "test -t 0 && test -t 2 && stty size && echo there > /dev/tty && read x && echo got $x",
            NULL };
        const char *env[] = { "PATH=/usr/bin:/bin", NULL };
        const struct os_tty_size size = { .columns = 91, .rows = 17 };
        struct os_child child;
        struct oc_error err = { 0 };
        int errnum = 0;
        if (ops->spawn(&(struct os_spawn_opts){ .path = "/bin/sh",
                               .argv = argv,
                               .env = env,
                               .cwd = p->workspace,
                               .tty = &size,
                               .sandbox = c },
                    &child, &errnum, &err) != OC_OK) {
            fail_msg("%s", err.text);
        }
        sandbox->release(c);
        assert_int_equal(write(child.in_fd, "typed\n", 6), 6);
        struct oc_buf text = OC_BUF_INIT(10000);
        for (;;) { /* a terminal ends with EIO */
            struct pollfd ready = { .fd = child.out_fd, .events = POLLIN };
            assert_int_equal(poll(&ready, 1, 30000), 1);
            char bytes[256];
            ssize_t got = read(child.out_fd, bytes, sizeof(bytes));
            if (got <= 0 && errno != EAGAIN) {
                break;
            }
            oc_buf_append(&text, bytes, got > 0 ? (size_t)got : 0);
        }
        assert_non_null(strstr(text.data, "17 91"));
        assert_non_null(strstr(text.data, "there"));
        assert_non_null(strstr(text.data, "got typed"));
        oc_buf_finish(&text);
        struct pollfd ended = { .fd = child.exit_fd, .events = POLLIN };
        struct os_child_exit end;
        assert_int_equal(poll(&ended, 1, 30000), 1);
        assert_true(ops->reap(&child, &end));
        assert_int_equal(end.status, 0);
        ops->release(&child);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(ends_are_told_as_they_were),
        TEST(failures_to_start_keep_their_errno),
        TEST(a_sandbox_that_cannot_be_built_stops_the_start),
        TEST(inherited_descriptors_are_closed),
        TEST(limits_hold),
        TEST(terminals_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
