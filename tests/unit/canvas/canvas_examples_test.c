/* Every file of tests/canvas/data from bytes to a display list: which diagnostics it has, and why.
 * Also what those files do not show: an agent's messages in any order. */
#include "tests/unit/unit.h"

#include "canvas/scene/scene.h"
#include "lib/files/file.h"

#include <dirent.h>

struct canvas {
    struct cv_model *model;
    struct cv_locals *locals;
    struct cv_display_list *list;
    struct cv_scene scene;
    struct cv_diags diags;
};

static void bring(void *user, const char *url) {
    struct cv_images **images = user;
    cv_images_bring(*images, url, "640x400", 7, NULL);
}

static void canvas_init(struct canvas *c, struct cv_images **ret_images) {
    *c = (struct canvas){
        .model = cv_model_create(), .locals = cv_locals_create(), .list = cv_dl_create()
    };
    *ret_images = cv_images_create(bring, ret_images);
    c->scene = (struct cv_scene){ .width = 480,
        .theme = cv_theme_find("default"),
        .model = c->model,
        .texts = cv_texts_create(),
        .images = *ret_images,
        .arena = cv_arena_create(),
        .diags = &c->diags };
}

static void canvas_finish(struct canvas *c) {
    cv_scene_finish(&c->scene);
    cv_arena_destroy(c->scene.arena);
    cv_dl_destroy(c->list);
    cv_locals_destroy(c->locals);
    cv_model_destroy(c->model);
    cv_texts_destroy(c->scene.texts);
    cv_images_destroy(c->scene.images);
    cv_diags_clear(&c->diags);
}

