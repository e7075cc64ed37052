#include "tests/unit/unit.h"

#include "canvas/model/model.h"

#include <stdio.h>

static struct cv_diags diags;

static struct cv_model *model_of(const char *jsonl) {
    struct cv_model *m = cv_model_create();
    struct oc_error err = { 0 };
    OC_AUTO(cv_push) struct cv_push *p = NULL;
    if (cv_push_parse(jsonl, strlen(jsonl), &p, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    cv_diags_clear(&diags);
    cv_model_apply(m, p, &diags);
    return m;
}

static void add(struct cv_model *m, const char *jsonl) {
    OC_AUTO(cv_push) struct cv_push *p = NULL;
    assert_int_equal(cv_push_parse(jsonl, strlen(jsonl), &p, NULL), OC_OK);
    cv_diags_clear(&diags);
    cv_model_apply(m, p, &diags);
}

static int clear_diags(void **state) {
    (void)state;
    cv_diags_clear(&diags);
    return 0;
}

static bool told(const char *code) {
    for (size_t i = 0; i < diags.count; i++) {
        if (strcmp(diags.items[i].code, code) == 0) {
            return true;
        }
    }
    return false;
}

/* The codes of all diagnostics: "a b c ". */
static void told_exactly(const char *codes) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(1 << 16);
    oc_buf_puts(&out, "");
    for (size_t i = 0; i < diags.count; i++) {
        oc_buf_printf(&out, "%s%s", i ? " " : "", diags.items[i].code);
    }
    assert_string_equal(out.data, codes);
}

static void data_is(const struct cv_model *m, const char *want) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(1 << 20);
    assert_int_equal(cv_value_print(&out, cv_model_surface(m, 0)->data), OC_OK);
    assert_string_equal(out.data, want);
}

