/* TextField and DateTimeInput. */
#include "tests/unit/canvas/canvas_person.h"

#define FIELD(id, more) C(id, "TextField", "'label':{'literalString':'Name'}," more)
#define ONE(field) C("root", "Column", KIDS("'f'")) "," field
#define WHEN(more) C("f", "DateTimeInput", "'value':{'path':'/when'}" more)

static const struct cv_value *value(struct world *w, const char *prop) {
    return cv_input_value(world_item(w, "f"), prop);
}

static void a_field_of_one_line(void **state) {
    struct world *w = *state;
    world_push(w, DATA("{'key':'n','valueString':'Ada'}"));
    world_show(w, ONE(FIELD("f", "'text':{'path':'/n'}")));
    BOX(w, "f", 16, 16, 448, 38);
    OC_AUTO_FREE char *text = painted(w);
    assert_string_equal(text, "text 16,25 w28 'Name' 14/20 #383b99ff\n"
                              "box 52,16 412x38 r8 #ffffffff border 1 #8487eaff\n"
                              "clip 64,25 388x20\n"
                              "text 65,25 w386 'Ada' 14/20 #1b1b1bff\n"
                              "unclip\n");
}

static void label_above_and_placeholder(void **state) {
    struct world *w = *state;
    w->scene.theme = cv_theme_find("openclaw");
    world_show(w, ONE(FIELD("f", "'text':{'path':'/n'}")));
    BOX(w, "f", 12, 28, 456, 18.2 + 6 + 36.2);
    SHOWS(w, "text 12,28 w26 'Name'");
    SHOWS(w, "'Please enter a value'");
    world_show(w, ONE(C("f", "TextField", "")));
    BOX(w, "f", 12, 28, 456, 36.2); /* no label, no gap */
}

static void in_a_row(void **state) {
    struct world *w = *state;
    world_show(w, C("root", "Row", KIDS("'f','t'")) "," FIELD("f", "'text':{}") "," T("t", "x"));
    BOX(w, "f", 16, 16, 28 + 8 + 201, 38);
    w->scene.width = 80;
    world_scene(w);
    BOX(w, "f", 16, 16, 28 + 8 + 26, 20 + 8 + 38); /* its min-content; the label goes above */
    OC_AUTO_FREE char *text = painted(w);
    assert_non_null(strstr(text, "box 16,44 62x38"));
    world_show(w, C("root", "Row", KIDS("'f'")) "," WHEN(",'enableDate':false"));
    w->scene.width = 480;
    world_scene(w);
    BOX(w, "f", 16, 16, 28 + 8 + 125, 38);
}

/* A date and its time are seen whole, before the label is beside them. */
static void a_narrow_page(void **state) {
    struct world *w = *state;
    world_push(w, DATA("{'key':'when','valueString':'2026-12-31T23:59'}"));
    w->scene.width = 240;
    world_show(w, ONE(WHEN("")));
    OC_AUTO_FREE char *text = painted(w);
    assert_non_null(strstr(text, "box 16,44 208x"));
    assert_non_null(strstr(text, "icon "));
}

#define HEBREW "\xd7\xa9\xd7\x9d"
static void from_right_to_left(void **state) {
    struct world *w = *state;
    world_show(w, ONE(C("f", "TextField", "'label':{'literalString':'1. " HEBREW "'},'text':{}")));
    OC_AUTO_FREE char *text = painted(w);
    assert_non_null(strstr(text, "box 16,16 "));
    assert_true(strncmp(text, "text 429,25 w35 ", 16) == 0);
    world_show(w, ONE(C("f", "CheckBox",
                          "'label':{'literalString':'" HEBREW "'},'value':{'path':'/c'}")));
    OC_AUTO_FREE char *check = painted(w);
    assert_non_null(strstr(check, "box 451,"));
    click(w, "f", 5, 5); /* far from both */
    assert_false(cv_value_bool(value(w, "value")));
    click(w, "f", 430, 5);
    assert_true(cv_value_bool(value(w, "value")));
}

