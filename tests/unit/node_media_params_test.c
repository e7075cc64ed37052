#include "tests/unit/unit.h"

#include "node/media_params.h"

static const struct oc_media_number duration = { "durationMs", 3000, 250, 60000 };

static void expect_number(const char *params, double wanted) {
    OC_AUTO_JSON cJSON *in = NULL;
    OC_AUTO_JSON cJSON *out = cJSON_CreateObject();
    struct oc_error err;
    assert_int_equal(oc_json_parse(params, strlen(params), &in, &err), OC_OK);
    assert_int_equal(oc_media_copy_number(in, &duration, out, &err), OC_OK);
    assert_true(oc_json_get(out, "durationMs")->valuedouble == wanted);
}

static void numbers_are_clamped(void **state) {
    (void)state;
    expect_number("{}", 3000);
    expect_number("{\"durationMs\":null}", 3000);
    expect_number("{\"durationMs\":0}", 250);
    expect_number("{\"durationMs\":-5}", 250);
    expect_number("{\"durationMs\":36000000}", 60000);
    expect_number("{\"durationMs\":1e300}", 60000);
    expect_number("{\"durationMs\":1234.5}", 1234.5);
}

static void whole_numbers_lose_their_fraction(void **state) {
    (void)state;
    const char *params = "{\"durationMs\":1234.9}";
    OC_AUTO_JSON cJSON *in = NULL;
    OC_AUTO_JSON cJSON *out = cJSON_CreateObject();
    struct oc_error err;
    assert_int_equal(oc_json_parse(params, strlen(params), &in, &err), OC_OK);
    assert_int_equal(oc_media_copy_int(in, &duration, out, &err), OC_OK);
    assert_int_equal(oc_json_get_int(out, "durationMs", 0), 1234);
}

static void other_types_are_refused(void **state) {
    (void)state;
    static const char *const words[] = { "front", "back", NULL };
    const char *params =
            "{\"durationMs\":\"NaN\",\"includeAudio\":1,\"facing\":true,\"way\":\"up\"}";
    OC_AUTO_JSON cJSON *in = NULL;
    OC_AUTO_JSON cJSON *out = cJSON_CreateObject();
    struct oc_error err;
    assert_int_equal(oc_json_parse(params, strlen(params), &in, &err), OC_OK);
    assert_int_equal(oc_media_copy_number(in, &duration, out, &err), OC_E_INVALID);
    assert_string_equal(err.text, "INVALID_REQUEST: durationMs must be a number");
    assert_int_equal(oc_media_copy_bool(in, "includeAudio", true, out, &err), OC_E_INVALID);
    assert_int_equal(oc_media_copy_word(in, "facing", NULL, words, out, &err), OC_E_INVALID);
    assert_int_equal(oc_media_copy_word(in, "way", NULL, words, out, &err), OC_E_INVALID);
    assert_string_equal(err.text, "INVALID_REQUEST: way must not be 'up', but one of front, back");
    assert_int_equal(cJSON_GetArraySize(out), 0);
    /* A number that is none can only come from inside. */
    cJSON *nan = cJSON_CreateNumber(__builtin_nan(""));
    oc_json_set(in, "durationMs", nan);
    assert_int_equal(oc_media_copy_number(in, &duration, out, &err), OC_E_INVALID);
}

static void words_have_defaults(void **state) {
    (void)state;
    static const char *const words[] = { "front", "back", NULL };
    const char *params = "{\"facing\":\" back \",\"empty\":\"  \"}";
    OC_AUTO_JSON cJSON *in = NULL;
    OC_AUTO_JSON cJSON *out = cJSON_CreateObject();
    struct oc_error err;
    assert_int_equal(oc_json_parse(params, strlen(params), &in, &err), OC_OK);
    assert_int_equal(oc_media_copy_word(in, "facing", NULL, words, out, &err), OC_OK);
    assert_string_equal(oc_json_get_str(out, "facing"), "back");
    assert_int_equal(oc_media_copy_word(in, "empty", NULL, words, out, &err), OC_OK);
    assert_null(oc_json_get(out, "empty"));
    assert_int_equal(oc_media_copy_word(in, "format", "jpg", NULL, out, &err), OC_OK);
    assert_string_equal(oc_json_get_str(out, "format"), "jpg");
    assert_int_equal(oc_media_copy_bool(in, "includeAudio", true, out, &err), OC_OK);
    assert_true(oc_json_get_bool(out, "includeAudio", false));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_clamped),
        cmocka_unit_test(whole_numbers_lose_their_fraction),
        cmocka_unit_test(other_types_are_refused),
        cmocka_unit_test(words_have_defaults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
