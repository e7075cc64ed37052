/* The outputs of a Wayland compositor that lets its clients look (Sway and others made of
 * wlroots). */
#include "platform/linux/media/screen/screen.h"

#include "lib/base/mem.h"
#include "platform/linux/media/guard.h"
#include "platform/linux/media/screen/wlr_screen.h"

#include <string.h>

enum { MAX_OUTPUTS = 16, ANSWER_MS = 4000 };

struct output {
    struct wl_output *proxy;
    int32_t transform;
};

struct found {
    struct wl_shm *shm;
    struct os_screencopy *manager;
    struct output outputs[MAX_OUTPUTS]; /* as the compositor announces them */
    size_t count;
};

static void on_geometry(void *user, struct wl_output *proxy, int32_t x, int32_t y, int32_t width_mm,
        int32_t height_mm, int32_t subpixel, const char *make, const char *model,
        int32_t transform) {
    struct output *o = user;
    (void)proxy;
    (void)x;
    (void)y;
    (void)width_mm;
    (void)height_mm;
    (void)subpixel;
    (void)make;
    (void)model;
    o->transform = transform;
}

static void on_mode(void *user, struct wl_output *proxy, uint32_t flags, int32_t width,
        int32_t height, int32_t refresh) {
    (void)user;
    (void)proxy;
    (void)flags;
    (void)width;
    (void)height;
    (void)refresh;
}

static const struct wl_output_listener output_listener = { .geometry = on_geometry,
    .mode = on_mode };

/* A monitor that stands on its side is copied lying down. */
static const char *screen_wlroots_upright(int32_t transform) {
    static const char *const directions[] = { [WL_OUTPUT_TRANSFORM_90] = "90r",
        [WL_OUTPUT_TRANSFORM_180] = "180",
        [WL_OUTPUT_TRANSFORM_270] = "90l",
        [WL_OUTPUT_TRANSFORM_FLIPPED] = "horiz",
        [WL_OUTPUT_TRANSFORM_FLIPPED_90] = "ul-lr",
        [WL_OUTPUT_TRANSFORM_FLIPPED_180] = "vert",
        [WL_OUTPUT_TRANSFORM_FLIPPED_270] = "ur-ll" };
    return transform > 0 && (size_t)transform < OC_COUNT(directions) ? directions[transform]
                                                                     : "identity";
}

static void on_global(void *user, struct wl_registry *registry, uint32_t name,
        const char *interface, uint32_t version) {
    struct found *f = user;
    if (strcmp(interface, wl_output_interface.name) == 0) {
        if (f->count < MAX_OUTPUTS) {
            struct output *o = &f->outputs[f->count++];
            o->proxy = wl_registry_bind(registry, name, &wl_output_interface, 1);
            wl_output_add_listener(o->proxy, &output_listener, o);
        }
    } else if (strcmp(interface, wl_shm_interface.name) == 0) {
        f->shm = wl_registry_bind(registry, name, &wl_shm_interface, 1);
    } else if (strcmp(interface, os_screencopy_interface.name) == 0 &&
               version >= OS_SCREENCOPY_VERSION) {
        f->manager =
                wl_registry_bind(registry, name, &os_screencopy_interface, OS_SCREENCOPY_VERSION);
    }
}

static void on_global_remove(void *user, struct wl_registry *registry, uint32_t name) {
    (void)user;
    (void)registry;
    (void)name;
}

static void screen_wlroots_prepare(GstElement *pipeline, void *user) {
    os_wlr_screen_push(pipeline, user);
}

enum oc_code os_screen_open_wlroots(
        const struct os_screen_opts *opts, struct os_screen *ret, struct oc_error *err) {
    static const struct wl_registry_listener listener = { on_global, on_global_remove };
    struct found found = { 0 };
    struct wl_display *display = wl_display_connect(NULL);
    if (!display) {
        return oc_fail(err, OC_E_NOT_FOUND, "the compositor does not answer");
    }
    wl_registry_add_listener(wl_display_get_registry(display), &listener, &found);
    os_guard_begin(ANSWER_MS, "the compositor does not answer");
    int told = wl_display_roundtrip(display);               /* what there is */
    told = told < 0 ? told : wl_display_roundtrip(display); /* what it is like */
    os_guard_end();
    if (told < 0 || !found.manager || !found.shm || found.count == 0) {
        wl_display_disconnect(display);
        return oc_fail(err, OC_E_NOT_FOUND, "the compositor has no wlr-screencopy");
    }
    enum oc_code rc = os_screen_check_index(opts->index, found.count, err);
    if (rc != OC_OK) {
        wl_display_disconnect(display);
        return rc;
    }
    struct os_wlr_screen *screen = oc_new(struct os_wlr_screen);
    *screen = (struct os_wlr_screen){ .display = display,
        .shm = found.shm,
        .manager = found.manager,
        .output = found.outputs[opts->index].proxy,
        .fps = opts->fps,
        .even = opts->is_film };
    *ret = (struct os_screen){
        .source = oc_strfmt("appsrc name=screen is-live=true format=time do-timestamp=true "
                            "max-buffers=3 leaky-type=downstream ! videoflip video-direction=%s",
                screen_wlroots_upright(found.outputs[opts->index].transform)),
        .prepare = screen_wlroots_prepare,
        .user = screen
    };
    return OC_OK;
}
