#include "canvas/display/display_list.h"

#include "canvas/images/images.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"

#include <math.h>
#include <string.h>

#define MAX_CLIPS 320 /* a page nests CV_MAX_DEPTH boxes; what is deeper stays unclipped */
#define ITALIC_SLACK 4.0

/* Beside each op stands what damage needs, taken when the op was added: texts and pictures may be
 * gone when the list is compared with its successor. `key` stands for all that can be seen of it,
 * including the clips around it. */
struct list_entry {
    struct cv_dl_op op;
    struct cv_rect bounds;
    uint64_t key;
};

struct clip {
    struct cv_rect rect;
    uint64_t key;
};

struct cv_display_list {
    struct list_entry *entries;
    size_t count, cap;
    struct clip clips[MAX_CLIPS];
    size_t depth;
    uint64_t seed; /* of the keys, so that nobody can make two ops that have the same */
};

struct cv_display_list *cv_dl_create(void) {
    struct cv_display_list *dl = oc_new(struct cv_display_list);
    dl->seed = oc_map_hash("", 0);
    return dl;
}

void cv_dl_destroy(struct cv_display_list *dl) {
    if (!dl) {
        return;
    }
    oc_free(dl->entries);
    oc_free(dl);
}

void cv_dl_clear(struct cv_display_list *dl) {
    dl->count = 0;
    dl->depth = 0;
}

size_t cv_dl_count(const struct cv_display_list *dl) {
    return dl->count;
}

const struct cv_dl_op *cv_dl_at(const struct cv_display_list *dl, size_t i) {
    return &dl->entries[i].op;
}

struct cv_rect cv_dl_bounds(const struct cv_display_list *dl, size_t i) {
    return dl->entries[i].bounds;
}

uint64_t cv_dl_key(const struct cv_display_list *dl, size_t i) {
    return dl->entries[i].key;
}

void cv_dl_copy(struct cv_display_list *to, const struct cv_display_list *from) {
    if (to->cap < from->count) {
        to->cap = from->count;
        to->entries = oc_realloc(to->entries, to->cap * sizeof(*to->entries));
    }
    if (from->count) {
        memcpy(to->entries, from->entries, from->count * sizeof(*to->entries));
    }
    to->count = from->count;
    to->depth = 0;
}

bool cv_rect_holds(struct cv_rect r, double x, double y) {
    return x >= r.x && x < r.x + r.w && y >= r.y && y < r.y + r.h;
}

struct cv_rect cv_rect_intersect(struct cv_rect a, struct cv_rect b) {
    double x = fmax(a.x, b.x), y = fmax(a.y, b.y);
    double w = fmin(a.x + a.w, b.x + b.w) - x, h = fmin(a.y + a.h, b.y + b.h) - y;
    return (struct cv_rect){ x, y, fmax(w, 0), fmax(h, 0) };
}

struct cv_rect cv_rect_union(struct cv_rect a, struct cv_rect b) {
    double x = fmin(a.x, b.x), y = fmin(a.y, b.y);
    return (struct cv_rect){ x, y, fmax(a.x + a.w, b.x + b.w) - x, fmax(a.y + a.h, b.y + b.h) - y };
}

static struct cv_rect display_list_grown(struct cv_rect r, double by) {
    return (struct cv_rect){ r.x - by, r.y - by, r.w + 2 * by, r.h + 2 * by };
}

static struct cv_rect bounds_of(const struct cv_dl_op *op) {
    struct cv_rect r = op->rect;
    if (op->kind == CV_DL_LINE) {
        double x = fmin(r.x, r.x + r.w), y = fmin(r.y, r.y + r.h);
        r = display_list_grown((struct cv_rect){ x, y, fabs(r.w), fabs(r.h) }, op->border_px);
    } else if (op->kind == CV_DL_SHADOW) {
        r = display_list_grown(r, op->border_px);
    } else if (op->kind == CV_DL_TEXT) {
        /* What cannot be broken sticks out, and glyphs lean over their line box. */
        double wide = op->text ? fmin(cv_text_max_width(op->text), 100000) : 0;
        if (wide > r.w) {
            r.x -= wide - r.w;
            r.w += 2 * (wide - r.w);
        }
        r = display_list_grown(
                r, fmax(ITALIC_SLACK + r.h * 0.1, op->text ? cv_text_slack(op->text) + 1 : 0));
    }
    return r;
}

