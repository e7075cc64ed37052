#include "tests/unit/unit.h"

#include "lib/helper/capture_params.h"

#include <math.h>

struct world {
    cJSON *ret, *clamped;
    struct oc_error err;
};

static enum oc_code read_text(struct world *w, const struct oc_param *table, const char *text) {
    OC_AUTO_JSON cJSON *in = NULL;
    cJSON_Delete(w->ret);
    cJSON_Delete(w->clamped);
    w->ret = cJSON_CreateObject();
    w->clamped = cJSON_CreateArray();
    assert_int_equal(oc_json_parse(text, strlen(text), &in, &w->err), OC_OK);
    return oc_params_read(table, in, w->ret, w->clamped, &w->err);
}

static void finish(struct world *w) {
    cJSON_Delete(w->ret);
    cJSON_Delete(w->clamped);
}

static double number(const struct world *w, const char *name) {
    const cJSON *item = oc_json_get(w->ret, name);
    assert_non_null(item);
    return item->valuedouble;
}

static void what_is_missing_has_a_default(void **state) {
    (void)state;
    struct world w = { 0 };
    static const char *const texts[] = { "{}", "{\"durationMs\":null,\"facing\":\"  \"}" };
    for (size_t i = 0; i < OC_COUNT(texts); i++) {
        assert_int_equal(read_text(&w, oc_camera_clip_params, texts[i]), OC_OK);
        assert_true(number(&w, "durationMs") == 3000);
        assert_true(oc_json_get_bool(w.ret, "includeAudio", false));
        assert_string_equal(oc_json_get_str(w.ret, "format"), "mp4");
        assert_null(oc_json_get(w.ret, "facing"));
        assert_int_equal(cJSON_GetArraySize(w.clamped), 0);
    }
    finish(&w);
}

