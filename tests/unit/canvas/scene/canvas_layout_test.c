/* Row, Column, List, Card, Divider and the page: where things end up. Page padding 16; column gap
 * 8, row gap 16. */
#include "tests/unit/canvas/canvas_world.h"

#include <math.h>

static int setup(void **state) {
    struct world *w = oc_new(struct world);
    world_init(w, 480, 0);
    *state = w;
    return 0;
}

static int teardown(void **state) {
    world_finish(*state);
    oc_free(*state);
    return 0;
}

static void column_stacks(void **state) {
    struct world *w = *state;
    world_show(w, C("root", "Column", KIDS("'a','b'")) "," T("a", "hello") "," T("b", "x"));
    BOX(w, "root", 16, 16, 448, 48);
    BOX(w, "a", 16, 16, 448, 20);
    BOX(w, "b", 16, 44, 448, 20);
    NEAR(w->scene.height, 16 + 48 + 16);
}

/* What is not there yet keeps a line free; data that says "nothing" takes none, but a heading keeps
 * its margin. */
static void empty_texts(void **state) {
    struct world *w = *state;
    world_show(w, C("root", "Column", KIDS("'a','b','c'")) "," C(
                          "a", "Text", "'text':{'path':'/a'}") "," C("b", "Text",
                          "'usageHint':'h1','text':{'path':'/b'}") "," T("c", "x"));
    BOX(w, "a", 16, 16, 448, 20);
    BOX(w, "b", 16, 44, 448, 32);
    BOX(w, "c", 16, 84, 448, 20);
    world_push(w, "{'dataModelUpdate':{'surfaceId':'main','contents':[{'key':'a','valueString':''},"
                  "{'key':'b','valueString':''}]}}");
    BOX(w, "a", 16, 16, 448, 0);
    BOX(w, "b", 16, 24, 448, 8);
    BOX(w, "c", 16, 40, 448, 20);
}

static void column_alignment(void **state) {
    struct world *w = *state;
    const char *how[] = { "start", "center", "end" };
    double x[] = { 16, 16 + (448 - 35) / 2.0, 16 + 448 - 35 };
    for (int i = 0; i < 3; i++) {
        OC_AUTO_FREE char *c =
                oc_strfmt(C("root", "Column", "'alignment':'%s'," KIDS("'a','d'")) "," T(
                                  "a", "hello") "," C("d", "Divider", ""),
                        how[i]);
        world_show(w, c);
        BOX(w, "a", x[i], 16, 35, 20);
        BOX(w, "d", 16, 44, 448, 17); /* a line fills whatever the alignment */
    }
    /* as wide as it needs, but not wider than the column unless a word is */
    world_show(
            w, C("root", "Column", "'alignment':'center'," KIDS("'a'")) "," T("a",
                       "a long text that needs two lines because it is wider than the column is"));
    BOX(w, "a", 16, 16, 448, 40);
}

static void row_is_as_wide_as_needed(void **state) {
    struct world *w = *state;
    world_show(w, C("root", "Row", KIDS("'a','b'")) "," T("a", "hello") "," T("b", "x"));
    BOX(w, "root", 16, 16, 448, 20);
    BOX(w, "a", 16, 16, 35, 20);
    BOX(w, "b", 16 + 35 + 16, 16, 7, 20);
}

static void row_weights(void **state) {
    struct world *w = *state;
    world_show(w, C("root", "Row", KIDS("'a','b','c'")) "," CW("a", "1", "Column", KIDS("")) "," CW(
                          "b", "2", "Column", KIDS("")) "," CW("c", "3", "Column",
                          KIDS("'t'")) "," T("t", "x"));
    BOX(w, "a", 16, 16, 69.33, 20);
    BOX(w, "b", 16 + 69.33 + 16, 16, 138.67, 20);
    BOX(w, "c", 16 + 240, 16, 208, 20);
}

