/* Pointer, keys, focus, actions; Button and CheckBox. */
#include "tests/unit/canvas/canvas_person.h"

#include <math.h>

#define BUTTON(id, text, more) \
    C(id, "Button", "'child':'" id "_t','action':{'name':'" id "'" more "}") "," T(id "_t", text)
#define CHECK(id, label, value) \
    C(id, "CheckBox", "'label':{'literalString':'" label "'},'value':{" value "}")
#define FIELD(id, label, value) \
    C(id, "TextField", "'label':{'literalString':'" label "'},'text':{" value "}")

static void a_button_hugs_its_child(void **state) {
    struct world *w = *state;
    world_show(w, C("root", "Column", KIDS("'b'")) "," BUTTON("b", "Press", ""));
    BOX(w, "b", 16, 16, 448, 36);
    BOX(w, "b_t", 28, 24, 35, 20);
    SHOWS(w, "box 16,16 59x36 r18 #e1e0ffff border 1 #8487eaff\n"
             "text 28,24 w35 'Press'");
}

static void in_a_row_it_is_as_wide_as_needed(void **state) {
    struct world *w = *state;
    world_show(w, C("root", "Row", KIDS("'a','b'")) "," BUTTON("a", "One", "") "," BUTTON(
                          "b", "Two2", ""));
    BOX(w, "a", 16, 16, 45, 36);
    BOX(w, "b", 77, 16, 52, 36);
}

static void primary_is_filled_and_its_ink_is_light(void **state) {
    struct world *w = *state;
    world_show(w, C("root", "Column", KIDS("'b'")) "," C("b", "Button",
                          "'child':'t','primary':true,'action':{'name':'x'}") "," T("t", "Go"));
    SHOWS(w, "box 16,16 38x36 r18 #383b99ff\n");
    const struct cv_item *text = world_item(w, "t");
    assert_int_equal(text->theme->text_color, 0xffffffff);
    w->scene.theme = cv_theme_find("openclaw");
    SHOWS(w, "#22c55eff #06b6d4ff @135");
}

static void states_of_a_button(void **state) {
    struct world *w = *state;
    world_show(w, C("root", "Column", KIDS("'b'")) "," BUTTON("b", "Press", ""));
    OC_AUTO_FREE char *plain = painted(w);
    point(w, CV_POINTER_MOVE, "b", 10, 10);
    OC_AUTO_FREE char *hover = painted(w);
    assert_string_not_equal(plain, hover);
    point(w, CV_POINTER_PRESS, "b", 10, 10);
    OC_AUTO_FREE char *pressed = painted(w);
    assert_string_not_equal(hover, pressed);
    assert_false(shows(w, "#6a6dcdff")); /* no ring: the pointer was used */
    point(w, CV_POINTER_RELEASE, "b", 10, 10);
    (void)cv_input_pointer(&w->input, CV_POINTER_LEAVE, 0, 0, 0);
    OC_AUTO_FREE char *again = painted(w);
    assert_string_equal(plain, again);
    assert_int_equal(w->actions, 1);
    (void)hit_key(w, CV_KEY_TAB, 0);
    SHOWS(w, "box 13,13 65x42 r21 #00000000 border 2 #6a6dcdff");
}

static void beside_the_pill_is_not_the_button(void **state) {
    struct world *w = *state;
    world_show(w, C("root", "Column", KIDS("'b'")) "," BUTTON("b", "Press", ""));
    click(w, "b", 200, 10);
    assert_int_equal(w->actions, 0);
    assert_focus(w, NULL);
    point(w, CV_POINTER_PRESS, "b", 10, 10); /* let go elsewhere */
    point(w, CV_POINTER_RELEASE, "b", 200, 10);
    assert_int_equal(w->actions, 0);
    point(w, CV_POINTER_PRESS, "b", 200, 10); /* came from elsewhere */
    point(w, CV_POINTER_RELEASE, "b", 10, 10);
    assert_int_equal(w->actions, 0);
    click(w, "b", 10, 10);
    assert_int_equal(w->actions, 1);
}

