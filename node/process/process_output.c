/* What a program writes, and in which order.
 *
 * Two pipes do not say which of them was written to first. So a program that somebody watches gets
 * pipes that hold one write each (os_child.is_in_order): its next one waits until we have read the
 * last, and the loop, asked for edges, names the two in the order in which they were filled. Every
 * edge is one turn, and is read once. A pause only puts turns off, it does not mix them up: they
 * wait in line.
 *
 * Waiting after every page is slow. Where one stream alone has brought a lot there is no order to
 * lose; it gets an ordinary pipe and is read like one. What comes on the other stream after that
 * may be out of place by what fits in it. */
#include "node/process/process_impl.h"

#include "lib/base/mem.h"

#include <errno.h>
#include <unistd.h>

enum {
    READ_BYTES = 65536,
    MIN_READ =
            4096, /* the largest single write in such a pipe; a shorter read would lose its rest */
    READS_PER_ROUND = 16, /* so that one talkative program does not starve the rest */
    FLOOD_BYTES = 65536,  /* from one stream, and none from the other */
};

static char scratch[READ_BYTES]; /* core thread only; not worth 64 KiB of stack */

/* Keeps what fits under the common ceiling; the rest is read and dropped, or the program would
 * block on a full pipe. */
static void process_output_keep(
        struct nd_process *p, struct oc_buf *to, const char *bytes, size_t len) {
    if (p->has_stayed) {
        return;
    }
    p->result.bytes += len;
    p->result.err_bytes += to == &p->result.err ? len : 0;
    p->owed -= len < p->owed ? len : p->owed;
    size_t room = ND_MAX_OUTPUT_BYTES - p->result.out.len - p->result.err.len;
    if (len > room) {
        p->result.is_truncated = true;
        len = room;
    }
    oc_buf_append(to, bytes, len);
}

static void close_pipe(struct oc_io *io) {
    oc_io_remove(io);
    close(io->fd);
    io->fd = -1;
}

/* Into scratch; 0: nothing there, or closed now. */
static size_t read_some(struct oc_io *io, size_t at) {
    ssize_t n;
    do {
        n = read(io->fd, scratch + at, READ_BYTES - at);
    } while (n < 0 && errno == EINTR);
    if (n == 0 || (n < 0 && errno != EAGAIN)) {
        close_pipe(io);
    }
    return n > 0 ? (size_t)n : 0;
}

static bool is_edge(const struct oc_io *io) {
    return io->events & OC_IO_EDGE;
}

/* One piece. A pipe that once held single writes still gives them out one by one: those are put
 * together. */
static size_t drain_piece(struct nd_process *p, struct oc_io *io) {
    size_t n = read_some(io, 0), more = n;
    while (more > 0 && p->child.is_in_order && !is_edge(io) && READ_BYTES - n >= MIN_READ) {
        more = read_some(io, n);
        n += more;
    }
    if (n > 0) {
        process_output_keep(p, io == &p->out_io ? &p->result.out : &p->result.err, scratch, n);
    }
    if (n > 0 && p->on_bytes) {
        p->on_bytes(p->bytes_user, io == &p->err_io, scratch, n);
    }
    return n;
}

/* Somebody who looks on gets one piece at a time, or one stream would hold up the other. */
static void process_output_drain(struct nd_process *p, struct oc_io *io) {
    int reads = p->on_bytes ? 1 : READS_PER_ROUND;
    size_t n = 1;
    for (int i = 0; n > 0 && io->fd >= 0 && !p->is_paused && i < reads; i++) {
        n = drain_piece(p, io);
    }
}

static void wait_in_line(struct nd_process *p, struct oc_io *io, unsigned events) {
    struct nd_process_turns *t = &p->turns;
    for (size_t i = 0; i < t->count; i++) {
        if (t->waiting[i].io == io) {
            t->waiting[i].events |= events;
            return;
        }
    }
    t->waiting[t->count].io = io;
    t->waiting[t->count++].events = events;
}

/* From here on it is read like any other. */
static void process_output_loosen(struct nd_process *p, struct oc_io *io) {
    if (io->fd >= 0 && is_edge(io)) {
        p->ops->widen(io->fd);
        if (p->is_paused) {
            oc_io_remove(io); /* until there is no pause any more */
        }
        oc_io_set_events(io, OC_IO_READ);
        io->events = OC_IO_READ;
    }
}

