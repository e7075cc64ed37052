#include "node/canvas/canvas_settled.h"

#include "lib/base/map.h"
#include "lib/base/mem.h"

#include <string.h>

void nd_canvas_settled_finish(struct nd_canvas_settled *s) {
    oc_free(s->slots);
    *s = (struct nd_canvas_settled){ 0 };
}

static uint64_t canvas_settled_chain(uint64_t before, const char *text, size_t len) {
    uint64_t both[2] = { before, oc_map_hash(text, len) };
    uint64_t hash = oc_map_hash(both, sizeof(both));
    return hash ? hash : 1;
}

static size_t slot_of(const struct nd_canvas_settled *s, uint64_t hash) {
    size_t i = hash & (s->cap - 1);
    while (s->slots[i] && s->slots[i] != hash) {
        i = (i + 1) & (s->cap - 1);
    }
    return i;
}

static bool canvas_settled_has(const struct nd_canvas_settled *s, uint64_t hash) {
    return s->cap > 0 && s->slots[slot_of(s, hash)] != 0;
}

static void canvas_settled_grow(struct nd_canvas_settled *s) {
    struct nd_canvas_settled more = { .cap = s->cap ? 2 * s->cap : 64, .count = s->count };
    more.slots = oc_new_array(uint64_t, more.cap);
    for (size_t i = 0; i < s->cap; i++) {
        if (s->slots[i]) {
            more.slots[slot_of(&more, s->slots[i])] = s->slots[i];
        }
    }
    oc_free(s->slots);
    *s = more;
}

static bool canvas_settled_add(struct nd_canvas_settled *s, uint64_t hash) {
    if (2 * s->count >= s->cap) {
        canvas_settled_grow(s);
    }
    size_t i = slot_of(s, hash);
    if (s->slots[i]) {
        return true;
    }
    s->slots[i] = hash;
    s->count++;
    return false;
}

static uint64_t hash_of(char what, const char *surface, const char *name) {
    return canvas_settled_chain(
            canvas_settled_chain((uint64_t)what, surface, strlen(surface)), name, strlen(name));
}

bool nd_canvas_settled_add(
        struct nd_canvas_settled *s, char what, const char *surface, const char *name) {
    return canvas_settled_add(s, hash_of(what, surface, name));
}

bool nd_canvas_settled_has(
        const struct nd_canvas_settled *s, char what, const char *surface, const char *name) {
    return canvas_settled_has(s, hash_of(what, surface, name));
}

bool nd_canvas_settled_add_path(
        struct nd_canvas_settled *s, const char *surface, const char *path) {
    uint64_t hash = hash_of('d', surface, "");
    bool is_settled = canvas_settled_has(s, hash);
    while (*path && !is_settled) {
        size_t len = 1 + strcspn(path + 1, "/");
        hash = canvas_settled_chain(hash, path, len);
        is_settled = canvas_settled_has(s, hash);
        path += len;
    }
    return is_settled || canvas_settled_add(s, hash);
}
