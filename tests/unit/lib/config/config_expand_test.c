#include "tests/unit/unit.h"

#include "lib/config/config_parts.h"

static cJSON *parse(const char *text) {
    cJSON *v = NULL;
    assert_int_equal(oc_json5_parse(text, strlen(text), &v, NULL), OC_OK);
    return v;
}

static void expect(const char *text, const char *want) {
    OC_AUTO_JSON cJSON *v = parse(text);
    struct oc_error err = { 0 };
    if (oc_config_expand(v, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    OC_AUTO_FREE char *got = oc_json_print(v, false);
    assert_string_equal(got, want);
}

static int setup(void **state) {
    (void)state;
    setenv("OC_TEST_A", "alpha", 1);
    setenv("OC_TEST_EMPTY", "", 1);
    unsetenv("OC_TEST_GONE");
    return 0;
}

static void replaces_variables(void **state) {
    (void)state;
    expect("{a:'${OC_TEST_A}'}", "{\"a\":\"alpha\"}");
    expect("{a:['x${OC_TEST_A}-${OC_TEST_A}y']}", "{\"a\":[\"xalpha-alphay\"]}");
    expect("{a:{b:{c:'${OC_TEST_A}'}},n:5}", "{\"a\":{\"b\":{\"c\":\"alpha\"}},\"n\":5}");
    expect("{'${OC_TEST_A}':1}", "{\"${OC_TEST_A}\":1}"); /* values only */
}

static void leaves_other_text_alone(void **state) {
    (void)state;
    expect("{gateway:'$${OC_TEST_GONE}'}", "{\"gateway\":\"${OC_TEST_GONE}\"}");
    expect("{gateway:'$5 ${lower} ${} ${1A} ${A ${OC_TEST_A'}",
            "{\"gateway\":\"$5 ${lower} ${} ${1A} ${A ${OC_TEST_A\"}");
    expect("{gateway:'$$${OC_TEST_A}'}", "{\"gateway\":\"$${OC_TEST_A}\"}");
}

static void config_may_define_them(void **state) {
    (void)state;
    expect("{env:{vars:{OC_TEST_GONE:'v'}},gateway:'${OC_TEST_GONE}'}",
            "{\"env\":{\"vars\":{\"OC_TEST_GONE\":\"v\"}},\"gateway\":\"v\"}");
    expect("{env:{OC_TEST_A:'no',OC_TEST_EMPTY:'yes'},a:'${OC_TEST_A}${OC_TEST_EMPTY}'}",
            "{\"env\":{\"OC_TEST_A\":\"no\",\"OC_TEST_EMPTY\":\"yes\"},\"a\":\"alphayes\"}");
}

static void unset_ones_never_stay_as_text(void **state) {
    (void)state;
    expect("{models:{key:'${OC_TEST_GONE}',other:1},list:['a','${OC_TEST_EMPTY}','b']}",
            "{\"models\":{\"other\":1},\"list\":[\"a\",\"b\"]}");
    OC_AUTO_JSON cJSON *v = parse("{gateway:{auth:{tokens:['x','${OC_TEST_GONE}']}}}");
    struct oc_error err;
    assert_int_equal(oc_config_expand(v, &err), OC_E_INVALID);
    assert_string_equal(err.text, "gateway.auth.tokens[1] needs ${OC_TEST_GONE}, which is not set; "
                                  "export the variable or write the value there");
}

static void variables_do_not_multiply(void **state) {
    (void)state;
    /* A name of env is what was written there, wherever env stands in the file. */
    expect("{env:{vars:{B:'${A}${A}',A:'x'}},m:{k:'${B}'},gateway:'${A}'}",
            "{\"env\":{\"vars\":{\"B\":\"xx\",\"A\":\"x\"}},\"m\":{},\"gateway\":\"x\"}");
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(100000);
    oc_buf_puts(&text, "{env:{BIG:'");
    for (int i = 0; i < 4000; i++) {
        oc_buf_putc(&text, 'x');
    }
    oc_buf_puts(&text, "'},m:{k:'");
    for (int i = 0; i < 400; i++) {
        oc_buf_puts(&text, "${BIG}");
    }
    oc_buf_puts(&text, "'}}");
    OC_AUTO_JSON cJSON *v = parse(text.data);
    struct oc_error err;
    assert_int_equal(oc_config_expand(v, &err), OC_E_TOO_LARGE);
    assert_non_null(strstr(err.text, "m.k makes the config larger"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replaces_variables),
        cmocka_unit_test(leaves_other_text_alone),
        cmocka_unit_test(config_may_define_them),
        cmocka_unit_test(unset_ones_never_stay_as_text),
        cmocka_unit_test(variables_do_not_multiply),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
