#include "tests/unit/unit.h"

#include "lib/protocol/frame.h"
#include "lib/protocol/limits.h"
#include "tests/any_int.h"

static void requests(void **state) {
    (void)state;
    struct oc_frame f;
    struct oc_error err;
    assert_int_equal(
            oc_frame_decode(SLICE("{\"params\":{\"a\":[1]},\"type\":\"req\",\"id\":\"7:\\u00e4\","
                                  "\"method\":\"node.list\",\"traceparent\":\"x\"}"),
                    &f, &err),
            OC_OK);
    assert_int_equal(f.type, OC_FRAME_REQ);
    assert_string_equal(f.id, "7:ä");
    assert_string_equal(f.name, "node.list");
    assert_true(oc_slice_eq(f.body, "{\"a\":[1]}"));
    oc_frame_finish(&f);
    oc_frame_finish(&f);
}

static void responses(void **state) {
    (void)state;
    struct oc_frame f;
    struct oc_error err;
    assert_int_equal(
            oc_frame_decode(SLICE("{\"type\":\"res\",\"id\":\"1\",\"ok\":true,\"payload\":[1, 2],"
                                  "\"error\":null}"),
                    &f, &err),
            OC_OK);
    assert_true(f.type == OC_FRAME_RES && f.ok && f.error.len == 0);
    assert_true(oc_slice_eq(f.body, "[1, 2]"));
    oc_frame_finish(&f);
    assert_int_equal(oc_frame_decode(SLICE("{\"type\":\"res\",\"id\":\"1\",\"ok\":false,\"error\":{"
                                           "\"code\":\"X\"}}"),
                             &f, &err),
            OC_OK);
    assert_true(!f.ok && f.body.len == 0 && oc_slice_eq(f.error, "{\"code\":\"X\"}"));
    oc_frame_finish(&f);
}

static void events(void **state) {
    (void)state;
    struct oc_frame f;
    struct oc_error err;
    assert_int_equal(
            oc_frame_decode(
                    SLICE("{\"type\":\"event\",\"event\":\"tick\",\"payload\":{},\"seq\":42}"), &f,
                    &err),
            OC_OK);
    assert_true(f.type == OC_FRAME_EVENT && f.seq == 42 && !f.id);
    assert_string_equal(f.name, "tick");
    oc_frame_finish(&f);
    assert_int_equal(
            oc_frame_decode(SLICE("{\"type\":\"event\",\"event\":\"x\"}"), &f, &err), OC_OK);
    assert_true(f.seq == -1 && f.body.len == 0);
    oc_frame_finish(&f);
}

static void not_json_is_corrupt(void **state) {
    (void)state;
    static const char *const texts[] = { "", "hello", "{", "{\"type\":\"req\"",
        "{\"type\":\"req\"} {}", "{\"type\":\"\xff\"}" };
    for (size_t i = 0; i < OC_COUNT(texts); i++) {
        struct oc_frame f;
        struct oc_error err;
        struct oc_slice text = { texts[i], strlen(texts[i]) };
        assert_int_equal(oc_frame_decode(text, &f, &err), OC_E_CORRUPT);
        oc_frame_finish(&f);
    }
    char deep[2 * OC_MAX_FRAME_DEPTH + 60];
    int n = snprintf(deep, sizeof(deep), "{\"type\":\"event\",\"event\":\"x\",\"payload\":");
    memset(deep + n, '[', OC_MAX_FRAME_DEPTH);
    struct oc_frame f;
    assert_int_equal(
            oc_frame_decode((struct oc_slice){ deep, (size_t)n + OC_MAX_FRAME_DEPTH }, &f, NULL),
            OC_E_CORRUPT);
}

