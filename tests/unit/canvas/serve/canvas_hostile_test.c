/* What a push may cost, however it was made up: counted in bytes, values and ops of a canvas as the
 * programs use it. */
#include "tests/unit/unit.h"

#include "canvas/paint/paint.h"
#include "canvas/serve/canvas.h"
#include "canvas/widgets/choices/choices.h"
#include "lib/base/mem.h"
#include "lib/base/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct world {
    struct cv_canvas *canvas;
    struct oc_buf line; /* the push that is being made up */
};

static int setup(void **state) {
    struct world *w = oc_new(struct world);
    struct cv_opts opts = { .theme = "default", .width = 480, .height = 300 };
    w->canvas = cv_canvas_create(&opts, NULL, NULL);
    w->line = OC_BUF_INIT(CV_MAX_PUSH);
    *state = w;
    return 0;
}

static int teardown(void **state) {
    struct world *w = *state;
    cv_canvas_destroy(w->canvas);
    oc_buf_finish(&w->line);
    oc_free(w);
    return 0;
}

/* ' stands for ". */
static void put(struct world *w, const char *text) {
    size_t at = w->line.len;
    assert_int_equal(oc_buf_puts(&w->line, text), OC_OK);
    for (; at < w->line.len; at++) {
        if (w->line.data[at] == '\'') {
            w->line.data[at] = '"';
        }
    }
}

static void put_times(struct world *w, const char *text, size_t times) {
    for (size_t i = 0; i < times; i++) {
        put(w, text);
    }
}

static void put_number(struct world *w, const char *before, unsigned n, const char *after) {
    OC_AUTO_FREE char *text = oc_strfmt("%s%u%s", before, n, after);
    put(w, text);
}