static void row_distribution(void **state) {
    struct world *w = *state;
    const struct {
        const char *how;
        double a, b;
    } rows[] = { { "start", 0, 51 }, { "center", 195, 246 }, { "end", 390, 441 },
        { "spaceBetween", 0, 441 }, { "spaceAround", 97.5, 343.5 }, { "spaceEvenly", 130, 311 },
        { "nonsense", 0, 51 } };
    for (size_t i = 0; i < OC_COUNT(rows); i++) { /* 448 - 35 - 16 - 7 = 390 are free */
        OC_AUTO_FREE char *c =
                oc_strfmt(C("root", "Row", "'distribution':'%s'," KIDS("'a','b'")) "," T(
                                  "a", "hello") "," T("b", "x"),
                        rows[i].how);
        world_show(w, c);
        BOX(w, "a", 16 + rows[i].a, 16, 35, 20);
        BOX(w, "b", 16 + rows[i].b, 16, 7, 20);
    }
}

static void row_alignment(void **state) {
    struct world *w = *state;
    const struct {
        const char *how;
        double y, h;
    } rows[] = { { "start", 0, 20 }, { "center", 20, 20 }, { "end", 40, 20 },
        { "stretch", 0, 60 } };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        OC_AUTO_FREE char *c =
                oc_strfmt(C("root", "Row", "'alignment':'%s'," KIDS("'a','v','b'")) "," T("a",
                                  "hello") "," C("v", "Divider", "'axis':'vertical'") "," C("b",
                                  "Column", KIDS("'c','d'")) "," T("c", "x") "," C("d", "Card", ""),
                        rows[i].how);
        world_show(w, c); /* the column: 20 + 8 + 32 */
        BOX(w, "a", 16, 16 + rows[i].y, 35, rows[i].h);
        BOX(w, "v", 16 + 35 + 16, 16, 17, 60);
    }
}

static void row_shrinks_texts_to_their_longest_word(void **state) {
    struct world *w = *state;
    world_finish(w);
    world_init(w, 232, 0); /* 200 inside */
    world_show(w, C("root", "Row", KIDS("'a','b'")) "," T("a", "aaaa bbbb cccc dddd") "," T(
                          "b", "unbreakably-long"));
    /* 133 + 16 + 112 is 61 too much; b cannot give */
    BOX(w, "b", 16 + 72 + 16, 16, 112, 40);
    BOX(w, "a", 16, 16, 72, 40);
}

/* Where CSS would let it hang out, and would leave nothing to what may vanish. */
static void row_breaks_words_that_cannot_fit(void **state) {
    struct world *w = *state;
    world_finish(w);
    world_init(w, 232, 0); /* 200 inside */
    world_show(w, C("root", "Row", KIDS("'a','b'")) "," T("a", "a") "," C("b", "Column",
                          KIDS("'t'")) "," T("t", "https://example.org/a-very-long-address"));
    BOX(w, "a", 16, 16, 7, 40);
    BOX(w, "b", 16 + 7 + 16, 16, 177, 40);
    world_show(w, C("root", "Row", KIDS("'c','t'")) "," C("c", "Card", "'child':'d'") "," T(
                          "d", "a card"));
    assert_true(world_item(w, "c")->w > 20);
    NEAR(world_item(w, "c")->w + 16 + world_item(w, "t")->w, 200);
    world_show(w, C("root", "Column", "'alignment':'center'," KIDS("'t'")));
    BOX(w, "t", 16, 16, 200, 40);
}

static void a_card_gives_everything(void **state) {
    struct world *w = *state;
    world_finish(w);
    world_init(w, 146, 0); /* 114 inside */
    world_show(w, C("root", "Row", KIDS("'a','b'")) "," C("a", "Card", "'child':'t'") "," T(
                          "t", "aaaa bbbb cccc dddd") "," T("b", "fourteen-chars"));
    BOX(w, "a", 16, 16, 0, 20 * 4 + 32); /* a word a line, as in a browser */
    BOX(w, "b", 32, 16, 98, 20 * 4 + 32);
    assert_true(world_item(w, "a")->clips);
}

