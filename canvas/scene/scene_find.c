/* Walking and searching a scene. */
#include "canvas/scene/scene.h"

#include "lib/base/str.h"

#include <string.h>

struct cv_item *cv_first(const struct cv_scene *s, const struct cv_item *it) {
    return it->below > 0 ? &s->items[it - s->items + 1] : NULL;
}

struct cv_item *cv_next(
        const struct cv_scene *s, const struct cv_item *parent, const struct cv_item *child) {
    ptrdiff_t next = (child - s->items) + (ptrdiff_t)child->below + 1;
    return next <= (parent - s->items) + (ptrdiff_t)parent->below ? &s->items[next] : NULL;
}

bool cv_item_is(const struct cv_item *it, const char *which) {
    return which && strcmp(it->key, which) == 0;
}

struct cv_item *cv_scene_find(struct cv_scene *s, const char *surface, const char *id) {
    for (unsigned i = 0; i < s->count; i++) {
        struct cv_item *it = &s->items[i];
        if (oc_streq(it->id, id) && (!surface || oc_streq(it->surface->id, surface))) {
            return it;
        }
    }
    return NULL;
}

/* Not cut off there by a container around it. */
static bool is_shown_at(const struct cv_scene *s, const struct cv_item *it, double x, double y) {
    for (; &s->items[it->parent] != it; it = &s->items[it->parent]) {
        const struct cv_item *up = &s->items[it->parent];
        bool is_in_dialog = it->overlay && up->is_dialog;
        bool is_cut = up->clips && up->is_dialog == is_in_dialog;
        if (is_cut && !cv_rect_holds(up->view, x, y)) {
            return false;
        }
        if (is_in_dialog) {
            return true;
        }
    }
    return true;
}

static struct cv_item *hit_layer(struct cv_scene *s, unsigned layer, double x, double y) {
    for (unsigned i = s->count; i-- > 0;) {
        struct cv_item *it = &s->items[i];
        struct cv_rect box = { it->x, it->y, it->w, it->h };
        if (it->layer == layer && cv_rect_holds(box, x, y) && is_shown_at(s, it, x, y)) {
            return it;
        }
    }
    return NULL;
}

struct cv_item *cv_scene_hit(struct cv_scene *s, double x, double y) {
    for (unsigned i = s->count; i-- > 0;) {
        struct cv_item *it = &s->items[i];
        if (it->popup.w > 0 && cv_rect_holds(it->popup, x, y)) {
            struct cv_item *child = hit_layer(s, i + 1, x, y);
            return child ? child : it;
        }
    }
    return hit_layer(s, 0, x, y);
}
