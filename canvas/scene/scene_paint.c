/* A laid-out scene becomes a display list: the page first, then what pops up above it. */
#include "canvas/scene/scene.h"
#include "canvas/scene/scene_logo.h"
#include "canvas/scene/scroll.h"

#include <math.h>

#define OUTSIDE_PX 64 /* shadows and rings reach this far out of a box, at most */

struct open { /* items whose children are being painted */
    const struct cv_item *item;
    unsigned end;         /* index after its last descendant */
    struct cv_rect shown; /* what is visible of its children */
};

struct walk {
    struct cv_scene *s;
    struct cv_display_list *dl;
    struct open stack[CV_MAX_DEPTH + 2];
    size_t depth;
};

static bool scene_paint_touches(const struct cv_rect *shown, const struct cv_item *it) {
    return it->x - OUTSIDE_PX < shown->x + shown->w && it->x + it->w + OUTSIDE_PX > shown->x &&
           it->y - OUTSIDE_PX < shown->y + shown->h && it->y + it->h + OUTSIDE_PX > shown->y;
}

static bool cuts_children(const struct cv_item *it) {
    return it->clips && !it->is_dialog;
}

static void close_last(struct walk *w) {
    const struct cv_item *it = w->stack[--w->depth].item;
    if (cuts_children(it)) {
        cv_dl_unclip(w->dl);
    }
    if (it->widget->scrolls && !it->is_dialog) {
        cv_scroll_paint_bars(w->s, it, w->dl);
    }
    if (it->widget->paint_over) {
        it->widget->paint_over(w->s, it, w->dl);
    }
}

/* Paints one item that can be seen and opens it for its children. */
static void open_item(struct walk *w, const struct cv_item *it, struct cv_rect shown) {
    bool is_cut = it->clips && !it->widget->scrolls;
    if (is_cut) {
        cv_dl_clip(w->dl, it->view, 0);
    }
    w->s->shown = shown;
    if (it->widget->paint) {
        it->widget->paint(w->s, it, w->dl);
    }
    if (is_cut) {
        cv_dl_unclip(w->dl);
    }
    if (cuts_children(it)) {
        cv_dl_clip(w->dl, it->view, it->view_radius);
        shown = cv_rect_intersect(shown, it->view);
    }
    unsigned i = (unsigned)(it - w->s->items);
    w->stack[w->depth++] = (struct open){ it, i + it->below + 1, shown };
}

static void paint_below(struct walk *w, unsigned from, struct cv_rect shown) {
    w->depth = 0;
    unsigned end = from + w->s->items[from].below + 1;
    for (unsigned i = from; i < end;) {
        const struct cv_item *it = &w->s->items[i];
        while (w->depth > 0 && w->stack[w->depth - 1].end <= i) {
            close_last(w);
        }
        if (w->depth > 0) {
            shown = w->stack[w->depth - 1].shown;
        }
        bool is_elsewhere = it->overlay && i != from;
        bool is_nothing = it->widget->may_vanish && it->w <= 0;
        bool is_near = scene_paint_touches(&shown, it);
        bool is_hidden = is_nothing || (cuts_children(it) && !is_near);
        if (is_elsewhere || is_hidden || w->depth == CV_MAX_DEPTH + 2) {
            i += it->below + 1;
            continue;
        }
        if (is_near) { /* else its children may still hang out of it */
            open_item(w, it, shown);
        }
        i++;
    }
    while (w->depth > 0) {
        close_last(w);
    }
}

static void paint_dialog(struct walk *w, struct cv_item *it, struct cv_rect all) {
    if (it->widget->paint_popup) {
        it->widget->paint_popup(w->s, it, w->dl);
    }
    if (it->clips) {
        cv_dl_clip(w->dl, it->view, it->view_radius);
    }
    for (struct cv_item *c = cv_first(w->s, it); c; c = cv_next(w->s, it, c)) {
        if (c->overlay) {
            paint_below(w, (unsigned)(c - w->s->items), it->clips ? it->view : all);
        }
    }
    if (it->clips) {
        cv_dl_unclip(w->dl);
    }
    cv_scroll_paint_bars(w->s, it, w->dl);
}

void cv_scene_paint(struct cv_scene *s, struct cv_display_list *dl) {
    struct cv_rect all = { 0, 0, s->width, s->view_height > 0 ? s->view_height : s->height };
    cv_dl_glow(dl, all, s->theme);
    struct walk w = { .s = s, .dl = dl };
    for (unsigned i = 0; i < s->count; i += s->items[i].below + 1) {
        cv_logo_paint(s, &s->items[i], dl);
        paint_below(&w, i, all);
    }
    cv_scroll_paint_page_bar(s, dl);
    for (unsigned i = 0; i < s->count; i++) {
        struct cv_item *it = &s->items[i];
        if (it->is_dialog) {
            paint_dialog(&w, it, all);
        } else if (it->overlay && !s->items[it->parent].is_dialog) {
            paint_below(&w, i, all);
        }
    }
}