static void typing_writes_at_once(void **state) {
    struct world *w = *state;
    world_show(w, C("root", "Column", KIDS("'f','t'")) "," FIELD("f",
                          "'text':{'path':'/a/b'}") "," C("t", "Text", "'text':{'path':'/a/b'}"));
    click(w, "f", 100, 10);
    assert_true(type_text(w, "H\xc3\xa9"));
    assert_data(w, "{'a':{'b':'H\xc3\xa9'}}");
    assert_string_equal(world_item(w, "t")->text, "H\xc3\xa9"); /* everything bound follows */
    assert_false(hit_key(w, CV_KEY_SPACE, 0));                  /* comes as text */
    assert_true(type_text(w, " "));
    assert_false(hit_key(w, CV_KEY_ENTER, 0));
    assert_true(hit_key(w, CV_KEY_BACKSPACE, 0));
    assert_true(hit_key(w, CV_KEY_BACKSPACE, 0));
    assert_true(hit_key(w, CV_KEY_BACKSPACE, 0));
    assert_true(hit_key(w, CV_KEY_BACKSPACE, 0)); /* nothing left, still its own */
    assert_data(w, "{'a':{'b':''}}");
}

static void without_a_path_it_keeps_a_draft(void **state) {
    struct world *w = *state;
    world_show(w, ONE(FIELD("f", "'text':{'literalString':'x'}")));
    go_to(w, "f");
    assert_true(type_text(w, "draft"));
    assert_true(cv_value_is(value(w, "text"), "draft"));
    SHOWS(w, "'draft'");
    world_show(w, ONE(C("f", "TextField", ""))); /* the agent took the literal away */
    assert_null(value(w, "text"));
}

static void focus_by_key_selects_all(void **state) {
    struct world *w = *state;
    world_push(w, DATA("{'key':'n','valueString':'Ada'}"));
    world_show(w, ONE(FIELD("f", "'text':{'path':'/n'}")));
    (void)hit_key(w, CV_KEY_TAB, 0);
    SHOWS(w, "box 65,25 21x20 r2 #6a6dcd4d");
    w->scene.caret_on = true;
    SHOWS(w, "box 86,25 1x20 #1b1b1bff");
    assert_true(type_text(w, "B"));
    assert_data(w, "{'n':'B'}");
    struct cv_rect caret;
    assert_true(cv_input_caret(&w->input, &caret));
    NEAR(caret.x, 72);
    NEAR(caret.y, 25);
    NEAR(caret.h, 20);
}

struct board {
    struct world *w;
    char *text;
};
static struct board board;

static void on_copy(void *user, const char *text) {
    (void)user;
    oc_free(board.text);
    board.text = oc_strdup(text);
}

static void on_paste(void *user) {
    (void)cv_input_text(&((struct world *)user)->input, board.text);
}

static void the_clipboard(void **state) {
    struct world *w = *state;
    w->input.on_copy = on_copy;
    w->input.on_paste = on_paste;
    world_push(w, DATA("{'key':'n','valueString':'one two'},{'key':'p','valueString':'secret'}"));
    world_show(w,
            C("root", "Column", KIDS("'f','p'")) "," FIELD("f", "'text':{'path':'/n'}") "," FIELD(
                    "p", "'text':{'path':'/p'},'textFieldType':'obscured'"));
    go_to(w, "f");
    assert_true(hit_key(w, CV_KEY_C, CV_MOD_CTRL));
    assert_string_equal(board.text, "one two");
    (void)hit_key(w, CV_KEY_HOME, 0);
    (void)hit_key(w, CV_KEY_RIGHT, CV_MOD_CTRL | CV_MOD_SHIFT);
    assert_true(hit_key(w, CV_KEY_X, CV_MOD_CTRL));
    assert_string_equal(board.text, "one");
    assert_true(hit_key(w, CV_KEY_END, 0));
    assert_true(hit_key(w, CV_KEY_V, CV_MOD_CTRL));
    assert_data(w, "{'n':' twoone','p':'secret'}");
    go_to(w, "p"); /* dots are not given away */
    assert_true(hit_key(w, CV_KEY_C, CV_MOD_CTRL));
    assert_true(hit_key(w, CV_KEY_X, CV_MOD_CTRL));
    assert_string_equal(board.text, "one");
    assert_data(w, "{'n':' twoone','p':'secret'}");
    oc_free(board.text);
    board.text = NULL;
}

