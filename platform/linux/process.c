/* Starting and reaping programs. posix_spawn has vfork semantics in glibc, so its cost does not
 * grow with our memory. */
#include "platform/linux/process.h"

#include "base/encode.h"
#include "base/list.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct child {
    struct oc_list link;
    pid_t pid;
    bool has_ended;
    int wait_status;
    char mark[sizeof(OC_TREE_MARK) + 1 + OC_TREE_MARK_LEN]; /* "OPENCLAW_RUN_MARK=…" */
};

/* Children that are not released. reap_orphans waits for any child and must not swallow one of
 * these. */
static struct oc_list children = { &children, &children }; /* child.link */

/* Descriptors 0…2 of the child are made with dup2: a source among them would be overwritten before
 * it is copied. */
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
    if (pipe2(fds, O_CLOEXEC) != 0) {
        return errno;
    }
    OC_AUTO_FD int read_end = above_stdio(fds[0]);
    OC_AUTO_FD int write_end = above_stdio(fds[1]);
    if (read_end < 0 || write_end < 0 || fcntl(read_end, F_SETFL, O_NONBLOCK) != 0) {
        return errno;
    }
    *ret_read = oc_take_fd(&read_end);
    *ret_write = oc_take_fd(&write_end);
    return 0;
}

static int prepare_actions(posix_spawn_file_actions_t *fa, const char *cwd, int out, int err) {
    int rc = posix_spawn_file_actions_addopen(fa, 0, "/dev/null", O_RDONLY, 0);
    rc = rc ? rc : posix_spawn_file_actions_adddup2(fa, out, 1);
    rc = rc ? rc : posix_spawn_file_actions_adddup2(fa, err, 2);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    /* All of ours are close-on-exec; this is for descriptors that a library or our own parent left
     * open. */
    rc = rc ? rc : posix_spawn_file_actions_addclosefrom_np(fa, 3);
#endif
    if (cwd) {
        rc = rc ? rc : posix_spawn_file_actions_addchdir_np(fa, cwd);
    }
    return rc;
}

static int prepare_attributes(posix_spawnattr_t *attr) {
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    int rc = posix_spawnattr_setflags(
            attr, (short)(POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
    rc = rc ? rc : posix_spawnattr_setsigmask(attr, &none);
    return rc ? rc : posix_spawnattr_setsigdefault(attr, &all);
}

/* The caller's environment with our mark in the place of any other (we may be a marked child
 * ourselves). The strings are borrowed. */
static const char **with_mark(const char *const *env, const char *mark) {
    size_t n = 0, kept = 0;
    while (env[n]) {
        n++;
    }
    const char **v = oc_new_array(const char *, n + 2);
    for (size_t i = 0; i < n; i++) {
        if (strncmp(env[i], mark, sizeof(OC_TREE_MARK)) != 0) {
            v[kept++] = env[i];
        }
    }
    v[kept] = mark;
    return v;
}

static int start(
        const struct oc_spawn_opts *opts, const char *mark, int out, int err, pid_t *ret_pid) {
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
    OC_AUTO_FREE const char **env = with_mark(opts->env, mark);
    rc = prepare_actions(&fa, opts->cwd, out, err);
    rc = rc ? rc : prepare_attributes(&attr);
    rc = rc ? rc
            : posix_spawn(ret_pid, opts->path, &fa, &attr, (char *const *)(uintptr_t)opts->argv,
                      (char *const *)(uintptr_t)env);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&fa);
    return rc;
}

static enum oc_code failed(
        const struct oc_spawn_opts *opts, int errnum, int *ret_errno, struct oc_error *err) {
    *ret_errno = errnum;
    return oc_fail(err, OC_E_IO, "start '%s': %s", opts->path, strerror(errnum));
}

static enum oc_code spawn_child(const struct oc_spawn_opts *opts, struct oc_child *ret,
        int *ret_errno, struct oc_error *err) {
    OC_AUTO_FD int out_read = -1, out_write = -1, err_read = -1, err_write = -1;
    int rc = make_pipe(&out_read, &out_write);
    rc = rc ? rc : make_pipe(&err_read, &err_write);
    if (rc) {
        return failed(opts, rc, ret_errno, err);
    }
    OC_AUTO_FREE struct child *c = oc_new(struct child);
    memcpy(c->mark, OC_TREE_MARK "=", sizeof(OC_TREE_MARK));
    uint8_t random[OC_TREE_MARK_LEN / 2];
    oc_random(random, sizeof(random));
    oc_hex(random, sizeof(random), c->mark + sizeof(OC_TREE_MARK));
    rc = start(opts, c->mark, out_write, err_write, &c->pid);
    if (rc) {
        return failed(opts, rc, ret_errno, err);
    }
    /* Not reaped yet, so the number cannot have been given to someone else. */
    int pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
    if (pidfd < 0) {
        rc = errno;
        oc_tree_kill(c->pid, c->mark);
        waitpid(c->pid, NULL, 0);
        return failed(opts, rc, ret_errno, err);
    }
    oc_list_init(&c->link);
    oc_list_append(&children, &c->link);
    *ret = (struct oc_child){
        .pid = c->pid,
        .exit_fd = pidfd,
        .out_fd = oc_take_fd(&out_read),
        .err_fd = oc_take_fd(&err_read),
    };
    ret->impl = oc_take(&c);
    return OC_OK;
}

static bool reap(struct oc_child *child, struct oc_child_exit *ret) {
    struct child *c = child->impl;
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
        /* ECHILD: someone else in this process waited for it. Report an ending without a status. */
        c->wait_status = got > 0 ? status : SIGKILL;
    }
    ret->by_signal = WIFSIGNALED(c->wait_status);
    ret->status = ret->by_signal ? WTERMSIG(c->wait_status) : WEXITSTATUS(c->wait_status);
    return true;
}

static void kill_tree(struct oc_child *child) {
    struct child *c = child->impl;
    /* The number of a reaped child may belong to someone else, unless others of its group keep it
     * taken. Its orphans still carry the mark. */
    oc_tree_kill(c->has_ended ? 0 : c->pid, c->mark);
}

static void release(struct oc_child *child) {
    struct child *c = child->impl;
    if (!c) {
        return;
    }
    oc_auto_close(&child->exit_fd);
    oc_auto_close(&child->out_fd);
    oc_auto_close(&child->err_fd);
    oc_list_remove(&c->link);
    oc_free(c);
    *child = (struct oc_child){ .exit_fd = -1, .out_fd = -1, .err_fd = -1 };
}

static struct child *find(pid_t pid) {
    struct child *c;
    oc_list_for_each(c, &children, link) {
        if (c->pid == pid && !c->has_ended) {
            return c;
        }
    }
    return NULL;
}

static bool reap_orphans(void) {
    for (;;) {
        int status;
        pid_t got = waitpid(-1, &status, WNOHANG);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got == 0;
        }
        struct child *c = find(got);
        if (c) {
            c->has_ended = true;
            c->wait_status = status;
        }
    }
}

const struct oc_exec_ops oc_linux_exec = {
    .spawn = spawn_child,
    .reap = reap,
    .kill_tree = kill_tree,
    .release = release,
    .reap_orphans = reap_orphans,
};
