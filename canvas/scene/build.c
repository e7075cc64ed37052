/* Components and data to items: from each surface's root down, a stack instead of recursion. A
 * widget's resolve names its children; they wait on the stack until it is their turn, so that the
 * items come out in pre-order. */
#include "canvas/scene/build.h"

#include "canvas/model/data_path.h"
#include "canvas/model/model_parts.h"
#include "canvas/scene/locals.h"
#include "canvas/scene/scene.h"

#include "lib/base/map.h"
#include "lib/base/mem.h"

#include <stdio.h>
#include <string.h>

/* An item that is to be made. */
struct build_pending {
    const struct cv_component *component;
    const struct cv_context *context;
    const char *suffix; /* of the instance id: ":2", or "" */
    const struct cv_theme *theme;
    unsigned parent;
};

struct pendings {
    struct build_pending *items;
    size_t count, cap;
};

struct cv_build {
    const struct cv_surface *surface;
    struct pendings stack;
    struct pendings named; /* by the resolve that runs now, in order */
    struct cv_locals *locals;
    unsigned first;       /* the surface's first item */
    size_t children;      /* named so far, in all surfaces */
    unsigned cap;         /* of s->items */
    bool is_deep, is_cut; /* told of this surface */
    size_t ids_left;      /* bytes of ids, keys and paths */
    struct oc_map *
            told; /* diagnostics of this scene: an instance in a template repeats its neighbours' */
};

static const struct oc_slice nothing;

static void build_add(struct pendings *p, struct build_pending one) {
    if (p->count == p->cap) {
        p->cap = p->cap ? p->cap * 2 : 64;
        p->items = oc_realloc(p->items, p->cap * sizeof(*p->items));
    }
    p->items[p->count++] = one;
}

static const char *build_copy(struct cv_scene *s, struct oc_slice text) {
    return cv_arena_strndup(s->arena, text.ptr, text.len);
}

/* a, a character (0: none), and b; printf would be a third of all the time with thousands of
 * instances. */
static char *build_join(struct cv_arena *arena, const char *a, char between, struct oc_slice b) {
    size_t len = strlen(a), at = len + (between != 0);
    char *text = cv_arena_alloc(arena, at + b.len + 1);
    memcpy(text, a, len + 1);
    if (between) {
        text[len] = between;
    }
    if (b.len) {
        memcpy(text + at, b.ptr, b.len);
    }
    return text;
}

void cv_build_tell(struct cv_scene *s, enum cv_diag_level level, const struct cv_component *c,
        const char *code, struct oc_slice what, const char *message) {
    struct cv_build *b = s->build;
    int len = cv_diag_shown(what);
    if (!b || !s->diags || oc_map_count(b->told) >= 2 * (size_t)CV_MAX_DIAGNOSTICS) {
        return;
    }
    OC_AUTO_FREE char *key = oc_strfmt("%s\n%s\n%s\n%.*s", b->surface->id, c ? c->id : "", code,
            len, what.ptr ? what.ptr : "");
    if (oc_map_put(b->told, key, b)) {
        return;
    }
    cv_diags_add(s->diags, level, c ? c->line : 0, b->surface->id, c ? c->id : NULL, code,
            what.ptr ? "%s '%.*s'" : "%s", message, len, what.ptr);
}

static unsigned index_of(const struct cv_scene *s, const struct cv_item *it) {
    return (unsigned)(it - s->items);
}

static bool is_above(
        const struct cv_scene *s, const struct cv_item *it, const struct cv_component *c) {
    for (;;) {
        if (it->component == c) {
            return true;
        }
        const struct cv_item *parent = &s->items[it->parent];
        if (parent == it) {
            return false;
        }
        it = parent;
    }
}

static const struct cv_component *find_component(
        const struct cv_surface *surface, struct oc_slice id) {
    char text[CV_MAX_ID + 1];
    if (!id.len || id.len > CV_MAX_ID) {
        return NULL;
    }
    if (memchr(id.ptr, 0, id.len)) {
        OC_AUTO_FREE char *clean = cv_id_from(id);
        return cv_surface_component(surface, clean);
    }
    memcpy(text, id.ptr, id.len);
    text[id.len] = '\0';
    return cv_surface_component(surface, text);
}

/* A child that can be shown below it; NULL otherwise, and why is told. Unknown types were told of
 * when they came. */
