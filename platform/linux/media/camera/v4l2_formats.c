#include "platform/linux/media/camera/v4l2_formats.h"

#include "lib/base/mem.h"

#include <errno.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>

#define FILM_FPS \
    30.0 /* more than this is nothing that we use, but something that the bus must carry */
enum { MAX_ENTRIES = 256 };

int os_v4l2_ask(int fd, unsigned long request, void *arg) {
    int rc;
    do {
        rc = ioctl(fd, request, arg);
    } while (rc < 0 && errno == EINTR);
    return rc;
}

static bool is_jpeg(uint32_t pixels) {
    return pixels == V4L2_PIX_FMT_MJPEG || pixels == V4L2_PIX_FMT_JPEG;
}

/* Those that GStreamer's source calls video/x-raw. */
static bool is_colour(uint32_t pixels) {
    static const uint32_t known[] = { V4L2_PIX_FMT_YUYV, V4L2_PIX_FMT_UYVY, V4L2_PIX_FMT_YVYU,
        V4L2_PIX_FMT_VYUY, V4L2_PIX_FMT_NV12, V4L2_PIX_FMT_NV12M, V4L2_PIX_FMT_NV21,
        V4L2_PIX_FMT_NV16, V4L2_PIX_FMT_YUV420, V4L2_PIX_FMT_YUV420M, V4L2_PIX_FMT_YVU420,
        V4L2_PIX_FMT_YUV422P, V4L2_PIX_FMT_RGB24, V4L2_PIX_FMT_BGR24, V4L2_PIX_FMT_XBGR32,
        V4L2_PIX_FMT_BGR32, V4L2_PIX_FMT_RGB32 };
    for (size_t i = 0; i < OC_COUNT(known); i++) {
        if (known[i] == pixels) {
            return true;
        }
    }
    return false;
}

static double fps_of(const struct v4l2_fract *interval) {
    return interval->numerator ? (double)interval->denominator / interval->numerator : 0;
}

/* The fastest that a film can use, or else the slowest. */
static bool is_nearer(double fps, double than) {
    if ((fps <= FILM_FPS) != (than <= FILM_FPS)) {
        return fps <= FILM_FPS;
    }
    return fps <= FILM_FPS ? fps > than : fps < than;
}

static double best_fps(int fd, uint32_t pixels, uint32_t width, uint32_t height) {
    double best = 0;
    for (uint32_t i = 0; i < MAX_ENTRIES; i++) {
        struct v4l2_frmivalenum e = {
            .index = i, .pixel_format = pixels, .width = width, .height = height
        };
        if (os_v4l2_ask(fd, VIDIOC_ENUM_FRAMEINTERVALS, &e) != 0) {
            break;
        }
        if (e.type != V4L2_FRMIVAL_TYPE_DISCRETE) {
            double fastest = fps_of(&e.stepwise.min), slowest = fps_of(&e.stepwise.max);
            return fastest <= FILM_FPS ? fastest : slowest > FILM_FPS ? slowest : FILM_FPS;
        }
        double fps = fps_of(&e.discrete);
        best = best == 0 || is_nearer(fps, best) ? fps : best;
    }
    return best;
}

static void v4l2_formats_add(
        int fd, uint32_t pixels, uint32_t width, uint32_t height, struct os_camera_formats *ret) {
    os_camera_formats_add(ret, &(struct os_camera_format){ .is_jpeg = is_jpeg(pixels),
                                       .width = width <= INT32_MAX ? (int)width : 0,
                                       .height = height <= INT32_MAX ? (int)height : 0,
                                       .fps = best_fps(fd, pixels, width, height) });
}

static bool v4l2_formats_fits(uint32_t side, uint32_t min, uint32_t max, uint32_t step) {
    return side >= min && side <= max && (step == 0 || (side - min) % step == 0);
}

/* Of a range only some sizes are known to be a sensible shape. */
static void add_usual(int fd, uint32_t pixels, const struct v4l2_frmsize_stepwise *range,
        struct os_camera_formats *ret) {
    static const uint32_t usual[][2] = { { 320, 240 }, { 640, 480 }, { 1280, 720 },
        { 1920, 1080 } };
    for (size_t i = 0; i < OC_COUNT(usual); i++) {
        if (v4l2_formats_fits(usual[i][0], range->min_width, range->max_width, range->step_width) &&
                v4l2_formats_fits(
                        usual[i][1], range->min_height, range->max_height, range->step_height)) {
            v4l2_formats_add(fd, pixels, usual[i][0], usual[i][1], ret);
        }
    }
}

static void read_sizes(int fd, uint32_t pixels, struct os_camera_formats *ret) {
    for (uint32_t i = 0; i < MAX_ENTRIES; i++) {
        struct v4l2_frmsizeenum e = { .index = i, .pixel_format = pixels };
        if (os_v4l2_ask(fd, VIDIOC_ENUM_FRAMESIZES, &e) != 0) {
            return;
        }
        if (e.type != V4L2_FRMSIZE_TYPE_DISCRETE) {
            add_usual(fd, pixels, &e.stepwise, ret);
            return;
        }
        v4l2_formats_add(fd, pixels, e.discrete.width, e.discrete.height, ret);
    }
}

bool os_v4l2_formats_read(int fd, uint32_t type, struct os_camera_formats *ret) {
    bool has_colour = false, has_any = false;
    for (uint32_t i = 0; i < MAX_ENTRIES; i++) {
        struct v4l2_fmtdesc e = { .index = i, .type = type };
        if (os_v4l2_ask(fd, VIDIOC_ENUM_FMT, &e) != 0) {
            break;
        }
        has_any = true;
        if (is_colour(e.pixelformat) || is_jpeg(e.pixelformat)) {
            has_colour = true;
            read_sizes(fd, e.pixelformat, ret);
        }
    }
    return has_colour || !has_any;
}
