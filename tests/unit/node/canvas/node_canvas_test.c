/* What the node keeps of the canvas, and what it tells the agent. */
#include "tests/unit/unit.h"

#include "canvas/model/limits.h"
#include "lib/base/mem.h"
#include "lib/protocol/limits.h"
#include "node/canvas/canvas_action.h"
#include "node/canvas/canvas_kept.h"

#include <stdio.h>
#include <string.h>

#define UPDATE(s, ids) "{\"surfaceUpdate\":{\"surfaceId\":\"" s "\",\"components\":[" ids "]}}"
#define C(id) "{\"id\":\"" id "\",\"component\":{}}"
#define BEGIN(s, root) "{\"beginRendering\":{\"surfaceId\":\"" s "\",\"root\":\"" root "\"}}"
#define DATA(s, path) \
    "{\"dataModelUpdate\":{\"surfaceId\":\"" s "\",\"path\":\"" path "\",\"contents\":[]}}"
#define DELETE(s) "{\"deleteSurface\":{\"surfaceId\":\"" s "\"}}"
#define ORDER(s) UPDATE(s, "") "\n"

static void check(const char *pushed, const char *want) {
    struct nd_canvas_kept *k = nd_canvas_kept_create();
    OC_AUTO_BUF struct oc_buf got = OC_BUF_INIT(1 << 20);
    size_t at = 0;
    bool is_entered;
    assert_true(nd_canvas_kept_add(k, pushed, strlen(pushed)));
    assert_int_equal(nd_canvas_kept_next(k, &at, 1 << 20, &got, &is_entered), *want != '\0');
    assert_string_equal(got.data ? got.data : "", want);
    assert_false(is_entered);
    assert_false(nd_canvas_kept_next(k, &at, 1 << 20, &got, &is_entered));
    nd_canvas_kept_destroy(k);
}

static void keeps_what_counts(void **state) {
    (void)state;
    check("", "");
    check(" \r\n" UPDATE("a", C("x")) "\r\n\n" BEGIN("a", "x"),
            ORDER("a") UPDATE("a", C("x")) "\n" BEGIN("a", "x") "\n");
    check(UPDATE("a", C("x")) "\n" UPDATE("b", C("x")) "\n" UPDATE("a", C("x")),
            ORDER("a") ORDER("b") UPDATE("b", C("x")) "\n" UPDATE("a", C("x")) "\n");
    check(UPDATE("a", C("x") "," C("y")) "\n" UPDATE("a", C("y")),
            ORDER("a") UPDATE("a", C("x") "," C("y")) "\n" UPDATE("a", C("y")) "\n");
    check(UPDATE("a", C("x") "," C("y")) "\n" UPDATE("a", C("y")) "\n" UPDATE("a", C("x")),
            ORDER("a") UPDATE("a", C("y")) "\n" UPDATE("a", C("x")) "\n");
    check(BEGIN("a", "x") "\n" BEGIN("a", "y"), ORDER("a") BEGIN("a", "y") "\n");
}

/* What comes as JSON of many lines is kept as lines. */
static void keeps_json_of_many_lines(void **state) {
    (void)state;
    static const char *const want = ORDER("a") UPDATE("a", C("x")) "\n" BEGIN("a", "x") "\n";
    check("[" UPDATE("a", C("x")) "," BEGIN("a", "x") "]", want);
    check("[\n" UPDATE("a", C("x")) ",\n" BEGIN("a", "x") "\n]\n", want);
    check("{\n\"beginRendering\":{\n\"surfaceId\":\"a\"\n}\n}",
            ORDER("a") "{ \"beginRendering\":{ \"surfaceId\":\"a\" } }\n");
}

