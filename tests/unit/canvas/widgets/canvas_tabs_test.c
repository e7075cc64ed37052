#include "tests/unit/canvas/canvas_world.h"

#define TABS                                                     \
    "'tabItems':[{'title':{'literalString':'one'},'child':'a'}," \
    "{'title':{'path':'/name'},'child':'b'},{'title':{'literalString':'three'},'child':'c'}]"
#define THREE C("root", "Tabs", TABS) "," T("a", "aa") "," T("b", "b\\nb") "," T("c", "c")

static int setup(void **state) {
    struct world *w = oc_new(struct world);
    world_init(w, 480, 0);
    *state = w;
    return 0;
}

static int teardown(void **state) {
    world_finish(*state);
    oc_free(*state);
    return 0;
}

static int selected(struct world *w) {
    return world_item(w, "root")->local->selected;
}

static void shows_the_first(void **state) {
    struct world *w = *state;
    world_show(w, THREE);
    BOX(w, "root", 16, 16, 448, 49);
    BOX(w, "a", 16, 45, 448, 20);
    assert_null(cv_scene_find(&w->scene, NULL, "b"));
    assert_string_equal(world_item(w, "root")->text, "one");
    assert_true(cv_input_activate(&w->input, NULL, "root"));
    world_scene(w);
    assert_non_null(world_item(w, "b"));
    assert_null(cv_scene_find(&w->scene, NULL, "a"));
    assert_string_equal(world_item(w, "root")->text, "Tab 2"); /* its title is not there yet */
    world_push(w,
            "{'dataModelUpdate':{'surfaceId':'main','contents':[{'key':'name','valueNumber':2}]}}");
    assert_string_equal(world_item(w, "root")->text, "2");
    assert_true(cv_input_activate(&w->input, NULL, "root"));
    assert_true(cv_input_activate(&w->input, NULL, "root"));
    world_scene(w);
    assert_int_equal(selected(w), 0); /* round and round */
}

static void a_title_wider_than_the_page_is_cut(void **state) {
    struct world *w = *state;
    w->scene.width = 200;
    world_show(w, C("root", "Column", KIDS("'t'")) "," C("t", "Tabs",
                          "'tabItems':[{'title':{'literalString':'a title that is much wider than "
                          "this'},'child':'a'}]") "," T("a", "aa"));
    BOX(w, "t", 16, 16, 168, 49);
    struct cv_display_list *dl = cv_dl_create();
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(100000);
    cv_scene_paint(&w->scene, dl);
    assert_int_equal(cv_dl_print(&out, dl), OC_OK);
    assert_non_null(strstr(out.data, " w152 "));
    cv_dl_destroy(dl);
}

static void a_child_is_activated_by_being_shown(void **state) {
    struct world *w = *state;
    world_show(w, THREE);
    assert_true(cv_input_activate(&w->input, NULL, "b"));
    world_scene(w);
    assert_int_equal(selected(w), 1);
    assert_true(cv_input_activate(&w->input, "main", "b")); /* and stays */
    world_scene(w);
    assert_int_equal(selected(w), 1);
    assert_false(cv_input_activate(&w->input, "other", "a"));
    assert_false(cv_input_activate(&w->input, NULL, "bb"));
    assert_int_equal(selected(w), 1);
}

static void click(struct world *w, double x, double y) {
    (void)cv_input_pointer(&w->input, CV_POINTER_MOVE, x, y, 0);
    (void)cv_input_pointer(&w->input, CV_POINTER_PRESS, x, y, 0);
    (void)cv_input_pointer(&w->input, CV_POINTER_RELEASE, x, y, 0);
    world_scene(w);
}

static void pointer_selects(void **state) {
    struct world *w = *state;
    world_show(w, THREE); /* titles: 37, 51 ("Tab 2") and 51 px wide */
    click(w, 16 + 37 + 2, 20);
    assert_int_equal(selected(w), 1);
    click(w, 16 + 37 + 51 + 2, 30);
    assert_int_equal(selected(w), 2);
    click(w, 300, 30); /* beside the titles */
    assert_int_equal(selected(w), 2);
    click(w, 17, 17);
    assert_int_equal(selected(w), 0);
    click(w, 18, 45); /* on the content */
    assert_int_equal(selected(w), 0);
}

