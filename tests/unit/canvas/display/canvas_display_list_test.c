#include "tests/unit/unit.h"

#include "canvas/display/display_list.h"
#include "lib/base/mem.h"

#include <string.h>

static struct cv_text *text_of(struct cv_texts *t, const char *s) {
    struct cv_text_style style = {
        .family = "x", .size_px = 14, .line_px = 20, .weight = 400, .color = 0x112233ff
    };
    return cv_text_get(t, (struct oc_slice){ s, strlen(s) }, &style);
}

static void ops_print_one_a_line(void **state) {
    (void)state;
    struct cv_texts *t = cv_texts_create();
    struct cv_display_list *dl = cv_dl_create();
    cv_dl_clip(dl, (struct cv_rect){ 0, 0, 480, 300 }, 0);
    cv_dl_box(dl, (struct cv_rect){ 16, 16, 69.3333, 38 }, 8, 0xffffffff, 0x8487eaff, 1);
    cv_dl_shadow(dl, (struct cv_rect){ 1, 2, 3, 4 }, 5, 6, 0x00000059);
    cv_dl_text(dl, 28, 24.5, 424, text_of(t, "It's\nhere"));
    cv_dl_icon(dl, (struct cv_rect){ 1, -0.001, 24, 24 }, "send", 0x1b1b1bff);
    cv_dl_unclip(dl);
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(4096);
    assert_int_equal(cv_dl_print(&out, dl), OC_OK);
    assert_string_equal(out.data, "clip 0,0 480x300\n"
                                  "box 16,16 69.33x38 r8 #ffffffff border 1 #8487eaff\n"
                                  "shadow 1,2 3x4 r5 blur 6 #00000059\n"
                                  "text 28,24.5 w424 'It\\'s\\nhere' 14/20 #112233ff\n"
                                  "icon 1,0 24x24 send #1b1b1bff\n"
                                  "unclip\n");
    cv_dl_destroy(dl);
    cv_texts_destroy(t);
}

/* A page of n rows, 20 px each; row `odd` (or none) says something else, and `extra` stands before
 * row `at`. */
static void page(struct cv_display_list *dl, struct cv_texts *t, size_t n, size_t odd, size_t at) {
    cv_dl_clear(dl);
    double y = 0;
    for (size_t i = 0; i < n; i++) {
        char s[32];
        snprintf(s, sizeof(s), i == odd ? "odd %zu" : "row %zu", i);
        if (i == at) {
            cv_dl_box(dl, (struct cv_rect){ 200, y, 10, 10 }, 0, 0xff0000ff, 0, 0);
        }
        cv_dl_text(dl, 0, y, 100, text_of(t, s));
        y += 20;
    }
}

static void damage_is_what_changed(void **state) {
    (void)state;
    struct cv_texts *t = cv_texts_create();
    struct cv_display_list *a = cv_dl_create(), *b = cv_dl_create();
    struct cv_rect r[4];
    page(a, t, 50, SIZE_MAX, SIZE_MAX);
    page(b, t, 50, SIZE_MAX, SIZE_MAX);
    assert_int_equal(cv_dl_damage(a, b, r, 4), 0);
    page(b, t, 50, 10, SIZE_MAX);
    assert_int_equal(cv_dl_damage(a, b, r, 4), 1);
    assert_true(r[0].y <= 200 && r[0].y > 180 && r[0].y + r[0].h >= 220 && r[0].y + r[0].h < 240);
    page(b, t, 50, 40, 3); /* one more op, and a text far below it */
    assert_int_equal(cv_dl_damage(a, b, r, 4), 2);
    assert_true(r[0].x == 200 && r[0].h == 10);
    assert_true(r[1].y > 780 && r[1].h < 40);
    assert_int_equal(cv_dl_damage(b, a, r, 4), 2); /* gone again */
    assert_int_equal(cv_dl_damage(a, b, r, 1), 1); /* one rectangle around both */
    assert_true(r[0].y <= 60 && r[0].y + r[0].h >= 820);
    cv_dl_clear(b);
    assert_int_equal(cv_dl_damage(a, b, r, 4), 1); /* everything is gone */
    cv_dl_destroy(a);
    cv_dl_destroy(b);
    cv_texts_destroy(t);
}

static void clips_bound_damage_and_count(void **state) {
    (void)state;
    struct cv_display_list *a = cv_dl_create(), *b = cv_dl_create();
    struct cv_display_list *both[] = { a, b };
    for (size_t i = 0; i < 2; i++) {
        cv_dl_clip(both[i], (struct cv_rect){ 10, 10, 20, 20 }, 0);
        cv_dl_box(both[i], (struct cv_rect){ 0, 0, 100, 100 }, 0, i ? 0xff : 0xffff, 0, 0);
        cv_dl_unclip(both[i]);
    }
    struct cv_rect r[4];
    assert_int_equal(cv_dl_damage(a, b, r, 4), 1);
    assert_true(r[0].x == 10 && r[0].y == 10 && r[0].w == 20 && r[0].h == 20);
    /* The same box under another clip looks different. */
    cv_dl_clear(b);
    cv_dl_clip(b, (struct cv_rect){ 10, 10, 30, 20 }, 0);
    cv_dl_box(b, (struct cv_rect){ 0, 0, 100, 100 }, 0, 0xffff, 0, 0);
    cv_dl_unclip(b);
    assert_int_equal(cv_dl_damage(a, b, r, 4), 1);
    assert_true(r[0].w == 30);
    cv_dl_destroy(a);
    cv_dl_destroy(b);
}

/* A copy is compared after the texts of its origin are gone. */
static void a_copy_outlives_its_texts(void **state) {
    (void)state;
    struct cv_texts *t = cv_texts_create();
    struct cv_display_list *a = cv_dl_create(), *b = cv_dl_create();
    page(b, t, 5, 2, SIZE_MAX);
    cv_dl_copy(a, b);
    cv_texts_destroy(t);
    t = cv_texts_create();
    struct cv_rect r[4];
    page(b, t, 5, 2, SIZE_MAX);
    assert_int_equal(cv_dl_damage(a, b, r, 4), 0);
    page(b, t, 5, 3, SIZE_MAX);
    assert_int_equal(cv_dl_damage(a, b, r, 4), 1);
    cv_dl_destroy(a);
    cv_dl_destroy(b);
    cv_texts_destroy(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ops_print_one_a_line),
        cmocka_unit_test(damage_is_what_changed),
        cmocka_unit_test(clips_bound_damage_and_count),
        cmocka_unit_test(a_copy_outlives_its_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
