#include "tests/unit/canvas/canvas_world.h"

#define MODAL(entry, content) \
    C("m", "Modal", "'entryPointChild':'" entry "','contentChild':'" content "'")
#define PAGE C("root", "Column", KIDS("'m','after'")) "," T("after", "after")
#define BUTTON \
    C("open", "Button", "'child':'label','action':{'name':'opened'}") "," T("label", "open")
#define CONTENT                                \
    C("body", "Column", KIDS("'inside','ok'")) \
    "," T("inside", "inside") "," C("ok", "Button", "'child':'inside','action':{'name':'ok'}")

static int setup(void **state) {
    struct world *w = oc_new(struct world);
    world_init(w, 480, 300);
    *state = w;
    return 0;
}

static int teardown(void **state) {
    world_finish(*state);
    oc_free(*state);
    return 0;
}

static bool is_open(struct world *w) {
    return world_item(w, "m")->local->open;
}

static void click(struct world *w, double x, double y) {
    (void)cv_input_pointer(&w->input, CV_POINTER_MOVE, x, y, 0);
    (void)cv_input_pointer(&w->input, CV_POINTER_PRESS, x, y, 0);
    (void)cv_input_pointer(&w->input, CV_POINTER_RELEASE, x, y, 0);
    world_scene(w);
}

static void closed_it_is_its_entry(void **state) {
    struct world *w = *state;
    world_show(w, PAGE "," MODAL("open", "body") "," BUTTON "," CONTENT);
    BOX(w, "m", 16, 16, 448, 36);
    BOX(w, "after", 16, 60, 448, 20);
    assert_null(cv_scene_find(&w->scene, NULL, "body"));
    NEAR(w->scene.height, 96);
}

static void the_button_fires_and_opens(void **state) {
    struct world *w = *state;
    world_show(w, PAGE "," MODAL("open", "body") "," BUTTON "," CONTENT);
    click(w, 20, 20);
    assert_true(is_open(w));
    assert_int_equal(w->actions, 1);
    /* content: as wide as the button in it, 42 + 24, as high as 20 + 8 + 36; frame 17, close button
     * 20 + 4 */
    double width = 66 + 34, height = 64 + 24 + 34;
    double x = (480 - width) / 2, y = (300 - height) / 2;
    BOX(w, "body", x + 17, y + 17 + 24, 66, 64);
    BOX(w, "after", 16, 60, 448, 20); /* the page below has not moved */
    assert_string_equal(cv_scene_hit(&w->scene, 20, 20)->id, "m");
    assert_string_equal(cv_scene_hit(&w->scene, x + 20, y + 45)->id, "inside");
    /* what is activated inside does not close it */
    assert_true(cv_input_activate(&w->input, NULL, "ok"));
    world_scene(w);
    assert_true(is_open(w));
    assert_int_equal(w->actions, 2);
}

static void open_it(struct world *w) {
    assert_true(cv_input_activate(&w->input, NULL, "m"));
    world_scene(w);
    assert_true(is_open(w));
}

static void closes(void **state) {
    struct world *w = *state;
    world_show(w, PAGE "," MODAL("open", "body") "," BUTTON "," CONTENT);
    open_it(w);
    click(w, 240, 150); /* on the dialog */
    assert_true(is_open(w));
    click(w, 5, 290); /* beside it */
    assert_false(is_open(w));
    open_it(w);
    assert_true(cv_input_key(&w->input, CV_KEY_ESCAPE, 0));
    world_scene(w);
    assert_false(is_open(w));
    assert_null(cv_scene_find(&w->scene, NULL, "body"));
    open_it(w);
    const struct cv_item *body = world_item(w, "body");
    click(w, body->x + body->w - 4, body->y - 10); /* the cross */
    assert_false(is_open(w));
    assert_int_equal(w->actions, 0);
}

