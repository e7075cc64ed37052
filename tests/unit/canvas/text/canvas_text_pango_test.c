/* The text engine with fonts: Liberation Sans only, so that numbers are known
 * (tests/canvas/fonts.conf). */
#include "tests/unit/unit.h"

#include "canvas/text/text.h"
#include "canvas/text/text_limit.h"
#include "lib/base/mem.h"
#include "lib/base/utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEAR(a, b, by) assert_true(fabs((double)(a) - (double)(b)) <= (by))

static struct cv_texts *texts;

static int setup(void **state) {
    (void)state;
    texts = cv_texts_create();
    return 0;
}

static int teardown(void **state) {
    (void)state;
    cv_texts_destroy(texts);
    return 0;
}

static struct cv_text_style body(void) {
    return (struct cv_text_style){
        .family = "Liberation Sans", .size_px = 14, .line_px = 20, .weight = 400, .color = 0xff
    };
}

static struct cv_text *get(const char *s) {
    struct cv_text_style style = body();
    return cv_text_get(texts, (struct oc_slice){ s, strlen(s) }, &style);
}

/* Numbers of a browser with the same font. */
static void measures_are_those_of_browsers(void **state) {
    (void)state;
    NEAR(cv_text_max_width(get("A")), 9.34, 0.02);
    NEAR(cv_text_max_width(get("aa")), 15.58, 0.02);
    NEAR(cv_text_max_width(get("Hello World")), 72.1, 0.1);
    NEAR(cv_text_max_width(get("AVAVAV")), 50.4, 5);
    assert_true(cv_text_max_width(get("AVAVAV")) < 6 * 9.34 - 2); /* kerned */
    NEAR(cv_text_min_width(get("Hello World")), cv_text_max_width(get("World")), 0.5);
    NEAR(cv_text_baseline(get("x"), 100), 15, 0.01);
    NEAR(cv_text_height(get("one line"), 500), 20, 0.01);
    NEAR(cv_text_height(get(""), 500), 20, 0.01);
    NEAR(cv_text_height(get("a\nb\n\nc"), 500), 80, 0.01);
    struct cv_text *t = get("The quick brown fox jumps over the lazy dog");
    double w = cv_text_max_width(t);
    NEAR(cv_text_height(t, w), 20, 0.01); /* fits into what it asks for */
    NEAR(cv_text_height(t, w - 1), 40, 0.01);
    NEAR(cv_text_height(t, cv_text_min_width(t)) / 20, 9, 2);
}

/* The short way for Latin words and Pango's must agree: a span that changes nothing forces the
 * latter. */
static void both_ways_measure_alike(void **state) {
    (void)state;
    static const char *const rows[] = { "Hello", "AV To. Wa, fi 11:45", "and/or well-known",
        "Größe: 5 € – é", "a  b   c", " x ", "what? no! (maybe) [x] {y} 50%|60%" };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        struct oc_slice s = { rows[i], strlen(rows[i]) };
        struct cv_text_style style = body(), spanned = body();
        struct cv_text_span span = { .from = 0, .to = s.len, .has_color = 1, .color = 0xff };
        spanned.spans = &span;
        spanned.span_count = 1;
        struct cv_text *a = cv_text_get(texts, s, &style), *b = cv_text_get(texts, s, &spanned);
        NEAR(cv_text_max_width(a), cv_text_max_width(b), 0.02);
        NEAR(cv_text_min_width(a), cv_text_min_width(b), 0.02);
        NEAR(cv_text_height(a, 40), cv_text_height(b, 40), 0.01);
    }
}

static void texts_are_kept_by_content_and_style(void **state) {
    (void)state;
    struct cv_text *t = get("same");
    assert_ptr_equal(t, get("same"));
    struct cv_text_style bold = body();
    bold.weight = 700;
    assert_ptr_not_equal(t, cv_text_get(texts, SLICE("same"), &bold));
    cv_texts_age(texts);
    cv_texts_age(texts);
    assert_ptr_equal(t, get("same"));
    for (int i = 0; i < 3000; i++) { /* more than layouts are kept: each is still right */
        char s[64];
        snprintf(s, sizeof(s), "text ✓ number %d is wrapped", i);
        NEAR(cv_text_height(get(s), 60), 60, 20);
    }
    NEAR(cv_text_height(get("text ✓ number 1 is wrapped"), 1000), 20, 0.01);
}

static void broken_text_is_repaired(void **state) {
    (void)state;
    struct cv_text_style style = body();
    struct cv_text *t = cv_text_get(texts,
            SLICE("a\0b\xff"
                  "c"),
            &style);
    assert_string_equal(cv_text_string(t).ptr, "a\xef\xbf\xbd"
                                               "b\xef\xbf\xbd"
                                               "c");
    assert_int_equal(
            cv_text_string(cv_text_get(texts, (struct oc_slice){ NULL, 0 }, &style)).len, 0);
}

