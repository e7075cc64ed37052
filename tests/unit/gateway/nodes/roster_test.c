#include "gateway/nodes/roster.h"

#include "tests/unit/gateway/pairing/pairing_fixture.h"

static void claim_node(const char *id) {
    static const struct oc_strv none = { 0 };
    struct oc_pair_claim claim = { .device_id = id,
        .public_key = id,
        .role = "node",
        .scopes = &none,
        .display_name = "own name",
        .platform = "linux",
        .is_local = true,
        .caps = &none,
        .commands = &none };
    struct oc_pair_outcome o;
    assert_int_equal(oc_pairing_check(pairing, &claim, &o, &error), OC_OK);
    assert_true(o.is_paired);
    oc_pair_outcome_finish(&o);
}

static struct oc_roster *load(void) {
    struct oc_roster *r = NULL;
    assert_int_equal(oc_roster_create(pairing, surface, &r, &error), OC_OK);
    return r;
}

static void loads_what_is_paired(void **state) {
    (void)state;
    claim_node("a");
    claim_node("b");
    struct oc_roster *r = load();
    assert_int_equal(oc_roster_count(r), 2);
    assert_string_equal(oc_roster_find(r, "a")->display_name, "own name");
    assert_string_equal(oc_roster_find(r, "a")->platform, "linux");
    assert_null(oc_roster_find(r, "c"));
    size_t pos = 0, n = 0;
    while (oc_roster_next(r, &pos)) {
        n++;
    }
    assert_int_equal(n, 2);
    oc_roster_destroy(r);
}

static void follows_changes(void **state) {
    (void)state;
    struct oc_roster *r = load();
    assert_int_equal(oc_roster_count(r), 0);
    claim_node("a");
    oc_roster_refresh(r, "a");
    assert_int_equal(oc_surface_rename(surface, "a", "owner's name", true, &error), OC_OK);
    oc_roster_refresh(r, "a");
    assert_string_equal(oc_roster_find(r, "a")->display_name, "owner's name");
    struct oc_actor admin = { .scopes = words(ALL_SCOPES) };
    OC_AUTO_JSON cJSON *revoked = NULL;
    assert_int_equal(oc_pairing_revoke(pairing, &admin, "a", "node", &revoked, &error), OC_OK);
    oc_roster_refresh(r, "a");
    assert_null(oc_roster_find(r, "a"));
    struct oc_roster *fresh = load();
    assert_int_equal(oc_roster_count(fresh), 0);
    oc_roster_destroy(fresh);
    OC_AUTO_JSON cJSON *rotated = NULL;
    assert_int_equal(
            oc_pairing_rotate(pairing, &admin, "a", "node", NULL, &rotated, &error), OC_OK);
    oc_roster_refresh(r, "a");
    assert_non_null(oc_roster_find(r, "a"));
    OC_AUTO_JSON cJSON *removed = NULL;
    assert_int_equal(oc_pairing_remove(pairing, &admin, "a", &removed, &error), OC_OK);
    oc_roster_refresh(r, "a");
    assert_int_equal(oc_roster_count(r), 0);
    oc_roster_destroy(r);
}

static void remembers_when_a_node_was_seen(void **state) {
    (void)state;
    static const struct oc_strv none = { 0 };
    claim_node("a");
    struct oc_surface_claim claim = { .node_id = "a", .caps = &none, .commands = &none };
    struct oc_surface_outcome o;
    assert_int_equal(oc_surface_check(surface, &claim, &o, &error), OC_OK);
    oc_surface_outcome_finish(&o);
    struct oc_roster *r = load();
    assert_int_equal(oc_roster_find(r, "a")->seen_ms, START_MS);
    assert_string_equal(oc_roster_find(r, "a")->seen_reason, "connect");
    oc_roster_seen(r, "a", START_MS + 1000, "activity"); /* too soon for the disk */
    oc_roster_seen(r, "nobody", START_MS, "activity");
    struct oc_roster *crashed = load();
    assert_int_equal(oc_roster_find(crashed, "a")->seen_ms, START_MS);
    oc_roster_destroy(crashed);
    oc_roster_refresh(r, "a"); /* what only memory knows stays */
    assert_int_equal(oc_roster_find(r, "a")->seen_ms, START_MS + 1000);
    oc_roster_save(r);
    struct oc_roster *stopped = load();
    assert_int_equal(oc_roster_find(stopped, "a")->seen_ms, START_MS + 1000);
    assert_string_equal(oc_roster_find(stopped, "a")->seen_reason, "activity");
    oc_roster_destroy(stopped);
    oc_roster_seen(r, "a", START_MS + 3600000, "background"); /* an hour is worth a write */
    struct oc_roster *later = load();
    assert_string_equal(oc_roster_find(later, "a")->seen_reason, "background");
    oc_roster_destroy(later);
    oc_roster_destroy(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(loads_what_is_paired, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(follows_changes, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(
                remembers_when_a_node_was_seen, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
