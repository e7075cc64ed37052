/* Which items a scene has: ids, depths, contexts; ceilings. Components without text, so that no
 * engine matters. */
#include "tests/unit/unit.h"

#include "canvas/scene/scene.h"

#include <stdio.h>

struct world {
    struct cv_model *model;
    struct cv_locals *locals;
    struct cv_texts *texts;
    struct cv_diags diags;
    struct cv_scene scene;
};

static int setup(void **state) {
    struct world *w = oc_new(struct world);
    w->model = cv_model_create();
    w->locals = cv_locals_create();
    w->texts = cv_texts_create();
    w->scene = (struct cv_scene){ .width = 480,
        .theme = cv_theme_find("default"),
        .model = w->model,
        .texts = w->texts,
        .arena = cv_arena_create(),
        .diags = &w->diags };
    *state = w;
    return 0;
}

static int teardown(void **state) {
    struct world *w = *state;
    cv_scene_finish(&w->scene);
    cv_locals_destroy(w->locals);
    cv_model_destroy(w->model);
    cv_texts_destroy(w->texts);
    cv_arena_destroy(w->scene.arena);
    cv_diags_clear(&w->diags);
    oc_free(w);
    return 0;
}

/* Quotes in the lines are '. */
static void push(struct world *w, const char *lines) {
    OC_AUTO_FREE char *jsonl = oc_strdup(lines);
    for (char *c = jsonl; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    OC_AUTO(cv_push) struct cv_push *p = NULL;
    struct oc_error err = { 0 };
    if (cv_push_parse(jsonl, strlen(jsonl), &p, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    cv_model_apply(w->model, p, NULL);
}

static void build(struct world *w) {
    cv_diags_clear(&w->diags);
    cv_arena_clear(w->scene.arena);
    w->scene.serial++;
    cv_scene_build(&w->scene, w->locals);
}

/* Surface "s": components and data as given, its root is "root". */
static void show(struct world *w, const char *components, const char *data) {
    OC_AUTO_FREE char *lines = oc_strfmt("{'surfaceUpdate':{'surfaceId':'s','components':[%s]}}\n"
                                         "{'dataModelUpdate':{'surfaceId':'s','contents':%s}}\n"
                                         "{'beginRendering':{'surfaceId':'s','root':'root'}}",
            components, data ? data : "[]");
    push(w, lines);
    build(w);
}

static char *items(const struct world *w) {
    struct oc_buf out = OC_BUF_INIT(1 << 22);
    oc_buf_puts(&out, "");
    for (unsigned i = 0; i < w->scene.count; i++) {
        oc_buf_printf(&out, "%s%u%s", i ? " " : "", w->scene.items[i].depth, w->scene.items[i].id);
    }
    return oc_buf_take(&out);
}

static void has(const struct world *w, const char *want) {
    OC_AUTO_FREE char *found = items(w);
    assert_string_equal(found, want);
}

static void told(const struct world *w, const char *want) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(1 << 16);
    oc_buf_puts(&out, "");
    for (size_t i = 0; i < w->diags.count; i++) {
        oc_buf_printf(&out, "%s%s", i ? " " : "", w->diags.items[i].code);
    }
    assert_string_equal(out.data, want);
}

#define LINE(id) "{'id':'" id "','component':{'Divider':{}}}"
#define COLUMN(id, list) \
    "{'id':'" id "','component':{'Column':{'children':{'explicitList':[" list "]}}}}"
#define CARD(id, child) "{'id':'" id "','component':{'Card':{'child':'" child "'}}}"
#define LIST(id, child, path)                                                           \
    "{'id':'" id "','component':{'List':{'children':{'template':{'componentId':'" child \
    "','dataBinding':'" path "'}}}}}"

static void pre_order(void **state) {
    struct world *w = *state;
    show(w,
            COLUMN("root", "'a','b'") "," CARD("a", "c") "," LINE("b") "," COLUMN(
                    "c", "'d','e'") "," LINE("d") "," LINE("e"),
            NULL);
    has(w, "0root 1a 2c 3d 3e 1b");
    told(w, "");
    assert_int_equal(w->scene.items[0].below, 5);
    assert_int_equal(w->scene.items[1].below, 3);
    assert_int_equal(w->scene.items[5].parent, 0);
    assert_int_equal(w->scene.items[0].parent, 0);
    assert_string_equal(w->scene.items[3].key, "s\nd");
    assert_non_null(w->scene.items[3].local);
}

static void late_children_appear(void **state) {
    struct world *w = *state;
    push(w, "{'beginRendering':{'surfaceId':'s','root':'root'}}");
    build(w);
    has(w, "");
    told(w, "missing-root");
    push(w, "{'surfaceUpdate':{'surfaceId':'s','components':[" COLUMN("root", "'a','b'") "," LINE(
                    "b") "]}}");
    build(w);
    has(w, "0root 1b");
    told(w, "missing-child");
    assert_string_equal(w->diags.items[0].message, "there is no component 'a'");
    assert_string_equal(w->diags.items[0].component, "root");
    push(w, "{'surfaceUpdate':{'surfaceId':'s','components':[" LINE("a") "]}}");
    build(w);
    has(w, "0root 1a 1b");
    told(w, "");
}

static void unknown_types_are_left_out(void **state) {
    struct world *w = *state;
    show(w,
            COLUMN("root", "'a','b'") ",{'id':'a','component':{'Chart':{}}}," LINE("b") "," LINE(
                    "orphan"),
            NULL);
    has(w, "0root 1b");
}

static void used_twice_is_shown_twice(void **state) {
    struct world *w = *state;
    show(w, COLUMN("root", "'a','a','b'") "," CARD("b", "a") "," LINE("a"), NULL);
    has(w, "0root 1a 1a 1b 2a");
    told(w, "");
    assert_string_equal(w->scene.items[1].key, "s\na");
    assert_string_equal(w->scene.items[2].key, "s\na\n2");
    assert_string_equal(w->scene.items[4].key, "s\na\n3");
    assert_ptr_not_equal(w->scene.items[1].local, w->scene.items[2].local);
}

static void cycles_are_cut(void **state) {
    struct world *w = *state;
    show(w, COLUMN("root", "'a','root','b'") "," CARD("a", "c") "," CARD("c", "a") "," LINE("b"),
            NULL);
    has(w, "0root 1a 2c 1b");
    told(w, "cycle cycle");
}

static void bare_lists_and_odd_children(void **state) {
    struct world *w = *state;
    show(w, "{'id':'root','component':{'Column':{'children':['a',5,null,'','a']}}}," LINE("a"),
            NULL);
    has(w, "0root 1a 1a");
    show(w, "{'id':'root','component':{'Column':{'children':'a'}}}", NULL);
    has(w, "0root");
    show(w, "{'id':'root','component':{'Column':{}}}", NULL);
    has(w, "0root");
}

static void templates(void **state) {
    struct world *w = *state;
    show(w, LIST("root", "card", "/l") "," CARD("card", "x") "," LINE("x"), "{'l':[{},{}]}");
    has(w, "0root 1card:0 2x:0 1card:1 2x:1");
    told(w, "");
    assert_string_equal(w->scene.items[4].context->path, "/l/1");
    assert_null(w->scene.items[0].context);
    show(w, LIST("root", "card", "l") "," CARD("card", "x") "," LINE("x"), "{'l':{'b':1,'a':2}}");
    has(w, "0root 1card:b 2x:b 1card:a 2x:a");
    show(w, LIST("root", "card", "/none") "," CARD("card", "x") "," LINE("x"), "{'l':7}");
    has(w, "0root");
    told(w, "");
    show(w, LIST("root", "card", "/l") "," CARD("card", "x"), "{'l':7}");
    has(w, "0root");
    show(w, LIST("root", "nobody", "/l"), "{'l':[1]}");
    has(w, "0root");
    told(w, "missing-child");
}

static void nested_templates(void **state) {
    struct world *w = *state;
    const char *parts = LIST("root", "row", "/rows") "," LIST("row", "cell", "cells") "," CARD(
            "cell", "x") "," LINE("x");
    show(w, parts, "{'rows':[{'cells':[1,2]},{'cells':[]},{'cells':[3]}]}");
    has(w, "0root 1row:0 2cell:0:0 3x:0:0 2cell:0:1 3x:0:1 1row:1 1row:2 2cell:2:0 3x:2:0");
    assert_string_equal(w->scene.items[9].context->path, "/rows/2/cells/0");
    assert_string_equal(w->scene.items[9].context->parent->path, "/rows/2");
    /* maps give their key alone, so ids can repeat; keys do not */
    show(w, parts, "{'rows':{'a':{'cells':[1]},'b':{'cells':[1]},'c':{'cells':{'k':1}}}}");
    has(w, "0root 1row:a 2cell:0 3x:0 1row:b 2cell:0 3x:0 1row:c 2cell:k 3x:k");
    assert_string_equal(w->scene.items[5].key, "s\ncell:0\n2");
    /* an absolute binding of the inner one is the root's, or the item's */
    show(w, LIST("root", "row", "/rows") "," LIST("row", "cell", "/cells") "," LINE("cell"),
            "{'rows':[{'cells':[1]}]}");
    has(w, "0root 1row:0 2cell:0:0");
    show(w, LIST("root", "row", "/rows") "," LIST("row", "cell", "/cells") "," LINE("cell"),
            "{'rows':[{'cells':[1]}],'cells':[1,2]}");
    has(w, "0root 1row:0 2cell:0 2cell:1");
}

static void odd_keys_stay_whole(void **state) {
    struct world *w = *state;
    show(w, LIST("root", "row", "/rows") "," LIST("row", "x", "n") "," LINE("x"),
            "{'rows':{'a.b/c':{'n':[1]},'':{'n':[1,2]},'n\\u0000l':{'n':[]}}}");
    has(w, "0root 1row:a.b/c 2x:0 1row: 2x:0 2x:1 1row:2");
    assert_int_equal(w->scene.items[2].context->count, 4);
}

static void recursion_through_a_template_is_cut(void **state) {
    struct world *w = *state;
    show(w, LIST("root", "root", "/l"), "{'l':[{'l':[1]}]}");
    has(w, "0root");
    told(w, "cycle");
}

static void instances_initialise(void **state) {
    struct world *w = *state;
    show(w,
            LIST("root", "f", "/l") ",{'id':'f','component':{'Divider':{'value':{'path':'v','"
                                    "literalString':'d'},"
                                    "'other':{'path':'/deep/er','literalNumber':1}}}}",
            "{'l':[{'v':'has'},{},'bare']}");
    has(w, "0root 1f:0 1f:1 1f:2");
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(1000);
    cv_model_print_data(&out, w->model);
    assert_string_equal(out.data,
            "{\"surfaces\":[{\"id\":\"s\",\"data\":{\"l\":[{\"v\":\"has\",\"deep\":{\"er\":1}},"
            "{\"v\":\"d\",\"deep\":{\"er\":1}},\"bare\"]}}]}");
    assert_true(cv_value_is(cv_item_value(&w->scene.items[1], "value"), "has"));
    assert_true(cv_value_is(cv_item_value(&w->scene.items[2], "value"), "d"));
    assert_true(cv_value_is(cv_item_value(&w->scene.items[3], "value"), "d"));
    assert_true(oc_slice_eq(cv_item_path(&w->scene.items[1], "value"), "v"));
}

static void properties(void **state) {
    struct world *w = *state;
    show(w,
            "{'id':'root','component':{'Divider':{'t':{'path':'/n'},'m':{'path':'/"
            "m'},'e':'b','f':{'literalString':'c'},"
            "'z':'a\\u0000b'}}}",
            "{'n':4.5,'m':{'k':[1]}}");
    struct cv_item *it = &w->scene.items[0];
    static const char *const names[] = { "a", "b", "c", NULL };
    assert_string_equal(cv_item_text(&w->scene, it, "t"), "4.5");
    assert_string_equal(cv_item_text(&w->scene, it, "m"), "{\"k\":[1]}");
    assert_string_equal(cv_item_text(&w->scene, it, "none"), "");
    assert_string_equal(cv_item_text(&w->scene, it, "z"), "a\xef\xbf\xbd"
                                                          "b");
    assert_int_equal(cv_item_choice(&w->scene, it, "e", names, 0), 1);
    assert_int_equal(cv_item_choice(&w->scene, it, "f", names, 0), 2);
    assert_int_equal(cv_item_choice(&w->scene, it, "t", names, 7), 7);
    assert_null(cv_item_path(it, "e").ptr);
    w->scene.text_left = 2;
    assert_string_equal(cv_item_text(&w->scene, it, "t"), "");
}

static void missing_data_is_told(void **state) {
    struct world *w = *state;
    show(w, LIST("root", "x", "/l") ",{'id':'x','component':{'Text':{'text':{'path':'name'}}}}",
            "{'l':[{'name':'a'},{},{}]}");
    has(w, "0root 1x:0 1x:1 1x:2");
    told(w, "no-data");
    assert_string_equal(w->diags.items[0].message, "no data at 'name'");
    assert_int_equal(w->diags.items[0].line, 1);
    push(w, "{'dataModelUpdate':{'surfaceId':'s','path':'/other','contents':[]}}");
    build(w);
    told(w, "no-data");
    assert_int_equal(w->diags.items[0].line, 0);
    show(w, "{'id':'root','component':{'TextField':{'label':{'path':'/l'},'text':{'path':'/t'}}}}",
            NULL);
    told(w, "no-data");
    assert_string_equal(w->diags.items[0].message, "no data at '/l'");
}

static void depth_is_bounded(void **state) {
    struct world *w = *state;
    OC_AUTO_BUF struct oc_buf parts = OC_BUF_INIT(1 << 20);
    oc_buf_puts(&parts, CARD("root", "c0"));
    for (int i = 0; i < 400; i++) {
        oc_buf_printf(&parts, ",{'id':'c%d','component':{'Card':{'child':'c%d'}}}", i, i + 1);
    }
    show(w, parts.data, NULL);
    assert_int_equal(w->scene.count, CV_MAX_DEPTH);
    told(w, "too-deep");
}

static void items_are_bounded(void **state) {
    struct world *w = *state;
    OC_AUTO_BUF struct oc_buf parts = OC_BUF_INIT(1 << 20);
    oc_buf_puts(&parts, COLUMN("root", "'c0','c0'"));
    for (int i = 0; i < 40; i++) {
        oc_buf_printf(&parts, ",{'id':'c%d','component':{'Column':{'children':['c%d','c%d']}}}", i,
                i + 1, i + 1);
    }
    show(w, parts.data, NULL);
    assert_true(w->scene.count == CV_MAX_ITEMS);
    told(w, "missing-child too-many-items");
}

static void ten_thousand_instances(void **state) {
    struct world *w = *state;
    OC_AUTO_BUF struct oc_buf data = OC_BUF_INIT(1 << 22);
    oc_buf_puts(&data, "[{'key':'l','valueString':'[0");
    for (int i = 1; i < 30000; i++) {
        oc_buf_printf(&data, ",%d", i);
    }
    oc_buf_puts(&data, "]'}]");
    show(w, LIST("root", "x", "/l") "," LINE("x"), data.data);
    assert_int_equal(w->scene.count, CV_MAX_ITEMS);
    assert_string_equal(w->scene.items[10000].id, "x:9999");
    told(w, "too-many-items");
    /* every instance misses the same child: told once */
    show(w, LIST("root", "x", "/l") "," CARD("x", "gone"), data.data);
    told(w, "missing-child too-many-items");
    /* it is the end that is cut off, not what is in the instances */
    show(w, LIST("root", "x", "/l") "," CARD("x", "y") "," LINE("y"), data.data);
    assert_string_equal(w->scene.items[CV_MAX_ITEMS - 2].id, "y:9998");
}

static void patience_has_an_end(void **state) {
    struct world *w = *state;
    OC_AUTO_BUF struct oc_buf ids = OC_BUF_INIT(1 << 22), data = OC_BUF_INIT(1 << 20);
    for (int i = 0; i < 50000; i++) {
        oc_buf_printf(&ids, "%s'm%d'", i ? "," : "", i);
    }
    oc_buf_puts(&data, "{'l':[0");
    for (int i = 1; i < 10000; i++) {
        oc_buf_puts(&data, ",0");
    }
    oc_buf_puts(&data, "]}");
    OC_AUTO_FREE char *parts =
            oc_strfmt("%s,{'id':'x','component':{'Column':{'children':{'explicitList':[%s]}}}}",
                    LIST("root", "x", "/l"), ids.data);
    show(w, parts, data.data);
    assert_int_equal(w->scene.count, 10001);
    assert_int_equal(w->diags.count, CV_MAX_DIAGNOSTICS);
}

static void locals_outlive_scenes(void **state) {
    struct world *w = *state;
    const char *parts = COLUMN("root", "'a','b'") "," LINE("a") "," LINE("b");
    show(w, parts, NULL);
    w->scene.items[1].local->selected = 3;
    w->scene.items[2].local->filter = oc_strdup("typed");
    build(w);
    assert_int_equal(w->scene.items[1].local->selected, 3);
    /* hidden for a while, but still known */
    push(w, "{'surfaceUpdate':{'surfaceId':'s','components':[" COLUMN("root", "'a'") "]}}");
    for (int i = 0; i < 5; i++) {
        build(w);
    }
    push(w, "{'surfaceUpdate':{'surfaceId':'s','components':[" COLUMN("root", "'a','b'") "]}}");
    build(w);
    assert_string_equal(w->scene.items[2].local->filter, "typed");
    /* a surface that was deleted starts anew */
    push(w, "{'deleteSurface':{'surfaceId':'s'}}");
    show(w, parts, NULL);
    assert_int_equal(w->scene.items[1].local->selected, 0);
    assert_int_equal(w->scene.items[1].local->highlight, -1);
    assert_null(w->scene.items[2].local->filter);
}

static void several_surfaces(void **state) {
    struct world *w = *state;
    push(w, "{'beginRendering':{'surfaceId':'b','root':'x'}}\n{'beginRendering':{'surfaceId':'a','"
            "root':'x'}}\n"
            "{'surfaceUpdate':{'surfaceId':'a','components':[" LINE(
                    "x") "]}}\n"
                         "{'surfaceUpdate':{'surfaceId':'hidden','components':[" LINE(
                                 "x") "]}}\n"
                                      "{'surfaceUpdate':{'surfaceId':'b','components':[" CARD(
                                              "x", "y") "," LINE("y") "]}}");
    build(w);
    has(w, "0x 1y 0x");
    assert_string_equal(w->scene.items[2].surface->id, "a");
    assert_int_equal(w->scene.items[2].parent, 2);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void) {
    const struct CMUnitTest tests[] = { T(pre_order), T(late_children_appear),
        T(unknown_types_are_left_out), T(used_twice_is_shown_twice), T(cycles_are_cut),
        T(bare_lists_and_odd_children), T(templates), T(nested_templates), T(odd_keys_stay_whole),
        T(recursion_through_a_template_is_cut), T(instances_initialise), T(properties),
        T(missing_data_is_told), T(depth_is_bounded), T(items_are_bounded),
        T(ten_thousand_instances), T(patience_has_an_end), T(locals_outlive_scenes),
        T(several_surfaces) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
