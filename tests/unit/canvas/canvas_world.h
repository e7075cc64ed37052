/* A canvas for unit tests: messages in, a laid-out scene out, with the text engine whose numbers one can work out by hand (every
 * character 7 px wide and 20 px high in theme "default"). JSON is written with ' for ". */
#ifndef TESTS_UNIT_CANVAS_CANVAS_WORLD_H
#define TESTS_UNIT_CANVAS_CANVAS_WORLD_H

#include "canvas/input/input.h"
#include "canvas/scene/scene.h"
#include "tests/unit/unit.h"

/* One component of a surfaceUpdate; props without the braces. */
#define C(id, type, props) "{'id':'" id "','component':{'" type "':{" props "}}}"
#define CW(id, weight, type, props) \
    "{'id':'" id "','weight':" weight ",'component':{'" type "':{" props "}}}"
#define T(id, text) C(id, "Text", "'text':{'literalString':'" text "'}")
#define KIDS(ids) "'children':{'explicitList':[" ids "]}"
#define NEAR(a, b) assert_float_equal((float)(a), (float)(b), 0.011f)

struct world {
    struct oc_model *model;
    struct oc_locals *locals;
    struct oc_texts *texts;
    struct oc_images *images;
    struct oc_scene scene;
    struct oc_diags diags;
    struct oc_input input;
    struct oc_value *action; /* the last one */
    unsigned actions;
};

static inline void world_scene(struct world *w) {
    struct oc_scene *s = &w->scene;
    oc_scene_finish(s);
    oc_arena_clear(s->arena);
    oc_diags_clear(&w->diags);
    s->serial++;
    s->focus = w->input.focus;
    s->hover = w->input.hover;
    s->pressed = w->input.pressed;
    s->focus_visible = w->input.focus_visible;
    oc_texts_age(w->texts);
    oc_scene_build(s, w->locals);
    oc_scene_layout(s);
    w->input.changed = false;
}

static inline void world_stale(void *user) {
    world_scene(user);
}

static inline void world_action(void *user, struct oc_value *take_action) {
    struct world *w = user;
    oc_value_destroy(w->action);
    w->action = take_action;
    w->actions++;
}

static inline void world_init(struct world *w, double width, double view_height) {
    *w = (struct world){ 0 };
    w->model = oc_model_create();
    w->locals = oc_locals_create();
    w->texts = oc_texts_create();
    w->scene = (struct oc_scene){ .width = width,
        .view_height = view_height,
        .theme = oc_theme_find("default"),
        .model = w->model,
        .texts = w->texts,
        .arena = oc_arena_create(),
        .diags = &w->diags };
    oc_input_init(&w->input);
    w->input.scene = &w->scene;
    w->input.user = w;
    w->input.on_action = world_action;
    w->input.on_stale = world_stale;
}

static inline void world_finish(struct world *w) {
    oc_input_finish(&w->input);
    oc_scene_finish(&w->scene);
    oc_arena_destroy(w->scene.arena);
    oc_diags_clear(&w->diags);
    oc_locals_destroy(w->locals);
    oc_texts_destroy(w->texts);
    oc_model_destroy(w->model);
    oc_value_destroy(w->action);
}

static inline void world_push(struct world *w, const char *jsonl) {
    OC_AUTO_FREE char *text = oc_strdup(jsonl);
    for (char *p = text; *p; p++) {
        if (*p == '\'') {
            *p = '"';
        }
    }
    struct oc_push *push = NULL;
    struct oc_error err = { 0 };
    if (oc_push_parse(text, strlen(text), &push, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    oc_model_apply(w->model, push, NULL);
    oc_push_destroy(push);
    world_scene(w);
}

/* Components of surface "main", whose root has the id "root". */
static inline void world_show(struct world *w, const char *components) {
    OC_AUTO_FREE char *lines =
            oc_strfmt("{'surfaceUpdate':{'surfaceId':'main','components':[%s]}}\n"
                      "{'beginRendering':{'surfaceId':'main','root':'root'}}\n",
                    components);
    world_push(w, lines);
}

static inline struct oc_item *world_item(struct world *w, const char *id) {
    struct oc_item *it = oc_scene_find(&w->scene, NULL, id);
    if (!it) {
        fail_msg("no item '%s'", id);
    }
    return it;
}

#define BOX(w, id, bx, by, bw, bh)                     \
    do {                                               \
        const struct oc_item *it_ = world_item(w, id); \
        NEAR(it_->x, bx);                              \
        NEAR(it_->y, by);                              \
        NEAR(it_->w, bw);                              \
        NEAR(it_->h, bh);                              \
    } while (0)

#endif
