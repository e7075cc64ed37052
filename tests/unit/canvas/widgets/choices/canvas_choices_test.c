/* MultipleChoice and Slider. */
#include "tests/unit/canvas/canvas_person.h"

#define OPTION(label, value) "{'label':{'literalString':'" label "'},'value':'" value "'}"
#define COLOURS OPTION("Red", "red") "," OPTION("Green", "green") "," OPTION("Blue", "blue")
#define CHOICE(more) C("m", "MultipleChoice", "'options':[" COLOURS "]," more)
#define SEL "'selections':{'path':'/sel'}"
#define ONE(widget) C("root", "Column", KIDS("'m'")) "," widget
#define SLIDER(more) C("m", "Slider", more)

static void assert_chosen(struct world *w, const char *json) {
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(4096);
    (void)cv_value_print(&text, cv_input_value(world_item(w, "m"), "selections"));
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '"') {
            text.data[i] = '\'';
        }
    }
    assert_string_equal(text.data, json);
}

/* A row of the open list, counted from 0; after a filter box when there is one. */
static void click_row(struct world *w, int row, bool has_filter) {
    const struct cv_item *it = world_item(w, "m");
    double top = has_filter ? 38 + 16 : 8;
    click(w, "m", it->popup.x - it->x + 60, it->popup.y - it->y + top + 36 * row + 10);
}

static void the_header_says_how_many(void **state) {
    struct world *w = *state;
    world_show(w, ONE(CHOICE(SEL)));
    BOX(w, "m", 16, 16, 448, 55);
    SHOWS(w, "'Select items'");
    assert_false(shows(w, "'Red'"));
    world_push(w, DATA("{'key':'sel','valueString':'[\\\"red\\\",\\\"blue\\\"]'}"));
    SHOWS(w, "'2 Selected'");
    world_show(w, ONE(CHOICE(SEL ",'maxAllowedSelections':1")));
    SHOWS(w, "'Red'"); /* one of one: which */
    world_push(w, DATA("{'key':'sel','valueString':'[]'}"));
    SHOWS(w, "'Select an item'");
}

static void the_list_by_pointer(void **state) {
    struct world *w = *state;
    world_show(w, C("root", "Column", KIDS("'m','t'")) "," CHOICE(SEL) "," T("t", "below"));
    click(w, "m", 30, 20);
    const struct cv_item *it = world_item(w, "m");
    assert_true(it->overlay);
    NEAR(it->popup.y, 16 + 55 + 4);
    NEAR(it->popup.h, 8 + 3 * 36 + 8);
    SHOWS(w, "'Green'");
    click_row(w, 1, false);
    click_row(w, 0, false);
    assert_chosen(w, "['green','red']");
    assert_true(world_item(w, "m")->local->open);
    SHOWS(w, "check");
    click_row(w, 1, false);
    assert_chosen(w, "['red']");
    click(w, "m", 30, 20); /* the header closes it */
    assert_false(world_item(w, "m")->local->open);
    click(w, "m", 30, 20);
    click(w, "t", 5, 400); /* and so does a press elsewhere */
    assert_false(world_item(w, "m")->local->open);
    assert_data(w, "{'sel':['red']}");
}

static void the_list_by_keys(void **state) {
    struct world *w = *state;
    world_push(w, DATA("{'key':'sel','valueString':'[\\\"green\\\"]'}"));
    world_show(w, ONE(CHOICE(SEL)));
    go_to(w, "m");
    assert_false(hit_key(w, CV_KEY_UP, 0));
    assert_true(hit_key(w, CV_KEY_ENTER, 0));
    assert_int_equal(world_item(w, "m")->local->highlight, 1); /* starts at what is chosen */
    (void)hit_key(w, CV_KEY_DOWN, 0);
    (void)hit_key(w, CV_KEY_DOWN, 0); /* stays at the end */
    assert_true(hit_key(w, CV_KEY_SPACE, 0));
    assert_data(w, "{'sel':['green','blue']}");
    (void)hit_key(w, CV_KEY_HOME, 0);
    assert_true(type_text(w, " "));
    assert_data(w, "{'sel':['green','blue','red']}");
    assert_true(type_text(w, "g")); /* goes to Green */
    assert_true(hit_key(w, CV_KEY_ENTER, 0));
    assert_data(w, "{'sel':['blue','red']}");
    assert_false(type_text(w, "x"));
    assert_true(hit_key(w, CV_KEY_ESCAPE, 0));
    assert_false(world_item(w, "m")->local->open);
    assert_true(hit_key(w, CV_KEY_DOWN, 0));
    (void)hit_key(w, CV_KEY_TAB, 0); /* leaving closes it */
    assert_false(world_item(w, "m")->local->open);
}

