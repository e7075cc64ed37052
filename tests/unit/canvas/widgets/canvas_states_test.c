/* Every input in every state, as exact display lists in both looks: tests/canvas/states/NAME.txt.
 * After a change that is meant, run this program with OC_UPDATE=1, look at pictures of what
 * changed, and commit the files. */
#include "tests/unit/canvas/canvas_person.h"

#define L(text) "'label':{'literalString':'" text "'}"
#define OPTIONS                                                               \
    "'options':[{" L("Red") ",'value':'r'},{" L("Green") ",'value':'g'},{" L( \
            "Blue") ",'value':'b'}]"
#define BUTTON(more) C("x", "Button", "'child':'t','action':{'name':'a'}" more) "," T("t", "Press")
#define CHECK C("x", "CheckBox", L("Agree") ",'value':{'path':'/b'}")
#define FIELD(more) C("x", "TextField", L("Name") "," more)
#define WHEN(more) C("x", "DateTimeInput", "'value':{'path':'/w'}" more)
#define CHOICE(more) C("x", "MultipleChoice", OPTIONS "," more)
#define SLIDER(more) C("x", "Slider", "'value':{'path':'/v'}" more)
#define TEXT "'text':{'path':'/s'}"
#define SEL "'selections':{'path':'/m'}"

static const char data[] = DATA(
        "{'key':'b','valueBoolean':true},{'key':'s','valueString':'Ada "
        "L'},{'key':'v','valueNumber':0.25},"
        "{'key':'w','valueString':'2026-11-20T19:30'},{'key':'m','valueString':'[\\\"g\\\"]'},"
        "{'key':'l','valueString':'one\\ntwo\\nthree\\nfour\\nfive\\nsix\\nseven\\neight\\nnine'}");

static void nothing(struct world *w) {
    (void)w;
}

static void hover(struct world *w) {
    point(w, CV_POINTER_MOVE, "x", 12, w->scene.items[1].h - 8);
}

static void press(struct world *w) {
    hover(w);
    point(w, CV_POINTER_PRESS, "x", 12, w->scene.items[1].h - 8);
}

static void focus(struct world *w) {
    (void)hit_key(w, CV_KEY_TAB, 0);
    w->scene.caret_on = true;
}

static void open_it(struct world *w) {
    focus(w);
    (void)hit_key(w, CV_KEY_ENTER, 0);
}

static void open_and_move(struct world *w) {
    open_it(w);
    (void)hit_key(w, CV_KEY_DOWN, 0);
}

static void open_next_part(struct world *w) {
    open_it(w);
    (void)hit_key(w, CV_KEY_TAB, 0);
}

static void filter_some(struct world *w) {
    open_it(w);
    (void)type_text(w, "RE");
}

static void filter_all(struct world *w) {
    focus(w);
    (void)hit_key(w, CV_KEY_ENTER, 0);
    (void)type_text(w, "zz");
}

static void type_end(struct world *w) {
    focus(w);
    (void)hit_key(w, CV_KEY_END, CV_MOD_CTRL);
    (void)type_text(w, "!");
}

static void compose(struct world *w) {
    type_end(w);
    (void)cv_input_preedit(&w->input, "ka", 1);
}

static void move_right(struct world *w) {
    focus(w);
    (void)hit_key(w, CV_KEY_RIGHT, 0);
}

