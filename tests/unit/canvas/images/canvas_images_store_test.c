/* The pictures of a canvas: brought, drawn, dropped, and decoded beside everything else. */
#include "tests/unit/canvas/images/canvas_images_testing.h"

#include <poll.h>

/* As the programs wait, until nothing is being decoded any more. */
static void await(struct cv_images *s) {
    for ((void)cv_images_run(s); cv_images_are_decoding(s); (void)cv_images_run(s)) {
        struct pollfd p = { .fd = cv_images_fd(s), .events = POLLIN };
        assert_true(poll(&p, 1, 60000) > 0);
    }
}

struct wanted {
    unsigned count;
    char last[64];
};

static void on_wanted(void *user, const char *url) {
    struct wanted *w = user;
    w->count++;
    (void)snprintf(w->last, sizeof(w->last), "%s", url);
}

static const struct cv_image *get(struct cv_images *s, const char *url) {
    return cv_images_get(s, (struct oc_slice){ url, strlen(url) });
}

static void brought(void **state) {
    (void)state;
    struct wanted w = { 0 };
    struct cv_images *s = cv_images_create(on_wanted, &w);
    OC_AUTO_BUF struct oc_buf png = load("two.png");
    const struct cv_image *a = get(s, "https://x/a.jpg"), *b = get(s, "b");
    assert_int_equal(w.count, 2);
    assert_string_equal(w.last, "b");
    assert_int_equal(a->state, CV_IMAGE_LOADING);
    assert_ptr_equal(get(s, "https://x/a.jpg"), a);
    assert_int_equal(w.count, 2);
    unsigned serial = a->serial;
    cv_images_bring(s, "https://x/a.jpg", png.data, png.len, NULL); /* whatever it is called */
    assert_int_equal(a->state, CV_IMAGE_LOADING);
    assert_true(cv_images_are_decoding(s));
    cv_images_bring(s, "https://x/a.jpg", NULL, 0, "twice");
    await(s);
    assert_int_equal(a->state, CV_IMAGE_READY);
    assert_true(a->w == 6 && a->h == 4 && a->pixels && a->serial != serial);
    assert_true(cv_images_are_loading(s));
    cv_images_bring(s, "b", NULL, 0, "404 Not Found");
    assert_int_equal(b->state, CV_IMAGE_FAILED);
    assert_string_equal(b->error, "404 Not Found");
    assert_false(cv_images_are_loading(s));
    cv_images_bring(s, "b", png.data, png.len, NULL); /* too late */
    assert_int_equal(b->state, CV_IMAGE_FAILED);
    cv_images_bring(s, "never asked for", png.data, png.len, NULL);
    assert_int_equal(get(s, "")->state, CV_IMAGE_FAILED);
    assert_int_equal(cv_images_get(s, (struct oc_slice){ "a\0b", 3 })->state, CV_IMAGE_FAILED);
    assert_int_equal(w.count, 2);
    cv_images_destroy(s);
}

static void data_urls(void **state) {
    (void)state;
    struct cv_images *s = cv_images_create(NULL, NULL);
    OC_AUTO_BUF struct oc_buf png = load("two.png");
    OC_AUTO_FREE char *base64 = oc_base64(png.data, png.len);
    OC_AUTO_FREE char *good = oc_strfmt("data:image/jpeg;base64,%s", base64),
                      *spaced = oc_strfmt("DATA:;BASE64,%.20s\n %%0a%s", base64, base64 + 20),
                      *cut = oc_strfmt("data:image/png;base64,%.*s", 60, base64),
                      *plain = oc_strfmt("data:image/png,%s", base64);
    static const char svg[] = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' "
                              "width='8' height='%38'/%3e";
    static const char half[] = "data:image/svg+xml,%3Csvg%";
    const char *const all[] = { good, spaced, cut, plain, svg, half };
    for (size_t i = 0; i < OC_COUNT(all); i++) {
        (void)get(s, all[i]);
    }
    await(s);
    assert_int_equal(get(s, good)->state, CV_IMAGE_READY);
    assert_int_equal(get(s, spaced)->state, CV_IMAGE_READY);
    assert_int_equal(get(s, cut)->state, CV_IMAGE_FAILED);
    assert_int_equal(get(s, plain)->state, CV_IMAGE_FAILED);
    assert_string_equal(get(s, "data:image/png;base64,a$b=")->error, "its base64 is damaged");
    assert_string_equal(get(s, "data:image/png;base64")->error, "a data: address without a comma");
    assert_string_equal(get(s, "data:,")->error, "the file is empty");
    assert_int_equal(get(s, svg)->state, CV_IMAGE_READY);
    assert_int_equal(get(s, half)->state, CV_IMAGE_FAILED);
    assert_false(cv_images_are_loading(s));
    cv_images_destroy(s);
}

