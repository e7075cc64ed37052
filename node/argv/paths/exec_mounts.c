#include "node/argv/paths/exec_mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

enum { MAX_MOUNTINFO = 4 << 20 };

static void exec_mounts_close(struct nd_exec_mounts *m) {
    if (m->is_open) {
        close(m->fd);
        m->is_open = false;
    }
}

/* The kernel counts changes from the last time it was asked. */
static bool has_changed(const struct nd_exec_mounts *m) {
    struct pollfd p = { .fd = m->fd, .events = POLLPRI };
    return poll(&p, 1, 0) < 0 || (p.revents & (POLLPRI | POLLERR | POLLNVAL)) != 0;
}

static bool exec_mounts_fill(struct nd_exec_mounts *m) {
    char piece[4096];
    ssize_t n;
    oc_buf_finish(&m->text);
    m->text = OC_BUF_INIT(MAX_MOUNTINFO);
    if (lseek(m->fd, 0, SEEK_SET) < 0) {
        return false;
    }
    do {
        n = read(m->fd, piece, sizeof(piece));
        if (n > 0 && oc_buf_append(&m->text, piece, (size_t)n) != OC_OK) {
            return false;
        }
    } while (n > 0 || (n < 0 && errno == EINTR));
    return n == 0;
}

static const char *exec_mounts_text(const struct nd_exec_mounts *m) {
    return m->text.len > 0 ? m->text.data : "";
}

const char *nd_exec_mounts_read(struct nd_exec_mounts *m, const char *path) {
    if (path) { /* an ordinary file is not watched */
        exec_mounts_close(m);
    } else if (m->is_open && !has_changed(m)) {
        return exec_mounts_text(m);
    }
    if (!m->is_open) {
        m->fd = open(path ? path : "/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
        m->is_open = m->fd >= 0;
    }
    if (m->is_open && !exec_mounts_fill(m)) {
        exec_mounts_close(m);
    }
    return exec_mounts_text(m);
}

void nd_exec_mounts_finish(struct nd_exec_mounts *m) {
    exec_mounts_close(m);
    oc_buf_finish(&m->text);
}
