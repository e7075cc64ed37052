/* Pictures of the page: what its window shows, not what one could scroll to. */
#include "canvas/web/web.h"

#include "canvas/paint/paint.h"
#include "canvas/paint/pixels.h"
#include "lib/base/mem.h"
#include "lib/helper/packet.h"

#include <math.h>

#define LOOK_MS 8000
#define MAX_PICTURE ((size_t)256 * 1024 * 1024)

struct look {
    struct cv_web *web;
    unsigned serial;
    bool is_png;
    unsigned max_width;
    double quality;
    size_t max_bytes;
    bool is_view;
    int64_t since; /* view: what is known already */
};

/* On white, as paper is: a page need not have a background. */
static cairo_surface_t *view_flatten(GdkTexture *texture) {
    int width = gdk_texture_get_width(texture), height = gdk_texture_get_height(texture);
    cairo_surface_t *seen = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height),
                    *flat = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    if (cairo_surface_status(seen) == CAIRO_STATUS_SUCCESS) {
        gdk_texture_download(texture, cairo_image_surface_get_data(seen),
                (gsize)cairo_image_surface_get_stride(seen));
        cairo_surface_mark_dirty(seen);
    }
    cairo_t *cr = cairo_create(flat);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    cairo_set_source_surface(cr, seen, 0, 0);
    cairo_paint(cr);
    cairo_destroy(cr);
    cairo_surface_destroy(seen);
    return flat;
}

static enum oc_code view_encode(
        const struct look *l, GdkTexture *texture, struct oc_buf *ret, struct oc_error *err) {
    struct cv_pixels *p = cv_pixels_create();
    p->w = gdk_texture_get_width(texture);
    p->h = gdk_texture_get_height(texture);
    p->scale = 1;
    p->surface = view_flatten(texture);
    enum oc_code rc = cv_pixels_encode(
            p, l->is_png ? CV_PICTURE_PNG : CV_PICTURE_JPEG, l->max_width, l->quality, ret, err);
    cv_pixels_destroy(p);
    if (rc == OC_OK && l->max_bytes > 0 && ret->len > l->max_bytes) {
        rc = oc_fail(err, OC_E_TOO_LARGE,
                "the picture has %zu bytes, and %zu fit into an answer; ask for a smaller maxWidth "
                "or for jpeg",
                ret->len, l->max_bytes);
    }
    return rc;
}

/* The same picture has the same number; never one that the canvas gives to its own. */
static int64_t number_of(const struct oc_buf *picture) {
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < picture->len; i++) {
        hash = (hash ^ (unsigned char)picture->data[i]) * UINT64_C(1099511628211);
    }
    return (int64_t)(hash >> 13 | UINT64_C(1) << 51);
}

static void answer_picture(const struct look *l, GdkTexture *texture) {
    unsigned w = (unsigned)gdk_texture_get_width(texture),
             h = (unsigned)gdk_texture_get_height(texture);
    OC_AUTO_BUF struct oc_buf picture = OC_BUF_INIT(MAX_PICTURE);
    struct oc_error err;
    if (view_encode(l, texture, &picture, &err) != OC_OK) {
        cv_web_fail(l->web, CV_WEB_UNAVAILABLE, "%s", err.text);
        return;
    }
    if (l->max_width > 0 && l->max_width < w) {
        h = (unsigned)lround((double)h * l->max_width / w);
        w = l->max_width;
    }
    cJSON *result = cJSON_CreateObject();
    if (l->is_view) {
        int64_t rev = number_of(&picture);
        oc_json_set_int(result, "rev", rev);
        oc_json_set_bool(result, "changed", rev != l->since);
        oc_json_set_bool(result, "polled", true); /* pages do not say when they change */
        if (rev == l->since) {
            oc_buf_clear(&picture);
        }
    }
    oc_json_set_str(result, "format", l->is_png ? "png" : "jpeg");
    oc_json_set_int(result, "width", w);
    oc_json_set_int(result, "height", h > 0 ? h : 1);
    cv_web_send_answer(
            l->web, result, picture.len > 0 ? oc_sealed_create(picture.data, picture.len) : -1);
}

static void on_seen(GObject *object, GAsyncResult *result, gpointer user) {
    g_autofree struct look *l = user;
    g_autoptr(GError) error = NULL;
    g_autoptr(GdkTexture) texture =
            webkit_web_view_get_snapshot_finish(WEBKIT_WEB_VIEW(object), result, &error);
    if (!cv_web_is_current(l->web, l->serial)) {
        return;
    }
    if (texture) {
        answer_picture(l, texture);
    } else {
        cv_web_fail(l->web, CV_WEB_UNAVAILABLE, "no picture of the page: %s", error->message);
    }
}

static void on_late(struct cv_web *w) {
    cv_web_fail(w, CV_WEB_UNAVAILABLE, "the page does not answer; it is loaded again");
    cv_web_restart_page(w);
}

static void view_look(struct cv_web *w, const struct look *as, cv_web_done *done, void *user) {
    cv_web_begin(w, LOOK_MS, on_late, done, user);
    struct look *l = g_new(struct look, 1);
    *l = *as;
    l->web = w;
    l->serial = w->ask.serial;
    webkit_web_view_get_snapshot(w->view, WEBKIT_SNAPSHOT_REGION_VISIBLE,
            WEBKIT_SNAPSHOT_OPTIONS_NONE, NULL, on_seen, l);
}

void cv_web_snapshot(struct cv_web *w, const cJSON *params, cv_web_done *done, void *user) {
    struct look l = { .is_png = oc_streq(oc_json_get_str(params, "format"), "png"),
        .max_width = (unsigned)oc_json_clamp_int(params, "maxWidth", 0, 65535, 0),
        .quality = oc_json_get_num(params, "quality", 0, 1, 0.9),
        .max_bytes = (size_t)oc_json_get_int(params, "maxBytes", 0, INT32_MAX, 0) };
    view_look(w, &l, done, user);
}

void cv_web_view(struct cv_web *w, const cJSON *params, cv_web_done *done, void *user) {
    struct look l = { .is_png = true,
        .is_view = true,
        .since = oc_json_get_int(params, "since", 0, OC_JSON_MAX_EXACT, -1) };
    view_look(w, &l, done, user);
}