static void what_was_typed_can_be_undone(void **state) {
    struct world *w = *state;
    world_push(w, DATA("{'key':'n','valueString':'old'}"));
    world_show(w, ONE(FIELD("f", "'text':{'path':'/n'}")));
    go_to(w, "f");
    assert_true(hit_key(w, CV_KEY_Z, CV_MOD_CTRL)); /* nothing yet */
    (void)hit_key(w, CV_KEY_END, 0);
    static const char *const typed[] = { "a", "b", " ", "c" };
    for (size_t i = 0; i < OC_COUNT(typed); i++) {
        assert_true(type_text(w, typed[i]));
    }
    (void)hit_key(w, CV_KEY_BACKSPACE, 0);
    assert_data(w, "{'n':'oldab '}");
    (void)hit_key(w, CV_KEY_Z, CV_MOD_CTRL);
    assert_data(w, "{'n':'oldab c'}");
    (void)hit_key(w, CV_KEY_Z, CV_MOD_CTRL);
    assert_data(w, "{'n':'oldab '}");
    (void)hit_key(w, CV_KEY_Z, CV_MOD_CTRL);
    assert_data(w, "{'n':'oldab'}");
    (void)hit_key(w, CV_KEY_Z, CV_MOD_CTRL); /* letters go together */
    assert_data(w, "{'n':'old'}");
    assert_int_equal(world_item(w, "f")->local->caret, 3);
    (void)hit_key(w, CV_KEY_Z, CV_MOD_CTRL | CV_MOD_SHIFT);
    assert_data(w, "{'n':'oldab'}");
    (void)hit_key(w, CV_KEY_Y, CV_MOD_CTRL);
    assert_data(w, "{'n':'oldab '}");
    assert_true(type_text(w, "z")); /* another way: what was ahead is gone */
    (void)hit_key(w, CV_KEY_Y, CV_MOD_CTRL);
    assert_data(w, "{'n':'oldab z'}");
    for (int i = 0; i < 200; i++) {
        (void)type_text(w, " x");
    }
    for (int i = 0; i < 200; i++) {
        (void)hit_key(w, CV_KEY_Z, CV_MOD_CTRL);
    }
    assert_int_equal(cv_value_string(value(w, "text")).len, 7 + 2 * 150); /* 50 steps */
}

static void the_pointer_selects(void **state) {
    struct world *w = *state;
    struct oc_fake_clock clock;
    oc_fake_clock_init(&clock, 1000);
    w->input.clock = &clock.clock;
    world_push(w, DATA("{'key':'n','valueString':'one two three'}"));
    world_show(w, ONE(FIELD("f", "'text':{'path':'/n'}")));
    const struct cv_local *l = world_item(w, "f")->local;
    point(w, CV_POINTER_PRESS, "f", 49 + 28, 19);
    point(w, CV_POINTER_MOVE, "f", 49 + 49, 19);
    assert_int_equal(l->anchor, 4);
    assert_int_equal(l->caret, 7);
    point(w, CV_POINTER_RELEASE, "f", 49 + 49, 19);
    point(w, CV_POINTER_MOVE, "f", 200, 19); /* not held any more */
    assert_int_equal(l->caret, 7);
    oc_fake_clock_advance(&clock, 1000);
    click(w, "f", 49 + 10, 19);
    oc_fake_clock_advance(&clock, 100);
    click(w, "f", 49 + 10, 19); /* double */
    assert_int_equal(l->anchor, 0);
    assert_int_equal(l->caret, 3);
    oc_fake_clock_advance(&clock, 100);
    click(w, "f", 49 + 10, 19); /* triple */
    assert_int_equal(l->caret, 13);
    oc_fake_clock_advance(&clock, 5000);
    click(w, "f", 49 + 10, 19);
    assert_int_equal(l->caret, 1);
}