/* Drawings have more pixels than their size says, photographs fewer; both fill their place. */
static void drawn(void **state) {
    (void)state;
    struct cv_images *s = cv_images_create(on_wanted, &(struct wanted){ 0 });
    static const char *const names[] = { "two.svg", "two.png", "two.jpg" };
    for (size_t i = 0; i < OC_COUNT(names); i++) {
        OC_AUTO_BUF struct oc_buf file = load(names[i]);
        const struct cv_image *image = get(s, names[i]);
        cv_images_bring(s, names[i], file.data, file.len, NULL);
        await(s);
        cairo_surface_t *page = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 60, 30);
        cairo_t *cr = cairo_create(page);
        cv_image_draw(image, cr, (struct cv_rect){ 10, 5, 40, 20 });
        cairo_destroy(cr);
        cairo_surface_flush(page);
        const uint32_t *row = (const void *)(cairo_image_surface_get_data(page) +
                                             (ptrdiff_t)24 * cairo_image_surface_get_stride(page));
        assert_true(row[9] == 0 && row[50] == 0);
        assert_true(is_near(row[10], RED) && is_near(row[24], RED));
        assert_true(is_near(row[36], BLUE) && is_near(row[49], BLUE));
        cairo_surface_destroy(page);
    }
    cv_images_destroy(s);
}

static void ageing(void **state) {
    (void)state;
    struct wanted w = { 0 };
    struct cv_images *s = cv_images_create(on_wanted, &w);
    (void)get(s, "kept");
    (void)get(s, "old");
    (void)get(s, "slow");
    cv_images_bring(s, "kept", NULL, 0, "x");
    cv_images_bring(s, "old", NULL, 0, "x");
    for (int i = 0; i < 4; i++) {
        cv_images_age(s);
        (void)get(s, "kept");
    }
    assert_int_equal(w.count, 3);
    (void)get(s, "old");
    assert_int_equal(w.count, 4); /* asked for again */
    (void)get(s, "slow");
    assert_int_equal(w.count, 4); /* what is under way is not asked for twice */
    cv_images_destroy(s);
}

static void ceilings(void **state) {
    (void)state;
    struct wanted w = { 0 };
    struct cv_images *s = cv_images_create(on_wanted, &w);
    for (unsigned i = 0; i < CV_MAX_IMAGES; i++) {
        OC_AUTO_FREE char *url = oc_strfmt("u%u", i);
        (void)get(s, url);
    }
    assert_string_equal(get(s, "one more")->error, "too many pictures");
    assert_int_equal(w.count, CV_MAX_IMAGES);
    OC_AUTO_FREE char *large = oc_alloc(CV_MAX_IMAGE_BYTES + 1);
    memset(large, 0, CV_MAX_IMAGE_BYTES + 1);
    cv_images_bring(s, "u0", large, CV_MAX_IMAGE_BYTES + 1, NULL);
    assert_string_equal(get(s, "u0")->error, "the file is larger than 20 MB");
    /* Drawings of 2048 × 2048 are 16 MB each; the fifth is too much. */
    static const char svg[] =
            "<svg xmlns='http://www.w3.org/2000/svg' width='2048' height='2048'/>";
    for (unsigned i = 1; i <= 5; i++) {
        OC_AUTO_FREE char *url = oc_strfmt("u%u", i);
        cv_images_bring(s, url, svg, strlen(svg), NULL);
    }
    await(s);
    for (unsigned i = 1; i <= 5; i++) {
        OC_AUTO_FREE char *url = oc_strfmt("u%u", i);
        assert_int_equal(get(s, url)->state, i < 5 ? CV_IMAGE_READY : CV_IMAGE_FAILED);
    }
    assert_string_equal(get(s, "u5")->error, "all pictures together are too large");
    cv_images_destroy(s);
}

