#include "platform/linux/media/screen/screencopy.h"

#include "lib/base/mem.h"

enum { MANAGER_CAPTURE_OUTPUT = 0 };
enum { FRAME_COPY = 0, FRAME_DESTROY = 1, FRAME_COPY_WITH_DAMAGE = 2 };

static const struct wl_interface frame_interface;

/* Types of arguments that are objects; NULL for numbers. */
static const struct wl_interface *none[7];
static const struct wl_interface *capture_types[] = { &frame_interface, NULL, &wl_output_interface,
    NULL, NULL, NULL, NULL };
static const struct wl_interface *buffer_types[] = { &wl_buffer_interface };

static const struct wl_message manager_requests[] = {
    { "capture_output", "nio", capture_types },
    { "capture_output_region", "nioiiii", capture_types },
    { "destroy", "", none },
};

const struct wl_interface os_screencopy_interface = { "zwlr_screencopy_manager_v1",
    OS_SCREENCOPY_VERSION, OC_COUNT(manager_requests), manager_requests, 0, NULL };

static const struct wl_message frame_requests[] = {
    { "copy", "o", buffer_types },
    { "destroy", "", none },
    { "copy_with_damage", "2o", buffer_types },
};

static const struct wl_message frame_events[] = {
    { "buffer", "uuuu", none },
    { "flags", "u", none },
    { "ready", "uuu", none },
    { "failed", "", none },
    { "damage", "2uuuu", none },
    { "linux_dmabuf", "3uuu", none },
    { "buffer_done", "3", none },
};

static const struct wl_interface frame_interface = { "zwlr_screencopy_frame_v1",
    OS_SCREENCOPY_VERSION, OC_COUNT(frame_requests), frame_requests, OC_COUNT(frame_events),
    frame_events };

struct os_screencopy_frame *os_screencopy_capture(struct os_screencopy *manager,
        struct wl_output *output, const struct os_screencopy_frame_listener *listener, void *user) {
    enum { WITH_POINTER = 1 };
    struct wl_proxy *frame =
            wl_proxy_marshal_flags((struct wl_proxy *)manager, MANAGER_CAPTURE_OUTPUT,
                    &frame_interface, OS_SCREENCOPY_VERSION, 0, NULL, WITH_POINTER, output);
    if (frame) {
        /* libwayland wants a table of functions, which is what the struct is. */
        wl_proxy_add_listener(frame, (void (**)(void))(void *)listener, user);
    }
    return (struct os_screencopy_frame *)frame;
}

void os_screencopy_copy(
        struct os_screencopy_frame *frame, struct wl_buffer *buffer, bool when_changed) {
    wl_proxy_marshal_flags((struct wl_proxy *)frame,
            when_changed ? FRAME_COPY_WITH_DAMAGE : FRAME_COPY, NULL, OS_SCREENCOPY_VERSION, 0,
            buffer);
}

void os_screencopy_destroy(struct os_screencopy_frame *frame) {
    wl_proxy_marshal_flags((struct wl_proxy *)frame, FRAME_DESTROY, NULL, OS_SCREENCOPY_VERSION,
            WL_MARSHAL_FLAG_DESTROY);
}