static void column_in_a_row_uses_its_height(void **state) {
    struct world *w = *state;
    const char *tall = T("x", "one") "," C("tall", "Column", KIDS("'x1','x2','x3','x4'")) "," T(
            "x1", "a") "," T("x2", "a") "," T("x3", "a") "," T("x4", "a"); /* 104 high */
    OC_AUTO_FREE char *c = oc_strfmt("%s," C("root", "Row", KIDS("'tall','col'")) "," C(
                                             "col", "Column", "'distribution':'end'," KIDS("'x'")),
            tall);
    world_show(w, c);
    BOX(w, "col", 16 + 7 + 16, 16, 21, 104);
    BOX(w, "x", 16 + 7 + 16, 16 + 84, 21, 20);
    OC_AUTO_FREE char *d = oc_strfmt("%s," C("root", "Row", KIDS("'tall','col'")) "," C(
                                             "col", "Column", KIDS("'x','y','z'")) "," CW("y", "1",
                                             "Column", KIDS("")) "," CW("z", "3", "Card", ""),
            tall);
    world_show(w, d); /* 104 - 20 - 2*8 = 68: 17 and 51 */
    BOX(w, "y", 16 + 7 + 16, 16 + 28, 32, 17);
    BOX(w, "z", 16 + 7 + 16, 16 + 28 + 17 + 8, 32, 51);
    /* a column that is as high as its content ignores weights */
    world_show(w, C("root", "Column", KIDS("'x','y','z'")));
    BOX(w, "y", 16, 44, 448, 0);
    BOX(w, "z", 16, 52, 448, 32);
}

static void card_pads_and_fills(void **state) {
    struct world *w = *state;
    world_show(w, C("root", "Card", "'child':'a'") "," T("a", "hello"));
    BOX(w, "root", 16, 16, 448, 52);
    BOX(w, "a", 32, 32, 416, 20);
    world_show(w, C("root", "Card", "'children':['a','b']") "," T("b", "x"));
    BOX(w, "root", 16, 16, 448, 80);
    BOX(w, "b", 32, 60, 416, 20);
    world_show(w, C("root", "Card", "'child':'nobody'"));
    BOX(w, "root", 16, 16, 448, 32);
    world_show(w, C("root", "Row", KIDS("'c','x'")) "," C("c", "Card", "'child':'a'") "," C("x",
                          "Column", KIDS("'k','l'")) "," C("k", "Card", "") "," C("l", "Card", ""));
    BOX(w, "c", 16, 16, 35 + 32, 72);
    BOX(w, "a", 32, 32, 35, 40);
    assert_false(world_item(w, "c")->clips);
}

static void list_vertical(void **state) {
    struct world *w = *state;
    world_show(w, C("root", "List", KIDS("'a','b'")) "," T("a", "hello") "," T("b", "x"));
    BOX(w, "root", 16, 16, 448, 8 + 20 + 16 + 20 + 8);
    BOX(w, "a", 24, 24, 432, 20);
    BOX(w, "b", 24, 60, 432, 20);
    world_show(w, C("root", "List", "'alignment':'end'," KIDS("'a','b'")));
    BOX(w, "a", 24 + 432 - 35, 24, 35, 20);
    world_show(w, C("root", "List", "'alignment':'center'," KIDS("'a','b'")));
    BOX(w, "b", 24 + (432 - 7) / 2.0, 60, 7, 20);
}

