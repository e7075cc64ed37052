/* What the node remembers of its desktop: notifications by key, and the last place. */
#include "tests/unit/node/node_testing.h"

#include "node/helper/last_fix.h"
#include "node/owner/announce.h"
#include "node/owner/notices.h"
#include "tests/any_int.h"

static cJSON *place(int64_t id, const char *daemon) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_int(o, "id", id);
    oc_json_set_str(o, "daemon", daemon);
    return o;
}

static int64_t replaced(struct nd_desktop *desktop, const char *key) {
    OC_AUTO_JSON cJSON *o =
            nd_notice_params(desktop, &(struct nd_notice){ .key = key, .title = "t", .body = " " });
    assert_string_equal(oc_json_get_str(o, "title"), "t");
    assert_null(oc_json_get(o, "body"));
    const cJSON *replaces = oc_json_get(o, "replaces");
    if (replaces) {
        assert_string_equal(oc_json_get_str(replaces, "daemon"), ":1.7");
    }
    return any_int(replaces, "id", 0);
}

static void shown(struct nd_desktop *desktop, const char *key, int64_t id) {
    OC_AUTO_JSON cJSON *o = place(id, ":1.7");
    nd_notice_shown(desktop, key, o);
}

static void the_next_of_a_key_replaces(void **state) {
    struct test_host *t = *state;
    assert_int_equal(replaced(&t->host.desktop, "a"), 0);
    shown(&t->host.desktop, "a", 5);
    shown(&t->host.desktop, "b", 6);
    assert_int_equal(replaced(&t->host.desktop, "a"), 5);
    assert_int_equal(replaced(&t->host.desktop, "b"), 6);
    assert_int_equal(replaced(&t->host.desktop, "c"), 0);
    assert_int_equal(replaced(&t->host.desktop, NULL), 0);
    shown(&t->host.desktop, "a", 9);
    assert_int_equal(replaced(&t->host.desktop, "a"), 9);
    shown(&t->host.desktop, "a", 0); /* no place */
    assert_int_equal(replaced(&t->host.desktop, "a"), 9);
    OC_AUTO_JSON cJSON *odd =
            place(10, "a daemon's name that is longer than a bus ever gives, far longer");
    nd_notice_shown(&t->host.desktop, "a", odd);
    nd_notice_shown(&t->host.desktop, "a", NULL);
    assert_int_equal(replaced(&t->host.desktop, "a"), 9);
    nd_notices_destroy(oc_take(&t->host.desktop.notices));
}

static void the_oldest_is_forgotten(void **state) {
    struct test_host *t = *state;
    for (int i = 0; i < ND_MAX_NOTICES + 1; i++) {
        OC_AUTO_FREE char *key = oc_strfmt("key %d", i);
        shown(&t->host.desktop, key, i + 1);
    }
    assert_int_equal(replaced(&t->host.desktop, "key 0"), 0);
    assert_int_equal(replaced(&t->host.desktop, "key 1"), 2);
    assert_int_equal(replaced(&t->host.desktop, "key 32"), 33);
    nd_notices_destroy(oc_take(&t->host.desktop.notices));
}

static int64_t now_ms(const struct test_host *t) {
    return oc_mono_ms(oc_loop_clock(t->host.machine.loop));
}

static bool knows(const struct test_host *t, int64_t max_age_ms, enum nd_accuracy wanted) {
    OC_AUTO_JSON cJSON *fix = nd_last_fix_recall(&t->host.last_fix, now_ms(t), max_age_ms, wanted);
    if (fix) {
        assert_string_equal(oc_json_get_str(fix, "source"), "gps");
    }
    return fix;
}

static void a_fix_has_an_age_and_an_accuracy(void **state) {
    struct test_host *t = *state;
    assert_false(knows(t, 1000000, ND_ACCURACY_COARSE));
    OC_AUTO_JSON cJSON *fix = cJSON_CreateObject();
    oc_json_set_str(fix, "source", "gps");
    nd_last_fix_keep(&t->host.last_fix, now_ms(t), fix, ND_ACCURACY_BALANCED);
    assert_false(knows(t, 0, ND_ACCURACY_COARSE)); /* a new one, please */
    assert_true(knows(t, 1, ND_ACCURACY_COARSE));
    assert_true(knows(t, 1, ND_ACCURACY_BALANCED));
    assert_false(knows(t, 1, ND_ACCURACY_PRECISE));
    oc_fake_clock_advance(&t->clock, 5000);
    assert_false(knows(t, 5000, ND_ACCURACY_COARSE));
    assert_true(knows(t, 5001, ND_ACCURACY_COARSE));
    nd_last_fix_keep(&t->host.last_fix, now_ms(t), fix, ND_ACCURACY_PRECISE);
    assert_true(knows(t, 1, ND_ACCURACY_PRECISE));
    nd_last_fix_finish(&t->host.last_fix);
}

/* There is no session to tell it to, or no helper that could. */
static void a_capture_that_nobody_was_told_of(void **state) {
    struct test_host *t = *state;
    assert_true(nd_helper_is_installed(ND_HELPER_DESKTOP));
    OC_AUTO_FREE char *switches_path = oc_path_join(t->dir, "consent.json");
    t->host.machine.switches_path = switches_path;
    setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere", 1);
    assert_false(nd_announce_is_failing(&t->host.desktop));
    nd_announce_capture(&t->host.desktop, "camera", "A picture is taken");
    STEP_UNTIL(t->host.machine.loop, nd_announce_is_failing(&t->host.desktop));
    assert_true(nd_announce_is_failing(&t->host.desktop));
    nd_announce_finish(&t->host.desktop);
    nd_notices_destroy(oc_take(&t->host.desktop.notices));
    t->host.machine.switches_path = NULL;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
                the_next_of_a_key_replaces, test_host_setup, test_host_teardown),
        cmocka_unit_test_setup_teardown(
                the_oldest_is_forgotten, test_host_setup, test_host_teardown),
        cmocka_unit_test_setup_teardown(
                a_fix_has_an_age_and_an_accuracy, test_host_setup, test_host_teardown),
        cmocka_unit_test_setup_teardown(
                a_capture_that_nobody_was_told_of, test_host_setup, test_host_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
