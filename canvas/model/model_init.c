/* A bound value with a path and a literal: the literal is written to the path, once, when the component is defined; inside a
 * template when an instance is made, if the item has nothing there. Most agents send the components first and then all of the
 * data, which drops it again: at the end of a push it is written once more where nothing is, so that what a field shows is what
 * other components see and actions carry.
 *
 * A definition does not say that it stands in a template, so the ids at and below every template's component are remembered. */
#include "canvas/model/bound.h"
#include "canvas/model/model_parts.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

typedef void child_fn(struct oc_surface_full *s, const struct oc_value *id, struct oc_value *todo);

/* The ids that a component names as its children. */
static void each_child(struct oc_surface_full *s, const struct oc_component *c, child_fn *fn,
        struct oc_value *todo) {
    const struct oc_value *p = c->props, *children = oc_value_get(p, "children"),
                          *tabs = oc_value_get(p, "tabItems"),
                          *list = oc_value_type(children) == OC_V_MAP
                                          ? oc_value_get(children, "explicitList")
                                          : children;
    fn(s, oc_value_get(p, "child"), todo);
    fn(s, oc_value_get(p, "entryPointChild"), todo);
    fn(s, oc_value_get(p, "contentChild"), todo);
    fn(s, oc_value_get(oc_value_get(children, "template"), "componentId"), todo);
    for (size_t i = 0; oc_value_type(list) == OC_V_ARRAY && i < oc_value_count(list); i++) {
        fn(s, oc_value_at(list, i), todo);
    }
    for (size_t i = 0; oc_value_type(tabs) == OC_V_ARRAY && i < oc_value_count(tabs); i++) {
        fn(s, oc_value_get(oc_value_at(tabs, i), "child"), todo);
    }
}

static void mark(struct oc_surface_full *s, const struct oc_value *id, struct oc_value *todo) {
    OC_AUTO_FREE char *key = oc_id_of(id);
    if (!key || oc_map_get(s->templated, key) ||
            oc_map_count(s->templated) >= 2 * (size_t)OC_CANVAS_MAX_COMPONENTS) {
        return;
    }
    oc_map_put(s->templated, key, s);
    oc_value_append(todo, oc_value_create_string(key, strlen(key)));
}

/* Every id is marked once in the life of a surface, so a stream of small updates costs no more than one large one. */
void oc_init_mark_templates(struct oc_surface_full *s, struct oc_component_entry *c) {
    OC_AUTO(oc_value) struct oc_value *todo = oc_value_create(OC_V_ARRAY);
    const struct oc_value *children = oc_value_get(c->props, "children");
    if (oc_map_get(s->templated, c->id)) {
        each_child(s, &c->pub, mark, todo);
    } else {
        mark(s, oc_value_get(oc_value_get(children, "template"), "componentId"), todo);
    }
    for (size_t i = 0; i < oc_value_count(todo); i++) {
        const char *id = oc_value_string(oc_value_at(todo, i)).ptr;
        const struct oc_component *below = oc_surface_component(&s->pub, id);
        if (below) {
            each_child(s, below, mark, todo);
        }
    }
}

typedef void bound_fn(void *user, const struct oc_value *bv);

static bool has_both(const struct oc_value *v) {
    return oc_value_type(v) == OC_V_MAP && oc_bound_path(v).ptr && oc_bound_literal(v);
}

/* Properties, and the members of lists of objects (tabItems, options). What an action carries is not an input. */
static void each_with_both(const struct oc_component *c, bound_fn *fn, void *user) {
    for (size_t i = 0; i < oc_value_count(c->props); i++) {
        const struct oc_value *v = oc_value_at(c->props, i);
        if (has_both(v)) {
            fn(user, v);
        }
        if (oc_value_type(v) != OC_V_ARRAY) {
            continue;
        }
        for (size_t k = 0; k < oc_value_count(v); k++) {
            const struct oc_value *entry = oc_value_at(v, k);
            for (size_t j = 0; oc_value_type(entry) == OC_V_MAP && j < oc_value_count(entry); j++) {
                if (has_both(oc_value_at(entry, j))) {
                    fn(user, oc_value_at(entry, j));
                }
            }
        }
    }
}

struct init {
    struct oc_model *model;
    struct oc_surface_full *surface;
    const struct oc_component *component;
    const struct oc_context *context;
    const struct oc_blame *blame;
};

