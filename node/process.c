#include "node/process.h"

#include "base/list.h"
#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    LINGER_MS = 250,    /* for the last output after the end */
    INSIST_MS = 1000,   /* a killed tree that is still there is killed again, with more force */
    END_OF_FILE = 4,    /* as terminals are set up: Ctrl-D */
    MAX_LEFTOVERS = 64, /* pipes that are only drained */
    ORPHAN_CHECK_MS = 15000,
    READ_BYTES = 65536,
    READS_PER_ROUND = 16, /* so that one talkative program does not starve the rest */
};

struct oc_process {
    struct oc_loop *loop;
    const struct oc_exec_ops *ops;
    struct oc_child child;
    struct oc_io exit_io, out_io, err_io, in_io;
    struct oc_timer time_limit, linger, insist;
    struct oc_process_result result;
    bool has_ended, is_paused, is_tty;
    struct oc_buf input; /* not yet taken by the program */
    bool input_ends;     /* behind that */
    size_t owed;         /* bytes in the pipes when the program ended: those are its own */
    oc_process_output *on_bytes;
    void *bytes_user;
    oc_process_done *done;
    void *user;
};

/* A pipe whose program is gone. */
struct leftover {
    struct oc_list link;
    struct oc_io io;
};
static struct oc_list leftovers = { &leftovers, &leftovers }; /* leftover.link, oldest first */
static size_t leftover_count;

/* Orphans are collected when a program ends and, as long as there are any, now and then. One per
 * process, since the operating system's view of children is per process. */
static struct {
    struct oc_timer timer;
    const struct oc_exec_ops *ops;
} orphans;

static void check_orphans(struct oc_loop *loop, const struct oc_exec_ops *ops);

static void on_orphan_timer(struct oc_timer *t) {
    check_orphans(t->user, orphans.ops);
}

static void check_orphans(struct oc_loop *loop, const struct oc_exec_ops *ops) {
    bool is_set_elsewhere = orphans.timer.loop && orphans.timer.loop != loop;
    if (!ops->reap_orphans() || is_set_elsewhere) {
        return;
    }
    orphans.ops = ops;
    orphans.timer.on_expire = on_orphan_timer;
    orphans.timer.user = loop;
    oc_timer_set(loop, &orphans.timer, ORPHAN_CHECK_MS);
}

static void leftover_destroy(struct leftover *l) {
    oc_io_remove(&l->io);
    close(l->io.fd);
    oc_list_remove(&l->link);
    leftover_count--;
    oc_free(l);
}

static char *scratch(void) {
    static char bytes[READ_BYTES]; /* core thread only; not worth 64 KiB of stack */
    return bytes;
}

static void on_leftover_ready(struct oc_io *io, unsigned events) {
    (void)events;
    for (int i = 0; i < READS_PER_ROUND; i++) {
        ssize_t n = read(io->fd, scratch(), READ_BYTES);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
            return;
        }
        if (n <= 0) {
            leftover_destroy(io->user);
            return;
        }
    }
}

/* Takes over a pipe of a finished program. */
static void keep_draining(struct oc_loop *loop, int fd) {
    if (leftover_count >= MAX_LEFTOVERS) {
        leftover_destroy(oc_list_first(&leftovers, struct leftover, link));
    }
    struct leftover *l = oc_new(struct leftover);
    l->io = (struct oc_io){
        .fd = fd, .events = OC_IO_READ, .on_ready = on_leftover_ready, .user = l
    };
    oc_list_init(&l->link);
    oc_list_append(&leftovers, &l->link);
    leftover_count++;
    struct oc_error err;
    if (oc_io_add(loop, &l->io, &err) != OC_OK) {
        leftover_destroy(l);
    }
}

void oc_process_drop_leftovers(struct oc_loop *loop) {
    struct leftover *l, *tmp;
    oc_list_for_each_safe(l, tmp, &leftovers, link) {
        if (l->io.loop == loop) {
            leftover_destroy(l);
        }
    }
    if (orphans.timer.loop == loop) {
        oc_timer_cancel(&orphans.timer);
    }
}

static void close_input(struct oc_process *p) {
    if (p->in_io.fd >= 0) {
        oc_io_remove(&p->in_io);
        close(p->in_io.fd);
        p->in_io.fd = -1;
    }
}

/* Frees all but the result's owner's view of it. */
static void release(struct oc_process *p) {
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
    close_input(p);
    oc_buf_finish(&p->input);
    p->ops->release(&p->child);
    oc_buf_finish(&p->result.out);
    oc_buf_finish(&p->result.err);
    oc_free(p);
}

static void close_pipe(struct oc_io *io) {
    oc_io_remove(io);
    close(io->fd);
    io->fd = -1;
}