static void buttons_that_are_odd(void **state) {
    struct world *w = *state;
    world_show(w, C("root", "Column", KIDS("'a','b','c'")) "," C("a", "Button", "") "," C(
                          "b", "Button", "'child':7,'action':'x','primary':'yes'") "," C("c",
                          "Button", "'child':'gone','action':{'name':5,'context':{}}"));
    BOX(w, "a", 16, 16, 448, 36);
    click(w, "a", 5, 5);
    click(w, "b", 5, 5);
    click(w, "c", 5, 5);
    assert_int_equal(w->actions, 0);
}

static void an_action_tells_all_values(void **state) {
    struct world *w = *state;
    struct oc_fake_clock clock;
    oc_fake_clock_init(&clock, 1794788571258);
    w->input.clock = &clock.clock;
    world_push(w, DATA("{'key':'n','valueNumber':0},{'key':'s','valueString':''},"
                       "{'key':'b','valueBoolean':false},{'key':'list','valueString':'[1,2]'}"));
    world_show(
            w, C("root", "Column", KIDS("'go'")) "," BUTTON("go", "Go",
                       ",'context':[{'key':'n','value':{'path':'/"
                       "n'}},{'key':'s','value':{'path':'s'}},"
                       "{'key':'b','value':{'path':'/b'}},{'key':'gone','value':{'path':'/gone'}},"
                       "{'key':'list','value':{'path':'/"
                       "list'}},{'key':'lit','value':{'literalNumber':0}},"
                       "{'key':'lit2','value':{'literalString':'x'}},{'key':'n2','value':{'"
                       "literalBoolean':true}},"
                       "{'value':{'literalString':'no "
                       "key'}},{'key':'lit2','value':{'literalString':'later'}},7]"));
    click(w, "go", 10, 10);
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(4096);
    (void)cv_value_print(&text, w->action);
    assert_string_equal(text.data,
            "{\"name\":\"go\",\"surfaceId\":\"main\",\"sourceComponentId\":\"go\","
            "\"timestamp\":\"2026-11-16T00:22:51.258Z\",\"context\":{\"n\":0,\"s\":\"\",\"b\":"
            "false,"
            "\"gone\":null,\"list\":[1,2],\"lit\":0,\"lit2\":\"later\",\"n2\":true}}");
}

static void in_a_template_it_speaks_for_its_item(void **state) {
    struct world *w = *state;
    world_push(w, DATA("{'key':'rows','valueString':'[{\\\"n\\\":1},{\\\"n\\\":2}]'}"));
    world_show(w,
            C("root", "Column",
                    "'children':{'template':{'componentId':'go','dataBinding':'/rows'}}") "," BUTTON("go",
                    "Go", ",'context':[{'key':'n','value':{'path':'n'}}]"));
    assert_true(cv_input_activate(&w->input, "main", "go:1"));
    assert_true(cv_value_is(cv_value_get(w->action, "sourceComponentId"), "go:1"));
    NEAR(cv_value_number(cv_value_get(cv_value_get(w->action, "context"), "n")), 2);
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(4096);
    (void)cv_value_print(&text, cv_value_get(w->action, "context"));
    assert_string_equal(text.data, "{\"n\":2}");
}

static void check_boxes(void **state) {
    struct world *w = *state;
    world_push(w, DATA("{'key':'on','valueBoolean':true},{'key':'odd','valueString':'true'}"));
    world_show(w, C("root", "Column", KIDS("'a','b','c','d'")) "," CHECK(
                          "a", "Bound", "'path':'/on'") "," CHECK("b", "Literal",
                          "'literalBoolean':false") "," CHECK("c", "Missing",
                          "'path':'/later'") "," CHECK("d", "Odd", "'path':'/odd'"));
    BOX(w, "a", 16, 16, 448, 20);
    SHOWS(w, "box 16,20 13x13 r3 #383b99ff border 1 #383b99ff\n"
             "icon 16,20 13x13 check #ffffffff\n"
             "text 37,16 w427 'Bound'");
    click(w, "a", 5, 5);
    click(w, "b", 60, 10); /* the label counts */
    click(w, "c", 5, 5);
    click(w, "d", 5, 5);
    click(w, "d", 300, 5); /* far from it */
    assert_data(w, "{'on':false,'odd':true,'later':true}");
    assert_true(cv_value_bool(cv_input_value(world_item(w, "b"), "value")));
    click(w, "b", 5, 5);
    assert_false(cv_value_bool(cv_input_value(world_item(w, "b"), "value")));
    go_to(w, "a");
    assert_true(hit_key(w, CV_KEY_SPACE, 0));
    assert_true(hit_key(w, CV_KEY_ENTER, 0));
    assert_true(type_text(w, " ")); /* from an input method */
    assert_data(w, "{'on':true,'odd':true,'later':true}");
    assert_false(type_text(w, "x"));
}

