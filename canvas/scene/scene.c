#include "canvas/scene/scene.h"

#include "canvas/scene/flex.h"
#include "canvas/scene/scene_logo.h"
#include "canvas/scene/scroll.h"
#include "lib/base/mem.h"

#include <math.h>

#define POPUP_GAP_PX 4

static void scene_sane(double *px) {
    *px = cv_px(*px);
}

/* A place may be negative (overflow of centred things) but never without bounds. */
static void sane_place(double *px) {
    if (!(*px > -CV_MAX_PX)) {
        *px = isnan(*px) ? 0 : -CV_MAX_PX;
    }
    if (*px > CV_MAX_PX) {
        *px = CV_MAX_PX;
    }
}

static void sane_rect(struct cv_rect *r) {
    sane_place(&r->x);
    sane_place(&r->y);
    scene_sane(&r->w);
    scene_sane(&r->h);
}

static bool is_root(const struct cv_scene *s, const struct cv_item *it) {
    return &s->items[it->parent] == it;
}

/* What breaking words below it saves: the sum of it where they stand side by side, else what the
 * widest can do. */
static double broken_width(const struct cv_scene *s, const struct cv_item *it) {
    double min = 0, broken = 0, saved = 0;
    for (const struct cv_item *c = cv_first(s, it); c; c = cv_next(s, it, c)) {
        min = fmax(min, c->min_w);
        broken = fmax(broken, c->break_w);
        saved += c->min_w - c->break_w;
    }
    return it->min_w - (it->widget->is_row ? saved : min - broken);
}

static void scene_intrinsic(struct cv_scene *s) {
    for (unsigned i = s->count; i-- > 0;) {
        struct cv_item *it = &s->items[i];
        it->break_w = -1;
        it->widget->intrinsic(s, it);
        scene_sane(&it->min_w);
        scene_sane(&it->max_w);
        if (it->max_w < it->min_w) {
            it->max_w = it->min_w;
        }
        it->break_w = fmin(cv_px(it->break_w < 0 ? broken_width(s, it) : it->break_w), it->min_w);
    }
}

static void scene_widths(struct cv_scene *s) {
    double room = cv_px(s->width - 2 * s->theme->page_pad);
    for (unsigned i = 0; i < s->count; i++) {
        struct cv_item *it = &s->items[i];
        if (is_root(s, it)) {
            it->w = room;
        }
        scene_sane(&it->w);
        if (it->widget->widths) {
            it->widget->widths(s, it);
            continue;
        }
        for (struct cv_item *c = cv_first(s, it); c; c = cv_next(s, it, c)) {
            c->w = it->w;
        }
    }
}

static void scene_heights(struct cv_scene *s) {
    for (unsigned i = s->count; i-- > 0;) {
        struct cv_item *it = &s->items[i];
        it->widget->height(s, it);
        scene_sane(&it->nat_h);
        if (it->unknown_glyphs > 0 && s->diags) {
            cv_diags_add(s->diags, CV_DIAG_NOTE, it->component->line, it->surface->id, it->id,
                    "missing-glyphs",
                    "no installed font has %u of its characters: install fonts-noto-core, "
                    "fonts-noto-cjk or fonts-noto-color-emoji",
                    it->unknown_glyphs);
        }
    }
}

/* Surfaces one below the other; with nothing but the view port to limit it the page is as high as
 * they are, or as a dialog is. */
static void place_roots(struct cv_scene *s) {
    double y = s->theme->page_top, needed = 0;
    bool is_first = true;
    for (unsigned i = 0; i < s->count; i++) {
        struct cv_item *it = &s->items[i];
        if (it->is_dialog && it->popup.h + 2 * s->theme->page_pad > needed) {
            needed = it->popup.h + 2 * s->theme->page_pad;
        }
        if (!is_root(s, it)) {
            continue;
        }
        if (!is_first) {
            y += s->theme->surface_gap;
        }
        is_first = false;
        y += cv_logo_height(s, it);
        it->x = s->theme->page_pad;
        it->y = y;
        it->h = it->nat_h;
        y += it->h;
    }
    y += s->theme->page_pad;
    s->height = cv_px(s->view_height > 0 || y > needed ? y : needed);
}

static void scene_place(struct cv_scene *s) {
    for (unsigned i = 0; i < s->count; i++) {
        struct cv_item *it = &s->items[i];
        sane_place(&it->x);
        sane_place(&it->y);
        scene_sane(&it->h);
        if (it->widget->place) {
            it->widget->place(s, it);
            sane_rect(&it->popup);
            sane_rect(&it->view);
            continue;
        }
        for (struct cv_item *c = cv_first(s, it); c; c = cv_next(s, it, c)) {
            c->x = it->x;
            c->y = it->y;
            c->h = it->h;
        }
    }
}

static void scene_layers(struct cv_scene *s) {
    for (unsigned i = 0; i < s->count; i++) {
        struct cv_item *it = &s->items[i];
        if (is_root(s, it)) {
            it->layer = 0;
        } else {
            it->layer = it->overlay && s->items[it->parent].is_dialog ? it->parent + 1
                                                                      : s->items[it->parent].layer;
        }
    }
}

/* What pops up below an input goes above it where the view port ends. */
static void fit_popup(struct cv_scene *s, struct cv_item *it) {
    double over = it->popup.y + it->popup.h - s->view_height;
    if (over <= 0) {
        return;
    }
    double above = it->y - POPUP_GAP_PX - it->popup.h;
    it->popup.y = above >= 0 ? above : fmax(it->popup.y - over, 0);
}

void cv_scene_layout(struct cv_scene *s) {
    if (!(s->width >= 1)) {
        s->width = 1;
    }
    if (s->width > CV_MAX_SIDE) {
        s->width = CV_MAX_SIDE;
    }
    scene_sane(&s->view_height);
    scene_intrinsic(s);
    scene_widths(s);
    scene_heights(s);
    place_roots(s);
    scene_place(s);
    scene_layers(s);
    cv_scroll_arrange(s);
    for (unsigned i = 0; i < s->count; i++) {
        struct cv_item *it = &s->items[i];
        double bottom = it->popup.y + it->popup.h + s->theme->page_pad;
        if (!(it->popup.w > 0) || it->is_dialog) {
            continue;
        }
        if (s->view_height > 0) {
            fit_popup(s, it);
        } else if (bottom > s->height) { /* a picture of the whole page shows all of it */
            s->height = bottom;
        }
    }
}

void cv_scene_finish(struct cv_scene *s) {
    oc_free(s->items);
    s->items = NULL;
    s->count = 0;
}
