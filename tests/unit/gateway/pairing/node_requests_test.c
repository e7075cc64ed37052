#include "gateway/pairing/node_requests.h"

#include "lib/protocol/limits.h"
#include "tests/unit/gateway/pairing/pairing_fixture.h"

static enum oc_code ask_for(const char *node_id, const char *commands, cJSON **ret, bool *is_new) {
    struct gw_actor owner = actor(ALL_SCOPES, NULL);
    struct gw_node_ask a = { .node_id = node_id, .caps = words(""), .commands = words(commands) };
    error = (struct oc_error){ 0 };
    return gw_node_request_make(store, &fake.clock, &owner, &a, ret, is_new, &error);
}

static size_t listed(void) {
    OC_AUTO_JSON cJSON *list = NULL;
    assert_int_equal(gw_surface_list(surface, &list, &error), OC_OK);
    return (size_t)cJSON_GetArraySize(oc_json_get(list, "pending"));
}

static void they_die_after_five_minutes(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *first = NULL;
    OC_AUTO_JSON cJSON *again = NULL;
    OC_AUTO_JSON cJSON *later = NULL;
    bool is_new = false;
    assert_int_equal(ask_for("n", "a.one", &first, &is_new), OC_OK);
    assert_true(is_new);
    assert_int_equal(ask_for("n", "a.one b.two", &again, &is_new), OC_OK);
    assert_false(is_new);
    assert_true(cJSON_Compare(first, again, true));
    assert_int_equal(listed(), 1);
    oc_fake_clock_advance(&fake, OC_PENDING_TTL_MS);
    assert_int_equal(listed(), 0);
    struct gw_actor owner = actor(ALL_SCOPES, NULL);
    cJSON *none = NULL;
    const char *id = oc_json_get_str(first, "requestId");
    assert_int_equal(gw_surface_approve(surface, &owner, id, &none, &none, &error), OC_E_INVALID);
    assert_int_equal(gw_surface_reject(surface, &owner, id, &none, &error), OC_E_INVALID);
    assert_int_equal(ask_for("n", "b.two", &later, &is_new), OC_OK);
    assert_true(is_new);
    assert_int_equal(count(GW_NODE_REQUESTS), 1);
}

static void what_a_node_asks_for_itself_stays(void **state) {
    (void)state;
    struct gw_surface_claim c = { .node_id = "n", .caps = words(""), .commands = words("a.one") };
    struct gw_surface_outcome o;
    assert_int_equal(gw_surface_check(surface, &c, &o, &error), OC_OK);
    OC_AUTO_JSON cJSON *same = NULL;
    bool is_new = true;
    assert_int_equal(ask_for("n", "system.run", &same, &is_new), OC_OK);
    assert_false(is_new);
    assert_true(cJSON_Compare(o.request, same, true));
    gw_surface_outcome_finish(&o);
    oc_fake_clock_advance(&fake, 10 * (int64_t)OC_PENDING_TTL_MS);
    assert_int_equal(listed(), 1);
    /* And the node's own word replaces what somebody said about it. */
    OC_AUTO_JSON cJSON *made = NULL;
    assert_int_equal(ask_for("m", "a.one", &made, &is_new), OC_OK);
    struct gw_surface_claim wide = {
        .node_id = "m", .caps = words(""), .commands = words("a.one system.run")
    };
    assert_int_equal(gw_surface_check(surface, &wide, &o, &error), OC_OK);
    assert_string_not_equal(
            oc_json_get_str(o.request, "requestId"), oc_json_get_str(made, "requestId"));
    gw_surface_outcome_finish(&o);
    struct gw_actor owner = actor(ALL_SCOPES, NULL);
    cJSON *none = NULL;
    assert_int_equal(gw_surface_approve(surface, &owner, oc_json_get_str(made, "requestId"), &none,
                             &none, &error),
            OC_E_INVALID);
}

static void there_is_an_end_to_them(void **state) {
    (void)state;
    bool is_new;
    for (int i = 0; i < OC_MAX_MADE_NODE_REQUESTS; i++) {
        OC_AUTO_JSON cJSON *request = NULL;
        OC_AUTO_FREE char *id = oc_strfmt("n%d", i);
        assert_int_equal(ask_for(id, "", &request, &is_new), OC_OK);
    }
    cJSON *none = NULL;
    assert_int_equal(ask_for("one more", "", &none, &is_new), OC_E_UNAVAILABLE);
    oc_fake_clock_advance(&fake, OC_PENDING_TTL_MS);
    OC_AUTO_JSON cJSON *request = NULL;
    assert_int_equal(ask_for("one more", "", &request, &is_new), OC_OK);
    assert_int_equal(count(GW_NODE_REQUESTS), 1);
}

int main(void) {
#define T(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        T(they_die_after_five_minutes),
        T(what_a_node_asks_for_itself_stays),
        T(there_is_an_end_to_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
