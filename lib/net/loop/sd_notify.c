#include "lib/net/loop/sd_notify.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/net/loop/fd.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MAX_STATUS_CHARS 300
#define AGAIN_MS 200   /* the manager's queue was full */
#define MIN_FEED_MS 10 /* whoever sets WATCHDOG_USEC=1 does not get a busy loop */
#define MAX_WATCHDOG_US 86400000000

struct oc_sd_notify {
    struct oc_loop *loop;
    int fd; /* -1: nobody listens */
    struct sockaddr_un address;
    socklen_t address_len;
    bool is_ready;
    bool owes_ready, owes_stopping; /* not told yet */
    char *status;
    struct oc_timer again, feed;
    int64_t feed_ms; /* 0: no watchdog */
};

static void sd_notify_forget(void) {
    static const char *const names[] = { "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID" };
    for (size_t i = 0; i < OC_COUNT(names); i++) {
        (void)unsetenv(names[i]);
    }
}

/* "/run/…" is a path, "@…" a name that no file system has. */
static bool set_address(struct oc_sd_notify *n, const char *name) {
    size_t len = name ? strlen(name) : 0;
    if (len < 2 || (name[0] != '/' && name[0] != '@') || len >= sizeof(n->address.sun_path)) {
        return false;
    }
    n->address.sun_family = AF_UNIX;
    memcpy(n->address.sun_path, name, len);
    if (name[0] == '@') {
        n->address.sun_path[0] = '\0';
    }
    n->address_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
    return true;
}

static void open_socket(struct oc_sd_notify *n) {
    n->fd = -1;
    if (set_address(n, getenv("NOTIFY_SOCKET"))) {
        n->fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    }
    if (n->fd >= 0 && oc_fd_prepare(n->fd) != 0) {
        close(oc_take_fd(&n->fd));
    }
}

/* A message that found the queue full comes again; any other failure means that nobody wants to
 * know. */
static bool is_sent(const struct oc_sd_notify *n, const char *text) {
    ssize_t sent = sendto(
            n->fd, text, strlen(text), 0, (const struct sockaddr *)&n->address, n->address_len);
    return sent >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != ENOBUFS);
}

/* A line break in the status would be the start of another assignment, MAINPID= for one. Ours are
 * few; what a peer brings is made visible. */
static char *one_line(const char *status) {
    const char *brk = strstr(status, "\n  ");
    OC_AUTO_FREE char *joined =
            brk ? oc_strfmt("%.*s; %s", (int)(brk - status), status, brk + 3) : oc_strdup(status);
    return oc_printable(joined, strlen(joined), MAX_STATUS_CHARS);
}

char *oc_sd_notify_text(bool is_ready, bool is_stopping, const char *status) {
    OC_AUTO_FREE char *shown = status ? one_line(status) : NULL;
    return oc_strfmt("%s%s%s%s%s", is_ready ? "READY=1\n" : "", is_stopping ? "STOPPING=1\n" : "",
            shown ? "STATUS=" : "", shown ? shown : "", shown ? "\n" : "");
}

static void sd_notify_tell(struct oc_sd_notify *n) {
    if (n->fd < 0) {
        return;
    }
    OC_AUTO_FREE char *text = oc_sd_notify_text(n->owes_ready, n->owes_stopping, n->status);
    if (!is_sent(n, text)) {
        oc_timer_set(n->loop, &n->again, AGAIN_MS);
        return;
    }
    n->owes_ready = n->owes_stopping = false;
}

static void on_again(struct oc_timer *t) {
    sd_notify_tell(t->user);
}

static void on_feed(struct oc_timer *t) {
    struct oc_sd_notify *n = t->user;
    (void)is_sent(n, "WATCHDOG=1\n");
    oc_timer_set(n->loop, &n->feed, n->feed_ms);
}

static void start_feeding(struct oc_sd_notify *n) {
    const char *pid = getenv("WATCHDOG_PID"), *usec = getenv("WATCHDOG_USEC");
    int64_t whose = 0, us = 0;
    bool is_ours = !pid || (oc_parse_int(pid, 1, INT32_MAX, &whose) && whose == getpid());
    if (n->fd < 0 || !is_ours || !usec || !oc_parse_int(usec, 1, MAX_WATCHDOG_US, &us)) {
        return;
    }
    n->feed_ms = us / 2000 > MIN_FEED_MS ? us / 2000 : MIN_FEED_MS; /* twice per period */
    oc_timer_set(n->loop, &n->feed, 0);
}

struct oc_sd_notify *oc_sd_notify_create(struct oc_loop *loop) {
    struct oc_sd_notify *n = oc_new(struct oc_sd_notify);
    n->loop = loop;
    n->again = (struct oc_timer){ .on_expire = on_again, .user = n };
    n->feed = (struct oc_timer){ .on_expire = on_feed, .user = n };
    open_socket(n);
    start_feeding(n);
    sd_notify_forget();
    return n;
}

void oc_sd_notify_status(struct oc_sd_notify *n, const char *status) {
    if (oc_streq(n->status, status)) {
        return;
    }
    oc_free(n->status);
    n->status = oc_strdup(status);
    sd_notify_tell(n);
}

void oc_sd_notify_ready(struct oc_sd_notify *n, const char *status) {
    if (n->is_ready) {
        oc_sd_notify_status(n, status);
        return;
    }
    n->is_ready = n->owes_ready = true;
    oc_free(n->status);
    n->status = oc_strdup(status);
    sd_notify_tell(n);
}

void oc_sd_notify_stopping(struct oc_sd_notify *n) {
    n->owes_stopping = true;
    sd_notify_tell(n);
}

void oc_sd_notify_destroy(struct oc_sd_notify *n) {
    if (!n) {
        return;
    }
    oc_timer_cancel(&n->again);
    oc_timer_cancel(&n->feed);
    if (n->fd >= 0) {
        close(n->fd);
    }
    oc_free(n->status);
    oc_free(n);
}
