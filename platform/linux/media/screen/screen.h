/* A screen that is looked at: where its pictures come from, whatever the session is made of.
 *
 *   Wayland ─▶ the ScreenCast portal, which asks the person
 *              ─▶ else the compositor's own screencopy (wlroots)
 *   X11     ─▶ the X server
 *
 * What is opened here stays open until the program ends, and goes away with it. */
#ifndef PLATFORM_LINUX_MEDIA_SCREEN_SCREEN_H
#define PLATFORM_LINUX_MEDIA_SCREEN_SCREEN_H

#include "lib/base/error.h"
#include "platform/linux/helper/serve.h"

#include <gst/gst.h>
#include <stdbool.h>
#include <stdint.h>

struct os_screen_opts {
    int64_t index; /* as asked for, not yet checked */
    int fps;
    bool is_film;              /* sides of an even length */
    const char *restore_token; /* portal: what the person has allowed before; may be NULL */
    int64_t consent_ms;        /* portal: how long the person may think */
};

struct os_screen {
    char *source; /* as a part of a gst-launch line: ends in raw video */
    /* Before the pipeline starts, for what does not go into a line; may be NULL. */
    void (*prepare)(GstElement *pipeline, void *user);
    void *user;
    bool was_asked; /* portal: the person may have seen the question; no other way answers it for
                       them */
};

/* What a request asks for. */
struct os_screen_opts os_screen_read_opts(const struct os_serve_request *request, int fps);
enum oc_code os_screen_open(
        const struct os_screen_opts *opts, struct os_screen *ret, struct oc_error *err) OC_MUST_USE;

/* The ways to open one. OC_E_NOT_FOUND: it cannot be done this way here; another may work.
 * OC_E_CLOSED: it should have worked, and may in a moment. */
enum oc_code os_screen_open_portal(
        const struct os_screen_opts *opts, struct os_screen *ret, struct oc_error *err) OC_MUST_USE;
enum oc_code os_screen_open_wlroots(
        const struct os_screen_opts *opts, struct os_screen *ret, struct oc_error *err) OC_MUST_USE;
enum oc_code os_screen_open_x11(
        const struct os_screen_opts *opts, struct os_screen *ret, struct oc_error *err) OC_MUST_USE;

/* OC_E_INVALID unless 0 <= index < count. */
enum oc_code os_screen_check_index(int64_t index, size_t count, struct oc_error *err) OC_MUST_USE;

#endif