static void a_literal_array_works(void **state) {
    struct world *w = *state;
    world_show(w, ONE(CHOICE("'selections':{'literalArray':['red']}")));
    SHOWS(w, "'1 Selected'");
    click(w, "m", 30, 20);
    click_row(w, 2, false);
    assert_chosen(w, "['red','blue']");
    SHOWS(w, "'2 Selected'");
}

static void one_of_them_is_a_radio_button(void **state) {
    struct world *w = *state;
    world_push(w, DATA("{'key':'sel','valueString':'[\\\"red\\\"]'}"));
    world_show(w, ONE(CHOICE(SEL ",'maxAllowedSelections':1")));
    click(w, "m", 30, 20);
    click_row(w, 2, false);
    assert_data(w, "{'sel':['blue']}"); /* an array even for one */
    assert_false(world_item(w, "m")->local->open);
    click(w, "m", 30, 20);
    click_row(w, 2, false); /* stays chosen */
    assert_data(w, "{'sel':['blue']}");
}

static void the_maximum_disables_the_rest(void **state) {
    struct world *w = *state;
    world_push(w, DATA("{'key':'sel','valueString':'[\\\"red\\\",\\\"green\\\"]'}"));
    world_show(w, ONE(CHOICE(SEL ",'maxAllowedSelections':2")));
    click(w, "m", 30, 20);
    SHOWS(w, "'Blue' 14/20 #777777ff");
    click_row(w, 2, false);
    assert_data(w, "{'sel':['red','green']}");
    click_row(w, 0, false);
    click_row(w, 2, false);
    assert_data(w, "{'sel':['green','blue']}");
}

static void filters(void **state) {
    struct world *w = *state;
    world_show(w, ONE(CHOICE(SEL ",'filterable':true")));
    go_to(w, "m");
    assert_false(type_text(w, "r")); /* closed */
    (void)hit_key(w, CV_KEY_ENTER, 0);
    SHOWS(w, "'Filter options\xe2\x80\xa6'");
    assert_true(type_text(w, "RE"));
    SHOWS(w, "'RE'");
    SHOWS(w, "'Red'");
    SHOWS(w, "'Green'");
    assert_false(shows(w, "'Blue'"));
    click_row(w, 1, true);
    assert_data(w, "{'sel':['green']}");
    assert_true(type_text(w, "z"));
    SHOWS(w, "'No options found'");
    assert_false(hit_key(w, CV_KEY_ENTER, 0));
    assert_true(hit_key(w, CV_KEY_BACKSPACE, 0));
    assert_true(type_text(w, "d"));
    (void)hit_key(w, CV_KEY_DOWN, 0);
    assert_true(hit_key(w, CV_KEY_ENTER, 0));
    assert_data(w, "{'sel':['green','red']}");
    assert_false(hit_key(w, CV_KEY_SPACE, 0)); /* a space of the filter: comes as text */
    assert_true(type_text(w, " "));
    SHOWS(w, "'No options found'");
    struct cv_rect r;
    assert_true(cv_input_caret(&w->input, &r));
    NEAR(r.h, 20);
    (void)hit_key(w, CV_KEY_ESCAPE, 0);
    (void)hit_key(w, CV_KEY_ENTER, 0);
    SHOWS(w, "'Blue'"); /* a new list is whole */
}

static void assert_filter(struct world *w, const char *text, size_t anchor, size_t caret) {
    const struct cv_local *l = world_item(w, "m")->local;
    assert_string_equal(l->filter ? l->filter : "", text);
    assert_int_equal(l->anchor, anchor);
    assert_int_equal(l->caret, caret);
}