static void ellipsis_and_no_wrap_stay_on_one_line(void **state) {
    (void)state;
    struct cv_text_style style = body();
    style.ellipsis = true;
    struct cv_text *t = cv_text_get(texts, SLICE("a rather long label\nof two lines"), &style);
    NEAR(cv_text_height(t, 50), 20, 0.01);
    assert_true(cv_text_min_width(t) <= 14);
    style.ellipsis = false;
    style.no_wrap = true;
    t = cv_text_get(texts, SLICE("a rather long label"), &style);
    NEAR(cv_text_height(t, 50), 20, 0.01);
    NEAR(cv_text_min_width(t), cv_text_max_width(t), 0.001);
    style.no_wrap = false;
    style.max_lines = 2;
    t = cv_text_get(texts, SLICE("one two three four five six seven"), &style);
    NEAR(cv_text_height(t, 40), 40, 0.01);
}

static void carets_move_by_graphemes_words_and_lines(void **state) {
    (void)state;
    struct cv_text *t = get("ae\xcc\x81z two\nthird");
    assert_int_equal(cv_text_move(t, 500, 0, 1, false), 1);
    assert_int_equal(cv_text_move(t, 500, 1, 1, false), 4); /* e and its accent are one */
    assert_int_equal(cv_text_move(t, 500, 4, -1, false), 1);
    assert_int_equal(cv_text_move(t, 500, 0, -1, false), 0);
    assert_int_equal(cv_text_move(t, 500, cv_text_string(t).len, 1, false), cv_text_string(t).len);
    assert_int_equal(cv_text_move(t, 500, 0, 1, true), 5);
    assert_int_equal(cv_text_move(t, 500, 9, -1, true), 6);
    assert_int_equal(cv_text_move_line(t, 500, 0, 1), 10);
    assert_int_equal(cv_text_move_line(t, 500, 10, -1), 0);
    assert_int_equal(cv_text_move_line(t, 500, 3, -1), 0);
    double x, y, h;
    cv_text_caret(t, 500, 10, &x, &y, &h);
    assert_true(x == 0 && y == 20 && h == 20);
    assert_int_equal(cv_text_index_at(t, 500, 0, 25), 10);
    assert_int_equal(cv_text_index_at(t, 500, 1000, 5), 9);
    assert_int_equal(cv_text_index_at(t, 500, -5, -5), 0);
}

/* Wider than 2 million pixels, where Pango alone takes it for a short line, and in one word, which
 * takes Pango minutes. */
static void endless_words_are_broken(void **state) {
    (void)state;
    size_t len = 320000;
    char *word = oc_alloc(len + 1);
    memset(word, 'x', len);
    struct cv_text *t = get(word);
    NEAR(cv_text_max_width(t), 7.0 * (double)len, 100);
    NEAR(cv_text_height(t, 700) / 20, (double)len / 100, 40);
    NEAR(cv_text_min_width(t), cv_text_max_width(t), 1);
    for (size_t i = 9; i < len; i += 10) {
        word[i] = ' ';
    }
    t = get(word);
    NEAR(cv_text_min_width(t), 63, 0.1);
    NEAR(cv_text_height(t, 700) / 20, (double)len / 100, 320);
    oc_free(word);
}

static void count_rect(void *user, double x, double y, double w, double h) {
    double *sum = user;
    (void)x;
    (void)y;
    assert_true(w > 0 && h == 20);
    sum[0] += w;
    sum[1]++;
}

static void selections_have_a_rectangle_a_line(void **state) {
    (void)state;
    double sum[2] = { 0, 0 };
    struct cv_text *t = get("Hello World");
    cv_text_selection(t, 500, 0, 11, count_rect, sum);
    NEAR(sum[0], cv_text_max_width(t), 0.1);
    assert_true(sum[1] == 1);
    sum[0] = sum[1] = 0;
    cv_text_selection(t, 45, 0, 11, count_rect, sum);
    assert_true(sum[1] == 2);
    cv_text_selection(t, 45, 3, 3, count_rect, sum);
    assert_true(sum[1] == 2);
}

static void right_to_left_starts_at_the_right(void **state) {
    (void)state;
    struct cv_text *t = get("\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d");
    double x, y, h, w = cv_text_max_width(t);
    cv_text_caret(t, 200, 0, &x, &y, &h);
    NEAR(x, 200, 0.1);
    cv_text_caret(t, 200, 8, &x, &y, &h);
    NEAR(x, 200 - w, 0.1);
    assert_int_equal(cv_text_move(t, 200, 0, -1, false), 2); /* left is forwards */
    assert_int_equal(cv_text_unknown_glyphs(t, 200), 4);     /* the font has no Hebrew */
    assert_int_equal(cv_text_unknown_glyphs(get("Latin"), 200), 0);
    assert_int_equal(cv_text_unknown_glyphs(get("\xe6\x97\xa5\xe6\x9c\xac"), 200), 2);
}

