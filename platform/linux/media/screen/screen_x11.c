/* The X server's screen, cut into its RandR monitors. */
#include "platform/linux/media/screen/screen.h"

#include "lib/base/mem.h"
#include "platform/linux/media/guard.h"

#include <stdlib.h>
#include <unistd.h>
#include <xcb/randr.h>
#include <xcb/xcb.h>

enum { ANSWER_MS = 4000 };

struct area {
    int x, y, width, height;
};

static xcb_screen_t *find_screen(xcb_connection_t *c, int number) {
    xcb_screen_iterator_t it = xcb_setup_roots_iterator(xcb_get_setup(c));
    for (; it.rem > 0; xcb_screen_next(&it)) {
        if (number-- == 0) {
            return it.data;
        }
    }
    return NULL;
}

/* A monitor may reach beyond the screen, where there are no pixels. */
static bool screen_x11_clip(struct area *a, const struct area *screen) {
    int right = a->x + a->width < screen->width ? a->x + a->width : screen->width;
    int bottom = a->y + a->height < screen->height ? a->y + a->height : screen->height;
    a->x = a->x > 0 ? a->x : 0;
    a->y = a->y > 0 ? a->y : 0;
    a->width = right - a->x;
    a->height = bottom - a->y;
    return a->width >= 2 && a->height >= 2;
}

/* The primary monitor comes first, as the server tells it. None: a server without RandR 1.5 has one
 * screen. */
static size_t list_monitors(
        xcb_connection_t *c, const xcb_screen_t *screen, struct area *ret, size_t max) {
    const struct area whole = { 0, 0, screen->width_in_pixels, screen->height_in_pixels };
    const xcb_query_extension_reply_t *extension = xcb_get_extension_data(c, &xcb_randr_id);
    size_t count = 0;
    xcb_randr_get_monitors_reply_t *reply = NULL;
    if (extension && extension->present) {
        xcb_generic_error_t *problem = NULL;
        reply = xcb_randr_get_monitors_reply(
                c, xcb_randr_get_monitors(c, screen->root, 1), &problem);
        free(problem);
    }
    if (reply) {
        xcb_randr_monitor_info_iterator_t it = xcb_randr_get_monitors_monitors_iterator(reply);
        for (; it.rem > 0 && count < max; xcb_randr_monitor_info_next(&it)) {
            struct area a = { it.data->x, it.data->y, it.data->width, it.data->height };
            if (screen_x11_clip(&a, &whole)) {
                ret[count++] = a;
            }
        }
        free(reply);
    }
    if (count == 0) {
        ret[count++] = whole;
    }
    return count;
}

static enum oc_code find_area(int64_t index, struct area *ret, struct oc_error *err) {
    enum { MAX_MONITORS = 64 };
    struct area areas[MAX_MONITORS];
    int number = 0;
    xcb_connection_t *c = xcb_connect(NULL, &number);
    xcb_screen_t *screen = xcb_connection_has_error(c) ? NULL : find_screen(c, number);
    enum oc_code rc;
    if (!screen) {
        rc = oc_fail_wire(err, OC_E_UNAVAILABLE, "UNAVAILABLE",
                "the X display %s cannot be opened: there is no server, or "
                "XAUTHORITY does not let us in",
                getenv("DISPLAY"));
    } else {
        size_t count = list_monitors(c, screen, areas, MAX_MONITORS);
        rc = os_screen_check_index(index, count, err);
        if (rc == OC_OK) {
            *ret = areas[index];
        }
    }
    xcb_disconnect(c);
    return rc;
}

/* Xlib, which reads the pictures, ends the program when the server is gone. */
static void on_exit_by_xlib(void) {
    if (!os_serve_has_answered()) {
        os_serve_error("UNAVAILABLE", "UNAVAILABLE: the X server went away");
    }
    _exit(1);
}

/* With damage the server is asked only for what has changed: a desktop on which nothing happens
 * costs next to nothing. */
enum oc_code os_screen_open_x11(
        const struct os_screen_opts *opts, struct os_screen *ret, struct oc_error *err) {
    struct area a = { 0 };
    os_guard_begin(ANSWER_MS, "the X server does not answer");
    enum oc_code rc = find_area(opts->index, &a, err);
    os_guard_end();
    if (rc != OC_OK) {
        return rc;
    }
    atexit(on_exit_by_xlib);
    if (opts->is_film) {
        a.width &= ~1;
        a.height &= ~1;
    }
    *ret = (struct os_screen){
        .source = oc_strfmt("ximagesrc show-pointer=true use-damage=true startx=%d "
                            "starty=%d endx=%d endy=%d ! video/x-raw,framerate=%d/1",
                a.x, a.y, a.x + a.width - 1, a.y + a.height - 1, opts->fps)
    };
    return OC_OK;
}
