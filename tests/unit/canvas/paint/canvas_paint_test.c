/* Display lists to pixels, pixels to pictures. */
#include "tests/unit/unit.h"

#include "canvas/paint/encode.h"
#include "canvas/paint/paint.h"
#include "canvas/paint/pixels.h"
#include "lib/base/mem.h"

#include <cairo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct cv_display_list *dl;
static struct cv_pixels *pixels;
static struct cv_texts *texts;

static int setup(void **state) {
    (void)state;
    dl = cv_dl_create();
    pixels = cv_pixels_create();
    texts = cv_texts_create();
    return 0;
}

static int teardown(void **state) {
    (void)state;
    cv_dl_destroy(dl);
    cv_pixels_destroy(pixels);
    cv_texts_destroy(texts);
    return 0;
}

static void paint(double w, double h, double scale) {
    assert_int_equal(cv_pixels_paint(pixels, dl, w, h, scale, 0xffffffff, NULL), OC_OK);
}

struct reading {
    const struct oc_buf *from;
    size_t at;
};

static cairo_status_t read_some(void *user, unsigned char *to, unsigned len) {
    struct reading *r = user;
    if (r->from->len - r->at < len) {
        return CAIRO_STATUS_READ_ERROR;
    }
    memcpy(to, r->from->data + r->at, len);
    r->at += len;
    return CAIRO_STATUS_SUCCESS;
}

/* Our PNG read by another library: 0xRRGGBB of a pixel. */
static uint32_t pixel(unsigned x, unsigned y) {
    OC_AUTO_BUF struct oc_buf png = OC_BUF_INIT(1 << 24);
    assert_int_equal(cv_pixels_encode(pixels, CV_PICTURE_PNG, 0, 0, &png, NULL), OC_OK);
    struct reading r = { &png, 0 };
    cairo_surface_t *s = cairo_image_surface_create_from_png_stream(read_some, &r);
    assert_int_equal(cairo_surface_status(s), CAIRO_STATUS_SUCCESS);
    assert_true((int)x < cairo_image_surface_get_width(s) &&
                (int)y < cairo_image_surface_get_height(s));
    size_t stride = (size_t)cairo_image_surface_get_stride(s);
    uint32_t p;
    memcpy(&p, cairo_image_surface_get_data(s) + y * stride + (size_t)x * 4, 4);
    cairo_surface_destroy(s);
    return p & 0xffffff;
}

static void box(double x, double y, double w, double h, cv_color c) {
    cv_dl_box(dl, (struct cv_rect){ x, y, w, h }, 0, c, 0, 0);
}

static void boxes_are_where_they_should_be(void **state) {
    (void)state;
    box(10.4, 10.4, 20, 20, 0x336699ff); /* snapped to 10…30 */
    cv_dl_box(dl, (struct cv_rect){ 50, 10, 20, 20 }, 0, 0x00ff00ff, 0xff0000ff, 2);
    paint(100, 60, 1);
    assert_int_equal(pixel(9, 15), 0xffffff);
    assert_int_equal(pixel(10, 10), 0x336699);
    assert_int_equal(pixel(29, 29), 0x336699);
    assert_int_equal(pixel(30, 15), 0xffffff);
    assert_int_equal(pixel(51, 15), 0xff0000);
    assert_int_equal(pixel(52, 15), 0x00ff00);
    paint(100, 60, 2);
    assert_int_equal(pixel(20, 21), 0xffffff); /* 20.8 is 21 there */
    assert_int_equal(pixel(21, 21), 0x336699);
    assert_int_equal(pixel(199, 119), 0xffffff);
}

static void gradients_clips_and_rounding(void **state) {
    (void)state;
    cv_dl_add(dl, &(struct cv_dl_op){ .kind = CV_DL_BOX,
                          .rect = { 0, 0, 10, 100 },
                          .fill = 0x000000ff,
                          .fill_to = 0xff0000ff,
                          .angle = 180 });
    cv_dl_clip(dl, (struct cv_rect){ 20, 20, 10, 10 }, 0);
    box(0, 0, 100, 100, 0x0000ffff);
    cv_dl_unclip(dl);
    cv_dl_box(dl, (struct cv_rect){ 50, 50, 40, 40 }, 20, 0x112233ff, 0, 0);
    paint(100, 100, 1);
    assert_true(pixel(5, 0) >> 16 < 8 && pixel(5, 99) >> 16 > 247);
    assert_int_equal(pixel(19, 25), 0xffffff);
    assert_int_equal(pixel(25, 25), 0x0000ff);
    assert_int_equal(pixel(30, 25), 0xffffff);
    assert_int_equal(pixel(51, 51), 0xffffff); /* outside of the round corner */
    assert_int_equal(pixel(70, 70), 0x112233);
}

