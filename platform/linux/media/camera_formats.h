/* The ways in which a camera can send pictures, and the best of them. */
#ifndef PLATFORM_LINUX_MEDIA_CAMERA_FORMATS_H
#define PLATFORM_LINUX_MEDIA_CAMERA_FORMATS_H

#include <stdbool.h>
#include <stddef.h>

struct os_camera_format {
    bool is_jpeg; /* else raw */
    int width, height;
    double fps; /* 0: unknown */
};

#define OS_MAX_CAMERA_FORMATS 256

struct os_camera_formats {
    struct os_camera_format *items;
    size_t count;
};

/* Ignores what cannot be used. */
void os_camera_formats_add(struct os_camera_formats *formats, const struct os_camera_format *f);
/* The smallest picture that is at least wanted_width wide, or else the widest; but rather one that
 * comes fluent_fps times a second than a large one. NULL when the camera tells nothing: then its
 * source decides. */
const struct os_camera_format *os_camera_formats_choose(
        const struct os_camera_formats *formats, int wanted_width, double fluent_fps);
void os_camera_formats_finish(struct os_camera_formats *formats);

#endif
