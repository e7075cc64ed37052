#include "canvas/input/edit.h"
#include "canvas/text/grapheme.h"
#include "tests/unit/unit.h"

/* A text that is edited, in a box of so many characters (7 px each, lines of 20 px). */
struct typing {
    struct cv_texts *texts;
    struct cv_arena *arena;
    struct cv_local local;
    char *value;
    size_t columns;
    bool is_masked, is_multiline;
};

static void start(struct typing *t, const char *value, size_t columns) {
    *t = (struct typing){ .texts = cv_texts_create(),
        .arena = cv_arena_create(),
        .value = oc_strdup(value),
        .columns = columns,
        .is_multiline = columns > 0 };
}

static void stop(struct typing *t) {
    cv_texts_destroy(t->texts);
    cv_arena_destroy(t->arena);
    oc_free(t->value);
    oc_free(t->local.preedit);
}

static struct cv_edit edit(struct typing *t) {
    struct cv_edit e = { .local = &t->local,
        .value = cv_edit_clean(
                t->arena, (struct oc_slice){ t->value, strlen(t->value) }, t->is_multiline),
        .is_masked = t->is_masked,
        .is_multiline = t->is_multiline };
    size_t from, to;
    cv_edit_clamp(&e);
    struct oc_slice shown = cv_edit_shown(&e, t->arena, &from, &to);
    struct cv_text_style style = {
        .size_px = 14, .line_px = 20, .no_wrap = !t->is_multiline, .keep_spaces = true
    };
    e.text = cv_text_get(t->texts, shown, &style);
    e.width = t->is_multiline ? 7 * (double)t->columns : 1000;
    return e;
}

static bool move(struct typing *t, enum cv_key key, unsigned mods) {
    struct cv_edit e = edit(t);
    return cv_edit_move(&e, key, mods);
}

static bool take(struct typing *t, bool changed, struct oc_buf *out) {
    if (changed) {
        oc_free(t->value);
        t->value = oc_strdup(out->len ? out->data : "");
    }
    return changed;
}

static bool type(struct typing *t, const char *text) {
    struct cv_edit e = edit(t);
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(1u << 22);
    return take(t, cv_edit_insert(&e, text, &out), &out);
}

static bool erase(struct typing *t, enum cv_key key, unsigned mods) {
    struct cv_edit e = edit(t);
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(1u << 22);
    return take(t, cv_edit_delete(&e, key, mods, &out), &out);
}

static void at(struct typing *t, size_t caret, size_t anchor) {
    assert_int_equal(t->local.caret, caret);
    assert_int_equal(t->local.anchor, anchor);
}

static void typing_and_erasing(void **state) {
    (void)state;
    struct typing t;
    start(&t, "", 0);
    assert_true(type(&t, "hello"));
    assert_true(type(&t, " wor\nld\t!"));
    assert_string_equal(t.value, "hello wor ld !"); /* one line */
    at(&t, 14, 14);
    assert_true(erase(&t, CV_KEY_BACKSPACE, 0));
    assert_false(erase(&t, CV_KEY_DELETE, 0));
    assert_true(erase(&t, CV_KEY_BACKSPACE, CV_MOD_CTRL));
    assert_string_equal(t.value, "hello wor ");
    assert_true(move(&t, CV_KEY_HOME, 0));
    assert_false(erase(&t, CV_KEY_BACKSPACE, 0));
    assert_true(erase(&t, CV_KEY_DELETE, CV_MOD_CTRL));
    assert_string_equal(t.value, " wor ");
    assert_false(type(&t, ""));
    assert_false(type(&t, "\x01\x02"));
    stop(&t);
}

