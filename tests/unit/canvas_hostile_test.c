/* What a push may cost, however it was made up: counted in bytes, values and ops of a canvas as the programs use it. */
#include "tests/unit/unit.h"

#include "base/mem.h"
#include "canvas/canvas.h"

#include <stdlib.h>
#include <string.h>

struct world {
    struct oc_canvas *canvas;
    struct oc_buf line; /* the push that is being made up */
};

static int setup(void **state) {
    struct world *w = oc_new(struct world);
    struct oc_canvas_opts opts = { .theme = "default", .width = 480, .height = 300 };
    w->canvas = oc_canvas_create(&opts, NULL, NULL);
    w->line = OC_BUF_INIT(OC_CANVAS_MAX_PUSH);
    *state = w;
    return 0;
}

static int teardown(void **state) {
    struct world *w = *state;
    oc_canvas_destroy(w->canvas);
    oc_buf_finish(&w->line);
    oc_free(w);
    return 0;
}

/* ' stands for ". */
static void put(struct world *w, const char *text) {
    size_t at = w->line.len;
    assert_int_equal(oc_buf_puts(&w->line, text), OC_OK);
    for (; at < w->line.len; at++)
        w->line.data[at] = w->line.data[at] == '\'' ? '"' : w->line.data[at];
}

static void put_number(struct world *w, const char *before, unsigned n, const char *after) {
    OC_AUTO_FREE char *text = oc_strfmt("%s%u%s", before, n, after);
    put(w, text);
}

static void push(struct world *w) {
    struct oc_error err;
    if (oc_canvas_push(w->canvas, w->line.data, w->line.len, &err) != OC_OK)
        fail_msg("%s", err.text);
    w->line.len = 0;
}

/* A surface "s" whose root is a Column of `count` components with these ids and this body. */
static void put_column(struct world *w, const char *id, unsigned count, const char *body) {
    put(w, "{'beginRendering':{'surfaceId':'s','root':'root'}}\n"
           "{'surfaceUpdate':{'surfaceId':'s','components':["
           "{'id':'root','component':{'Column':{'children':{'explicitList':[");
    for (unsigned i = 0; i < count; i++) {
        put(w, i ? ",'" : "'");
        put_number(w, id, i, "'");
    }
    put(w, "]}}}}");
    for (unsigned i = 0; i < count; i++) {
        put(w, ",{'id':'");
        put_number(w, id, i, "','component':");
        put(w, body);
        put(w, "}");
    }
    put(w, "]}}\n");
}

static void what_is_gone_is_forgotten(void **state) {
    struct world *w = *state;
    for (unsigned round = 0; round < 20; round++) {
        OC_AUTO_FREE char *id = oc_strfmt("r%u_", round);
        put(w, "{'deleteSurface':{'surfaceId':'s'}}\n");
        put_column(w, id, 50, "{'TextField':{'text':{'literalString':''}}}");
        push(w);
        struct oc_scene *s = oc_canvas_scene(w->canvas);
        assert_int_equal(s->count, 51);
        s->items[1].local->selected = 1; /* something that a person did */
        assert_int_equal(oc_locals_count(oc_canvas_locals(w->canvas)), 51);
    }
    oc_canvas_reset(w->canvas);
    (void)oc_canvas_scene(w->canvas);
    assert_int_equal(oc_locals_count(oc_canvas_locals(w->canvas)), 0);
}

int main(void) {
    setenv("FONTCONFIG_FILE", OC_TEST_DIR "/canvas/fonts.conf", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_gone_is_forgotten, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