static void canvas_push(struct canvas *c, const char *jsonl, size_t len) {
    OC_AUTO(cv_push) struct cv_push *p = NULL;
    struct oc_error err = { 0 };
    if (cv_push_parse(jsonl, len, &p, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    cv_model_apply(c->model, p, &c->diags);
    c->scene.serial++;
    cv_scene_build(&c->scene, c->locals);
    cv_scene_layout(&c->scene);
    cv_dl_clear(c->list);
    cv_scene_paint(&c->scene, c->list);
}

/* Sorted, each once. */
static void diagnostics(const struct cv_diags *d, struct oc_buf *out) {
    static const char *const codes[] = { "image-failed", "missing-child", "missing-root", "no-data",
        "unknown-component", "unknown-property" };
    size_t known = 0;
    oc_buf_puts(out, "");
    for (size_t k = 0; k < OC_COUNT(codes); k++) {
        size_t n = 0;
        for (size_t i = 0; i < d->count; i++) {
            n += strcmp(d->items[i].code, codes[k]) == 0;
        }
        if (n) {
            oc_buf_printf(out, "%s%s", out->len ? " " : "", codes[k]);
        }
        known += n;
    }
    if (known != d->count) {
        oc_buf_puts(out, " …");
    }
}

/* All others have none. The sample agents use components and properties of their own, show lists
 * without the data that follows in another message, and one updates a surface of another file. */
static const struct {
    const char *file, *diagnostics;
} explained[] = {
    { "custom-components-example__contact_card.jsonl", "image-failed" }, /* its URL is empty */
    { "custom-components-example__floor_plan.jsonl", "unknown-component" },
    { "custom-components-example__multi_surface.jsonl", "unknown-component" },
    { "custom-components-example__org_chart.jsonl", "unknown-component" },
    { "restaurant_finder__booking_form.jsonl", "image-failed unknown-property" },
    { "restaurant_finder__single_column_list.jsonl", "no-data" },
    { "restaurant_finder__two_column_list.jsonl", "image-failed no-data unknown-property" },
    { "rizzcharts__rizzcharts_catalog__chart.jsonl", "unknown-component" },
    { "rizzcharts__rizzcharts_catalog__map.jsonl", "unknown-component" },
};
static const char *const shows_nothing[] = { "custom-components-example__chart_node_click.jsonl",
    "rizzcharts__rizzcharts_catalog__chart.jsonl", "rizzcharts__rizzcharts_catalog__map.jsonl" };

static void check_file(const char *dir, const char *name) {
    OC_AUTO_FREE char *path = oc_strfmt("%s/%s", dir, name);
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(1 << 20), found = OC_BUF_INIT(1 << 12);
    assert_int_equal(oc_file_read(path, 1 << 20, &text, NULL), OC_OK);
    struct canvas c;
    struct cv_images *images;
    canvas_init(&c, &images);
    canvas_push(&c, text.data, text.len);
    diagnostics(&c.diags, &found);
    const char *want = "";
    for (size_t i = 0; i < OC_COUNT(explained); i++) {
        want = strcmp(explained[i].file, name) == 0 ? explained[i].diagnostics : want;
    }
    bool is_empty = false;
    for (size_t i = 0; i < OC_COUNT(shows_nothing); i++) {
        is_empty = is_empty || strcmp(shows_nothing[i], name) == 0;
    }
    if (strcmp(found.data, want) != 0 || (c.scene.count == 0) != is_empty) {
        fail_msg("%s: '%s' instead of '%s', %u items", name, found.data, want, c.scene.count);
    }
    if (!is_empty) {
        assert_true(cv_dl_count(c.list) > 0 && c.scene.height > 32);
    }
    canvas_finish(&c);
}

static void every_file(void **state) {
    (void)state;
    static const struct {
        const char *dir;
        int count;
    } dirs[] = { { "examples/basic", 30 }, { "examples/minimal", 5 }, { "samples", 19 },
        { "catalog", 18 } };
    for (size_t i = 0; i < OC_COUNT(dirs); i++) {
        OC_AUTO_FREE char *path = oc_strfmt("%s/canvas/data/%s", OC_TEST_DIR, dirs[i].dir);
        DIR *dir = opendir(path);
        assert_non_null(dir);
        int count = 0;
        for (struct dirent *e; (e = readdir(dir));) {
            if (e->d_name[0] == '.') {
                continue;
            }
            check_file(path, e->d_name);
            count++;
        }
        closedir(dir);
        assert_int_equal(count, dirs[i].count);
    }
}

static char *layout(const struct canvas *c) {
    struct oc_buf out = OC_BUF_INIT(1 << 20);
    assert_int_equal(cv_scene_print(&out, &c->scene), OC_OK);
    return oc_buf_take(&out);
}

/* The lines of a file, one push each, from the last to the first: it ends like the file in its own
 * order. */
static void any_order(void **state) {
    (void)state;
    OC_AUTO_FREE char *path =
            oc_strfmt("%s/canvas/data/examples/basic/18_track-list.jsonl", OC_TEST_DIR);
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(1 << 20);
    assert_int_equal(oc_file_read(path, 1 << 20, &text, NULL), OC_OK);
    struct canvas forwards, backwards;
    struct cv_images *images[2];
    canvas_init(&forwards, &images[0]);
    canvas_init(&backwards, &images[1]);
    canvas_push(&forwards, text.data, text.len);
    size_t lines = 0;
    for (size_t end = text.len; end > 0;) {
        size_t from = end - 1;
        while (from > 0 && text.data[from - 1] != '\n') {
            from--;
        }
        if (end - from > 1) {
            canvas_push(&backwards, text.data + from, end - from);
            lines++;
        }
        end = from;
    }
    assert_true(lines > 1);
    cv_diags_clear(&forwards.diags);
    cv_diags_clear(&backwards.diags);
    OC_AUTO_FREE char *a = layout(&forwards), *b = layout(&backwards);
    assert_string_equal(a, b);
    canvas_finish(&forwards);
    canvas_finish(&backwards);
}

/* Nothing but the properties that hold ids is a reference. */
static void texts_like_ids(void **state) {
    (void)state;
    static const char jsonl[] = "{\"surfaceUpdate\":{\"surfaceId\":\"s\",\"components\":[{\"id\":"
                                "\"title\",\"component\":{\"Text\":{\"text\":{\"literalString\":"
                                "\"title\"},\"usageHint\":\"h1\"}}},"
                                "{\"id\":\"h1\",\"component\":{\"Button\":{\"child\":\"title\","
                                "\"action\":{\"name\":\"h1\"}}}}]}}\n"
                                "{\"beginRendering\":{\"surfaceId\":\"s\",\"root\":\"h1\"}}";
    struct canvas c;
    struct cv_images *images;
    canvas_init(&c, &images);
    canvas_push(&c, jsonl, sizeof(jsonl) - 1);
    assert_int_equal(c.scene.count, 2);
    assert_string_equal(c.scene.items[1].text, "title");
    assert_int_equal(c.diags.count, 0);
    canvas_finish(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file),
        cmocka_unit_test(any_order),
        cmocka_unit_test(texts_like_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
