/* Exactly what Card, Divider, List, Tabs and Modal draw, in every state. */
#include "tests/unit/canvas/canvas_world.h"

static int setup(void **state) {
    struct world *w = oc_new(struct world);
    world_init(w, 232, 0);
    *state = w;
    return 0;
}

static int teardown(void **state) {
    world_finish(*state);
    oc_free(*state);
    return 0;
}

static void check_drawn(struct world *w, const char *expected) {
    struct cv_display_list *dl = cv_dl_create();
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(100000);
    cv_scene_paint(&w->scene, dl);
    assert_int_equal(cv_dl_print(&out, dl), OC_OK);
    cv_dl_destroy(dl);
    assert_string_equal(out.data, expected);
}

static void card(void **state) {
    struct world *w = *state;
    world_show(w, C("root", "Card", "'child':'a'") "," T("a", "hello"));
    check_drawn(w, "shadow 16,17 200x52 r36 blur 3 #0000001f\n"
                   "box 16,16 200x52 r36 #ffffffff\n"
                   "text 32,32 w168 'hello' 14/20 #1b1b1bff\n");
}

static void card_dark(void **state) {
    struct world *w = *state;
    w->scene.theme = cv_theme_find("openclaw");
    world_show(w, C("root", "Card", "'child':'a'") "," T("a", "hello"));
    check_drawn(w, "glow 0,0 232x88.2\n"
                   "shadow 12,38 208x48.2 r14 blur 30 #00000059\n"
                   "box 12,28 208x48.2 r14 #ffffff0f #ffffff08 @180 border 1 #ffffff17\n"
                   "text 27,43 w178 'hello' 13/18.2 #e5e7ebff\n");
}

static void dividers(void **state) {
    struct world *w = *state;
    world_show(
            w, C("root", "Column", KIDS("'d','r'")) "," C("d", "Divider", "") "," C("r", "Row",
                       KIDS("'a','v'")) "," T("a", "a") "," C("v", "Divider", "'axis':'vertical'"));
    check_drawn(w, "box 16,24 200x1 #ccccccff\n"
                   "text 16,41 w7 'a' 14/20 #1b1b1bff\n"
                   "box 47,41 1x20 #ccccccff\n");
}

/* 200 inside: three of 70 with gaps do not fit. */
static void scrolled_list(void **state) {
    struct world *w = *state;
    world_show(w, C("root", "List", "'direction':'horizontal'," KIDS("'a','b','c'")) "," T(
                          "a", "aaaaaaaaaa") "," T("b", "bbbbbbbbbb") "," T("c", "cccccccccc"));
    check_drawn(w, "clip 16,16 200x36\n"
                   "text 24,24 w70 'aaaaaaaaaa' 14/20 #1b1b1bff\n"
                   "text 110,24 w70 'bbbbbbbbbb' 14/20 #1b1b1bff\n"
                   "text 196,24 w70 'cccccccccc' 14/20 #1b1b1bff\n"
                   "unclip\n"
                   "box 16,46 155.04x4 r2 #1b1b1b59\n");
    assert_true(cv_input_key(&w->input, CV_KEY_TAB, 0));
    assert_true(cv_input_key(&w->input, CV_KEY_RIGHT, 0));
    world_scene(w);
    check_drawn(w, "clip 16,16 200x36\n"
                   "text -16,24 w70 'aaaaaaaaaa' 14/20 #1b1b1bff\n"
                   "text 70,24 w70 'bbbbbbbbbb' 14/20 #1b1b1bff\n"
                   "text 156,24 w70 'cccccccccc' 14/20 #1b1b1bff\n"
                   "unclip\n"
                   "box 47.01,46 155.04x4 r2 #1b1b1b59\n"
                   "box 16,16 200x36 r4 #00000000 border 2 #6a6dcdff\n");
    assert_true(cv_input_key(&w->input, CV_KEY_END, 0));
    world_scene(w);
    NEAR(world_item(w, "root")->local->scroll_x, world_item(w, "root")->over_x);
    assert_true(cv_input_key(&w->input, CV_KEY_HOME, 0));
    assert_true(world_item(w, "root")->local->scroll_x <= 0);
}

