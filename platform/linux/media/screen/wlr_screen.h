/* Pictures of an output of a wlroots compositor, pushed into an appsrc by a thread of its own. */
#ifndef PLATFORM_LINUX_MEDIA_SCREEN_WLR_SCREEN_H
#define PLATFORM_LINUX_MEDIA_SCREEN_WLR_SCREEN_H

#include "platform/linux/media/screen/screencopy.h"

#include <gst/gst.h>
#include <stdbool.h>

struct os_wlr_screen {
    struct wl_display *display;
    struct wl_shm *shm;
    struct os_screencopy *manager;
    struct wl_output *output;
    int fps;
    bool even;
};

/* The element "screen" of the pipeline gets the pictures, until the program ends. Takes the display
 * for itself. */
void os_wlr_screen_push(GstElement *pipeline, const struct os_wlr_screen *screen);

#endif