/* What was entered stays until the agent sends another literal. */
static void drafts_give_way_to_new_literals(void **state) {
    struct world *w = *state;
    const char *off =
            C("root", "Column", KIDS("'b'")) "," CHECK("b", "L", "'literalBoolean':false");
    world_show(w, off);
    click(w, "b", 5, 5);
    world_show(w, off);
    assert_true(cv_value_bool(cv_input_value(world_item(w, "b"), "value")));
    world_show(w, CHECK("b", "L", "'literalBoolean':true"));
    assert_true(cv_value_bool(cv_input_value(world_item(w, "b"), "value")));
    click(w, "b", 5, 5);
    assert_false(cv_value_bool(cv_input_value(world_item(w, "b"), "value")));
}

static void long_labels_wrap(void **state) {
    struct world *w = *state;
    world_show(
            w, C("root", "Column", KIDS("'a','r'")) "," CHECK("a",
                       "0123456789 0123456789 0123456789 0123456789 0123456789 0123456789",
                       "") "," C("r", "Row", KIDS("'n'")) "," CHECK("n", "", "'literalBoolean':1"));
    BOX(w, "a", 16, 16, 448, 40);
    BOX(w, "n", 16, 64, 21, 20);
}

static void tab_walks_in_reading_order(void **state) {
    struct world *w = *state;
    world_show(w,
            C("root", "Column", KIDS("'f','row','t','c'")) "," FIELD("f", "F", "'path':'/f'") "," C(
                    "row", "Row", KIDS("'a','b'")) "," BUTTON("a", "A", "") "," BUTTON("b", "B",
                    "") "," T("t", "text") "," CHECK("c", "C", "'path':'/c'"));
    static const char *const order[] = { "f", "a", "b", "c", "f" };
    for (size_t i = 0; i < OC_COUNT(order); i++) {
        assert_true(hit_key(w, CV_KEY_TAB, 0));
        assert_focus(w, order[i]);
        assert_true(w->input.focus_visible);
    }
    (void)hit_key(w, CV_KEY_TAB, CV_MOD_SHIFT);
    assert_focus(w, "c");
    (void)hit_key(w, CV_KEY_TAB, CV_MOD_SHIFT);
    assert_focus(w, "b");
    assert_true(hit_key(w, CV_KEY_ENTER, 0));
    assert_int_equal(w->actions, 1);
    assert_true(hit_key(w, CV_KEY_SPACE, 0));
    assert_int_equal(w->actions, 2);
    assert_false(hit_key(w, CV_KEY_ENTER, CV_MOD_CTRL));
    click(w, "t", 5, 5); /* on nothing */
    assert_focus(w, NULL);
    assert_false(hit_key(w, CV_KEY_ENTER, 0));
    assert_false(type_text(w, "x"));
    (void)hit_key(w, CV_KEY_TAB, CV_MOD_SHIFT); /* from nowhere: the last one */
    assert_focus(w, "c");
}

