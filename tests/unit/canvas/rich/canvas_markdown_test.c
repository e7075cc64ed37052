/* Markdown to a display list, with the engine in which a 14 px character is 7 px wide. */
#include "tests/unit/unit.h"

#include "canvas/model/limits.h"
#include "canvas/rich/rich.h"
#include "lib/base/mem.h"

#include <string.h>

struct world {
    struct cv_arena *arena;
    struct cv_texts *texts;
    struct cv_display_list *dl;
    struct oc_buf out;
    struct cv_rich_budget budget; /* what the last text has left of it */
};

static int setup(void **state) {
    struct world *w = oc_new(struct world);
    w->arena = cv_arena_create();
    w->texts = cv_texts_create();
    w->dl = cv_dl_create();
    w->out = OC_BUF_INIT(1 << 20);
    *state = w;
    return 0;
}

static int teardown(void **state) {
    struct world *w = *state;
    oc_buf_finish(&w->out);
    cv_dl_destroy(w->dl);
    cv_texts_destroy(w->texts);
    cv_arena_destroy(w->arena);
    oc_free(w);
    return 0;
}

static struct cv_rich *parse(struct world *w, const char *source, enum cv_text_hint hint) {
    w->budget = (struct cv_rich_budget){ .blocks = CV_MAX_BLOCKS, .work = CV_MAX_PARSING };
    return cv_markdown_parse(w->arena, w->texts, (struct oc_slice){ source, strlen(source) },
            cv_theme_find("default"), hint, &w->budget);
}

static const char *shown(struct world *w, const char *source, enum cv_text_hint hint) {
    cv_dl_clear(w->dl);
    oc_buf_clear(&w->out);
    cv_rich_paint(parse(w, source, hint), w->dl, 0, 0, 400, (struct cv_rect){ 0, 0, 400, 1e6 });
    assert_int_equal(cv_dl_print(&w->out, w->dl), OC_OK);
    return w->out.data ? w->out.data : "";
}

static void inline_marks_become_spans(void **state) {
    struct world *w = *state;
    assert_string_equal(shown(w, "a **b** *c* ***d*** `e  f` ~~g~~", CV_HINT_BODY),
            "text 0,0 w400 'a b c d e f g' 14/20 #1b1b1bff 2-3:bold 4-5:italic 6-7:bold:italic "
            "8-11:mono 12-13:strike\n");
    assert_string_equal(shown(w, "a\nb  \nc\\\nd &amp; \\*e\\*", CV_HINT_BODY),
            "text 0,0 w400 'a b\\nc\\nd & *e*' 14/20 #1b1b1bff\n");
}

static void the_hint_makes_the_first_line_a_heading(void **state) {
    struct world *w = *state;
    assert_string_equal(
            shown(w, "Title", CV_HINT_H1), "text 0,0 w400 'Title' 24/32 500 #1b1b1bff\n");
    assert_string_equal(shown(w, "Learn *C* #\nmore", CV_HINT_H2),
            "text 0,0 w400 'Learn C #' 22/28 500 #1b1b1bff 6-7:italic\n"
            "text 0,36 w400 'more' 14/20 #1b1b1bff\n");
    assert_string_equal(
            shown(w, "a * b", CV_HINT_CAPTION), "text 0,0 w400 'a * b' 14/20 italic #1b1b1bff\n");
    struct cv_rich *r = parse(w, "Title", CV_HINT_H1);
    assert_float_equal((float)cv_rich_height(r, 400), 40.0f, 0.01f); /* 32 and 8 below */
    assert_float_equal((float)cv_rich_max_width(r), 60.0f, 0.01f);
}

