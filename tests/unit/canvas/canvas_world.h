/* A canvas for unit tests: messages in, a laid-out scene out, with the text engine whose numbers
 * one can work out by hand (every character 7 px wide and 20 px high in theme "default"). JSON is
 * written with ' for ". */
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
    struct cv_model *model;
    struct cv_locals *locals;
    struct cv_texts *texts;
    struct cv_images *images;
    struct cv_scene scene;
    struct cv_diags diags;
    struct cv_input input;
    struct cv_value *action; /* the last one */
    unsigned actions;
};

static inline void world_scene(struct world *w) {
    struct cv_scene *s = &w->scene;
    cv_scene_finish(s);
    cv_arena_clear(s->arena);
    cv_diags_clear(&w->diags);
    s->serial++;
    s->focus = w->input.focus;
    s->hover = w->input.hover;
    s->pressed = w->input.pressed;
    s->focus_visible = w->input.focus_visible;
    cv_texts_age(w->texts);
    cv_scene_build(s, w->locals);
    cv_scene_layout(s);
    w->input.changed = false;
}

static inline void world_stale(void *user) {
    world_scene(user);
}

static inline void world_action(void *user, struct cv_value *take_action) {
    struct world *w = user;
    cv_value_destroy(w->action);
    w->action = take_action;
    w->actions++;
}

static inline void world_init(struct world *w, double width, double view_height) {
    *w = (struct world){ 0 };
    w->model = cv_model_create();
    w->locals = cv_locals_create();
    w->texts = cv_texts_create();
    w->scene = (struct cv_scene){ .width = width,
        .view_height = view_height,
        .theme = cv_theme_find("default"),
        .model = w->model,
        .texts = w->texts,
        .arena = cv_arena_create(),
        .diags = &w->diags };
    cv_input_init(&w->input);
    w->input.scene = &w->scene;
    w->input.user = w;
    w->input.on_action = world_action;
    w->input.on_stale = world_stale;
}

static inline void world_finish(struct world *w) {
    cv_input_finish(&w->input);
    cv_scene_finish(&w->scene);
    cv_arena_destroy(w->scene.arena);
    cv_diags_clear(&w->diags);
    cv_locals_destroy(w->locals);
    cv_texts_destroy(w->texts);
    cv_model_destroy(w->model);
    cv_value_destroy(w->action);
}

static inline void world_push(struct world *w, const char *jsonl) {
    OC_AUTO_FREE char *text = oc_strdup(jsonl);
    for (char *p = text; *p; p++) {
        if (*p == '\'') {
            *p = '"';
        }
    }
    struct cv_push *push = NULL;
    struct oc_error err = { 0 };
    if (cv_push_parse(text, strlen(text), &push, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    cv_model_apply(w->model, push, NULL);
    cv_push_destroy(push);
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

static inline struct cv_item *world_item(struct world *w, const char *id) {
    struct cv_item *it = cv_scene_find(&w->scene, NULL, id);
    if (!it) {
        fail_msg("no item '%s'", id);
    }
    return it;
}

#define BOX(w, id, bx, by, bw, bh)                     \
    do {                                               \
        const struct cv_item *it_ = world_item(w, id); \
        NEAR(it_->x, bx);                              \
        NEAR(it_->y, by);                              \
        NEAR(it_->w, bw);                              \
        NEAR(it_->h, bh);                              \
    } while (0)

#endif