static void nothing_to_focus(void **state) {
    struct world *w = *state;
    assert_false(hit_key(w, CV_KEY_TAB, 0)); /* no surface at all */
    assert_false(cv_input_pointer(&w->input, CV_POINTER_PRESS, 10, 10, 0));
    assert_false(cv_input_pointer(&w->input, CV_POINTER_RELEASE, 10, 10, 0));
    world_show(w, T("root", "text"));
    assert_false(hit_key(w, CV_KEY_TAB, 0));
    assert_false(cv_input_focus(&w->input, NULL, "root"));
    assert_false(cv_input_focus(&w->input, NULL, "gone"));
    assert_false(cv_input_activate(&w->input, NULL, "root"));
    assert_false(cv_input_activate(&w->input, "other", "root"));
    struct cv_rect r;
    assert_false(cv_input_caret(&w->input, &r));
}

/* A component that is used twice is two things to a person. */
static void twins_are_told_apart(void **state) {
    struct world *w = *state;
    world_show(w, C("root", "Column", KIDS("'a','a','b'")) "," CHECK(
                          "a", "A", "'literalBoolean':false") "," BUTTON("b", "B", ""));
    (void)hit_key(w, CV_KEY_TAB, 0);
    (void)hit_key(w, CV_KEY_TAB, 0);
    assert_true(hit_key(w, CV_KEY_SPACE, 0));
    const struct cv_item *first = world_item(w, "a");
    assert_false(cv_value_bool(cv_input_value(first, "value")));
    assert_true(cv_value_bool(cv_input_value(first + 1, "value")));
    (void)hit_key(w, CV_KEY_TAB, 0);
    assert_focus(w, "b");
    (void)hit_key(w, CV_KEY_TAB, 0);
    assert_focus(w, "a");
}

static void a_dialog_keeps_the_focus(void **state) {
    struct world *w = *state;
    world_show(w, C("root", "Column", KIDS("'before','m','after'")) "," BUTTON(
                          "before", "B", "") "," C("m", "Modal",
                          "'entryPointChild':'open','contentChild':'body'") "," BUTTON("open", "O",
                          "") "," BUTTON("after", "A", "") "," C("body", "Column",
                          KIDS("'x','y'")) "," BUTTON("x", "X", "") "," BUTTON("y", "Y", ""));
    go_to(w, "open");
    assert_true(hit_key(w, CV_KEY_ENTER, 0));
    assert_int_equal(w->actions, 1); /* its own action, and the dialog */
    assert_true(world_item(w, "m")->local->open);
    for (int i = 0; i < 2; i++) {
        (void)hit_key(w, CV_KEY_TAB, 0);
        assert_focus(w, "x");
        (void)hit_key(w, CV_KEY_TAB, 0);
        assert_focus(w, "y");
    }
    assert_true(hit_key(w, CV_KEY_ENTER, 0));
    assert_true(cv_value_is(cv_value_get(w->action, "name"), "y"));
    assert_true(hit_key(w, CV_KEY_ESCAPE, 0));
    assert_false(world_item(w, "m")->local->open);
    (void)hit_key(w, CV_KEY_TAB, 0); /* the entry had it back */
    assert_focus(w, "after");
}

static void the_page_scrolls(void **state) {
    struct world *w = *state;
    w->scene.view_height = 100;
    world_show(w, C("root", "Column", KIDS("'a','b','c','d','e'")) "," BUTTON(
                          "a", "A", "") "," BUTTON("b", "B", "") "," BUTTON("c", "C",
                          "") "," BUTTON("d", "D", "") "," BUTTON("e", "E", ""));
    assert_true(hit_key(w, CV_KEY_DOWN, 0));
    NEAR(w->scene.scroll_y, 40);
    assert_true(cv_input_scroll(&w->input, 50, 50, 0, 20));
    world_scene(w);
    NEAR(w->scene.scroll_y, 60);
    assert_true(hit_key(w, CV_KEY_END, 0));
    NEAR(w->scene.scroll_y, 5 * 36 + 4 * 8 + 32 - 100);
    assert_false(hit_key(w, CV_KEY_PAGE_DOWN, 0));
    assert_false(cv_input_scroll(&w->input, 50, 50, 0, 20));
    assert_false(cv_input_scroll(&w->input, 50, 50, 0, NAN));
    (void)hit_key(w, CV_KEY_TAB, 0); /* the focus brings the page along */
    assert_focus(w, "a");
    NEAR(world_item(w, "a")->y, 8);
    (void)hit_key(w, CV_KEY_TAB, CV_MOD_SHIFT);
    assert_focus(w, "e");
    const struct cv_item *e = world_item(w, "e");
    assert_true(e->y >= 0 && e->y + e->h <= 100);
}