static void finish(struct oc_process *p) {
    struct oc_io *pipes[] = { &p->out_io, &p->err_io };
    for (size_t i = 0; i < OC_COUNT(pipes); i++) {
        if (pipes[i]->fd >= 0) {
            oc_io_remove(pipes[i]);
            keep_draining(p->loop, pipes[i]->fd);
            pipes[i]->fd = -1;
        }
    }
    p->done(p->user, &p->result);
    struct oc_loop *loop = p->loop;
    const struct oc_exec_ops *ops = p->ops;
    release(p);
    check_orphans(loop, ops);
}

/* Keeps what fits under the common ceiling; the rest is read and dropped, or the program would
 * block on a full pipe. */
static void keep(struct oc_process *p, struct oc_buf *to, const char *bytes, size_t len) {
    p->result.bytes += len;
    p->owed -= len < p->owed ? len : p->owed;
    size_t room = OC_MAX_OUTPUT_BYTES - p->result.out.len - p->result.err.len;
    if (len > room) {
        p->result.is_truncated = true;
        len = room;
    }
    oc_buf_append(to, bytes, len);
}

/* Reads what is there, up to a fair share. The pipe is closed at its end. Somebody who looks on gets one piece at a time,
 * or the order of the two streams would be lost. */
static void drain(struct oc_process *p, struct oc_io *io) {
    struct oc_buf *to = io == &p->out_io ? &p->result.out : &p->result.err;
    int reads = p->on_bytes ? 1 : READS_PER_ROUND;
    for (int i = 0; io->fd >= 0 && !p->is_paused && i < reads; i++) {
        ssize_t n = read(io->fd, scratch(), READ_BYTES);
        if (n > 0) {
            keep(p, to, scratch(), (size_t)n);
            if (p->on_bytes) {
                p->on_bytes(p->bytes_user, io == &p->err_io, scratch(), (size_t)n);
            }
        } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
            close_pipe(io);
        } else if (errno == EAGAIN) {
            return;
        }
    }
}

static bool is_over(const struct oc_process *p) {
    return p->has_ended && p->out_io.fd < 0 && p->err_io.fd < 0;
}

static void on_output(struct oc_io *io, unsigned events) {
    (void)events;
    struct oc_process *p = io->user;
    drain(p, io);
    if (is_over(p)) {
        finish(p);
    }
}

static void on_linger(struct oc_timer *t) {
    struct oc_process *p = t->user;
    if (p->is_paused || (p->on_bytes && p->owed > 0)) {
        oc_timer_set(p->loop, &p->linger, LINGER_MS); /* on_output is at it, a piece at a time */
        return;
    }
    drain(p, &p->out_io);
    drain(p, &p->err_io);
    finish(p);
}

static size_t in_pipe(const struct oc_io *io) {
    int bytes = 0;
    return io->fd >= 0 && ioctl(io->fd, FIONREAD, &bytes) == 0 && bytes > 0 ? (size_t)bytes : 0;
}

static void on_exit_ready(struct oc_io *io, unsigned events) {
    (void)events;
    struct oc_process *p = io->user;
    if (!p->ops->reap(&p->child, &p->result.end)) {
        return;
    }
    p->has_ended = true;
    oc_io_remove(&p->exit_io);
    oc_timer_cancel(&p->time_limit);
    oc_timer_cancel(&p->insist);
    close_input(p);
    p->owed = in_pipe(&p->out_io) + in_pipe(&p->err_io);
    drain(p, &p->out_io);
    drain(p, &p->err_io);
    if (is_over(p)) {
        finish(p);
        return;
    }
    oc_timer_set(p->loop, &p->linger, LINGER_MS);
}

static void on_time_limit(struct oc_timer *t) {
    oc_process_kill(t->user, true);
}

void oc_process_kill(struct oc_process *p, bool is_timeout) {
    if (p->has_ended) {
        return; /* the result is as good as sent */
    }
    if (!p->result.was_killed) {
        p->result.was_killed = true;
        p->result.timed_out = is_timeout;
    }
    p->ops->kill_tree(&p->child);
    oc_timer_set(p->loop, &p->insist, INSIST_MS);
}

static void on_insist(struct oc_timer *t) {
    struct oc_process *p = t->user;
    p->ops->kill_tree(&p->child);
    oc_timer_set(p->loop, &p->insist, INSIST_MS);
}

void oc_process_set_output(struct oc_process *p, oc_process_output *fn, void *user) {
    p->on_bytes = fn;
    p->bytes_user = user;
}

void oc_process_pause(struct oc_process *p) {
    p->is_paused = true;
    oc_io_remove(&p->out_io);
    oc_io_remove(&p->err_io);
}

static enum oc_code watch_output(struct oc_process *p, struct oc_error *err) {
    enum oc_code rc = p->out_io.fd >= 0 ? oc_io_add(p->loop, &p->out_io, err) : OC_OK;
    return rc == OC_OK && p->err_io.fd >= 0 ? oc_io_add(p->loop, &p->err_io, err) : rc;
}

