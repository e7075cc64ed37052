#include "tests/unit/unit.h"

#include "canvas/text/text.h"

#include <string.h>

static struct cv_text *get(struct cv_texts *t, const char *text) {
    struct cv_text_style style = { .size_px = 14, .line_px = 20, .weight = 400 };
    return cv_text_get(t, (struct oc_slice){ text, strlen(text) }, &style);
}

static void widths_and_heights(void **state) {
    (void)state;
    struct cv_texts *t = cv_texts_create();
    struct cv_text *hello = get(t, "hello wide world");
    assert_ptr_equal(get(t, "hello wide world"), hello);
    assert_float_equal(cv_text_max_width(hello), 112, 0.001);
    assert_float_equal(cv_text_min_width(hello), 35, 0.001);
    assert_float_equal(cv_text_height(hello, 112), 20, 0.001);
    assert_float_equal(cv_text_height(hello, 111), 40, 0.001);
    assert_float_equal(cv_text_height(hello, 35), 60, 0.001);
    assert_float_equal(cv_text_height(hello, 0), 14 * 20, 0.001); /* a letter a line, spaces hang */
    assert_float_equal(cv_text_height(get(t, ""), 10), 20, 0.001);
    assert_float_equal(cv_text_height(get(t, "a\nb\n"), 100), 60, 0.001);
    assert_float_equal(cv_text_max_width(get(t, "\xc3\xa4\xff")), 14, 0.001);
    assert_int_equal(cv_text_string(get(t, "\xff")).len, 3);
    cv_texts_destroy(t);
}

static void ages(void **state) {
    (void)state;
    struct cv_texts *t = cv_texts_create();
    (void)get(t, "one");
    struct cv_text *two = get(t, "two");
    for (int i = 0; i < 5; i++) {
        cv_texts_age(t);
        assert_ptr_equal(get(t, "two"), two);
    }
    cv_texts_destroy(t);
}

static void caret_and_moves(void **state) {
    (void)state;
    struct cv_texts *t = cv_texts_create();
    struct cv_text *x = get(t, "ab cd\xc3\xa4 ef");
    double cx, cy, ch;
    cv_text_caret(x, 42, 5, &cx, &cy, &ch); /* "ab cdä" / "ef" */
    assert_float_equal(cx, 35, 0.001);
    assert_float_equal(cy, 0, 0.001);
    cv_text_caret(x, 42, 8, &cx, &cy, &ch);
    assert_float_equal(cx, 0, 0.001);
    assert_float_equal(cy, 20, 0.001);
    assert_int_equal(cv_text_index_at(x, 42, 38, 5), 5);
    assert_int_equal(cv_text_index_at(x, 42, 39, 5), 7);
    assert_int_equal(cv_text_index_at(x, 42, 500, 500), 10);
    assert_int_equal(cv_text_move(x, 42, 5, 1, false), 7);
    assert_int_equal(cv_text_move(x, 42, 7, -1, false), 5);
    assert_int_equal(cv_text_move(x, 42, 0, -1, false), 0);
    assert_int_equal(cv_text_move(x, 42, 2, 1, true), 7);
    assert_int_equal(cv_text_move(x, 42, 8, -1, true), 3);
    assert_int_equal(cv_text_move_line(x, 42, 1, 1), 9);
    assert_int_equal(cv_text_move_line(x, 42, 9, -1), 1);
    assert_int_equal(cv_text_move_line(x, 42, 1, -1), 0);
    assert_int_equal(cv_text_move_line(x, 42, 9, 1), 10);
    cv_texts_destroy(t);
}

static void count_rect(void *user, double x, double y, double w, double h) {
    (void)x;
    (void)y;
    (void)h;
    *(double *)user += w;
}

static void selection_covers_its_characters(void **state) {
    (void)state;
    struct cv_texts *t = cv_texts_create();
    double sum = 0;
    cv_text_selection(get(t, "ab cd ef"), 35, 1, 8, count_rect, &sum);
    assert_float_equal(sum, 7 * 7, 0.001);
    cv_texts_destroy(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widths_and_heights),
        cmocka_unit_test(ages),
        cmocka_unit_test(caret_and_moves),
        cmocka_unit_test(selection_covers_its_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
