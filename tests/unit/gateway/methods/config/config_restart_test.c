/* Which changes of the config make the gateway serve anew, when, and what the client is told. */
#include "gateway/methods/config/config_restart.h"

#include "gateway/core.h"
#include "tests/any_int.h"
#include "tests/unit/unit.h"

static int64_t wanted_ms; /* what the supervisor was asked for; -1: nothing */

static int64_t on_restart_wanted(void *user, int64_t delay_ms, bool *ret_coalesced) {
    (void)user;
    wanted_ms = delay_ms;
    *ret_coalesced = delay_ms > 1000;
    return delay_ms > 1000 ? 1000 : delay_ms; /* it was to happen then anyway */
}

/* The answer to a change from one config to another. Caller deletes. */
static cJSON *answer_to(const char *before, const char *after, int64_t delay_ms, bool can_restart) {
    OC_AUTO_JSON cJSON *config = cJSON_Parse(after);
    cJSON *payload = cJSON_CreateObject();
    struct gw_gateway gw = { .clock = &oc_clock_system,
        .config = cJSON_Parse(before),
        .config_path = "/etc/openclaw.json",
        .asked = { .on_restart_wanted = can_restart ? on_restart_wanted : NULL } };
    struct gw_call call = { .gw = &gw, .method = "config.patch" };
    assert_non_null(config);
    assert_non_null(gw.config);
    wanted_ms = -1;
    gw_config_restart(&call, config, "a note", delay_ms, payload);
    cJSON_Delete(gw.config);
    return payload;
}

#define PORT(n, more) "{\"gateway\":{\"port\":" n more "}}"
#define ATTEMPTS(n, more) "{\"gateway\":{\"auth\":{\"rateLimit\":{\"maxAttempts\":" n "}}" more "}}"
#define RELOAD(mode) ",\"reload\":{\"mode\":\"" mode "\",\"debounceMs\":70}"

static void check_restart(const char *before, const char *after, int64_t delay_ms,
        int64_t wanted_delay, int64_t told_delay) {
    OC_AUTO_JSON cJSON *payload = answer_to(before, after, delay_ms, true);
    const cJSON *restart = oc_json_get(payload, "restart");
    assert_int_equal(wanted_ms, wanted_delay);
    assert_int_equal(restart ? any_int(restart, "delayMs", -2) : -1, told_delay);
}

static void what_is_applied_while_it_runs_restarts_nothing(void **state) {
    (void)state;
    check_restart(ATTEMPTS("3", ""), ATTEMPTS("4", ""), 500, -1, -1);
    check_restart(PORT("1", ""), PORT("1", ""), 500, -1, -1);
}

static void what_needs_it_restarts_when_it_is_asked_to(void **state) {
    (void)state;
    check_restart(PORT("1", ""), PORT("2", ""), 500, 500, 500);
    check_restart(PORT("1", ""), PORT("2", ""), 5000, 5000, 1000); /* it was to, earlier */
    check_restart(PORT("1", ""), PORT("2", ""), INT64_MAX, 60000, 1000);
}

/* The file's own watcher does it, after its pause. */
static void without_a_delay_the_watcher_does_it(void **state) {
    (void)state;
    check_restart(PORT("1", ""), PORT("2", ""), GW_CONFIG_RESTART_SOON, -1, 300);
    check_restart(PORT("1", RELOAD("hybrid")), PORT("2", RELOAD("hybrid")), GW_CONFIG_RESTART_SOON,
            -1, 70);
}

static void the_mode_of_reloading_counts(void **state) {
    (void)state;
    check_restart(PORT("1", RELOAD("hot")), PORT("2", RELOAD("hot")), 500, -1, -1);
    check_restart(
            ATTEMPTS("3", RELOAD("restart")), ATTEMPTS("4", RELOAD("restart")), 500, 500, 500);
    /* nobody watches the file */
    check_restart(
            PORT("1", RELOAD("off")), PORT("2", RELOAD("off")), GW_CONFIG_RESTART_SOON, 2000, 1000);
}

static void who_cannot_restart_promises_nothing(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *payload = answer_to(PORT("1", ""), PORT("2", ""), 500, false);
    assert_null(oc_json_get(payload, "restart"));
    const cJSON *said = oc_json_path(payload, "sentinel.payload");
    assert_string_equal(oc_json_get_str(said, "kind"), "config-patch");
    assert_string_equal(oc_json_get_str(said, "message"), "a note");
    assert_true(oc_json_get_bool(oc_json_get(said, "stats"), "requiresRestart", false));
    assert_false(oc_json_get_bool(oc_json_get(payload, "sentinel"), "persisted", true));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_applied_while_it_runs_restarts_nothing),
        cmocka_unit_test(what_needs_it_restarts_when_it_is_asked_to),
        cmocka_unit_test(without_a_delay_the_watcher_does_it),
        cmocka_unit_test(the_mode_of_reloading_counts),
        cmocka_unit_test(who_cannot_restart_promises_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