static void replaced_data_is_dropped(void **state) {
    (void)state;
    check(DATA("a", "/n") "\n" DATA("a", "/n/m") "\n" DATA("a", "/nm") "\n" DATA("a", "n"),
            ORDER("a") DATA("a", "/nm") "\n" DATA("a", "n") "\n");
    check(DATA("a", "/n") "\n" DATA("a", "/n/m"),
            ORDER("a") DATA("a", "/n") "\n" DATA("a", "/n/m") "\n");
    check(DATA("a", "/n") "\n" DATA("b", "/x") "\n" DATA("a", "/"),
            ORDER("a") ORDER("b") DATA("b", "/x") "\n" DATA("a", "/") "\n");
}

static void deleted_surfaces_are_gone(void **state) {
    (void)state;
    check(UPDATE("a", C("x")) "\n" BEGIN("a", "x") "\n" DELETE("a"), "");
    check(UPDATE("a", C("x")) "\n" DELETE("a") "\n" DELETE("b") "\n" BEGIN("a", "y"),
            ORDER("a") BEGIN("a", "y") "\n");
}

/* Hundreds of thousands of updates cost neither memory nor time. */
static void does_not_grow(void **state) {
    (void)state;
    struct nd_canvas_kept *k = nd_canvas_kept_create();
    OC_AUTO_BUF struct oc_buf got = OC_BUF_INIT(1 << 20);
    size_t at = 0;
    bool is_entered;
    for (int i = 0; i < 300000; i++) {
        static const char line[] = DATA("a", "/clock");
        assert_true(nd_canvas_kept_add(k, line, sizeof(line) - 1));
    }
    assert_true(nd_canvas_kept_next(k, &at, 1 << 20, &got, &is_entered));
    assert_string_equal(got.data, ORDER("a") DATA("a", "/clock") "\n");
    nd_canvas_kept_destroy(k);
}

static void has_a_ceiling(void **state) {
    (void)state;
    struct nd_canvas_kept *k = nd_canvas_kept_create();
    OC_AUTO_BUF struct oc_buf line = OC_BUF_INIT(1 << 24);
    bool ok = true;
    for (int i = 0; i < 40 && ok; i++) {
        oc_buf_clear(&line);
        (void)oc_buf_printf(
                &line, "{\"dataModelUpdate\":{\"surfaceId\":\"a\",\"path\":\"/p%d\",", i);
        (void)oc_buf_puts(&line, "\"contents\":[{\"key\":\"k\",\"valueString\":\"");
        for (int n = 0; n < 1 << 20; n++) {
            (void)oc_buf_putc(&line, 'x');
        }
        (void)oc_buf_puts(&line, "\"}]}}");
        ok = nd_canvas_kept_add(k, line.data, line.len);
    }
    assert_false(ok);
    assert_true(nd_canvas_kept_is_empty(k));
    nd_canvas_kept_destroy(k);
}

#define ENTRY(s, path, value) "{\"surfaceId\":\"" s "\",\"path\":[" path "],\"value\":" value "}"

static void push(struct nd_canvas_kept *k, const char *line) {
    assert_true(nd_canvas_kept_add(k, line, strlen(line)));
}

static void enter(struct nd_canvas_kept *k, const char *entry) {
    nd_canvas_kept_enter(k, entry, strlen(entry));
}

/* All parts, each with a letter before it. */
static void check_parts(struct nd_canvas_kept *k, const char *want) {
    OC_AUTO_BUF struct oc_buf part = OC_BUF_INIT(1 << 20), all = OC_BUF_INIT(1 << 20);
    size_t at = 0;
    bool is_entered;
    while (nd_canvas_kept_next(k, &at, 1 << 20, &part, &is_entered)) {
        (void)oc_buf_printf(&all, "%c %s", is_entered ? 'e' : 'p', part.data);
    }
    assert_string_equal(all.data, want);
}

