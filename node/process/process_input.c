/* What a program gets to read. */
#include "node/process/process_impl.h"

#include <errno.h>
#include <unistd.h>

enum { END_OF_FILE = 4 }; /* as terminals are set up: Ctrl-D */

void nd_process_close_input(struct nd_process *p) {
    if (p->in_io.fd >= 0) {
        oc_io_remove(&p->in_io);
        close(p->in_io.fd);
        p->in_io.fd = -1;
    }
}

/* Writes what the program takes, and waits for it to take more. */
static void push_input(struct nd_process *p) {
    while (p->input.len > 0) {
        ssize_t n = write(p->in_io.fd, p->input.data, p->input.len);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0 && errno != EAGAIN) {
            nd_process_close_input(p); /* it closed its stdin */
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
        nd_process_close_input(p);
    }
}

void nd_process_on_input(struct oc_io *io, unsigned events) {
    (void)events;
    struct nd_process *p = io->user;
    if (p->input.len == 0) {
        nd_process_close_input(p); /* nothing was wanted: the other end is gone */
    } else {
        push_input(p);
    }
    if (p->on_room) {
        p->on_room(p->room_user);
    }
}

void nd_process_set_room(struct nd_process *p, nd_process_room *fn, void *user) {
    p->on_room = fn;
    p->room_user = user;
}

size_t nd_process_write(struct nd_process *p, const char *bytes, size_t len) {
    if (!nd_process_has_input(p)) {
        return 0;
    }
    size_t room = ND_MAX_INPUT_BYTES - p->input.len;
    len = len < room ? len : room;
    oc_buf_append(&p->input, bytes, len);
    push_input(p);
    return len;
}

void nd_process_end_input(struct nd_process *p) {
    if (!nd_process_has_input(p)) {
        return;
    }
    if (p->is_tty) {
        char eof = END_OF_FILE;
        nd_process_write(p, &eof, 1);
        return;
    }
    p->input_ends = true;
    push_input(p);
}

bool nd_process_has_input(const struct nd_process *p) {
    return p->in_io.fd >= 0 && !p->input_ends;
}

void nd_process_resize(struct nd_process *p, const struct os_tty_size *size) {
    if (p->is_tty && p->in_io.fd >= 0) {
        p->ops->resize(p->in_io.fd, size);
    }
}