static void too_much_is_clamped_and_told(void **state) {
    (void)state;
    static const struct {
        const char *text, *told;
        double used;
    } rows[] = {
        { "{\"durationMs\":1234}", "[]", 1234 },
        { "{\"durationMs\":1}",
                "[{\"name\":\"durationMs\",\"asked\":1,\"used\":250,\"min\":250,\"max\":60000}]",
                250 },
        { "{\"durationMs\":36000000}",
                "[{\"name\":\"durationMs\",\"asked\":36000000,\"used\":60000,\"min\":250,"
                "\"max\":60000}]",
                60000 },
        { "{\"durationMs\":1e300}",
                "[{\"name\":\"durationMs\",\"asked\":1e+300,\"used\":60000,\"min\":250,"
                "\"max\":60000}]",
                60000 },
        { "{\"durationMs\":1234.9}",
                "[{\"name\":\"durationMs\",\"asked\":1234.9,\"used\":1234,\"min\":250,"
                "\"max\":60000}]",
                1234 },
    };
    struct world w = { 0 };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        assert_int_equal(read_text(&w, oc_camera_clip_params, rows[i].text), OC_OK);
        assert_true(number(&w, "durationMs") == rows[i].used);
        OC_AUTO_FREE char *told = oc_json_print(w.clamped, false);
        assert_string_equal(told, rows[i].told);
    }
    /* No delay is one, and the worst quality is near to 0. */
    assert_int_equal(read_text(&w, oc_camera_snap_params, "{\"quality\":0,\"delayMs\":0}"), OC_OK);
    assert_true(number(&w, "quality") == 0.05 && number(&w, "delayMs") == 0);
    assert_int_equal(cJSON_GetArraySize(w.clamped), 1);
    finish(&w);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    static const struct {
        const struct oc_param *table;
        const char *text, *why;
    } rows[] = {
        { oc_camera_clip_params, "{\"durationMs\":0}",
                "INVALID_REQUEST: durationMs must be a number from 250 to 60000, not 0" },
        { oc_camera_clip_params, "{\"durationMs\":-5}",
                "INVALID_REQUEST: durationMs must be a number from 250 to 60000, not -5" },
        { oc_camera_clip_params, "{\"durationMs\":\"NaN\"}",
                "INVALID_REQUEST: durationMs must be a number from 250 to 60000" },
        { oc_camera_clip_params, "{\"includeAudio\":1}",
                "INVALID_REQUEST: includeAudio must be true or false" },
        { oc_camera_snap_params, "{\"quality\":-0.1}",
                "INVALID_REQUEST: quality must be a number from 0.05 to 1, not -0.1" },
        { oc_camera_snap_params, "{\"maxWidth\":[]}",
                "INVALID_REQUEST: maxWidth must be a number from 16 to 16384" },
        { oc_camera_snap_params, "{\"facing\":\"up\"}",
                "INVALID_REQUEST: facing must not be 'up', but one of front, back" },
        { oc_camera_snap_params, "{\"deviceId\":7}",
                "INVALID_REQUEST: deviceId must be a short text" },
        { oc_screen_record_params, "{\"screenIndex\":-1}",
                "INVALID_REQUEST: screenIndex must be a whole number from 0 to 63, not -1" },
        { oc_screen_record_params, "{\"screenIndex\":1.5}",
                "INVALID_REQUEST: screenIndex must be a whole number from 0 to 63, not 1.5" },
        { oc_screen_record_params, "{\"fps\":0}",
                "INVALID_REQUEST: fps must be a number from 1 to 60, not 0" },
        { oc_screen_record_params, "{\"format\":\"webm\"}",
                "INVALID_REQUEST: screen format must be mp4" },
        { oc_location_params, "{\"maxAgeMs\":-1}",
                "INVALID_REQUEST: maxAgeMs must be a number from 0 to 86400000, not -1" },
        { oc_notify_params, "{\"title\":7}", "INVALID_REQUEST: title must be text" },
        { oc_notify_params, "{\"priority\":\"urgent\"}",
                "INVALID_REQUEST: priority must be passive, active or timeSensitive" },
        { oc_location_params, "{\"desiredAccuracy\":1}",
                "INVALID_REQUEST: desiredAccuracy must be coarse, balanced or precise" },
    };
    struct world w = { 0 };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        assert_int_equal(read_text(&w, rows[i].table, rows[i].text), OC_E_INVALID);
        assert_string_equal(w.err.text, rows[i].why);
    }
    /* A number that is none can only come from inside. */
    OC_AUTO_JSON cJSON *in = cJSON_CreateObject();
    oc_json_set(in, "durationMs", cJSON_CreateNumber(NAN));
    assert_int_equal(
            oc_params_read(oc_camera_clip_params, in, w.ret, w.clamped, &w.err), OC_E_INVALID);
    finish(&w);
}

static void words_are_trimmed(void **state) {
    (void)state;
    struct world w = { 0 };
    assert_int_equal(read_text(&w, oc_camera_snap_params, "{\"facing\":\" back \"}"), OC_OK);
    assert_string_equal(oc_json_get_str(w.ret, "facing"), "back");
    finish(&w);
}

static void the_limits_are_described(void **state) {
    (void)state;
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(4096);
    for (const struct oc_param *p = oc_camera_snap_params; p->name; p++) {
        oc_buf_printf(&out, "%s ", p->name);
        oc_param_describe(p, &out);
        oc_buf_putc(&out, '\n');
    }
    assert_string_equal(out.data, "format jpg, jpeg, png (jpg unless given)\n"
                                  "facing front, back\n"
                                  "deviceId a short text\n"
                                  "maxWidth 16 to 16384 (1600 unless given)\n"
                                  "delayMs 0 to 10000 (2000 unless given)\n"
                                  "quality 0.05 to 1 (0.9 unless given)\n"
                                  "phases true or false (false unless given)\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_missing_has_a_default),
        cmocka_unit_test(too_much_is_clamped_and_told),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(words_are_trimmed),
        cmocka_unit_test(the_limits_are_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