static void the_keyboard_stays_inside(void **state) {
    struct world *w = *state;
    world_show(w, PAGE "," MODAL("open", "body") "," BUTTON "," CONTENT);
    assert_true(cv_input_key(&w->input, CV_KEY_TAB, 0));
    assert_true(cv_item_is(world_item(w, "open"), w->input.focus));
    assert_true(cv_input_key(&w->input, CV_KEY_ENTER, 0));
    world_scene(w);
    assert_true(is_open(w));
    for (int i = 0; i < 3; i++) {
        assert_true(cv_input_key(&w->input, CV_KEY_TAB, 0) || i > 0);
        assert_true(cv_item_is(world_item(w, "ok"), w->input.focus));
    }
    assert_true(cv_input_key(&w->input, CV_KEY_ESCAPE, 0));
    world_scene(w);
    assert_false(is_open(w));
    assert_true(cv_item_is(world_item(w, "open"), w->input.focus)); /* back to where it came from */
}

static void an_entry_without_button(void **state) {
    struct world *w = *state;
    world_show(w, PAGE "," MODAL("label", "body") "," T("label", "open") "," CONTENT);
    click(w, 20, 20);
    assert_true(is_open(w));
    assert_int_equal(w->actions, 0);
    assert_true(cv_input_key(&w->input, CV_KEY_ESCAPE, 0));
    world_scene(w);
    assert_true(cv_item_is(world_item(w, "m"), w->input.focus)); /* nothing in it takes the focus */
    assert_true(cv_input_key(&w->input, CV_KEY_SPACE, 0));
    world_scene(w);
    assert_true(is_open(w));
}

static void missing_and_equal_children(void **state) {
    struct world *w = *state;
    world_show(w, PAGE "," MODAL("nobody", "label") "," T("label", "open"));
    BOX(w, "m", 16, 16, 448, 0);
    open_it(w);
    assert_true(world_item(w, "label")->overlay);
    world_show(w, PAGE "," MODAL("label", "nobody"));
    assert_false(world_item(w, "label")->overlay);
    BOX(w, "m", 16, 16, 448, 20);
    world_show(w, PAGE "," MODAL("label", "label"));
    struct cv_item *entry = cv_first(&w->scene, world_item(w, "m"));
    struct cv_item *content = cv_next(&w->scene, world_item(w, "m"), entry);
    assert_false(entry->overlay);
    assert_true(content->overlay);
}

static void a_long_one_scrolls(void **state) {
    struct world *w = *state;
    OC_AUTO_BUF struct oc_buf ids = OC_BUF_INIT(100000), all = OC_BUF_INIT(1000000);
    for (int i = 0; i < 30; i++) {
        oc_buf_printf(&ids, "%s't%d'", i ? "," : "", i);
        oc_buf_printf(&all, "," T("t%d", "x"), i);
    }
    OC_AUTO_FREE char *c = oc_strfmt(PAGE
            "," MODAL("open", "body") "," BUTTON "," C("body", "Column", KIDS("%s")) "%s",
            ids.data, all.data);
    world_show(w, c);
    open_it(w);
    struct cv_item *m = world_item(w, "m"); /* 300 - 32 high: 16 … 284 */
    NEAR(m->view.y, 16 + 17 + 24);
    NEAR(m->view.y + m->view.h, 283);
    NEAR(m->over_y, 832 + 16 - (283 - 57));
    assert_true(cv_input_scroll(&w->input, 240, 150, 0, 1e6));
    world_scene(w);
    NEAR(world_item(w, "t29")->y, 283 - 16 - 20);
    assert_true(cv_input_scroll(&w->input, 240, 150, 0, 1)); /* the page must not move */
    /* what is scrolled away cannot be hit and is not drawn */
    assert_string_equal(cv_scene_hit(&w->scene, 240, world_item(w, "t29")->y + 1)->id, "t29");
    assert_string_equal(cv_scene_hit(&w->scene, 240, 40)->id, "m");
    struct cv_display_list *dl = cv_dl_create();
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(1000000);
    cv_scene_paint(&w->scene, dl);
    assert_int_equal(cv_dl_print(&out, dl), OC_OK);
    assert_non_null(strstr(out.data, "clip"));
    assert_true(cv_dl_count(dl) < 35);
    cv_dl_destroy(dl);
}