static uint64_t display_list_mix(uint64_t h, uint64_t v) {
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

static uint64_t mix_double(uint64_t h, double d) {
    uint64_t bits;
    memcpy(&bits, &d, sizeof(bits));
    return display_list_mix(h, bits);
}

static uint64_t mix_rect(uint64_t h, struct cv_rect r) {
    return mix_double(mix_double(mix_double(mix_double(h, r.x), r.y), r.w), r.h);
}

static uint64_t key_of(const struct cv_dl_op *op, uint64_t clip) {
    uint64_t h = mix_rect(display_list_mix(clip, op->kind), op->rect);
    h = mix_double(mix_double(mix_double(h, op->radius), op->border_px), op->angle);
    h = display_list_mix(h, (uint64_t)op->fill << 32 | op->fill_to);
    h = display_list_mix(h, (uint64_t)op->border << 32 | op->fit);
    if (op->text) {
        h = display_list_mix(h, cv_text_hash(cv_text_string(op->text), cv_text_style_of(op->text)));
    }
    if (op->image) { /* addresses come again, so the start of the URL counts as well */
        h = display_list_mix(
                display_list_mix(h, (uint64_t)(uintptr_t)op->image), op->image->serial);
        h = display_list_mix(h, op->image->state);
        for (size_t i = 0; op->image->url && i < 64 && op->image->url[i]; i++) {
            h = display_list_mix(h, (unsigned char)op->image->url[i]);
        }
    }
    for (const char *c = op->icon ? op->icon : ""; *c; c++) {
        h = display_list_mix(h, (unsigned char)*c);
    }
    return h;
}

void cv_dl_add(struct cv_display_list *dl, const struct cv_dl_op *op) {
    if (dl->count == dl->cap) {
        dl->cap = dl->cap ? dl->cap * 2 : 64;
        dl->entries = oc_realloc(dl->entries, dl->cap * sizeof(*dl->entries));
    }
    const struct clip *around =
            dl->depth ? &dl->clips[(dl->depth < MAX_CLIPS ? dl->depth : MAX_CLIPS) - 1] : NULL;
    struct list_entry *e = &dl->entries[dl->count++];
    *e = (struct list_entry){ .op = *op, .bounds = bounds_of(op) };
    if (around) {
        e->bounds = cv_rect_intersect(e->bounds, around->rect);
    }
    e->key = key_of(op, around ? around->key : dl->seed);
    if (op->kind == CV_DL_CLIP) {
        if (dl->depth < MAX_CLIPS) {
            dl->clips[dl->depth] = (struct clip){ e->bounds, e->key };
        }
        dl->depth++;
    } else if (op->kind == CV_DL_UNCLIP && dl->depth) {
        dl->depth--;
    }
}

void cv_dl_box(struct cv_display_list *dl, struct cv_rect r, double radius, cv_color fill,
        cv_color border, double border_px) {
    cv_dl_add(dl, &(struct cv_dl_op){ .kind = CV_DL_BOX,
                          .rect = r,
                          .radius = radius,
                          .fill = fill,
                          .fill_to = fill,
                          .angle = 180,
                          .border = border,
                          .border_px = border_px });
}

void cv_dl_text(
        struct cv_display_list *dl, double x, double y, double width, struct cv_text *text) {
    double h = cv_text_height(text, width);
    cv_dl_add(
            dl, &(struct cv_dl_op){ .kind = CV_DL_TEXT, .rect = { x, y, width, h }, .text = text });
}

void cv_dl_icon(struct cv_display_list *dl, struct cv_rect r, const char *icon, cv_color color) {
    cv_dl_add(dl, &(struct cv_dl_op){ .kind = CV_DL_ICON, .rect = r, .icon = icon, .fill = color });
}

void cv_dl_shadow(
        struct cv_display_list *dl, struct cv_rect r, double radius, double blur, cv_color color) {
    cv_dl_add(dl, &(struct cv_dl_op){ .kind = CV_DL_SHADOW,
                          .rect = r,
                          .radius = radius,
                          .border_px = blur,
                          .fill = color });
}

void cv_dl_glow(struct cv_display_list *dl, struct cv_rect r, const struct cv_theme *theme) {
    if (theme->page_glow[0]) {
        cv_dl_add(dl, &(struct cv_dl_op){ .kind = CV_DL_GLOW,
                              .rect = r,
                              .fill = theme->page_glow[0],
                              .fill_to = theme->page_glow[1],
                              .border = theme->page_glow[2] });
    }
}

void cv_dl_clip(struct cv_display_list *dl, struct cv_rect r, double radius) {
    cv_dl_add(dl, &(struct cv_dl_op){ .kind = CV_DL_CLIP, .rect = r, .radius = radius });
}

void cv_dl_unclip(struct cv_display_list *dl) {
    cv_dl_add(dl, &(struct cv_dl_op){ .kind = CV_DL_UNCLIP });
}