static const struct state {
    const char *file, *name, *components;
    void (*act)(struct world *w);
} states[] = {
    { "button", "plain", BUTTON(""), nothing },
    { "button", "primary", BUTTON(",'primary':true"), nothing },
    { "button", "hover", BUTTON(""), hover },
    { "button", "primary hover", BUTTON(",'primary':true"), hover },
    { "button", "pressed", BUTTON(""), press },
    { "button", "primary pressed", BUTTON(",'primary':true"), press },
    { "button", "focus", BUTTON(""), focus },
    { "check_box", "on", CHECK, nothing },
    { "check_box", "off", C("x", "CheckBox", L("Agree") ",'value':{'literalBoolean':false}"),
            nothing },
    { "check_box", "hover", CHECK, hover },
    { "check_box", "focus", CHECK, focus },
    { "text_field", "short", FIELD(TEXT), nothing },
    { "text_field", "no label", C("x", "TextField", TEXT), nothing },
    { "text_field", "empty", FIELD("'text':{'path':'/gone'}"), nothing },
    { "text_field", "hover", FIELD(TEXT), hover },
    { "text_field", "focus selects all", FIELD(TEXT), focus },
    { "text_field", "typed", FIELD(TEXT), type_end },
    { "text_field", "composing", FIELD(TEXT), compose },
    { "text_field", "not valid", FIELD(TEXT ",'validationRegexp':'[0-9]+'"), nothing },
    { "text_field", "number", FIELD("'text':{'path':'/v'},'textFieldType':'number'"), nothing },
    { "text_field", "not a number", FIELD(TEXT ",'textFieldType':'number'"), nothing },
    { "text_field", "obscured", FIELD(TEXT ",'textFieldType':'obscured'"), nothing },
    { "text_field", "obscured typed", FIELD(TEXT ",'textFieldType':'obscured'"), type_end },
    { "text_field", "long", FIELD(TEXT ",'textFieldType':'longText'"), nothing },
    { "text_field", "long, at its end", FIELD("'text':{'path':'/l'},'textFieldType':'longText'"),
            type_end },
    { "text_field", "date", FIELD("'text':{'path':'/w'},'textFieldType':'date'"), nothing },
    { "text_field", "date open", FIELD("'text':{'path':'/w'},'textFieldType':'date'"), open_it },
    { "date_time_input", "both", WHEN(""), nothing },
    { "date_time_input", "date", WHEN(",'enableTime':false"), nothing },
    { "date_time_input", "time", WHEN(",'enableDate':false"), nothing },
    { "date_time_input", "empty", C("x", "DateTimeInput", "'value':{'path':'/gone'}"), nothing },
    { "date_time_input", "focus", WHEN(""), focus },
    { "date_time_input", "open", WHEN(""), open_and_move },
    { "date_time_input", "open at the hour", WHEN(""), open_next_part },
    { "date_time_input", "time open", WHEN(",'enableDate':false"), open_it },
    { "multiple_choice", "none", CHOICE("'selections':{'path':'/gone'}"), nothing },
    { "multiple_choice", "one", CHOICE(SEL), nothing },
    { "multiple_choice", "focus", CHOICE(SEL), focus },
    { "multiple_choice", "open", CHOICE(SEL), open_and_move },
    { "multiple_choice", "radio open", CHOICE(SEL ",'maxAllowedSelections':1"), open_it },
    { "multiple_choice", "at the maximum",
            CHOICE("'selections':{'literalArray':['r','g']},'maxAllowedSelections':2"), open_it },
    { "multiple_choice", "filtered", CHOICE(SEL ",'filterable':true"), filter_some },
    { "multiple_choice", "filtered to nothing", CHOICE(SEL ",'filterable':true"), filter_all },
    { "multiple_choice", "chips", CHOICE(SEL ",'variant':'chips'"), nothing },
    { "multiple_choice", "chips hover", CHOICE(SEL ",'variant':'chips'"), hover },
    { "multiple_choice", "chips focus", CHOICE(SEL ",'variant':'chips'"), move_right },
    { "multiple_choice", "chips at the maximum",
            CHOICE("'selections':{'literalArray':['r','g']},'variant':'chips','"
                   "maxAllowedSelections':2"),
            nothing },
    { "multiple_choice", "chips with a filter", CHOICE(SEL ",'variant':'chips','filterable':true"),
            nothing },
    { "multiple_choice", "chips filtered to nothing",
            CHOICE(SEL ",'variant':'chips','filterable':true"), filter_all },
    { "slider", "plain", SLIDER(""), nothing },
    { "slider", "labelled", SLIDER(",'minValue':0,'maxValue':1," L("Volume")), nothing },
    { "slider", "hover", SLIDER(",'maxValue':1"), hover },
    { "slider", "held", SLIDER(",'maxValue':1"), press },
    { "slider", "focus", SLIDER(",'maxValue':1"), move_right },
    { "slider", "no range", SLIDER(",'minValue':5,'maxValue':5"), nothing },
};

