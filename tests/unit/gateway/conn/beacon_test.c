#include "gateway/conn/beacon.h"

#include "lib/base/buf.h"
#include "lib/protocol/limits.h"
#include "tests/any_int.h"
#include "tests/unit/unit.h"

static cJSON *read_params(const char *text, enum oc_code wanted) {
    OC_AUTO_JSON cJSON *params = NULL;
    cJSON *fields = NULL;
    struct oc_error err;
    assert_int_equal(oc_json_parse(text, strlen(text), &params, &err), OC_OK);
    assert_int_equal(gw_beacon_read(params, &fields, &err), wanted);
    return fields;
}

static void test_fields(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *f =
            read_params("{\"text\":\" hello \",\"host\":\"desk\",\"ip\":\"\",\"mode\":7,"
                        "\"lastInputSeconds\":12.9,\"tags\":[\"a\",\"\",\"a\"],\"roles\":[1],"
                        "\"evil\":\"x\"}",
                    OC_OK);
    assert_string_equal(oc_json_get_str(f, "text"), "hello");
    assert_string_equal(oc_json_get_str(f, "host"), "desk");
    assert_int_equal(any_int(f, "lastInputSeconds", -1), 12);
    assert_int_equal(cJSON_GetArraySize(oc_json_get(f, "tags")), 1);
    const char *const absent[] = { "ip", "mode", "roles", "evil" };
    for (size_t i = 0; i < OC_COUNT(absent); i++) {
        assert_null(oc_json_get(f, absent[i]));
    }
}

static void test_the_text_of_old_apps(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *f =
            read_params("{\"text\":\"Node: desk (10.0.0.2) · app 1.2.3 · last input 5s ago · mode "
                        "local · reason launch · twice\",\"mode\":\"remote\"}",
                    OC_OK);
    assert_string_equal(oc_json_get_str(f, "host"), "desk");
    assert_string_equal(oc_json_get_str(f, "ip"), "10.0.0.2");
    assert_string_equal(oc_json_get_str(f, "version"), "1.2.3");
    assert_int_equal(any_int(f, "lastInputSeconds", -1), 5);
    assert_string_equal(oc_json_get_str(f, "mode"), "remote"); /* said outright wins */
    assert_string_equal(oc_json_get_str(f, "reason"), "launch · twice");
    static const char *const others[] = { "Node:", "Node: desk", "Node: desk ()", "Node: (x)",
        "·····", "Node: desk (x) · app 1 · last input fives ago · mode m · reason r",
        "Node: desk (x) · app 1 · last input 5s ago · mode m",
        "Node: desk (x) · app · last input 5s ago · mode m · reason r" };
    for (size_t i = 0; i < OC_COUNT(others); i++) {
        OC_AUTO_FREE char *params = oc_strfmt("{\"text\":\"%s\"}", others[i]);
        OC_AUTO_JSON cJSON *plain = read_params(params, OC_OK);
        assert_int_equal(cJSON_GetArraySize(plain), 1);
    }
}

static void test_what_everybody_would_have_to_see_is_bounded(void **state) {
    (void)state;
    char big[OC_MAX_BEACON_BYTES + 2];
    memset(big, 'x', sizeof(big) - 1);
    big[sizeof(big) - 1] = '\0';
    static const char *const forms[] = { "{\"text\":\"%s\"}", "{\"text\":\"t\",\"host\":\"%s\"}",
        "{\"text\":\"t\",\"tags\":[\"%s\"]}" };
    for (size_t i = 0; i < OC_COUNT(forms); i++) {
        OC_AUTO_BUF struct oc_buf b = OC_BUF_INIT(4096);
        const char *at = strstr(forms[i], "%s");
        oc_buf_append(&b, forms[i], (size_t)(at - forms[i]));
        oc_buf_puts(&b, big);
        oc_buf_puts(&b, at + 2);
        assert_null(read_params(b.data, OC_E_INVALID));
    }
    assert_null(read_params("{}", OC_E_INVALID));
    assert_null(read_params("{\"text\":\"  \"}", OC_E_INVALID));
    assert_null(read_params("{\"text\":1}", OC_E_INVALID));
    OC_AUTO_BUF struct oc_buf many = OC_BUF_INIT(4096);
    oc_buf_puts(&many, "{\"text\":\"t\",\"scopes\":[\"0\"");
    for (int i = 1; i <= OC_MAX_SCOPES; i++) {
        oc_buf_printf(&many, ",\"%d\"", i);
    }
    oc_buf_puts(&many, "]}");
    assert_null(read_params(many.data, OC_E_INVALID));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_the_text_of_old_apps),
        cmocka_unit_test(test_what_everybody_would_have_to_see_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
