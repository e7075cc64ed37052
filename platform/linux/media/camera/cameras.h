/* The cameras of this machine: PipeWire's, or V4L2's when PipeWire has none, or those that the
 * desktop's portal gives when there are none for us without it. */
#ifndef PLATFORM_LINUX_MEDIA_CAMERA_CAMERAS_H
#define PLATFORM_LINUX_MEDIA_CAMERA_CAMERAS_H

#include "lib/base/error.h"
#include "lib/json/json.h"
#include "platform/linux/media/camera/camera_portal.h"
#include "platform/linux/media/pw_nodes.h"

#include <stdbool.h>
#include <stddef.h>

struct os_camera {
    char *id;             /* stays the same when the machine is started again */
    char *name;           /* for people */
    const char *position; /* "front", "back" or NULL */
    char *device_type;
    int priority;
    const struct os_pw_node *node;         /* NULL: V4L2 */
    const struct os_camera_portal *portal; /* by which PipeWire is reached; NULL: without one */
    /* V4L2: */
    char *path; /* of the device, which may get another one when the machine is started again */
    struct os_camera_formats formats;
    bool has_no_aspect; /* its driver does not tell the shape of its pixels */
};

struct os_cameras {
    struct os_camera *items; /* the best first */
    size_t count;
    struct os_pw_nodes nodes;
    struct os_camera_portal portal;
    char *refused; /* the path of a V4L2 device that does not let us in, or NULL */
};

/* params as the task's: consentMs is how long a person may think whom the portal has to ask; 0:
 * nobody is asked. None at all is no error. */
enum oc_code os_cameras_list(
        const cJSON *params, struct os_cameras *ret, struct oc_error *err) OC_MUST_USE;
void os_cameras_finish(struct os_cameras *cameras);
/* Either may be NULL. */
enum oc_code os_cameras_pick(const struct os_cameras *cameras, const char *device_id,
        const char *facing, const struct os_camera **ret, struct oc_error *err) OC_MUST_USE;
/* Whether "front" and "back" both mean this one. */
bool os_cameras_is_both_sides(const struct os_cameras *cameras, const struct os_camera *camera);
/* How to open it, as a part of a gst-launch line that ends in raw video. Caller frees. */
char *os_camera_source(const struct os_camera *camera, int wanted_width, double fluent_fps);

/* Adds to the error of a camera that sends nothing what PipeWire knows about the reason. */
void os_camera_explain(const struct os_camera *camera, struct oc_error *err);

/* Where its name says that it looks, or NULL. */
const char *os_camera_position(const char *name);

/* For cameras.c: adds to what is there. */
void os_cameras_add_v4l2(struct os_cameras *cameras);
void os_cameras_add(struct os_cameras *cameras, const struct os_camera *camera);

#endif