static void lists_are_indented(void **state) {
    struct world *w = *state;
    assert_string_equal(shown(w, "- one\n- two\n  - in\n\n3. three\n4. four", CV_HINT_BODY),
            "text 25,0 w7 '•' 14/20 #1b1b1bff\n"
            "text 40,0 w360 'one' 14/20 #1b1b1bff\n"
            "text 25,20 w7 '•' 14/20 #1b1b1bff\n"
            "text 40,20 w360 'two' 14/20 #1b1b1bff\n"
            "text 65,40 w7 '◦' 14/20 #1b1b1bff\n"
            "text 80,40 w320 'in' 14/20 #1b1b1bff\n"
            "text 18,60 w14 '3.' 14/20 #1b1b1bff\n"
            "text 40,60 w360 'three' 14/20 #1b1b1bff\n"
            "text 18,80 w14 '4.' 14/20 #1b1b1bff\n"
            "text 40,80 w360 'four' 14/20 #1b1b1bff\n");
}

static void blocks_keep_their_distance(void **state) {
    struct world *w = *state;
    assert_string_equal(shown(w, "> q\n\nafter\n\n---\n\n```\na\n  b\n```", CV_HINT_BODY),
            "box 24,16 3x20 r1.5 #1b1b1b33\n"
            "text 40,16 w320 'q' 14/20 #1b1b1bff\n"
            "text 0,52 w400 'after' 14/20 #1b1b1bff\n"
            "box 0,80 400x1 #ccccccff\n"
            "box 0,87 400x46 r6 #1b1b1b12\n"
            "text 12,95 w376 'a\\n  b' 13/15 #1b1b1bff\n");
}

static void tables_have_columns(void **state) {
    struct world *w = *state;
    assert_string_equal(shown(w, "| a | bb |\n|---|---:|\n| 1 | 2 |", CV_HINT_BODY),
            "box 0,4 61x29 r4 #1b1b1b12\n"
            "text 10,8 w7 'a' 14/20 700 #1b1b1bff\n"
            "text 37,8 w14 'bb' 14/20 700 end #1b1b1bff\n"
            "box 0,32 61x1 #ccccccff\n"
            "text 10,37 w7 '1' 14/20 #1b1b1bff\n"
            "text 37,37 w14 '2' 14/20 end #1b1b1bff\n"
            "box 0,61 61x1 #ccccccff\n");
}

static void nothing_is_lost(void **state) {
    struct world *w = *state;
    static const struct {
        const char *source, *plain;
    } rows[] = {
        { "x <b>raw</b> <script>y</script>", "x <b>raw</b> <script>y</script>" },
        { "<div>\nhtml block\n</div>", "<div> html block </div>" },
        { "![a picture](https://e.x/p.png)", "a picture" },
        { "![](p.png)", "p.png" },
        { "[x](javascript:alert)", "x (javascript:alert)" },
        { "https://bare.example is text", "https://bare.example is text" },
        { "5 < 6 & 7 > 3", "5 < 6 & 7 > 3" },
        { "1986\\. A year", "1986. A year" },
        { "-", "" },
        { "", "" },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        assert_string_equal(parse(w, rows[i].source, CV_HINT_BODY)->plain, rows[i].plain);
    }
}

static void links_can_be_hit(void **state) {
    struct world *w = *state;
    struct cv_rich *r = parse(w, "see [this *one*](https://e.x/a) ok", CV_HINT_BODY);
    assert_string_equal(cv_rich_link_at(r, 400, 30, 10), "https://e.x/a");
    assert_string_equal(cv_rich_link_at(r, 400, 80, 10), "https://e.x/a");
    assert_null(cv_rich_link_at(r, 400, 3, 10));
    assert_null(cv_rich_link_at(r, 400, 100, 10));
    assert_null(cv_rich_link_at(r, 400, 30, 30));
    assert_null(parse(w, "[x](javascript:alert)", CV_HINT_BODY)->first->links);
}