static void push(struct world *w) {
    struct oc_error err;
    if (cv_canvas_push(w->canvas, w->line.data, w->line.len, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    w->line.len = 0;
}

/* A surface "s" whose root is a Column of `count` components with these ids and this body. */
static void put_column(struct world *w, const char *id, unsigned count, const char *body) {
    put(w, "{'beginRendering':{'surfaceId':'s','root':'root'}}\n"
           "{'surfaceUpdate':{'surfaceId':'s','components':["
           "{'id':'root','component':{'Column':{'children':{'explicitList':[");
    for (unsigned i = 0; i < count; i++) {
        put(w, i ? ",'" : "'");
        put_number(w, id, i, "'");
    }
    put(w, "]}}}}");
    for (unsigned i = 0; i < count; i++) {
        put(w, ",{'id':'");
        put_number(w, id, i, "','component':");
        put(w, body);
        put(w, "}");
    }
    put(w, "]}}\n");
}

static void what_is_gone_is_forgotten(void **state) {
    struct world *w = *state;
    for (unsigned round = 0; round < 20; round++) {
        OC_AUTO_FREE char *id = oc_strfmt("r%u_", round);
        put(w, "{'deleteSurface':{'surfaceId':'s'}}\n");
        put_column(w, id, 50, "{'TextField':{'text':{'literalString':''}}}");
        push(w);
        struct cv_scene *s = cv_canvas_scene(w->canvas);
        assert_int_equal(s->count, 51);
        s->items[1].local->selected = 1; /* something that a person did */
        assert_int_equal(cv_locals_count(cv_canvas_locals(w->canvas)), 51);
    }
    cv_reset(w->canvas);
    (void)cv_canvas_scene(w->canvas);
    assert_int_equal(cv_locals_count(cv_canvas_locals(w->canvas)), 0);
}

/* The data of surface "s": /v is `text`, so many times one after the other. */
static void put_data(struct world *w, const char *text, size_t times) {
    put(w, "{'dataModelUpdate':{'surfaceId':'s','contents':[{'key':'v','valueString':'");
    put_times(w, text, times);
    put(w, "'}]}}\n");
}

/* The same, an array of so many times this. */
static void put_list(struct world *w, const char *member, size_t times) {
    put(w, "{'dataModelUpdate':{'surfaceId':'s','path':'v','contents':[{'key':'.',"
           "'valueString':'[");
    put_times(w, member, times);
    put(w, "0]'}]}}\n");
}

static bool was_told(struct world *w, const char *code) {
    const struct cv_diags *d = cv_canvas_diags(w->canvas);
    for (size_t i = 0; i < d->count; i++) {
        if (strcmp(d->items[i].code, code) == 0) {
            return true;
        }
    }
    return false;
}

static void titles_are_counted(void **state) {
    struct world *w = *state;
    put(w, "{'beginRendering':{'surfaceId':'s','root':'root'}}\n"
           "{'surfaceUpdate':{'surfaceId':'s','components':[{'id':'root','component':"
           "{'Tabs':{'tabItems':[");
    put_times(w, "{'title':{'path':'/v'},'child':'c'},", 255);
    put(w, "{'title':{'path':'/v'},'child':'c'}]}}}]}}\n");
    put_list(w, "123456,", 20000);
    push(w);
    struct cv_scene *s = cv_canvas_scene(w->canvas);
    assert_int_equal(s->count, 1);
    assert_in_range(strlen(s->items[0].text), 1990, 2000);
    assert_in_range(CV_MAX_SCENE_TEXT - s->text_left, 256 * 1990, 256 * 2010);
}

static void options_and_labels_are_counted(void **state) {
    struct world *w = *state;
    put(w, "{'beginRendering':{'surfaceId':'s','root':'root'}}\n"
           "{'surfaceUpdate':{'surfaceId':'s','components':["
           "{'id':'root','component':{'Column':{'children':{'explicitList':['c'");
    put_times(w, ",'c'", 99);
    put(w, "]}}}},{'id':'c','component':{'MultipleChoice':{'selections':{'path':'/v'},'options':[");
    for (unsigned i = 0; i < 1000; i++) {
        put_number(w, i ? ",{'label':{'path':'/v'},'value':'" : "{'label':{'path':'/v'},'value':'",
                i, "'}");
    }
    put(w, "]}}}]}}\n");
    put_list(w, "\\'5\\',", 1000);
    push(w);
    struct cv_scene *s = cv_canvas_scene(w->canvas);
    size_t total = 0;
    for (unsigned i = 1; i < s->count; i++) {
        total += ((const struct cv_choices *)s->items[i].state)->total;
    }
    assert_int_equal(s->count, 101);
    assert_in_range(total, 1000, CV_MAX_PARTS);
    assert_true(was_told(w, "too-many-parts"));
    assert_true(s->text_left < CV_MAX_SCENE_TEXT - 1000);
    assert_true(cv_arena_bytes(s->arena) < 4 * CV_MAX_SCENE_TEXT);
}

static void fields_on_one_long_text_are_counted(void **state) {
    struct world *w = *state;
    put_column(w, "f", 40, "{'TextField':{'text':{'path':'/v'}}}");
    put_data(w, "abcd efgh ijkl mnop qrst uvwx yz", 16384);
    push(w);
    struct cv_scene *s = cv_canvas_scene(w->canvas);
    assert_int_equal(s->count, 41);
    assert_true(was_told(w, "too-much-text"));
    assert_true(cv_arena_bytes(s->arena) < 2 * CV_MAX_SCENE_TEXT);
}

static void dates_that_are_none_are_counted(void **state) {
    struct world *w = *state;
    put_column(w, "d", 100, "{'DateTimeInput':{'value':{'path':'/v'}}}");
    put_data(w, "abcd efgh ijkl mnop qrst uvwx yz", 16384);
    push(w);
    struct cv_scene *s = cv_canvas_scene(w->canvas);
    assert_int_equal(s->count, 101);
    assert_true(cv_arena_bytes(s->arena) < (size_t)2 * 1024 * 1024);
}

static void paragraphs_and_cells_are_counted(void **state) {
    struct world *w = *state;
    put_column(w, "t", 10, "{'Text':{'text':{'path':'/v'}}}");
    put_data(w, "x\\n\\n", 30000);
    push(w);
    struct cv_scene *s = cv_canvas_scene(w->canvas);
    assert_int_equal(s->count, 11);
    assert_true(was_told(w, "too-many-blocks"));
    assert_int_equal(s->rich_left.blocks, 0);
    assert_true(cv_arena_bytes(s->arena) < (size_t)64 * 1024 * 1024);
    assert_true(cv_dl_count(cv_list(w->canvas)) < 100); /* those that are to be seen */
    put_column(w, "t", 10, "{'Text':{'text':{'path':'/v'}}}");
    put(w, "{'dataModelUpdate':{'surfaceId':'s','contents':[{'key':'v','valueString':'"
           "a|b|c|d|e|f|g\\n-|-|-|-|-|-|-\\n");
    put_times(w, "x\\n", 20000);
    put(w, "'}]}}\n");
    push(w);
    (void)cv_canvas_scene(w->canvas);
    assert_true(was_told(w, "too-many-blocks"));
    assert_true(cv_dl_count(cv_list(w->canvas)) < 200);
}

/* Runs in a process of its own that may use so much of the processor. */
static void costs_at_most(struct world *w, unsigned seconds, void (*fn)(struct world *w)) {
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct rlimit limit = { seconds, seconds };
        (void)setrlimit(RLIMIT_CPU, &limit);
        fn(w);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (status != 0) {
        fail_msg("more than %u s, or it failed: %d", seconds, status);
    }
}

static void push_and_build(struct world *w) {
    struct oc_error err;
    if (cv_canvas_push(w->canvas, w->line.data, w->line.len, &err) != OC_OK) {
        _exit(1);
    }
    (void)cv_canvas_scene(w->canvas);
}

/* Each of these is refused, and none of them has to look at the data for that. */
static void refused_literals_cost_little(void **state) {
    struct world *w = *state;
    put_list(w, "0,", 400000);
    put(w, "{'surfaceUpdate':{'surfaceId':'s','components':["
           "{'id':'root','component':{'Tabs':{'tabItems':[");
    put_times(w, "{'title':{'path':'/','literalString':''},'child':'c'},", 20000);
    put(w, "{'title':{'literalString':'end'},'child':'c'}]}}}]}}\n");
    costs_at_most(w, 30, push_and_build);
}

static unsigned actions;

static void count_action(void *user, struct cv_value *take_action) {
    (void)user;
    actions++;
    cv_value_destroy(take_action);
}

static void an_action_that_carries_too_much_is_not_made(void **state) {
    struct world *w = *state;
    put_list(w, "0,", 100000);
    put(w, "{'beginRendering':{'surfaceId':'s','root':'root'}}\n"
           "{'surfaceUpdate':{'surfaceId':'s','components':[{'id':'root','component':{'Button':"
           "{'child':'c','action':{'name':'go','context':[");
    for (unsigned i = 0; i < 50; i++) {
        put_number(w, i ? ",{'key':'" : "{'key':'", i, "','value':{'path':'/v'}}");
    }
    put(w, "]}}}},{'id':'c','component':{'Text':{'text':{'literalString':'Go'}}}}]}}\n");
    push(w);
    struct cv_scene *s = cv_canvas_scene(w->canvas);
    struct cv_input *in = cv_canvas_input(w->canvas);
    in->on_action = count_action;
    cv_input_fire(in, &s->items[0], cv_item_prop(&s->items[0], "action"));
    assert_int_equal(actions, 0);
    put_list(w, "0,", 100); /* 50 times this is fine */
    push(w);
    s = cv_canvas_scene(w->canvas);
    cv_input_fire(in, &s->items[0], cv_item_prop(&s->items[0], "action"));
    assert_int_equal(actions, 1);
}

static void long_ids_are_counted(void **state) {
    struct world *w = *state;
    for (unsigned i = 0; i < 6; i++) {
        OC_AUTO_BUF struct oc_buf id = OC_BUF_INIT(2000);
        (void)oc_buf_printf(&id, "s%u", i);
        while (id.len < 1000) {
            (void)oc_buf_putc(&id, 'z');
        }
        OC_AUTO_FREE char *lines = oc_strfmt(
                "{'beginRendering':{'surfaceId':'%s','root':'root'}}\n{'surfaceUpdate':"
                "{'surfaceId':'%s','components':[{'id':'root','component':{'Column':{'children':"
                "{'template':{'componentId':'%s','dataBinding':'/v'}}}}},"
                "{'id':'%s','component':{'Divider':{}}}]}}\n"
                "{'dataModelUpdate':{'surfaceId':'%s','path':'v','contents':[{'key':'.',"
                "'valueString':'[",
                id.data, id.data, id.data, id.data, id.data);
        put(w, lines);
        put_times(w, "0,", 9999);
        put(w, "0]'}]}}\n");
    }
    push(w);
    struct cv_scene *s = cv_canvas_scene(w->canvas);
    assert_in_range(s->count, 1000, 59999);
    assert_true(was_told(w, "too-many-items"));
    assert_true(cv_arena_bytes(s->arena) < (size_t)64 * 1024 * 1024);
}

static void surfaces_share_the_items_of_a_scene(void **state) {
    struct world *w = *state;
    for (unsigned i = 0; i < 8; i++) {
        put_number(w, "{'beginRendering':{'surfaceId':'s", i, "','root':'root'}}\n");
        put_number(w, "{'surfaceUpdate':{'surfaceId':'s", i,
                "','components':[{'id':'root','component':{'Column':{'children':{'template':"
                "{'componentId':'d','dataBinding':'/v'}}}}},"
                "{'id':'d','component':{'Divider':{}}}]}}\n");
        put_number(w, "{'dataModelUpdate':{'surfaceId':'s", i,
                "','path':'v','contents':[{'key':'.','valueString':'[");
        put_times(w, "0,", 9999);
        put(w, "0]'}]}}\n");
    }
    push(w);
    assert_int_equal(cv_canvas_scene(w->canvas)->count, CV_MAX_SCENE_ITEMS);
    assert_true(was_told(w, "too-many-items"));
}

static void show_text(struct cv_canvas *c, const char *text) {
    OC_AUTO_FREE char *lines = oc_strfmt(
            "{\"surfaceUpdate\":{\"surfaceId\":\"s\",\"components\":[{\"id\":\"root\","
            "\"component\":{\"Column\":{\"children\":{\"explicitList\":"
            "[\"p\",\"p\",\"p\",\"p\",\"t\",\"p\"]}}}},"
            "{\"id\":\"p\",\"component\":{\"Text\":{\"text\":{\"literalString\":\"plain\"}}}},"
            "{\"id\":\"t\",\"component\":{\"Text\":{\"text\":{\"literalString\":\"%s\"}}}}]}}\n"
            "{\"beginRendering\":{\"surfaceId\":\"s\",\"root\":\"root\"}}\n",
            text);
    struct oc_error err;
    if (cv_canvas_push(c, lines, strlen(lines), &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
}

static struct oc_buf picture(struct cv_canvas *c) {
    struct oc_buf out = OC_BUF_INIT(1 << 24);
    assert_int_equal(cv_canvas_picture(c, CV_PICTURE_PNG, 0, 0, &out, NULL), OC_OK);
    return out;
}

/* Whatever was shown before, the picture is that of a canvas that never showed anything else. The
 * first text that is not is told by its number, counted from 1. */
static int first_that_differs(void) {
    OC_AUTO_BUF struct oc_buf marks = OC_BUF_INIT(4000), lines = OC_BUF_INIT(40000);
    (void)oc_buf_putc(&marks, 'a');
    for (unsigned i = 0; i < 30; i++) {
        (void)oc_buf_puts(&marks, i % 2 ? "\xcc\x8b" : "\xcc\x81");
    }
    for (unsigned i = 0; i < 8; i++) {
        (void)oc_buf_printf(&lines, "%s b ", marks.data);
    }
    const char *const texts[] = { marks.data, "a", "Pay EUR 00010 to Ann ref ABCDEFG",
        "Pay EUR 99999 to5gbaaaaaJ0GeGhms", /* had the same hash once */
        lines.data, "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d", "- one\\n- two\\n\\n> three", marks.data,
        "plain" };
    struct cv_opts opts = { .theme = "default", .width = 480, .height = 300 };
    struct cv_canvas *canvas = cv_canvas_create(&opts, NULL, NULL);
    int differs = 0;
    for (size_t i = 0; !differs && i < OC_COUNT(texts); i++) {
        struct cv_canvas *other = cv_canvas_create(&opts, NULL, NULL);
        show_text(canvas, texts[i]);
        show_text(other, texts[i]);
        OC_AUTO_BUF struct oc_buf kept = picture(canvas), fresh = picture(other);
        cv_canvas_destroy(other);
        if (kept.len != fresh.len || memcmp(kept.data, fresh.data, kept.len) != 0) {
            differs = (int)i + 1;
        }
    }
    cv_canvas_destroy(canvas);
    return differs;
}

/* With fonts that put mark on mark, in a process that has no others. */
static int differs_with_noto(void) {
    pid_t pid = fork();
    if (pid == 0) {
        setenv("FONTCONFIG_FILE", OC_TEST_DIR "/canvas/fonts-noto.conf", 1);
        execl("/proc/self/exe", "canvas_hostile_test", "pictures", (char *)NULL);
        _exit(127);
    }
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void nothing_of_the_last_picture_stays(void **state) {
    (void)state;
    assert_int_equal(first_that_differs(), 0);
    assert_int_equal(differs_with_noto(), 0);
}

static void a_hair_is_painted_where_damage_looks(void **state) {
    (void)state;
    struct cv_pixels *kept = cv_pixels_create(), *fresh = cv_pixels_create();
    struct cv_display_list *empty = cv_dl_create(), *hair = cv_dl_create();
    cv_dl_box(hair, (struct cv_rect){ 5.7, 10.6, 20.2, 0.2 }, 0, 0xff0000ff, 0, 0);
    OC_AUTO_BUF struct oc_buf one = OC_BUF_INIT(1 << 20), two = OC_BUF_INIT(1 << 20);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(
                cv_pixels_paint(kept, i ? hair : empty, 40, 40, 1, 0xffffffff, NULL), OC_OK);
    }
    assert_int_equal(cv_pixels_paint(fresh, hair, 40, 40, 1, 0xffffffff, NULL), OC_OK);
    assert_int_equal(cv_pixels_encode(kept, CV_PICTURE_PNG, 0, 0, &one, NULL), OC_OK);
    assert_int_equal(cv_pixels_encode(fresh, CV_PICTURE_PNG, 0, 0, &two, NULL), OC_OK);
    assert_int_equal(one.len, two.len);
    assert_memory_equal(one.data, two.data, one.len);
    cv_dl_destroy(empty);
    cv_dl_destroy(hair);
    cv_pixels_destroy(kept);
    cv_pixels_destroy(fresh);
}

static void diagnostics_are_harmless_in_a_terminal(void **state) {
    struct world *w = *state;
    put(w, "{'surfaceUpdate':{'surfaceId':'\\u001b[2Js','components':[{'id':'root','component':"
           "{'Text':{'\\u001b]0;x\\u0007\\u009b':1,'x");
    put_times(w, "\xc3\xa4", 100);
    put(w, "':1}}}]}}\n");
    push(w);
    (void)cv_canvas_scene(w->canvas);
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(1 << 16);
    assert_int_equal(cv_diags_print_text(&out, cv_canvas_diags(w->canvas)), OC_OK);
    assert_non_null(strstr(out.data, "\\x1b[2Js/root: "));
    assert_non_null(strstr(out.data, "'\\x1b]0;x\\x07\\x9b'"));
    assert_true(oc_utf8_valid(out.data, out.len));
    assert_null(strstr(out.data, "\xef\xbf\xbd")); /* nothing was cut in a character */
    for (size_t i = 0; i < out.len; i++) {
        assert_true(out.data[i] == '\n' || (unsigned char)out.data[i] >= 0x20);
    }
}

static void no_two_items_share_a_key(void **state) {
    struct world *w = *state;
    static const char *const ids[][2] = { { "s", "'x\\n2','x','x','x','x\\n2\\n2','x'" },
        { "a\\nb", "'c','c'" }, { "a", "'b\\nc','b\\nc'" } };
    static const char *const all[] = { "x", "x\\n2", "x\\n2\\n2", "c", "b\\nc" };
    for (size_t i = 0; i < OC_COUNT(ids); i++) {
        OC_AUTO_FREE char *lines = oc_strfmt(
                "{'beginRendering':{'surfaceId':'%s','root':'root'}}\n{'surfaceUpdate':"
                "{'surfaceId':'%s','components':[{'id':'root','component':{'Column':{'children':"
                "{'explicitList':[%s]}}}}",
                ids[i][0], ids[i][0], ids[i][1]);
        put(w, lines);
        for (size_t k = 0; k < OC_COUNT(all); k++) {
            OC_AUTO_FREE char *one = oc_strfmt(",{'id':'%s','component':{'Divider':{}}}", all[k]);
            put(w, one);
        }
        put(w, "]}}\n");
    }
    push(w);
    const struct cv_scene *s = cv_canvas_scene(w->canvas);
    assert_int_equal(s->count, 3 + 6 + 2 + 2);
    for (unsigned i = 0; i < s->count; i++) {
        for (unsigned k = 0; k < i; k++) {
            assert_string_not_equal(s->items[i].key, s->items[k].key);
        }
    }
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "pictures") == 0) {
        return first_that_differs();
    }
    setenv("FONTCONFIG_FILE", OC_TEST_DIR "/canvas/fonts.conf", 1);
    const struct CMUnitTest tests[] = {
        T(what_is_gone_is_forgotten),
        T(titles_are_counted),
        T(options_and_labels_are_counted),
        T(fields_on_one_long_text_are_counted),
        T(dates_that_are_none_are_counted),
        T(paragraphs_and_cells_are_counted),
        T(refused_literals_cost_little),
        T(an_action_that_carries_too_much_is_not_made),
        T(long_ids_are_counted),
        T(surfaces_share_the_items_of_a_scene),
        cmocka_unit_test(nothing_of_the_last_picture_stays),
        T(diagnostics_are_harmless_in_a_terminal),
        T(no_two_items_share_a_key),
        cmocka_unit_test(a_hair_is_painted_where_damage_looks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
