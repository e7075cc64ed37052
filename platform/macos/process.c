/* Starting and reaping programs on macOS.
 *
 * There is no pidfd: each child has a pipe, and the SIGCHLD handler writes a byte into all of them.
 * There is no subreaper either: orphans go to launchd, so kill_tree finds what is still attached to
 * the child by parent or process group and misses a daemon that has cut both ties. */
#include "platform/macos/process.h"

#include "lib/base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <libproc.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_CHILDREN = 512 };

struct macos_child {
    pid_t pid;
    int slot;
    bool has_ended;
    int wait_status;
};

/* Write ends of the children's pipes; 0 is a free slot. Read by the signal handler. */
static volatile sig_atomic_t wake_fds[MAX_CHILDREN];

static void on_sigchld(int signo) {
    (void)signo;
    int saved = errno;
    for (int i = 0; i < MAX_CHILDREN; i++) {
        int fd = (int)wake_fds[i];
        if (fd > 0 && write(fd, "", 1) < 0) {
            continue; /* full: it is readable already */
        }
    }
    errno = saved;
}

enum oc_code os_macos_exec_start(struct oc_error *err) {
    struct sigaction sa = { .sa_handler = on_sigchld, .sa_flags = SA_RESTART | SA_NOCLDSTOP };
    sigemptyset(&sa.sa_mask);
    if (sigaction(SIGCHLD, &sa, NULL) != 0) {
        return oc_fail(err, OC_E_IO, "sigaction(SIGCHLD): %s", strerror(errno));
    }
    return OC_OK;
}

static int above_stdio(int fd) {
    if (fd < 0 || fd > 2) {
        return fd;
    }
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    int saved = errno;
    close(fd);
    errno = saved;
    return moved;
}

static int make_pipe(int *ret_read, int *ret_write) {
    int fds[2];
    if (pipe(fds) != 0) {
        return errno;
    }
    OC_AUTO_FD int read_end = above_stdio(fds[0]);
    OC_AUTO_FD int write_end = above_stdio(fds[1]);
    if (read_end < 0 || write_end < 0 || fcntl(read_end, F_SETFD, FD_CLOEXEC) != 0 ||
            fcntl(write_end, F_SETFD, FD_CLOEXEC) != 0 ||
            fcntl(read_end, F_SETFL, O_NONBLOCK) != 0) {
        return errno;
    }
    *ret_read = oc_take_fd(&read_end);
    *ret_write = oc_take_fd(&write_end);
    return 0;
}

static int process_start(
        const struct os_spawn_opts *opts, int in, int out, int err, pid_t *ret_pid) {
    posix_spawn_file_actions_t fa;
    posix_spawnattr_t attr;
    int rc = posix_spawn_file_actions_init(&fa);
    if (rc) {
        return rc;
    }
    rc = posix_spawnattr_init(&attr);
    if (rc) {
        posix_spawn_file_actions_destroy(&fa);
        return rc;
    }
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    rc = in >= 0 ? posix_spawn_file_actions_adddup2(&fa, in, 0)
                 : posix_spawn_file_actions_addopen(&fa, 0, "/dev/null", O_RDONLY, 0);
    rc = rc ? rc : posix_spawn_file_actions_adddup2(&fa, out, 1);
    rc = rc ? rc : posix_spawn_file_actions_adddup2(&fa, err, 2);
    if (opts->cwd) {
        rc = rc ? rc : posix_spawn_file_actions_addchdir_np(&fa, opts->cwd);
    }
    /* CLOEXEC_DEFAULT closes everything that the actions above did not name. */
    rc = rc ? rc
            : posix_spawnattr_setflags(
                      &attr, (short)(POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
                                     POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_CLOEXEC_DEFAULT));
    rc = rc ? rc : posix_spawnattr_setsigmask(&attr, &none);
    rc = rc ? rc : posix_spawnattr_setsigdefault(&attr, &all);
    rc = rc ? rc
            : posix_spawn(ret_pid, opts->path, &fa, &attr, (char *const *)(uintptr_t)opts->argv,
                      (char *const *)(uintptr_t)opts->env);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&fa);
    return rc;
}

static int free_slot(void) {
    for (int i = 0; i < MAX_CHILDREN; i++) {
        if (wake_fds[i] == 0) {
            return i;
        }
    }
    return -1;
}

static enum oc_code process_failed(
        const struct os_spawn_opts *opts, int errnum, int *ret_errno, struct oc_error *err) {
    *ret_errno = errnum;
    return oc_fail(err, OC_E_IO, "start '%s': %s", opts->path, strerror(errnum));
}