void oc_process_resume(struct oc_process *p) {
    if (!p->is_paused) {
        return;
    }
    p->is_paused = false;
    struct oc_error err;
    if (watch_output(p, &err) != OC_OK) { /* out of memory in the kernel: at least it ends */
        oc_process_kill(p, false);
    }
}

/* Writes what the program takes, and waits for it to take more. */
static void push_input(struct oc_process *p) {
    while (p->input.len > 0) {
        ssize_t n = write(p->in_io.fd, p->input.data, p->input.len);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0 && errno != EAGAIN) {
            close_input(p); /* it closed its stdin */
            return;
        }
        if (n < 0) {
            oc_io_set_events(&p->in_io, OC_IO_WRITE);
            return;
        }
        oc_buf_consume(&p->input, (size_t)n);
    }
    oc_io_set_events(&p->in_io, 0);
    if (p->input_ends && !p->is_tty) {
        close_input(p);
    }
}

static void on_input_ready(struct oc_io *io, unsigned events) {
    (void)events;
    struct oc_process *p = io->user;
    if (p->input.len == 0) {
        close_input(p); /* nothing was wanted: the other end is gone */
        return;
    }
    push_input(p);
}

size_t oc_process_write(struct oc_process *p, const char *bytes, size_t len) {
    if (!oc_process_has_input(p)) {
        return 0;
    }
    size_t room = OC_MAX_INPUT_BYTES - p->input.len;
    len = len < room ? len : room;
    oc_buf_append(&p->input, bytes, len);
    push_input(p);
    return len;
}

void oc_process_end_input(struct oc_process *p) {
    if (!oc_process_has_input(p)) {
        return;
    }
    if (p->is_tty) {
        char eof = END_OF_FILE;
        oc_process_write(p, &eof, 1);
        return;
    }
    p->input_ends = true;
    push_input(p);
}

bool oc_process_has_input(const struct oc_process *p) {
    return p->in_io.fd >= 0 && !p->input_ends;
}

void oc_process_resize(struct oc_process *p, const struct oc_tty_size *size) {
    if (p->is_tty && p->in_io.fd >= 0) {
        p->ops->resize(p->in_io.fd, size);
    }
}

pid_t oc_process_pid(const struct oc_process *p) {
    return p->child.pid;
}

static enum oc_code watch(struct oc_process *p, struct oc_error *err) {
    enum oc_code rc = oc_io_add(p->loop, &p->exit_io, err);
    if (rc == OC_OK && p->in_io.fd >= 0) {
        rc = oc_io_add(p->loop, &p->in_io, err);
    }
    return rc == OC_OK ? watch_output(p, err) : rc;
}

enum oc_code oc_process_start(struct oc_loop *loop, const struct oc_exec_ops *ops,
        const struct oc_spawn_opts *opts, int64_t timeout_ms, oc_process_done *done, void *user,
        struct oc_process **ret, int *ret_errno, struct oc_error *err) {
    struct oc_child child;
    enum oc_code rc = ops->spawn(opts, &child, ret_errno, err);
    if (rc != OC_OK) {
        return rc;
    }
    struct oc_process *p = oc_new(struct oc_process);
    p->loop = loop;
    p->ops = ops;
    p->child = child;
    p->done = done;
    p->user = user;
    p->result.out = p->result.err = OC_BUF_INIT(OC_MAX_OUTPUT_BYTES);
    p->exit_io = (struct oc_io){
        .fd = child.exit_fd, .events = OC_IO_READ, .on_ready = on_exit_ready, .user = p
    };
    p->out_io = (struct oc_io){ .events = OC_IO_READ, .on_ready = on_output, .user = p };
    p->err_io = p->out_io;
    p->out_io.fd = oc_take_fd(&p->child.out_fd);
    p->err_io.fd = oc_take_fd(&p->child.err_fd);
    p->in_io = (struct oc_io){
        .fd = oc_take_fd(&p->child.in_fd), .on_ready = on_input_ready, .user = p
    };
    p->is_tty = opts->tty != NULL;
    p->input = OC_BUF_INIT(OC_MAX_INPUT_BYTES);
    p->insist = (struct oc_timer){ .on_expire = on_insist, .user = p };
    p->time_limit = (struct oc_timer){ .on_expire = on_time_limit, .user = p };
    p->linger = (struct oc_timer){ .on_expire = on_linger, .user = p };
    rc = watch(p, err);
    if (rc != OC_OK) {
        *ret_errno = ENOMEM;
        oc_process_destroy(p);
        return rc;
    }
    if (timeout_ms > 0) {
        oc_timer_set(loop, &p->time_limit, timeout_ms);
    }
    *ret = p;
    return OC_OK;
}

void oc_process_destroy(struct oc_process *p) {
    if (!p) {
        return;
    }
    if (!p->has_ended) {
        p->ops->kill_tree(&p->child);
    }
    release(p);
}

const char *oc_errno_name(int errnum, char ret[24]) {
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