static void what_was_entered_comes_in_its_turn(void **state) {
    (void)state;
    struct nd_canvas_kept *k = nd_canvas_kept_create();
    enter(k, ENTRY("a", "\"n\"", "1")); /* no such surface */
    push(k, UPDATE("a", C("x")));
    for (int i = 0; i < 5000; i++) {
        enter(k, ENTRY("a", "\"n\"", "\"A\""));
    }
    enter(k, ENTRY("a", "\"n\"", "\"Ada\""));
    enter(k, ENTRY("a", "\"l\",\"0\",\"a.b\"", "true"));
    enter(k, "{\"surfaceId\":\"a\",\"path\":\"n\",\"value\":1}");
    enter(k, "{\"surfaceId\":\"a\",\"path\":[],\"value\":1}");
    enter(k, "{\"path\":[\"n\"],\"value\":1}");
    enter(k, "nonsense");
    push(k, UPDATE("a", C("y")));
    check_parts(k,
            "p " ORDER("a") UPDATE("a", C("x")) "\n"
                                                "e " ENTRY("a", "\"n\"", "\"Ada\"") "\n" ENTRY("a",
                                                        "\"l\",\"0\",\"a.b\"",
                                                        "true") "\n"
                                                                "p " UPDATE("a", C("y")) "\n");
    push(k, DATA("a", "/l/0"));
    check_parts(k,
            "p " ORDER("a") UPDATE("a",
                    C("x")) "\n"
                            "e " ENTRY("a", "\"n\"", "\"Ada\"") "\n"
                                                                "p " UPDATE("a", C("y")) "\n" DATA(
                                                                        "a", "/l/0") "\n");
    push(k, UPDATE("a", C("x"))); /* the first that is left is what was entered */
    check_parts(k, "p " ORDER("a") "e " ENTRY("a", "\"n\"",
                           "\"Ada\"") "\n"
                                      "p " UPDATE("a", C("y")) "\n" DATA("a", "/l/0") "\n" UPDATE(
                                              "a", C("x")) "\n");
    push(k, DELETE("a"));
    enter(k, ENTRY("a", "\"n\"", "1"));
    assert_int_equal(
            nd_canvas_kept_next(k, &(size_t){ 0 }, 10, &(struct oc_buf){ 0 }, &(bool){ 0 }), 0);
    nd_canvas_kept_destroy(k);
}

/* Also where it stands among the others. */
static void a_surface_without_a_name_has_one(void **state) {
    (void)state;
    struct nd_canvas_kept *k = nd_canvas_kept_create();
    push(k, "{\"beginRendering\":{\"root\":\"r\"}}");
    push(k, BEGIN("b", "r"));
    enter(k, ENTRY("@default", "\"n\"", "1"));
    enter(k, ENTRY("@default", "\"n\"", "2"));
    check_parts(k,
            "p " ORDER("@default") ORDER("b") "{\"beginRendering\":{\"root\":\"r\"}}\n" BEGIN(
                    "b", "r") "\n"
                              "e " ENTRY("@default", "\"n\"", "2") "\n");
    nd_canvas_kept_destroy(k);
}

/* A push may be full of them: they are neither kept nor compared with each other. */
static void what_the_canvas_ignores_is_not_kept(void **state) {
    (void)state;
    assert_int_equal(ND_MAX_CANVAS_SURFACES, CV_MAX_SURFACES);
    assert_int_equal(ND_MAX_CANVAS_PATH, CV_MAX_PATH);
    assert_int_equal(ND_MAX_CANVAS_ID, CV_MAX_ID);
    struct nd_canvas_kept *k = nd_canvas_kept_create();
    OC_AUTO_BUF struct oc_buf pushed = OC_BUF_INIT(1 << 24), got = OC_BUF_INIT(1 << 24);
    size_t at = 0;
    bool is_entered;
    for (int i = 0; i < 200000; i++) {
        (void)oc_buf_printf(
                &pushed, "{\"surfaceUpdate\":{\"surfaceId\":\"%d\",\"components\":[]}}\n", i);
    }
    assert_false(pushed.failed);
    assert_true(nd_canvas_kept_add(k, pushed.data, pushed.len));
    assert_true(nd_canvas_kept_next(k, &at, 1 << 24, &got, &is_entered));
    assert_non_null(strstr(got.data, "\"63\""));
    assert_null(strstr(got.data, "\"64\""));
    nd_canvas_kept_clear(k);
    oc_buf_clear(&pushed);
    for (int i = 0; i < 2000; i++) {
        (void)oc_buf_puts(&pushed, "{\"dataModelUpdate\":{\"surfaceId\":\"s\",\"path\":\"");
        for (int n = 0; n < 2000; n++) {
            (void)oc_buf_puts(&pushed, "/a");
        }
        (void)oc_buf_printf(&pushed, "%d\",\"contents\":[]}}\n", i);
    }
    assert_false(pushed.failed);
    assert_true(nd_canvas_kept_add(k, pushed.data, pushed.len));
    assert_true(nd_canvas_kept_is_empty(k));
    nd_canvas_kept_destroy(k);
}

