/* The table of widgets, and what all of them must have. */
#include "tests/unit/unit.h"

#include "canvas/scene/scene.h"

static const char *const catalogue[] = { "Button", "Card", "CheckBox", "Column", "DateTimeInput",
    "Divider", "Icon", "List", "Modal", "MultipleChoice", "Row", "Slider", "Tabs", "Text",
    "TextField" };

static void all_are_found(void **state) {
    (void)state;
    for (size_t i = 0; i < OC_COUNT(catalogue); i++) {
        const struct cv_widget *w = cv_widget_find(catalogue[i]); /* by bisection: sorted */
        assert_non_null(w);
        assert_string_equal(w->name, catalogue[i]);
        assert_non_null(w->resolve);
        assert_non_null(w->intrinsic);
        assert_non_null(w->height);
        assert_true(!w->scrolls || (w->input && w->input->scroll));
    }
    assert_null(cv_widget_find("Buttons"));
    assert_null(cv_widget_find(""));
    assert_null(cv_widget_find("button"));
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(all_are_found) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
