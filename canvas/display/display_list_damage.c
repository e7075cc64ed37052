/* What must be painted again. Two lists are compared by the keys of their ops. Whatever common
 * subsequence is found, painting all that is not part of it again is right, because outside those
 * rectangles both lists draw the same ops in the same order; so a quick way to find a good one is
 * enough. */
#include "canvas/display/display_list.h"
#include "lib/base/mem.h"

#include <math.h>
#include <stdlib.h>

struct region {
    struct cv_rect *rects;
    size_t count, max;
};

static double display_list_damage_area(struct cv_rect r) {
    return r.w * r.h;
}

static double display_list_damage_waste(struct cv_rect a, struct cv_rect b) {
    return display_list_damage_area(cv_rect_union(a, b)) - display_list_damage_area(a) -
           display_list_damage_area(b);
}

/* Puts two that lie nearest into one. */
static void display_list_damage_squeeze(struct region *g) {
    size_t best_i = 0, best_j = 1;
    double best = INFINITY;
    for (size_t i = 0; i < g->count; i++) {
        for (size_t j = i + 1; j < g->count; j++) {
            double w = display_list_damage_waste(g->rects[i], g->rects[j]);
            if (w < best) {
                best = w;
                best_i = i;
                best_j = j;
            }
        }
    }
    g->rects[best_i] = cv_rect_union(g->rects[best_i], g->rects[best_j]);
    g->rects[best_j] = g->rects[--g->count];
}

static void region_add(struct region *g, struct cv_rect r) {
    if (r.w <= 0 || r.h <= 0) {
        return;
    }
    for (size_t i = 0; i < g->count; i++) {
        if (display_list_damage_waste(g->rects[i], r) <= 0) {
            g->rects[i] = cv_rect_union(g->rects[i], r);
            return;
        }
    }
    if (g->count == g->max) {
        size_t best_i = 0;
        for (size_t i = 1; i < g->count; i++) {
            if (display_list_damage_waste(g->rects[i], r) <
                    display_list_damage_waste(g->rects[best_i], r)) {
                best_i = i;
            }
        }
        g->rects[best_i] = cv_rect_union(g->rects[best_i], r);
        return;
    }
    g->rects[g->count++] = r;
}

static bool is_drawn(const struct cv_display_list *dl, size_t i) {
    enum cv_dl_kind k = cv_dl_at(dl, i)->kind;
    return k != CV_DL_CLIP && k != CV_DL_UNCLIP;
}

static void add_op(struct region *g, const struct cv_display_list *dl, size_t i) {
    if (is_drawn(dl, i)) {
        region_add(g, cv_dl_bounds(dl, i));
    }
}

struct damage_place {
    uint64_t key;
    size_t at;
};

static int by_key(const void *a, const void *b) {
    const struct damage_place *x = a, *y = b;
    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    return x->at < y->at ? -1 : x->at > y->at;
}

/* The first place of this key at or after `from`; SIZE_MAX: none. */
static size_t display_list_damage_find(
        const struct damage_place *places, size_t n, uint64_t key, size_t from) {
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (places[mid].key < key || (places[mid].key == key && places[mid].at < from)) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo < n && places[lo].key == key ? places[lo].at : SIZE_MAX;
}

/* Walks b and takes for each op its next like in a. A like that lies far ahead would give up all
 * between, so it must not be farther than what is left of b. */
static void compare_middle(struct region *g, const struct cv_display_list *a, size_t a0, size_t a1,
        const struct cv_display_list *b, size_t b0, size_t b1) {
    size_t n = a1 - a0;
    OC_AUTO_FREE struct damage_place *places = oc_new_array(struct damage_place, n ? n : 1);
    for (size_t i = 0; i < n; i++) {
        places[i] = (struct damage_place){ cv_dl_key(a, a0 + i), a0 + i };
    }
    qsort(places, n, sizeof(*places), by_key);
    size_t next = a0;
    for (size_t j = b0; j < b1; j++) {
        if (!is_drawn(b, j)) {
            continue;
        }
        size_t at = display_list_damage_find(places, n, cv_dl_key(b, j), next);
        if (at == SIZE_MAX || at - next > b1 - j + 16) {
            add_op(g, b, j);
            continue;
        }
        for (; next < at; next++) {
            add_op(g, a, next);
        }
        next = at + 1;
    }
    for (; next < a1; next++) {
        add_op(g, a, next);
    }
}

size_t cv_dl_damage(const struct cv_display_list *a, const struct cv_display_list *b,
        struct cv_rect *ret, size_t max) {
    size_t na = cv_dl_count(a), nb = cv_dl_count(b), same = 0;
    while (same < na && same < nb && cv_dl_key(a, same) == cv_dl_key(b, same)) {
        same++;
    }
    size_t a1 = na, b1 = nb;
    while (a1 > same && b1 > same && cv_dl_key(a, a1 - 1) == cv_dl_key(b, b1 - 1)) {
        a1--;
        b1--;
    }
    struct region g = { .rects = ret, .max = max };
    if (max) {
        compare_middle(&g, a, same, a1, b, same, b1);
    }
    for (bool again = true; again;) { /* unions may have grown into each other */
        again = false;
        for (size_t i = 0; i < g.count && !again; i++) {
            for (size_t j = i + 1; j < g.count && !again; j++) {
                again = display_list_damage_waste(g.rects[i], g.rects[j]) <= 0;
            }
        }
        if (again) {
            display_list_damage_squeeze(&g);
        }
    }
    return g.count;
}
