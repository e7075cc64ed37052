/* What a screen reader says. */
#include "canvas/scene/describe.h"
#include "tests/unit/canvas/canvas_person.h"

#define L(text) "'label':{'literalString':'" text "'}"
#define OPTIONS "'options':[{" L("Red") ",'value':'r'},{" L("Green") ",'value':'g'}]"

static void says(struct world *w, const char *id, const char *text) {
    world_scene(w);
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(4096);
    assert_int_equal(cv_item_describe(&out, &w->scene, world_item(w, id)), OC_OK);
    assert_string_equal(out.data ? out.data : "", text);
}

static void every_input_says_what_it_is_and_holds(void **state) {
    struct world *w = *state;
    world_push(w, DATA("{'key':'n','valueString':'Ada'},{'key':'p','valueString':'s\xc3\xa9"
                       "c'},"
                       "{'key':'w','valueString':'2026-11-20T19:30'},{'key':'v','valueNumber':4},"
                       "{'key':'m','valueString':'[\\\"g\\\"]'}"));
    world_show(w,
            C("root", "Column", KIDS("'b','c','f','e','p','d','w','v','u','m','k','t','x'")) "," C(
                    "b", "Button", "'child':'row','action':{'name':'x'}") "," C("row", "Row",
                    KIDS("'i','t'")) "," C("i", "Icon",
                    "'name':{'literalString':'send'}") "," T("t", "Send it") "," C("c", "CheckBox",
                    L("Agree") ",'value':{'path':'/c'}") "," C("f", "TextField",
                    L("Name") ",'text':{'path':'/n'},'validationRegexp':'[a-z]+'") "," C("e",
                    "TextField", L("Note") ",'text':{'path':'/gone'}") "," C("p", "TextField",
                    L("Word") ",'text':{'path':'/p'},'textFieldType':'obscured'") "," C("d",
                    "TextField",
                    L("Day") ",'text':{'literalString':'2026-01-31'},'textFieldType':'"
                             "date'") "," C("w", "DateTimeInput",
                    "'value':{'path':'/w'}") "," C("v", "Slider",
                    L("Guests") ",'value':{'path':'/v'},'minValue':1,'maxValue':20") "," C("u",
                    "Slider", "'value':{'path':'/v'}") "," C("m", "MultipleChoice",
                    OPTIONS ",'selections':{'path':'/m'}") "," C("k", "MultipleChoice",
                    OPTIONS ",'selections':{'path':'/m'},'variant':'chips'") "," C("x",
                    "DateTimeInput", "'value':{'path':'/y'},'enableTime':false"));
    says(w, "b", "button, send, Send it");
    says(w, "c", "check box, Agree, not checked");
    click(w, "c", 5, 5);
    says(w, "c", "check box, Agree, checked");
    says(w, "f", "text field, Name, Ada, not valid");
    says(w, "e", "text field, Note, empty");
    says(w, "p", "text field, Word, 3 characters");
    says(w, "d", "text field, Day, 31 Jan 2026");
    says(w, "w", "Date & Time, 20 Nov 2026, 19:30");
    says(w, "x", "Date, not chosen");
    says(w, "v", "slider, Guests, 4 of 1 to 20");
    says(w, "u", "slider, 4, of 0 to 100");
    says(w, "m", "choice, 1 Selected, Green");
    says(w, "k", "choice, Green");
    says(w, "t", "Send it");
    go_to(w, "m");
    (void)hit_key(w, CV_KEY_ENTER, 0);
    (void)hit_key(w, CV_KEY_HOME, 0);
    says(w, "m", "choice, 1 Selected, Red, not selected");
}

static void the_keyboard_is_wanted_where_typing_helps(void **state) {
    struct world *w = *state;
    world_show(w,
            C("root", "Column", KIDS("'b','w','m','k'")) "," C("b", "Button", "'child':'t'") "," T(
                    "t", "x") "," C("w", "DateTimeInput", "'value':{'path':'/w'}") "," C("m",
                    "MultipleChoice",
                    OPTIONS ",'selections':{'path':'/m'}") "," C("k", "MultipleChoice",
                    OPTIONS ",'selections':{'path':'/m'},'variant':'chips','filterable':true"));
    struct cv_rect r;
    go_to(w, "b");
    assert_false(cv_input_caret(&w->input, &r));
    static const char *const opening[] = { "w", "m" };
    for (size_t i = 0; i < 2; i++) {
        go_to(w, opening[i]);
        assert_false(cv_input_caret(&w->input, &r));
        (void)hit_key(w, CV_KEY_ENTER, 0);
        assert_true(cv_input_caret(&w->input, &r));
    }
    go_to(w, "k");
    assert_true(cv_input_caret(&w->input, &r));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, person_setup, person_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(every_input_says_what_it_is_and_holds),
        TEST(the_keyboard_is_wanted_where_typing_helps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