static const struct cv_component *child_component(
        struct cv_scene *s, const struct cv_item *it, struct oc_slice id) {
    const struct cv_component *c = find_component(it->surface, id);
    if (!c) {
        cv_build_tell(s, CV_DIAG_NOTE, it->component, "missing-child", id, "there is no component");
        return NULL;
    }
    if (!cv_widget_find(c->type)) {
        return NULL;
    }
    if (is_above(s, it, c)) {
        cv_build_tell(s, CV_DIAG_WARNING, it->component, "cycle", id,
                "a component stands below itself; left out here:");
        return NULL;
    }
    if (it->depth + 1 >= CV_MAX_DEPTH) {
        char message[60];
        snprintf(message, sizeof(message), "nested deeper than %d: left out:", CV_MAX_DEPTH);
        if (!s->build->is_deep) {
            cv_build_tell(s, CV_DIAG_WARNING, it->component, "too-deep", id, message);
        }
        s->build->is_deep = true; /* one is enough */
        return NULL;
    }
    return c;
}

/* c: the first that is left out, or that has some which are. */
static void too_many(struct cv_scene *s, const struct cv_component *c, int limit) {
    char message[80];
    snprintf(message, sizeof(message), "more than %d items: the rest is left out", limit);
    if (!s->build->is_cut) {
        cv_build_tell(s, CV_DIAG_WARNING, c, "too-many-items", nothing, message);
    }
    s->build->is_cut = true;
}

/* Bounds what waits, and the search for children that are not there; the items themselves are
 * counted as they are made, so that it is the end of the page that is cut off. */
static bool has_patience(struct cv_scene *s, const struct cv_item *it) {
    if (s->build->children < CV_MAX_CHILDREN) {
        return true;
    }
    too_many(s, it->component, CV_MAX_CHILDREN);
    return false;
}

/* Ids may be long and stand in every instance. */
static bool take_ids(struct cv_scene *s, size_t bytes) {
    struct cv_build *b = s->build;
    if (bytes <= b->ids_left) {
        b->ids_left -= bytes;
        return true;
    }
    cv_build_tell(s, CV_DIAG_WARNING, NULL, "too-many-items", nothing,
            "too many items with long ids: the rest is left out");
    return false;
}

static bool may_name(struct cv_scene *s, const struct cv_item *it) {
    if (!has_patience(s, it)) {
        return false;
    }
    s->build->children++;
    return true;
}

/* What an instance id has behind the component's. */
static const char *suffix_of(const struct cv_item *it) {
    return it->id + strlen(it->component->id);
}

void cv_build_child(struct cv_scene *s, struct cv_item *it, struct oc_slice component_id) {
    if (!may_name(s, it)) {
        return;
    }
    const struct cv_component *c = child_component(s, it, component_id);
    if (c) {
        build_add(&s->build->named, (struct build_pending){ .component = c,
                                            .context = it->context,
                                            .suffix = suffix_of(it),
                                            .parent = index_of(s, it) });
    }
}

static bool is_number(struct oc_slice s) {
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] < '0' || s.ptr[i] > '9') {
            return false;
        }
    }
    return s.len > 0;
}

struct template {
    struct cv_scene *scene;
    const struct cv_context *outer;
    struct oc_slice segments[CV_MAX_PATH]; /* of the list or map, copied to the arena */
    unsigned count;
    const char *path;    /* the same as text */
    const char *indices; /* ":1:0": the numbers in it */
};

static void build_describe(struct template *t, const struct cv_place *place) {
    OC_AUTO_BUF struct oc_buf path = OC_BUF_INIT(CV_MAX_ID), indices = OC_BUF_INIT(CV_MAX_ID / 2);
    oc_buf_puts(&path, "");
    oc_buf_puts(&indices, "");
    for (unsigned i = 0; i < place->count; i++) {
        struct oc_slice segment = place->segments[i];
        t->segments[i] = (struct oc_slice){ build_copy(t->scene, segment), segment.len };
        oc_buf_printf(&path, "/%s", t->segments[i].ptr);
        if (is_number(segment)) {
            oc_buf_printf(&indices, ":%s", t->segments[i].ptr);
        }
    }
    t->count = place->count;
    t->path = cv_arena_strndup(t->scene->arena, path.data, path.len);
    t->indices = cv_arena_strndup(t->scene->arena, indices.data, indices.len);
}