static void at(struct world *w, enum cv_pointer what, double x, double y) {
    (void)cv_input_pointer(&w->input, what, x, y, 0);
    world_scene(w);
}

static void the_bar_of_the_page_is_dragged_and_pressed(void **state) {
    struct world *w = *state;
    w->scene.view_height = 100;
    world_show(w, C("root", "Column", KIDS("'a','b','c','d','e'")) "," BUTTON(
                          "a", "A", "") "," BUTTON("b", "B", "") "," BUTTON("c", "C",
                          "") "," BUTTON("d", "D", "") "," BUTTON("e", "E", ""));
    double over = w->scene.height - 100, len = 100.0 * 100 / (100 + over);
    go_to(w, "a");
    at(w, CV_POINTER_PRESS, 476, len / 2);
    NEAR(w->scene.scroll_y, 0); /* held, not moved yet */
    at(w, CV_POINTER_MOVE, 300, len / 2 + 20);
    NEAR(w->scene.scroll_y, 20 / (100 - len) * over); /* also beside it */
    at(w, CV_POINTER_MOVE, 300, 5000);
    NEAR(w->scene.scroll_y, over);
    at(w, CV_POINTER_RELEASE, 300, 50);
    at(w, CV_POINTER_MOVE, 300, 10); /* let go of */
    NEAR(w->scene.scroll_y, over);
    at(w, CV_POINTER_PRESS, 476, 1);
    at(w, CV_POINTER_MOVE, 476, 60); /* beside the bar nothing is held */
    at(w, CV_POINTER_RELEASE, 476, 60);
    NEAR(w->scene.scroll_y, over - 90);
    assert_focus(w, "a"); /* it is where it was, and nothing was pressed */
    assert_int_equal(w->actions, 0);
    at(w, CV_POINTER_PRESS, 460, 1); /* not on the bar any more */
    at(w, CV_POINTER_RELEASE, 460, 1);
    NEAR(w->scene.scroll_y, over - 90);
}

static void the_bar_of_a_list_is_dragged_and_pressed(void **state) {
    struct world *w = *state;
    world_show(w,
            C("root", "List", "'direction':'horizontal'," KIDS("'a','b','c','d','e'")) "," BUTTON(
                    "a", "A long label for a button", "") "," BUTTON("b",
                    "A long label for a button", "") "," BUTTON("c", "A long label for a button",
                    "") "," BUTTON("d", "A long label for a button", "") "," BUTTON("e",
                    "A long label for a button", ""));
    const struct cv_item *root = world_item(w, "root");
    double over = root->over_x, way = root->view.w, len = way * way / (way + over);
    double y = root->view.y + root->view.h - 3, x = root->view.x;
    assert_true(over > 100);
    at(w, CV_POINTER_PRESS, x + 5, y);
    at(w, CV_POINTER_MOVE, x + 35, y + 200);
    NEAR(world_item(w, "root")->local->scroll_x, 30 / (way - len) * over);
    at(w, CV_POINTER_RELEASE, x + 35, y);
    at(w, CV_POINTER_PRESS, x + way - 2, y);
    at(w, CV_POINTER_RELEASE, x + way - 2, y);
    NEAR(world_item(w, "root")->local->scroll_x, over < 30 / (way - len) * over + 0.9 * way
                                                         ? over
                                                         : 30 / (way - len) * over + 0.9 * way);
    assert_int_equal(w->actions, 0);
}

