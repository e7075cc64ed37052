/* The table of pending requests: one per device, merged, expiring, bounded. */
#include "lib/protocol/limits.h"
#include "tests/any_int.h"
#include "tests/unit/gateway/pairing/pairing_fixture.h"

#include <stdio.h>

static void a_request_has_the_wire_shape(void **state) {
    (void)state;
    struct gw_pair_claim c = claim("d1", "node", "");
    c.device_family = "Linux";
    c.caps = words("system");
    c.commands = words("system.run");
    struct gw_pair_outcome o = check(&c);
    assert_true(o.is_new_request);
    OC_AUTO_FREE char *want = oc_strfmt(
            "{\"requestId\":\"%s\",\"deviceId\":\"d1\",\"publicKey\":\"d1\",\"displayName\":"
            "\"Box\","
            "\"platform\":\"linux\",\"deviceFamily\":\"Linux\",\"clientId\":\"node-host\","
            "\"clientMode\":\"node\",\"role\":\"node\",\"roles\":[\"node\"],\"scopes\":[],"
            "\"remoteIp\":\"10.0.0.9\",\"silent\":false,\"isRepair\":false,\"ts\":1794787516297}",
            oc_json_get_str(o.request, "requestId"));
    assert_json(o.request, want);
    assert_int_equal(strlen(oc_json_get_str(o.request, "requestId")), 36);
    /* What one approval needs for both gates stays inside. */
    OC_AUTO_JSON cJSON *kept = NULL;
    assert_int_equal(
            gw_pairing_request(pairing, oc_json_get_str(o.request, "requestId"), &kept, &error),
            OC_OK);
    assert_json(oc_json_get(kept, "commands"), "[\"system.run\"]");
    assert_json(oc_json_get(kept, "caps"), "[\"system\"]");
    assert_string_equal(oc_json_get_str(kept, "version"), "1.0");
    OC_AUTO_JSON cJSON *wire = gw_pairing_request_wire(kept);
    assert_json(wire, want);
    gw_pair_outcome_finish(&o);
}

static void an_operator_request_has_no_commands(void **state) {
    (void)state;
    struct gw_pair_claim c = claim("d1", "operator", "operator.read");
    c.commands = words("system.run");
    OC_AUTO_FREE char *id = ask(&c);
    OC_AUTO_JSON cJSON *kept = stored(GW_DEVICE_REQUESTS, id);
    assert_null(oc_json_get(kept, "commands"));
    assert_json(oc_json_get(kept, "scopes"), "[\"operator.read\"]");
}

static void a_retry_keeps_the_id_and_is_no_news(void **state) {
    (void)state;
    struct gw_pair_claim c = claim("d1", "node", "");
    OC_AUTO_FREE char *first = ask(&c);
    oc_fake_clock_advance(&fake, 31000);
    struct gw_pair_outcome o = check(&c);
    assert_false(o.is_new_request);
    assert_string_equal(oc_json_get_str(o.request, "requestId"), first);
    assert_int_equal(any_int(o.request, "ts", 0), START_MS + 31000);
    assert_int_equal(count(GW_DEVICE_REQUESTS), 1);
    gw_pair_outcome_finish(&o);
}

static void each_role_asks_for_itself(void **state) {
    (void)state;
    struct gw_pair_claim c = claim("d1", "node", "");
    c.commands = words("a.b");
    OC_AUTO_FREE char *first = ask(&c);
    struct gw_pair_claim other = claim("d1", "operator", "operator.read");
    struct gw_pair_outcome o = check(&other);
    assert_true(o.is_new_request);
    assert_string_not_equal(oc_json_get_str(o.request, "requestId"), first);
    assert_json(oc_json_get(o.request, "roles"), "[\"operator\"]");
    assert_json(oc_json_get(o.request, "scopes"), "[\"operator.read\"]");
    gw_pair_outcome_finish(&o);
    OC_AUTO_JSON cJSON *kept = stored(GW_DEVICE_REQUESTS, first);
    assert_json(oc_json_get(kept, "roles"), "[\"node\"]");
    assert_int_equal(count(GW_DEVICE_REQUESTS), 2);
}

