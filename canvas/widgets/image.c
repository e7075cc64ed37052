/* Image: a picture in a box that its usageHint decides. What is not there yet, or cannot be shown,
 * keeps its box: a plain one while it loads, altText and a broken picture when it failed. */
#include "canvas/images/images.h"
#include "canvas/scene/box.h"

#include <math.h>
#include <string.h>

enum image_hint { NONE, ICON, AVATAR, SMALL, MEDIUM, LARGE, HEADER };

#define ICON_PX 24
#define AVATAR_PX 40
#define SMALL_W 100
#define MEDIUM_H 200
#define LARGE_H 400
#define HEADER_H 200
#define EMPTY_W 320 /* of a picture whose size is not known */
#define EMPTY_H 180

struct image_state {
    const struct cv_image *image;
    struct cv_text *alt;
    enum image_hint hint;
    enum cv_fit fit;
};

static void tell_failed(
        struct cv_scene *s, const struct cv_item *it, const char *error, const char *url) {
    cv_diags_add(s->diags, CV_DIAG_WARNING, it->component->line, it->surface->id, it->id,
            "image-failed", *url ? "%s: %.200s" : "%s", error, url);
}

static void image_resolve(struct cv_scene *s, struct cv_item *it) {
    static const char *const hints[] = { "", "icon", "avatar", "smallFeature", "mediumFeature",
        "largeFeature", "header", NULL };
    static const char *const fits[] = { "fill", "contain", "cover", "none", "scale-down", NULL };
    struct image_state *st = it->state;
    const char *url = cv_item_url(s, it, "url"), *alt = cv_item_text(s, it, "altText");
    st->image = cv_images_get(s->images, (struct oc_slice){ url, strlen(url) });
    st->hint = (enum image_hint)cv_item_choice(s, it, "usageHint", hints, NONE);
    int fit = cv_item_choice(s, it, "fit", fits, -1);
    bool is_cropped = st->hint == AVATAR ||
                      st->hint == HEADER; /* round and wide ones are filled without distortion */
    st->fit = fit >= 0 ? (enum cv_fit)fit : is_cropped ? CV_FIT_COVER : CV_FIT_FILL;
    struct cv_text_style style = cv_item_style(it, CV_HINT_CAPTION, it->theme->muted);
    style.align = CV_ALIGN_CENTER;
    st->alt = cv_text_get(s->texts, (struct oc_slice){ alt, strlen(alt) }, &style);
    if (st->image->state != CV_IMAGE_READY) { /* it stands for the picture */
        cv_item_shows(it, st->alt);
    }
    it->text = alt;
    if (st->image->state == CV_IMAGE_FAILED) {
        tell_failed(s, it, st->image->error, url);
    }
}

static void image_natural(const struct image_state *st, double *ret_w, double *ret_h) {
    bool known = st->image->state == CV_IMAGE_READY && st->image->w > 0 && st->image->h > 0;
    *ret_w = known ? st->image->w : EMPTY_W;
    *ret_h = known ? st->image->h : EMPTY_H;
}

/* What it wants to be, in a cell of this width. */
static void image_wanted(const struct image_state *st, double room, double *ret_w, double *ret_h) {
    double w, h;
    image_natural(st, &w, &h);
    double most_h = st->hint == MEDIUM ? MEDIUM_H : st->hint == LARGE ? LARGE_H : INFINITY;
    switch (st->hint) {
    case ICON:
    case AVATAR:
        w = h = st->hint == ICON ? ICON_PX : AVATAR_PX;
        break;
    case HEADER:
        w = room;
        h = HEADER_H;
        break;
    case NONE:
        h = st->image->state == CV_IMAGE_READY ? room * h / w : fmin(room * h / w, EMPTY_H);
        w = room;
        break;
    case SMALL:
    case MEDIUM:
    case LARGE: {
        double most_w = st->hint == SMALL ? fmin(SMALL_W, room) : room;
        double shrink = fmin(1, fmin(most_w / w, most_h / h));
        w *= shrink;
        h *= shrink;
        break;
    }
    }
    *ret_w = w;
    *ret_h = fmin(h, 20000); /* a picture of one column of pixels is not a page of its own */
}

static void image_intrinsic(struct cv_scene *s, struct cv_item *it) {
    (void)s;
    double w, h;
    const struct image_state *st = it->state;
    if (st->hint == NONE || st->hint == HEADER) {
        image_natural(st, &w, &h);
    } else {
        image_wanted(st, INFINITY, &w, &h);
    }
    it->max_w = w;
    it->min_w = st->hint == ICON || st->hint == AVATAR ? w : 0;
}

static void height_image(struct cv_scene *s, struct cv_item *it) {
    (void)s;
    double w;
    image_wanted(it->state, it->w, &w, &it->nat_h);
}

static void paint_missing(
        const struct cv_item *it, struct cv_rect r, double radius, struct cv_display_list *dl) {
    const struct image_state *st = it->state;
    cv_dl_box(dl, r, radius, it->theme->placeholder_box, 0, 0);
    if (st->image->state == CV_IMAGE_LOADING) {
        return;
    }
    double px = fmin(it->theme->icon_px, fmin(r.w, r.h));
    double alt_h = it->text && *it->text ? cv_text_height(st->alt, r.w - 16) : 0;
    bool has_room = alt_h > 0 && r.w > 60 && px + 4 + alt_h <= r.h;
    double y = r.y + (r.h - px - (has_room ? 4 + alt_h : 0)) / 2;
    cv_dl_icon(dl, (struct cv_rect){ r.x + (r.w - px) / 2, y, px, px }, "brokenImage",
            it->theme->muted);
    if (has_room) {
        cv_dl_text(dl, r.x + 8, y + px + 4, r.w - 16, st->alt);
    }
}

static void image_paint(struct cv_scene *s, const struct cv_item *it, struct cv_display_list *dl) {
    (void)s;
    const struct image_state *st = it->state;
    struct cv_rect r = cv_item_box(it);
    if (st->hint != NONE) {
        image_wanted(st, it->w, &r.w, &r.h);
        r.w = fmin(r.w, it->w);
    }
    double radius = st->hint == AVATAR ? r.w / 2 : st->hint == ICON ? 0 : it->theme->image_radius;
    radius = fmin(radius, fmin(r.w, r.h) / 2);
    if (st->image->state != CV_IMAGE_READY) {
        paint_missing(it, r, radius, dl);
        return;
    }
    cv_dl_add(dl, &(struct cv_dl_op){ .kind = CV_DL_IMAGE,
                          .rect = r,
                          .radius = radius,
                          .image = st->image,
                          .fit = st->fit });
}

const struct cv_widget cv_widget_image = {
    .name = "Image",
    .state_size = sizeof(struct image_state),
    .may_vanish = true,
    .resolve = image_resolve,
    .intrinsic = image_intrinsic,
    .height = height_image,
    .paint = image_paint,
};
