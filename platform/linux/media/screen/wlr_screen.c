#include "platform/linux/media/screen/wlr_screen.h"

#include "lib/base/mem.h"
#include "platform/linux/helper/serve.h"
#include "platform/linux/media/pipeline.h"

#include <errno.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_SIDE = 16384, MAX_FAILURES = 20 };

enum wlr_state { ASKED, READY, FAILED };

struct shape {
    uint32_t format, width, height, stride;
};

struct pusher {
    struct os_wlr_screen screen;
    GstAppSrc *sink; /* ours to fill */
    struct os_screencopy_frame *frame;
    enum wlr_state state;
    bool is_upside_down, has_copied;
    struct shape shape; /* of the buffer, once there is one */
    struct wl_buffer *buffer;
    uint8_t *pixels;
    GstBuffer *last;
};

static const char *gst_format(uint32_t format) {
    switch (format) {
    case WL_SHM_FORMAT_XRGB8888:
    case WL_SHM_FORMAT_ARGB8888:
        return "BGRx";
    case WL_SHM_FORMAT_XBGR8888:
    case WL_SHM_FORMAT_ABGR8888:
        return "RGBx";
    default:
        return NULL;
    }
}

static void wlr_screen_announce(const struct pusher *p, const struct shape *s) {
    int even = p->screen.even ? ~1 : ~0;
    GstCaps *caps = gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING,
            gst_format(s->format), "width", G_TYPE_INT, (int)s->width & even, "height", G_TYPE_INT,
            (int)s->height & even, "framerate", GST_TYPE_FRACTION, p->screen.fps, 1, NULL);
    gst_app_src_set_caps(p->sink, caps);
    gst_caps_unref(caps);
}

/* Memory that the compositor writes to; the mode of an output may change while we look. */
static bool set_shape(struct pusher *p, const struct shape *s) {
    if (p->buffer && memcmp(s, &p->shape, sizeof(*s)) == 0) {
        return true;
    }
    if (!gst_format(s->format) || s->width < 2 || s->height < 2 || s->width > MAX_SIDE ||
            s->height > MAX_SIDE || s->stride < s->width * 4 || s->stride > MAX_SIDE * 8) {
        return false;
    }
    if (p->buffer) {
        wl_buffer_destroy(p->buffer);
        munmap(p->pixels, (size_t)p->shape.stride * p->shape.height);
        p->buffer = NULL;
    }
    size_t size = (size_t)s->stride * s->height;
    int fd = os_serve_memfd();
    p->pixels = fd >= 0 && ftruncate(fd, (off_t)size) == 0
                        ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                        : MAP_FAILED;
    if (p->pixels != MAP_FAILED) {
        struct wl_shm_pool *pool = wl_shm_create_pool(p->screen.shm, fd, (int32_t)size);
        p->buffer = wl_shm_pool_create_buffer(
                pool, 0, (int32_t)s->width, (int32_t)s->height, (int32_t)s->stride, s->format);
        wl_shm_pool_destroy(pool);
        p->shape = *s;
        p->has_copied = false;
        wlr_screen_announce(p, s);
    }
    if (fd >= 0) {
        close(fd);
    }
    return p->buffer != NULL;
}

static void on_buffer(void *user, struct os_screencopy_frame *frame, uint32_t format,
        uint32_t width, uint32_t height, uint32_t stride) {
    struct pusher *p = user;
    (void)frame;
    if (!set_shape(p, &(struct shape){ format, width, height, stride })) {
        p->state = FAILED;
    }
}

static void on_flags(void *user, struct os_screencopy_frame *frame, uint32_t flags) {
    (void)frame;
    ((struct pusher *)user)->is_upside_down = flags & OS_SCREENCOPY_Y_INVERT;
}

static void on_ready(void *user, struct os_screencopy_frame *frame, uint32_t sec_high,
        uint32_t sec_low, uint32_t nsec) {
    (void)frame;
    (void)sec_high;
    (void)sec_low;
    (void)nsec;
    ((struct pusher *)user)->state = READY;
}

static void on_failed(void *user, struct os_screencopy_frame *frame) {
    (void)frame;
    ((struct pusher *)user)->state = FAILED;
}

static void on_damage(void *user, struct os_screencopy_frame *frame, uint32_t x, uint32_t y,
        uint32_t width, uint32_t height) {
    (void)user;
    (void)frame;
    (void)x;
    (void)y;
    (void)width;
    (void)height;
}

