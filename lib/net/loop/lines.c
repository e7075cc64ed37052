#include "lib/net/loop/lines.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

bool oc_lines_fill(struct oc_buf *in, int fd) {
    char bytes[4096];
    ssize_t n = recv(fd, bytes, sizeof(bytes), 0);
    if (n < 0) {
        return errno == EAGAIN || errno == EINTR;
    }
    return n > 0 && oc_buf_append(in, bytes, (size_t)n) == OC_OK;
}

bool oc_lines_first(const struct oc_buf *in, struct oc_slice *ret) {
    const char *newline = in->len > 0 ? memchr(in->data, '\n', in->len) : NULL;
    if (!newline) {
        return false;
    }
    *ret = (struct oc_slice){ in->data, (size_t)(newline - in->data) };
    return true;
}

void oc_lines_drop(struct oc_buf *in) {
    struct oc_slice line;
    if (oc_lines_first(in, &line)) {
        oc_buf_consume(in, line.len + 1);
    }
}