/* --- beside everything else
 * ---------------------------------------------------------------------------------------------- */

static void bring_file(struct cv_images *s, const char *url, const struct oc_buf *file) {
    (void)get(s, url);
    cv_images_bring(s, url, file->data, file->len, NULL);
}

static unsigned count_children(void) {
    unsigned count = 0;
    OC_AUTO_FREE char *path = oc_strfmt("/proc/self/task/%d/children", (int)getpid());
    OC_AUTO_BUF struct oc_buf list = OC_BUF_INIT(1 << 16);
    struct oc_error err;
    if (oc_file_read(path, 1 << 16, &list, &err) != OC_OK) {
        return 0; /* a kernel that does not tell */
    }
    for (size_t i = 0; i < list.len; i++) {
        count += list.data[i] == ' ';
    }
    return count;
}

/* Whoever asks goes on at once; two work, and the others wait for them. */
static void slow_ones(void **state) {
    (void)state;
    struct cv_images *s = cv_images_create(on_wanted, &(struct wanted){ 0 });
    OC_AUTO_BUF struct oc_buf uses = load("uses.svg"), png = load("two.png");
    for (unsigned i = 0; i < 6; i++) {
        OC_AUTO_FREE char *url = oc_strfmt("slow%u", i);
        bring_file(s, url, &uses);
        assert_int_equal(get(s, url)->state, CV_IMAGE_LOADING);
    }
    bring_file(s, "quick", &png);
    assert_true(count_children() <= 2);
    cv_images_age(s);
    for (unsigned i = 0; i < 2; i++) { /* and those that nobody looks at any more are let go */
        OC_AUTO_FREE char *url = oc_strfmt("slow%u", i);
        (void)get(s, url);
    }
    (void)get(s, "quick");
    (void)cv_images_begin(s);
    await(s);
    assert_int_equal(get(s, "slow0")->state, CV_IMAGE_FAILED);
    assert_int_equal(get(s, "slow1")->state, CV_IMAGE_FAILED);
    assert_int_equal(get(s, "slow2")->state, CV_IMAGE_LOADING); /* asked for anew */
    assert_int_equal(get(s, "quick")->state, CV_IMAGE_READY);
    bring_file(s, "slow3", &uses);
    cv_images_destroy(s);
    assert_int_equal(count_children(), 0);
}

static void processor_time(void **state) {
    (void)state;
    struct cv_images *s = cv_images_create(on_wanted, &(struct wanted){ 0 });
    OC_AUTO_BUF struct oc_buf uses = load("uses.svg"), png = load("two.png");
    cv_images_budget(s, 100);
    bring_file(s, "a", &uses);
    bring_file(s, "b", &uses);
    bring_file(s, "c", &uses);
    bring_file(s, "d", &png);
    await(s);
    assert_string_equal(
            get(s, "a")->error, "the SVG picture is damaged, too large or takes too long");
    assert_string_equal(get(s, "c")->error, "the pictures take too long to decode, all together");
    assert_string_equal(get(s, "d")->error, "the pictures take too long to decode, all together");
    cv_images_budget(s, 60000);
    bring_file(s, "e", &png);
    await(s);
    assert_int_equal(get(s, "e")->state, CV_IMAGE_READY);
    cv_images_destroy(s);
}

