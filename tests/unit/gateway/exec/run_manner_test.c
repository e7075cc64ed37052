#include "gateway/exec/run_manner.h"

#include "tests/unit/unit.h"

static cJSON *parse(const char *text) {
    cJSON *v = NULL;
    assert_int_equal(oc_json_parse(text, strlen(text), &v, NULL), OC_OK);
    return v;
}

static void what_is_shown(void **state) {
    (void)state;
    static const struct {
        const char *given, *shown; /* NULL: refused */
    } cases[] = {
        { "{}", "{\"background\":false,\"tty\":false}" },
        { "{\"background\":true,\"timeoutMs\":5000,\"more\":1}",
                "{\"background\":true,\"tty\":false,\"timeoutMs\":5000}" },
        { "{\"tty\":true,\"timeoutMs\":0}", "{\"background\":false,\"tty\":true}" },
        { "{\"tty\":null,\"timeoutMs\":null}", "{\"background\":false,\"tty\":false}" },
        { "{\"stdin\":true}", "{\"background\":false,\"tty\":false,\"stdin\":true}" },
        { "{\"stdin\":false}", "{\"background\":false,\"tty\":false}" },
        { "{\"stdin\":1}", NULL },
        { "{\"tty\":{}}", NULL },
        { "{\"background\":\"yes\"}", NULL },
        { "{\"timeoutMs\":\"5\"}", NULL },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        OC_AUTO_JSON cJSON *given = parse(cases[i].given), *shown = NULL;
        struct oc_error err;
        bool is_taken = gw_run_manner_build(given, &shown, &err) == OC_OK;
        assert_int_equal(is_taken, cases[i].shown != NULL);
        OC_AUTO_FREE char *text = is_taken ? oc_json_print(shown, false) : NULL;
        if (is_taken) {
            assert_string_equal(text, cases[i].shown);
        }
    }
    cJSON *none = (cJSON *)&none;
    assert_int_equal(gw_run_manner_build(NULL, &none, NULL), OC_OK);
    assert_null(none);
}

static void what_is_too_much(void **state) {
    (void)state;
    static const struct {
        const char *approved, *params, *word; /* NULL: fine */
    } cases[] = {
        { "null", "{}", NULL },
        { "null", "{\"timeoutMs\":99999999}", NULL },
        { "null", "{\"background\":false,\"tty\":null,\"live\":true}", NULL },
        { "null", "{\"background\":true}", "background" },
        { "null", "{\"background\":1}", "background" },
        { "null", "{\"tty\":{}}", "terminal" },
        { "null", "{\"stdin\":true}", "standard input" },
        { "{\"stdin\":true}", "{\"stdin\":true}", NULL },
        { "{\"stdin\":true}", "{}", NULL },
        { "{\"tty\":true}", "{\"stdin\":1}", "standard input" },
        { "{\"background\":true}", "{\"background\":true}", NULL },
        { "{\"background\":true}", "{}", NULL },
        { "{\"background\":true}", "{\"background\":true,\"tty\":{}}", "terminal" },
        { "{\"tty\":true}", "{\"tty\":{\"rows\":2}}", NULL },
        { "{\"tty\":true}", "{\"background\":true}", "background" },
        { "{\"timeoutMs\":5000}", "{\"timeoutMs\":5000}", NULL },
        { "{\"timeoutMs\":5000}", "{\"timeoutMs\":5001}", "that long" },
        { "{\"timeoutMs\":5000}", "{\"timeoutMs\":0}", "that long" },
        { "{\"timeoutMs\":5000}", "{\"timeoutMs\":\"1\"}", "that long" },
        { "{\"timeoutMs\":5000}", "{}", "that long" },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        OC_AUTO_JSON cJSON *approved = parse(cases[i].approved), *params = parse(cases[i].params);
        const char *text = gw_run_manner_excess(cJSON_IsNull(approved) ? NULL : approved, params);
        if (!cases[i].word != !text || (text && !strstr(text, cases[i].word))) {
            fail_msg("%s for %s: %s", cases[i].params, cases[i].approved, text ? text : "fine");
        }
    }
}

/* What comes over standard input nobody has seen: no approval of it is about all that runs. */
static void input_is_never_bound(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *with = parse("{\"stdin\":true}"), *without = parse("{\"tty\":true}");
    OC_AUTO_JSON cJSON *said = parse("[\"a file\"]"), *nothing = parse("[]");
    OC_AUTO_JSON cJSON *both = gw_run_manner_unbound(with, said);
    assert_int_equal(cJSON_GetArraySize(both), 2);
    OC_AUTO_JSON cJSON *only = gw_run_manner_unbound(with, NULL);
    assert_int_equal(cJSON_GetArraySize(only), 1);
    assert_non_null(strstr(only->child->valuestring, "standard input"));
    OC_AUTO_JSON cJSON *bound = gw_run_manner_unbound(without, nothing);
    assert_int_equal(cJSON_GetArraySize(bound), 0);
    assert_null(gw_run_manner_unbound(without, NULL));
    assert_null(gw_run_manner_unbound(NULL, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_shown),
        cmocka_unit_test(what_is_too_much),
        cmocka_unit_test(input_is_never_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