static void write_literal(void *user, const struct oc_value *bv) {
    struct init *i = user;
    struct oc_place place;
    place.count = 0;
    const char *why = "path too long";
    if (oc_path_split(&place, oc_bound_path(bv)) &&
            oc_data_put(i->model, i->surface, &place, oc_value_copy(oc_bound_literal(bv)), &why)) {
        return;
    }
    oc_diags_add(i->blame->diags, OC_DIAG_WARNING, i->blame->line, i->blame->surface,
            i->component->id, "data-refused", "the literal was not written to its path: %s", why);
}

static void note_both(void *user, const struct oc_value *bv) {
    (void)bv;
    *(bool *)user = true;
}

void oc_init_component(struct oc_model *m, struct oc_surface_full *s, struct oc_component_entry *c,
        const struct oc_blame *blame) {
    struct init i = { .model = m, .surface = s, .component = &c->pub, .blame = blame };
    c->has_both = false;
    each_with_both(&c->pub, note_both, &c->has_both);
    if (c->has_both && !oc_map_get(s->templated, c->id)) {
        each_with_both(&c->pub, write_literal, &i);
    }
}

/* A literal whose place was empty when the push had been applied. */
struct missing {
    struct oc_component_entry *component;
    const struct oc_value *bv;
};
struct missing_list {
    struct oc_surface_full *surface;
    struct oc_component_entry *component;
    struct missing *items;
    size_t count, room;
};

static void note_missing(void *user, const struct oc_value *bv) {
    struct missing_list *l = user;
    struct oc_place place;
    place.count = 0;
    if (!oc_path_split(&place, oc_bound_path(bv)) || oc_path_walk(l->surface->data, &place)) {
        return;
    }
    if (l->count == l->room) {
        l->room = l->room ? 2 * l->room : 16;
        l->items = oc_realloc(l->items, l->room * sizeof(*l->items));
    }
    l->items[l->count++] = (struct missing){ l->component, bv };
}

static int by_definition(const void *a, const void *b) {
    const struct missing *x = a, *y = b;
    uint64_t i = x->component->pub.defined, k = y->component->pub.defined;
    return (i > k) - (i < k);
}

/* In the order of their definition, as they were written at first: of two at one place the last one counts. */
void oc_init_again(struct oc_model *m, struct oc_surface_full *s, struct oc_diags *diags) {
    struct missing_list l = { .surface = s };
    struct oc_blame blame = { .diags = diags, .surface = s->id };
    size_t pos = 0;
    const char *key;
    void *value;
    while (oc_map_next(s->components, &pos, &key, &value)) {
        l.component = value;
        if (l.component->has_both && !oc_map_get(s->templated, key)) {
            each_with_both(&l.component->pub, note_missing, &l);
        }
    }
    if (l.count) {
        qsort(l.items, l.count, sizeof(*l.items), by_definition);
    }
    for (size_t i = 0; i < l.count; i++) {
        struct init it = { .model = m, .surface = s, .component = &l.items[i].component->pub };
        it.blame = &blame;
        blame.line = it.component->line;
        write_literal(&it, l.items[i].bv);
    }
    oc_free(l.items);
}

/* Only below items that are maps: a bare value must not be replaced while a scene looks at it. */
static void write_if_missing(void *user, const struct oc_value *bv) {
    struct init *i = user;
    struct oc_place place;
    bool ok;
    if (oc_path_locate(
                &i->surface->pub, i->context, oc_bound_path(bv), OC_PATH_VALUE, &place, &ok) ||
            !ok || place.count <= i->context->count) {
        return;
    }
    struct oc_place parent = place;
    for (parent.count = i->context->count; parent.count < place.count; parent.count++) {
        const struct oc_value *v = oc_path_walk(i->surface->pub.data, &parent);
        if (v && oc_value_type(v) != OC_V_MAP) {
            return;
        }
    }
    const char *why;
    (void)oc_data_put(i->model, i->surface, &place, oc_value_copy(oc_bound_literal(bv)), &why);
}

void oc_init_instance(struct oc_model *m, const struct oc_surface *s, const struct oc_context *c,
        const struct oc_component *component) {
    if (!c || !((const struct oc_component_entry *)component)->has_both) {
        return;
    }
    struct init i = {
        .model = m, .surface = oc_model_full(m, s), .component = component, .context = c
    };
    if (i.surface) {
        each_with_both(component, write_if_missing, &i);
    }
}