static void obscured_shows_dots(void **state) {
    struct world *w = *state;
    world_push(w, DATA("{'key':'p','valueString':'s\xc3\xa9"
                       "cret'}"));
    world_show(w, ONE(FIELD("f", "'text':{'path':'/p'},'textFieldType':'obscured'")));
    SHOWS(w, "'\xe2\x80\xa2\xe2\x80\xa2\xe2\x80\xa2\xe2\x80\xa2\xe2\x80\xa2\xe2\x80\xa2'");
    assert_false(shows(w, "cret"));
    assert_string_equal(world_item(w, "f")->text, "Name"); /* nor is it read out */
    go_to(w, "f");
    (void)hit_key(w, CV_KEY_END, 0);
    assert_true(type_text(w, "!"));
    assert_data(w, "{'p':'s\xc3\xa9"
                   "cret!'}");
    assert_false(cv_input_preedit(&w->input, "x", 1));
}

static void numbers_are_filtered(void **state) {
    struct world *w = *state;
    world_push(w, DATA("{'key':'n','valueNumber':42.5}"));
    world_show(w, ONE(FIELD("f", "'text':{'path':'/n'},'textFieldType':'number'")));
    SHOWS(w, "'42.5'");
    go_to(w, "f");
    (void)hit_key(w, CV_KEY_END, 0);
    assert_true(type_text(w, "x")); /* taken and dropped */
    assert_data(w, "{'n':42.5}");
    assert_true(type_text(w, "1"));
    assert_data(w, "{'n':'42.51'}");
    assert_true(type_text(w, ",5"));
    assert_data(w, "{'n':'42.51'}");
    (void)hit_key(w, CV_KEY_A, CV_MOD_CTRL);
    assert_true(type_text(w, "-3,5"));
    assert_data(w, "{'n':'-3.5'}");
    assert_true(hit_key(w, CV_KEY_UP, 0));
    assert_data(w, "{'n':'-2.5'}");
    (void)hit_key(w, CV_KEY_DOWN, 0);
    (void)hit_key(w, CV_KEY_DOWN, 0);
    assert_data(w, "{'n':'-4.5'}");
    world_push(w, DATA("{'key':'n','valueString':'many'}"));
    SHOWS(w, "border 1 #ba1a1aff");
}

static void long_texts(void **state) {
    struct world *w = *state;
    world_push(w, DATA("{'key':'n','valueString':'a'}"));
    world_show(w, ONE(FIELD("f", "'text':{'path':'/n'},'textFieldType':'longText'")));
    BOX(w, "f", 16, 16, 448, 78); /* three rows */
    go_to(w, "f");
    for (int i = 0; i < 20; i++) {
        assert_true(hit_key(w, CV_KEY_ENTER, 0));
    }
    assert_true(type_text(w, "end"));
    BOX(w, "f", 16, 16, 448, 178); /* eight, then it scrolls */
    const struct cv_local *l = world_item(w, "f")->local;
    NEAR(l->scroll_y, 21 * 20 - 160);
    SHOWS(w, "#1b1b1b24"); /* the bar */
    assert_true(hit_key(w, CV_KEY_HOME, CV_MOD_CTRL));
    NEAR(l->scroll_y, 0);
    assert_true(cv_input_scroll(&w->input, 200, 50, 0, 30));
    world_scene(w);
    NEAR(l->scroll_y, 30); /* the caret does not pull it back */
    assert_false(cv_input_scroll(&w->input, 200, 50, 0, -0.0));
    assert_true(hit_key(w, CV_KEY_PAGE_DOWN, 0));
    assert_int_equal(l->caret, 6);
    assert_true(cv_input_scroll(&w->input, 200, 50, 0, 1e9));
    world_scene(w);
    NEAR(l->scroll_y, 21 * 20 - 160);
    assert_false(cv_input_scroll(&w->input, 200, 50, 0, 10)); /* at the end the page may */
    size_t caret = l->caret;
    double bar = world_item(w, "f")->w - 6;
    click(w, "f", bar, 12); /* the way of its bar */
    NEAR(l->scroll_y, 21 * 20 - 160 - 0.9 * 160);
    point(w, CV_POINTER_PRESS, "f", bar, 80);
    point(w, CV_POINTER_MOVE, "f", 0, 0);
    world_scene(w);
    NEAR(l->scroll_y, 0);
    point(w, CV_POINTER_RELEASE, "f", 0, 0);
    assert_true(l->caret == caret && l->anchor == caret); /* it is no press on the text */
}

