#include "lib/protocol/limits.h"
#include "tests/unit/gateway/pairing/pairing_fixture.h"

static enum oc_code rename_as(
        const char *scopes, const char *who, const char *device, const char *label) {
    struct gw_actor a = actor(scopes, who);
    OC_AUTO_JSON cJSON *payload = NULL;
    error = (struct oc_error){ 0 };
    enum oc_code rc = gw_pairing_rename(pairing, &a, device, label, &payload, &error);
    assert_int_equal(rc == OC_OK, payload != NULL);
    return rc;
}

static void the_owners_name_stays(void **state) {
    (void)state;
    struct gw_pair_claim phone = claim("phone", "operator", "operator.read");
    pair(&phone);
    assert_int_equal(rename_as(ALL_SCOPES, NULL, "phone", "  Ada's phone "), OC_OK);
    /* The device calls itself something else, and is approved for more. */
    oc_fake_clock_advance(&fake, 3600000);
    phone.display_name = "Phone 2";
    assert_string_equal(verdict(&phone), "paired");
    struct gw_pair_claim more = claim("phone", "operator", "operator.read operator.write");
    pair(&more);
    OC_AUTO_JSON cJSON *device = stored(GW_DEVICES, "phone");
    assert_string_equal(oc_json_get_str(device, "operatorLabel"), "Ada's phone");
    OC_AUTO_JSON cJSON *list = NULL;
    assert_int_equal(gw_pairing_list(pairing, &list, &error), OC_OK);
    assert_string_equal(
            oc_json_get_str(oc_json_get(list, "paired")->child, "operatorLabel"), "Ada's phone");
}

static void who_may(void **state) {
    (void)state;
    struct gw_pair_claim phone = claim("phone", "operator", "operator.pairing");
    struct gw_pair_claim box = claim("box", "node", "");
    pair(&phone);
    pair(&box);
    assert_int_equal(rename_as("operator.pairing", "phone", "phone", "mine"), OC_OK);
    assert_int_equal(rename_as("operator.pairing", "phone", "box", "mine"), OC_E_DENIED);
    assert_int_equal(rename_as("operator.pairing", "box", "box", "production"), OC_E_DENIED);
    assert_string_equal(error.text, "missing scope: operator.admin");
    assert_int_equal(rename_as("operator.pairing operator.admin", "phone", "box", "x"), OC_OK);
    assert_int_equal(rename_as("operator.pairing", NULL, "box", "x"), OC_OK);
    assert_int_equal(rename_as("operator.read", NULL, "box", "x"), OC_E_DENIED);
    assert_int_equal(rename_as("", "phone", "phone", "x"), OC_E_DENIED);
}

static void what_a_name_may_be(void **state) {
    (void)state;
    struct gw_pair_claim phone = claim("phone", "operator", "operator.read");
    pair(&phone);
    char long_one[OC_MAX_LABEL_CHARS * 2 + 3] = "";
    for (int i = 0; i < OC_MAX_LABEL_CHARS; i++) {
        memcpy(long_one + 2 * (size_t)i, "\xC3\xA4", 3);
    }
    assert_int_equal(rename_as(ALL_SCOPES, NULL, "phone", long_one), OC_OK);
    memcpy(long_one + 2 * (size_t)OC_MAX_LABEL_CHARS, "x", 2);
    assert_int_equal(rename_as(ALL_SCOPES, NULL, "phone", long_one), OC_E_INVALID);
    assert_int_equal(rename_as(ALL_SCOPES, NULL, "phone", "  "), OC_E_INVALID);
    assert_string_equal(error.text, "label required");
    assert_int_equal(rename_as(ALL_SCOPES, NULL, "phone", "\xC3"), OC_E_INVALID);
    assert_int_equal(rename_as(ALL_SCOPES, NULL, "nobody", "x"), OC_E_INVALID);
    assert_string_equal(error.text, "unknown deviceId");
}

int main(void) {
#define T(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        T(the_owners_name_stays),
        T(who_may),
        T(what_a_name_may_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
