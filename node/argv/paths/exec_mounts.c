#include "node/argv/paths/exec_mounts.h"

#include "lib/base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

enum { MAX_MOUNTINFO = 4 << 20 };

static void exec_mounts_close(struct nd_exec_mounts *m) {
    if (m->is_open) {
        close(m->fd);
    }
    *m = (struct nd_exec_mounts){ 0 };
}

/* The kernel counts changes from the last time it was asked. */
static bool has_changed(const struct nd_exec_mounts *m) {
    struct pollfd p = { .fd = m->fd, .events = POLLPRI };
    return poll(&p, 1, 0) < 0 || (p.revents & (POLLPRI | POLLERR | POLLNVAL)) != 0;
}

static bool exec_mounts_read(const struct nd_exec_mounts *m, struct oc_buf *text) {
    char piece[4096];
    ssize_t n;
    if (lseek(m->fd, 0, SEEK_SET) < 0) {
        return false;
    }
    do {
        n = read(m->fd, piece, sizeof(piece));
        if (n > 0 && oc_buf_append(text, piece, (size_t)n) != OC_OK) {
            return false;
        }
    } while (n > 0 || (n < 0 && errno == EINTR));
    return n == 0;
}

bool nd_exec_mounts_can_hang(
        struct nd_exec_mounts *m, const char *path, struct nd_exec_reach *ret) {
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(MAX_MOUNTINFO);
    if (path) { /* an ordinary file is not watched */
        exec_mounts_close(m);
    } else if (m->is_open && !has_changed(m) && m->none_can_hang) {
        return false;
    }
    if (!m->is_open) {
        m->fd = open(path ? path : "/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
        m->is_open = m->fd >= 0;
    }
    bool is_whole = m->is_open && exec_mounts_read(m, &text);
    bool can_hang = text.len > 0 && nd_exec_reach_read(ret, text.data);
    m->none_can_hang = is_whole && !can_hang;
    if (!is_whole) {
        exec_mounts_close(m);
    }
    return can_hang;
}

void nd_exec_mounts_finish(struct nd_exec_mounts *m) {
    exec_mounts_close(m);
}