static void a_long_line_scrolls_with_the_caret(void **state) {
    struct world *w = *state;
    w->scene.width = 200; /* 132 px for the box, 106 for the text */
    world_push(w, DATA("{'key':'n','valueString':'0123456789012345678901234567890123456789'}"));
    world_show(w, ONE(FIELD("f", "'text':{'path':'/n'}")));
    SHOWS(w, "text 65,25 w280");
    click(w, "f", 60, 19);
    (void)hit_key(w, CV_KEY_END, 0);
    const struct cv_local *l = world_item(w, "f")->local;
    NEAR(l->scroll_x, 280 + 2 - 106);
    (void)hit_key(w, CV_KEY_HOME, 0);
    NEAR(l->scroll_x, 0);
}

static void input_methods(void **state) {
    struct world *w = *state;
    world_push(w, DATA("{'key':'n','valueString':'ab'}"));
    world_show(w, ONE(FIELD("f", "'text':{'path':'/n'}")));
    click(w, "f", 49 + 7, 19);
    assert_true(cv_input_preedit(&w->input, "\xe3\x81\x8b", 3));
    world_scene(w);
    SHOWS(w, "'a\xe3\x81\x8b"
             "b'");
    assert_data(w, "{'n':'ab'}");
    struct cv_rect caret;
    assert_true(cv_input_caret(&w->input, &caret));
    NEAR(caret.x, 65 + 14);
    assert_true(type_text(w, "\xe6\xbc\xa2"));
    assert_data(w, "{'n':'a\xe6\xbc\xa2"
                   "b'}");
    assert_false(shows(w, "\xe3\x81\x8b"));
    assert_false(cv_input_preedit(&w->input, "", 0));
    assert_true(cv_input_preedit(&w->input, "x", 1));
    assert_true(cv_input_preedit(&w->input, NULL, 0)); /* given up */
    SHOWS(w, "'a\xe6\xbc\xa2"
             "b'");
}

static void a_preedit_stays_behind(void **state) {
    struct world *w = *state;
    world_show(w, C("root", "Column", KIDS("'f','g'")) "," FIELD(
                          "f", "'text':{'path':'/n'}") "," FIELD("g", "'text':{'path':'/m'}"));
    go_to(w, "f");
    assert_true(cv_input_preedit(&w->input, "xyz", 3));
    SHOWS(w, "'xyz'");
    (void)hit_key(w, CV_KEY_TAB, 0);
    assert_focus(w, "g");
    assert_false(shows(w, "'xyz'"));
}

static void the_cursor_says_what_can_be_done(void **state) {
    struct world *w = *state;
    world_show(w,
            C("root", "Column", KIDS("'f','b','t'")) "," FIELD("f", "'text':{'path':'/n'}") "," C(
                    "b", "Button", "'child':'t','action':{'name':'x'}") "," T("t", "text"));
    point(w, CV_POINTER_MOVE, "f", 100, 10);
    assert_int_equal(cv_input_cursor(&w->input), CV_CURSOR_TEXT);
    point(w, CV_POINTER_MOVE, "b", 5, 5);
    assert_int_equal(cv_input_cursor(&w->input), CV_CURSOR_HAND);
    point(w, CV_POINTER_MOVE, "b", 300, 5);
    assert_int_equal(cv_input_cursor(&w->input), CV_CURSOR_ARROW);
}

