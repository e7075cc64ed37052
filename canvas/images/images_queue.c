#include "canvas/images/images_queue.h"

#include "lib/base/clock.h"
#include "lib/base/list.h"
#include "lib/base/mem.h"

#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define MAX_RUNNING 2
#define MAX_WAITING ((size_t)64 * 1024 * 1024) /* bytes of files */

struct image_job {
    struct oc_list link;
    void *tag;
    void *bytes; /* NULL: its decoder has them */
    size_t len;
    size_t need; /* of pixels, at most */
    size_t room; /* that is kept for it while it runs */
    struct cv_decoding *decoding;
};

struct cv_image_queue {
    struct oc_list jobs; /* (job.link) in order; those that run are first */
    struct cv_image_queue_events events;
    void *user;
    size_t max, used, reserved; /* bytes of pixels */
    size_t waiting;             /* bytes of files */
    unsigned running;
    int64_t cpu_left_ms;
    int epoll, timer; /* the timer is for decoders that are late */
};

struct cv_image_queue *cv_image_queue_create(
        size_t max_bytes, const struct cv_image_queue_events *events, void *user) {
    struct cv_image_queue *q = oc_new(struct cv_image_queue);
    oc_list_init(&q->jobs);
    q->events = *events;
    q->user = user;
    q->max = max_bytes;
    q->cpu_left_ms = INT64_MAX;
    q->epoll = epoll_create1(EPOLL_CLOEXEC);
    q->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    struct epoll_event e = { .events = EPOLLIN };
    (void)epoll_ctl(q->epoll, EPOLL_CTL_ADD, q->timer, &e);
    return q;
}

static void job_destroy(struct cv_image_queue *q, struct image_job *j) {
    oc_list_remove(&j->link);
    if (j->bytes) {
        q->waiting -= j->len;
    }
    oc_free(j->bytes);
    oc_free(j);
}

/* Its decoder is somebody else's now, or nobody's. */
static struct cv_decoding *stop_watching(struct cv_image_queue *q, struct image_job *j) {
    if (cv_decoding_fd(j->decoding) >= 0) {
        (void)epoll_ctl(q->epoll, EPOLL_CTL_DEL, cv_decoding_fd(j->decoding), NULL);
    }
    q->running--;
    q->reserved -= j->room;
    return oc_take(&j->decoding);
}

static void images_queue_cancel(struct cv_image_queue *q, struct image_job *j) {
    if (j->decoding) {
        cv_decoding_cancel(stop_watching(q, j));
    }
    job_destroy(q, j);
}

void cv_image_queue_destroy(struct cv_image_queue *q) {
    if (!q) {
        return;
    }
    while (!oc_list_empty(&q->jobs)) {
        images_queue_cancel(q, oc_list_first(&q->jobs, struct image_job, link));
    }
    if (q->timer >= 0) {
        close(q->timer);
    }
    if (q->epoll >= 0) {
        close(q->epoll);
    }
    oc_free(q);
}

void cv_image_queue_budget(struct cv_image_queue *q, int64_t cpu_ms) {
    q->cpu_left_ms = cpu_ms;
}

static void images_queue_refuse(struct cv_image_queue *q, struct image_job *j, const char *why) {
    void *tag = j->tag;
    job_destroy(q, j);
    q->events.on_decoded(q->user, tag, NULL, why);
}

static void images_queue_finish(struct cv_image_queue *q, struct image_job *j) {
    CV_AUTO_PICTURE struct cv_picture picture = { 0 };
    struct oc_error err = { .text = "" };
    int64_t cpu_ms = 0;
    size_t room = j->room;
    enum oc_code rc = cv_decoding_end(stop_watching(q, j), &picture, &cpu_ms, &err);
    q->cpu_left_ms -= cpu_ms;
    if (rc != OC_OK || picture.bytes > room) {
        images_queue_refuse(q, j, rc != OC_OK ? err.text : "all pictures together are too large");
        return;
    }
    void *tag = j->tag;
    q->used += picture.bytes;
    job_destroy(q, j);
    q->events.on_decoded(q->user, tag, &picture, NULL);
}