static enum oc_code spawn_child(const struct os_spawn_opts *opts, struct os_child *ret,
        int *ret_errno, struct oc_error *err) {
    OC_AUTO_FD int out_read = -1, out_write = -1, err_read = -1, err_write = -1;
    OC_AUTO_FD int exit_read = -1, exit_write = -1, in_read = -1, in_write = -1;
    int slot = free_slot();
    /* A terminal of its own needs code between fork and exec, which posix_spawn has no place
     * for. */
    int rc = opts->tty ? ENOTSUP : slot < 0 ? EAGAIN : make_pipe(&out_read, &out_write);
    rc = rc ? rc : make_pipe(&err_read, &err_write);
    if (!rc && opts->input_fd) {
        in_read = fcntl(*opts->input_fd, F_DUPFD_CLOEXEC, 0);
        rc = in_read < 0 ? errno : 0;
    } else if (!rc && opts->wants_input) {
        rc = make_pipe(&in_read, &in_write);
        if (!rc && (fcntl(in_read, F_SETFL, 0) != 0 || fcntl(in_write, F_SETFL, O_NONBLOCK) != 0)) {
            rc = errno;
        }
    }
    rc = rc ? rc : make_pipe(&exit_read, &exit_write);
    if (!rc && fcntl(exit_write, F_SETFL, O_NONBLOCK) != 0) {
        rc = errno;
    }
    if (rc) {
        return process_failed(opts, rc, ret_errno, err);
    }
    OC_AUTO_FREE struct macos_child *c = oc_new(struct macos_child);
    wake_fds[slot] = exit_write; /* before the start: a child may end before spawn returns */
    rc = process_start(opts, in_read, out_write, err_write, &c->pid);
    if (rc) {
        wake_fds[slot] = 0;
        return process_failed(opts, rc, ret_errno, err);
    }
    c->slot = slot;
    (void)oc_take_fd(&exit_write);
    *ret = (struct os_child){
        .pid = c->pid,
        .exit_fd = oc_take_fd(&exit_read),
        .out_fd = oc_take_fd(&out_read),
        .err_fd = oc_take_fd(&err_read),
        .in_fd = oc_take_fd(&in_write),
    };
    ret->impl = oc_take(&c);
    return OC_OK;
}

static bool process_reap(struct os_child *child, struct os_child_exit *ret) {
    struct macos_child *c = child->impl;
    char bytes[64];
    while (read(child->exit_fd, bytes, sizeof(bytes)) > 0) {
    }
    if (!c->has_ended) {
        int status;
        pid_t got;
        do {
            got = waitpid(c->pid, &status, WNOHANG);
        } while (got < 0 && errno == EINTR);
        if (got == 0) {
            return false;
        }
        c->has_ended = true;
        c->wait_status = got > 0 ? status : SIGKILL;
    }
    *ret = (struct os_child_exit){ .by_signal = WIFSIGNALED(c->wait_status), .is_alone = true };
    ret->status = ret->by_signal ? WTERMSIG(c->wait_status) : WEXITSTATUS(c->wait_status);
    return true;
}

/* Stops parent before child, so that nothing is started behind our back; then everyone found is
 * killed. */
static void stop_below(pid_t pid, pid_t *found, size_t *count, size_t max) {
    pid_t kids[256];
    int n = proc_listchildpids(pid, kids, (int)sizeof(kids));
    for (int i = 0; i < n && *count < max; i++) {
        kill(kids[i], SIGSTOP);
        found[(*count)++] = kids[i];
        stop_below(kids[i], found, count,
                max); /* NOLINT(misc-no-recursion): the depth of a process tree */
    }
}

static void kill_tree(struct os_child *child) {
    struct macos_child *c = child->impl;
    if (c->has_ended) {
        return;
    }
    pid_t found[1024];
    size_t count = 0;
    kill(-c->pid, SIGSTOP);
    stop_below(c->pid, found, &count, OC_COUNT(found));
    for (size_t i = 0; i < count; i++) {
        kill(found[i], SIGKILL);
    }
    kill(-c->pid, SIGKILL);
}

static void process_release(struct os_child *child) {
    struct macos_child *c = child->impl;
    if (!c) {
        return;
    }
    int write_end = (int)wake_fds[c->slot];
    wake_fds[c->slot] =
            0; /* before the close: the handler must not write into a reused descriptor */
    oc_auto_close(&write_end);
    oc_auto_close(&child->exit_fd);
    oc_auto_close(&child->out_fd);
    oc_auto_close(&child->err_fd);
    oc_auto_close(&child->in_fd);
    oc_free(c);
    *child = (struct os_child){ .exit_fd = -1, .out_fd = -1, .err_fd = -1, .in_fd = -1 };
}

static int reap_orphans(void) {
    return 0; /* launchd collects them */
}

static bool is_gone(struct os_child *child) {
    (void)child;
    return true; /* nobody can tell: what a program leaves behind is launchd's child */
}

static void process_resize(int tty_fd, const struct os_tty_size *size) {
    (void)tty_fd; /* spawn gives out no terminals */
    (void)size;
}

const struct os_exec_ops os_macos_exec = {
    .spawn = spawn_child,
    .reap = process_reap,
    .is_gone = is_gone,
    .kill_tree = kill_tree,
    .release = process_release,
    .reap_orphans = reap_orphans,
    .resize = process_resize,
};