/* Nobody approves what they have not read: more has another id, less keeps it. */
static void asking_for_more_is_another_request(void **state) {
    (void)state;
    struct gw_pair_claim c = claim("d1", "operator", "operator.read");
    OC_AUTO_FREE char *first = ask(&c);
    struct gw_pair_claim more = claim("d1", "operator", "operator.write operator.read");
    more.display_name = "Box 2";
    more.client_id = NULL; /* what is not said again stays */
    struct gw_pair_outcome o = check(&more);
    OC_AUTO_FREE char *second = oc_strdup(oc_json_get_str(o.request, "requestId"));
    assert_true(o.is_new_request);
    assert_string_not_equal(second, first);
    assert_string_equal(oc_json_get_str(o.request, "displayName"), "Box 2");
    assert_string_equal(oc_json_get_str(o.request, "clientId"), "cli");
    gw_pair_outcome_finish(&o);
    assert_int_equal(count(GW_DEVICE_REQUESTS), 1);
    o = check(&c);
    assert_string_equal(oc_json_get_str(o.request, "requestId"), second);
    assert_json(oc_json_get(o.request, "scopes"), "[\"operator.read\"]");
    gw_pair_outcome_finish(&o);
}

static void newer_commands_replace_older_ones(void **state) {
    (void)state;
    struct gw_pair_claim c = claim("d1", "node", "");
    c.commands = words("a.b");
    OC_AUTO_FREE char *first = ask(&c);
    c.commands = words("c.d");
    struct gw_pair_outcome o = check(&c);
    assert_true(o.is_new_request);
    assert_string_not_equal(oc_json_get_str(o.request, "requestId"), first);
    OC_AUTO_JSON cJSON *kept = stored(GW_DEVICE_REQUESTS, oc_json_get_str(o.request, "requestId"));
    assert_json(oc_json_get(kept, "commands"), "[\"c.d\"]");
    gw_pair_outcome_finish(&o);
    assert_int_equal(count(GW_DEVICE_REQUESTS), 1);
}

static void moving_elsewhere_is_kept_but_no_news(void **state) {
    (void)state;
    struct gw_pair_claim c = claim("d1", "node", "");
    OC_AUTO_FREE char *id = ask(&c);
    c.remote_ip = "10.0.0.10";
    struct gw_pair_outcome o = check(&c);
    assert_false(o.is_new_request);
    gw_pair_outcome_finish(&o);
    OC_AUTO_JSON cJSON *kept = stored(GW_DEVICE_REQUESTS, id);
    assert_string_equal(oc_json_get_str(kept, "remoteIp"), "10.0.0.10");
}

static void retries_do_not_keep_the_disk_busy(void **state) {
    (void)state;
    struct gw_pair_claim c = claim("d1", "node", "");
    OC_AUTO_FREE char *id = ask(&c);
    oc_fake_clock_advance(&fake, 29999);
    free(ask(&c));
    OC_AUTO_JSON cJSON *kept = stored(GW_DEVICE_REQUESTS, id);
    assert_int_equal(any_int(kept, "ts", 0), START_MS);
    oc_fake_clock_advance(&fake, 1);
    free(ask(&c));
    OC_AUTO_JSON cJSON *again = stored(GW_DEVICE_REQUESTS, id);
    assert_int_equal(any_int(again, "ts", 0), START_MS + 30000);
}

static void requests_die_after_five_minutes_unless_retried(void **state) {
    (void)state;
    struct gw_pair_claim c = claim("d1", "node", "");
    OC_AUTO_FREE char *id = ask(&c);
    cJSON *found = NULL;
    for (int i = 0; i < 10; i++) { /* far longer than five minutes */
        oc_fake_clock_advance(&fake, OC_PENDING_TTL_MS);
        OC_AUTO_FREE char *again = ask(&c);
        assert_string_equal(again, id);
    }
    oc_fake_clock_advance(&fake, OC_PENDING_TTL_MS + 1);
    assert_int_equal(gw_pairing_request(pairing, id, &found, &error), OC_E_NOT_FOUND);
    assert_int_equal(count(GW_DEVICE_REQUESTS), 0);
    struct gw_pair_outcome o = check(&c);
    assert_true(o.is_new_request);
    assert_string_not_equal(oc_json_get_str(o.request, "requestId"), id);
    gw_pair_outcome_finish(&o);
}

