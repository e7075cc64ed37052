#include "node/process/process_impl.h"

#include "lib/base/mem.h"
#include "node/process/leftovers.h"
#include "node/process/spare.h"

#include <errno.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    LINGER_MS = 250,  /* after the end: for the last output, and for what is about to end too */
    INSIST_MS = 1000, /* a killed tree that is still there is killed again, with more force */
    MAX_LINGERS = 40, /* with a reader who does read: what is left must be taking the output away */
};

/* Frees all but the result's owner's view of it. */
static void process_release(struct nd_process *p) {
    oc_io_remove(&p->exit_io);
    struct oc_io *pipes[] = { &p->out_io, &p->err_io };
    for (size_t i = 0; i < OC_COUNT(pipes); i++) {
        if (pipes[i]->fd >= 0) {
            oc_io_remove(pipes[i]);
            close(pipes[i]->fd);
        }
    }
    oc_timer_cancel(&p->time_limit);
    oc_timer_cancel(&p->linger);
    oc_timer_cancel(&p->insist);
    oc_defer_cancel(&p->turns.catch_up);
    nd_process_close_input(p);
    oc_buf_finish(&p->input);
    p->ops->release(&p->child);
    nd_spare_used(p->loop, p->ops);
    oc_buf_finish(&p->result.out);
    oc_buf_finish(&p->result.err);
    oc_free(p);
}

static void process_finish(struct nd_process *p) {
    struct oc_io *pipes[] = { &p->out_io, &p->err_io };
    for (size_t i = 0; i < OC_COUNT(pipes); i++) {
        if (pipes[i]->fd >= 0) {
            oc_io_remove(pipes[i]);
            nd_leftover_drain(p->loop, pipes[i]->fd);
            pipes[i]->fd = -1;
        }
    }
    if (p->has_stayed) {
        p->gone(p->user);
    } else {
        p->done(p->user, &p->result);
    }
    struct oc_loop *loop = p->loop;
    const struct os_exec_ops *ops = p->ops;
    process_release(p);
    nd_orphans_check(loop, ops);
}

/* The program has ended; what it left behind goes on, and its output with it. */
static void process_stay(struct nd_process *p) {
    p->has_stayed = true;
    p->result.left_behind = true;
    p->done(p->user, &p->result);
    oc_buf_finish(&p->result.out);
    oc_buf_finish(&p->result.err);
}

static bool is_over(const struct nd_process *p) {
    return p->is_gone && p->out_io.fd < 0 && p->err_io.fd < 0;
}

void nd_process_check_over(struct nd_process *p) {
    if (is_over(p)) {
        process_finish(p);
    }
}

static size_t in_pipe(const struct oc_io *io) {
    int bytes = 0;
    return io->fd >= 0 && ioctl(io->fd, FIONREAD, &bytes) == 0 && bytes > 0 ? (size_t)bytes : 0;
}

/* Once: asking again is more force, and that is for those who do not hear. */
static void kill_left(struct nd_process *p) {
    if (p->result.cleaned_up) {
        return;
    }
    p->result.cleaned_up = true;
    p->ops->kill_tree(&p->child);
    oc_timer_set(p->loop, &p->insist, INSIST_MS);
}

/* There is output of the program's own that somebody still reads. What it left behind can read it
 * too, from the other end of the same pipe: that is not owed any more. If it puts back what it
 * takes this would never end. */
static bool is_worth_waiting(struct nd_process *p) {
    size_t left = in_pipe(&p->out_io) + in_pipe(&p->err_io);
    p->owed = left < p->owed ? left : p->owed;
    if (p->is_hurried || !(p->is_paused || (p->on_bytes && p->owed > 0))) {
        return false;
    }
    p->lingers += !p->is_paused;
    if (p->lingers < MAX_LINGERS || p->is_gone) {
        return true;
    }
    if (p->gone) {
        return false;
    }
    kill_left(p); /* the output is read all the same */
    return true;
}

static void on_linger(struct oc_timer *t) {
    struct nd_process *p = t->user;
    if (is_worth_waiting(p)) {
        oc_timer_set(p->loop, &p->linger, LINGER_MS); /* its output comes a piece at a time */
        return;
    }
    p->has_lingered = true;
    nd_process_drain(p);
    if (p->is_gone) {
        process_finish(p);
    } else if (p->gone) {
        process_stay(p);
    } else {
        kill_left(p);
    }
}

/* Nothing is left, unless it was a false alarm. What those it left behind have written last may be
 * in the pipes. */
static void on_tree_ended(struct nd_process *p) {
    if (!p->ops->is_gone(&p->child)) {
        return;
    }
    p->is_gone = true;
    oc_io_remove(&p->exit_io);
    oc_timer_cancel(&p->insist);
    nd_orphans_check(p->loop, p->ops); /* not only when the reader is done */
    nd_process_drain(p);
    if (is_over(p) || p->has_lingered) {
        process_finish(p);
    }
}

static void on_exit_ready(struct oc_io *io, unsigned events) {
    (void)events;
    struct nd_process *p = io->user;
    if (p->has_ended) {
        on_tree_ended(p);
        return;
    }
    if (!p->ops->reap(&p->child, &p->result.end)) {
        return;
    }
    p->has_ended = true;
    p->is_gone = p->result.end.is_alone;
    if (p->is_gone) {
        oc_io_remove(&p->exit_io);
        nd_orphans_check(p->loop, p->ops);
    }
    oc_timer_cancel(&p->insist);
    nd_process_close_input(p);
    p->owed = in_pipe(&p->out_io) + in_pipe(&p->err_io);
    nd_process_drain(p);
    if (is_over(p)) {
        process_finish(p);
        return;
    }
    oc_timer_set(p->loop, &p->linger, LINGER_MS);
}