static void the_filter_edits_like_a_text_field(void **state) {
    struct world *w = *state;
    world_show(w, ONE(CHOICE(SEL ",'filterable':true")));
    click(w, "m", 30, 20);
    assert_true(type_text(w, "one two\nthree")); /* pasted */
    assert_filter(w, "one two three", 13, 13);
    assert_true(hit_key(w, CV_KEY_LEFT, CV_MOD_CTRL));
    assert_filter(w, "one two three", 8, 8);
    assert_true(hit_key(w, CV_KEY_LEFT, CV_MOD_CTRL | CV_MOD_SHIFT));
    assert_filter(w, "one two three", 8, 4);
    SHOWS(w, "box 64,92 28x20 r2 #6a6dcd4d"); /* the selection */
    assert_true(type_text(w, "2 "));
    assert_filter(w, "one 2 three", 6, 6);
    assert_true(hit_key(w, CV_KEY_Z, CV_MOD_CTRL));
    assert_filter(w, "one two three", 13, 13);
    assert_true(hit_key(w, CV_KEY_HOME, 0));
    assert_true(hit_key(w, CV_KEY_DELETE, 0));
    assert_filter(w, "ne two three", 0, 0);
    assert_true(hit_key(w, CV_KEY_A, CV_MOD_CTRL));
    assert_true(hit_key(w, CV_KEY_X, CV_MOD_CTRL));
    assert_filter(w, "", 0, 0);
    assert_false(hit_key(w, CV_KEY_BACKSPACE, 0));
    assert_true(type_text(w, "rd"));
    const struct cv_item *it = world_item(w, "m");
    double x = it->popup.x - it->x + 8 + it->theme->field_pad_x, y = it->popup.y - it->y + 20;
    click(w, "m", x + 8, y); /* between the letters, 7 wide each */
    assert_filter(w, "rd", 1, 1);
    assert_true(type_text(w, "e"));
    SHOWS(w, "'Red'");
    assert_false(shows(w, "'Green'"));
    point(w, CV_POINTER_PRESS, "m", x, y);
    point(w, CV_POINTER_MOVE, "m", x + 200, y + 90); /* over the options: it still selects */
    point(w, CV_POINTER_RELEASE, "m", x + 200, y + 90);
    assert_filter(w, "red", 0, 3);
    assert_data(w, "{}"); /* and chooses none */
    assert_true(cv_input_preedit(&w->input, "gr", 2));
    SHOWS(w, "'redgr'");
    assert_true(cv_input_preedit(&w->input, "", 0));
    (void)hit_key(w, CV_KEY_DOWN, 0); /* still goes to the options */
    assert_int_equal(world_item(w, "m")->local->highlight, 0);
    OC_AUTO_FREE char *much = oc_alloc(300);
    memset(much, 'x', 299);
    much[299] = '\0';
    assert_false(type_text(w, much));
    assert_filter(w, "red", 0, 3);
}

static void filters_know_other_alphabets(void **state) {
    struct world *w = *state;
    world_show(w, ONE(C("m", "MultipleChoice",
                          "'variant':'chips','filterable':true,'options':[" OPTION("\xc3\x84pfel",
                                  "a") "," OPTION("\xd0\x93\xd1\x80\xd1\x83\xd1\x88\xd0\xb0",
                                  "b") "," OPTION("x", "c") "]," SEL)));
    BOX(w, "m", 16, 16, 448, 55 + 40);
    go_to(w, "m");
    assert_true(type_text(w, "\xc3\xa4P"));
    SHOWS(w, "'\xc3\x84pfel'");
    assert_false(shows(w, "'x'"));
    (void)hit_key(w, CV_KEY_ESCAPE, 0);
    assert_true(type_text(w, "\xd0\xb3\xd0\xa0"));
    SHOWS(w, "'\xd0\x93\xd1\x80\xd1\x83\xd1\x88\xd0\xb0'");
    assert_false(shows(w, "'x'"));
}

static void chips(void **state) {
    struct world *w = *state;
    world_push(w, DATA("{'key':'sel','valueString':'[\\\"green\\\"]'}"));
    world_show(w, ONE(CHOICE(SEL ",'variant':'chips'")));
    BOX(w, "m", 16, 16, 448, 40);
    SHOWS(w, "box 16,20 55x32 r16 #f2efffff border 1 #8487eaff");
    SHOWS(w, "box 79,20 95x32 r16 #383b99ff border 1 #383b99ff\nicon 94,27 18x18 check");
    click(w, "m", 10, 10);
    assert_data(w, "{'sel':['green','red']}");
    click(w, "m", 440, 10); /* on nothing */
    assert_data(w, "{'sel':['green','red']}");
    point(w, CV_POINTER_PRESS, "m", 10, 10); /* let go on another one */
    point(w, CV_POINTER_RELEASE, "m", 100, 10);
    assert_data(w, "{'sel':['green','red']}");
    w->scene.width = 150; /* they wrap */
    world_scene(w);
    BOX(w, "m", 16, 16, 118, 4 + 3 * 32 + 2 * 8 + 4);
}