static void list_horizontal(void **state) {
    struct world *w = *state;
    /* few: they grow */
    world_show(w, C("root", "List", "'direction':'horizontal'," KIDS("'a','b'")) "," T(
                          "a", "hello") "," T("b", "x"));
    BOX(w, "root", 16, 16, 448, 36);
    BOX(w, "a", 24, 24, 35 + (432 - 16 - 42) / 2.0, 20);
    BOX(w, "b", 24 + 222 + 16, 24, 7 + 187, 20);
    assert_false(world_item(w, "root")->clips);
    /* one alone: at most 80 % */
    world_show(w, C("root", "List", "'direction':'horizontal'," KIDS("'a'")));
    BOX(w, "a", 24, 24, 0.8 * 432, 20);
    /* many: they keep their width and scroll */
    const char *wide = "twenty-one-characters";
    OC_AUTO_FREE char *c = oc_strfmt(C("root", "List",
                                             "'direction':'horizontal','alignment':'center'," KIDS(
                                                     "'a','b','c','d'")) "," T("a", "%s") "," T("b",
                                             "%s") "," T("c", "%s") "," C("d", "Card", ""),
            wide, wide, wide);
    world_show(w, c); /* 3 × 147 + 32 + 3 × 16 + 16 padding = 537 */
    struct cv_item *root = world_item(w, "root");
    BOX(w, "b", 24 + 147 + 16, 24 + 6, 147, 20);
    assert_true(root->clips);
    NEAR(root->over_x, 537 - 448);
    NEAR(root->over_y, 0);
    assert_true(cv_input_scroll(&w->input, 100, 30, 50, 0));
    world_scene(w);
    BOX(w, "b", 24 + 147 + 16 - 50, 30, 147, 20);
    assert_true(cv_input_scroll(&w->input, 100, 30, 500, 0));
    world_scene(w);
    NEAR(world_item(w, "root")->at_x, 89);
    assert_false(cv_input_scroll(&w->input, 100, 30, 5, 0)); /* at its end: not taken */
}

static void divider(void **state) {
    struct world *w = *state;
    world_show(w,
            C("root", "Column", KIDS("'a','d','v','b'")) "," T("a", "hello") "," C("d", "Divider",
                    "") "," CW("v", "3", "Divider", "'axis':'vertical'") "," T("b", "x"));
    BOX(w, "d", 16, 44, 448, 17);
    BOX(w, "v", 16, 69, 448, 17);                             /* cannot stand upright here */
    world_show(w, C("root", "Row", KIDS("'a','d','v','b'"))); /* weights of dividers do not count */
    BOX(w, "d", 16 + 35 + 16, 16, 0, 20);
    BOX(w, "v", 16 + 35 + 32, 16, 17, 20);
    BOX(w, "b", 16 + 35 + 32 + 17 + 16, 16, 7, 20);
}

static void surfaces_are_stacked(void **state) {
    struct world *w = *state;
    world_push(w,
            "{'dataModelUpdate':{'surfaceId':'one','contents':[]}}\n"
            "{'surfaceUpdate':{'surfaceId':'two','components':[" T("t",
                    "x") "]}}\n"
                         "{'beginRendering':{'surfaceId':'two','root':'t'}}\n"
                         "{'surfaceUpdate':{'surfaceId':'one','components':[" T("o",
                                 "x") "]}}\n"
                                      "{'surfaceUpdate':{'surfaceId':'hidden','components':[" T(
                                              "h", "x") "]}}\n");
    BOX(w, "t", 16, 16, 448, 20);
    world_push(w, "{'beginRendering':{'surfaceId':'one','root':'o'}}");
    BOX(w, "o", 16, 16, 448, 20); /* first mentioned */
    BOX(w, "t", 16, 16 + 20 + w->scene.theme->surface_gap, 448, 20);
    assert_null(cv_scene_find(&w->scene, NULL, "h"));
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(100000);
    assert_int_equal(cv_scene_print(&out, &w->scene), OC_OK);
    assert_string_equal(out.data,
            "{\"surfaces\":[{\"id\":\"one\",\"items\":[{\"type\":\"Text\",\"id\":\"o\",\"depth\":0,"
            "\"text\":\"x\","
            "\"x\":16,\"y\":16,\"w\":448,\"h\":20}]},"
            "{\"id\":\"two\",\"items\":[{\"type\":\"Text\",\"id\":\"t\",\"depth\":0,\"text\":\"x\","
            "\"x\":16,\"y\":52,\"w\":448,\"h\":20}]}],\"diagnostics\":[]}");
}

