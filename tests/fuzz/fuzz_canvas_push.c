/* A push as an agent sends it: model, items, layout, display list; then a person who presses
 * things. What is refused as a whole is pushed line by line, so that a broken one does not hide the
 * rest. */
#include "canvas/input/input.h"
#include "canvas/scene/scene.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <string.h>

struct world {
    struct cv_model *model;
    struct cv_locals *locals;
    struct cv_scene scene;
    struct cv_display_list *list;
    struct cv_input input;
    struct cv_diags diags;
};

static void is_sound(const struct cv_scene *s) {
    CHECK(s->count <= CV_MAX_ITEMS * cv_model_surface_count(s->model));
    CHECK(isfinite(s->height) && s->height >= 0);
    for (unsigned i = 0; i < s->count; i++) {
        const struct cv_item *it = &s->items[i], *parent = &s->items[it->parent];
        CHECK(it->parent <= i && i + it->below < s->count && it->depth < CV_MAX_DEPTH);
        CHECK(parent == it ||
                (parent->depth + 1 == it->depth && i + it->below <= it->parent + parent->below));
        CHECK(isfinite(it->x) && isfinite(it->y) && isfinite(it->w) && isfinite(it->h));
        CHECK(it->w >= 0 && it->h >= 0 && it->local && it->key && it->id);
    }
}

static void show(struct world *w) {
    cv_diags_clear(&w->diags);
    cv_arena_clear(w->scene.arena);
    w->scene.serial++;
    cv_scene_build(&w->scene, w->locals);
    cv_scene_layout(&w->scene);
    is_sound(&w->scene);
    cv_dl_clear(w->list);
    cv_scene_paint(&w->scene, w->list);
    cv_texts_age(w->scene.texts);
    w->input.changed = false;
}

static void on_stale(void *user) {
    show(user);
}

static void on_action(void *user, struct cv_value *take_action) {
    (void)user;
    CHECK(cv_value_type_of(take_action) == CV_V_MAP);
    cv_value_destroy(take_action);
}

/* The same model looks the same again; what is printed parses. */
static void is_repeatable(struct world *w) {
    OC_AUTO_BUF struct oc_buf once = OC_BUF_INIT(1 << 24), twice = OC_BUF_INIT(1 << 24),
                              data = OC_BUF_INIT(1 << 26), dump = OC_BUF_INIT(1 << 26);
    (void)cv_dl_print(&once, w->list);
    show(w);
    (void)cv_dl_print(&twice, w->list);
    CHECK(once.len == twice.len && (!once.len || memcmp(once.data, twice.data, once.len) == 0));
    struct cv_value *v = NULL;
    if (cv_model_print_data(&data, w->model) == OC_OK) {
        CHECK(cv_value_parse(data.data, data.len, &v, NULL) == OC_OK);
        cv_value_destroy(v);
    }
    v = NULL;
    if (cv_scene_print(&dump, &w->scene) == OC_OK) {
        CHECK(cv_value_parse(dump.data, dump.len, &v, NULL) == OC_OK);
        cv_value_destroy(v);
    }
}

/* Where and what follows from the bytes. */
static void use(struct world *w, const uint8_t *data, size_t size) {
    static const enum cv_key keys[] = { CV_KEY_TAB, CV_KEY_ENTER, CV_KEY_SPACE, CV_KEY_DOWN,
        CV_KEY_RIGHT, CV_KEY_END, CV_KEY_BACKSPACE, CV_KEY_ESCAPE, CV_KEY_A, CV_KEY_X };
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < size; i++) {
        h = (h ^ data[i]) * 16777619u;
    }
    for (unsigned step = 0; step < 4 && w->scene.count; step++, h = h * 1664525u + 1013904223u) {
        const struct cv_item *it = &w->scene.items[(h >> 8) % w->scene.count];
        double x = it->x + it->w * ((h >> 4 & 15) + 0.5) / 16, y = it->y + it->h / 2;
        switch (h & 3) {
        case 0:
            (void)cv_input_pointer(&w->input, CV_POINTER_PRESS, x, y, 0);
            (void)cv_input_pointer(&w->input, CV_POINTER_MOVE, x + 9, y, 0);
            (void)cv_input_pointer(&w->input, CV_POINTER_RELEASE, x, y, 0);
            break;
        case 1:
            (void)cv_input_key(
                    &w->input, keys[(h >> 8) % (sizeof(keys) / sizeof(keys[0]))], h >> 5 & 3);
            break;
        case 2:
            (void)cv_input_text(&w->input, "7\xc3\xa9");
            break;
        default:
            (void)cv_input_scroll(&w->input, x, y, 0, 50);
        }
        show(w);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct cv_arena *arena; /* its first block is most of what an execution would allocate */
    if (!arena) {
        arena = cv_arena_create();
    }
    struct world w = {
        .model = cv_model_create(), .locals = cv_locals_create(), .list = cv_dl_create()
    };
    bool is_dark = size % 2;
    w.scene = (struct cv_scene){ .width = 100 + 16 * (double)(size % 50),
        .view_height = size % 3 ? 0 : 300,
        .theme = cv_theme_find(is_dark ? "openclaw" : "default"),
        .model = w.model,
        .texts = cv_texts_create(),
        .images = cv_images_create(NULL, NULL),
        .arena = arena,
        .diags = &w.diags };
    cv_input_init(&w.input);
    w.input.scene = &w.scene;
    w.input.user = &w;
    w.input.on_stale = on_stale;
    w.input.on_action = on_action;
    const char *text = (const char *)data;
    OC_AUTO(cv_push) struct cv_push *whole = NULL;
    if (cv_push_parse(text, size, &whole, NULL) == OC_OK) {
        cv_model_apply(w.model, whole, &w.diags);
    }
    for (size_t from = 0; from < size && !whole;) {
        const char *newline = memchr(text + from, '\n', size - from);
        size_t to = newline ? (size_t)(newline - text) : size;
        OC_AUTO(cv_push) struct cv_push *push = NULL;
        if (cv_push_parse(text + from, to - from, &push, NULL) == OC_OK) {
            cv_model_apply(w.model, push, &w.diags);
        }
        from = to + 1;
    }
    if (cv_model_surface_count(w.model)) {
        show(&w);
        if (size % 4 == 0) {
            is_repeatable(&w);
        } else {
            use(&w, data, size);
        }
    }
    cv_input_finish(&w.input);
    cv_scene_finish(&w.scene);
    cv_dl_destroy(w.list);
    cv_locals_destroy(w.locals);
    cv_model_destroy(w.model);
    cv_texts_destroy(w.scene.texts);
    cv_images_destroy(w.scene.images);
    cv_arena_clear(arena);
    cv_diags_clear(&w.diags);
    return 0;
}