static char *repeated(const char *first, const char *text, size_t times, size_t *ret_len) {
    struct oc_buf out = OC_BUF_INIT(1 << 22);
    (void)oc_buf_puts(&out, first);
    for (size_t i = 0; i < times; i++) {
        (void)oc_buf_puts(&out, text);
    }
    *ret_len = out.len;
    return oc_buf_take(&out);
}

static size_t times_in(const char *text, const char *what) {
    size_t n = 0;
    for (; (text = strstr(text, what)); text += strlen(what)) {
        n++;
    }
    return n;
}

/* As many bytes, but not what takes Pango quadratic time. */
static void texts_that_keep_pango_busy_are_tamed(void **state) {
    (void)state;
    static const struct {
        const char *first, *text;
        size_t times;
        const char *what;
        size_t most;
    } cases[] = {
        { "a", "\xcc\x81", 60000, "\xcc\x81", 32 },                /* accents on one letter */
        { "a", "\xf3\xa0\x84\x80", 1000, "\xf3\xa0\x84\x80", 32 }, /* variation selectors */
        { "", "a\xd7\x90", 60000, "\xd7\x90", 1001 },              /* Latin and Hebrew in turn */
        { "", "1\xd8\xa8", 60000, "\xd8\xa8", 1001 },              /* digits and Arabic */
        { "", "a\xe2\x80\xae", 60000, "\xe2\x80\xae", 2000 },      /* orders to turn round */
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        size_t len;
        OC_AUTO_FREE char *text = repeated(cases[i].first, cases[i].text, cases[i].times, &len);
        OC_AUTO_FREE char *tame = cv_text_limit(text, len);
        assert_non_null(tame);
        assert_int_equal(strlen(tame), len);
        assert_true(oc_utf8_valid(tame, len));
        assert_in_range(times_in(tame, cases[i].what), cases[i].most - 2, cases[i].most);
        OC_AUTO_FREE char *again = cv_text_limit(tame, len);
        assert_null(again);
    }
}

static void lines_are_not_without_end(void **state) {
    (void)state;
    size_t len;
    OC_AUTO_FREE char *text = repeated("", "x\n", 500000, &len), *tame = cv_text_limit(text, len);
    assert_non_null(tame);
    assert_int_equal(strlen(tame), len);
    assert_in_range(times_in(tame, "\n"), 1900, 2000);
}

static void ordinary_texts_stay_as_they_are(void **state) {
    (void)state;
    static const char *const cases[] = {
        "Ho\xcc\x82\xcc\x81m nay tr\xc6\xa1\xcc\x80i \xc4\x91\x65\xcc\xa3p. ",
        "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d, 12 \xd7\xaa\xd7\x95\xd7\x93\xd7\x94 OpenClaw!\n",
        "\xe0\xa4\xa8\xe0\xa4\xae\xe0\xa4\xb8\xe0\xa5\x8d\xe0\xa4\xa4\xe0\xa5\x87 ",
        "plain words and so on\n",
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        size_t len;
        OC_AUTO_FREE char *text = repeated("", cases[i], 2000, &len);
        OC_AUTO_FREE char *tame = cv_text_limit(text, len);
        assert_null(tame);
    }
}

int main(void) {
    setenv("FONTCONFIG_FILE", OC_TEST_DIR "/canvas/fonts.conf", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(measures_are_those_of_browsers, setup, teardown),
        cmocka_unit_test_setup_teardown(both_ways_measure_alike, setup, teardown),
        cmocka_unit_test_setup_teardown(texts_are_kept_by_content_and_style, setup, teardown),
        cmocka_unit_test_setup_teardown(broken_text_is_repaired, setup, teardown),
        cmocka_unit_test_setup_teardown(ellipsis_and_no_wrap_stay_on_one_line, setup, teardown),
        cmocka_unit_test_setup_teardown(carets_move_by_graphemes_words_and_lines, setup, teardown),
        cmocka_unit_test_setup_teardown(endless_words_are_broken, setup, teardown),
        cmocka_unit_test_setup_teardown(selections_have_a_rectangle_a_line, setup, teardown),
        cmocka_unit_test_setup_teardown(right_to_left_starts_at_the_right, setup, teardown),
        cmocka_unit_test(texts_that_keep_pango_busy_are_tamed),
        cmocka_unit_test(lines_are_not_without_end),
        cmocka_unit_test(ordinary_texts_stay_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
