#include "tests/unit/unit.h"

#include "lib/protocol/connect.h"
#include "lib/protocol/limits.h"

#define CLIENT \
    "\"client\":{\"id\":\"cli\",\"version\":\"1\",\"platform\":\"linux\",\"mode\":\"cli\"}"
#define PROTO "\"minProtocol\":3,\"maxProtocol\":4"

static void everything(void **state) {
    (void)state;
    static const char text[] = "{\"minProtocol\":3,\"maxProtocol\":4,\"client\":{\"id\":\"node-"
                               "host\",\"displayName\":\"D\",\"version\":\"V\","
                               "\"platform\":\"linux\",\"deviceFamily\":\"F\",\"modelIdentifier\":"
                               "\"M\",\"mode\":\"node\",\"instanceId\":\"I\"},"
                               "\"caps\":[\"system\"],\"commands\":[\"system.run\",\"system."
                               "which\"],\"permissions\":{\"camera\":true},"
                               "\"pathEnv\":\"/"
                               "bin\",\"auth\":{\"token\":\"T\",\"deviceToken\":\"DT\","
                               "\"password\":\"P\"},\"role\":\"node\",\"scopes\":[],"
                               "\"device\":{\"id\":\"ID\",\"publicKey\":\"PK\",\"signature\":"
                               "\"SIG\",\"signedAt\":1700000000000,\"nonce\":\"N\"},"
                               "\"locale\":\"de\",\"userAgent\":\"UA\"}";
    OC_AUTO_JSON cJSON *params = NULL, *again = NULL;
    assert_int_equal(oc_json_parse(text, strlen(text), &params, NULL), OC_OK);
    struct oc_connect c;
    struct oc_error err;
    assert_int_equal(oc_connect_decode(params, &c, &err), OC_OK);
    assert_true(c.min_protocol == 3 && c.max_protocol == 4 && c.signed_at_ms == 1700000000000);
    assert_string_equal(c.client_id, "node-host");
    assert_string_equal(c.mode, "node");
    assert_string_equal(c.role, "node");
    assert_string_equal(c.device_token, "DT");
    assert_string_equal(c.nonce, "N");
    assert_int_equal(c.commands.count, 2);
    again = oc_connect_encode(&c);
    OC_AUTO_FREE char *printed = oc_json_print(again, false);
    assert_string_equal(printed, text);
    oc_connect_finish(&c);
}

static void the_least(void **state) {
    (void)state;
    static const char text[] = "{" PROTO "," CLIENT ",\"computerUse\":true}";
    OC_AUTO_JSON cJSON *params = NULL;
    assert_int_equal(oc_json_parse(text, strlen(text), &params, NULL), OC_OK);
    struct oc_connect c;
    assert_int_equal(oc_connect_decode(params, &c, NULL), OC_OK);
    assert_string_equal(c.role, "operator");
    assert_null(c.device_id);
    assert_null(c.token);
    OC_AUTO_JSON cJSON *again = oc_connect_encode(&c);
    assert_null(oc_json_get(again, "device"));
    assert_null(oc_json_get(again, "auth"));
    assert_null(oc_json_get(again, "commands"));
    assert_true(cJSON_IsArray(oc_json_get(again, "scopes")));
    oc_connect_finish(&c);
}

static void additions_of_protocol_4(void **state) {
    (void)state;
    static const char text[] =
            "{" PROTO
            ",\"client\":{\"id\":\"openclaw-tui\",\"version\":\"1\",\"platform\":\"linux\","
            "\"mode\":\"worker\",\"buildId\":\"x\",\"timeZone\":\"UTC\"},"
            "\"auth\":{\"bootstrapToken\":\"B\",\"approvalRuntimeToken\":\"A\"}}";
    OC_AUTO_JSON cJSON *params = NULL;
    assert_int_equal(oc_json_parse(text, strlen(text), &params, NULL), OC_OK);
    struct oc_connect c;
    assert_int_equal(oc_connect_decode(params, &c, NULL), OC_OK);
    assert_string_equal(c.bootstrap_token, "B");
    oc_connect_finish(&c);
}