static void the_focus_is_scrolled_into_sight(void **state) {
    struct world *w = *state;
    OC_AUTO_BUF struct oc_buf ids = OC_BUF_INIT(100000), all = OC_BUF_INIT(1000000);
    for (int i = 0; i < 30; i++) {
        oc_buf_printf(&ids, "%s'b%d'", i ? "," : "", i);
        oc_buf_printf(&all, "," C("b%d", "Button", "'child':'label','action':{'name':'x'}"), i);
    }
    OC_AUTO_FREE char *c = oc_strfmt(PAGE
            "," MODAL("open", "body") "," BUTTON "," C("body", "Column", KIDS("%s")) "%s",
            ids.data, all.data);
    world_show(w, c);
    open_it(w);
    assert_true(cv_input_key(&w->input, CV_KEY_TAB, CV_MOD_SHIFT)); /* the last one */
    world_scene(w);
    const struct cv_item *m = world_item(w, "m"), *last = world_item(w, "b29");
    assert_true(cv_item_is(last, w->input.focus));
    assert_true(last->y >= m->view.y && last->y + last->h <= m->view.y + m->view.h);
    assert_true(cv_input_key(&w->input, CV_KEY_TAB, 0));
    world_scene(w);
    const struct cv_item *first = world_item(w, "b0");
    m = world_item(w, "m");
    assert_true(first->y >= m->view.y && first->y + first->h <= m->view.y + m->view.h);
}

/* Nobody can click on nothing: such an agent wants the dialog at once. */
static void a_blank_entry_opens_by_itself(void **state) {
    struct world *w = *state;
    world_show(w, PAGE "," MODAL("label", "body") "," T("label", " ") "," CONTENT);
    assert_true(is_open(w));
    assert_non_null(world_item(w, "inside"));
    assert_true(cv_input_key(&w->input, CV_KEY_ESCAPE, 0));
    world_scene(w);
    world_show(w, PAGE "," T("label", "") "," CONTENT);
    assert_false(is_open(w)); /* once is enough */
    world_show(w, PAGE "," MODAL("label", "body"));
    assert_true(is_open(w)); /* the agent says it anew */
    world_push(w, "{'deleteSurface':{'surfaceId':'main'}}");
    world_scene(w);
    world_scene(w);
    world_show(w, PAGE "," MODAL("label", "body") "," C(
                          "label", "Text", "'text':{'path':'/late'}") "," CONTENT);
    assert_false(is_open(w)); /* it may get its text later */
}

static void a_picture_of_the_whole_page_holds_the_dialog(void **state) {
    struct world *w = *state;
    w->scene.view_height = 0;
    world_show(w, PAGE "," MODAL("open", "body") "," BUTTON "," CONTENT);
    NEAR(w->scene.height, 96);
    open_it(w);
    NEAR(w->scene.height, 64 + 24 + 34 + 32);
    assert_true(world_item(w, "body")->y > 16);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(closed_it_is_its_entry, setup, teardown),
        cmocka_unit_test_setup_teardown(the_button_fires_and_opens, setup, teardown),
        cmocka_unit_test_setup_teardown(closes, setup, teardown),
        cmocka_unit_test_setup_teardown(the_keyboard_stays_inside, setup, teardown),
        cmocka_unit_test_setup_teardown(an_entry_without_button, setup, teardown),
        cmocka_unit_test_setup_teardown(missing_and_equal_children, setup, teardown),
        cmocka_unit_test_setup_teardown(a_long_one_scrolls, setup, teardown),
        cmocka_unit_test_setup_teardown(the_focus_is_scrolled_into_sight, setup, teardown),
        cmocka_unit_test_setup_teardown(a_blank_entry_opens_by_itself, setup, teardown),
        cmocka_unit_test_setup_teardown(
                a_picture_of_the_whole_page_holds_the_dialog, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
