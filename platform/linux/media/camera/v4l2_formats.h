/* Reading what a V4L2 camera offers. */
#ifndef PLATFORM_LINUX_MEDIA_CAMERA_V4L2_FORMATS_H
#define PLATFORM_LINUX_MEDIA_CAMERA_V4L2_FORMATS_H

#include "platform/linux/media/camera_formats.h"

#include <stdint.h>

/* As ioctl(2), but goes on after a signal. */
int os_v4l2_ask(int fd, unsigned long request, void *arg);
/* type: V4L2_BUF_TYPE_VIDEO_CAPTURE or its _MPLANE. Tells whether it knows colours: cameras that
 * recognize faces see infrared only. */
bool os_v4l2_formats_read(int fd, uint32_t type, struct os_camera_formats *ret);

#endif