static void look_for_flood(struct nd_process *p, struct oc_io *io, size_t bytes) {
    struct nd_process_turns *t = &p->turns;
    t->in_a_row = t->last == io ? t->in_a_row + bytes : bytes;
    t->last = io;
    if (t->in_a_row >= FLOOD_BYTES) {
        process_output_loosen(p, io);
    }
}

/* The other end is closed when the loop says that it could be written to: then nothing turns up any
 * more. */
static void take_turn(struct nd_process *p, struct oc_io *io, unsigned events) {
    bool is_last = events & OC_IO_WRITE;
    size_t n = 1;
    while (n > 0 && io->fd >= 0 && !p->is_paused) {
        n = drain_piece(p, io);
        look_for_flood(p, io, n);
        if (!is_last && n < READ_BYTES) {
            return;
        }
    }
    if (io->fd >= 0 && p->is_paused) {
        wait_in_line(p, io, events);
    }
}

static void take_waiting(struct nd_process *p) {
    struct nd_process_turns *t = &p->turns;
    while (t->count > 0 && !p->is_paused) {
        struct oc_io *io = t->waiting[0].io;
        unsigned events = t->waiting[0].events;
        t->waiting[0] = t->waiting[1];
        t->count--;
        take_turn(p, io, events);
    }
}

static void on_catch_up(struct oc_deferred *d) {
    struct nd_process *p = d->user;
    take_waiting(p);
    nd_process_check_over(p);
}

static void on_output(struct oc_io *io, unsigned events) {
    struct nd_process *p = io->user;
    if (!is_edge(io)) {
        process_output_drain(p, io);
    } else if (p->is_paused || p->turns.count > 0) {
        wait_in_line(p, io, events);
    } else {
        take_turn(p, io, events);
    }
    nd_process_check_over(p);
}

void nd_process_drain(struct nd_process *p) {
    take_waiting(p);
    process_output_drain(p, &p->out_io);
    process_output_drain(p, &p->err_io);
}

void nd_process_set_output(struct nd_process *p, nd_process_output *fn, void *user) {
    p->on_bytes = fn;
    p->bytes_user = user;
    if (!fn) {
        process_output_loosen(p, &p->out_io);
        process_output_loosen(p, &p->err_io);
    }
}

/* Only those that would be named again and again need not be listened to. */
void nd_process_pause(struct nd_process *p) {
    p->is_paused = true;
    struct oc_io *pipes[] = { &p->out_io, &p->err_io };
    for (size_t i = 0; i < OC_COUNT(pipes); i++) {
        if (!is_edge(pipes[i])) {
            oc_io_remove(pipes[i]);
        }
    }
}

enum oc_code nd_process_watch_output(struct nd_process *p, struct oc_error *err) {
    struct oc_io *pipes[] = { &p->out_io, &p->err_io };
    enum oc_code rc = OC_OK;
    for (size_t i = 0; i < OC_COUNT(pipes) && rc == OC_OK; i++) {
        if (pipes[i]->fd >= 0 && !pipes[i]->loop) {
            rc = oc_io_add(p->loop, pipes[i], err);
        }
    }
    return rc;
}

void nd_process_resume(struct nd_process *p) {
    if (!p->is_paused) {
        return;
    }
    p->is_paused = false;
    if (p->turns.count > 0) {
        oc_defer(p->loop, &p->turns.catch_up); /* not at once: it may be the end of the process */
    }
    struct oc_error err;
    if (nd_process_watch_output(p, &err) !=
            OC_OK) { /* out of memory in the kernel: at least it ends */
        nd_process_kill(p, false);
    }
}

void nd_process_init_output(struct nd_process *p, struct os_child *take_child) {
    unsigned events = take_child->is_in_order ? OC_IO_READ | OC_IO_EDGE : OC_IO_READ;
    p->out_io = (struct oc_io){ .events = events, .on_ready = on_output, .user = p };
    p->err_io = p->out_io;
    p->out_io.fd = oc_take_fd(&take_child->out_fd);
    p->err_io.fd = oc_take_fd(&take_child->err_fd);
    p->turns.catch_up = (struct oc_deferred){ .run = on_catch_up, .user = p };
}
