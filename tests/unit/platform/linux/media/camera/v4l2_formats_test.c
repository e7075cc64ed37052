/* What a V4L2 driver says of its camera: lists, ranges, and a driver that never ends its lists. The
 * driver is this file: its ioctl stands in for the system's. */
#include "platform/linux/media/camera/v4l2_formats.h"

#include "tests/unit/unit.h"

#include <errno.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>

static struct {
    uint32_t pixels[4];
    uint32_t count; /* of them; UINT32_MAX: it goes on for ever */
    struct v4l2_frmsize_discrete sizes[3];
    uint32_t size_count;
    struct v4l2_frmsize_stepwise range; /* max_width 0: it has a list */
    struct v4l2_fract intervals[3];     /* seconds per picture */
    uint32_t interval_count;
    bool has_interval_range; /* from the first of them to the second */
    int interrupted;         /* so often first */
    size_t asked;
} driver;

static int no_such(void) {
    errno = EINVAL;
    return -1;
}

static int tell_format(struct v4l2_fmtdesc *e) {
    if (e->index >= driver.count) {
        return no_such();
    }
    e->pixelformat = driver.pixels[driver.count == UINT32_MAX ? 0 : e->index];
    return 0;
}

static int tell_size(struct v4l2_frmsizeenum *e) {
    if (driver.range.max_width > 0) {
        e->type = V4L2_FRMSIZE_TYPE_STEPWISE;
        e->stepwise = driver.range;
        return 0;
    }
    if (e->index >= driver.size_count) {
        return no_such();
    }
    e->type = V4L2_FRMSIZE_TYPE_DISCRETE;
    e->discrete = driver.sizes[driver.size_count == UINT32_MAX ? 0 : e->index];
    return 0;
}

static int tell_interval(struct v4l2_frmivalenum *e) {
    if (driver.has_interval_range) {
        e->type = V4L2_FRMIVAL_TYPE_STEPWISE;
        e->stepwise = (struct v4l2_frmival_stepwise){ .min = driver.intervals[0],
            .max = driver.intervals[1] };
        return 0;
    }
    if (e->index >= driver.interval_count) {
        return no_such();
    }
    e->type = V4L2_FRMIVAL_TYPE_DISCRETE;
    e->discrete = driver.intervals[e->index];
    return 0;
}

int ioctl(int fd, unsigned long request, ...) {
    va_list ap;
    va_start(ap, request);
    void *arg = va_arg(ap, void *);
    va_end(ap);
    assert_int_equal(fd, 77);
    driver.asked++;
    if (driver.interrupted > 0) {
        driver.interrupted--;
        errno = EINTR;
        return -1;
    }
    switch (request) {
    case VIDIOC_ENUM_FMT:
        return tell_format(arg);
    case VIDIOC_ENUM_FRAMESIZES:
        return tell_size(arg);
    case VIDIOC_ENUM_FRAMEINTERVALS:
        return tell_interval(arg);
    default:
        fail_msg("nothing else is asked");
        return -1;
    }
}

static int setup(void **state) {
    (void)state;
    memset(&driver, 0, sizeof(driver));
    driver.pixels[0] = V4L2_PIX_FMT_YUYV;
    driver.count = 1;
    driver.sizes[0] = (struct v4l2_frmsize_discrete){ 640, 480 };
    driver.size_count = 1;
    return 0;
}

static struct os_camera_formats formats_read(bool wanted) {
    struct os_camera_formats formats = { 0 };
    assert_int_equal(os_v4l2_formats_read(77, V4L2_BUF_TYPE_VIDEO_CAPTURE, &formats), wanted);
    return formats;
}

static void check_fps(double wanted) {
    struct os_camera_formats formats = formats_read(true);
    assert_int_equal(formats.count, 1);
    assert_true(formats.items[0].fps == wanted);
    os_camera_formats_finish(&formats);
}

