/* Starting and reaping programs. Each has a supervisor (supervisor.h) that we fork; the program is
 * its child. */
#include "platform/linux/process/process.h"

#include "lib/base/list.h"
#include "lib/base/mem.h"
#include "lib/files/pass_fds.h"
#include "platform/linux/process/job.h"
#include "platform/linux/process/pipes.h"
#include "platform/linux/process/spare.h"
#include "platform/linux/process/supervisor.h"
#include "platform/linux/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WIDE_PIPE = 65536 }; /* what pipes have */

struct child {
    struct oc_list link;
    pid_t supervisor; /* 0 once it is collected */
    pid_t program;
    int control_fd;
    int64_t born_ms;  /* the supervisor */
    bool is_reusable; /* it waits for another job when it is alone */
    bool is_released; /* forgotten by the caller; kept while the supervisor lives */
    bool was_asked_to_die;
    bool has_ended;
    struct os_supervisor_end end;
};

static struct oc_list children = { &children, &children }; /* child.link */

/* What a killed supervisor leaves to us is killed, and looked for again: it may have been faster
 * than the first look. */
enum {
    CLEAN_LOOKS = 8, /* in a row, before we believe that nothing is there */
    STRAY_LOOK_MS = 25,
    ORPHAN_LOOK_MS = 15000,
};
static int looks_left;

/* The ends of a new program's descriptors: ours and its own. */
struct plumbing {
    int in_write, out_read, err_read; /* ours */
    int in_read, out_write, err_write;
    int status_read, status_write, control_read, control_write, exec_read, exec_write;
    bool is_in_order;
};

static int process_unblock(int fd) {
    return fcntl(fd, F_SETFL, O_NONBLOCK) != 0 ? errno : 0;
}

static int open_null(struct plumbing *p) {
    p->in_read = os_fd_above(open("/dev/null", O_RDONLY | O_CLOEXEC));
    return p->in_read < 0 ? errno : 0;
}

/* A pipe with room for one page, of which every write takes a page of its own. Where that cannot be
 * had it is an ordinary one. */
static bool process_narrow(int write_fd) {
    return fcntl(write_fd, F_SETPIPE_SZ, 1) > 0 && fcntl(write_fd, F_SETFL, O_DIRECT) == 0;
}

static void process_widen(int fd) {
    fcntl(fd, F_SETPIPE_SZ, WIDE_PIPE); /* beyond what the user may have: it stays slow */
}

static int copy_input(int fd, struct plumbing *p) {
    p->in_read = fcntl(fd, F_DUPFD_CLOEXEC, OS_SUPERVISOR_FDS);
    return p->in_read < 0 ? errno : 0;
}

static int make_pipes(const struct os_spawn_opts *opts, struct plumbing *p) {
    int rc = os_pipe_above(&p->out_read, &p->out_write);
    rc = rc ? rc : os_pipe_above(&p->err_read, &p->err_write);
    p->is_in_order =
            !rc && opts->in_order && process_narrow(p->out_write) && process_narrow(p->err_write);
    if (opts->input_fd) {
        rc = rc ? rc : copy_input(*opts->input_fd, p);
    } else if (opts->wants_input) {
        rc = rc ? rc : os_pipe_above(&p->in_read, &p->in_write);
        rc = rc ? rc : process_unblock(p->in_write);
    } else {
        rc = rc ? rc : open_null(p);
    }
    rc = rc ? rc : process_unblock(p->out_read);
    return rc ? rc : process_unblock(p->err_read);
}

static void process_resize(int tty_fd, const struct os_tty_size *size) {
    struct winsize w = { .ws_row = size->rows, .ws_col = size->columns };
    ioctl(tty_fd, TIOCSWINSZ, &w); /* not a terminal (any more): nobody to tell */
}

