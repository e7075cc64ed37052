/* V4L2 cameras, for machines without PipeWire. The drivers themselves are asked: to be listed takes
 * no GStreamer, and left to itself that would open a camera at its largest size, at which many send
 * two pictures a second. */
#include "platform/linux/media/camera/cameras.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/files/file.h"
#include "platform/linux/media/camera/v4l2_formats.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <string.h>
#include <sys/stat.h>

#define BY_PATH "/dev/v4l/by-path"
enum { MAX_CAMERAS = 64, MAX_NUMBER = 1 << 20, INFRARED = -2 * MAX_NUMBER };

/* Goes into a gst-launch line. */
static bool is_plain(const char *name) {
    return strspn(name, "-_.:abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") ==
           strlen(name);
}

/* udev names a device after where it is plugged in; its number depends on which driver came first.
 * NULL without udev. */
static char *find_link(dev_t device) {
    DIR *dir = opendir(BY_PATH);
    struct dirent *e;
    char *best = NULL;
    while (dir && (e = readdir(dir))) {
        OC_AUTO_FREE char *path = oc_strfmt(BY_PATH "/%s", e->d_name);
        struct stat st;
        if (is_plain(e->d_name) && stat(path, &st) == 0 && S_ISCHR(st.st_mode) &&
                st.st_rdev == device && (!best || strcmp(path, best) < 0)) {
            oc_free(best);
            best = oc_take(&path);
        }
    }
    if (dir) {
        closedir(dir);
    }
    return best;
}

/* 0: it takes no pictures. Codecs and metadata have devices too. */
static uint32_t buffer_type(const struct v4l2_capability *c) {
    uint32_t can = c->capabilities & V4L2_CAP_DEVICE_CAPS ? c->device_caps : c->capabilities;
    if (can & (V4L2_CAP_VIDEO_M2M | V4L2_CAP_VIDEO_M2M_MPLANE)) {
        return 0;
    }
    return can & V4L2_CAP_VIDEO_CAPTURE          ? V4L2_BUF_TYPE_VIDEO_CAPTURE
           : can & V4L2_CAP_VIDEO_CAPTURE_MPLANE ? V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE
                                                 : 0;
}

/* GStreamer would take pixels of a 2147483647th of their height then. */
static bool has_no_aspect(int fd, uint32_t type) {
    struct v4l2_cropcap c = { .type = type };
    return os_v4l2_ask(fd, VIDIOC_CROPCAP, &c) != 0 || c.pixelaspect.numerator == 0 ||
           c.pixelaspect.denominator == 0;
}

static void cameras_v4l2_add(struct os_cameras *cameras, const char *path, int number) {
    OC_AUTO_FD int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    struct v4l2_capability c = { 0 };
    struct stat st;
    if (fd < 0 && (errno == EACCES || errno == EPERM) && !cameras->refused) {
        cameras->refused = oc_strdup(path);
    }
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISCHR(st.st_mode) ||
            os_v4l2_ask(fd, VIDIOC_QUERYCAP, &c) != 0 || buffer_type(&c) == 0) {
        return;
    }
    struct os_camera camera = { .path = oc_strdup(path),
        .device_type = oc_strdup("v4l2"),
        .name = oc_printable((const char *)c.card, strnlen((const char *)c.card, sizeof(c.card)),
                sizeof(c.card)),
        .id = find_link(st.st_rdev) };
    camera.id = camera.id ? camera.id : oc_strdup(path);
    bool has_colour = os_v4l2_formats_read(fd, buffer_type(&c), &camera.formats);
    camera.priority = (has_colour ? 0 : INFRARED) - number;
    camera.has_no_aspect = has_no_aspect(fd, buffer_type(&c));
    camera.position = os_camera_position(camera.name);
    os_cameras_add(cameras, &camera);
}

void os_cameras_add_v4l2(struct os_cameras *cameras) {
    DIR *dir = opendir("/dev");
    struct dirent *e;
    while (dir && (e = readdir(dir)) && cameras->count < MAX_CAMERAS) {
        int64_t number;
        if (oc_starts_with(e->d_name, "video") &&
                oc_parse_int(e->d_name + strlen("video"), 0, MAX_NUMBER, &number)) {
            OC_AUTO_FREE char *path = oc_strfmt("/dev/%s", e->d_name);
            cameras_v4l2_add(cameras, path, (int)number);
        }
    }
    if (dir) {
        closedir(dir);
    }
}
