/* What Video and AudioPlayer draw and say, and what pressing them does. The page is 232 wide, so a
 * cell is 200. */
#include "canvas/scene/describe.h"
#include "tests/unit/canvas/canvas_person.h"

static int setup(void **state) {
    struct world *w = oc_new(struct world);
    world_init(w, 232, 0);
    *state = w;
    return 0;
}

static int teardown(void **state) {
    struct world *w = *state;
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

static char opened[100];

static void on_open(void *user, const char *url) {
    (void)user;
    (void)snprintf(opened, sizeof(opened), "%s", url);
}

static void video(void **state) {
    struct world *w = *state;
    w->input.on_open = on_open;
    opened[0] = '\0';
    world_show(w, C("root", "Video", "'url':{'literalString':'https://x/films/cat.mp4?a=1'}"));
    check_drawn(w, "box 16,16 200x150 r20 #30343cff #15171bff @180\n"
                   "box 92,67 48x48 r24 #ffffff33\n"
                   "icon 104,79 24x24 playArrow #ffffffff\n"
                   "text 28,138 w176 'cat.mp4' 14/20 italic #ffffffd9\n");
    click(w, "root", 100, 75);
    assert_string_equal(opened, "https://x/films/cat.mp4?a=1");
    opened[0] = '\0';
    world_show(w, C("root", "Video", "'url':{'literalString':'file:///etc/passwd'}"));
    click(w, "root", 100, 75);
    assert_string_equal(opened, ""); /* only what a browser may open */
}

static void audio(void **state) {
    struct world *w = *state;
    w->input.on_open = on_open;
    world_show(w, C("root", "AudioPlayer",
                          "'url':{'literalString':'https://x/a.mp3'},"
                          "'description':{'literalString':'A song'}"));
    check_drawn(w, "text 16,16 w200 'A song' 14/20 #1b1b1bff\n"
                   "box 16,40 200x54 r27 #ffffffff border 1 #8487eaff\n"
                   "icon 32,55 24x24 playArrow #1b1b1bff\n"
                   "text 68,57 w96 'a.mp3' 14/20 italic #5e5e5eff\n"
                   "icon 176,55 24x24 volumeUp #5e5e5eff\n");
    opened[0] = '\0';
    (void)hit_key(w, CV_KEY_TAB, 0);
    (void)hit_key(w, CV_KEY_ENTER, 0);
    assert_string_equal(opened, "https://x/a.mp3");
    world_show(w, C("root", "AudioPlayer", "'url':{'literalString':'https://x/a.mp3'}"));
    BOX(w, "root", 16, 16, 200, 54);
}

static struct {
    char key[20], url[100], title[20];
    bool is_film;
} pressed;

static void on_play(void *user, const struct cv_play *what) {
    (void)user;
    (void)snprintf(pressed.key, sizeof(pressed.key), "%s", what->key);
    (void)snprintf(pressed.url, sizeof(pressed.url), "%s", what->url);
    (void)snprintf(pressed.title, sizeof(pressed.title), "%s", what->title);
    pressed.is_film = what->is_film;
}

static void check_said(struct world *w, const char *wanted) {
    OC_AUTO_BUF struct oc_buf said = OC_BUF_INIT(1000);
    assert_int_equal(cv_item_describe(&said, &w->scene, &w->scene.items[0]), OC_OK);
    assert_string_equal(said.data, wanted);
}

static void a_player_that_plays(void **state) {
    struct world *w = *state;
    static char url[] = "https://x/a.mp3";
    w->input.on_open = on_open;
    w->input.on_play = on_play;
    opened[0] = '\0';
    world_show(w, C("root", "AudioPlayer", "'url':{'literalString':'https://x/a.mp3'}"));
    click(w, "root", 20, 20);
    assert_string_equal(pressed.url, url);
    assert_string_equal(pressed.title, "a.mp3");
    assert_false(pressed.is_film);
    assert_string_equal(opened, ""); /* who plays it decides that */
    check_said(w, "audio, a.mp3");
    struct cv_playing playing = { .key = pressed.key, .url = url };
    w->scene.playing = &playing;
    (void)hit_key(w, CV_KEY_TAB, 0); /* no pointer on it */
    w->input.focus_visible = false;
    cv_input_pointer(&w->input, CV_POINTER_LEAVE, -1, -1, 0);
    world_scene(w);
    assert_true(cv_playing_is_there(&w->scene));
    check_said(w, "audio, a.mp3, Loading");
    playing.has_begun = true;
    playing.position_ms = 3999;
    world_scene(w);
    check_said(w, "audio, a.mp3, playing, 0:03");
    playing.duration_ms = 3723000;
    world_scene(w);
    check_said(w, "audio, a.mp3, playing, 0:03 of 1:02:03");
    check_drawn(w, "box 16,16 200x54 r27 #ffffffff border 1 #8487eaff\n"
                   "box 38,37 12x12 r2 #1b1b1bff\n"
                   "text 68,33 w96 '0:03 / 1:02:03 · a.mp3' 14/20 italic #5e5e5eff\n"
                   "icon 176,31 24x24 volumeUp #5e5e5eff\n");
    /* another sound at its place is not the one that plays */
    world_show(w, C("root", "AudioPlayer", "'url':{'literalString':'https://x/b.mp3'}"));
    assert_false(cv_playing_is_there(&w->scene));
    world_show(w, C("root", "Video", "'url':{'literalString':'data:video/webm;base64,AAAA'}"));
    click(w, "root", 100, 75);
    assert_true(pressed.is_film);
    assert_string_equal(pressed.title, "");
    playing.url = pressed.url;
    world_scene(w);
    assert_true(cv_playing_is_there(&w->scene));
    check_said(w, "video, playing, 0:03 of 1:02:03");
    w->scene.playing = NULL;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(video),
        TEST(audio),
        TEST(a_player_that_plays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