static void print_state(const struct state *st, const char *theme, struct oc_buf *out) {
    void *world;
    (void)person_setup(&world);
    struct world *w = world;
    w->scene.theme = cv_theme_find(theme);
    w->scene.width = 320;
    OC_AUTO_FREE char *components =
            oc_strfmt("%s,%s", C("root", "Column", KIDS("'x'")), st->components);
    world_push(w, data);
    world_show(w, components);
    st->act(w);
    OC_AUTO_FREE char *list = painted(w);
    const struct cv_item *it = world_item(w, "x");
    (void)oc_buf_printf(out, "== %s, %s: %gx%g\n%s\n", theme, st->name, it->w, it->h, list);
    (void)person_teardown(&world);
}

static char *read_all(const char *path) {
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(1u << 22);
    FILE *f = fopen(path, "r");
    if (!f) {
        return oc_strdup("");
    }
    char part[4096];
    size_t n;
    while ((n = fread(part, 1, sizeof(part), f)) > 0) {
        (void)oc_buf_append(&text, part, n);
    }
    fclose(f);
    return oc_buf_take(&text);
}

static void write_all(const char *path, const struct oc_buf *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text->data, 1, text->len, f), text->len);
    assert_int_equal(fclose(f), 0);
}

/* Says the first line that differs, with the state that it stands in. */
static void compare(const char *file, const char *is, const char *was) {
    size_t at = 0, line = 0, head = 0;
    for (; is[at] && is[at] == was[at]; at++) {
        if (is[at] != '\n') {
            continue;
        }
        line = at + 1;
        if (strncmp(is + line, "== ", 3) == 0) {
            head = line;
        }
    }
    if (is[at] || was[at]) {
        fail_msg("%s: %.*s\n  now: %.*s\n  was: %.*s", file, (int)strcspn(is + head, "\n"),
                is + head, (int)strcspn(is + line, "\n"), is + line, (int)strcspn(was + line, "\n"),
                was + line);
    }
}

static void check(const char *file) {
    OC_AUTO_FREE char *path = oc_strfmt(OC_TEST_DIR "/canvas/states/%s.txt", file);
    OC_AUTO_BUF struct oc_buf is = OC_BUF_INIT(1u << 22);
    static const char *const themes[] = { "default", "openclaw" };
    for (size_t t = 0; t < OC_COUNT(themes); t++) {
        for (size_t i = 0; i < OC_COUNT(states); i++) {
            if (strcmp(states[i].file, file) == 0) {
                print_state(&states[i], themes[t], &is);
            }
        }
    }
    if (getenv("OC_UPDATE")) {
        write_all(path, &is);
    }
    OC_AUTO_FREE char *was = read_all(path);
    compare(file, is.data, was);
}

#define FILES(X) \
    X(button) X(check_box) X(date_time_input) X(multiple_choice) X(slider) X(text_field)
#define DEFINE(name)                 \
    static void name(void **state) { \
        (void)state;                 \
        check(#name);                \
    }
FILES(DEFINE)

/* A state that looks like another one is not drawn at all. */
static void every_state_can_be_told_from_the_others(void **state) {
    (void)state;
    for (size_t i = 0; i < OC_COUNT(states); i++) {
        OC_AUTO_BUF struct oc_buf a = OC_BUF_INIT(1u << 22);
        print_state(&states[i], "default", &a);
        for (size_t k = i + 1; k < OC_COUNT(states); k++) {
            if (strcmp(states[i].file, states[k].file) != 0) {
                continue;
            }
            OC_AUTO_BUF struct oc_buf b = OC_BUF_INIT(1u << 22);
            print_state(&states[k], "default", &b);
            if (strcmp(strchr(a.data, '\n'), strchr(b.data, '\n')) == 0) {
                fail_msg(
                        "%s: '%s' looks like '%s'", states[i].file, states[i].name, states[k].name);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define ROW(name) cmocka_unit_test(name),
        FILES(ROW) cmocka_unit_test(every_state_can_be_told_from_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