static void patterns(void **state) {
    struct world *w = *state;
    world_push(w, DATA("{'key':'n','valueString':'12a'}"));
    world_show(w, ONE(FIELD("f", "'text':{'path':'/n'},'validationRegexp':'^[0-9]+$'")));
    SHOWS(w, "border 1 #ba1a1aff");
    SHOWS(w, "'12a' 14/20 #ba1a1aff");
    go_to(w, "f");
    (void)hit_key(w, CV_KEY_END, 0);
    (void)hit_key(w, CV_KEY_BACKSPACE, 0);
    assert_false(shows(w, "#ba1a1aff"));
    world_push(w, DATA("{'key':'n','valueString':''}"));
    assert_false(shows(w, "#ba1a1aff"));
    world_push(w, DATA("{'key':'n','valueString':'x'}"));
    world_show(w, ONE(FIELD("f", "'text':{'path':'/n'},'validationRegexp':'(['")));
    assert_false(shows(w, "#ba1a1aff"));
}

static void dates(void **state) {
    struct world *w = *state;
    world_push(w, DATA("{'key':'d','valueString':'2026-01-31'}"));
    world_show(w, ONE(FIELD("f", "'text':{'path':'/d'},'textFieldType':'date'")));
    SHOWS(w, "'31 Jan 2026'");
    go_to(w, "f");
    assert_true(hit_key(w, CV_KEY_ENTER, 0));
    SHOWS(w, "'January 2026'");
    assert_true(hit_key(w, CV_KEY_PAGE_DOWN, 0)); /* February is shorter */
    SHOWS(w, "'February 2026'");
    assert_true(hit_key(w, CV_KEY_ENTER, 0));
    assert_data(w, "{'d':'2026-02-28'}");
    assert_false(world_item(w, "f")->local->open);
    world_push(w, DATA("{'key':'d','valueString':'next week'}"));
    SHOWS(w, "'next week'");
}

static void hostile_values(void **state) {
    struct world *w = *state;
    char *huge = oc_alloc(300001);
    memset(huge, 'x', 300000);
    OC_AUTO_FREE char *line =
            oc_strfmt(DATA("{'key':'h','valueString':'%s'},{'key':'m','valueMap':[]},"
                           "{'key':'z','valueString':'a\\u0000b\\nc'}"),
                    huge);
    oc_free(huge);
    world_push(w, line);
    static const char *const kinds[] = { "shortText", "longText", "number", "date", "obscured",
        "nonsense" };
    static const char *const values[] = { "{'path':'/h'}", "{'path':'/m'}", "{'path':'/z'}", "7",
        "[]", "{'literalNumber':1e999}", "{'literalBoolean':true}", "null", "{'path':'a'}" };
    for (size_t i = 0; i < OC_COUNT(kinds); i++) {
        for (size_t k = 0; k < OC_COUNT(values); k++) {
            if (strstr(values[k], "1e999")) {
                continue; /* no JSON */
            }
            OC_AUTO_FREE char *field = oc_strfmt(
                    ONE(C("f", "TextField",
                            "'label':%s,'text':%s,'textFieldType':'%s','validationRegexp':%s")),
                    k % 2 ? "{'literalNumber':5}" : "{'path':'/h'}", values[k], kinds[i],
                    k % 3 ? "'a+'" : "{}");
            world_show(w, field);
            go_to(w, "f");
            (void)type_text(w, "1");
            (void)hit_key(w, CV_KEY_UP, 0);
            (void)hit_key(w, CV_KEY_BACKSPACE, CV_MOD_CTRL);
            (void)hit_key(w, CV_KEY_ENTER, 0);
            OC_AUTO_FREE char *text = painted(w);
            assert_null(strstr(text, "nan"));
            (void)hit_key(w, CV_KEY_ESCAPE, 0);
        }
    }
}