static void only_damage_is_painted(void **state) {
    (void)state;
    box(10, 10, 20, 20, 0x336699ff);
    box(200, 200, 20, 20, 0x336699ff);
    paint(300, 300, 1);
    assert_int_equal(cv_pixels_painted(pixels), 300 * 300);
    paint(300, 300, 1);
    assert_int_equal(cv_pixels_painted(pixels), 0);
    cv_dl_clear(dl);
    box(10, 10, 20, 20, 0x336699ff);
    box(200, 200, 20, 20, 0xff0000ff);
    paint(300, 300, 1);
    assert_int_equal(cv_pixels_painted(pixels), 400);
    assert_int_equal(pixel(210, 210), 0xff0000);
    assert_int_equal(pixel(15, 15), 0x336699);
    cv_dl_clear(dl);
    paint(300, 300, 1);
    assert_int_equal(pixel(15, 15), 0xffffff); /* gone, and the page is seen again */
}

/* Painting in parts must give the very pixels of painting at once: text, shadows and glow across
 * the damage's rim. */
static void parts_are_like_the_whole(void **state) {
    (void)state;
    struct cv_text_style style = { .family = "Liberation Sans",
        .size_px = 24,
        .line_px = 32,
        .weight = 400,
        .color = 0x1b1b1bff };
    struct cv_pixels *whole = cv_pixels_create();
    for (int i = 0; i < 3; i++) {
        cv_dl_clear(dl);
        cv_dl_glow(dl, (struct cv_rect){ 0, 0, 300, 200 }, cv_theme_find("openclaw"));
        cv_dl_shadow(dl, (struct cv_rect){ 40, 40, 200, 90 }, 14, 30, 0x00000059);
        cv_dl_box(dl, (struct cv_rect){ 40, 40, 200, 90 }, 14, 0xffffff80, 0x333333ff, 1);
        cv_dl_text(dl, 50, 50, 180, cv_text_get(texts, SLICE("Wrapped words over lines"), &style));
        cv_dl_icon(dl, (struct cv_rect){ 200, 90, 24, 24 }, "settings", 0x1b1b1bff);
        cv_dl_box(dl, (struct cv_rect){ 60 + 20 * i, 60, 31, 33 }, 8, 0x22c55e99, 0, 0);
        paint(300, 200, 1.5);
    }
    assert_true(cv_pixels_painted(pixels) < 450 * 300 / 4);
    OC_AUTO_BUF struct oc_buf a = OC_BUF_INIT(1 << 24), b = OC_BUF_INIT(1 << 24);
    assert_int_equal(cv_pixels_paint(whole, dl, 300, 200, 1.5, 0xffffffff, NULL), OC_OK);
    assert_int_equal(cv_pixels_encode(pixels, CV_PICTURE_PNG, 0, 0, &a, NULL), OC_OK);
    assert_int_equal(cv_pixels_encode(whole, CV_PICTURE_PNG, 0, 0, &b, NULL), OC_OK);
    assert_int_equal(a.len, b.len);
    assert_memory_equal(a.data, b.data, a.len);
    cv_pixels_destroy(whole);
}

/* A picture that is made in strips is the one that is made at once. */
static void strips_are_like_the_whole(void **state) {
    (void)state;
    struct cv_text_style style = { .family = "Liberation Sans",
        .size_px = 24,
        .line_px = 32,
        .weight = 400,
        .color = 0x1b1b1bff };
    cv_dl_glow(dl, (struct cv_rect){ 0, 0, 500, 3000 }, cv_theme_find("openclaw"));
    for (int i = 0; i < 60; i++) {
        cv_dl_shadow(dl, (struct cv_rect){ 40, 50 * i, 200, 40 }, 14, 30, 0x00000059);
        cv_dl_text(dl, 50, 50 * i + 3, 300, cv_text_get(texts, SLICE("Words over a rim"), &style));
    }
    paint(500, 3000, 1);
    OC_AUTO_BUF struct oc_buf a = OC_BUF_INIT(1 << 24), b = OC_BUF_INIT(1 << 24);
    assert_int_equal(cv_pixels_encode(pixels, CV_PICTURE_PNG, 0, 0, &a, NULL), OC_OK);
    assert_int_equal(cv_pixels_stream(pixels, dl, 500, 3000, 1, 0xffffffff, &b, NULL), OC_OK);
    assert_int_equal(a.len, b.len);
    assert_memory_equal(a.data, b.data, a.len);
}

