#include "lib/helper/packet.h"

#include "lib/base/mem.h"
#include "lib/files/pass_fds.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MSG_CMSG_CLOEXEC
#define MSG_CMSG_CLOEXEC 0
#endif

enum oc_packet oc_packet_recv(int socket, bool wait, struct oc_slice *ret_text, int *ret_fd) {
    static char text[OC_MAX_PACKET]; /* core thread only */
    struct oc_received got;
    int fd = -1;
    ssize_t n = oc_receive_with_fds(
            socket, text, sizeof(text), &fd, 1, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT), &got);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        return OC_PACKET_NONE;
    }
    if (n <= 0) {
        oc_auto_close(&fd);
        return OC_PACKET_END;
    }
    *ret_fd = fd;
    *ret_text = (struct oc_slice){ .ptr = text, .len = (size_t)n };
    return got.is_cut ? OC_PACKET_BAD : OC_PACKET_GOT;
}

enum oc_code oc_packet_send(int socket, const cJSON *message, int fd, struct oc_error *err) {
    OC_AUTO_FREE char *text = oc_json_print(message, false);
    size_t len = strlen(text);
    if (len > OC_MAX_PACKET) {
        return oc_fail(err, OC_E_TOO_LARGE, "a message of %zu bytes", len);
    }
    if (oc_send_with_fds(socket, text, len, &fd, fd >= 0, MSG_DONTWAIT) >= 0) {
        return OC_OK;
    }
    return oc_fail(err, errno == EAGAIN ? OC_E_UNAVAILABLE : OC_E_CLOSED, "%s", strerror(errno));
}

#ifdef F_GET_SEALS
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

int oc_sealed_create(const void *bytes, size_t len) {
    OC_AUTO_FD int fd = memfd_create("openclaw", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    for (size_t done = 0; fd >= 0 && done < len;) {
        ssize_t n = write(fd, (const char *)bytes + done, len - done);
        if (n < 0 && errno != EINTR) {
            return -1;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    if (fd < 0 || fcntl(fd, F_ADD_SEALS, SEALS | F_SEAL_SEAL) != 0) {
        return -1;
    }
    return oc_take_fd(&fd);
}

bool oc_sealed_check(int fd, size_t max, size_t *ret_len) {
    int seals = fcntl(fd, F_GET_SEALS);
    struct stat st;
    if (seals < 0 || (seals & SEALS) != SEALS || fstat(fd, &st) != 0 || st.st_size < 0 ||
            (uint64_t)st.st_size > max) {
        return false;
    }
    *ret_len = (size_t)st.st_size;
    return true;
}
#else
int oc_sealed_create(const void *bytes, size_t len) {
    (void)bytes;
    (void)len;
    errno = ENOSYS;
    return -1;
}

bool oc_sealed_check(int fd, size_t max, size_t *ret_len) {
    (void)fd;
    (void)max;
    (void)ret_len;
    return false;
}
#endif

enum oc_code oc_sealed_read(int fd, size_t max, struct oc_buf *ret, struct oc_error *err) {
    size_t len, done = 0;
    if (fd < 0 || !oc_sealed_check(fd, max, &len)) {
        return oc_fail(
                err, OC_E_INVALID, "no bytes came along, or they are not sealed or too many");
    }
    OC_AUTO_BUF struct oc_buf bytes = OC_BUF_INIT(max + 1);
    char *to = oc_buf_reserve(&bytes, len + 1);
    while (to && done < len) {
        ssize_t n = pread(fd, to + done, len - done, (off_t)done);
        if (n == 0 || (n < 0 && errno != EINTR)) {
            return oc_fail(err, OC_E_IO, "the bytes cannot be read: %s", strerror(errno));
        }
        done += n > 0 ? (size_t)n : 0;
    }
    bytes.len = len;
    if (bytes.data) {
        bytes.data[len] = '\0';
    }
    *ret = bytes;
    bytes = (struct oc_buf){ 0 };
    return OC_OK;
}