static void paths_are_read_as_the_canvas_does(void **state) {
    (void)state;
    check(DATA("a", "l[0].n") "\n" DATA("a", "/l/0"), ORDER("a") DATA("a", "/l/0") "\n");
    check(DATA("a", "/l[x]") "\n" DATA("a", "/l/x"),
            ORDER("a") DATA("a", "/l[x]") "\n" DATA("a", "/l/x") "\n");
    char name[6000], first[7000], both[8000], want[8100];
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    snprintf(first, sizeof(first), DATA("a", "/m") "\n" DATA("a", "/%s"), name);
    snprintf(both, sizeof(both), "%s\n" DATA("a", "/o"), first);
    snprintf(want, sizeof(want), ORDER("a") "%s\n", both);
    check(both, want); /* a long name is not the root */
}

static void has_a_ceiling_of_messages(void **state) {
    (void)state;
    struct nd_canvas_kept *k = nd_canvas_kept_create();
    OC_AUTO_BUF struct oc_buf pushed = OC_BUF_INIT(1 << 24);
    for (int i = 0; i <= ND_MAX_CANVAS_MESSAGES; i++) {
        (void)oc_buf_printf(&pushed,
                "{\"dataModelUpdate\":{\"surfaceId\":\"s\",\"path\":\"/%d\",\"contents\":[]}}\n",
                i);
    }
    assert_false(nd_canvas_kept_add(k, pushed.data, pushed.len));
    assert_true(nd_canvas_kept_is_empty(k));
    nd_canvas_kept_destroy(k);
}

static void comes_in_parts(void **state) {
    (void)state;
    struct nd_canvas_kept *k = nd_canvas_kept_create();
    OC_AUTO_BUF struct oc_buf got = OC_BUF_INIT(1 << 20);
    static const char pushed[] = DATA("a", "/1") "\n" DATA("a", "/2");
    size_t at = 0;
    bool is_entered;
    assert_true(nd_canvas_kept_add(k, pushed, sizeof(pushed) - 1));
    assert_true(nd_canvas_kept_next(k, &at, 10, &got, &is_entered));
    assert_string_equal(got.data, ORDER("a") DATA("a", "/1") "\n");
    assert_true(nd_canvas_kept_next(k, &at, 10, &got, &is_entered));
    assert_string_equal(got.data, DATA("a", "/2") "\n");
    assert_false(nd_canvas_kept_next(k, &at, 10, &got, &is_entered));
    nd_canvas_kept_destroy(k);
}

static void check_told(const char *action, const char *session, const char *via, const char *want) {
    OC_AUTO_JSON cJSON *a = NULL, *params = NULL;
    OC_AUTO_FREE char *id = NULL;
    struct oc_error err;
    struct nd_canvas_teller teller = { session, "Büro PC", "0a-1b", via };
    assert_int_equal(oc_json_parse(action, strlen(action), &a, &err), OC_OK);
    assert_int_equal(nd_canvas_action_tell(a, &teller, &params, &id, &err), OC_OK);
    OC_AUTO_FREE char *text = oc_json_print(params, false);
    assert_string_equal(text, want);
}