static void expired_requests_cannot_be_approved_or_listed(void **state) {
    (void)state;
    struct gw_pair_claim c1 = claim("d1", "operator", ""), c2 = claim("d2", "operator", "");
    OC_AUTO_FREE char *first = ask(&c1);
    oc_fake_clock_advance(&fake, OC_PENDING_TTL_MS);
    OC_AUTO_FREE char *second = ask(&c2);
    oc_fake_clock_advance(&fake, 1);
    OC_AUTO_JSON cJSON *list = NULL;
    assert_int_equal(gw_pairing_list(pairing, &list, &error), OC_OK);
    assert_int_equal(cJSON_GetArraySize(oc_json_get(list, "pending")), 1);
    struct gw_actor admin = actor(ALL_SCOPES, NULL);
    assert_fails(approve(&admin, first), OC_E_INVALID, "unknown requestId");
    assert_int_equal(approve(&admin, second), OC_OK);
}

static void a_clock_that_was_set_back_does_not_keep_requests_for_ever(void **state) {
    (void)state;
    struct gw_pair_claim c = claim("d1", "node", "");
    OC_AUTO_FREE char *id = ask(&c);
    oc_fake_clock_advance(&fake, -OC_PENDING_TTL_MS - 1);
    OC_AUTO_FREE char *again = ask(&c);
    assert_string_not_equal(again, id);
    assert_int_equal(count(GW_DEVICE_REQUESTS), 1);
}

static void the_list_is_newest_first(void **state) {
    (void)state;
    static const char *const ids[] = { "d1", "d2", "d3" };
    for (size_t i = 0; i < OC_COUNT(ids); i++) {
        struct gw_pair_claim c = claim(ids[i], i == 1 ? "operator" : "node", "");
        free(ask(&c));
        oc_fake_clock_advance(&fake, 1000);
    }
    OC_AUTO_JSON cJSON *all = NULL;
    OC_AUTO_JSON cJSON *nodes = NULL;
    assert_int_equal(gw_requests_all(pairing, &all, &error), OC_OK);
    assert_string_equal(oc_json_get_str(cJSON_GetArrayItem(all, 0), "deviceId"), "d3");
    assert_string_equal(oc_json_get_str(cJSON_GetArrayItem(all, 2), "deviceId"), "d1");
    assert_int_equal(gw_pairing_node_requests(pairing, &nodes, &error), OC_OK);
    assert_int_equal(cJSON_GetArraySize(nodes), 2);
    assert_string_equal(oc_json_get_str(cJSON_GetArrayItem(nodes, 0), "deviceId"), "d3");
    assert_non_null(oc_json_get(cJSON_GetArrayItem(nodes, 0), "commands"));
}

static enum oc_code try_device(int number, const char *ip) {
    OC_AUTO_FREE char *id = oc_strfmt("device-%d", number);
    struct gw_pair_claim c = claim(id, "node", "");
    c.remote_ip = ip;
    struct gw_pair_outcome o = { 0 };
    error = (struct oc_error){ 0 };
    enum oc_code rc = gw_pairing_check(pairing, &c, &o, &error);
    gw_pair_outcome_finish(&o);
    return rc;
}

/* Whoever has one IPv6 address has 2^64 of them. */
static void one_network_cannot_fill_the_table(void **state) {
    (void)state;
    int n = 0;
    for (; n < OC_MAX_PENDING_PER_IP; n++) {
        OC_AUTO_FREE char *ip = oc_strfmt("2001:db8:0:1::%x", n + 1);
        assert_int_equal(try_device(n, ip), OC_OK);
    }
    assert_int_equal(try_device(n, "2001:db8:0:1:ffff::1"), OC_E_UNAVAILABLE);
    assert_int_equal(try_device(n, "2001:db8:0:2::1"), OC_OK);
}

static void one_address_cannot_fill_the_table(void **state) {
    (void)state;
    int n = 0;
    for (; n < OC_MAX_PENDING_PER_IP; n++) {
        assert_int_equal(try_device(n, "10.0.0.1"), OC_OK);
    }
    assert_int_equal(try_device(n, "10.0.0.1"), OC_E_UNAVAILABLE);
    assert_non_null(strstr(error.text, "10.0.0.1"));
    assert_int_equal(error.grounds.remedy, OC_REMEDY_DECIDE_DEVICES);
    assert_int_equal(try_device(3, "10.0.0.1"), OC_OK); /* who waits already may retry */
    assert_int_equal(try_device(n, "10.0.0.2"), OC_OK);
    oc_fake_clock_advance(&fake, OC_PENDING_TTL_MS + 1);
    assert_int_equal(try_device(n + 1, "10.0.0.1"), OC_OK);
    assert_int_equal(count(GW_DEVICE_REQUESTS), 1);
}