static void chips_by_keys(void **state) {
    struct world *w = *state;
    world_show(w, ONE(CHOICE(SEL ",'type':'chips','maxAllowedSelections':2")));
    (void)hit_key(w, CV_KEY_TAB, 0);
    SHOWS(w, "box 13,17 61x38 r19 #00000000 border 2 #6a6dcdff"); /* the ring is on the first */
    assert_true(hit_key(w, CV_KEY_SPACE, 0));
    assert_true(hit_key(w, CV_KEY_RIGHT, 0));
    assert_true(hit_key(w, CV_KEY_ENTER, 0));
    (void)hit_key(w, CV_KEY_END, 0);
    (void)hit_key(w, CV_KEY_ENTER, 0); /* one too many */
    assert_data(w, "{'sel':['red','green']}");
    (void)hit_key(w, CV_KEY_LEFT, 0);
    (void)hit_key(w, CV_KEY_UP, 0);
    assert_true(hit_key(w, CV_KEY_ENTER, 0));
    assert_data(w, "{'sel':['green']}");
    assert_false(hit_key(w, CV_KEY_ESCAPE, 0));
    assert_false(cv_input_activate(&w->input, NULL, "m"));
}

static void long_lists_scroll(void **state) {
    struct world *w = *state;
    OC_AUTO_BUF struct oc_buf options = OC_BUF_INIT(1u << 20);
    for (int i = 0; i < 1200; i++) {
        (void)oc_buf_printf(&options, "%s{'label':{'literalString':'Option %d'},'value':'%d'}",
                i ? "," : "", i, i);
    }
    OC_AUTO_FREE char *show =
            oc_strfmt(ONE(C("m", "MultipleChoice", SEL ",'options':[%s]")), options.data);
    world_show(w, show);
    assert_int_equal(w->diags.count, 1);
    assert_string_equal(w->diags.items[0].code, "too-many-options");
    go_to(w, "m");
    (void)hit_key(w, CV_KEY_ENTER, 0);
    const struct cv_item *it = world_item(w, "m");
    NEAR(it->popup.h, 300);
    SHOWS(w, "'Option 7'");
    assert_false(shows(w, "'Option 8'"));
    (void)hit_key(w, CV_KEY_PAGE_DOWN, 0);
    (void)hit_key(w, CV_KEY_DOWN, 0);
    SHOWS(w, "'Option 8'");
    (void)hit_key(w, CV_KEY_END, 0);
    assert_true(hit_key(w, CV_KEY_ENTER, 0));
    assert_data(w, "{'sel':['999']}");
    it = world_item(w, "m");
    assert_true(cv_input_scroll(&w->input, it->popup.x + 20, it->popup.y + 60, 0, -1e9));
    SHOWS(w, "'Option 0'");
    NEAR(w->scene.scroll_y, 0);
    world_scene(w);
    it = world_item(w, "m"); /* 300 high, rows from 8 to 292 */
    double bar = it->popup.x - it->x + it->popup.w - 4, top = it->popup.y - it->y + 8;
    double over = 1000 * 36 - 284;
    click(w, "m", bar, top + 200); /* a page, and no option */
    NEAR(world_item(w, "m")->local->scroll_y, 0.9 * 284);
    point(w, CV_POINTER_PRESS, "m", bar, top + 5);
    point(w, CV_POINTER_MOVE, "m", bar + 90, top + 5 + 100);
    world_scene(w);
    NEAR(world_item(w, "m")->local->scroll_y, 0.9 * 284 + 100 / (284.0 - 16) * over);
    point(w, CV_POINTER_RELEASE, "m", bar, top + 105);
    assert_data(w, "{'sel':['999']}");
    assert_true(world_item(w, "m")->local->open);
}

