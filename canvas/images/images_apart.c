#include "canvas/images/images_apart.h"

#include "canvas/images/decoded.h"
#include "canvas/images/images_sandbox.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CPU_SECONDS 3
#define WAIT_MS 10000 /* on a machine that has others to serve */
#define MORE_MEMORY ((rlim_t)384 << 20)

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

struct cv_decoding {
    pid_t pid;
    int pidfd; /* -1: old kernels */
    int out;
    int64_t until_ms;
    const char *broken;
};

bool cv_apart_write(int fd, const void *bytes, size_t len) {
    for (size_t at = 0; at < len;) {
        ssize_t n = write(fd, (const char *)bytes + at, len - at);
        if (n < 0 && errno != EINTR) {
            return false;
        }
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool images_apart_fits(rlim_t limit, rlim_t most) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    setrlimit(RLIMIT_DATA, &(struct rlimit){ limit, most });
    void *p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p != MAP_FAILED && munmap(p, page) == 0;
}

/* On top of what the program had when it forked. How much that is stands in /proc, which is outside
 * the sandbox; so it is found by trying under which limit there is still a page to be had. */
static void limit_memory(void) {
    struct rlimit was;
    if (CV_IS_SANITIZED || getrlimit(RLIMIT_DATA, &was) != 0) { /* whose shadow memory counts */
        return;
    }
    rlim_t low = 0, high = (rlim_t)8 << 30;
    high = high < was.rlim_max ? high : was.rlim_max;
    while (high - low > (rlim_t)8 << 20) {
        rlim_t middle = low + (high - low) / 2;
        *(images_apart_fits(middle, was.rlim_max) ? &high : &low) = middle;
    }
    high = high + MORE_MEMORY < was.rlim_max ? high + MORE_MEMORY : was.rlim_max;
    setrlimit(RLIMIT_DATA, &(struct rlimit){ high, high });
}

/* In the child. Nothing is called here that a thread of the parent may have locked, but the
 * allocator, which survives a fork. */
static int images_apart_work(
        cv_picture_decoder *decode, const uint8_t *bytes, size_t len, size_t room, int out) {
    struct cv_picture p = { 0 };
    struct oc_error err = { .text = "" };
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CPU, &(struct rlimit){ CPU_SECONDS, CPU_SECONDS });
    limit_memory();
    out = dup2(out, 0); /* the node's socket, the display's: all closed */
    closefrom(1);
    cv_sandbox_to_memory();
    if (out == 0 && decode(bytes, len, &p, &err) == OC_OK &&
            cv_picture_shrink(&p, room, &err) == OC_OK) {
        struct cv_decoded_head head = { CV_DECODED_MAGIC, p.px_w, p.px_h, 0, p.w, p.h };
        return cv_apart_write(out, &head, sizeof(head)) && cv_apart_write(out, p.argb, p.bytes) ? 0
                                                                                                : 1;
    }
    struct cv_decoded_head head = { .magic = CV_DECODED_REFUSED, .zero = (uint32_t)err.code };
    bool ok = cv_apart_write(out, &head, sizeof(head)) &&
              cv_apart_write(out, err.text, strlen(err.text));
    return ok ? 0 : 1;
}

struct cv_decoding *cv_apart_start(cv_picture_decoder *decode, const uint8_t *bytes, size_t len,
        size_t room, struct oc_error *err) {
    OC_AUTO_FD int out = memfd_create("pixels", MFD_CLOEXEC);
    pid_t pid = out < 0 ? -1 : fork();
    if (pid == 0) {
        _exit(images_apart_work(decode, bytes, len, room, out));
    }
    if (pid < 0) {
        (void)!oc_fail(err, OC_E_IO, "no process to decode the picture in");
        return NULL;
    }
    return cv_apart_watch(
            pid, oc_take_fd(&out), "the picture takes too long, or breaks its decoder");
}

struct cv_decoding *cv_apart_watch(pid_t pid, int take_out, const char *broken) {
    struct cv_decoding *d = oc_new(struct cv_decoding);
    *d = (struct cv_decoding){ .pid = pid,
        .pidfd = (int)syscall(SYS_pidfd_open, pid, 0),
        .out = take_out,
        .until_ms = oc_mono_ms(&oc_clock_system) + WAIT_MS,
        .broken = broken };
    return d;
}

int cv_decoding_fd(const struct cv_decoding *d) {
    return d->pidfd;
}

int64_t cv_decoding_until_ms(const struct cv_decoding *d) {
    return d->until_ms;
}

static bool has_ended(const struct cv_decoding *d) {
    int64_t left;
    do {
        struct pollfd p = { .fd = d->pidfd, .events = POLLIN };
        left = d->until_ms - oc_mono_ms(&oc_clock_system);
        int rc = poll(&p, 1, left > 0 ? (int)left : 0);
        if (rc > 0 || (rc < 0 && errno != EINTR)) {
            return rc > 0;
        }
    } while (left > 0);
    return false;
}

/* Whether it ended well and in time; then, and otherwise too, it is gone. */
static bool images_apart_await(const struct cv_decoding *d, int64_t *ret_cpu_ms) {
    struct rusage used = { 0 };
    int status = 0;
    /* Without a pidfd the limit on its processor time is the only one. */
    if (d->pidfd >= 0 && !has_ended(d)) {
        kill(d->pid, SIGKILL);
    }
    while (wait4(d->pid, &status, 0, &used) < 0) {
        if (errno != EINTR) {
            return false;
        }
    }
    *ret_cpu_ms = (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 +
                  (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000;
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
static enum oc_code images_apart_take(int fd, struct cv_picture *ret, struct oc_error *err) {
    struct cv_decoded_head head = { 0 };
    CV_AUTO_PICTURE struct cv_picture p = { 0 };
    if (!read_all(fd, &head, sizeof(head), 0)) {
        return oc_fail(err, OC_E_INVALID, "the picture is damaged");
    }
    if (head.magic != CV_DECODED_MAGIC) {
        char why[160];
        ssize_t n = pread(fd, why, sizeof(why) - 1, sizeof(head));
        why[n > 0 ? n : 0] = '\0';
        return oc_fail(err, head.zero == OC_E_TOO_LARGE ? OC_E_TOO_LARGE : OC_E_INVALID, "%s",
                n > 0 ? why : "the picture is damaged");
    }
    enum oc_code rc = cv_picture_begin(&p, head.w, head.h, head.px_w, head.px_h, err);
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

static void decoding_destroy(struct cv_decoding *d) {
    if (d->pidfd >= 0) {
        close(d->pidfd);
    }
    close(d->out);
    oc_free(d);
}

enum oc_code cv_decoding_end(struct cv_decoding *take_d, struct cv_picture *ret,
        int64_t *ret_cpu_ms, struct oc_error *err) {
    *ret_cpu_ms = 0;
    enum oc_code rc = images_apart_await(take_d, ret_cpu_ms)
                              ? images_apart_take(take_d->out, ret, err)
                              : oc_fail(err, OC_E_INVALID, "%s", take_d->broken);
    decoding_destroy(take_d);
    return rc;
}

void cv_decoding_cancel(struct cv_decoding *take_d) {
    int64_t ignored;
    kill(take_d->pid, SIGKILL);
    (void)images_apart_await(take_d, &ignored);
    decoding_destroy(take_d);
}
