#include "node/process.h"

#include "base/list.h"
#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum {
    LINGER_MS = 250,    /* for the last output after the end */
    MAX_LEFTOVERS = 64, /* pipes that are only drained */
    ORPHAN_CHECK_MS = 15000,
    READ_BYTES = 65536,
    READS_PER_ROUND = 16, /* so that one talkative program does not starve the rest */
};

struct oc_process {
    struct oc_loop *loop;
    const struct oc_exec_ops *ops;
    struct oc_child child;
    struct oc_io exit_io, out_io, err_io;
    struct oc_timer time_limit, linger;
    struct oc_process_result result;
    bool has_ended;
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
    size_t room = OC_MAX_OUTPUT_BYTES - p->result.out.len - p->result.err.len;
    if (len > room) {
        p->result.is_truncated = true;
        len = room;
    }
    oc_buf_append(to, bytes, len);
}

/* Reads what is there, up to a fair share. The pipe is closed at its end. */
static void drain(struct oc_process *p, struct oc_io *io) {
    struct oc_buf *to = io == &p->out_io ? &p->result.out : &p->result.err;
    for (int i = 0; io->fd >= 0 && i < READS_PER_ROUND; i++) {
        ssize_t n = read(io->fd, scratch(), READ_BYTES);
        if (n > 0) {
            keep(p, to, scratch(), (size_t)n);
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
    drain(p, &p->out_io);
    drain(p, &p->err_io);
    finish(p);
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
}

static enum oc_code watch(struct oc_process *p, struct oc_error *err) {
    enum oc_code rc = oc_io_add(p->loop, &p->exit_io, err);
    if (rc == OC_OK) {
        rc = oc_io_add(p->loop, &p->out_io, err);
    }
    return rc == OC_OK ? oc_io_add(p->loop, &p->err_io, err) : rc;
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