static void images_queue_start(struct cv_image_queue *q, struct image_job *j, size_t room) {
    struct oc_error err = { .text = "" };
    j->decoding = cv_decoding_start(j->bytes, j->len, room, &err);
    if (!j->decoding) {
        images_queue_refuse(q, j, err.text);
        return;
    }
    j->room = room;
    q->reserved += room;
    q->running++;
    q->waiting -= j->len;
    oc_free(oc_take(&j->bytes));
    struct epoll_event e = { .events = EPOLLIN };
    int fd = cv_decoding_fd(j->decoding);
    if (fd < 0 || epoll_ctl(q->epoll, EPOLL_CTL_ADD, fd, &e) != 0) {
        images_queue_finish(q, j); /* waits: an old kernel, or no descriptors */
    }
}

static size_t room_left(const struct cv_image_queue *q) {
    size_t taken = q->used + q->reserved;
    return taken < q->max ? q->max - taken : 0;
}

/* False: not now. */
static bool start_next(struct cv_image_queue *q, struct image_job *j, bool is_between) {
    if (q->cpu_left_ms <= 0) {
        images_queue_refuse(q, j, "the pictures take too long to decode, all together");
        return true;
    }
    if (j->need > room_left(q)) {
        if (q->running > 0 || !is_between) {
            return false;
        }
        q->events.on_crowded(q->user);
        if (room_left(q) < sizeof(uint32_t)) {
            images_queue_refuse(q, j, "all pictures together are too large");
            return true;
        }
    }
    images_queue_start(q, j, j->need < room_left(q) ? j->need : room_left(q));
    return true;
}

static bool is_over(const struct image_job *j) {
    struct pollfd p = { .fd = cv_decoding_fd(j->decoding), .events = POLLIN };
    return poll(&p, 1, 0) > 0 || oc_mono_ms(&oc_clock_system) >= cv_decoding_until_ms(j->decoding);
}

/* The first of those that run was started first, and is late first. */
static void set_timer(struct cv_image_queue *q) {
    struct itimerspec when = { 0 };
    if (q->running > 0) {
        const struct image_job *j = oc_list_first(&q->jobs, struct image_job, link);
        int64_t left = cv_decoding_until_ms(j->decoding) - oc_mono_ms(&oc_clock_system);
        left = left > 0 ? left : 1;
        when.it_value.tv_sec = left / 1000;
        when.it_value.tv_nsec = left % 1000 * 1000000;
    }
    (void)timerfd_settime(q->timer, 0, &when, NULL);
}

void cv_image_queue_collect(struct cv_image_queue *q) {
    struct image_job *j, *next;
    oc_list_for_each_safe(j, next, &q->jobs, link) {
        if (j->decoding && is_over(j)) {
            images_queue_finish(q, j);
        }
    }
}

void cv_image_queue_start(struct cv_image_queue *q, bool is_between) {
    struct image_job *j, *next;
    oc_list_for_each_safe(j, next, &q->jobs, link) {
        if (j->decoding) {
            continue;
        }
        if (q->running == MAX_RUNNING || !start_next(q, j, is_between)) {
            break;
        }
    }
    set_timer(q);
}

void cv_image_queue_add(struct cv_image_queue *q, void *tag, const void *bytes, size_t len) {
    struct oc_error err = { .text = "" };
    size_t need = 0;
    if (cv_picture_need(bytes, len, &need, &err) != OC_OK) {
        q->events.on_decoded(q->user, tag, NULL, err.text);
        return;
    }
    while (q->waiting > 0 && q->waiting + len > MAX_WAITING) { /* who brings that much waits, too */
        struct pollfd p = { .fd = q->epoll, .events = POLLIN };
        cv_image_queue_start(q, true);
        if (q->running > 0) {
            (void)poll(&p, 1, -1);
        }
        cv_image_queue_collect(q);
    }
    struct image_job *j = oc_new(struct image_job);
    *j = (struct image_job){ .tag = tag, .bytes = oc_alloc(len + 1), .len = len, .need = need };
    if (len > 0) {
        memcpy(j->bytes, bytes, len);
    }
    q->waiting += len;
    oc_list_append(&q->jobs, &j->link);
    cv_image_queue_start(q, false);
}

void cv_image_queue_drop(struct cv_image_queue *q, const void *tag) {
    struct image_job *j, *next;
    oc_list_for_each_safe(j, next, &q->jobs, link) {
        if (j->tag == tag) {
            images_queue_cancel(q, j);
        }
    }
}

void cv_image_queue_release(struct cv_image_queue *q, size_t bytes) {
    q->used -= bytes;
}

bool cv_image_queue_is_empty(const struct cv_image_queue *q) {
    return oc_list_empty(&q->jobs);
}

int cv_image_queue_fd(const struct cv_image_queue *q) {
    return q->epoll;
}