static void long_labels_widen_the_list(void **state) {
    struct world *w = *state;
    world_show(w, C("root", "Row", KIDS("'m'")) "," C("m", "MultipleChoice",
                          SEL ",'options':[" OPTION(
                                  "A label of exactly forty characters, yes", "a") "]"));
    click(w, "m", 10, 10);
    const struct cv_item *it = world_item(w, "m");
    assert_true(it->w < 200);
    NEAR(it->popup.w, 40 * 7 + 16 + 10 + 28);
    w->scene.width = 200; /* not out of the page */
    world_scene(w);
    it = world_item(w, "m");
    assert_true(it->popup.x >= 0 && it->popup.x + it->popup.w <= 200);
}

static void hostile_choices(void **state) {
    struct world *w = *state;
    static const char *const odd[] = { "'options':5",
        "'options':[1,null,{},{'value':7},{'label':3}]", "'options':{},'selections':7",
        "'options':[" COLOURS "],'selections':{'path':'/t'}",
        "'options':[" COLOURS "],'selections':{'path':'/m'},'maxAllowedSelections':-1",
        "'options':[" COLOURS "],'selections':{'path':'/l'},'maxAllowedSelections':1e30",
        "'options':[" COLOURS "],'filterable':'x','variant':9,'maxAllowedSelections':'2'" };
    world_push(w, DATA("{'key':'t','valueString':'red'},{'key':'m','valueMap':[]},{'key':'l','"
                       "valueString':'[1,null,\\\"red\\\",{}]'}"));
    for (size_t i = 0; i < 2 * OC_COUNT(odd); i++) {
        OC_AUTO_FREE char *show = oc_strfmt(ONE(C("m", "MultipleChoice", "%s%s")), odd[i / 2],
                i % 2 ? ",'variant':'chips'" : "");
        world_show(w, show);
        go_to(w, "m");
        (void)hit_key(w, CV_KEY_ENTER, 0);
        (void)hit_key(w, CV_KEY_DOWN, 0);
        (void)hit_key(w, CV_KEY_ENTER, 0);
        (void)type_text(w, "b");
        click(w, "m", 20, 20);
        OC_AUTO_FREE char *text = painted(w);
        assert_null(strstr(text, "nan"));
        world_show(w, T("root", "gone"));
        world_scene(w);
        world_scene(w);
    }
}

static void a_slider(void **state) {
    struct world *w = *state;
    world_push(w, DATA("{'key':'v','valueNumber':30}"));
    world_show(w, ONE(SLIDER("'value':{'path':'/v'}")));
    BOX(w, "m", 16, 16, 448, 38);
    OC_AUTO_FREE char *text = painted(w);
    assert_string_equal(text, "text 16,16 w14 '30' 14/20 #1b1b1bff\n"
                              "box 24,43 432x4 r2 #1b1b1b24\n"
                              "box 24,43 129.6x4 r2 #383b99ff\n"
                              "box 145.6,37 16x16 r8 #383b99ff border 2 #383b99ff\n");
    world_show(w, ONE(SLIDER("'value':{'path':'/v'},'label':{'literalString':'Volume'}")));
    SHOWS(w, "text 16,16 w426 'Volume'");
    SHOWS(w, "text 450,16 w14 '30'");
    world_show(w, C("root", "Row", KIDS("'m'")) "," SLIDER("'value':{'path':'/v'}"));
    BOX(w, "m", 16, 16, 133, 38);
}

static void it_is_dragged(void **state) {
    struct world *w = *state;
    world_push(w, DATA("{'key':'v','valueNumber':0}"));
    world_show(w, ONE(SLIDER("'value':{'path':'/v'}")));
    point(w, CV_POINTER_PRESS, "m", 8 + 216, 10); /* on the number */
    assert_data(w, "{'v':0}");
    point(w, CV_POINTER_RELEASE, "m", 8 + 216, 10);
    point(w, CV_POINTER_PRESS, "m", 8 + 216, 30);
    assert_data(w, "{'v':50}");
    assert_focus(w, "m");
    point(w, CV_POINTER_MOVE, "m", 8 + 432, 500); /* anywhere, while it is held */
    assert_data(w, "{'v':100}");
    point(w, CV_POINTER_MOVE, "m", -500, 30);
    assert_data(w, "{'v':0}");
    point(w, CV_POINTER_MOVE, "m", 8 + 432 * 0.333, 30);
    point(w, CV_POINTER_RELEASE, "m", 8 + 432 * 0.333, 30);
    point(w, CV_POINTER_MOVE, "m", 8 + 432, 30);
    assert_data(w, "{'v':33}");
}

