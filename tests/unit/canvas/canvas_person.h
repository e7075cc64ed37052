/* A person in front of a canvas_world.h: points, presses keys, types; and what became of it. */
#ifndef TESTS_UNIT_CANVAS_CANVAS_PERSON_H
#define TESTS_UNIT_CANVAS_CANVAS_PERSON_H

#include "canvas/display/display_list.h"
#include "tests/unit/canvas/canvas_world.h"

static inline int person_setup(void **state) {
    struct world *w = oc_new(struct world);
    setenv("TZ", "UTC", 1);
    setenv("LC_ALL", "C", 1);
    world_init(w, 480, 600);
    w->scene.now_ms = 1794830400000; /* 2026-11-16T12:00:00Z */
    *state = w;
    return 0;
}

static inline int person_teardown(void **state) {
    world_finish(*state);
    oc_free(*state);
    return 0;
}

/* x, y count from the item's corner. */
static inline void point(
        struct world *w, enum cv_pointer what, const char *id, double x, double y) {
    world_scene(w);
    const struct cv_item *it = world_item(w, id);
    (void)cv_input_pointer(&w->input, what, it->x + x, it->y + y, 0);
}

static inline void click(struct world *w, const char *id, double x, double y) {
    point(w, CV_POINTER_MOVE, id, x, y);
    point(w, CV_POINTER_PRESS, id, x, y);
    point(w, CV_POINTER_RELEASE, id, x, y);
    world_scene(w);
}

static inline bool hit_key(struct world *w, enum cv_key key, unsigned mods) {
    bool taken = cv_input_key(&w->input, key, mods);
    world_scene(w);
    return taken;
}

static inline bool type_text(struct world *w, const char *text) {
    bool taken = cv_input_text(&w->input, text);
    world_scene(w);
    return taken;
}

static inline void go_to(struct world *w, const char *id) {
    assert_true(cv_input_focus(&w->input, NULL, id));
    world_scene(w);
}

/* The data of surface "main", with ' for ". */
static inline void assert_data(struct world *w, const char *json) {
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(1u << 20);
    (void)cv_value_print(&text, cv_model_find(w->model, "main")->data);
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '"') {
            text.data[i] = '\'';
        }
    }
    assert_string_equal(text.data, json);
}

static inline void assert_focus(struct world *w, const char *id) {
    if (!id) {
        assert_null(w->input.focus);
        return;
    }
    assert_non_null(w->input.focus);
    assert_string_equal(strchr(w->input.focus, '\n') + 1, id);
}

/* The display list as text; the caller frees it. */
static inline char *painted(struct world *w) {
    world_scene(w);
    struct cv_display_list *dl = cv_dl_create();
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(1u << 22);
    cv_scene_paint(&w->scene, dl);
    (void)cv_dl_print(&text, dl);
    cv_dl_destroy(dl);
    return oc_buf_take(&text);
}

static inline bool shows(struct world *w, const char *part) {
    OC_AUTO_FREE char *text = painted(w);
    return strstr(text, part) != NULL;
}

#define SHOWS(w, part)                                                  \
    do {                                                                \
        OC_AUTO_FREE char *text_ = painted(w);                          \
        if (!strstr(text_, part))                                       \
            fail_msg("line %d: no '%s' in\n%s", __LINE__, part, text_); \
    } while (0)

#define DATA(contents) "{'dataModelUpdate':{'surfaceId':'main','contents':[" contents "]}}\n"

#endif
