#include "canvas/images_apart.h"

#include "base/mem.h"
#include "canvas/confine.h"
#include "canvas/images_svg.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CPU_SECONDS 3
#define WAIT_SECONDS 10 /* on a machine that has others to serve */

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

static bool write_all(int fd, const void *bytes, size_t len) {
    for (size_t at = 0; at < len;) {
        ssize_t n = write(fd, (const char *)bytes + at, len - at);
        if (n < 0 && errno != EINTR) {
            return false;
        }
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* In the child. Nothing is called here that a thread of the parent may have locked, but the allocator, which survives a fork. */
static int work(oc_picture_decoder *decode, const uint8_t *bytes, size_t len, int out) {
    struct oc_picture p = { 0 };
    struct oc_error err = { .text = "" };
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CPU, &(struct rlimit){ CPU_SECONDS, CPU_SECONDS });
    out = dup2(out, 0); /* the node's socket, the display's: all closed */
    closefrom(1);
    oc_confine_to_memory();
    if (out == 0 && decode(bytes, len, &p, &err) == OC_OK) {
        struct oc_svg_head head = { OC_SVG_MAGIC, p.px_w, p.px_h, 0, p.w, p.h };
        return write_all(out, &head, sizeof(head)) && write_all(out, p.argb, p.bytes) ? 0 : 1;
    }
    struct oc_svg_head head = { .magic = OC_SVG_REFUSED, .zero = (uint32_t)err.code };
    return write_all(out, &head, sizeof(head)) && write_all(out, err.text, strlen(err.text)) ? 0
                                                                                             : 1;
}

enum oc_code oc_decode_apart(oc_picture_decoder *decode, const uint8_t *bytes, size_t len,
        struct oc_picture *ret, struct oc_error *err) {
    OC_AUTO_FD int out = memfd_create("pixels", MFD_CLOEXEC);
    pid_t pid = out < 0 ? -1 : fork();
    if (pid == 0) {
        _exit(work(decode, bytes, len, out));
    }
    if (pid < 0) {
        return oc_fail(err, OC_E_IO, "no process to decode the picture in");
    }
    if (!oc_apart_wait(pid)) {
        return oc_fail(err, OC_E_INVALID, "the picture takes too long, or breaks its decoder");
    }
    return oc_apart_take(out, ret, err);
}

static bool has_ended(int pidfd, int seconds) {
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int left = seconds * 1000; left > 0;) {
        struct pollfd p = { .fd = pidfd, .events = POLLIN };
        int rc = poll(&p, 1, left);
        if (rc > 0 || (rc < 0 && errno != EINTR)) {
            return rc > 0;
        }
        clock_gettime(CLOCK_MONOTONIC, &now);
        left = seconds * 1000 -
               (int)((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000);
    }
    return false;
}

bool oc_apart_wait(pid_t pid) {
    OC_AUTO_FD int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    int status = 0;
    /* Without one (old kernels) the limit on its processor time is the only one. */
    if (pidfd >= 0 && !has_ended(pidfd, WAIT_SECONDS)) {
        kill(pid, SIGKILL);
    }
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            return false;
        }
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool read_all(int fd, void *ret, size_t len, off_t from) {
    for (size_t at = 0; at < len;) {
        ssize_t n = pread(fd, (char *)ret + at, len - at, from + (off_t)at);
        if (n <= 0 && !(n < 0 && errno == EINTR)) {
            return false;
        }
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* What the child wrote is as trustworthy as the picture. */
enum oc_code oc_apart_take(int fd, struct oc_picture *ret, struct oc_error *err) {
    struct oc_svg_head head = { 0 };
    OC_AUTO_PICTURE struct oc_picture p = { 0 };
    if (!read_all(fd, &head, sizeof(head), 0)) {
        return oc_fail(err, OC_E_INVALID, "the picture is damaged");
    }
    if (head.magic != OC_SVG_MAGIC) {
        char why[160];
        ssize_t n = pread(fd, why, sizeof(why) - 1, sizeof(head));
        why[n > 0 ? n : 0] = '\0';
        return oc_fail(err, head.zero == OC_E_TOO_LARGE ? OC_E_TOO_LARGE : OC_E_INVALID, "%s",
                n > 0 ? why : "the picture is damaged");
    }
    enum oc_code rc = oc_picture_begin(&p, head.w, head.h, head.px_w, head.px_h, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (!read_all(fd, p.argb, p.bytes, sizeof(head))) {
        return oc_fail(err, OC_E_INVALID, "the picture is damaged");
    }
    *ret = p;
    p.argb = NULL;
    return OC_OK;
}
