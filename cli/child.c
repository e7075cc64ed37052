#include "cli/child.h"

#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "node/argv/paths/exec_path.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* A gateway waits for this on its loop, so a helper that hangs is not given long. */
#define STOP_MS 200

/* Only calls that are safe after fork. */
static _Noreturn void child_become(
        const char *path, char *const *argv, int out, int complaints, int nothing) {
#ifdef __linux__
    (void)prctl(
            PR_SET_PDEATHSIG, SIGTERM); /* a gateway that is killed takes its advertisement along */
#endif
    sigset_t none;
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)signal(SIGPIPE, SIG_DFL);
    if (dup2(nothing, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
            (complaints == STDERR_FILENO || dup2(complaints, STDERR_FILENO) >= 0)) {
        (void)execv(path, argv);
    }
    _exit(127);
}

static char **child_terminated(const struct oc_strv *argv) {
    char **list = oc_new_array(char *, argv->count + 1);
    for (size_t i = 0; i < argv->count; i++) {
        list[i] = argv->items[i];
    }
    return list;
}

static enum oc_code child_start(const struct oc_strv *argv, bool takes_all, int *ret_out,
        pid_t *ret_pid, struct oc_error *err) {
    OC_AUTO_FREE char *path = NULL;
    if (nd_exec_find(argv->items[0], NULL, nd_exec_search_path(), &path) != 0 || !path) {
        return oc_fail(err, OC_E_NOT_FOUND, "%s is not installed", argv->items[0]);
    }
    int ends[2] = { -1, -1 };
    OC_AUTO_FD int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing < 0 || (ret_out && pipe(ends) != 0)) {
        return oc_fail(err, OC_E_IO, "start %s: %s", argv->items[0], strerror(errno));
    }
    OC_AUTO_FD int reading = ends[0];
    OC_AUTO_FD int writing = ends[1];
    if (ret_out) {
        (void)fcntl(reading, F_SETFD, FD_CLOEXEC);
        (void)fcntl(writing, F_SETFD, FD_CLOEXEC);
    }
    OC_AUTO_FREE char **list = child_terminated(argv);
    pid_t pid = fork();
    if (pid < 0) {
        return oc_fail(err, OC_E_IO, "start %s: %s", argv->items[0], strerror(errno));
    }
    if (pid == 0) {
        child_become(path, list, ret_out ? writing : STDERR_FILENO,
                takes_all ? writing : STDERR_FILENO, nothing);
    }
    if (ret_out) {
        *ret_out = oc_take_fd(&reading);
    }
    *ret_pid = pid;
    return OC_OK;
}

enum oc_code cli_child_start(
        const struct oc_strv *argv, int *ret_out, pid_t *ret_pid, struct oc_error *err) {
    return child_start(argv, false, ret_out, ret_pid, err);
}

/* False when it still runs at the deadline. */
static bool ends_until(pid_t pid, int64_t deadline_ms, int *ret_status) {
    static const struct timespec pause = { 0, 2000000 };
    for (;;) {
        pid_t got = waitpid(pid, ret_status, WNOHANG);
        if (got == pid || (got < 0 && errno != EINTR)) {
            return true;
        }
        if (oc_mono_ms(&oc_clock_system) >= deadline_ms) {
            return false;
        }
        (void)nanosleep(&pause, NULL);
    }
}

/* The exit status of a program that ends by the deadline, or is made to. */
static int end_by(pid_t pid, int64_t deadline_ms) {
    int status = 0;
    if (!ends_until(pid, deadline_ms, &status)) {
        (void)kill(pid, SIGKILL);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int cli_child_stop(pid_t pid) {
    (void)kill(pid, SIGTERM);
    return end_by(pid, oc_mono_ms(&oc_clock_system) + STOP_MS);
}

/* True when the program has closed its output. */
static bool read_until(int fd, int64_t deadline_ms, struct oc_buf *out) {
    for (;;) {
        int64_t left = deadline_ms - oc_mono_ms(&oc_clock_system);
        struct pollfd ready = { .fd = fd, .events = POLLIN };
        if (left <= 0 || poll(&ready, 1, (int)left) == 0) {
            return false;
        }
        char chunk[4096];
        ssize_t n = read(fd, chunk, sizeof(chunk));
        if (n == 0 || (n < 0 && errno != EINTR)) {
            return true;
        }
        if (n > 0 && oc_buf_append(out, chunk, (size_t)n) != OC_OK) {
            return false;
        }
    }
}

static enum oc_code child_collect(const struct oc_strv *argv, bool takes_all, int64_t timeout_ms,
        struct oc_buf *out, int *ret_status, struct oc_error *err) {
    OC_AUTO_FD int fd = -1;
    pid_t pid = -1;
    enum oc_code rc = child_start(argv, takes_all, &fd, &pid, err);
    if (rc != OC_OK) {
        return rc;
    }
    int64_t deadline_ms = oc_mono_ms(&oc_clock_system) + timeout_ms;
    *ret_status = read_until(fd, deadline_ms, out) ? end_by(pid, deadline_ms + STOP_MS)
                                                   : cli_child_stop(pid);
    return OC_OK;
}

enum oc_code cli_child_collect(const struct oc_strv *argv, int64_t timeout_ms, struct oc_buf *out,
        int *ret_status, struct oc_error *err) {
    return child_collect(argv, false, timeout_ms, out, ret_status, err);
}

enum oc_code cli_child_collect_all(const struct oc_strv *argv, int64_t timeout_ms,
        struct oc_buf *out, int *ret_status, struct oc_error *err) {
    return child_collect(argv, true, timeout_ms, out, ret_status, err);
}
