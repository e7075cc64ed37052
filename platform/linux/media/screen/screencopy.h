/* The Wayland protocol wlr-screencopy-unstable-v1, version 3: how a client of a wlroots compositor
 * sees the screen. Only what we say and hear. */
#ifndef PLATFORM_LINUX_MEDIA_SCREEN_SCREENCOPY_H
#define PLATFORM_LINUX_MEDIA_SCREEN_SCREENCOPY_H

#include <stdbool.h>
#include <stdint.h>
#include <wayland-client.h>

#define OS_SCREENCOPY_VERSION 3
#define OS_SCREENCOPY_Y_INVERT 1u /* of the flags */

struct os_screencopy;       /* zwlr_screencopy_manager_v1 */
struct os_screencopy_frame; /* zwlr_screencopy_frame_v1 */

/* In the order of the wire. */
struct os_screencopy_frame_listener {
    void (*buffer)(void *user, struct os_screencopy_frame *frame, uint32_t format, uint32_t width,
            uint32_t height, uint32_t stride);
    void (*flags)(void *user, struct os_screencopy_frame *frame, uint32_t flags);
    void (*ready)(void *user, struct os_screencopy_frame *frame, uint32_t sec_high,
            uint32_t sec_low, uint32_t nsec);
    void (*failed)(void *user, struct os_screencopy_frame *frame);
    void (*damage)(void *user, struct os_screencopy_frame *frame, uint32_t x, uint32_t y,
            uint32_t width, uint32_t height);
    void (*linux_dmabuf)(void *user, struct os_screencopy_frame *frame, uint32_t format,
            uint32_t width, uint32_t height);
    void (*buffer_done)(void *user, struct os_screencopy_frame *frame);
};

extern const struct wl_interface os_screencopy_interface;

struct os_screencopy_frame *os_screencopy_capture(struct os_screencopy *manager,
        struct wl_output *output, const struct os_screencopy_frame_listener *listener, void *user);
/* when_changed: not before something has changed since the last frame. */
void os_screencopy_copy(
        struct os_screencopy_frame *frame, struct wl_buffer *buffer, bool when_changed);
void os_screencopy_destroy(struct os_screencopy_frame *frame);

#endif
