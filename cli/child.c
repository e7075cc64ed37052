#include "cli/child.h"

#include "base/clock.h"
#include "base/mem.h"
#include "node/exec_path.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* Only calls that are safe after fork. */
static _Noreturn void become(const char *path, char *const *argv, int out, int nothing) {
#ifdef __linux__
    (void)prctl(
            PR_SET_PDEATHSIG, SIGTERM); /* a gateway that is killed takes its advertisement along */
#endif
    sigset_t none;
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)signal(SIGPIPE, SIG_DFL);
    if (dup2(nothing, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0) {
        (void)execv(path, argv);
    }
    _exit(127);
}

static char **terminated(const struct oc_strv *argv) {
    char **list = oc_new_array(char *, argv->count + 1);
    for (size_t i = 0; i < argv->count; i++) {
        list[i] = argv->items[i];
    }
    return list;
}

enum oc_code oc_child_start(
        const struct oc_strv *argv, int *ret_out, pid_t *ret_pid, struct oc_error *err) {
    OC_AUTO_FREE char *path = NULL;
    if (oc_exec_find(argv->items[0], NULL, oc_exec_search_path(), &path) != 0 || !path) {
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
    OC_AUTO_FREE char **list = terminated(argv);
    pid_t pid = fork();
    if (pid < 0) {
        return oc_fail(err, OC_E_IO, "start %s: %s", argv->items[0], strerror(errno));
    }
    if (pid == 0) {
        become(path, list, ret_out ? writing : STDERR_FILENO, nothing);
    }
    if (ret_out) {
        *ret_out = oc_take_fd(&reading);
    }
    *ret_pid = pid;
    return OC_OK;
}

int oc_child_stop(pid_t pid) {
    int status = 0;
    (void)kill(pid, SIGTERM);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
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

enum oc_code oc_child_collect(const struct oc_strv *argv, int64_t timeout_ms, struct oc_buf *out,
        int *ret_status, struct oc_error *err) {
    OC_AUTO_FD int fd = -1;
    pid_t pid = -1;
    enum oc_code rc = oc_child_start(argv, &fd, &pid, err);
    if (rc != OC_OK) {
        return rc;
    }
    int status = 0;
    if (read_until(fd, oc_mono_ms(&oc_clock_system) + timeout_ms, out)) {
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
        *ret_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    } else {
        *ret_status = oc_child_stop(pid);
    }
    return OC_OK;
}
