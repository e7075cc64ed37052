/* What a browser says was done with a canvas. */
#include "gateway/canvas/canvas_touch.h"

#include "lib/base/mem.h"
#include "tests/unit/unit.h"

#include <string.h>

static cJSON *decode(const char *text) {
    cJSON *touch = NULL, *view = NULL;
    struct oc_error err;
    bool is_good = gw_touch_decode(text, strlen(text), &touch, &view, &err) == OC_OK;
    assert_null(view);
    return is_good ? touch : NULL;
}

static void is_view(const char *text, const char *wanted) {
    OC_AUTO_JSON cJSON *touch = NULL, *view = NULL;
    struct oc_error err;
    bool is_good = gw_touch_decode(text, strlen(text), &touch, &view, &err) == OC_OK;
    OC_AUTO_FREE char *got = view ? oc_json_print(view, false) : oc_strdup("none");
    assert_null(touch);
    assert_int_equal(is_good, view != NULL);
    assert_string_equal(got, wanted);
}

static void becomes(const char *text, const char *wanted) {
    OC_AUTO_JSON cJSON *touch = decode(text);
    OC_AUTO_FREE char *got = touch ? oc_json_print(touch, false) : NULL;
    if (!wanted) {
        assert_null(got);
    } else {
        assert_non_null(got);
        assert_string_equal(got, wanted);
    }
}

static void only_what_we_know_goes_to_the_node(void **state) {
    (void)state;
    becomes("{\"pointer\":\"press\",\"x\":1.5,\"y\":-2,\"mods\":3,\"evil\":{}}",
            "{\"mods\":3,\"pointer\":\"press\",\"x\":1.5,\"y\":-2}");
    becomes("{\"key\":\"Tab\",\"x\":5}", "{\"key\":\"Tab\"}");
    becomes("{\"text\":\"\\u00e9\"}", "{\"text\":\"\xc3\xa9\"}");
    becomes("{\"scroll\":true,\"x\":1,\"y\":2,\"dx\":3,\"dy\":4}",
            "{\"scroll\":true,\"x\":1,\"y\":2,\"dx\":3,\"dy\":4}");
    static const char *const wrong[] = { "", "x", "[]", "5", "null", "{}",
        "{\"pointer\":\"press\"}", "{\"pointer\":5,\"x\":1,\"y\":1}",
        "{\"pointer\":\"press\",\"x\":\"1\",\"y\":1}", "{\"pointer\":\"press\",\"x\":1e99,\"y\":1}",
        "{\"pointer\":\"no such kind of press\",\"x\":1,\"y\":1}",
        "{\"key\":\"a very long key name\"}", "{\"key\":\"Tab\",\"mods\":8}",
        "{\"key\":\"Tab\",\"mods\":-1}", "{\"scroll\":false}",
        "{\"scroll\":true,\"x\":1,\"y\":1}" };
    for (size_t i = 0; i < OC_COUNT(wrong); i++) {
        becomes(wrong[i], NULL);
    }
    char *text = oc_strfmt("{\"text\":\"%*s\"}", GW_MAX_TOUCH_TEXT_BYTES + 1, "");
    becomes(text, NULL);
    oc_free(text);
}

static void a_page_says_how_much_room_it_has(void **state) {
    (void)state;
    is_view("{\"view\":{\"width\":390,\"height\":700.5,\"scale\":2,\"evil\":[]},\"key\":\"Tab\"}",
            "{\"width\":390,\"height\":700.5,\"scale\":2}");
    is_view("{\"view\":{\"width\":4096}}", "{\"width\":4096}");
    static const char *const wrong[] = { "{\"view\":1}", "{\"view\":{}}",
        "{\"view\":{\"height\":700}}", "{\"view\":{\"width\":\"390\"}}",
        "{\"view\":{\"width\":159}}", "{\"view\":{\"width\":4097}}", "{\"view\":{\"width\":-1}}",
        "{\"view\":{\"width\":1e300}}", "{\"view\":{\"width\":390,\"height\":0}}",
        "{\"view\":{\"width\":390,\"scale\":0}}", "{\"view\":{\"width\":390,\"scale\":4}}" };
    for (size_t i = 0; i < OC_COUNT(wrong); i++) {
        is_view(wrong[i], "none");
    }
}

static void add(struct gw_touches *t, const char *text, bool fits) {
    cJSON *touch = decode(text);
    assert_non_null(touch);
    assert_int_equal(gw_touches_add(t, touch), fits);
}

static void takes(struct gw_touches *t, const char *wanted) {
    OC_AUTO_JSON cJSON *touch = gw_touches_take(t);
    OC_AUTO_FREE char *got = touch ? oc_json_print(touch, false) : oc_strdup("none");
    assert_string_equal(got, wanted);
}

#define MOVE(x) "{\"pointer\":\"move\",\"x\":" #x ",\"y\":0}"
#define SCROLL(x, dy) "{\"scroll\":true,\"x\":" #x ",\"y\":0,\"dx\":0,\"dy\":" #dy "}"

static void much_becomes_less(void **state) {
    (void)state;
    struct gw_touches t = { 0 };
    add(&t, MOVE(1), true);
    add(&t, MOVE(2), true);
    add(&t, "{\"pointer\":\"press\",\"x\":2,\"y\":0}", true);
    add(&t, MOVE(3), true);
    add(&t, SCROLL(3, 10), true);
    add(&t, SCROLL(3, 5), true);
    add(&t, SCROLL(9, 5), true);
    add(&t, "{\"text\":\"a\"}", true);
    add(&t, "{\"text\":\"b\"}", true);
    add(&t, "{\"text\":\" \"}", true);
    add(&t, "{\"text\":\" \"}", true);
    takes(&t, MOVE(2));
    takes(&t, "{\"pointer\":\"press\",\"x\":2,\"y\":0}");
    takes(&t, MOVE(3));
    takes(&t, SCROLL(3, 15));
    takes(&t, SCROLL(9, 5));
    takes(&t, "{\"text\":\"ab\"}");
    takes(&t, "{\"text\":\" \"}"); /* each may be a press of a button */
    takes(&t, "{\"text\":\" \"}");
    takes(&t, "none");
}

static void there_is_a_ceiling(void **state) {
    (void)state;
    struct gw_touches t = { 0 };
    for (int i = 0; i < GW_MAX_TOUCHES; i++) {
        add(&t, "{\"key\":\"Tab\"}", true);
    }
    add(&t, "{\"key\":\"Enter\"}", false);
    add(&t, MOVE(1), false);
    takes(&t, "{\"key\":\"Tab\"}");
    add(&t, "{\"key\":\"Enter\"}", true);
    gw_touches_finish(&t);
    takes(&t, "none");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_we_know_goes_to_the_node),
        cmocka_unit_test(a_page_says_how_much_room_it_has),
        cmocka_unit_test(much_becomes_less),
        cmocka_unit_test(there_is_a_ceiling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