static void keys_select(void **state) {
    struct world *w = *state;
    world_show(w, THREE);
    assert_true(cv_input_key(&w->input, CV_KEY_TAB, 0));
    assert_true(cv_item_is(world_item(w, "root"), w->input.focus));
    assert_true(cv_input_key(&w->input, CV_KEY_RIGHT, 0));
    assert_int_equal(selected(w), 1);
    assert_true(cv_input_key(&w->input, CV_KEY_END, 0));
    assert_int_equal(selected(w), 2);
    assert_false(cv_input_key(&w->input, CV_KEY_RIGHT, 0));
    assert_true(cv_input_key(&w->input, CV_KEY_LEFT, 0));
    assert_int_equal(selected(w), 1);
    assert_true(cv_input_key(&w->input, CV_KEY_HOME, 0));
    assert_int_equal(selected(w), 0);
}

static void selection_survives_updates(void **state) {
    struct world *w = *state;
    world_show(w, THREE);
    world_item(w, "root")->local->selected = 2;
    world_show(w, THREE);
    assert_non_null(world_item(w, "c"));
    world_show(w, C("root", "Tabs", "'tabItems':[{'title':{'literalString':'x'},'child':'b'}]"));
    assert_non_null(world_item(w, "b")); /* there is no third any more */
    assert_int_equal(selected(w), 0);
    world_show(w, C("root", "Tabs", "'tabItems':[]"));
    BOX(w, "root", 16, 16, 448, 0);
    assert_false(cv_input_activate(&w->input, NULL, "root"));
    world_show(w, C("root", "Tabs", "'tabItems':'nonsense'"));
    world_show(w, C("root", "Tabs", "'tabItems':[{'child':'nobody'},{},3]"));
    BOX(w, "root", 16, 16, 448, 29);
}

static void titles_wrap(void **state) {
    struct world *w = *state;
    world_finish(w);
    world_init(w, 132, 0); /* 100 inside: 37 + 51, 51 */
    world_show(w, THREE);
    BOX(w, "a", 16, 16 + 42 + 8, 100, 20);
    click(w, 20, 16 + 30);
    assert_int_equal(selected(w), 2);
}

static void too_many(void **state) {
    struct world *w = *state;
    OC_AUTO_BUF struct oc_buf all = OC_BUF_INIT(100000);
    oc_buf_puts(&all, "{'id':'root','component':{'Tabs':{'tabItems':[{}");
    for (int i = 0; i < 999; i++) {
        oc_buf_puts(&all, ",{'title':{'literalString':'x'}}");
    }
    oc_buf_puts(&all, "]}}}");
    world_show(w, all.data);
    bool is_told = false;
    for (size_t i = 0; i < w->diags.count; i++) {
        is_told = is_told || strcmp(w->diags.items[i].code, "too-many-tabs") == 0;
    }
    assert_true(is_told);
}

static void paints(void **state) {
    struct world *w = *state;
    world_show(w, THREE);
    assert_true(cv_input_key(&w->input, CV_KEY_TAB, 0));
    world_scene(w);
    struct cv_display_list *dl = cv_dl_create();
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(100000);
    cv_scene_paint(&w->scene, dl);
    assert_int_equal(cv_dl_print(&out, dl), OC_OK);
    assert_non_null(strstr(out.data, "box 16,36 448x1"));    /* the line under all */
    assert_non_null(strstr(out.data, "box 16,35 37x2"));     /* the mark of the selected one */
    assert_non_null(strstr(out.data, "box 16,16 37x21 r4")); /* the focus */
    assert_non_null(strstr(out.data, "'three'"));
    cv_dl_destroy(dl);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(shows_the_first, setup, teardown),
        cmocka_unit_test_setup_teardown(a_title_wider_than_the_page_is_cut, setup, teardown),
        cmocka_unit_test_setup_teardown(a_child_is_activated_by_being_shown, setup, teardown),
        cmocka_unit_test_setup_teardown(pointer_selects, setup, teardown),
        cmocka_unit_test_setup_teardown(keys_select, setup, teardown),
        cmocka_unit_test_setup_teardown(selection_survives_updates, setup, teardown),
        cmocka_unit_test_setup_teardown(titles_wrap, setup, teardown),
        cmocka_unit_test_setup_teardown(too_many, setup, teardown),
        cmocka_unit_test_setup_teardown(paints, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