static void shape_errors(void **state) {
    (void)state;
    static const struct {
        const char *text, *want, *id;
    } cases[] = {
        { "[]", "must be object", NULL },
        { "{}",
                "must have required property 'type'; must have required property 'id'; "
                "must have required property 'method'",
                NULL },
        { "{\"type\":\"evt\",\"event\":\"x\"}",
                "must have required property 'id'; must have required property 'method'; "
                "at /type: must be equal to constant",
                NULL },
        { "{\"type\":\"req\",\"id\":5,\"method\":\"x\"}", "at /id: must be string", NULL },
        { "{\"type\":\"req\",\"id\":\"\",\"method\":\"x\"}",
                "at /id: must NOT have fewer than 1 characters", NULL },
        { "{\"type\":\"req\",\"id\":\"9\"}", "must have required property 'method'", "9" },
        { "{\"type\":\"req\",\"id\":\"9\",\"method\":null}", "at /method: must be string", "9" },
        { "{\"type\":7,\"id\":\"9\",\"method\":\"m\"}", "at /type: must be equal to constant",
                "9" },
        { "{\"type\":\"res\",\"id\":\"9\"}", "must have required property 'ok'", "9" },
        { "{\"type\":\"res\",\"id\":\"9\",\"ok\":1}", "at /ok: must be boolean", "9" },
        { "{\"type\":\"res\",\"id\":\"9\",\"ok\":false,\"error\":\"x\"}",
                "at /error: must be object", "9" },
        { "{\"type\":\"event\"}", "must have required property 'event'", NULL },
        { "{\"type\":\"event\",\"event\":\"x\",\"seq\":1.5}", "at /seq: must be integer", NULL },
        { "{\"type\":\"event\",\"event\":\"x\",\"seq\":-1}", "at /seq: must be >= 0", NULL },
        { "{\"type\":\"req\",\"id\":\"1\",\"method\":\"a\",\"\\u0069d\":\"2\"}",
                "at root: duplicate property 'id'", "2" },
        { "{\"type\":\"req\",\"id\":\"a\\u0000b\",\"method\":\"m\"}",
                "at /id: must NOT have more than 256 characters, nor a NUL", NULL },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        struct oc_frame f;
        struct oc_error err = { 0 };
        struct oc_slice text = { cases[i].text, strlen(cases[i].text) };
        assert_int_equal(oc_frame_decode(text, &f, &err), OC_E_INVALID);
        assert_string_equal(err.text, cases[i].want);
        if (cases[i].id) {
            assert_string_equal(f.id, cases[i].id);
        } else {
            assert_null(f.id);
        }
        oc_frame_finish(&f);
    }
}

static void long_ids_are_refused(void **state) {
    (void)state;
    for (int extra = 0; extra <= 1; extra++) {
        OC_AUTO_FREE char *text = oc_strfmt(
                "{\"type\":\"req\",\"method\":\"m\",\"id\":\"%0*d\"}", OC_MAX_ID_BYTES + extra, 0);
        struct oc_frame f;
        enum oc_code rc = oc_frame_decode((struct oc_slice){ text, strlen(text) }, &f, NULL);
        assert_int_equal(rc, extra ? OC_E_INVALID : OC_OK);
        oc_frame_finish(&f);
    }
}

/* 25 MiB of them took the gateway half a second, whoever sent them. */
static void heavy_messages_are_not_read_to_the_end(void **state) {
    (void)state;
    static const struct {
        const char *piece, *begin, *end;
        enum oc_code want;
    } cases[] = {
        { "0,", "{\"type\":\"req\",\"id\":\"1\",\"method\":\"m\",\"params\":[", "0]}",
                OC_E_TOO_LARGE },
        { "\"a\":0,", "{", "\"type\":\"req\",\"id\":\"1\",\"method\":\"m\"}", OC_E_TOO_LARGE },
        { "\\u0041", "{\"type\":\"req\",\"id\":\"1\",\"method\":\"m\",\"params\":[\"", "\"]}",
                OC_E_TOO_LARGE },
        { "x", "{\"type\":\"req\",\"id\":\"1\",\"method\":\"m\",\"params\":[\"", "\"]}", OC_OK },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(OC_MAX_MESSAGE_BYTES);
        oc_buf_puts(&text, cases[i].begin);
        while (text.len < OC_MAX_MESSAGE_BYTES - 100) {
            oc_buf_puts(&text, cases[i].piece);
        }
        oc_buf_puts(&text, cases[i].end);
        struct oc_frame f;
        struct oc_error err;
        struct oc_slice all = { text.data, text.len };
        assert_int_equal(oc_frame_decode_quick(all, &f, &err), cases[i].want);
        oc_frame_finish(&f);
        assert_int_equal(oc_frame_decode(all, &f, &err), OC_OK); /* a client has the time */
        oc_frame_finish(&f);
    }
}