static void its_steps_are_hundredths(void **state) {
    struct world *w = *state;
    world_push(w, DATA("{'key':'v','valueNumber':0.45}"));
    world_show(w, ONE(SLIDER("'value':{'path':'/v'},'minValue':0,'maxValue':1")));
    SHOWS(w, "'0.45'");
    go_to(w, "m");
    assert_true(hit_key(w, CV_KEY_RIGHT, 0));
    assert_data(w, "{'v':0.46}");
    (void)hit_key(w, CV_KEY_UP, 0);
    (void)hit_key(w, CV_KEY_PAGE_UP, 0);
    assert_data(w, "{'v':0.57}");
    (void)hit_key(w, CV_KEY_LEFT, 0);
    (void)hit_key(w, CV_KEY_DOWN, 0);
    (void)hit_key(w, CV_KEY_PAGE_DOWN, 0);
    assert_data(w, "{'v':0.45}");
    (void)hit_key(w, CV_KEY_END, 0);
    assert_data(w, "{'v':1}");
    (void)hit_key(w, CV_KEY_RIGHT, 0);
    assert_data(w, "{'v':1}");
    (void)hit_key(w, CV_KEY_HOME, 0);
    assert_data(w, "{'v':0}");
    assert_false(hit_key(w, CV_KEY_RIGHT, CV_MOD_CTRL));
    assert_false(hit_key(w, CV_KEY_ENTER, 0));
}

static void odd_sliders(void **state) {
    struct world *w = *state;
    world_push(w, DATA("{'key':'s','valueString':'70'},{'key':'x','valueString':'many'},{'key':'"
                       "big','valueNumber':1e300}"));
    static const struct {
        const char *props, *shown, *after_a_step;
    } odd[] = {
        { "'value':{'path':'/s'}", "'70'", "'71'" }, /* a text that is a number */
        { "'value':{'path':'/x'}", "'0'", "'1'" },
        { "'value':{'path':'/gone'}", "'0'", "'1'" },
        { "'value':{'literalNumber':0}", "'0'", "'1'" },
        { "'value':{'literalNumber':500}", "'100'", "'100'" },
        { "'value':{'literalNumber':-5},'minValue':-10,'maxValue':-20", "'-10'", "'-10'" },
        { "'value':{'literalNumber':5},'minValue':5,'maxValue':5", "'5'", "'5'" },
        { "'value':{'path':'/big'},'minValue':-1e308,'maxValue':1e308", "'-1e+308'", "'-1e+308'" },
        { "'value':7,'minValue':'x','maxValue':null", "'7'", "'8'" },
        { "'value':{'literalNumber':150},'minValue':120", "'150'", "'151'" },
        { "", "'0'", "'1'" },
    };
    for (size_t i = 0; i < OC_COUNT(odd); i++) {
        OC_AUTO_FREE char *show = oc_strfmt(ONE(SLIDER("%s")), odd[i].props);
        world_show(w, show);
        SHOWS(w, odd[i].shown);
        assert_false(shows(w, "nan"));
        go_to(w, "m");
        assert_true(hit_key(w, CV_KEY_RIGHT, 0));
        SHOWS(w, odd[i].after_a_step);
        world_show(w, T("root", "gone"));
        for (int k = 0; k < 4; k++) {
            world_scene(w); /* its draft is forgotten */
        }
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, person_setup, person_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(the_header_says_how_many),
        TEST(the_list_by_pointer),
        TEST(the_list_by_keys),
        TEST(a_literal_array_works),
        TEST(one_of_them_is_a_radio_button),
        TEST(the_maximum_disables_the_rest),
        TEST(filters),
        TEST(the_filter_edits_like_a_text_field),
        TEST(filters_know_other_alphabets),
        TEST(chips),
        TEST(chips_by_keys),
        TEST(long_lists_scroll),
        TEST(long_labels_widen_the_list),
        TEST(hostile_choices),
        TEST(a_slider),
        TEST(it_is_dragged),
        TEST(its_steps_are_hundredths),
        TEST(odd_sliders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