static const struct cv_context *instance_context(
        const struct template *t, const char *key, size_t key_len) {
    struct cv_arena *a = t->scene->arena;
    struct cv_context *c = cv_arena_alloc(a, sizeof(*c));
    struct oc_slice *segments = cv_arena_alloc(a, (t->count + 1) * sizeof(*segments));
    if (t->count) {
        memcpy(segments, t->segments, t->count * sizeof(*segments));
    }
    segments[t->count] = (struct oc_slice){ key, key_len };
    *c = (struct cv_context){ .parent = t->outer,
        .path = build_join(
                a, t->path, '/', (struct oc_slice){ key, key_len < 200 ? key_len : 200 }),
        .segments = segments,
        .count = t->count + 1 };
    return c;
}

/* "card:2:0" below arrays, all the numbers on the way; "card:key" in a map. A key that is too long
 * for an id, or has U+0000 in it, gives its number. */
static const char *instance_suffix(
        const struct template *t, bool is_map, struct oc_slice key, size_t i) {
    struct cv_arena *a = t->scene->arena;
    if (is_map && key.len <= CV_MAX_ID / 4 && !memchr(key.ptr, 0, key.len)) {
        return build_join(a, "", ':', key);
    }
    char number[24];
    int len = snprintf(number, sizeof(number), "%zu", i);
    return build_join(a, is_map ? "" : t->indices, ':', (struct oc_slice){ number, (size_t)len });
}

static void build_expand(struct cv_scene *s, struct cv_item *it, const struct cv_value *template) {
    struct oc_slice binding = cv_value_string(cv_value_get(template, "dataBinding"));
    struct cv_place place;
    bool ok;
    const struct cv_value *list =
            cv_path_locate(it->surface, it->context, binding, CV_PATH_BINDING, &place, &ok);
    enum cv_value_type type = cv_value_type_of(list);
    size_t count = cv_value_count(list);
    if (!count || !may_name(s, it)) {
        return;
    }
    const struct cv_component *c =
            child_component(s, it, cv_value_string(cv_value_get(template, "componentId")));
    if (!c) {
        return;
    }
    if (place.count == CV_MAX_PATH) {
        cv_build_tell(s, CV_DIAG_WARNING, it->component, "path-too-long", nothing,
                "data nested too deep");
        return;
    }
    struct template t = { .scene = s, .outer = it->context };
    build_describe(&t, &place);
    for (size_t i = 0; i < count && may_name(s, it); i++) {
        struct oc_slice key = cv_value_key(list, i);
        char number[24];
        if (type == CV_V_ARRAY) {
            key = (struct oc_slice){ number, (size_t)snprintf(number, sizeof(number), "%zu", i) };
        }
        if (!take_ids(s, strlen(t.path) + key.len + t.count * sizeof(t.segments[0]) / 4)) {
            return;
        }
        build_add(&s->build->named,
                (struct build_pending){ .component = c,
                        .context = instance_context(&t, build_copy(s, key), key.len),
                        .suffix = instance_suffix(&t, type == CV_V_MAP, key, i),
                        .parent = index_of(s, it) });
    }
}

void cv_build_children(struct cv_scene *s, struct cv_item *it, const struct cv_value *children) {
    const struct cv_value *list = cv_value_type_of(children) == CV_V_ARRAY
                                          ? children
                                          : cv_value_get(children, "explicitList");
    if (cv_value_type_of(list) == CV_V_ARRAY) {
        for (size_t i = 0; i < cv_value_count(list) && has_patience(s, it); i++) {
            const struct cv_value *id = cv_value_at(list, i);
            if (cv_value_type_of(id) == CV_V_STRING) {
                cv_build_child(s, it, cv_value_string(id));
            }
        }
        return;
    }
    const struct cv_value *template = cv_value_get(children, "template");
    if (cv_value_type_of(template) == CV_V_MAP) {
        build_expand(s, it, template);
    }
}