static void nothing_wanted(void *user, const char *url) {
    (void)url;
    ++*(int *)user;
}

static void logo_above_the_surface(void **state) {
    struct world *w = *state;
    int wanted = 0;
    struct cv_images *images = cv_images_create(nothing_wanted, &wanted);
    w->scene.images = images;
    world_push(w, "{'surfaceUpdate':{'surfaceId':'main','components':[" T(
                          "a", "x") "]}}\n"
                                    "{'beginRendering':{'surfaceId':'main','root':'a','styles':{'"
                                    "logoUrl':'https://x/l.png'}}}");
    BOX(w, "a", 16, 16, 448, 20);
    assert_int_equal(wanted, 1);
    cv_images_bring(images, "https://x/l.png", "640x400", 7, NULL);
    world_scene(w);
    BOX(w, "a", 16, 16 + 137.5 + 16, 448, 20);
    struct cv_display_list *dl = cv_dl_create();
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(1000);
    cv_scene_paint(&w->scene, dl);
    assert_int_equal(cv_dl_print(&out, dl), OC_OK);
    assert_non_null(strstr(out.data, "image 130,16 220x137.5"));
    cv_dl_destroy(dl);
    w->scene.images = NULL;
    cv_images_destroy(images);
}

static void page_scrolls(void **state) {
    struct world *w = *state;
    world_finish(w);
    world_init(w, 480, 100);
    OC_AUTO_BUF struct oc_buf ids = OC_BUF_INIT(100000), all = OC_BUF_INIT(1000000);
    for (int i = 0; i < 50; i++) {
        oc_buf_printf(&ids, "%s't%d'", i ? "," : "", i);
        oc_buf_printf(&all, "," T("t%d", "x"), i);
    }
    OC_AUTO_FREE char *c = oc_strfmt(C("root", "Column", KIDS("%s")) "%s", ids.data, all.data);
    world_show(w, c);
    NEAR(w->scene.height, 32 + 50 * 28 - 8);
    struct cv_display_list *dl = cv_dl_create();
    cv_scene_paint(&w->scene, dl);
    size_t shown = cv_dl_count(dl);
    assert_true(shown > 3 && shown < 10); /* what is far outside is not drawn */
    assert_string_equal(cv_scene_hit(&w->scene, 20, 50)->id, "t1");
    w->scene.scroll_y = 1e9;
    world_scene(w);
    NEAR(w->scene.scroll_y, w->scene.height - 100);
    BOX(w, "t49", 16, 100 - 16 - 20, 448, 20);
    assert_string_equal(cv_scene_hit(&w->scene, 20, 70)->id, "t49");
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(1000000);
    assert_int_equal(cv_scene_print(&out, &w->scene), OC_OK);
    assert_non_null(
            strstr(out.data, "\"id\":\"t0\",\"depth\":1,\"text\":\"x\",\"x\":16,\"y\":16,"));
    cv_dl_destroy(dl);
}

static void twenty_thousand(void **state) {
    struct world *w = *state;
    OC_AUTO_BUF struct oc_buf list = OC_BUF_INIT(4000000);
    oc_buf_puts(&list,
            "{'dataModelUpdate':{'surfaceId':'main','contents':[{'key':'rows','valueString':'[");
    for (int i = 0; i < 19000; i++) {
        oc_buf_puts(&list, i ? ",1" : "1");
    }
    oc_buf_puts(&list, "]'}]}}");
    world_push(w, list.data);
    world_show(w,
            C("root", "Row",
                    "'children':{'template':{'componentId':'x','dataBinding':'/rows'}}") "," T("x",
                    "x"));
    assert_int_equal(w->scene.count, 19001);
    NEAR(world_item(w, "x:18999")->x, 16 + 18999.0 * 23);
    world_show(w, C("root", "Column",
                          "'children':{'template':{'componentId':'x','dataBinding':'/rows'}}"));
    NEAR(world_item(w, "root")->h, 19000.0 * 28 - 8);
}