static void on_dmabuf(void *user, struct os_screencopy_frame *frame, uint32_t format,
        uint32_t width, uint32_t height) {
    (void)user;
    (void)frame;
    (void)format;
    (void)width;
    (void)height;
}

/* Only the first picture comes at once; the next ones when something has changed. */
static void on_buffer_done(void *user, struct os_screencopy_frame *frame) {
    struct pusher *p = user;
    if (p->buffer && p->state == ASKED) {
        os_screencopy_copy(frame, p->buffer, p->has_copied);
    }
}

static const struct os_screencopy_frame_listener frame_listener = { on_buffer, on_flags, on_ready,
    on_failed, on_damage, on_dmabuf, on_buffer_done };

/* Until the frame is there, or the time is over. false: the compositor is gone. */
static bool dispatch_until(struct pusher *p, int64_t until_ms) {
    struct wl_display *d = p->screen.display;
    for (;;) {
        int64_t left_ms = until_ms - os_pipeline_now_ms();
        while (wl_display_prepare_read(d) != 0) {
            if (wl_display_dispatch_pending(d) < 0) {
                return false;
            }
        }
        if (p->state != ASKED || left_ms <= 0) {
            wl_display_cancel_read(d);
            return true;
        }
        struct pollfd fd = { .fd = wl_display_get_fd(d), .events = POLLIN };
        wl_display_flush(d);
        if (poll(&fd, 1, (int)left_ms) <= 0) {
            wl_display_cancel_read(d);
        } else if (wl_display_read_events(d) < 0 || wl_display_dispatch_pending(d) < 0) {
            return false;
        }
    }
}

static void keep_frame(struct pusher *p) {
    size_t row = (size_t)p->shape.width * 4, height = p->shape.height;
    if (p->screen.even) {
        row = (size_t)(p->shape.width & ~1u) * 4;
        height &= ~(size_t)1;
    }
    GstBuffer *b = gst_buffer_new_allocate(NULL, row * height, NULL);
    GstMapInfo map;
    if (b && gst_buffer_map(b, &map, GST_MAP_WRITE)) {
        for (size_t y = 0; y < height; y++) {
            size_t from = p->is_upside_down ? p->shape.height - 1 - y : y;
            memcpy(map.data + y * row, p->pixels + from * p->shape.stride, row);
        }
        gst_buffer_unmap(b, &map);
        gst_buffer_replace(&p->last, b);
        p->has_copied = true;
    }
    gst_clear_buffer(&b);
}

static void give_up(struct pusher *p, const char *why) {
    GST_ELEMENT_ERROR(p->sink, RESOURCE, READ, ("%s", why), (NULL));
}

/* On each tick the newest picture there is; one that did not change costs no pixel. */
static gpointer wlr_screen_run(gpointer user) {
    struct pusher *p = user;
    int64_t step_ms = 1000 / p->screen.fps, next_ms = os_pipeline_now_ms();
    int failures = 0;
    for (;;) {
        if (!p->frame) {
            p->state = ASKED;
            p->frame =
                    os_screencopy_capture(p->screen.manager, p->screen.output, &frame_listener, p);
        }
        next_ms += step_ms;
        if (!p->frame || !dispatch_until(p, p->last ? next_ms : next_ms + 5000)) {
            give_up(p, "the compositor went away");
            return NULL;
        }
        if (p->state != ASKED) {
            failures = p->state == FAILED ? failures + 1 : 0;
            if (p->state == READY) {
                keep_frame(p);
            }
            os_screencopy_destroy(p->frame);
            p->frame = NULL;
        }
        if (failures > MAX_FAILURES) {
            give_up(p, "the compositor does not let us see this screen");
            return NULL;
        }
        /* Earlier there is no time to stamp it with, and it would get a wrong one. */
        bool plays = GST_STATE(p->sink) == GST_STATE_PLAYING;
        if (p->last && plays) { /* its own header, the same pixels */
            gst_app_src_push_buffer(p->sink, gst_buffer_copy(p->last));
        }
        int64_t rest_ms = next_ms - os_pipeline_now_ms();
        if (rest_ms > 0) {
            g_usleep((gulong)rest_ms * 1000);
        } else {
            next_ms -= rest_ms;
        }
    }
}

void os_wlr_screen_push(GstElement *pipeline, const struct os_wlr_screen *screen) {
    struct pusher *p = g_new0(struct pusher, 1);
    p->screen = *screen;
    p->sink = GST_APP_SRC(gst_bin_get_by_name(GST_BIN(pipeline), "screen"));
    g_thread_unref(g_thread_new("screen", wlr_screen_run, p));
}
