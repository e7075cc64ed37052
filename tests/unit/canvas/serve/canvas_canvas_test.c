/* One canvas as the programs use it: pushes in, pictures, actions and wishes out. */
#include "tests/unit/unit.h"

#include "canvas/serve/canvas.h"
#include "lib/base/mem.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

struct world {
    struct cv_canvas *canvas;
    unsigned changes, wishes;
    char *action;
    bool refuses; /* pictures fail while they are asked for */
};

static void on_changed(void *user) {
    ((struct world *)user)->changes++;
}

static void on_wanted(void *user, const char *url) {
    struct world *w = user;
    w->wishes++;
    if (w->refuses) {
        cv_bring(w->canvas, url, NULL, 0, "no network");
    }
}

static void on_action(void *user, const struct cv_value *action) {
    struct world *w = user;
    struct oc_buf text = OC_BUF_INIT(4096);
    assert_int_equal(cv_value_print(&text, action), OC_OK);
    oc_free(w->action);
    w->action = oc_buf_take(&text);
}

static const struct cv_events events = {
    .on_changed = on_changed, .on_wanted = on_wanted, .on_action = on_action
};

static int setup(void **state) {
    struct world *w = oc_new(struct world);
    struct cv_opts opts = { .theme = "default", .width = 480, .height = 300 };
    w->canvas = cv_canvas_create(&opts, &events, w);
    *state = w;
    return 0;
}

static int teardown(void **state) {
    struct world *w = *state;
    cv_canvas_destroy(w->canvas);
    oc_free(w->action);
    oc_free(w);
    return 0;
}

#define PAGE                                                                                    \
    "{\"surfaceUpdate\":{\"surfaceId\":\"s\",\"components\":["                                  \
    "{\"id\":\"root\",\"component\":{\"Column\":{\"children\":{\"explicitList\":"               \
    "[\"t\",\"n\",\"b\"]}}}},"                                                                  \
    "{\"id\":\"t\",\"component\":{\"Text\":{\"text\":{\"literalString\":\"Title\"},"            \
    "\"usageHint\":\"h1\"}}},"                                                                  \
    "{\"id\":\"n\",\"component\":{\"Text\":{\"text\":{\"path\":\"/n\"}}}},"                     \
    "{\"id\":\"l\",\"component\":{\"Text\":{\"text\":{\"literalString\":\"Go\"}}}},"            \
    "{\"id\":\"b\",\"component\":{\"Button\":{\"child\":\"l\",\"primary\":true,"                \
    "\"action\":{\"name\":\"go\",\"context\":[{\"key\":\"n\",\"value\":{\"path\":\"/n\"}}]}}}}" \
    "]}}\n"                                                                                     \
    "{\"dataModelUpdate\":{\"surfaceId\":\"s\",\"contents\":"                                   \
    "[{\"key\":\"n\",\"valueNumber\":1}]}}\n"                                                   \
    "{\"beginRendering\":{\"surfaceId\":\"s\",\"root\":\"root\"}}\n"
#define SET_N(n)                                                \
    "{\"dataModelUpdate\":{\"surfaceId\":\"s\",\"path\":\"n\"," \
    "\"contents\":[{\"key\":\".\",\"valueNumber\":" #n "}]}}"