/* Grey, of one shade. */
static struct oc_buf make_png(uint32_t w, uint32_t h, int shade) {
    struct oc_buf ret = OC_BUF_INIT(1 << 20);
    struct spng_ihdr head = { .width = w, .height = h, .bit_depth = 8 };
    OC_AUTO_FREE uint8_t *pixels = oc_alloc((size_t)w * h);
    spng_ctx *ctx = spng_ctx_new(SPNG_CTX_ENCODER);
    int rc = 0;
    size_t len = 0;
    memset(pixels, shade, (size_t)w * h);
    spng_set_option(ctx, SPNG_ENCODE_TO_BUFFER, 1);
    spng_set_option(ctx, SPNG_IMG_COMPRESSION_LEVEL, 1);
    assert_int_equal(spng_set_ihdr(ctx, &head), 0);
    assert_int_equal(
            spng_encode_image(ctx, pixels, (size_t)w * h, SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE), 0);
    char *made = spng_get_png_buffer(ctx, &len, &rc);
    assert_int_equal(oc_buf_append(&ret, made, len), OC_OK);
    free(made);
    spng_ctx_free(ctx);
    return ret;
}

static int side_of(const struct cv_image *image) {
    assert_int_equal(image->state, CV_IMAGE_READY);
    return cairo_image_surface_get_width(image->pixels);
}

/* A picture with more pixels than there is room for is shown with fewer, and who comes first has
 * the first choice, however long it takes. */
static void large_ones(void **state) {
    (void)state;
    struct cv_images *s = cv_images_create(on_wanted, &(struct wanted){ 0 });
    OC_AUTO_BUF struct oc_buf photo = make_png(4200, 4200, 0x40), wide = make_png(3000, 2000, 0x80),
                              text = load("text.svg");
    bring_file(s, "photo", &photo); /* 4200² × 4 bytes are more than 64 MiB */
    await(s);
    assert_int_equal(side_of(get(s, "photo")), 2100);
    assert_true(get(s, "photo")->w == 4200 && get(s, "photo")->h == 4200);
    const uint32_t *first = (const void *)cairo_image_surface_get_data(get(s, "photo")->pixels);
    assert_int_equal(first[0], 0xff404040u);
    bring_file(s, "text", &text);
    bring_file(s, "wide", &wide);
    bring_file(s, "too", &photo);
    await(s);
    assert_int_equal(side_of(get(s, "wide")), 3000);
    assert_true(get(s, "text")->state == CV_IMAGE_READY);
    assert_int_equal(side_of(get(s, "too")), 2100);
    bring_file(s, "last", &wide); /* of the 64 MiB little is left */
    await(s);
    assert_true(side_of(get(s, "last")) < 3000);
    cv_images_destroy(s);
}

/* What is no longer shown makes room for what is. */
static void next_page(void **state) {
    (void)state;
    struct cv_images *s = cv_images_create(on_wanted, &(struct wanted){ 0 });
    OC_AUTO_BUF struct oc_buf full = make_png(4096, 4096, 0x40), other = make_png(4000, 4000, 0);
    bring_file(s, "full", &full);
    await(s);
    assert_int_equal(side_of(get(s, "full")), 4096);
    bring_file(s, "no room", &other);
    await(s);
    assert_string_equal(get(s, "no room")->error, "all pictures together are too large");
    cv_images_age(s);
    bring_file(s, "other", &other);
    await(s);
    assert_int_equal(side_of(get(s, "other")), 4000);
    cv_images_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(brought),
        cmocka_unit_test(data_urls),
        cmocka_unit_test(drawn),
        cmocka_unit_test(ageing),
        cmocka_unit_test(ceilings),
        cmocka_unit_test(slow_ones),
        cmocka_unit_test(processor_time),
        cmocka_unit_test(large_ones),
        cmocka_unit_test(next_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