static void tells_to_the_byte(void **state) {
    (void)state;
    check_told("{\"userAction\":{\"name\":\"buy it!\",\"id\":\"A1\",\"surfaceId\":\"shop\","
               "\"sourceComponentId\":\"btn:2\",\"timestamp\":\"2026-01-02T03:04:05.678Z\","
               "\"context\":{\"n\":2,\"t\":\"é\\\"\"}}}",
            "agent:main:x", NULL,
            "{\"event\":\"agent.request\",\"payloadJSON\":\"{\\\"message\\\":\\\"CANVAS_A2UI "
            "action=buy_it_ session=agent:main:x surface=shop component=btn:2 host=B_ro_PC "
            "instance=0a-1b "
            "ctx={\\\\\\\"n\\\\\\\":2,\\\\\\\"t\\\\\\\":\\\\\\\"é\\\\\\\\\\\\\\\"\\\\\\\"} "
            "default=update_canvas\\\",\\\"sessionKey\\\":\\\"agent:main:x\\\",\\\"thinking\\\":"
            "\\\"low\\\",\\\"deliver\\\":false,\\\"key\\\":\\\"A1\\\",\\\"action\\\":"
            "\\\"buy it!\\\",\\\"surfaceId\\\":\\\"shop\\\",\\\"sourceComponentId\\\":"
            "\\\"btn:2\\\",\\\"timestamp\\\":\\\"2026-01-02T03:04:05.678Z\\\",\\\"context\\\":"
            "{\\\"n\\\":2,\\\"t\\\":\\\"é\\\\\\\"\\\"}}\"}");
    check_told("{\"action\":\" go \",\"id\":\"2\",\"context\":{}}", NULL, "input",
            "{\"event\":\"agent.request\",\"payloadJSON\":\"{\\\"message\\\":\\\"CANVAS_A2UI "
            "action=go session=main surface=main component=- host=B_ro_PC instance=0a-1b "
            "via=input default=update_canvas\\\",\\\"sessionKey\\\":\\\"main\\\",\\\"thinking\\\":"
            "\\\"low\\\","
            "\\\"deliver\\\":false,\\\"key\\\":\\\"2\\\",\\\"action\\\":\\\"go\\\","
            "\\\"surfaceId\\\":\\\"main\\\",\\\"via\\\":\\\"input\\\",\\\"context\\\":{}}\"}");
}

static void refuses_what_gateways_drop(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *a = cJSON_CreateObject(), *params = NULL;
    OC_AUTO_FREE char *id = NULL, *long_text = oc_alloc(OC_MAX_AGENT_MESSAGE + 1);
    struct nd_canvas_teller teller = { 0 };
    struct oc_error err;
    oc_json_set_str(a, "name", " ");
    assert_int_equal(nd_canvas_action_tell(a, &teller, &params, &id, &err), OC_E_INVALID);
    oc_json_set_str(a, "name", "x");
    memset(long_text, 'x', OC_MAX_AGENT_MESSAGE);
    oc_json_set_str(cJSON_AddObjectToObject(a, "context"), "t", long_text);
    assert_int_equal(nd_canvas_action_tell(a, &teller, &params, &id, &err), OC_E_TOO_LARGE);
    long_text[OC_MAX_AGENT_MESSAGE - 200] = '\0';
    oc_json_set_str(cJSON_GetObjectItem(a, "context"), "t", long_text);
    assert_int_equal(nd_canvas_action_tell(a, &teller, &params, &id, &err), OC_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_what_counts),
        cmocka_unit_test(keeps_json_of_many_lines),
        cmocka_unit_test(replaced_data_is_dropped),
        cmocka_unit_test(deleted_surfaces_are_gone),
        cmocka_unit_test(does_not_grow),
        cmocka_unit_test(has_a_ceiling),
        cmocka_unit_test(what_the_canvas_ignores_is_not_kept),
        cmocka_unit_test(paths_are_read_as_the_canvas_does),
        cmocka_unit_test(has_a_ceiling_of_messages),
        cmocka_unit_test(comes_in_parts),
        cmocka_unit_test(what_was_entered_comes_in_its_turn),
        cmocka_unit_test(a_surface_without_a_name_has_one),
        cmocka_unit_test(tells_to_the_byte),
        cmocka_unit_test(refuses_what_gateways_drop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
