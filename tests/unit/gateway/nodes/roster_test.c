#include "gateway/nodes/roster.h"

#include "tests/unit/gateway/pairing/pairing_fixture.h"

static void claim_node(const char *id) {
    static const struct oc_strv none = { 0 };
    struct gw_pair_claim claim = { .device_id = id,
        .public_key = id,
        .role = "node",
        .scopes = &none,
        .display_name = "own name",
        .platform = "linux",
        .is_local = true,
        .caps = &none,
        .commands = &none };
    struct gw_pair_outcome o;
    assert_int_equal(gw_pairing_check(pairing, &claim, &o, &error), OC_OK);
    assert_true(o.is_paired);
    gw_pair_outcome_finish(&o);
}

static struct gw_roster *load(void) {
    struct gw_roster *r = NULL;
    assert_int_equal(gw_roster_create(pairing, surface, &r, &error), OC_OK);
    return r;
}

static void loads_what_is_paired(void **state) {
    (void)state;
    claim_node("a");
    claim_node("b");
    struct gw_roster *r = load();
    assert_int_equal(gw_roster_count(r), 2);
    assert_string_equal(gw_roster_find(r, "a")->display_name, "own name");
    assert_string_equal(gw_roster_find(r, "a")->platform, "linux");
    assert_null(gw_roster_find(r, "c"));
    size_t pos = 0, n = 0;
    while (gw_roster_next(r, &pos)) {
        n++;
    }
    assert_int_equal(n, 2);
    gw_roster_destroy(r);
}

static void follows_changes(void **state) {
    (void)state;
    struct gw_roster *r = load();
    assert_int_equal(gw_roster_count(r), 0);
    claim_node("a");
    gw_roster_refresh(r, "a");
    assert_int_equal(gw_surface_rename(surface, "a", "owner's name", true, &error), OC_OK);
    gw_roster_refresh(r, "a");
    assert_string_equal(gw_roster_find(r, "a")->display_name, "owner's name");
    struct gw_actor admin = { .scopes = words(ALL_SCOPES) };
    OC_AUTO_JSON cJSON *revoked = NULL;
    assert_int_equal(gw_pairing_revoke(pairing, &admin, "a", "node", &revoked, &error), OC_OK);
    gw_roster_refresh(r, "a");
    assert_null(gw_roster_find(r, "a"));
    struct gw_roster *fresh = load();
    assert_int_equal(gw_roster_count(fresh), 0);
    gw_roster_destroy(fresh);
    OC_AUTO_JSON cJSON *rotated = NULL;
    assert_int_equal(
            gw_pairing_rotate(pairing, &admin, "a", "node", NULL, &rotated, &error), OC_OK);
    gw_roster_refresh(r, "a");
    assert_non_null(gw_roster_find(r, "a"));
    OC_AUTO_JSON cJSON *removed = NULL;
    assert_int_equal(gw_pairing_remove(pairing, &admin, "a", &removed, &error), OC_OK);
    gw_roster_refresh(r, "a");
    assert_int_equal(gw_roster_count(r), 0);
    gw_roster_destroy(r);
}

static void remembers_when_a_node_was_seen(void **state) {
    (void)state;
    static const struct oc_strv none = { 0 };
    claim_node("a");
    struct gw_surface_claim claim = { .node_id = "a", .caps = &none, .commands = &none };
    struct gw_surface_outcome o;
    assert_int_equal(gw_surface_check(surface, &claim, &o, &error), OC_OK);
    gw_surface_outcome_finish(&o);
    struct gw_roster *r = load();
    assert_int_equal(gw_roster_find(r, "a")->seen_ms, START_MS);
    assert_string_equal(gw_roster_find(r, "a")->seen_reason, "connect");
    gw_roster_seen(r, "a", START_MS + 1000, "activity"); /* too soon for the disk */
    gw_roster_seen(r, "nobody", START_MS, "activity");
    struct gw_roster *crashed = load();
    assert_int_equal(gw_roster_find(crashed, "a")->seen_ms, START_MS);
    gw_roster_destroy(crashed);
    gw_roster_refresh(r, "a"); /* what only memory knows stays */
    assert_int_equal(gw_roster_find(r, "a")->seen_ms, START_MS + 1000);
    gw_roster_save(r);
    struct gw_roster *stopped = load();
    assert_int_equal(gw_roster_find(stopped, "a")->seen_ms, START_MS + 1000);
    assert_string_equal(gw_roster_find(stopped, "a")->seen_reason, "activity");
    gw_roster_destroy(stopped);
    gw_roster_seen(r, "a", START_MS + 3600000, "background"); /* an hour is worth a write */
    struct gw_roster *later = load();
    assert_string_equal(gw_roster_find(later, "a")->seen_reason, "background");
    gw_roster_destroy(later);
    gw_roster_destroy(r);
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