static void lists_are_read(void **state) {
    (void)state;
    driver.pixels[1] = V4L2_PIX_FMT_MJPEG;
    driver.count = 2;
    driver.sizes[1] = (struct v4l2_frmsize_discrete){ 1280, 720 };
    driver.size_count = 2;
    driver.interrupted = 3;
    struct os_camera_formats formats = formats_read(true);
    assert_int_equal(formats.count, 4);
    assert_false(formats.items[0].is_jpeg);
    assert_int_equal(formats.items[1].width, 1280);
    assert_int_equal(formats.items[1].height, 720);
    assert_true(formats.items[3].is_jpeg);
    os_camera_formats_finish(&formats);
}

static void of_a_range_the_usual_sizes_count(void **state) {
    (void)state;
    driver.range = (struct v4l2_frmsize_stepwise){ .min_width = 320,
        .max_width = 1280,
        .step_width = 320,
        .min_height = 240,
        .max_height = 720,
        .step_height = 240 };
    struct os_camera_formats formats = formats_read(true); /* 1920x1080 is too large */
    assert_int_equal(formats.count, 3);
    assert_int_equal(formats.items[2].width, 1280);
    os_camera_formats_finish(&formats);
    driver.range.step_height = 480; /* 480 is no step from 240 */
    formats = formats_read(true);
    assert_int_equal(formats.count, 2);
    assert_int_equal(formats.items[1].height, 720);
    os_camera_formats_finish(&formats);
}

/* The fastest that a film can use, or else the slowest. */
static void the_best_rate_is_chosen(void **state) {
    (void)state;
    check_fps(0); /* it tells none */
    driver.intervals[0] = (struct v4l2_fract){ 1, 15 };
    driver.intervals[1] = (struct v4l2_fract){ 1, 30 };
    driver.intervals[2] = (struct v4l2_fract){ 1, 60 };
    driver.interval_count = 3;
    check_fps(30);
    driver.intervals[0] = (struct v4l2_fract){ 1, 120 };
    driver.intervals[1] = (struct v4l2_fract){ 1, 90 };
    check_fps(60);
    driver.has_interval_range = true; /* from 120 down to 90, to 5 */
    check_fps(90);
    driver.intervals[1] = (struct v4l2_fract){ 1, 5 };
    check_fps(30);
    driver.intervals[0] = (struct v4l2_fract){ 1, 10 };
    check_fps(10);
    driver.intervals[0] = (struct v4l2_fract){ 0, 10 }; /* no time at all between two */
    check_fps(0);
}

static void infrared_is_no_camera(void **state) {
    (void)state;
    driver.pixels[0] = V4L2_PIX_FMT_GREY;
    struct os_camera_formats formats = formats_read(false);
    assert_int_equal(formats.count, 0);
    driver.count = 0; /* it tells nothing: its source decides */
    formats = formats_read(true);
    assert_int_equal(formats.count, 0);
}

static void a_driver_that_never_ends_is_left(void **state) {
    (void)state;
    driver.count = driver.size_count = UINT32_MAX;
    struct os_camera_formats formats = formats_read(true);
    assert_int_equal(formats.count, OS_MAX_CAMERA_FORMATS);
    assert_true(driver.asked < 1u << 18);
    os_camera_formats_finish(&formats);
}

static void absurd_sizes_are_none(void **state) {
    (void)state;
    driver.sizes[0] = (struct v4l2_frmsize_discrete){ UINT32_MAX, 480 };
    driver.sizes[1] = (struct v4l2_frmsize_discrete){ 640, 0 };
    driver.sizes[2] = (struct v4l2_frmsize_discrete){ 65536, 65536 };
    driver.size_count = 3;
    struct os_camera_formats formats = formats_read(true);
    assert_int_equal(formats.count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(lists_are_read, setup),
        cmocka_unit_test_setup(of_a_range_the_usual_sizes_count, setup),
        cmocka_unit_test_setup(the_best_rate_is_chosen, setup),
        cmocka_unit_test_setup(infrared_is_no_camera, setup),
        cmocka_unit_test_setup(a_driver_that_never_ends_is_left, setup),
        cmocka_unit_test_setup(absurd_sizes_are_none, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