static void bodies(void **state) {
    (void)state;
    struct oc_frame f = { 0 };
    OC_AUTO_JSON cJSON *empty = NULL, *null = NULL, *some = NULL;
    struct oc_error err;
    assert_int_equal(oc_frame_parse_body(&f, 100, &empty, &err), OC_OK);
    f.body = SLICE("null");
    assert_int_equal(oc_frame_parse_body(&f, 100, &null, &err), OC_OK);
    assert_true(cJSON_IsObject(empty) && cJSON_IsObject(null));
    f.body = SLICE("{\"a\":1}");
    assert_int_equal(oc_frame_parse_body(&f, 7, &some, &err), OC_OK);
    assert_int_equal(any_int(some, "a", 0), 1);
    cJSON *none = NULL;
    assert_int_equal(oc_frame_parse_body(&f, 6, &none, &err), OC_E_TOO_LARGE);
    f.body = SLICE("{\"a\":1,\"a\":2}");
    assert_int_equal(oc_frame_parse_body(&f, 100, &none, &err), OC_E_INVALID);
    assert_null(none);
}

static void encoders(void **state) {
    (void)state;
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(1000);
    OC_AUTO_JSON cJSON *body = cJSON_CreateObject();
    oc_json_set_int(body, "ts", 1);
    oc_frame_put_req(&out, "a\"b", "m", body);
    assert_string_equal(out.data,
            "{\"type\":\"req\",\"id\":\"a\\\"b\",\"method\":\"m\",\"params\":{\"ts\":1}}");
    oc_buf_clear(&out);
    oc_frame_put_req(&out, "1", "m", NULL);
    assert_string_equal(out.data, "{\"type\":\"req\",\"id\":\"1\",\"method\":\"m\"}");
    oc_buf_clear(&out);
    oc_frame_put_res(&out, "1", body);
    assert_string_equal(
            out.data, "{\"type\":\"res\",\"id\":\"1\",\"ok\":true,\"payload\":{\"ts\":1}}");
    oc_buf_clear(&out);
    oc_frame_put_res_error(&out, "1", body);
    assert_string_equal(
            out.data, "{\"type\":\"res\",\"id\":\"1\",\"ok\":false,\"error\":{\"ts\":1}}");
    oc_buf_clear(&out);
    oc_frame_put_event(&out, "tick", body, -1, -1, -1);
    assert_string_equal(out.data, "{\"type\":\"event\",\"event\":\"tick\",\"payload\":{\"ts\":1}}");
    oc_buf_clear(&out);
    oc_frame_put_event(&out, "presence", NULL, 0, 3, 4);
    assert_string_equal(out.data, "{\"type\":\"event\",\"event\":\"presence\",\"seq\":0,"
                                  "\"stateVersion\":{\"presence\":3,\"health\":4}}");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests),
        cmocka_unit_test(responses),
        cmocka_unit_test(events),
        cmocka_unit_test(not_json_is_corrupt),
        cmocka_unit_test(shape_errors),
        cmocka_unit_test(long_ids_are_refused),
        cmocka_unit_test(heavy_messages_are_not_read_to_the_end),
        cmocka_unit_test(bodies),
        cmocka_unit_test(encoders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