static void date_and_time(void **state) {
    struct world *w = *state;
    world_push(w, DATA("{'key':'when','valueString':'2026-02-28T13:45:00Z'}"));
    world_show(w, ONE(WHEN("")));
    BOX(w, "f", 16, 16, 448, 35);
    SHOWS(w, "'Date & Time'");
    SHOWS(w, "'28 Feb 2026, 13:45'");
    world_show(w, ONE(WHEN(",'enableTime':false")));
    SHOWS(w, "'Date'");
    SHOWS(w, "'28 Feb 2026'");
    world_show(w, ONE(WHEN(",'enableDate':false,'enableTime':true")));
    SHOWS(w, "'Time'");
    SHOWS(w, "'13:45'");
    world_show(w, ONE(WHEN(",'enableDate':false,'enableTime':false"))); /* both */
    SHOWS(w, "'28 Feb 2026, 13:45'");
    world_show(w, ONE(WHEN(",'label':{'literalString':'Arrival'}")));
    SHOWS(w, "'Arrival'");
    SHOWS(w, "icon");
    w->scene.width = 180; /* no room for the icon */
    assert_false(shows(w, "icon"));
    world_push(w, DATA("{'key':'when','valueString':'soon'}"));
    SHOWS(w, "'soon'");
    world_push(w, DATA("{'key':'when','valueNumber':5}"));
    SHOWS(w, "'Choose a date'");
}

static void the_calendar_by_keys(void **state) {
    struct world *w = *state;
    world_push(w, DATA("{'key':'when','valueString':'2026-02-28T13:45'}"));
    world_show(w, C("root", "Column", KIDS("'f','t'")) "," WHEN("") "," T("t", "x"));
    go_to(w, "f");
    assert_false(hit_key(w, CV_KEY_LEFT, 0));
    assert_true(hit_key(w, CV_KEY_DOWN, 0));
    assert_true(world_item(w, "f")->overlay);
    SHOWS(w, "'February 2026'");
    (void)hit_key(w, CV_KEY_RIGHT, 0);
    SHOWS(w, "'March 2026'");
    (void)hit_key(w, CV_KEY_DOWN, 0);               /* 8 March, a Sunday */
    (void)hit_key(w, CV_KEY_HOME, 0);               /* Monday, the 2nd */
    (void)hit_key(w, CV_KEY_PAGE_UP, CV_MOD_SHIFT); /* a year back */
    assert_true(hit_key(w, CV_KEY_ENTER, 0));
    assert_data(w, "{'when':'2025-03-02T13:45'}");
    assert_true(type_text(w, "0")); /* the hour has the keys now */
    assert_true(type_text(w, "9"));
    assert_true(hit_key(w, CV_KEY_TAB, 0));
    assert_true(type_text(w, "3"));
    assert_true(type_text(w, "0"));
    assert_data(w, "{'when':'2025-03-02T09:30'}");
    assert_true(hit_key(w, CV_KEY_UP, 0));
    assert_true(hit_key(w, CV_KEY_PAGE_DOWN, 0));
    assert_true(hit_key(w, CV_KEY_LEFT, 0));
    assert_true(hit_key(w, CV_KEY_DOWN, 0));
    assert_data(w, "{'when':'2025-03-02T08:16'}");
    assert_true(hit_key(w, CV_KEY_TAB, CV_MOD_SHIFT)); /* back to the days */
    assert_true(hit_key(w, CV_KEY_ESCAPE, 0));
    assert_false(world_item(w, "f")->local->open);
    assert_true(hit_key(w, CV_KEY_DELETE, 0));
    assert_data(w, "{'when':''}");
    assert_true(type_text(w, " ")); /* opens, at today */
    SHOWS(w, "'November 2026'");
    assert_true(hit_key(w, CV_KEY_ENTER, 0));
    assert_true(hit_key(w, CV_KEY_ENTER, 0));
    assert_data(w, "{'when':'2026-11-16T12:00'}");
    assert_false(world_item(w, "f")->local->open);
}