static void selections(void **state) {
    (void)state;
    struct typing t;
    start(&t, "one two three", 0);
    assert_true(move(&t, CV_KEY_RIGHT, CV_MOD_CTRL));
    at(&t, 3, 3);
    assert_true(move(&t, CV_KEY_RIGHT, CV_MOD_CTRL | CV_MOD_SHIFT));
    at(&t, 7, 3);
    struct cv_edit e = edit(&t);
    assert_int_equal(cv_edit_selected(&e).len, 4);
    assert_true(move(&t, CV_KEY_LEFT, 0)); /* leaves at its left edge */
    at(&t, 3, 3);
    (void)move(&t, CV_KEY_RIGHT, CV_MOD_SHIFT);
    assert_true(move(&t, CV_KEY_RIGHT, 0));
    at(&t, 4, 4);
    assert_true(move(&t, CV_KEY_END, CV_MOD_SHIFT));
    at(&t, 13, 4);
    assert_true(type(&t, "2"));
    assert_string_equal(t.value, "one 2");
    assert_true(move(&t, CV_KEY_A, CV_MOD_CTRL));
    at(&t, 5, 0);
    assert_true(erase(&t, CV_KEY_BACKSPACE, 0));
    assert_string_equal(t.value, "");
    assert_false(move(&t, CV_KEY_UP, 0)); /* of one line: somebody else's */
    assert_false(move(&t, CV_KEY_TAB, 0));
    stop(&t);
}

static void several_lines(void **state) {
    (void)state;
    struct typing t;
    start(&t, "one two\nthree four five", 10); /* "three four" wraps before "five" */
    t.local.caret = t.local.anchor = 2;
    assert_true(move(&t, CV_KEY_DOWN, 0));
    at(&t, 10, 10);
    assert_true(move(&t, CV_KEY_END, 0));
    at(&t, 18, 18);
    assert_true(move(&t, CV_KEY_HOME, 0));
    at(&t, 8, 8);
    assert_true(move(&t, CV_KEY_DOWN, CV_MOD_SHIFT));
    at(&t, 19, 8);
    assert_true(move(&t, CV_KEY_END, CV_MOD_CTRL));
    at(&t, 23, 23);
    assert_true(move(&t, CV_KEY_DOWN, 0));
    at(&t, 23, 23);
    assert_true(move(&t, CV_KEY_HOME, CV_MOD_CTRL));
    assert_true(move(&t, CV_KEY_UP, 0));
    at(&t, 0, 0);
    assert_true(type(&t, "a\nb"));
    assert_string_equal(t.value, "a\nbone two\nthree four five");
    stop(&t);
}

static void pointing(void **state) {
    (void)state;
    struct typing t;
    start(&t, "one two three", 0);
    struct cv_edit e = edit(&t);
    cv_edit_press(&e, 36, 10, 1, false);
    at(&t, 5, 5);
    cv_edit_drag(&e, 1000, 10);
    at(&t, 13, 5);
    cv_edit_press(&e, 0, 0, 1, true);
    at(&t, 0, 5);
    cv_edit_press(&e, 36, 10, 2, false); /* a word */
    at(&t, 7, 4);
    cv_edit_press(&e, 36, 10, 3, false); /* all */
    at(&t, 13, 0);
    cv_edit_press(&e, -50, -50, 1, false);
    at(&t, 0, 0);
    stop(&t);
}

/* One dot a character; the words in a password stay its own. */
static void masked(void **state) {
    (void)state;
    struct typing t;
    start(&t, "p\xc3\xa4ss w\xc3\xb6rd", 0);
    t.is_masked = true;
    struct cv_edit e = edit(&t);
    assert_int_equal(cv_text_string(e.text).len, 9 * 3);
    assert_true(move(&t, CV_KEY_RIGHT, 0));
    assert_true(move(&t, CV_KEY_RIGHT, 0));
    at(&t, 3, 3);
    double x, y, h;
    e = edit(&t);
    cv_edit_caret(&e, &x, &y, &h);
    assert_float_equal((float)x, 14.0f, 0.01f);
    cv_edit_press(&e, 7 * 6.1, 5, 1, false); /* before the o with dots */
    at(&t, 7, 7);
    assert_true(move(&t, CV_KEY_LEFT, CV_MOD_CTRL));
    at(&t, 0, 0);
    cv_edit_press(&e, 7, 5, 2, false);
    at(&t, strlen(t.value), 0);
    t.local.anchor = t.local.caret;
    assert_true(erase(&t, CV_KEY_BACKSPACE, CV_MOD_CTRL));
    assert_string_equal(t.value, "");
    stop(&t);
}