static void tabs(void **state) {
    struct world *w = *state;
    world_show(w, C("root", "Tabs",
                          "'tabItems':[{'title':{'literalString':'one'},'child':'a'},"
                          "{'title':{'literalString':'two'},'child':'a'}]") "," T("a", "hello"));
    check_drawn(w, "box 16,36 200x1 #1b1b1b1f\n"
                   "text 24,15.5 w21 'one' 14/20 600 #1b1b1bff\n"
                   "box 16,35 37x2 #383b99ff\n"
                   "text 61,15.5 w21 'two' 14/20 #5e5e5eff\n"
                   "text 16,45 w200 'hello' 14/20 #1b1b1bff\n");
    (void)cv_input_pointer(&w->input, CV_POINTER_MOVE, 16 + 37 + 3, 20, 0);
    world_scene(w);
    check_drawn(w, "box 16,36 200x1 #1b1b1b1f\n"
                   "text 24,15.5 w21 'one' 14/20 600 #1b1b1bff\n"
                   "box 16,35 37x2 #383b99ff\n"
                   "box 53,16 37x21 r4 #1b1b1b0f\n"
                   "text 61,15.5 w21 'two' 14/20 #5e5e5eff\n"
                   "text 16,45 w200 'hello' 14/20 #1b1b1bff\n");
}

static void modal(void **state) {
    struct world *w = *state;
    world_show(w, C("root", "Modal", "'entryPointChild':'e','contentChild':'c'") "," T(
                          "e", "open") "," T("c", "content"));
    check_drawn(w, "text 16,16 w200 'open' 14/20 #1b1b1bff\n");
    assert_true(cv_input_key(&w->input, CV_KEY_TAB, 0));
    world_scene(w);
    check_drawn(w, "text 16,16 w200 'open' 14/20 #1b1b1bff\n"
                   "box 16,16 200x20 r4 #00000000 border 2 #6a6dcdff\n");
    assert_true(cv_input_key(&w->input, CV_KEY_ENTER, 0));
    world_scene(w);
    check_drawn(w, "text 16,16 w200 'open' 14/20 #1b1b1bff\n"
                   "box 0,0 232x110 #00000066\n"
                   "shadow 74.5,24 83x78 r8 blur 24 #0000001f\n"
                   "box 74.5,16 83x78 r8 #ffffffff border 1 #c0c1ffff\n"
                   "icon 122.5,35 16x16 close #1b1b1bff\n"
                   "text 91.5,57 w49 'content' 14/20 #1b1b1bff\n");
    const struct cv_item *c = world_item(w, "c");
    (void)cv_input_pointer(&w->input, CV_POINTER_MOVE, c->x + c->w - 3, c->y - 10, 0);
    world_scene(w);
    check_drawn(w, "text 16,16 w200 'open' 14/20 #1b1b1bff\n"
                   "box 0,0 232x110 #00000066\n"
                   "shadow 74.5,24 83x78 r8 blur 24 #0000001f\n"
                   "box 74.5,16 83x78 r8 #ffffffff border 1 #c0c1ffff\n"
                   "box 120.5,33 20x20 r10 #1b1b1b1f\n"
                   "icon 122.5,35 16x16 close #1b1b1bff\n"
                   "text 91.5,57 w49 'content' 14/20 #1b1b1bff\n");
}

static void page_that_scrolls(void **state) {
    struct world *w = *state;
    w->scene.view_height = 60;
    w->scene.scroll_y = 10;
    world_show(w, C("root", "Column", KIDS("'a','b'")) "," T("a", "a") "," T("b", "b"));
    check_drawn(w, "text 16,6 w200 'a' 14/20 #1b1b1bff\n"
                   "text 16,34 w200 'b' 14/20 #1b1b1bff\n"
                   "box 226,7.5 4x45 r2 #1b1b1b59\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(card, setup, teardown),
        cmocka_unit_test_setup_teardown(card_dark, setup, teardown),
        cmocka_unit_test_setup_teardown(dividers, setup, teardown),
        cmocka_unit_test_setup_teardown(scrolled_list, setup, teardown),
        cmocka_unit_test_setup_teardown(tabs, setup, teardown),
        cmocka_unit_test_setup_teardown(modal, setup, teardown),
        cmocka_unit_test_setup_teardown(page_that_scrolls, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