/* It holds for what the program left behind too, unless that may stay. A slow reader gets the
 * output all the same. */
static void on_time_limit(struct oc_timer *t) {
    struct nd_process *p = t->user;
    if (!p->has_ended) {
        nd_process_kill(p, true);
    } else if (!p->is_gone && !p->gone) {
        kill_left(p);
    }
}

/* The program has ended, but its reader is slow, or what it left behind is given a moment: neither
 * is waited for any more. The end is reported from the loop, since the reader may be who calls. */
static void process_hurry(struct nd_process *p, bool is_timeout) {
    p->is_hurried = true;
    if (!is_timeout) {
        p->gone = NULL; /* what may stay is not what had so much time */
    }
    if (!p->is_gone && !p->gone) {
        kill_left(p);
    }
    if (!p->has_lingered) {
        oc_timer_set(p->loop, &p->linger, 0);
    }
}

void nd_process_kill(struct nd_process *p, bool is_timeout) {
    if (p->has_ended && !p->has_stayed) {
        process_hurry(p, is_timeout);
        return;
    }
    if (!p->has_stayed && !p->result.was_killed) {
        p->result.was_killed = true;
        p->result.timed_out = is_timeout;
    }
    p->ops->kill_tree(&p->child);
    oc_timer_set(p->loop, &p->insist, INSIST_MS);
}

static void on_insist(struct oc_timer *t) {
    struct nd_process *p = t->user;
    p->ops->kill_tree(&p->child);
    oc_timer_set(p->loop, &p->insist, INSIST_MS);
}

void nd_process_keep_left(struct nd_process *p, nd_process_gone *gone) {
    p->gone = gone;
}

pid_t nd_process_pid(const struct nd_process *p) {
    return p->child.pid;
}

static enum oc_code process_watch(struct nd_process *p, struct oc_error *err) {
    enum oc_code rc = oc_io_add(p->loop, &p->exit_io, err);
    if (rc == OC_OK && p->in_io.fd >= 0) {
        rc = oc_io_add(p->loop, &p->in_io, err);
    }
    return rc == OC_OK ? nd_process_watch_output(p, err) : rc;
}

enum oc_code nd_process_start(struct oc_loop *loop, const struct os_exec_ops *ops,
        const struct os_spawn_opts *opts, int64_t timeout_ms, nd_process_done *done, void *user,
        struct nd_process **ret, int *ret_errno, struct oc_error *err) {
    struct os_child child;
    enum oc_code rc = ops->spawn(opts, &child, ret_errno, err);
    if (rc != OC_OK) {
        return rc;
    }
    struct nd_process *p = oc_new(struct nd_process);
    p->loop = loop;
    p->ops = ops;
    p->child = child;
    p->done = done;
    p->user = user;
    p->result.out = p->result.err = OC_BUF_INIT(ND_MAX_OUTPUT_BYTES);
    p->exit_io = (struct oc_io){
        .fd = child.exit_fd, .events = OC_IO_READ, .on_ready = on_exit_ready, .user = p
    };
    nd_process_init_output(p, &p->child);
    p->in_io = (struct oc_io){
        .fd = oc_take_fd(&p->child.in_fd), .on_ready = nd_process_on_input, .user = p
    };
    p->is_tty = opts->tty != NULL;
    p->outlives = opts->outlives;
    p->input = OC_BUF_INIT(ND_MAX_INPUT_BYTES);
    p->insist = (struct oc_timer){ .on_expire = on_insist, .user = p };
    p->time_limit = (struct oc_timer){ .on_expire = on_time_limit, .user = p };
    p->linger = (struct oc_timer){ .on_expire = on_linger, .user = p };
    rc = process_watch(p, err);
    if (rc != OC_OK) {
        *ret_errno = ENOMEM;
        nd_process_destroy(p);
        return rc;
    }
    if (timeout_ms > 0) {
        oc_timer_set(loop, &p->time_limit, timeout_ms);
    }
    *ret = p;
    return OC_OK;
}

void nd_process_destroy(struct nd_process *p) {
    if (!p) {
        return;
    }
    struct oc_loop *loop = p->loop;
    const struct os_exec_ops *ops = p->ops;
    bool is_killed = !p->has_ended || (!p->is_gone && !p->outlives);
    if (is_killed) {
        ops->kill_tree(&p->child);
    }
    process_release(p);
    if (is_killed) {
        nd_orphans_expect(loop, ops);
    }
}

const char *nd_errno_name(int errnum, char ret[24]) {
    static const struct {
        int number;
        const char *name;
    } names[] = {
        { E2BIG, "E2BIG" },
        { EACCES, "EACCES" },
        { EAGAIN, "EAGAIN" },
        { EINVAL, "EINVAL" },
        { EIO, "EIO" },
        { EISDIR, "EISDIR" },
        { ELOOP, "ELOOP" },
        { EMFILE, "EMFILE" },
        { ENAMETOOLONG, "ENAMETOOLONG" },
        { ENFILE, "ENFILE" },
        { ENODEV, "ENODEV" },
        { ENOENT, "ENOENT" },
        { ENOEXEC, "ENOEXEC" },
        { ENOMEM, "ENOMEM" },
        { ENOTDIR, "ENOTDIR" },
        { ENXIO, "ENXIO" },
        { EPERM, "EPERM" },
        { ETXTBSY, "ETXTBSY" },
#ifdef ELIBBAD
        { ELIBBAD, "ELIBBAD" },
#endif
    };
    for (size_t i = 0; i < OC_COUNT(names); i++) {
        if (names[i].number == errnum) {
            return names[i].name;
        }
    }
    snprintf(ret, 24, "errno %d", errnum);
    return ret;
}