static void the_calendar_by_pointer(void **state) {
    struct world *w = *state;
    world_push(w, DATA("{'key':'when','valueString':'2026-02-28T13:45'}"));
    world_show(w, C("root", "Column", KIDS("'f','t'")) "," WHEN("") "," T("t", "x"));
    click(w, "f", 200, 10);
    const struct cv_item *it = world_item(w, "f");
    assert_true(it->local->open);
    struct cv_rect p = it->popup;
    assert_true(p.w > 200 && p.h > 200);
    double x = p.x - it->x, y = p.y - it->y;
    click(w, "f", x + p.w - 20, y + 20); /* next month */
    SHOWS(w, "'March 2026'");
    click(w, "f", x + 20, y + 20);
    SHOWS(w, "'February 2026'");
    click(w, "f", x + 10 + 36 * 2 + 5, y + 10 + 32 + 22 + 30 + 5); /* second week, Wednesday */
    assert_data(w, "{'when':'2026-02-04T13:45'}");
    assert_true(world_item(w, "f")->local->open); /* there is a time to choose */
    double time_y = y + 10 + 32 + 22 + 6 * 30 + 22;
    click(w, "f", x + p.w / 2 - 8 - 10, time_y - 8); /* hour up */
    click(w, "f", x + p.w / 2 + 8 + 54, time_y + 8); /* minute down */
    assert_data(w, "{'when':'2026-02-04T14:44'}");
    point(w, CV_POINTER_MOVE, "f", x + 40, y + 100);
    assert_true(cv_input_scroll(&w->input, p.x + 40, p.y + 100, 0, 5));
    SHOWS(w, "'March 2026'");
    click(w, "f", x + p.w - 40, y + p.h - 20); /* Done */
    assert_false(world_item(w, "f")->local->open);
    click(w, "f", 200, 10);
    click(w, "f", x + 40, y + p.h - 20); /* Clear */
    assert_data(w, "{'when':''}");
    click(w, "f", 200, 10);
    click(w, "f", x + p.w / 2, y + p.h - 20); /* Today */
    assert_data(w, "{'when':'2026-11-16T12:00'}");
    click(w, "t", 2, 590 - world_item(w, "t")->y); /* beside it */
    assert_false(world_item(w, "f")->local->open);
}

static void pop_ups_stay_in_the_view(void **state) {
    struct world *w = *state;
    world_show(w, C("root", "Column", KIDS("'s','s','s','s','s','s','s','f'")) "," C(
                          "s", "TextField", "'textFieldType':'longText'") "," WHEN(""));
    w->scene.view_height = world_item(w, "f")->y + 60;
    world_scene(w);
    assert_true(cv_input_activate(&w->input, NULL, "f"));
    world_scene(w);
    const struct cv_item *it = world_item(w, "f");
    assert_true(it->popup.y + it->popup.h <= it->y);
    w->scene.view_height = 0; /* a picture of the page shows it whole */
    world_scene(w);
    it = world_item(w, "f");
    assert_true(it->popup.y > it->y);
    assert_true(w->scene.height >= it->popup.y + it->popup.h);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, person_setup, person_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_field_of_one_line),
        TEST(label_above_and_placeholder),
        TEST(in_a_row),
        TEST(a_narrow_page),
        TEST(from_right_to_left),
        TEST(typing_writes_at_once),
        TEST(without_a_path_it_keeps_a_draft),
        TEST(focus_by_key_selects_all),
        TEST(the_clipboard),
        TEST(what_was_typed_can_be_undone),
        TEST(the_pointer_selects),
        TEST(obscured_shows_dots),
        TEST(numbers_are_filtered),
        TEST(long_texts),
        TEST(a_long_line_scrolls_with_the_caret),
        TEST(input_methods),
        TEST(a_preedit_stays_behind),
        TEST(the_cursor_says_what_can_be_done),
        TEST(patterns),
        TEST(dates),
        TEST(hostile_values),
        TEST(date_and_time),
        TEST(the_calendar_by_keys),
        TEST(the_calendar_by_pointer),
        TEST(pop_ups_stay_in_the_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
