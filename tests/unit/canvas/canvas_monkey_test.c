/* Somebody who presses everything: many random events on a page with all inputs. Nothing may break,
 * no number go astray, and what was entered stays within its rules. */
#include "canvas/input/when.h"
#include "tests/unit/canvas/canvas_person.h"

#include <math.h>

#define LABEL(text) "'label':{'literalString':'" text "'}"
#define OPTIONS                                                                  \
    "'options':[{" LABEL("Red") ",'value':'r'},{" LABEL("Green") ",'value':"     \
                                                                 "'g'},{" LABEL( \
                                                                         "Blue") ",'value':'b'}]"

static const char page[] = C("root", "Column",
        KIDS("'s','l','n','p','d','w','t','c','m','k','v','u','rows','dlg'")) "," C("s",
        "TextField", LABEL("S") ",'text':{'path':'/s'},'validationRegexp':'[a-z]+'") "," C("l",
        "TextField", LABEL("L") ",'text':{'path':'/l'},'textFieldType':'longText'") "," C("n",
        "TextField", LABEL("N") ",'text':{'path':'/n'},'textFieldType':'number'") "," C("p",
        "TextField", "'text':{'literalString':'x'},'textFieldType':'obscured'") "," C("d",
        "TextField", "'text':{'path':'/d'},'textFieldType':'date'") "," C("w", "DateTimeInput",
        "'value':{'path':'/w'}") "," C("t", "DateTimeInput",
        "'value':{'path':'/t'},'enableDate':false") "," C("c", "CheckBox",
        LABEL("C") ",'value':{'path':'/c'}") "," C("m", "MultipleChoice",
        OPTIONS ",'selections':{'path':'/m'},'maxAllowedSelections':2,'filterable':true") "," C("k",
        "MultipleChoice",
        OPTIONS ",'selections':{'path':'/m'},'variant':'chips'") "," C("v", "Slider",
        LABEL("V") ",'value':{'path':'/v'},'minValue':-1,'maxValue':1") "," C("u", "MultipleChoice",
        OPTIONS ",'selections':{'literalArray':[]},'maxAllowedSelections':1") "," C("rows", "List",
        "'children':{'template':{'componentId':'cell','dataBinding':'/rows'}}") "," C("cel"
                                                                                      "l",
        "TextField", LABEL("Cell") ",'text':{'path':'name'}") "," C("dlg", "Modal",
        "'entryPointChild':'open','contentChild':'inside'") "," C("open", "Button",
        "'child':'label','action':{'name':'a','context':[{'key':'s','value':{'path':'/"
        "s'}}]}") "," T("label", "open") "," C("inside", "Column", KIDS("'s','open','w'"));

static const char data[] = DATA("{'key':'rows','valueString':'[{\\\"name\\\":\\\"a\\\"},{}]'}");

static uint64_t dice = 88172645463325252;

static unsigned roll(unsigned sides) {
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    return (unsigned)(dice % sides);
}

static void one_event(struct world *w) {
    static const char *const texts[] = { "a", " ", "7", "-", ".", "e\xcc\x81", "\xf0\x9f\x87\xa9",
        "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d", "two words", "line\nbreak", "\x01", "\xff", "1e9" };
    double x = roll(480), y = roll(600);
    unsigned mods = roll(3) ? 0 : roll(8);
    struct cv_rect r;
    switch (roll(9)) {
    case 0:
        (void)cv_input_pointer(&w->input, CV_POINTER_MOVE, x, y, mods);
        break;
    case 1:
        (void)cv_input_pointer(&w->input, CV_POINTER_PRESS, x, y, mods);
        (void)cv_input_pointer(&w->input, CV_POINTER_RELEASE, x, y, mods);
        break;
    case 2:
        (void)cv_input_pointer(&w->input, (enum cv_pointer)roll(4), x, y, mods);
        break;
    case 3:
    case 4:
    case 5:
        (void)cv_input_key(&w->input, (enum cv_key)roll(CV_KEY_Z + 1), mods);
        break;
    case 6:
        (void)cv_input_text(&w->input, texts[roll(OC_COUNT(texts))]);
        break;
    case 7:
        (void)cv_input_scroll(&w->input, x, y, roll(3) - 1.0, roll(200) - 100.0);
        break;
    default:
        (void)cv_input_preedit(&w->input, texts[roll(OC_COUNT(texts) - 2)], roll(9));
        if (cv_input_caret(&w->input, &r)) {
            assert_true(isfinite(r.x) && isfinite(r.y) && r.h > 0);
        }
        break;
    }
}

static const struct cv_value *found(struct world *w, const char *key) {
    return cv_value_get(cv_model_find(w->model, "main")->data, key);
}

static void assert_sane(struct world *w) {
    OC_AUTO_FREE char *list = painted(w);
    assert_null(strstr(list, "nan"));
    assert_null(strstr(list, "inf"));
    const struct cv_value *v = found(w, "v"), *m = found(w, "m"), *s = found(w, "s");
    assert_true(!v || (cv_value_number(v) >= -1 && cv_value_number(v) <= 1));
    assert_true(cv_value_count(m) <= 3);
    assert_true(!s || !memchr(cv_value_string(s).ptr, '\n', cv_value_string(s).len));
    static const char *const when[] = { "d", "w", "t" };
    for (size_t i = 0; i < OC_COUNT(when); i++) {
        struct oc_slice text = cv_value_string(found(w, when[i]));
        struct cv_when parsed;
        assert_true(text.len == 0 || cv_when_parse(text, &parsed));
    }
    for (unsigned i = 0; i < w->scene.count; i++) {
        const struct cv_item *it = &w->scene.items[i];
        assert_true(isfinite(it->x) && isfinite(it->y) && isfinite(it->h));
        assert_true(isfinite(it->local->scroll_x) && isfinite(it->local->scroll_y));
    }
}

static void press_everything(struct world *w, int events) {
    world_push(w, data);
    world_show(w, page);
    for (int i = 0; i < events; i++) {
        one_event(w);
        if (i % 16 == 0) {
            assert_sane(w);
        }
        if (i % 500 == 0) { /* the agent speaks, too */
            world_push(w, data);
        }
        if (i % 1500 == 0) {
            world_show(w, page);
        }
    }
    world_scene(w);
    unsigned before = w->actions;
    assert_true(cv_input_activate(&w->input, NULL, "open")); /* and it still does what it is for */
    assert_int_equal(w->actions, before + 1);
}

static void with_a_scene_for_every_event(void **state) {
    press_everything(*state, 3000);
}

static void with_events_faster_than_scenes(void **state) {
    struct world *w = *state;
    w->input.on_stale = NULL;
    press_everything(w, 3000);
}

static void on_a_small_dark_screen(void **state) {
    struct world *w = *state;
    w->scene.theme = cv_theme_find("openclaw");
    w->scene.width = 60;
    w->scene.view_height = 90;
    press_everything(w, 2000);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, person_setup, person_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(with_a_scene_for_every_event),
        TEST(with_events_faster_than_scenes),
        TEST(on_a_small_dark_screen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