static int make_tty(const struct os_tty_size *size, struct plumbing *p) {
    char name[64];
    p->out_read = os_fd_above(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (p->out_read < 0 || grantpt(p->out_read) != 0 || unlockpt(p->out_read) != 0 ||
            ptsname_r(p->out_read, name, sizeof(name)) != 0) {
        return errno ? errno : ENXIO;
    }
    p->in_write = fcntl(p->out_read, F_DUPFD_CLOEXEC, OS_SUPERVISOR_FDS);
    p->in_read = os_fd_above(open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
    p->out_write = fcntl(p->in_read, F_DUPFD_CLOEXEC, OS_SUPERVISOR_FDS);
    p->err_write = fcntl(p->in_read, F_DUPFD_CLOEXEC, OS_SUPERVISOR_FDS);
    if (p->in_write < 0 || p->in_read < 0 || p->out_write < 0 || p->err_write < 0) {
        return errno;
    }
    process_resize(p->out_read, size);
    return process_unblock(p->out_read);
}

static int process_lay(const struct os_spawn_opts *opts, struct plumbing *p) {
    int rc = opts->tty ? make_tty(opts->tty, p) : make_pipes(opts, p);
    return rc ? rc : os_pipe_above(&p->exec_read, &p->exec_write);
}

/* The lines between us and a supervisor that is yet to be forked. */
static int lay_lines(struct plumbing *p) {
    int rc = os_pipe_above(&p->status_read, &p->status_write);
    return rc ? rc : os_control_above(&p->control_write, &p->control_read);
}

static void close_theirs(struct plumbing *p) {
    int *all[] = { &p->in_read, &p->out_write, &p->err_write, &p->status_write, &p->control_read,
        &p->exec_write };
    for (size_t i = 0; i < OC_COUNT(all); i++) {
        oc_auto_close(all[i]);
        *all[i] = -1;
    }
}

static void close_all(struct plumbing *p) {
    close_theirs(p);
    int *all[] = { &p->in_write, &p->out_read, &p->err_read, &p->status_read, &p->control_write,
        &p->exec_read };
    for (size_t i = 0; i < OC_COUNT(all); i++) {
        oc_auto_close(all[i]);
    }
}

/* Reads a whole message; false when the supervisor ended instead. */
static bool process_hear(int fd, void *ret, size_t len) {
    ssize_t n;
    do {
        n = read(fd, ret, len);
    } while (n < 0 && errno == EINTR);
    return n == (ssize_t)len;
}

/* Hands the write end over to whoever reads the control socket first, and keeps none. */
static int send_exec_fd(struct plumbing *p) {
    int rc = oc_send_with_fds(p->control_write, "", 1, &p->exec_write, 1, 0) == 1 ? 0 : errno;
    oc_auto_close(&p->exec_write);
    p->exec_write = -1;
    return rc;
}

enum { NO_WORD = -1 }; /* the supervisor has ended, and never came to start anything */

/* Waits for the word on the start, which takes as long as posix_spawn would. The child speaks
 * before it becomes the program, so when it is known that it became it, its word is there: we need
 * not be woken twice. */
static int hear_start(struct plumbing *p, pid_t supervisor, struct child *c) {
    int errnum;
    bool is_failed = process_hear(p->exec_read, &errnum, sizeof(errnum));
    struct os_supervisor_start said;
    int rc = process_hear(p->status_read, &said, sizeof(said)) ? said.errnum : NO_WORD;
    if (!rc) {
        rc = is_failed ? errnum : process_unblock(p->status_read);
    }
    if (rc) {
        kill(supervisor, SIGKILL); /* the program dies with it */
        waitpid(supervisor, NULL, 0);
        return rc;
    }
    c->supervisor = supervisor;
    c->program = said.pid;
    return 0;
}

static int process_start(const struct os_spawn_opts *opts, struct child *c, struct plumbing *p) {
    int rc = lay_lines(p);
    rc = rc ? rc : send_exec_fd(p);
    if (rc) {
        return rc;
    }
    pid_t pid = os_supervisor_fork(&(struct os_supervised){
            .opts = opts,
            .in_fd = p->in_read,
            .out_fd = p->out_write,
            .err_fd = p->err_write,
            .status_fd = p->status_write,
            .control_fd = p->control_read,
    });
    if (pid < 0) {
        return errno;
    }
    close_theirs(p);
    rc = hear_start(p, pid, c);
    c->born_ms = os_spare_clock_ms();
    c->is_reusable = !opts->sandbox;
    return rc == NO_WORD ? EIO : rc;
}

/* The same with a supervisor that is there already. NO_WORD: it cannot be, and nothing was
 * started. */
static int start_by_spare(const struct os_spawn_opts *opts, struct child *c, struct plumbing *p) {
    static struct os_job job; /* core thread only; not worth 64 KiB of stack */
    struct os_spare spare;
    if (!os_job_write(opts, &job) || !os_spare_take(&spare)) {
        return NO_WORD;
    }
    p->status_read = spare.status_fd;
    p->control_write = spare.control_fd;
    kill(spare.pid, SIGCONT); /* a program of before may have stopped it */
    const int fds[OS_JOB_FDS] = { p->in_read, p->out_write, p->err_write };
    c->born_ms = spare.born_ms;
    c->is_reusable = true;
    if (os_job_send(p->control_write, &job, fds) == 0 && send_exec_fd(p) == 0) {
        return hear_start(p, spare.pid, c);
    }
    kill(spare.pid, SIGKILL);
    waitpid(spare.pid, NULL, 0);
    return NO_WORD;
}

/* The lines of a spare that came to nothing make room for those of another. */
static int lay_again(struct plumbing *p) {
    int *all[] = { &p->status_read, &p->control_write, &p->exec_read, &p->exec_write };
    for (size_t i = 0; i < OC_COUNT(all); i++) {
        oc_auto_close(all[i]);
        *all[i] = -1;
    }
    return os_pipe_above(&p->exec_read, &p->exec_write);
}

static int start_somehow(const struct os_spawn_opts *opts, struct child *c, struct plumbing *p) {
    int rc = start_by_spare(opts, c, p);
    if (rc != NO_WORD) {
        close_theirs(p);
        return rc;
    }
    if (p->control_write >= 0) {
        rc = lay_again(p);
        if (rc) {
            return rc;
        }
    }
    return process_start(opts, c, p);
}

static enum oc_code process_failed(
        const struct os_spawn_opts *opts, int errnum, int *ret_errno, struct oc_error *err) {
    const char *step = os_sandbox_failure(&errnum);
    *ret_errno = errnum;
    if (step) {
        return oc_fail(err, OC_E_UNSUPPORTED, "%s: %s", step, strerror(errnum));
    }
    return oc_fail(err, OC_E_IO, "start '%s': %s", opts->path, strerror(errnum));
}

static enum oc_code spawn_child(const struct os_spawn_opts *opts, struct os_child *ret,
        int *ret_errno, struct oc_error *err) {
    struct plumbing p = { -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, false };
    OC_AUTO_FREE struct child *c = oc_new(struct child);
    int rc = process_lay(opts, &p);
    rc = rc ? rc : start_somehow(opts, c, &p);
    if (rc) {
        close_all(&p);
        return process_failed(opts, rc, ret_errno, err);
    }
    c->control_fd = p.control_write;
    oc_auto_close(&p.exec_read);
    oc_list_init(&c->link);
    oc_list_append(&children, &c->link);
    *ret = (struct os_child){
        .pid = c->program,
        .exit_fd = p.status_read,
        .out_fd = p.out_read,
        .err_fd = p.err_read,
        .in_fd = p.in_write,
        .is_in_order = p.is_in_order,
    };
    ret->impl = oc_take(&c);
    return OC_OK;
}

static void process_forget(struct child *c) {
    oc_list_remove(&c->link);
    oc_auto_close(&c->control_fd);
    oc_free(c);
}

/* All our children are supervisors, one of them perhaps without a program. What else is there was
 * left to us by one that somebody killed. */
static bool kill_strays(void) {
    size_t count = 0;
    struct child *c;
    oc_list_for_each(c, &children, link) {
        count++;
    }
    OC_AUTO_FREE pid_t *supervisors = oc_new_array(pid_t, count + 1);
    supervisors[0] = os_spare_pid();
    count = 1;
    oc_list_for_each(c, &children, link) {
        supervisors[count++] = c->supervisor;
    }
    return os_tree_kill(getpid(), supervisors, count);
}

/* The supervisor is collected. A caller may still hold the child. */
static void supervisor_ended(struct child *c, int wait_status) {
    c->supervisor = 0;
    if (c->is_released) {
        process_forget(c);
    }
    if (WIFSIGNALED(wait_status)) {
        looks_left = CLEAN_LOOKS;
        kill_strays();
    }
}

/* False while it lives, unless we wait. */
static bool process_collect(struct child *c, int flags) {
    int status = 0;
    pid_t got = 0;
    while (c->supervisor && (got = waitpid(c->supervisor, &status, flags)) < 0 && errno == EINTR) {
    }
    if (c->supervisor && got == 0) {
        return false;
    }
    supervisor_ended(c, status);
    return true;
}

static bool process_reap(struct os_child *child, struct os_child_exit *ret) {
    struct child *c = child->impl;
    if (!c->has_ended) {
        ssize_t n;
        do {
            n = read(child->exit_fd, &c->end, sizeof(c->end));
        } while (n < 0 && errno == EINTR);
        if (n < 0 && errno == EAGAIN) {
            return false;
        }
        c->has_ended = true;
        if (n != sizeof(c->end)) {
            /* Somebody killed the supervisor. Its descriptors close before its children are handed
             * to us, so it is waited for. */
            c->end = (struct os_supervisor_end){ .wait_status = SIGKILL, .is_alone = true };
            process_collect(c, 0);
        }
    }
    int status = c->end.wait_status;
    ret->by_signal = WIFSIGNALED(status);
    ret->status = ret->by_signal ? WTERMSIG(status) : WEXITSTATUS(status);
    ret->is_alone = c->end.is_alone;
    ret->over = (enum os_limit)c->end.over;
    return true;
}

/* The supervisor ends when it has no child left. If it was killed, its children are ours by the
 * time it is collected. */
static bool is_gone(struct os_child *child) {
    struct child *c = child->impl;
    char more;
    ssize_t n;
    do {
        n = read(child->exit_fd, &more, 1);
    } while (n < 0 && errno == EINTR);
    if (c->supervisor && n < 0 && errno == EAGAIN) {
        return false;
    }
    if (c->supervisor) {
        process_collect(c, 0);
    }
    return true;
}

static void kill_tree(struct os_child *child) {
    struct child *c = child->impl;
    if (c->supervisor == 0) {
        return;
    }
    if (!c->was_asked_to_die) {
        c->was_asked_to_die = true;
        kill(c->supervisor, SIGCONT); /* the program may have stopped it */
        if (send(c->control_fd, "k", 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1) {
            return;
        }
    }
    os_tree_kill(c->supervisor, NULL, 0);
    kill(c->supervisor, SIGKILL);
}

/* A supervisor that was asked to kill may hear of it only now, and takes it for a job that it does
 * not understand. */
static bool keep_supervisor(struct child *c, int *status_fd) {
    struct os_spare spare = { .pid = c->supervisor,
        .status_fd = *status_fd,
        .control_fd = c->control_fd,
        .born_ms = c->born_ms };
    if (!c->is_reusable || !c->supervisor || !c->has_ended || !c->end.is_alone ||
            c->was_asked_to_die || !os_spare_put(&spare)) {
        return false;
    }
    c->supervisor = 0;
    c->control_fd = -1;
    *status_fd = -1;
    return true;
}

static void release_process(struct os_child *child) {
    struct child *c = child->impl;
    if (!c) {
        return;
    }
    if (!keep_supervisor(c, &child->exit_fd) && c->has_ended && c->end.is_alone) {
        oc_auto_close(&c->control_fd); /* it waits for another job in vain */
        c->control_fd = -1;
    }
    oc_auto_close(&child->exit_fd);
    oc_auto_close(&child->out_fd);
    oc_auto_close(&child->err_fd);
    oc_auto_close(&child->in_fd);
    *child = (struct os_child){ .exit_fd = -1, .out_fd = -1, .err_fd = -1, .in_fd = -1 };
    c->is_released = true;
    process_collect(c, WNOHANG);
}

static struct child *process_find(pid_t supervisor) {
    struct child *c;
    oc_list_for_each(c, &children, link) {
        if (c->supervisor == supervisor) {
            return c;
        }
    }
    return NULL;
}

/* Supervisors outlive their program as long as something it left behind runs. False: no child is
 * left. */
static bool collect_all(void) {
    for (;;) {
        int status;
        pid_t got = waitpid(-1, &status, WNOHANG);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got == 0;
        }
        struct child *c = process_find(got);
        if (got == os_spare_pid()) {
            os_spare_forget();
        } else if (c) {
            supervisor_ended(c, status);
        }
    }
}

static int reap_orphans(void) {
    bool has_children = collect_all();
    if (os_spare_pid() && oc_list_empty(&children) && looks_left == 0) {
        return 0; /* only the spare, which needs nobody to look after it */
    }
    if (!has_children) {
        looks_left = 0;
        return 0;
    }
    if (looks_left > 0) {
        looks_left = kill_strays() ? CLEAN_LOOKS : looks_left - 1;
    }
    return looks_left > 0 ? STRAY_LOOK_MS : ORPHAN_LOOK_MS;
}

const struct os_exec_ops os_linux_exec = {
    .spawn = spawn_child,
    .reap = process_reap,
    .is_gone = is_gone,
    .kill_tree = kill_tree,
    .release = release_process,
    .reap_orphans = reap_orphans,
    .resize = process_resize,
    .widen = process_widen,
    .drop_spare = os_spare_drop,
};
