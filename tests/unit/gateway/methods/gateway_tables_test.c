/* methods.def and events.def. */
#include "gateway/conn/events.h"
#include "gateway/methods/methods.h"

#include "lib/protocol/scopes.h"
#include "tests/unit/unit.h"

static void test_methods_are_sorted(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *names = gw_method_names();
    const char *before = "";
    const cJSON *n;
    cJSON_ArrayForEach(n, names) {
        if (strcmp(before, n->valuestring) >= 0) {
            fail_msg("%s must come before %s", n->valuestring, before);
        }
        before = n->valuestring;
    }
    assert_true(cJSON_GetArraySize(names) > 20);
}

static void test_absent_methods_are_sorted_and_not_offered(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *names = gw_method_names(), *absent = gw_method_absent_names();
    const char *before = "";
    const cJSON *n, *m;
    cJSON_ArrayForEach(n, absent) {
        if (strcmp(before, n->valuestring) >= 0) {
            fail_msg("%s must come before %s", n->valuestring, before);
        }
        before = n->valuestring;
        cJSON_ArrayForEach(m, names) {
            assert_string_not_equal(m->valuestring, n->valuestring);
        }
    }
}

/* What a handler keeps of a call lives on when the message that the name came in is gone. */
static void test_the_name_of_a_method_is_the_tables_own(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *names = gw_method_names(), *absent = gw_method_absent_names();
    const cJSON *const lists[] = { names, absent };
    for (size_t i = 0; i < OC_COUNT(lists); i++) {
        const cJSON *n;
        cJSON_ArrayForEach(n, lists[i]) {
            OC_AUTO_FREE char *sent = oc_strdup(n->valuestring);
            assert_ptr_equal(gw_method_name(sent), n->valuestring);
        }
    }
    assert_null(gw_method_name("nonsense"));
}

static void test_who_sees_what(void **state) {
    (void)state;
    struct oc_strv none = { 0 }, read = { 0 }, pairing = { 0 }, admin = { 0 };
    oc_strv_add(&read, OC_SCOPE_READ);
    oc_strv_add(&pairing, OC_SCOPE_PAIRING);
    oc_strv_add(&admin, OC_SCOPE_ADMIN);
    assert_true(gw_event_visible(GW_EVENT_TICK, "node", &none));
    assert_true(gw_event_visible(GW_EVENT_SHUTDOWN, "node", &none));
    assert_true(gw_event_visible(GW_EVENT_TICK, "operator", &none));
    assert_false(gw_event_visible(GW_EVENT_PRESENCE, "node", &none));
    assert_true(gw_event_visible(GW_EVENT_PRESENCE, "operator", &read));
    static const enum gw_event pair_events[] = { GW_EVENT_DEVICE_PAIR_REQUESTED,
        GW_EVENT_DEVICE_PAIR_RESOLVED, GW_EVENT_NODE_PAIR_REQUESTED, GW_EVENT_NODE_PAIR_RESOLVED };
    for (size_t i = 0; i < OC_COUNT(pair_events); i++) {
        assert_false(gw_event_visible(pair_events[i], "operator", &read));
        assert_true(gw_event_visible(pair_events[i], "operator", &pairing));
        assert_true(gw_event_visible(pair_events[i], "operator", &admin));
        assert_false(gw_event_visible(pair_events[i], "node", &admin));
    }
    struct oc_strv approvals = { 0 };
    oc_strv_add(&approvals, OC_SCOPE_APPROVALS);
    assert_true(gw_event_visible(GW_EVENT_EXEC_APPROVAL_REQUESTED, "operator", &approvals));
    assert_true(gw_event_visible(GW_EVENT_EXEC_APPROVAL_RESOLVED, "operator", &admin));
    assert_false(gw_event_visible(GW_EVENT_EXEC_APPROVAL_REQUESTED, "operator", &pairing));
    assert_false(gw_event_visible(GW_EVENT_EXEC_APPROVAL_REQUESTED, "node", &admin));
    oc_strv_finish(&approvals);
    assert_false(gw_event_visible(GW_EVENT_NODE_INVOKE_REQUEST, "operator", &admin));
    oc_strv_finish(&read);
    oc_strv_finish(&pairing);
    oc_strv_finish(&admin);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_methods_are_sorted),
        cmocka_unit_test(test_absent_methods_are_sorted_and_not_offered),
        cmocka_unit_test(test_the_name_of_a_method_is_the_tables_own),
        cmocka_unit_test(test_who_sees_what),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