static void a_form_from_the_first_key_to_the_action(void **state) {
    struct world *w = *state;
    world_push(w, DATA("{'key':'name','valueString':'old'}"));
    world_show(
            w, C("root", "Card", "'child':'col'") "," C("col", "Column",
                       KIDS("'name','note','agree','vol','when','send'")) "," FIELD("name", "Name",
                       "'path':'/name'") "," C("note", "TextField",
                       "'label':{'literalString':'Note'},'text':{'path':'/"
                       "note'},'textFieldType':'longText'") "," CHECK("agree", "I agree",
                       "'path':'/agree'") "," C("vol", "Slider",
                       "'value':{'path':'/vol'}") "," C("when", "DateTimeInput",
                       "'value':{'path':'/when'},'enableTime':false") "," BUTTON("send", "Send",
                       ",'context':[{'key':'name','value':{'path':'/"
                       "name'}},{'key':'note','value':{'path':'/note'}},"
                       "{'key':'agree','value':{'path':'/agree'}},{'key':'vol','value':{'path':'/"
                       "vol'}},{'key':'when','value':{'path':'/when'}}]"));
    (void)hit_key(w, CV_KEY_TAB, 0);
    assert_true(type_text(w, "Ada"));
    (void)hit_key(w, CV_KEY_TAB, 0);
    assert_true(type_text(w, "two"));
    assert_true(hit_key(w, CV_KEY_ENTER, 0));
    assert_true(type_text(w, "lines"));
    (void)hit_key(w, CV_KEY_TAB, 0);
    assert_true(hit_key(w, CV_KEY_SPACE, 0));
    (void)hit_key(w, CV_KEY_TAB, 0);
    assert_true(hit_key(w, CV_KEY_PAGE_UP, 0));
    (void)hit_key(w, CV_KEY_TAB, 0);
    assert_true(hit_key(w, CV_KEY_ENTER, 0));
    assert_true(hit_key(w, CV_KEY_RIGHT, 0));
    assert_true(hit_key(w, CV_KEY_ENTER, 0));
    (void)hit_key(w, CV_KEY_TAB, 0);
    assert_focus(w, "send");
    assert_true(hit_key(w, CV_KEY_ENTER, 0));
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(4096);
    (void)cv_value_print(&text, cv_value_get(w->action, "context"));
    assert_string_equal(text.data,
            "{\"name\":\"Ada\",\"note\":\"two\\nlines\",\"agree\":true,\"vol\":10,"
            "\"when\":\"2026-11-17\"}");
}

/* Events faster than pictures: handlers must not use what an older scene found. */
static void events_without_a_new_scene(void **state) {
    struct world *w = *state;
    w->input.on_stale = NULL;
    world_push(w, DATA("{'key':'s','valueString':''},{'key':'on','valueBoolean':false}"));
    world_show(w, C("root", "Column", KIDS("'f','c'")) "," FIELD("f", "F", "'path':'/s'") "," CHECK(
                          "c", "C", "'path':'/on'"));
    assert_true(cv_input_focus(&w->input, NULL, "f"));
    for (int i = 0; i < 5; i++) {
        assert_true(cv_input_text(&w->input, "ab"));
    }
    assert_true(cv_input_key(&w->input, CV_KEY_BACKSPACE, 0));
    assert_true(cv_input_activate(&w->input, NULL, "c"));
    assert_true(cv_input_activate(&w->input, NULL, "c"));
    assert_true(cv_input_activate(&w->input, NULL, "c"));
    assert_data(w, "{'s':'ababababa','on':true}");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, person_setup, person_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_button_hugs_its_child),
        TEST(in_a_row_it_is_as_wide_as_needed),
        TEST(primary_is_filled_and_its_ink_is_light),
        TEST(states_of_a_button),
        TEST(beside_the_pill_is_not_the_button),
        TEST(buttons_that_are_odd),
        TEST(an_action_tells_all_values),
        TEST(in_a_template_it_speaks_for_its_item),
        TEST(check_boxes),
        TEST(drafts_give_way_to_new_literals),
        TEST(long_labels_wrap),
        TEST(tab_walks_in_reading_order),
        TEST(nothing_to_focus),
        TEST(twins_are_told_apart),
        TEST(a_dialog_keeps_the_focus),
        TEST(the_page_scrolls),
        TEST(the_bar_of_the_page_is_dragged_and_pressed),
        TEST(the_bar_of_a_list_is_dragged_and_pressed),
        TEST(a_form_from_the_first_key_to_the_action),
        TEST(events_without_a_new_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
