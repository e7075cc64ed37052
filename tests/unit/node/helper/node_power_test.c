/* What UPower said, laid over what /sys says, and for how long. */
#include "tests/unit/node/node_testing.h"

#include "node/helper/helper.h"
#include "node/helper/power.h"

static int64_t now_ms(const struct test_host *t) {
    return oc_mono_ms(oc_loop_clock(t->host.machine.loop));
}

static void keep(struct test_host *t, const char *text) {
    OC_AUTO_JSON cJSON *answer = NULL;
    struct oc_error err;
    if (text) {
        assert_int_equal(oc_json_parse(text, strlen(text), &answer, &err), OC_OK);
    }
    nd_power_keep(&t->host.power, now_ms(t), answer);
}

static struct os_device_status recall(
        struct test_host *t, enum os_battery_state state, double level) {
    struct os_device_status s = { .battery = state, .battery_level = level };
    assert_true(nd_power_recall(&t->host.power, now_ms(t), &s));
    return s;
}

static bool is_kept_for(struct test_host *t, const char *answer, int64_t ms) {
    struct os_device_status s = { .battery_level = -1 };
    keep(t, answer);
    oc_fake_clock_advance(&t->clock, ms - 1);
    bool before = nd_power_recall(&t->host.power, now_ms(t), &s);
    oc_fake_clock_advance(&t->clock, 1);
    return before && !nd_power_recall(&t->host.power, now_ms(t), &s);
}

static void only_what_is_unknown_is_filled_in(void **state) {
    struct test_host *t = *state;
    struct os_device_status s = { .battery_level = -1 };
    assert_false(nd_power_recall(&t->host.power, now_ms(t), &s));
    keep(t, "{\"isPresent\":true,\"level\":0.8,\"state\":\"charging\"}");
    s = recall(t, OS_BATTERY_UNKNOWN, -1);
    assert_int_equal(s.battery, OS_BATTERY_CHARGING);
    assert_true(s.battery_level > 0.79 && s.battery_level < 0.81);
    s = recall(t, OS_BATTERY_FULL, -1); /* /sys knows how, but not how much */
    assert_int_equal(s.battery, OS_BATTERY_FULL);
    assert_true(s.battery_level > 0.79);
    s = recall(t, OS_BATTERY_UNKNOWN, 0.3);
    assert_int_equal(s.battery, OS_BATTERY_CHARGING);
    assert_true(s.battery_level < 0.31);
}

static void none_is_claimed_where_there_is_none(void **state) {
    struct test_host *t = *state;
    static const char *const answers[] = { NULL, "{}", "{\"isPresent\":false}",
        "{\"isPresent\":false,\"level\":0.5,\"state\":\"full\"}",
        "{\"isPresent\":true,\"level\":7,\"state\":\"melting\"}",
        "{\"isPresent\":true,\"level\":\"0.5\",\"state\":3}" };
    for (size_t i = 0; i < OC_COUNT(answers); i++) {
        keep(t, answers[i]);
        struct os_device_status s = recall(t, OS_BATTERY_UNKNOWN, -1);
        assert_int_equal(s.battery, OS_BATTERY_UNKNOWN);
        assert_true(s.battery_level < 0);
    }
}

static void an_answer_has_its_time(void **state) {
    struct test_host *t = *state;
    assert_true(is_kept_for(t, "{\"isPresent\":true,\"level\":0.8,\"state\":\"full\"}", 30000));
    assert_true(is_kept_for(t, "{\"isPresent\":false}", 300000));
    assert_true(is_kept_for(t, NULL, 60000));
}

static void what_is_known_is_not_asked(void **state) {
    (void)state;
    setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/somewhere", 1);
    struct os_device_status known = { .battery = OS_BATTERY_FULL, .battery_level = 1 };
    struct os_device_status no_level = { .battery = OS_BATTERY_FULL, .battery_level = -1 };
    struct os_device_status no_state = { .battery_level = 0.5 };
    assert_false(nd_power_is_worth_asking(&known));
    /* Beside the tests, as in a build that has it. */
    bool can_ask = nd_helper_is_installed(ND_HELPER_DESKTOP);
    assert_int_equal(nd_power_is_worth_asking(&no_level), can_ask);
    assert_int_equal(nd_power_is_worth_asking(&no_state), can_ask);
    unsetenv("DBUS_SYSTEM_BUS_ADDRESS");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
                only_what_is_unknown_is_filled_in, test_host_setup, test_host_teardown),
        cmocka_unit_test_setup_teardown(
                none_is_claimed_where_there_is_none, test_host_setup, test_host_teardown),
        cmocka_unit_test_setup_teardown(
                an_answer_has_its_time, test_host_setup, test_host_teardown),
        cmocka_unit_test(what_is_known_is_not_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