static void preedits_stand_at_the_caret(void **state) {
    (void)state;
    struct typing t;
    start(&t, "ab", 0);
    t.local.caret = t.local.anchor = 1;
    t.local.preedit = oc_strdup("\xe3\x81\x8b\xe3\x81\xaa");
    t.local.preedit_caret = 3;
    struct cv_edit e = edit(&t);
    assert_string_equal(cv_text_string(e.text).ptr, "a\xe3\x81\x8b\xe3\x81\xaa"
                                                    "b");
    double x, y, h;
    cv_edit_caret(&e, &x, &y, &h);
    assert_float_equal((float)x, 14.0f, 0.01f);
    assert_int_equal(cv_edit_to_shown(&e, 2), 8);
    cv_edit_press(&e, 1000, 5, 1, false);
    at(&t, 2, 2);
    t.local.caret = 1;
    t.local.preedit_caret = 99; /* past it */
    e = edit(&t);
    cv_edit_caret(&e, &x, &y, &h);
    assert_float_equal((float)x, 21.0f, 0.01f);
    stop(&t);
}

static void what_belongs_together_goes_together(void **state) {
    (void)state;
    static const char *const ones[] = {
        "e\xcc\x81",                        /* e with an accent */
        "\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa", /* a flag */
        "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7\xe2\x80\x8d\xf0\x9f\x91\xa6", /* a family */
        "\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd",     /* thumb with skin tone */
        "\xe1\x80\x80\xe1\x80\xaf\xe1\x80\xad", /* Burmese ka with vowels */
        "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab", /* Hangul in parts */
        "\xe0\xa4\x95\xe0\xa4\xbf",             /* Devanagari ki */
    };
    for (size_t i = 0; i < OC_COUNT(ones); i++) {
        struct typing t;
        start(&t, "", 0);
        OC_AUTO_FREE char *text = oc_strfmt("x%s%sy", ones[i], ones[i]);
        assert_true(type(&t, text));
        assert_true(erase(&t, CV_KEY_BACKSPACE, 0));
        assert_true(erase(&t, CV_KEY_BACKSPACE, 0));
        OC_AUTO_FREE char *left = oc_strfmt("x%s", ones[i]);
        assert_string_equal(t.value, left);
        t.local.caret = t.local.anchor = 1;
        assert_true(erase(&t, CV_KEY_DELETE, 0));
        assert_string_equal(t.value, "x");
        stop(&t);
    }
}

static void broken_and_huge_values(void **state) {
    (void)state;
    struct typing t;
    start(&t,
            "a\xff"
            "b\xc3",
            0);
    t.local.caret = 9999;
    t.local.anchor = 2; /* inside of what replaces the broken byte */
    struct cv_edit e = edit(&t);
    assert_int_equal(e.value.len, 8);
    at(&t, 8, 1);
    stop(&t);
    start(&t, "", 0);
    char *huge = oc_alloc(2u << 20);
    memset(huge, 'x', (2u << 20) - 1);
    assert_true(type(&t, huge));
    assert_int_equal(strlen(t.value), CV_MAX_STRING);
    assert_false(type(&t, "y"));
    oc_free(huge);
    stop(&t);
}

static void numbers(void **state) {
    (void)state;
    static const char *const good[] = { "", "-", "+1", "12", "1.", ".5", "-0.25", "1e", "1e-",
        "1e10" };
    static const char *const bad[] = { "a", "1a", "--1", "1.2.3", "e5", "1e5e", "1 2", "0x10" };
    for (size_t i = 0; i < OC_COUNT(good); i++) {
        assert_true(cv_edit_is_number(good[i], strlen(good[i])));
    }
    for (size_t i = 0; i < OC_COUNT(bad); i++) {
        assert_false(cv_edit_is_number(bad[i], strlen(bad[i])));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(typing_and_erasing),
        cmocka_unit_test(selections),
        cmocka_unit_test(several_lines),
        cmocka_unit_test(pointing),
        cmocka_unit_test(masked),
        cmocka_unit_test(preedits_stand_at_the_caret),
        cmocka_unit_test(what_belongs_together_goes_together),
        cmocka_unit_test(broken_and_huge_values),
        cmocka_unit_test(numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