static void push(struct world *w, const char *jsonl) {
    struct oc_error err;
    if (cv_canvas_push(w->canvas, jsonl, strlen(jsonl), &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
}

static struct oc_buf picture(struct world *w) {
    struct oc_buf out = OC_BUF_INIT(1 << 24);
    assert_int_equal(cv_canvas_picture(w->canvas, CV_PICTURE_PNG, 0, 0, &out, NULL), OC_OK);
    return out;
}

static void one_value_costs_its_place_only(void **state) {
    struct world *w = *state;
    push(w, PAGE);
    OC_AUTO_BUF struct oc_buf first = picture(w), same = picture(w);
    assert_int_equal(cv_painted(w->canvas), 0);
    assert_int_equal(first.len, same.len);
    assert_memory_equal(first.data, same.data, first.len);
    push(w, SET_N(2));
    OC_AUTO_BUF struct oc_buf second = picture(w);
    size_t painted = cv_painted(w->canvas);
    assert_true(painted > 100 && painted < (size_t)480 * 40);
    assert_true(second.len != first.len || memcmp(second.data, first.data, first.len) != 0);
    push(w, SET_N(1));
    OC_AUTO_BUF struct oc_buf third = picture(w);
    assert_int_equal(third.len, first.len);
    assert_memory_equal(third.data, first.data, first.len);
}

static void changes_are_told_once_a_frame(void **state) {
    struct world *w = *state;
    assert_int_equal(w->changes, 1); /* the empty page */
    push(w, PAGE);
    push(w, SET_N(3));
    assert_int_equal(w->changes, 1);
    assert_non_null(cv_canvas_paint(w->canvas));
    assert_int_equal(cv_painted(w->canvas), 480 * 300);
    assert_non_null(cv_canvas_paint(w->canvas));
    assert_int_equal(cv_painted(w->canvas), 0);
    push(w, SET_N(4));
    assert_int_equal(w->changes, 2);
    cv_seen(w->canvas); /* somebody else looks: the window's next paint still has it */
    assert_non_null(cv_canvas_paint(w->canvas));
    assert_true(cv_painted(w->canvas) > 0 && cv_painted(w->canvas) < 480 * 60);
    cv_resize(w->canvas, 500, 300, 1);
    assert_int_equal(w->changes, 3);
}

static void a_refused_push_changes_nothing(void **state) {
    struct world *w = *state;
    push(w, PAGE);
    OC_AUTO_BUF struct oc_buf before = picture(w);
    struct oc_error err;
    const char bad[] = "{\"deleteSurface\":{\"surfaceId\":\"s\"}}\nnonsense\n";
    assert_int_not_equal(cv_canvas_push(w->canvas, bad, sizeof(bad) - 1, &err), OC_OK);
    assert_non_null(strstr(err.text, "line 2"));
    OC_AUTO_BUF struct oc_buf after = picture(w);
    assert_memory_equal(before.data, after.data, before.len);
}

static void a_button_tells_what_it_means(void **state) {
    struct world *w = *state;
    push(w, PAGE);
    push(w, SET_N(7)); /* the scene is older than the data when the button is pressed */
    assert_true(cv_input_activate(cv_canvas_input(w->canvas), NULL, "b"));
    cv_after_input(w->canvas);
    assert_non_null(w->action);
    assert_true(strncmp(w->action, "{\"userAction\":{\"id\":\"", 20) == 0);
    assert_non_null(strstr(w->action, "\"name\":\"go\""));
    assert_non_null(strstr(w->action, "\"context\":{\"n\":7}"));
}

static void pictures_that_fail_at_once_are_no_loop(void **state) {
    struct world *w = *state;
    w->refuses = true;
    push(w, "{\"surfaceUpdate\":{\"surfaceId\":\"s\",\"components\":[{\"id\":\"i\",\"component\":"
            "{\"Image\":{\"url\":{\"literalString\":\"https://e.x/p.png\"}}}}]}}\n"
            "{\"beginRendering\":{\"surfaceId\":\"s\",\"root\":\"i\"}}\n");
    for (int i = 0; i < 5; i++) {
        (void)cv_list(w->canvas);
    }
    assert_int_equal(w->wishes, 1);
    assert_false(cv_is_loading(w->canvas));
}

static bool list_has(struct world *w, const char *text) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(1 << 20);
    assert_int_equal(cv_dl_print(&out, cv_list(w->canvas)), OC_OK);
    return strstr(out.data, text) != NULL;
}

static void the_pill_says_how_it_goes(void **state) {
    struct world *w = *state;
    push(w, PAGE);
    assert_false(list_has(w, "Sending"));
    cv_canvas_pill(w->canvas, CV_PILL_SENDING, "go");
    assert_true(list_has(w, "'Sending: go'"));
    assert_int_equal(cv_wait_ms(w->canvas), -1);
    cv_canvas_pill(w->canvas, CV_PILL_FAILED, "send failed");
    assert_true(list_has(w, "'Failed: send failed'"));
    assert_true(cv_wait_ms(w->canvas) > 1000);
    cv_tick(w->canvas); /* not yet */
    assert_true(list_has(w, "'Failed: send failed'"));
    cv_canvas_pill(w->canvas, CV_PILL_NONE, NULL);
    assert_false(list_has(w, "Failed"));
}

/* The tests' fonts have no Chinese. */
static void letters_that_no_font_has_are_told(void **state) {
    struct world *w = *state;
    push(w, PAGE);
    (void)cv_list(w->canvas);
    assert_int_equal(cv_canvas_diags(w->canvas)->count, 0);
    push(w, "{\"surfaceUpdate\":{\"surfaceId\":\"s\",\"components\":[{\"id\":\"t\",\"component\":"
            "{\"Text\":{\"text\":{\"literalString\":\"\xe6\x97\xa5\xe6\x9c\xac\"}}}}]}}");
    (void)cv_list(w->canvas);
    const struct cv_diags *d = cv_canvas_diags(w->canvas);
    assert_int_equal(d->count, 1);
    assert_string_equal(d->items[0].code, "missing-glyphs");
    assert_string_equal(d->items[0].component, "t");
    assert_non_null(strstr(d->items[0].message, "2 of its characters"));
}

#define SUN "\xe6\x97\xa5" /* 日 */
#define PART(id, type, props) ",{\"id\":\"" id "\",\"component\":{\"" type "\":{" props "}}}"
#define TEXT(key, text) "\"" key "\":{\"literalString\":\"" text "\"}"

static void letters_are_told_of_every_component(void **state) {
    struct world *w = *state;
    static const char *const ids[] = { "x-text", "x-field", "x-value", "x-check", "x-tabs",
        "x-choice", "x-chips", "x-slider", "x-audio", "x-image", "x-date" };
    push(w, "{\"surfaceUpdate\":{\"surfaceId\":\"s\",\"components\":[{\"id\":\"root\","
            "\"component\":{\"Column\":{\"children\":{\"explicitList\":[\"x-text\",\"x-field\","
            "\"x-value\",\"x-check\",\"x-tabs\",\"x-choice\",\"x-chips\",\"x-slider\","
            "\"x-audio\",\"x-image\",\"x-date\",\"dots\"]}}}}" PART(
                    "x-text", "Text", TEXT("text", SUN)) PART("x-field", "TextField",
                    TEXT("label", SUN)) PART("x-value", "TextField",
                    TEXT("label", "a") "," TEXT("text", SUN SUN)) PART("x-check", "CheckBox",
                    TEXT("label", SUN) ",\"value\":{\"literalBoolean\":true}") PART("x-tabs",
                    "Tabs",
                    "\"tabItems\":[{" TEXT("title", "a") ",\"child\":\"x\"},{" TEXT(
                            "title", SUN) ",\"child\":\"y\"}]") PART("x-choice", "MultipleChoice",
                    "\"selections\":{\"path\":\"/c\"},\"options\":[{" TEXT(
                            "label", SUN) ",\"value\":\"1\"}]") PART("x-chips", "MultipleChoice",
                    "\"selections\":{\"path\":\"/c\"},\"variant\":\"chips\",\"options\":[{" TEXT(
                            "label", SUN) ",\"value\":\"1\"}]") PART("x-slider", "Slider",
                    TEXT("label", SUN) ",\"value\":{\"literalNumber\":1}") PART("x-audio",
                    "AudioPlayer",
                    TEXT("url", "https://x.example/a.mp3") "," TEXT(
                            "description", SUN)) PART("x-image", "Image",
                    TEXT("url", "https://x.example/a.png") "," TEXT("altText", SUN)) PART("x-date",
                    "DateTimeInput",
                    TEXT("label",
                            SUN) ",\"value\":{\"path\":\"/d\"},\"enableDate\":true") PART("dots",
                    "TextField",
                    "\"textFieldType\":\"obscured\"," TEXT("label", "a") "," TEXT("text",
                            SUN)) "]}}\n"
                                  "{\"beginRendering\":{\"surfaceId\":\"s\",\"root\":\"root\"}}");
    (void)cv_list(w->canvas);
    const struct cv_diags *d = cv_canvas_diags(w->canvas);
    size_t told = 0;
    for (size_t i = 0; i < d->count; i++) {
        if (strcmp(d->items[i].code, "missing-glyphs") == 0) {
            told++;
            assert_string_not_equal(d->items[i].component, "dots");
        }
    }
    for (size_t k = 0; k < OC_COUNT(ids); k++) {
        size_t times = 0;
        for (size_t i = 0; i < d->count; i++) {
            times += strcmp(d->items[i].code, "missing-glyphs") == 0 &&
                     strcmp(d->items[i].component, ids[k]) == 0;
        }
        if (times != 1) {
            fail_msg("%s: told %zu times", ids[k], times);
        }
    }
    assert_int_equal(told, OC_COUNT(ids));
}

#define LINES(id)                                                                   \
    "{\"surfaceUpdate\":{\"surfaceId\":\"" id                                       \
    "\",\"components\":[{\"id\":\"root\",\"component\":{"                           \
    "\"Text\":{\"text\":{\"literalString\":"                                        \
    "\"a\\n\\nb\\n\\nc\\n\\nd\\n\\ne\\n\\nf\\n\\ng\\n\\nh\\n\\ni\\n\\nj\"}}}}]}}\n" \
    "{\"beginRendering\":{\"surfaceId\":\"" id "\",\"root\":\"root\"}}"

static void a_further_surface_is_scrolled_to(void **state) {
    struct world *w = *state;
    cv_resize(w->canvas, 300, 200, 1);
    push(w, LINES("one"));
    assert_true(cv_canvas_scene(w->canvas)->scroll_y == 0); /* the first is where it is */
    push(w, LINES("two"));
    struct cv_scene *s = cv_canvas_scene(w->canvas);
    const struct cv_item *root = cv_scene_find(s, "two", "root");
    assert_true(s->scroll_y > 0 && root->y >= 0 && root->y < 60);
    s->scroll_y = 0;
    push(w, LINES("two")); /* it was there */
    assert_true(cv_canvas_scene(w->canvas)->scroll_y == 0);
}

static void elsewhere_it_is_laid_out_anew(void **state) {
    struct world *w = *state;
    const struct cv_port phone = { 300, 200, 2 }, shorter = { 300, 120, 2 };
    double width, height;
    push(w, PAGE LINES("two"));
    OC_AUTO_BUF struct oc_buf own = picture(w);
    double button_w = cv_scene_find(cv_canvas_scene(w->canvas), "s", "root")->w;
    cv_seen(w->canvas);
    unsigned changes = w->changes;
    cv_use_port(w->canvas, &phone);
    struct cv_scene *s = cv_canvas_scene(w->canvas);
    assert_true(s->width == 300 && cv_scene_find(s, "s", "root")->w < button_w);
    cv_canvas_size(w->canvas, &width, &height);
    assert_true(width == 300 && height == 200);
    OC_AUTO_BUF struct oc_buf theirs = picture(w);
    assert_memory_equal(theirs.data + 16, "\0\0\2\x58\0\0\1\x90", 8); /* 600 × 400 */
    cv_use_port(w->canvas, NULL);
    OC_AUTO_BUF struct oc_buf again = picture(w);
    assert_int_equal(cv_painted(w->canvas), 0); /* our pixels are our own */
    assert_int_equal(again.len, own.len);
    assert_memory_equal(again.data, own.data, own.len);
    assert_int_equal(w->changes, changes); /* nothing has changed for anybody */
    /* each is scrolled for itself; what only a keyboard made smaller stays where it was */
    cv_use_port(w->canvas, &phone);
    s = cv_canvas_scene(w->canvas);
    assert_true(cv_input_scroll(cv_canvas_input(w->canvas), 10, 10, 0, 70));
    cv_after_input(w->canvas);
    assert_int_equal(w->changes, changes + 1);
    cv_use_port(w->canvas, NULL);
    assert_true(cv_canvas_scene(w->canvas)->scroll_y == 0);
    cv_use_port(w->canvas, &shorter);
    assert_true(cv_canvas_scene(w->canvas)->scroll_y == 70);
    /* as high as its content; what is huge is coarser */
    cv_use_port(w->canvas, &(struct cv_port){ 4096, 4096, 3 });
    OC_AUTO_BUF struct oc_buf huge = picture(w);
    const unsigned char *size = (const unsigned char *)huge.data + 16;
    assert_in_range(size[2] << 8 | size[3], 2800, 2840);
    cv_use_port(w->canvas, &(struct cv_port){ 300, 0, 1 });
    cv_canvas_size(w->canvas, &width, &height);
    assert_true(height > 200 && cv_canvas_scene(w->canvas)->scroll_y == 0);
    for (int i = 0; i < 20; i++) { /* however many there are */
        cv_use_port(w->canvas, &(struct cv_port){ 300 + i, 300, 1 });
        OC_AUTO_BUF struct oc_buf other = picture(w);
        assert_true(other.len > 0);
    }
    cv_use_port(w->canvas, NULL);
    OC_AUTO_BUF struct oc_buf last = picture(w);
    assert_memory_equal(last.data, own.data, own.len);
}

#define WIDE                                                                                      \
    "{\"surfaceUpdate\":{\"surfaceId\":\"w\",\"components\":["                                    \
    "{\"id\":\"root\",\"component\":{\"List\":{\"direction\":\"horizontal\","                     \
    "\"children\":{\"explicitList\":[\"a\",\"b\",\"c\"]}}}},"                                     \
    "{\"id\":\"a\",\"component\":{\"Text\":{\"text\":{\"literalString\":\"aaaaaaaaaaaaaaa\"}}}}," \
    "{\"id\":\"b\",\"component\":{\"Text\":{\"text\":{\"literalString\":\"bbbbbbbbbbbbbbb\"}}}}," \
    "{\"id\":\"c\",\"component\":{\"Text\":{\"text\":{\"literalString\":\"ccccccccccccccc\"}}}}"  \
    "]}}\n{\"beginRendering\":{\"surfaceId\":\"w\",\"root\":\"root\"}}"

/* A list that fits here and not there is scrolled there, whoever has it laid out in between. */
static void a_list_stays_scrolled_elsewhere(void **state) {
    struct world *w = *state;
    const struct cv_port narrow = { 200, 200, 1 };
    push(w, WIDE);
    cv_use_port(w->canvas, &narrow);
    struct cv_scene *s = cv_canvas_scene(w->canvas);
    const struct cv_item *root = cv_scene_find(s, "w", "root");
    assert_true(root->over_x > 40);
    assert_true(cv_input_scroll(cv_canvas_input(w->canvas), root->x + 5, root->y + 5, 40, 0));
    cv_after_input(w->canvas);
    cv_use_port(w->canvas, NULL);
    assert_true(cv_scene_find(cv_canvas_scene(w->canvas), "w", "root")->at_x == 0);
    cv_use_port(w->canvas, &narrow);
    assert_true(cv_scene_find(cv_canvas_scene(w->canvas), "w", "root")->at_x == 40);
    cv_use_port(w->canvas, NULL);
}

static void empty_and_reset(void **state) {
    struct world *w = *state;
    assert_true(list_has(w, "Canvas (A2UI)"));
    push(w, PAGE);
    assert_false(list_has(w, "Canvas (A2UI)"));
    cv_reset(w->canvas);
    assert_true(list_has(w, "Canvas (A2UI)"));
    struct oc_error err;
    assert_int_equal(cv_set_theme(w->canvas, "sepia", &err), OC_E_NOT_FOUND);
    assert_int_equal(cv_set_theme(w->canvas, "openclaw", &err), OC_OK);
    assert_true(list_has(w, "glow"));
}

/* An agent that shows page after page, each with ids and texts of its own. */
static void what_is_gone_takes_no_memory(void **state) {
    struct world *w = *state;
    size_t early = 0, late = 0;
    for (unsigned page = 0; page < 60; page++) {
        OC_AUTO_BUF struct oc_buf names = OC_BUF_INIT(1 << 20), parts = OC_BUF_INIT(1 << 20);
        for (unsigned i = 0; i < 300; i++) {
            (void)oc_buf_printf(&names, "%s\"p%u-%u\"", i ? "," : "", page, i);
            (void)oc_buf_printf(&parts,
                    ",{\"id\":\"p%u-%u\",\"component\":{\"TextField\":{\"label\":"
                    "{\"literalString\":\"page %u field %u\"}}}}",
                    page, i, page, i);
        }
        OC_AUTO_FREE char *push_text = oc_strfmt(
                "{\"deleteSurface\":{\"surfaceId\":\"s\"}}\n"
                "{\"surfaceUpdate\":{\"surfaceId\":\"s\",\"components\":[{\"id\":\"root\","
                "\"component\":{\"Column\":{\"children\":{\"explicitList\":[%s]}}}}%s]}}\n"
                "{\"beginRendering\":{\"surfaceId\":\"s\",\"root\":\"root\"}}",
                names.data, parts.data);
        push(w, push_text);
        (void)cv_list(w->canvas);
        late = mallinfo2().uordblks;
        early = page == 9 ? late : early;
    }
    assert_true(late < early + 200000); /* under a sanitizer both are 0 */
}

int main(void) {
    setenv("FONTCONFIG_FILE", OC_TEST_DIR "/canvas/fonts.conf", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_value_costs_its_place_only, setup, teardown),
        cmocka_unit_test_setup_teardown(changes_are_told_once_a_frame, setup, teardown),
        cmocka_unit_test_setup_teardown(a_refused_push_changes_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(a_button_tells_what_it_means, setup, teardown),
        cmocka_unit_test_setup_teardown(pictures_that_fail_at_once_are_no_loop, setup, teardown),
        cmocka_unit_test_setup_teardown(the_pill_says_how_it_goes, setup, teardown),
        cmocka_unit_test_setup_teardown(letters_that_no_font_has_are_told, setup, teardown),
        cmocka_unit_test_setup_teardown(letters_are_told_of_every_component, setup, teardown),
        cmocka_unit_test_setup_teardown(a_further_surface_is_scrolled_to, setup, teardown),
        cmocka_unit_test_setup_teardown(elsewhere_it_is_laid_out_anew, setup, teardown),
        cmocka_unit_test_setup_teardown(a_list_stays_scrolled_elsewhere, setup, teardown),
        cmocka_unit_test_setup_teardown(empty_and_reset, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_gone_takes_no_memory, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