/* Contents without the wrapping: quotes are ' */
static void becomes(const char *path, const char *contents, const char *want) {
    OC_AUTO_FREE char *line = oc_strfmt("{'dataModelUpdate':{'surfaceId':'s',%s%s%s'contents':%s}}",
            path ? "'path':'" : "", path ? path : "", path ? "'," : "", contents);
    for (char *c = line; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    OC_AUTO(cv_model) struct cv_model *m = model_of(line);
    data_is(m, want);
}

static void contents_become_data(void **state) {
    (void)state;
    becomes(NULL,
            "[{'key':'a','valueString':'x'},{'key':'b','valueNumber':1.5},{'key':'c','valueBoolean'"
            ":false},"
            "{'key':'d','valueMap':[{'key':'e','valueMap':[{'key':'f','valueString':'deep'}]}]}]",
            "{\"a\":\"x\",\"b\":1.5,\"c\":false,\"d\":{\"e\":{\"f\":\"deep\"}}}");
    told_exactly("");
    becomes("/", "[{'key':'a.b','valueNumber':1},{'key':'a/c','valueNumber':2}]",
            "{\"a\":{\"b\":1,\"c\":2}}");
    becomes("/user/0/x", "[{'key':'n','valueNumber':1}]", "{\"user\":{\"0\":{\"x\":{\"n\":1}}}}");
    becomes("a[1].b", "[{'key':'.','valueNumber':7}]", "{\"a\":{\"1\":{\"b\":7}}}");
    told_exactly("");
    /* a text that is JSON */
    becomes(NULL,
            "[{'key':'l','valueString':' [1,{\\'k\\':null}] '},{'key':'m','valueString':'{}'}]",
            "{\"l\":[1,{\"k\":null}],\"m\":{}}");
    becomes(NULL, "[{'key':'l','valueString':'[not json]'}]", "{\"l\":\"[not json]\"}");
    /* what is odd */
    becomes(NULL, "{}", "{}");
    told_exactly("");
    becomes(NULL, "{'a':[1]}", "{\"a\":[1]}");
    told_exactly("wrong-type");
    becomes(NULL, "[{'key':'a','valueNumber':1,'valueString':'x'}]", "{\"a\":1}");
    told_exactly("two-value-members");
    becomes(NULL,
            "[{'key':'','valueNumber':1},{'key':'/"
            "','valueNumber':1},{'valueNumber':1},7,{'key':'k'}]",
            "{}");
    told_exactly("missing-key missing-key missing-key missing-key missing-value");
    becomes(NULL, "[{'key':'a','valueNumber':'5'},{'key':'b','valueMap':{'x':1}}]",
            "{\"a\":\"5\",\"b\":{\"x\":1}}");
    told_exactly("wrong-type wrong-type");
    becomes(NULL, "[{'key':'.','valueNumber':7}]", "{}");
    told_exactly("data-refused");
    becomes(NULL, "'x'", "{}");
    told_exactly("wrong-type");
}

static void updates_replace(void **state) {
    (void)state;
    OC_AUTO(cv_model)
    struct cv_model *m = model_of(
            "{\"dataModelUpdate\":{\"surfaceId\":\"s\",\"contents\":[{\"key\":\"u\",\"valueMap\":[{"
            "\"key\":\"n\",\"valueString\":\"x\"}]},{\"key\":\"k\",\"valueNumber\":1}]}}\n"
            "{\"dataModelUpdate\":{\"surfaceId\":\"s\",\"path\":\"u\",\"contents\":[{\"key\":\"e\","
            "\"valueString\":\"y\"}]}}");
    data_is(m, "{\"u\":{\"e\":\"y\"},\"k\":1}");
    add(m, "{\"dataModelUpdate\":{\"surfaceId\":\"s\",\"path\":\"/k/"
           "x\",\"contents\":[{\"key\":\".\",\"valueString\":\"[1,2]\"}]}}");
    data_is(m, "{\"u\":{\"e\":\"y\"},\"k\":{\"x\":[1,2]}}");
    add(m, "{\"dataModelUpdate\":{\"surfaceId\":\"s\",\"path\":\"/k/x/"
           "1\",\"contents\":[{\"key\":\".\",\"valueNumber\":5}]}}\n"
           "{\"dataModelUpdate\":{\"surfaceId\":\"s\",\"path\":\"/k/x/"
           "2\",\"contents\":[{\"key\":\".\",\"valueNumber\":6}]}}\n"
           "{\"dataModelUpdate\":{\"surfaceId\":\"s\",\"path\":\"/k/x/"
           "9\",\"contents\":[{\"key\":\".\",\"valueNumber\":6}]}}");
    data_is(m, "{\"u\":{\"e\":\"y\"},\"k\":{\"x\":[1,5,6]}}");
    told_exactly("data-refused");
    add(m, "{\"dataModelUpdate\":{\"surfaceId\":\"s\",\"contents\":[]}}");
    data_is(m, "{}");
}

static void same(const struct cv_model *m, const char *path, const char *want) {
    const struct cv_value *v = cv_surface_lookup(
            cv_model_surface(m, 0), NULL, (struct oc_slice){ path, strlen(path) });
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(1 << 16);
    oc_buf_puts(&out, v ? "" : "nothing");
    if (v) {
        cv_value_print(&out, v);
    }
    assert_string_equal(out.data, want);
}

static const char *const tree = "{\"dataModelUpdate\":{\"surfaceId\":\"s\",\"contents\":{\"a\":{"
                                "\"b\":[{\"c\":1},{\"c\":2}],\"1\":\"one\"},\"x\":\"s\"}}}";

static void path_grammar(void **state) {
    (void)state;
    OC_AUTO(cv_model) struct cv_model *m = model_of(tree);
    static const char *const ways[] = { "/a/b/1/c", "a/b/1/c", "a.b.1.c", "/a.b[1].c", "a.b[1]/c/",
        "//a//b..1/c", "./a/b/1/c" };
    for (size_t i = 0; i < OC_COUNT(ways); i++) {
        same(m, ways[i], "2");
    }
    same(m, "/a/1", "\"one\"");
    same(m, "a[1]", "\"one\"");
    same(m, "/a/b/2", "nothing");
    same(m, "/a/b/x", "nothing");
    same(m, "/x/y", "nothing");
    same(m, "/a/b/99999999999999999999", "nothing");
    same(m, "/x", "\"s\"");
    same(m, "x[", "nothing");
    same(m, "", "{\"a\":{\"b\":[{\"c\":1},{\"c\":2}],\"1\":\"one\"},\"x\":\"s\"}");
    OC_AUTO_BUF struct oc_buf deep = OC_BUF_INIT(1 << 16);
    for (int i = 0; i < 1000; i++) {
        oc_buf_puts(&deep, "/a");
    }
    same(m, deep.data, "nothing");
}

static void paths_in_templates(void **state) {
    (void)state;
    OC_AUTO(cv_model)
    struct cv_model *m =
            model_of("{\"dataModelUpdate\":{\"surfaceId\":\"s\",\"contents\":{\"l\":[{\"n\":"
                     "\"item\",\"itemPrice\":3},\"bare\"],\"n\":\"root\",\"r\":\"only\"}}}");
    const struct cv_surface *s = cv_model_surface(m, 0);
    struct oc_slice first[] = { SLICE("l"), SLICE("0") }, second[] = { SLICE("l"), SLICE("1") };
    struct cv_context a = { .path = "/l/0", .segments = first, .count = 2 },
                      b = { .path = "/l/1", .segments = second, .count = 2 };
    assert_true(cv_value_is(cv_surface_lookup(s, &a, SLICE("n")), "item"));
    assert_true(cv_value_is(cv_surface_lookup(s, &a, SLICE("/n")), "item"));
    assert_true(cv_value_is(cv_surface_lookup(s, &a, SLICE("./n")), "item"));
    assert_true(cv_value_is(cv_surface_lookup(s, &a, SLICE("/item/n")), "item"));
    assert_true(cv_value_is(cv_surface_lookup(s, &a, SLICE("./item/n")), "item"));
    assert_true(cv_value_number(cv_surface_lookup(s, &a, SLICE("/itemPrice"))) == 3);
    assert_true(cv_value_is(cv_surface_lookup(s, &a, SLICE("/r")), "only"));
    assert_null(cv_surface_lookup(s, &a, SLICE("r")));
    assert_true(cv_value_is(cv_surface_lookup(s, &b, SLICE("")), "bare"));
    assert_true(cv_value_is(cv_surface_lookup(s, &b, SLICE(".")), "bare"));
    assert_true(cv_value_is(cv_surface_lookup(s, &b, SLICE("/item")), "bare"));
    assert_true(cv_value_is(cv_surface_lookup(s, &b, SLICE("/text")), "bare"));
    assert_true(cv_value_is(cv_surface_lookup(s, &b, SLICE("/n")), "root"));
    /* writes go where reading looks, or into the item */
    assert_true(cv_surface_write(m, s, &a, SLICE("/n"), cv_value_create_string("new", 3)));
    assert_true(cv_surface_write(m, s, &a, SLICE("/r"), cv_value_create_string("R", 1)));
    assert_true(cv_surface_write(m, s, &a, SLICE("/fresh"), cv_value_create_bool(true)));
    data_is(m, "{\"l\":[{\"n\":\"new\",\"itemPrice\":3,\"fresh\":true},\"bare\"],\"n\":\"root\","
               "\"r\":\"R\"}");
}

static void writes_are_bounded(void **state) {
    (void)state;
    OC_AUTO(cv_model) struct cv_model *m = model_of(tree);
    const struct cv_surface *s = cv_model_surface(m, 0);
    OC_AUTO_BUF struct oc_buf deep = OC_BUF_INIT(1 << 16);
    for (int i = 0; i < CV_MAX_PATH + 1; i++) {
        oc_buf_puts(&deep, "/a");
    }
    assert_false(cv_surface_write(
            m, s, NULL, (struct oc_slice){ deep.data, deep.len }, cv_value_create(CV_V_NULL)));
    assert_false(cv_surface_write(m, s, NULL, SLICE("/"), cv_value_create_number(1)));
    assert_false(cv_surface_write(m, s, NULL, SLICE("/a/b/7"), cv_value_create_number(1)));
    struct cv_value *big = cv_value_create(CV_V_ARRAY);
    for (size_t i = 0; i < CV_MAX_VALUES; i++) {
        cv_value_append(big, cv_value_create(CV_V_NULL));
    }
    assert_false(cv_surface_write(m, s, NULL, SLICE("/big"), big));
    assert_true(cv_surface_write(m, s, NULL, SLICE("/x/y"), cv_value_create_number(1)));
    same(m, "/x", "{\"y\":1}");
}

static void surfaces_come_and_go(void **state) {
    (void)state;
    OC_AUTO(cv_model)
    struct cv_model *m =
            model_of("{\"beginRendering\":{\"surfaceId\":\"b\",\"root\":\"r\",\"styles\":{\"font\":"
                     "\"Arial\"}}}\n"
                     "{\"surfaceUpdate\":{\"surfaceId\":\"a\",\"components\":[{\"id\":\"r\","
                     "\"component\":{\"Text\":{\"text\":{\"literalString\":\"x\"}}}}]}}\n"
                     "{\"dataModelUpdate\":{\"surfaceId\":\"b\",\"contents\":[]}}\n"
                     "{\"deleteSurface\":{\"surfaceId\":\"nobody\"}}");
    told_exactly("");
    assert_int_equal(cv_model_surface_count(m), 2);
    assert_string_equal(cv_model_surface(m, 0)->id, "b");
    assert_string_equal(cv_model_surface(m, 0)->root, "r");
    assert_null(cv_model_find(m, "a")->root);
    assert_non_null(cv_surface_component(cv_model_find(m, "a"), "r"));
    assert_null(cv_surface_component(cv_model_find(m, "b"), "r"));
    add(m, "{\"beginRendering\":{\"surfaceId\":\"b\",\"root\":\"q\"}}\n{\"deleteSurface\":{"
           "\"surfaceId\":\"a\"}}");
    assert_string_equal(cv_model_find(m, "b")->root, "q");
    assert_null(cv_model_find(m, "b")->styles);
    assert_null(cv_model_find(m, "a"));
    add(m, "{\"deleteSurface\":{\"surfaceId\":\"a\"}}\n{\"surfaceUpdate\":{\"surfaceId\":\"a\","
           "\"components\":[]}}");
    assert_int_equal(cv_surface_component_count(cv_model_find(m, "a")), 0);
    cv_model_reset(m);
    assert_int_equal(cv_model_surface_count(m), 0);
}

static void surface_ids_may_be_missing(void **state) {
    (void)state;
    OC_AUTO(cv_model)
    struct cv_model *m = model_of(
            "{\"surfaceUpdate\":{\"components\":[{\"id\":\"a\",\"component\":{\"Text\":{\"text\":{"
            "\"literalString\":\"\"}}}}]}}\n{\"beginRendering\":{\"root\":\"a\"}}\n"
            "{\"deleteSurface\":5}");
    assert_int_equal(cv_model_surface_count(m), 1);
    assert_string_equal(cv_model_surface(m, 0)->id, "@default");
    told_exactly("missing-surface-id missing-surface-id wrong-type");
}

static void there_are_only_so_many_surfaces(void **state) {
    (void)state;
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(1 << 16);
    for (int i = 0; i < CV_MAX_SURFACES + 1; i++) {
        oc_buf_printf(&text, "{\"beginRendering\":{\"surfaceId\":\"s%d\",\"root\":\"r\"}}\n", i);
    }
    OC_AUTO(cv_model) struct cv_model *m = model_of(text.data);
    assert_int_equal(cv_model_surface_count(m), CV_MAX_SURFACES);
    told_exactly("too-many-surfaces");
}

static struct cv_model *components(const char *list) {
    OC_AUTO_FREE char *line =
            oc_strfmt("{'surfaceUpdate':{'surfaceId':'s','components':%s}}", list);
    for (char *c = line; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    return model_of(line);
}

static void components_are_replaced(void **state) {
    (void)state;
    OC_AUTO(cv_model)
    struct cv_model *m =
            components("[{'id':'a','weight':2,'component':{'Text':{'text':{'literalString':'x'},'"
                       "usageHint':'h1'}}},"
                       "{'id':'a','component':{'Text':{'text':{'literalString':'y'}}}}]");
    told_exactly("duplicate-id");
    const struct cv_component *a = cv_surface_component(cv_model_surface(m, 0), "a");
    assert_null(cv_value_get(a->props, "usageHint"));
    assert_false(a->has_weight);
    assert_int_equal(a->line, 1);
    add(m, "{\"surfaceUpdate\":{\"surfaceId\":\"s\",\"components\":[{\"id\":\"a\",\"weight\":1.5,"
           "\"component\":{\"Icon\":{\"name\":{\"literalString\":\"add\"}}}}]}}");
    told_exactly("");
    assert_ptr_equal(cv_surface_component(cv_model_surface(m, 0), "a"), a);
    assert_string_equal(a->type, "Icon");
    assert_true(a->has_weight && a->weight == 1.5);
}

static void odd_wrappers(void **state) {
    (void)state;
    OC_AUTO(cv_model)
    struct cv_model *m = components(
            "[{'id':'two','component':{'Icon':{'name':{'literalString':'add'}},'Text':{}}},"
            "{'id':'none','component':{}},{'id':'str','component':'Text'},{'id':'absent'},7,"
            "{'component':{'Icon':{}}},{'id':'','component':{'Icon':{}}},"
            "{'id':'w1','weight':-1,'component':{'Icon':{'name':{'literalString':'add'}}}},"
            "{'id':'w2','weight':'1','component':{'Icon':{'name':{'literalString':'add'}}}}]");
    const struct cv_surface *s = cv_model_surface(m, 0);
    assert_int_equal(cv_surface_component_count(s), 3);
    assert_string_equal(cv_surface_component(s, "two")->type, "Icon");
    assert_true(cv_surface_component(s, "w1")->has_weight);
    assert_true(cv_surface_component(s, "w1")->weight == 0);
    assert_false(cv_surface_component(s, "w2")->has_weight);
    told_exactly(
            "wrapper-keys bad-wrapper bad-wrapper bad-wrapper wrong-type missing-id missing-id "
            "bad-weight wrong-type");
}

static void bound_values(void **state) {
    (void)state;
    OC_AUTO(cv_model) struct cv_model *m = model_of(tree);
    const struct cv_surface *s = cv_model_surface(m, 0);
    static const struct {
        const char *bv, *want;
    } rows[] = { { "{\"literalString\":\"\"}", "\"\"" }, { "{\"literalNumber\":0}", "0" },
        { "{\"literalBoolean\":false}", "false" }, { "{\"literalArray\":[\"a\"]}", "[\"a\"]" },
        { "{\"literal\":5}", "5" }, { "{\"path\":\"/x\"}", "\"s\"" },
        { "{\"path\":\"/none\"}", "nothing" }, { "{}", "nothing" }, { "\"bare\"", "\"bare\"" },
        { "null", "nothing" }, { "{\"path\":\"/x\",\"literalString\":\"l\"}", "\"s\"" },
        { "{\"path\":\"/none\",\"literalString\":\"l\"}", "\"l\"" }, { "[1]", "[1]" } };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        OC_AUTO(cv_value) struct cv_value *bv = NULL;
        assert_int_equal(cv_value_parse(rows[i].bv, strlen(rows[i].bv), &bv, NULL), OC_OK);
        const struct cv_value *v = cv_bound_resolve(s, NULL, bv);
        OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(1000);
        oc_buf_puts(&out, v ? "" : "nothing");
        if (v) {
            cv_value_print(&out, v);
        }
        assert_string_equal(out.data, rows[i].want);
    }
    assert_null(cv_bound_path(NULL).ptr);
    assert_null(cv_bound_resolve(s, NULL, NULL));
}

static void path_and_literal_initialise(void **state) {
    (void)state;
    OC_AUTO(cv_model)
    struct cv_model *m =
            model_of("{\"dataModelUpdate\":{\"surfaceId\":\"s\",\"contents\":[{\"key\":\"a\","
                     "\"valueString\":\"old\"}]}}\n"
                     "{\"surfaceUpdate\":{\"surfaceId\":\"s\",\"components\":["
                     "{\"id\":\"f\",\"component\":{\"TextField\":{\"label\":{\"literalString\":"
                     "\"L\"},\"text\":{\"path\":\"/a\",\"literalString\":\"new\"}}}},"
                     "{\"id\":\"c\",\"component\":{\"CheckBox\":{\"label\":{\"literalString\":"
                     "\"L\"},\"value\":{\"path\":\"b.c\",\"literalBoolean\":true}}}}]}}");
    told_exactly("");
    data_is(m, "{\"a\":\"new\",\"b\":{\"c\":true}}");
    add(m, "{\"dataModelUpdate\":{\"surfaceId\":\"s\",\"path\":\"a\",\"contents\":[{\"key\":\".\","
           "\"valueString\":\"later\"}]}}");
    data_is(m, "{\"a\":\"later\",\"b\":{\"c\":true}}");
}

/* The order of most agents: components, then all the data. The field must not show what nobody else
 * knows. */
static void dropped_literals_are_written_again(void **state) {
    (void)state;
    OC_AUTO(cv_model)
    struct cv_model *m = components(
            "[{'id':'z','component':{'Text':{'text':{'path':'/a','literalString':'1'}}}},"
            "{'id':'y','component':{'Text':{'text':{'path':'/a','literalString':'2'}}}},"
            "{'id':'x','component':{'Text':{'text':{'path':'/c/d','literalNumber':3}}}}]");
    data_is(m, "{\"a\":\"2\",\"c\":{\"d\":3}}");
    add(m, "{\"dataModelUpdate\":{\"surfaceId\":\"s\",\"contents\":[{\"key\":\"b\","
           "\"valueString\":\"x\"}]}}");
    data_is(m, "{\"b\":\"x\",\"a\":\"2\",\"c\":{\"d\":3}}");
    add(m, "{\"dataModelUpdate\":{\"surfaceId\":\"s\",\"contents\":[{\"key\":\"a\","
           "\"valueString\":\"\"}]}}"); /* an empty text is a value */
    data_is(m, "{\"a\":\"\",\"c\":{\"d\":3}}");
}

static void templates_initialise_later(void **state) {
    (void)state;
    OC_AUTO(cv_model)
    struct cv_model *m =
            components("[{'id':'f','component':{'Text':{'text':{'path':'n','literalString':'x'}}}},"
                       "{'id':'card','component':{'Card':{'child':'f'}}},"
                       "{'id':'l','component':{'List':{'children':{'template':{'componentId':'card'"
                       ",'dataBinding':'/l'}}}}}]");
    data_is(m, "{}");
    add(m, "{\"surfaceUpdate\":{\"surfaceId\":\"s\",\"components\":[{\"id\":\"f\",\"component\":{"
           "\"Text\":{\"text\":{\"path\":\"m\",\"literalString\":\"x\"}}}}]}}");
    data_is(m, "{}");
}

static void data_dump(void **state) {
    (void)state;
    OC_AUTO(cv_model)
    struct cv_model *m = model_of("{\"beginRendering\":{\"surfaceId\":\"a\\\"b\",\"root\":\"r\"}}\n"
                                  "{\"dataModelUpdate\":{\"surfaceId\":\"t\",\"contents\":[{"
                                  "\"key\":\"k\",\"valueNumber\":2}]}}");
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(1000);
    assert_int_equal(cv_model_print_data(&out, m), OC_OK);
    assert_string_equal(out.data,
            "{\"surfaces\":[{\"id\":\"a\\\"b\",\"data\":{}},{\"id\":\"t\",\"data\":{\"k\":2}}]}");
}

static void begin_tells_what_is_odd(void **state) {
    (void)state;
    OC_AUTO(cv_model)
    struct cv_model *m =
            model_of("{\"beginRendering\":{\"surfaceId\":\"a\",\"catalogId\":\"https://x/"
                     "y.json\",\"styles\":{\"primaryColor\":\"red\",\"font\":5,\"x\":1}}}");
    assert_string_equal(cv_model_surface(m, 0)->root, "root");
    told_exactly("missing-property bad-color wrong-type unknown-property unknown-catalog");
    assert_false(told("more"));
}

static void ids_with_nul(void **state) {
    (void)state;
    OC_AUTO(cv_model)
    struct cv_model *m = components(
            "[{'id':'a\\u0000b','component':{'Icon':{'name':{'literalString':'add'}}}}]");
    assert_non_null(cv_surface_component(cv_model_surface(m, 0), "a\xef\xbf\xbd"
                                                                 "b"));
}

#define T(f) cmocka_unit_test_teardown(f, clear_diags)
int main(void) {
    const struct CMUnitTest tests[] = { T(contents_become_data), T(updates_replace),
        T(path_grammar), T(paths_in_templates), T(writes_are_bounded), T(surfaces_come_and_go),
        T(surface_ids_may_be_missing), T(there_are_only_so_many_surfaces),
        T(components_are_replaced), T(odd_wrappers), T(bound_values),
        T(path_and_literal_initialise), T(dropped_literals_are_written_again),
        T(templates_initialise_later), T(data_dump), T(begin_tells_what_is_odd), T(ids_with_nul) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
