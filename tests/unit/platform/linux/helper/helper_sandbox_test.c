/* What a helper in its sandbox can still do: each question is asked in a child that has put itself
 * in. */
#include "tests/unit/unit.h"

#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "platform/linux/helper/helper_sandbox.h"
#include "platform/linux/kernel/landlock.h"
#include "platform/linux/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *dir;

static char *at(const char *name) {
    return oc_path_join(dir, name);
}

/* The errno that the question ends with in a child in its sandbox, or 0. */
static int sandboxed_so(bool is_alone, int (*question)(const char *path), const char *name) {
    OC_AUTO_FREE char *path = at(name), *shared = at("shared");
    const char *const readable[] = { shared, NULL };
    pid_t pid = fork();
    if (pid == 0) {
        (void)os_helper_enter_sandbox(&(struct os_helper_sandbox_opts){ .cache = "own",
                .memory_bytes = (int64_t)1 << 30,
                .is_alone = is_alone,
                .readable = readable });
        errno = 0;
        _exit(question(path) < 0 ? errno : 0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int sandboxed(int (*question)(const char *path), const char *name) {
    return sandboxed_so(false, question, name);
}

static int alone(int (*question)(const char *path), const char *name) {
    return sandboxed_so(true, question, name);
}

static int signals(const char *path) {
    (void)path;
    return kill(getppid(), 0);
}

static int runs(const char *path) {
    (void)path;
    pid_t pid = fork();
    if (pid == 0) {
        execl("/usr/bin/env", "env", "true", (char *)NULL);
        _exit(errno);
    }
    int status = 0;
    (void)waitpid(pid, &status, 0);
    errno = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
    return errno ? -1 : 0;
}

static int reads(const char *path) {
    return open(path, O_RDONLY | O_CLOEXEC);
}

static int writes(const char *path) {
    return open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
}

static int truncates(const char *path) {
    return truncate(path, 0);
}

static int changes_mode(const char *path) {
    return chmod(path, 0777);
}

static int reads_etc(const char *path) {
    (void)path;
    return open("/etc/passwd", O_RDONLY | O_CLOEXEC);
}

static int traces(const char *path) {
    (void)path;
    return (int)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

static int opens_internet(const char *path) {
    (void)path;
    return socket(AF_INET, SOCK_STREAM, 0);
}

static int opens_local(const char *path) {
    (void)path;
    return socket(AF_UNIX, SOCK_STREAM, 0);
}

/* Nothing in the line of effective capabilities but zeros. */
static int has_no_rights(const char *path) {
    char text[4096] = "";
    (void)path;
    OC_AUTO_FD int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (read(fd, text, sizeof(text) - 1) <= 0 || !strstr(text, "CapEff:\t0000000000000000") ||
            !strstr(text, "NoNewPrivs:\t1")) {
        errno = ENOTSUP;
        return -1;
    }
    return 0;
}

static void keeps_to_itself(void **state) {
    (void)state;
    assert_int_equal(sandboxed(has_no_rights, ""), 0);
    assert_int_equal(sandboxed(reads_etc, ""), 0);
    assert_int_equal(sandboxed(opens_local, ""), 0);
    assert_int_equal(sandboxed(writes, "cache/own/registry"), 0);
    if (os_seccomp_is_known()) {
        assert_int_equal(sandboxed(changes_mode, "state/token"), EPERM);
        assert_int_equal(sandboxed(traces, ""), EPERM);
        assert_int_equal(sandboxed(opens_internet, ""), EACCES);
        assert_int_equal(sandboxed(truncates, "state/token"), EACCES);
    }
    if (os_landlock_abi() < 1) {
        skip();
    }
    assert_int_equal(sandboxed(reads, "state/token"), EACCES);
    assert_int_equal(sandboxed(writes, "state/token"), EACCES);
    assert_int_equal(sandboxed(writes, "cache/other"), EACCES);
    assert_int_equal(sandboxed(reads, "shared/font"), 0);
    assert_int_equal(sandboxed(writes, "shared/font"), EACCES);
}

static void is_alone(void **state) {
    (void)state;
    assert_int_equal(alone(runs, ""), 0); /* in the same sandbox */
    if (os_seccomp_is_known()) {
        assert_int_equal(alone(opens_local, ""), EACCES);
        assert_int_equal(alone(opens_internet, ""), EACCES);
    }
    if (os_landlock_abi() < 1) {
        skip();
    }
    assert_int_equal(alone(reads_etc, ""), EACCES);
    assert_int_equal(alone(reads, "state/token"), EACCES);
    assert_int_equal(alone(reads, "shared/font"), 0);
    assert_int_equal(alone(writes, "shared/font"), EACCES);
    assert_int_equal(alone(signals, ""), os_landlock_abi() < 6 ? 0 : EPERM);
}

static int setup(void **state) {
    if (oc_temp_setup((void **)&dir) != 0) {
        return -1;
    }
    OC_AUTO_FREE char *cache = at("cache"), *secret = at("state"), *token = at("state/token"),
                      *shared = at("shared"), *font = at("shared/font");
    setenv("XDG_CACHE_HOME", cache, 1);
    setenv("HOME", secret, 1);
    unsetenv("XDG_RUNTIME_DIR");
    mkdir(secret, 0700);
    oc_write_text(token, "secret");
    mkdir(shared, 0700);
    oc_write_text(font, "letters");
    (void)state;
    return 0;
}

static int teardown(void **state) {
    (void)state;
    return oc_temp_teardown((void **)&dir);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(keeps_to_itself, setup, teardown),
        cmocka_unit_test_setup_teardown(is_alone, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