static void refusals(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        { "5", "must be object" },
        { "{}", "must have required property 'minProtocol'" },
        { "{\"minProtocol\":0,\"maxProtocol\":3," CLIENT "}", "at /minProtocol: must be >= 1" },
        { "{" PROTO "}", "must have required property 'client'" },
        { "{" PROTO ",\"client\":[]}", "at /client: must be object" },
        { "{" PROTO ",\"client\":{\"id\":\"cli\",\"platform\":\"linux\",\"mode\":\"cli\"}}",
                "at /client: must have required property 'version'" },
        { "{" PROTO ",\"client\":{\"id\":\"evil\",\"version\":\"1\",\"platform\":\"linux\","
          "\"mode\":\"cli\"}}",
                "at /client/id: must be equal to constant; at /client/id: must match a schema in "
                "anyOf" },
        { "{" PROTO
          ",\"client\":{\"id\":\"cli\",\"version\":\"1\",\"platform\":\"linux\",\"mode\":\"x\"}}",
                "at /client/mode: must be equal to constant; at /client/mode: must match a schema "
                "in anyOf" },
        { "{" PROTO "," CLIENT ",\"caps\":\"x\"}", "at /caps: must be array" },
        { "{" PROTO "," CLIENT ",\"commands\":[1]}", "at /commands/0: must be string" },
        { "{" PROTO "," CLIENT ",\"role\":5}", "at /role: must be string" },
        { "{" PROTO "," CLIENT ",\"permissions\":{\"a\\n\":1}}",
                "at /permissions/a\\n: must be boolean" },
        { "{" PROTO "," CLIENT ",\"auth\":{\"token\":1}}", "at /auth/token: must be string" },
        { "{" PROTO "," CLIENT
          ",\"device\":{\"id\":\"a\",\"publicKey\":\"b\",\"signature\":\"c\",\"signedAt\":1}}",
                "at /device: must have required property 'nonce'" },
        { "{" PROTO "," CLIENT ",\"device\":{\"id\":\"a\",\"publicKey\":\"b\",\"signature\":\"c\","
          "\"signedAt\":1.5,\"nonce\":\"\"}}",
                "at /device/signedAt: must be integer" },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        OC_AUTO_JSON cJSON *params = NULL;
        assert_int_equal(oc_json_parse(cases[i][0], strlen(cases[i][0]), &params, NULL), OC_OK);
        struct oc_connect c;
        struct oc_error err;
        assert_int_equal(oc_connect_decode(params, &c, &err), OC_E_INVALID);
        assert_string_equal(err.text, cases[i][1]);
        oc_connect_finish(&c);
    }
}

static void ceilings(void **state) {
    (void)state;
    char long_text[OC_MAX_NAME_BYTES + 2];
    memset(long_text, 'x', sizeof(long_text) - 1);
    long_text[sizeof(long_text) - 1] = '\0';
    OC_AUTO_JSON cJSON *params = NULL;
    static const char text[] = "{" PROTO "," CLIENT "}";
    assert_int_equal(oc_json_parse(text, strlen(text), &params, NULL), OC_OK);
    cJSON *client = cJSON_GetObjectItemCaseSensitive(params, "client");
    oc_json_set_str(client, "displayName", long_text);
    struct oc_connect c;
    struct oc_error err;
    assert_int_equal(oc_connect_decode(params, &c, &err), OC_E_INVALID);
    assert_string_equal(err.text, "at /client/displayName: must NOT have more than 256 characters");
    oc_connect_finish(&c);
    oc_json_set_str(client, "displayName", long_text + 1);
    assert_int_equal(oc_connect_decode(params, &c, &err), OC_OK);
    oc_connect_finish(&c);
    cJSON *scopes = cJSON_CreateArray();
    for (int i = 0; i <= OC_MAX_SCOPES; i++) {
        cJSON_AddItemToArray(scopes, cJSON_CreateString("s"));
    }
    oc_json_set(params, "scopes", scopes);
    assert_int_equal(oc_connect_decode(params, &c, &err), OC_E_INVALID);
    assert_string_equal(err.text, "at /scopes: must NOT have more than 32 items");
    oc_connect_finish(&c);
    oc_json_set(params, "scopes", cJSON_CreateArray());
    cJSON *caps = cJSON_CreateArray();
    cJSON_AddItemToArray(caps, cJSON_CreateString(long_text));
    oc_json_set(params, "caps", caps);
    assert_int_equal(oc_connect_decode(params, &c, &err), OC_E_INVALID);
    assert_string_equal(err.text, "at /caps/0: must NOT have more than 256 characters");
    oc_connect_finish(&c);
}

static void versions(void **state) {
    (void)state;
    static const int cases[][3] = { { 3, 3, 3 }, { 4, 4, 4 }, { 3, 4, 4 }, { 1, 9, 4 }, { 1, 3, 3 },
        { 1, 2, 0 }, { 5, 9, 0 }, { 4, 3, 0 } };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        assert_int_equal(oc_protocol_choose(cases[i][0], cases[i][1]), cases[i][2]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything),
        cmocka_unit_test(the_least),
        cmocka_unit_test(additions_of_protocol_4),
        cmocka_unit_test(refusals),
        cmocka_unit_test(ceilings),
        cmocka_unit_test(versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
