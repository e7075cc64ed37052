/* A bound value with a path and a literal: the literal is written to the path, once, when the
 * component is defined; inside a template when an instance is made, if the item has nothing there.
 * Most agents send the components first and then all of the data, which drops it again: at the end
 * of a push it is written once more where nothing is, so that what a field shows is what other
 * components see and actions carry.
 *
 * A definition does not say that it stands in a template, so the ids at and below every template's
 * component are remembered. */
#include "canvas/model/bound.h"
#include "canvas/model/model_parts.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

typedef void child_fn(struct cv_surface_full *s, const struct cv_value *id, struct cv_value *todo);

/* The ids that a component names as its children. */
static void each_child(struct cv_surface_full *s, const struct cv_component *c, child_fn *fn,
        struct cv_value *todo) {
    const struct cv_value *p = c->props, *children = cv_value_get(p, "children"),
                          *tabs = cv_value_get(p, "tabItems"),
                          *list = cv_value_type_of(children) == CV_V_MAP
                                          ? cv_value_get(children, "explicitList")
                                          : children;
    fn(s, cv_value_get(p, "child"), todo);
    fn(s, cv_value_get(p, "entryPointChild"), todo);
    fn(s, cv_value_get(p, "contentChild"), todo);
    fn(s, cv_value_get(cv_value_get(children, "template"), "componentId"), todo);
    for (size_t i = 0; cv_value_type_of(list) == CV_V_ARRAY && i < cv_value_count(list); i++) {
        fn(s, cv_value_at(list, i), todo);
    }
    for (size_t i = 0; cv_value_type_of(tabs) == CV_V_ARRAY && i < cv_value_count(tabs); i++) {
        fn(s, cv_value_get(cv_value_at(tabs, i), "child"), todo);
    }
}

static void model_init_mark(
        struct cv_surface_full *s, const struct cv_value *id, struct cv_value *todo) {
    OC_AUTO_FREE char *key = cv_id_of(id);
    if (!key || oc_map_get(s->templated, key) ||
            oc_map_count(s->templated) >= 2 * (size_t)CV_MAX_COMPONENTS) {
        return;
    }
    oc_map_put(s->templated, key, s);
    cv_value_append(todo, cv_value_create_string(key, strlen(key)));
}

/* Every id is marked once in the life of a surface, so a stream of small updates costs no more than
 * one large one. */
void cv_init_mark_templates(struct cv_surface_full *s, struct cv_component_entry *c) {
    OC_AUTO(cv_value) struct cv_value *todo = cv_value_create(CV_V_ARRAY);
    const struct cv_value *children = cv_value_get(c->props, "children");
    if (oc_map_get(s->templated, c->id)) {
        each_child(s, &c->pub, model_init_mark, todo);
    } else {
        model_init_mark(s, cv_value_get(cv_value_get(children, "template"), "componentId"), todo);
    }
    for (size_t i = 0; i < cv_value_count(todo); i++) {
        const char *id = cv_value_string(cv_value_at(todo, i)).ptr;
        const struct cv_component *below = cv_surface_component(&s->pub, id);
        if (below) {
            each_child(s, below, model_init_mark, todo);
        }
    }
}

typedef void bound_fn(void *user, const struct cv_value *bv);

static bool has_both(const struct cv_value *v) {
    return cv_value_type_of(v) == CV_V_MAP && cv_bound_path(v).ptr && cv_bound_literal(v);
}

/* Properties, and the members of lists of objects (tabItems, options). What an action carries is
 * not an input. */
static void each_with_both(const struct cv_component *c, bound_fn *fn, void *user) {
    for (size_t i = 0; i < cv_value_count(c->props); i++) {
        const struct cv_value *v = cv_value_at(c->props, i);
        if (has_both(v)) {
            fn(user, v);
        }
        if (cv_value_type_of(v) != CV_V_ARRAY) {
            continue;
        }
        for (size_t k = 0; k < cv_value_count(v); k++) {
            const struct cv_value *entry = cv_value_at(v, k);
            for (size_t j = 0; cv_value_type_of(entry) == CV_V_MAP && j < cv_value_count(entry);
                    j++) {
                if (has_both(cv_value_at(entry, j))) {
                    fn(user, cv_value_at(entry, j));
                }
            }
        }
    }
}

struct init {
    struct cv_model *model;
    struct cv_surface_full *surface;
    const struct cv_component *component;
    const struct cv_context *context;
    const struct cv_blame *blame;
};

static void write_literal(void *user, const struct cv_value *bv) {
    struct init *i = user;
    struct cv_place place;
    place.count = 0;
    const char *why = "path too long";
    if (cv_path_split(&place, cv_bound_path(bv)) &&
            cv_data_put(i->model, i->surface, &place, cv_value_copy(cv_bound_literal(bv)), &why)) {
        return;
    }
    cv_diags_add(i->blame->diags, CV_DIAG_WARNING, i->blame->line, i->blame->surface,
            i->component->id, "data-refused", "the literal was not written to its path: %s", why);
}

static void note_both(void *user, const struct cv_value *bv) {
    (void)bv;
    *(bool *)user = true;
}

void cv_init_component(struct cv_model *m, struct cv_surface_full *s, struct cv_component_entry *c,
        const struct cv_blame *blame) {
    struct init i = { .model = m, .surface = s, .component = &c->pub, .blame = blame };
    c->has_both = false;
    each_with_both(&c->pub, note_both, &c->has_both);
    if (c->has_both && !oc_map_get(s->templated, c->id)) {
        each_with_both(&c->pub, write_literal, &i);
    }
}

/* A literal whose place was empty when the push had been applied. */
struct missing {
    struct cv_component_entry *component;
    const struct cv_value *bv;
};
struct missing_list {
    struct cv_surface_full *surface;
    struct cv_component_entry *component;
    struct missing *items;
    size_t count, room;
};

static void note_missing(void *user, const struct cv_value *bv) {
    struct missing_list *l = user;
    struct cv_place place;
    place.count = 0;
    if (!cv_path_split(&place, cv_bound_path(bv)) || cv_path_walk(l->surface->data, &place)) {
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

/* In the order of their definition, as they were written at first: of two at one place the last one
 * counts. */
void cv_init_again(struct cv_model *m, struct cv_surface_full *s, struct cv_diags *diags) {
    struct missing_list l = { .surface = s };
    struct cv_blame blame = { .diags = diags, .surface = s->id };
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
static void write_if_missing(void *user, const struct cv_value *bv) {
    struct init *i = user;
    struct cv_place place;
    bool ok;
    if (cv_path_locate(
                &i->surface->pub, i->context, cv_bound_path(bv), CV_PATH_VALUE, &place, &ok) ||
            !ok || place.count <= i->context->count) {
        return;
    }
    struct cv_place parent = place;
    for (parent.count = i->context->count; parent.count < place.count; parent.count++) {
        const struct cv_value *v = cv_path_walk(i->surface->pub.data, &parent);
        if (v && cv_value_type_of(v) != CV_V_MAP) {
            return;
        }
    }
    const char *why;
    (void)cv_data_put(i->model, i->surface, &place, cv_value_copy(cv_bound_literal(bv)), &why);
}

void cv_init_instance(struct cv_model *m, const struct cv_surface *s, const struct cv_context *c,
        const struct cv_component *component) {
    if (!c || !((const struct cv_component_entry *)component)->has_both) {
        return;
    }
    struct init i = {
        .model = m, .surface = cv_model_full(m, s), .component = component, .context = c
    };
    if (i.surface) {
        each_with_both(component, write_if_missing, &i);
    }
}
