#include "tests/unit/unit.h"

#include "canvas/model/theme.h"
#include "lib/base/mem.h"

#include <string.h>

static struct cv_value *styles(const char *json) {
    struct cv_value *v = NULL;
    assert_int_equal(cv_value_parse(json, strlen(json), &v, NULL), OC_OK);
    return v;
}

static void colours_parse(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool is_good;
        cv_color color;
    } rows[] = {
        { "#ff8000", true, 0xff8000ff },
        { "#F80", true, 0xff8800ff },
        { "ff8000", false, 0 },
        { "#ff80", false, 0 },
        { "#gg8000", false, 0 },
        { "", false, 0 },
        { "red", false, 0 },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        cv_color c = 0;
        struct oc_slice s = { rows[i].text, strlen(rows[i].text) };
        assert_int_equal(cv_color_parse(s, &c), rows[i].is_good);
        assert_int_equal(c, rows[i].color);
    }
}

static void there_are_three(void **state) {
    (void)state;
    assert_true(cv_theme_find("openclaw")->dark);
    assert_false(cv_theme_find("default")->dark);
    assert_true(cv_theme_find("default-dark")->dark);
    assert_null(cv_theme_find("no such theme"));
    assert_int_equal(cv_theme_find("default")->primary, 0x383b99ff);
    assert_int_equal(cv_theme_find("default")->link, 0x5154b3ff);
}

/* Whatever colour an agent likes, and whatever the page is. */
static void every_colour_is_legible(void **state) {
    (void)state;
    static const char *const names[] = { "openclaw", "default", "default-dark" };
    static const unsigned steps[] = { 0x00, 0x33, 0x66, 0x99, 0xcc, 0xff };
    for (size_t n = 0; n < OC_COUNT(names); n++) {
        const struct cv_theme *base = cv_theme_find(names[n]);
        bool is_own = strcmp(names[n], "openclaw") == 0;
        for (unsigned i = 0; i < 6 * 6 * 6; i++) {
            char json[64], font[128];
            struct cv_theme t;
            snprintf(json, sizeof(json), "{\"primaryColor\":\"#%02x%02x%02x\"}", steps[i % 6],
                    steps[i / 6 % 6], steps[i / 36]);
            struct cv_value *v = styles(json);
            cv_theme_style(base, v, &t, font);
            cv_value_destroy(v);
            bool is_fine = cv_color_contrast(t.link, t.page) >= 4.5 &&
                           cv_color_contrast(t.on_primary, t.primary) >= 4.3 &&
                           cv_color_contrast(t.focus, t.page) >= 3 &&
                           (is_own || (cv_color_contrast(t.primary, t.page) >= 4.5 &&
                                              cv_color_contrast(t.field_border, t.page) >= 2));
            if (!is_fine) {
                fail_msg("%s in %s", json, names[n]);
            }
        }
    }
}

static void styles_change_colour_and_font(void **state) {
    (void)state;
    struct cv_theme t;
    char font[128];
    struct cv_value *v = styles("{\"primaryColor\":\"#ff0000\",\"font\":\"Noto 'Serif'\"}");
    cv_theme_style(cv_theme_find("default"), v, &t, font);
    assert_int_equal(t.primary, 0x990000ff); /* 60 % with black */
    assert_int_equal(t.outline, 0xff3333ff); /* 80 % with white */
    assert_int_equal(t.on_primary, 0xffffffff);
    assert_true(strncmp(t.family, "Noto Serif, Liberation Sans", 27) == 0);
    cv_value_destroy(v);
    v = styles("{\"primaryColor\":\"#ffff00\"}");
    cv_theme_style(cv_theme_find("openclaw"), v, &t, font);
    assert_int_equal(t.button_from, 0xffff00ff);
    assert_int_equal(t.button_text, 0x131316ff); /* dark words on yellow */
    cv_value_destroy(v);
    v = styles("{\"primaryColor\":\"blue\",\"font\":7}");
    cv_theme_style(cv_theme_find("default"), v, &t, font);
    assert_int_equal(t.primary, cv_theme_find("default")->primary);
    assert_ptr_equal(t.family, cv_theme_find("default")->family);
    cv_value_destroy(v);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_parse),
        cmocka_unit_test(there_are_three),
        cmocka_unit_test(every_colour_is_legible),
        cmocka_unit_test(styles_change_colour_and_font),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