static void the_table_has_an_end(void **state) {
    (void)state;
    struct gw_pair_claim known = claim("known", "operator", "operator.read");
    pair(&known);
    int n = 0;
    for (; n < OC_MAX_PENDING_DEVICES; n++) {
        char ip[32];
        snprintf(ip, sizeof(ip), "10.0.%d.1", n / 8);
        assert_int_equal(try_device(n, ip), OC_OK);
    }
    assert_int_equal(try_device(n, "10.9.9.9"), OC_E_UNAVAILABLE);
    assert_int_equal(try_device(n, NULL), OC_E_UNAVAILABLE);
    assert_int_equal(try_device(7, "10.0.0.1"), OC_OK);
    assert_int_equal(count(GW_DEVICE_REQUESTS), OC_MAX_PENDING_DEVICES);
    /* Refused again and again it still sees at once that somebody made room, and that the room is
     * taken. */
    OC_AUTO_JSON cJSON *all = NULL;
    OC_AUTO_JSON cJSON *rejected = NULL;
    assert_int_equal(gw_requests_all(pairing, &all, &error), OC_OK);
    assert_int_equal(try_device(n, "10.9.9.9"), OC_E_UNAVAILABLE);
    assert_int_equal(
            gw_pairing_reject(pairing, oc_json_get_str(all->child, "requestId"), &rejected, &error),
            OC_OK);
    assert_int_equal(try_device(n, "10.9.9.9"), OC_OK);
    assert_int_equal(try_device(n + 1, "10.9.9.9"), OC_E_UNAVAILABLE);
    /* Paired devices come in as ever, and a silent pairing needs no place in the table. */
    assert_string_equal(verdict(&known), "paired");
    struct gw_pair_claim local = claim("local", "operator", "");
    local.is_local = true;
    assert_string_equal(verdict(&local), "silent");
}

static void scopes_cannot_pile_up(void **state) {
    (void)state;
    for (int i = 0; i < 3 * OC_MAX_SCOPES; i++) {
        OC_AUTO_STRV struct oc_strv scopes = { 0 };
        OC_AUTO_FREE char *scope = oc_strfmt("operator.x%d", i);
        oc_strv_add(&scopes, scope);
        struct gw_pair_claim c = { .device_id = "d1", .public_key = "d1", .role = "operator" };
        c.scopes = &scopes;
        struct gw_pair_outcome o = check(&c);
        assert_true(cJSON_GetArraySize(oc_json_get(o.request, "scopes")) <= OC_MAX_SCOPES);
        gw_pair_outcome_finish(&o);
    }
}

static void nothing_is_merged_from_another_key(void **state) {
    (void)state;
    struct gw_pair_claim c = claim("d1", "operator", "operator.admin");
    OC_AUTO_FREE char *first = ask(&c);
    struct gw_pair_claim other = claim("d1", "operator", "operator.read");
    other.public_key = "another";
    OC_AUTO_FREE char *second = ask(&other);
    assert_string_not_equal(first, second);
    OC_AUTO_JSON cJSON *kept = stored(GW_DEVICE_REQUESTS, second);
    assert_json(oc_json_get(kept, "scopes"), "[\"operator.read\"]");
    assert_int_equal(count(GW_DEVICE_REQUESTS), 1);
}

int main(void) {
#define T(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        T(a_request_has_the_wire_shape),
        T(an_operator_request_has_no_commands),
        T(a_retry_keeps_the_id_and_is_no_news),
        T(each_role_asks_for_itself),
        T(asking_for_more_is_another_request),
        T(newer_commands_replace_older_ones),
        T(moving_elsewhere_is_kept_but_no_news),
        T(retries_do_not_keep_the_disk_busy),
        T(requests_die_after_five_minutes_unless_retried),
        T(expired_requests_cannot_be_approved_or_listed),
        T(a_clock_that_was_set_back_does_not_keep_requests_for_ever),
        T(the_list_is_newest_first),
        T(one_address_cannot_fill_the_table),
        T(one_network_cannot_fill_the_table),
        T(the_table_has_an_end),
        T(scopes_cannot_pile_up),
        T(nothing_is_merged_from_another_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
