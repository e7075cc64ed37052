/* What the PipeWire daemon of the session has: asked once, in a few milliseconds. Asked before
 * anything is opened, because opening a target that does not exist blocks for half a minute. */
#ifndef PLATFORM_LINUX_MEDIA_PW_NODES_H
#define PLATFORM_LINUX_MEDIA_PW_NODES_H

#include "lib/base/error.h"
#include "platform/linux/media/camera_formats.h"

#include <stdbool.h>
#include <stddef.h>

#define OS_MAX_PW_NODES 64

struct os_pw_node {
    char *name, *description; /* stable; for people */
    char *serial;             /* what it is opened by: unlike the name it is never shared */
    char *role;               /* "Camera", "Screen" or NULL */
    char *location;           /* "front", "back", "external" or NULL */
    char *api;                /* "v4l2", "libcamera" or NULL */
    char *error;              /* why it does not work, or NULL */
    bool is_running;          /* somebody uses it, and it works */
    int priority;
    struct os_camera_formats formats;
};

#define OS_PW_NO_MANAGER                                                               \
    "PipeWire has no session manager, which finds cameras and links them; start one: " \
    "systemctl --user start wireplumber"

struct os_pw_nodes {
    struct os_pw_node *video_sources;
    size_t count;
    bool has_audio_source; /* a microphone of any kind */
    bool has_audio_sink;   /* something to play on, of any kind */
    bool has_manager; /* somebody finds devices and links them; who comes by the portal does not see
                         it */
};

/* take_fd: a connection that the portal gave; -1: the session's own daemon. OC_E_UNAVAILABLE: there
 * is no PipeWire; OC_E_DENIED: it does not let us in; OC_E_TIMEOUT: it does not answer. */
enum oc_code os_pw_nodes_list(
        int take_fd, struct os_pw_nodes *ret, struct oc_error *err) OC_MUST_USE;
/* What PipeWire says now about a node that does not send; "" when nothing. Caller frees. */
char *os_pw_node_complaint(int take_fd, const char *serial);
void os_pw_nodes_finish(struct os_pw_nodes *nodes);

#endif