/* Sources that some parsers take seconds or a deep stack for. */
static void hostile_sources_end(void **state) {
    struct world *w = *state;
    static const char *const parts[] = { "[", "> ", "- ", "*a ", "![", "`", "<", "|", "~~", "\\",
        "[a](", "_*" };
    for (size_t i = 0; i < OC_COUNT(parts); i++) {
        struct oc_buf source = OC_BUF_INIT(1 << 20);
        for (size_t n = 0; n < 8000; n++) {
            (void)oc_buf_puts(&source, parts[i]);
        }
        struct cv_rich *r = parse(w, source.data, CV_HINT_BODY);
        assert_true(cv_rich_height(r, 300) >= 0);
        oc_buf_finish(&source);
    }
}

static size_t blocks_of(const struct cv_rich *r) {
    size_t n = 0;
    for (const struct cv_rich_block *b = r->first; b; b = b->next) {
        n++;
    }
    return n;
}

/* What takes cmark minutes is shown as it is. */
static void sources_that_keep_the_parser_busy_are_shown_as_they_are(void **state) {
    struct world *w = *state;
    static const struct {
        const char *first;
        size_t times;
        const char *then, *rest;
        size_t more;
    } cases[] = {
        { "- ", 8000, "a\n", "\n", 60000 },        /* lists that all wait for the end */
        { "> ", 3000, "a\n", ">\n", 9000 },        /* quotes */
        { "1. ", 5000, "a\n", "\n", 60000 },       /* numbers */
        { "|a", 5400, "|\n", "|-", 5400 },         /* columns: each row walks all cells before */
        { "|a", 200, "|\n|-|-|\n", "x\n", 60000 }, /* rows that are filled up */
        { "x\n\n", 100000, "", "", 0 },            /* a tree of its own for every paragraph */
        { "&", 100000, "\n", "", 0 },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        OC_AUTO_BUF struct oc_buf source = OC_BUF_INIT(1 << 21);
        for (size_t n = 0; n < cases[i].times; n++) {
            (void)oc_buf_puts(&source, cases[i].first);
        }
        (void)oc_buf_puts(&source, cases[i].then);
        for (size_t n = 0; n < cases[i].more; n++) {
            (void)oc_buf_puts(&source, cases[i].rest);
        }
        (void)oc_buf_puts(&source, "b\n\n# End");
        struct cv_rich *r = parse(w, source.data, CV_HINT_BODY);
        assert_true(blocks_of(r) < 1000);
        assert_non_null(strstr(r->plain, "# End"));
        assert_int_equal(w->budget.work, CV_MAX_PARSING);
    }
}

static void ordinary_sources_are_not_taken_for_such(void **state) {
    struct world *w = *state;
    OC_AUTO_BUF struct oc_buf source = OC_BUF_INIT(1 << 21);
    for (size_t n = 0; n < 100; n++) {
        (void)oc_buf_puts(&source, "- one\n  - two\n    - *three*\n\n> four\n\n"
                                   "| a | b |\n|---|---|\n| `c` | [d](https://e) |\n\n"
                                   "--------------------------------------------------\n\n"
                                   "```\n                        if (a || b) {\n```\n\n");
    }
    assert_int_equal(blocks_of(parse(w, source.data, CV_HINT_BODY)), 100 * 7);
    assert_true(w->budget.work > CV_MAX_PARSING * 9 / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(inline_marks_become_spans, setup, teardown),
        cmocka_unit_test_setup_teardown(the_hint_makes_the_first_line_a_heading, setup, teardown),
        cmocka_unit_test_setup_teardown(lists_are_indented, setup, teardown),
        cmocka_unit_test_setup_teardown(blocks_keep_their_distance, setup, teardown),
        cmocka_unit_test_setup_teardown(tables_have_columns, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_is_lost, setup, teardown),
        cmocka_unit_test_setup_teardown(links_can_be_hit, setup, teardown),
        cmocka_unit_test_setup_teardown(hostile_sources_end, setup, teardown),
        cmocka_unit_test_setup_teardown(
                sources_that_keep_the_parser_busy_are_shown_as_they_are, setup, teardown),
        cmocka_unit_test_setup_teardown(ordinary_sources_are_not_taken_for_such, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