static void deep(void **state) {
    struct world *w = *state;
    OC_AUTO_BUF struct oc_buf all = OC_BUF_INIT(1000000);
    oc_buf_puts(&all, C("root", "Column", KIDS("'c0'")));
    for (int i = 0; i < 400; i++) {
        oc_buf_printf(&all, "," C("c%d", "Card", "'child':'c%d'"), i, i + 1);
    }
    world_show(w, all.data);
    assert_int_equal(w->scene.count, CV_MAX_DEPTH);
    assert_true(w->diags.count > 0);
    struct cv_display_list *dl = cv_dl_create();
    cv_scene_paint(&w->scene, dl);
    assert_true(cv_dl_count(dl) > 10);
    cv_dl_destroy(dl);
}

static void odd_numbers(void **state) {
    struct world *w = *state;
    world_show(w, C("root", "Row", KIDS("'a','b','c','d'")) "," CW("a", "1e308", "Text", "") "," CW(
                          "b", "1e-300", "Column", KIDS("")) "," CW("c", "-5", "Card",
                          "") "," CW("d", "'x'", "Card", ""));
    for (unsigned i = 0; i < w->scene.count; i++) {
        const struct cv_item *it = &w->scene.items[i];
        assert_true(isfinite(it->x) && isfinite(it->y) && it->w >= 0 && it->w <= 1e7 && it->h >= 0);
    }
    const double sizes[] = { -5, 0, 1, 20, 1e12, INFINITY, NAN };
    for (size_t i = 0; i < OC_COUNT(sizes); i++) {
        w->scene.width = sizes[i];
        w->scene.view_height = sizes[OC_COUNT(sizes) - 1 - i];
        world_scene(w);
        assert_true(w->scene.width >= 1 && w->scene.width <= CV_MAX_SIDE);
        assert_true(isfinite(w->scene.height) && isfinite(world_item(w, "a")->w));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(column_stacks, setup, teardown),
        cmocka_unit_test_setup_teardown(empty_texts, setup, teardown),
        cmocka_unit_test_setup_teardown(column_alignment, setup, teardown),
        cmocka_unit_test_setup_teardown(row_is_as_wide_as_needed, setup, teardown),
        cmocka_unit_test_setup_teardown(row_weights, setup, teardown),
        cmocka_unit_test_setup_teardown(row_distribution, setup, teardown),
        cmocka_unit_test_setup_teardown(row_alignment, setup, teardown),
        cmocka_unit_test_setup_teardown(row_shrinks_texts_to_their_longest_word, setup, teardown),
        cmocka_unit_test_setup_teardown(row_breaks_words_that_cannot_fit, setup, teardown),
        cmocka_unit_test_setup_teardown(a_card_gives_everything, setup, teardown),
        cmocka_unit_test_setup_teardown(column_in_a_row_uses_its_height, setup, teardown),
        cmocka_unit_test_setup_teardown(card_pads_and_fills, setup, teardown),
        cmocka_unit_test_setup_teardown(list_vertical, setup, teardown),
        cmocka_unit_test_setup_teardown(list_horizontal, setup, teardown),
        cmocka_unit_test_setup_teardown(divider, setup, teardown),
        cmocka_unit_test_setup_teardown(surfaces_are_stacked, setup, teardown),
        cmocka_unit_test_setup_teardown(logo_above_the_surface, setup, teardown),
        cmocka_unit_test_setup_teardown(page_scrolls, setup, teardown),
        cmocka_unit_test_setup_teardown(twenty_thousand, setup, teardown),
        cmocka_unit_test_setup_teardown(deep, setup, teardown),
        cmocka_unit_test_setup_teardown(odd_numbers, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
