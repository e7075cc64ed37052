/* What a program gets to read. */
#include "node/process/process_impl.h"

#include <errno.h>
#include <unistd.h>

enum { END_OF_FILE = 4 }; /* as terminals are set up: Ctrl-D */

void oc_process_close_input(struct oc_process *p) {
    if (p->in_io.fd >= 0) {
        oc_io_remove(&p->in_io);
        close(p->in_io.fd);
        p->in_io.fd = -1;
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
            oc_process_close_input(p); /* it closed its stdin */
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
        oc_process_close_input(p);
    }
}

void oc_process_on_input(struct oc_io *io, unsigned events) {
    (void)events;
    struct oc_process *p = io->user;
    if (p->input.len == 0) {
        oc_process_close_input(p); /* nothing was wanted: the other end is gone */
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
