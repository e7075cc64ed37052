/* Exactly what Image draws. The page is 232 wide, so a cell is 200; pictures are "WxH"
 * (images_plain.c). */
#include "tests/unit/canvas/canvas_person.h"

#define IMAGE(props) C("root", "Image", "'url':{'literalString':'https://x/a.png'}" props)
#define ALT ",'altText':{'literalString':'a cat'}"
#define HINT(name) ",'usageHint':'" name "'"
#define FIT(name) ",'fit':'" name "'"

static int setup(void **state) {
    struct world *w = oc_new(struct world);
    world_init(w, 232, 0);
    w->images = cv_images_create(NULL, NULL);
    w->scene.images = w->images;
    *state = w;
    return 0;
}

static int teardown(void **state) {
    struct world *w = *state;
    cv_images_destroy(w->images);
    world_finish(w);
    oc_free(w);
    return 0;
}

static void check_drawn(struct world *w, const char *expected) {
    struct cv_display_list *dl = cv_dl_create();
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(100000);
    cv_scene_paint(&w->scene, dl);
    assert_int_equal(cv_dl_print(&out, dl), OC_OK);
    cv_dl_destroy(dl);
    assert_string_equal(out.data, expected);
}

static void check_image(void **state, const char *component, const char *size, const char *drawn) {
    struct world *w = *state;
    world_show(w, component);
    cv_images_bring(w->images, "https://x/a.png", size, strlen(size), NULL);
    world_scene(w);
    OC_AUTO_FREE char *expected = oc_strfmt("image %s ready 'https://x/a.png'\n", drawn);
    check_drawn(w, expected);
}

#define TEST_IMAGE(name, props, size, drawn)               \
    static void name(void **state) {                       \
        check_image(state, IMAGE(props), (size), (drawn)); \
    }

/* Without a hint: as wide as the cell, and as high as that makes it. */
TEST_IMAGE(plain, "", "640x400", "16,16 200x125 r20 fill")
TEST_IMAGE(plain_small, "", "10x10", "16,16 200x200 r20 fill")
TEST_IMAGE(plain_wide, "", "1000x1", "16,16 200x0.2 r0.1 fill")
TEST_IMAGE(fit_contain, FIT("contain"), "640x400", "16,16 200x125 r20 contain")
TEST_IMAGE(fit_cover, FIT("cover"), "640x400", "16,16 200x125 r20 cover")
TEST_IMAGE(fit_none, FIT("none"), "640x400", "16,16 200x125 r20 none")
TEST_IMAGE(fit_scale_down, FIT("scale-down"), "640x400", "16,16 200x125 r20 scale-down")
TEST_IMAGE(fit_unknown, FIT("stretchy"), "640x400", "16,16 200x125 r20 fill")
TEST_IMAGE(icon, HINT("icon"), "640x400", "16,16 24x24 fill")
TEST_IMAGE(avatar, HINT("avatar"), "640x400", "16,16 40x40 r20 cover")
TEST_IMAGE(avatar_contain, HINT("avatar") FIT("contain"), "640x400", "16,16 40x40 r20 contain")
TEST_IMAGE(small_feature, HINT("smallFeature"), "640x400", "16,16 100x62.5 r20 fill")
TEST_IMAGE(small_feature_tiny, HINT("smallFeature"), "50x20", "16,16 50x20 r10 fill")
TEST_IMAGE(medium_feature, HINT("mediumFeature"), "300x600", "16,16 100x200 r20 fill")
TEST_IMAGE(large_feature, HINT("largeFeature"), "300x600", "16,16 200x400 r20 fill")
TEST_IMAGE(header, HINT("header"), "640x400", "16,16 200x200 r20 cover")

static void loading(void **state) {
    struct world *w = *state;
    world_show(w, IMAGE(ALT));
    check_drawn(w, "box 16,16 200x112.5 r20 #1b1b1b14\n");
    world_show(w, IMAGE(HINT("avatar")));
    check_drawn(w, "box 16,16 40x40 r20 #1b1b1b14\n");
}

static void failed(void **state) {
    struct world *w = *state;
    world_show(w, IMAGE(ALT));
    cv_images_bring(w->images, "https://x/a.png", NULL, 0, "404 Not Found");
    world_scene(w);
    check_drawn(w, "box 16,16 200x112.5 r20 #1b1b1b14\n"
                   "icon 104,48.25 24x24 brokenImage #5e5e5eff\n"
                   "text 24,76.25 w184 'a cat' 14/20 italic center #5e5e5eff\n");
}

static void failed_avatar(void **state) {
    struct world *w = *state;
    world_show(w, IMAGE(HINT("avatar") ALT));
    cv_images_bring(w->images, "https://x/a.png", "no picture", 10, NULL);
    world_scene(w);
    check_drawn(w, "box 16,16 40x40 r20 #1b1b1b14\n"
                   "icon 24,24 24x24 brokenImage #5e5e5eff\n");
    assert_int_equal(w->diags.count, 1);
    assert_string_equal(w->diags.items[0].code, "image-failed");
}

/* Also one that is part of the reason by chance. */
static void failed_names_the_address(void **state) {
    struct world *w = *state;
    world_show(w, C("root", "Image", "'url':{'literalString':'a'}"));
    cv_images_bring(w->images, "a", NULL, 0, "404 Not Available");
    world_scene(w);
    assert_string_equal(w->diags.items[0].message, "404 Not Available: a");
}

static void no_url(void **state) {
    struct world *w = *state;
    world_show(w, C("root", "Image", "'url':{'literalString':''}"));
    check_drawn(w, "box 16,16 200x112.5 r20 #1b1b1b14\n"
                   "icon 104,60.25 24x24 brokenImage #5e5e5eff\n");
}

static void in_the_dark(void **state) {
    struct world *w = *state;
    w->scene.theme = cv_theme_find("openclaw");
    world_show(w, IMAGE(ALT));
    check_drawn(w, "glow 0,0 232x157\n"
                   "box 12,28 208x117 r12 #ffffff14\n");
    cv_images_bring(w->images, "https://x/a.png", "640x400", 7, NULL);
    world_scene(w);
    check_drawn(w, "glow 0,0 232x170\n"
                   "image 12,28 208x130 r12 fill ready 'https://x/a.png'\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(plain),
        TEST(plain_small),
        TEST(plain_wide),
        TEST(fit_contain),
        TEST(fit_cover),
        TEST(fit_none),
        TEST(fit_scale_down),
        TEST(fit_unknown),
        TEST(icon),
        TEST(avatar),
        TEST(avatar_contain),
        TEST(small_feature),
        TEST(small_feature_tiny),
        TEST(medium_feature),
        TEST(large_feature),
        TEST(header),
        TEST(loading),
        TEST(failed),
        TEST(failed_avatar),
        TEST(failed_names_the_address),
        TEST(no_url),
        TEST(in_the_dark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