/* Noise, runs, and repetitions, at many widths: what is read is what was painted. */
static void png_keeps_every_pixel(void **state) {
    (void)state;
    unsigned seed = 7;
    static const int widths[] = { 1, 2, 3, 5, 86, 87, 172, 259, 1000 };
    for (size_t i = 0; i < OC_COUNT(widths); i++) {
        int w = widths[i], h = 40;
        uint32_t *px = oc_new_array(uint32_t, (size_t)(w * h));
        for (int k = 0; k < w * h; k++) {
            seed = seed * 1103515245u + 12345u;
            unsigned kind = (unsigned)(k / (w * 8)) % 5, x = (unsigned)(k % w);
            px[k] = kind == 0   ? seed >> 8
                    : kind == 1 ? 0x123456
                    : kind == 2 ? (x % 7) * 0x010203
                    : kind == 3 ? (seed >> 28 ? 0 : seed >> 9)
                                : x * 0x010101 + (seed >> 30);
            px[k] &= 0xffffff;
        }
        OC_AUTO_BUF struct oc_buf png = OC_BUF_INIT(1 << 24);
        struct cv_png *e = cv_png_create();
        cv_png_begin(e, (unsigned)w, (unsigned)h, &png);
        struct cv_raster half = { px, (unsigned)w, (unsigned)h / 2, (size_t)w };
        cv_png_add(e, &half);
        half.px += (size_t)w * (size_t)(h / 2);
        cv_png_add(e, &half);
        assert_int_equal(cv_png_end(e, NULL), OC_OK);
        cv_png_destroy(e);
        struct reading r = { &png, 0 };
        cairo_surface_t *s = cairo_image_surface_create_from_png_stream(read_some, &r);
        assert_int_equal(cairo_surface_status(s), CAIRO_STATUS_SUCCESS);
        for (int y = 0; y < h; y++) {
            const unsigned char *row = cairo_image_surface_get_data(s) +
                                       (size_t)y * (size_t)cairo_image_surface_get_stride(s);
            for (int x = 0; x < w; x++) {
                uint32_t got;
                memcpy(&got, row + (size_t)x * 4, 4);
                assert_int_equal(got & 0xffffff, px[y * w + x]);
            }
        }
        cairo_surface_destroy(s);
        oc_free(px);
    }
}

static void pictures_are_scaled_down_only(void **state) {
    (void)state;
    box(0, 0, 50, 100, 0x000000ff);
    paint(100, 100, 1);
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(1 << 24);
    assert_int_equal(cv_pixels_encode(pixels, CV_PICTURE_PNG, 25, 0, &out, NULL), OC_OK);
    struct reading r = { &out, 0 };
    cairo_surface_t *s = cairo_image_surface_create_from_png_stream(read_some, &r);
    assert_int_equal(cairo_image_surface_get_width(s), 25);
    assert_int_equal(cairo_image_surface_get_height(s), 25);
    uint32_t row[25];
    memcpy(row, cairo_image_surface_get_data(s), sizeof(row));
    assert_int_equal(row[11] & 0xff, 0);
    assert_int_equal(row[12] & 0xff, 0x80); /* half of it was black */
    assert_int_equal(row[13] & 0xff, 0xff);
    cairo_surface_destroy(s);
    oc_buf_clear(&out);
    assert_int_equal(cv_pixels_encode(pixels, CV_PICTURE_JPEG, 1000, 0.8, &out, NULL), OC_OK);
    assert_memory_equal(out.data, "\xff\xd8\xff", 3);
    struct oc_buf tight = OC_BUF_INIT(16);
    struct oc_error err;
    assert_int_equal(cv_pixels_encode(pixels, CV_PICTURE_PNG, 0, 0, &tight, &err), OC_E_TOO_LARGE);
    oc_buf_finish(&tight);
}

static void odd_sizes_and_numbers_do_no_harm(void **state) {
    (void)state;
    box(NAN, 0, 10, 10, 0xff);
    box(-1e300, -1e300, 2e300, 2e300, 0x80);
    cv_dl_shadow(dl, (struct cv_rect){ 0, 0, 1, 1 }, 100, 1000, 0xff);
    cv_dl_unclip(dl);
    cv_dl_clip(dl, (struct cv_rect){ 5, 5, 0, 0 }, 0);
    box(0, 0, 10, 10, 0xff);
    paint(0, -5, 1);
    paint(20, 1e9, 1);
    paint(20, 20, NAN);
    (void)pixel(19, 19);
}

int main(void) {
    setenv("FONTCONFIG_FILE", OC_TEST_DIR "/canvas/fonts.conf", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(boxes_are_where_they_should_be, setup, teardown),
        cmocka_unit_test_setup_teardown(gradients_clips_and_rounding, setup, teardown),
        cmocka_unit_test_setup_teardown(only_damage_is_painted, setup, teardown),
        cmocka_unit_test_setup_teardown(parts_are_like_the_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(strips_are_like_the_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(png_keeps_every_pixel, setup, teardown),
        cmocka_unit_test_setup_teardown(pictures_are_scaled_down_only, setup, teardown),
        cmocka_unit_test_setup_teardown(odd_sizes_and_numbers_do_no_harm, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
