/* What a node declares after its owner turned a switch, and when it connects anew for it. */
#include "tests/unit/node/node_testing.h"

#include "node/call/command.h"
#include "node/declare/redeclare.h"
#include "node/owner/switches.h"

struct world {
    struct test_host *host;
    struct nd_redeclare *redeclare;
    struct oc_strv commands, caps; /* as told when it connected last */
    char *switches_path;
    cJSON *config;
    bool is_busy;
    int withdrawals, reconnections;
};

static void withdraw(void *user) {
    struct world *w = user;
    w->withdrawals++;
}

static bool is_busy(void *user) {
    struct world *w = user;
    return w->is_busy;
}

static void reconnect(void *user) {
    struct world *w = user;
    assert_false(w->is_busy);
    w->reconnections++;
}

/* location.get needs no helper where its place is in the config. */
static int setup(void **state) {
    struct world *w = oc_new(struct world);
    if (test_host_setup((void **)&w->host) != 0) {
        return -1;
    }
    static const char config[] = "{\"node\":{\"location\":{\"fixed\":{\"lat\":48,\"lon\":11}}}}";
    w->switches_path = oc_path_join(w->host->dir, ND_SWITCHES_FILE);
    w->host->host.machine.switches_path = w->switches_path;
    if (oc_json_parse(config, strlen(config), &w->config, NULL) != OC_OK) {
        return -1;
    }
    w->host->host.machine.config = w->config;
    nd_commands_list(&w->host->host.commands, &w->commands, &w->caps);
    w->redeclare = nd_redeclare_create(
            &w->host->host.commands, &(struct nd_redeclare_opts){ .commands = &w->commands,
                                             .caps = &w->caps,
                                             .withdraw = withdraw,
                                             .is_busy = is_busy,
                                             .reconnect = reconnect,
                                             .user = w });
    *state = w;
    return 0;
}

static int teardown(void **state) {
    struct world *w = *state;
    nd_redeclare_destroy(w->redeclare);
    oc_strv_finish(&w->commands);
    oc_strv_finish(&w->caps);
    cJSON_Delete(w->config);
    oc_free(w->switches_path);
    void *host = w->host;
    oc_free(w);
    return test_host_teardown(&host);
}

static void write_switches(struct world *w, const char *text) {
    struct oc_error err;
    assert_int_equal(oc_file_write_private(w->switches_path, text, strlen(text), &err), OC_OK);
}

/* Until the change was noticed: what runs under a switch is looked at each time. */
static void turn(struct world *w, const char *switches) {
    int before = w->withdrawals;
    write_switches(w, switches);
    int64_t give_up_ms = oc_mono_ms(&oc_clock_system) + 30000;
    while (w->withdrawals == before && oc_mono_ms(&oc_clock_system) < give_up_ms) {
        oc_loop_step(w->host->host.machine.loop, 10);
        oc_fake_clock_advance(&w->host->clock, 50);
    }
    assert_int_equal(w->withdrawals, before + 1);
}

static bool declares_location(const struct world *w) {
    bool has_command = oc_strv_has(&w->commands, "location.get");
    assert_int_equal(has_command, oc_strv_has(&w->caps, "location"));
    return has_command;
}

#define ON "{\"version\":1,\"location\":true}"
#define OFF "{\"version\":1,\"location\":false}"

static void a_switch_adds_and_takes_away(void **state) {
    struct world *w = *state;
    assert_false(declares_location(w));
    turn(w, ON);
    assert_true(declares_location(w));
    assert_int_equal(w->reconnections, 1);
    turn(w, OFF);
    assert_false(declares_location(w));
    assert_int_equal(w->reconnections, 2);
    /* What was there all the time still is. */
    assert_true(oc_strv_has(&w->commands, "device.status"));
}

static void a_switch_of_no_command_leaves_the_connection(void **state) {
    struct world *w = *state;
    turn(w, ON);
    turn(w, "{\"version\":1,\"location\":true,\"announce\":false}");
    assert_int_equal(w->reconnections, 1);
    assert_true(declares_location(w));
}

static void switches_that_make_no_sense_are_off(void **state) {
    struct world *w = *state;
    turn(w, ON);
    turn(w, "{\"version\":1,\"location\":tru");
    assert_false(declares_location(w));
    assert_int_equal(w->reconnections, 2);
}

/* The answers of what runs belong to the connection there is; what runs under the switch ends at
 * once. */
static void what_runs_is_waited_for(void **state) {
    struct world *w = *state;
    w->is_busy = true;
    turn(w, ON);
    assert_int_equal(w->withdrawals, 1);
    assert_int_equal(w->reconnections, 0);
    assert_false(declares_location(w));
    w->is_busy = false;
    nd_redeclare_idle(w->redeclare);
    assert_int_equal(w->reconnections, 1);
    assert_true(declares_location(w));
    nd_redeclare_idle(w->redeclare); /* only once */
    assert_int_equal(w->reconnections, 1);
    assert_int_equal(w->withdrawals, 2);
}

static void what_was_turned_back_meanwhile_needs_nothing(void **state) {
    struct world *w = *state;
    w->is_busy = true;
    turn(w, ON);
    turn(w, OFF);
    w->is_busy = false;
    nd_redeclare_idle(w->redeclare);
    assert_int_equal(w->reconnections, 0);
    assert_false(declares_location(w));
}

/* As after an approval, when the gateway ends the connection: the next one tells what is, and that
 * is all there is to do. */
static void a_new_connection_tells_what_is(void **state) {
    struct world *w = *state;
    w->is_busy = true;
    turn(w, ON);
    nd_redeclare_refresh(w->redeclare);
    assert_true(declares_location(w));
    w->is_busy = false;
    nd_redeclare_idle(w->redeclare);
    assert_int_equal(w->reconnections, 0);
    /* Before the change was even noticed. */
    write_switches(w, OFF);
    nd_redeclare_refresh(w->redeclare);
    assert_false(declares_location(w));
    nd_redeclare_check(w->redeclare);
    assert_int_equal(w->reconnections, 0);
}

/* Under a switch that is on, a command comes and goes with the config that it needs. */
static void the_config_counts_too(void **state) {
    struct world *w = *state;
    turn(w, ON);
    w->host->host.machine.config = NULL;
    nd_redeclare_check(w->redeclare);
    /* With the desktop helper beside the tests there is GeoClue instead. */
    bool has_other = oc_strv_has(&w->commands, "location.get");
    assert_int_equal(w->reconnections, has_other ? 1 : 2);
    nd_redeclare_check(NULL);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_switch_adds_and_takes_away),
        TEST(a_switch_of_no_command_leaves_the_connection),
        TEST(switches_that_make_no_sense_are_off),
        TEST(what_runs_is_waited_for),
        TEST(what_was_turned_back_meanwhile_needs_nothing),
        TEST(a_new_connection_tells_what_is),
        TEST(the_config_counts_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