static struct cv_item *make_item(struct cv_scene *s, const struct build_pending *p) {
    struct cv_build *b = s->build;
    if (!s->items || s->count == b->cap) {
        b->cap = b->cap ? b->cap * 2 : 64;
        s->items = oc_realloc(s->items, b->cap * sizeof(*s->items));
    }
    unsigned index = s->count++;
    struct cv_item *it = &s->items[index];
    const struct cv_item *parent = &s->items[p->parent];
    bool is_root = p->parent == index;
    *it = (struct cv_item){ .widget = cv_widget_find(p->component->type),
        .component = p->component,
        .surface = b->surface,
        .theme = is_root               ? p->theme
                 : parent->theme_below ? parent->theme_below
                                       : parent->theme,
        .context = p->context,
        .parent = p->parent,
        .depth = is_root ? 0 : parent->depth + 1,
        .has_weight = p->component->has_weight,
        .weight = p->component->weight };
    it->id = !*p->suffix ? p->component->id
                         : build_join(s->arena, p->component->id, 0,
                                   (struct oc_slice){ p->suffix, strlen(p->suffix) });
    it->local = cv_locals_claim(b->locals, b->surface, p->component, it->id, &it->key);
    it->state = cv_arena_alloc(s->arena, it->widget->state_size);
    return it;
}

/* families: what a surface's font is put before; "": it has none. */
static void check_font(struct cv_scene *s, const char *families) {
    size_t len = strcspn(families, ",");
    OC_AUTO_FREE char *first = oc_strndup(families, len);
    if (len && s->diags && !cv_texts_have(s->texts, first)) {
        cv_build_tell(s, CV_DIAG_NOTE, NULL, "missing-font", (struct oc_slice){ families, len },
                "styles.font is not installed here:");
    }
}

static bool may_make(struct cv_scene *s, const struct build_pending *p) {
    const struct cv_build *b = s->build;
    int limit = s->count - b->first == CV_MAX_ITEMS ? CV_MAX_ITEMS
                : s->count == CV_MAX_SCENE_ITEMS    ? CV_MAX_SCENE_ITEMS
                                                    : 0;
    if (limit) {
        too_many(s, p->component, limit);
        return false;
    }
    return take_ids(s, strlen(b->surface->id) + strlen(p->component->id) + strlen(p->suffix));
}

static void build_surface(struct cv_scene *s, const struct cv_surface *surface) {
    struct cv_build *b = s->build;
    b->surface = surface;
    b->first = s->count;
    b->is_deep = b->is_cut = false;
    if (!surface->root) {
        return;
    }
    const struct cv_component *root = cv_surface_component(surface, surface->root);
    if (!root) {
        cv_build_tell(s, CV_DIAG_NOTE, NULL, "missing-root",
                (struct oc_slice){ surface->root, strlen(surface->root) },
                "the root is not there yet:");
        return;
    }
    if (!cv_widget_find(root->type)) {
        return;
    }
    struct cv_theme *theme = cv_arena_alloc(s->arena, sizeof(*theme));
    char *family = cv_arena_alloc(s->arena, 128);
    cv_theme_style(s->theme, surface->styles, theme, family);
    check_font(s, family);
    build_add(&b->stack,
            (struct build_pending){
                    .component = root, .suffix = "", .theme = theme, .parent = s->count });
    while (b->stack.count) {
        struct build_pending p = b->stack.items[--b->stack.count];
        if (!may_make(s, &p)) {
            b->stack.count = 0;
            return;
        }
        struct cv_item *it = make_item(s, &p);
        cv_init_instance(s->model, surface, it->context, it->component);
        b->named.count = 0;
        it->widget->resolve(s, it);
        while (b->named.count) {
            build_add(&b->stack, b->named.items[--b->named.count]);
        }
    }
}

void cv_scene_build(struct cv_scene *s, struct cv_locals *locals) {
    struct cv_build b = { .locals = locals, .told = oc_map_create(), .ids_left = CV_MAX_SCENE_IDS };
    oc_free(s->items);
    s->items = NULL;
    s->count = 0;
    s->text_left = CV_MAX_SCENE_TEXT;
    s->url_left = CV_MAX_SCENE_URLS;
    s->parts_left = CV_MAX_PARTS;
    s->rich_left = (struct cv_rich_budget){ .blocks = CV_MAX_BLOCKS, .work = CV_MAX_PARSING };
    s->build = &b;
    cv_locals_begin(locals);
    for (size_t i = 0; i < cv_model_surface_count(s->model); i++) {
        build_surface(s, cv_model_surface(s->model, i));
    }
    for (unsigned i = s->count; i-- > 0;) {
        if (s->items[i].parent != i) {
            s->items[s->items[i].parent].below += s->items[i].below + 1;
        }
    }
    cv_locals_end(locals, s->model);
    s->build = NULL;
    oc_free(b.stack.items);
    oc_free(b.named.items);
    oc_map_destroy(b.told);
}
