/* Helpers that behave and misbehave (helper_probe is a real one, beside this program). */
#include "tests/unit/node/node_testing.h"

#include "lib/base/encode.h"
#include "node/helper/helper.h"
#include "tests/any_int.h"

#include <fcntl.h>
#include <stdlib.h>

#define PROBE "helper_probe"

struct heard {
    int answers, progresses, events, ends;
    bool ok, stays;
    char code[64], message[512];
    struct oc_grounds grounds;
    cJSON *result;
    int fd;
    size_t len;
};

static void on_answer(void *user, struct nd_helper_answer *a) {
    struct heard *h = user;
    h->answers++;
    h->ok = a->ok;
    h->stays = a->stays;
    snprintf(h->code, sizeof(h->code), "%s", a->code ? a->code : "");
    snprintf(h->message, sizeof(h->message), "%s", a->message ? a->message : "");
    h->grounds = a->grounds;
    h->result = oc_take(&a->result);
    h->fd = oc_take_fd(&a->fd);
    h->len = a->len;
}

static void on_progress(void *user, const cJSON *progress) {
    struct heard *h = user;
    assert_int_equal(any_int(progress, "done", 0), 1);
    h->progresses++;
}

static void on_event(void *user, const cJSON *event) {
    struct heard *h = user;
    if (event) {
        assert_string_equal(oc_json_get_str(event, "action"), "approve");
        h->events++;
    } else {
        h->ends++;
    }
}

static struct nd_helper *start(
        struct test_host *t, const char *what, cJSON *take_params, struct heard *ret) {
    static const struct nd_helper_events events = { on_answer, on_progress, on_event };
    *ret = (struct heard){ .fd = -1 };
    return nd_helper_start(&t->host.helpers,
            &(struct nd_helper_opts){ .program = PROBE,
                    .what = what,
                    .take_params = take_params,
                    .timeout_ms = 5000,
                    .may_stay = strcmp(what, "stay") == 0 },
            &events, ret);
}

static void ask(struct test_host *t, const char *what, cJSON *take_params, struct heard *ret) {
    assert_non_null(start(t, what, take_params, ret));
    STEP_UNTIL(t->host.machine.loop, ret->answers);
    assert_int_equal(ret->answers, 1);
}

static void finish(struct heard *h) {
    cJSON_Delete(h->result);
    oc_auto_close(&h->fd);
}

static void answers(void **state) {
    struct heard h;
    setenv("OPENCLAW_GATEWAY_TOKEN", "secret", 1);
    setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere", 1);
    cJSON *params = cJSON_CreateObject();
    oc_json_set_str(params, "said", "h\xc3\xb6r zu");
    ask(*state, "echo", params, &h);
    assert_true(h.ok);
    assert_int_equal(h.fd, -1);
    assert_string_equal(oc_json_get_str(h.result, "said"), "h\xc3\xb6r zu");
    assert_true(any_int(h.result, "maxBytes", 0) > 10000000);
    assert_false(oc_json_get_bool(h.result, "hasToken", true));
    assert_string_equal(oc_json_get_str(h.result, "bus"), "unix:path=/nowhere");
    finish(&h);
}

static void hands_over_a_capture(void **state) {
    struct heard h;
    cJSON *params = cJSON_CreateObject();
    oc_json_set_int(params, "bytes", 100000);
    ask(*state, "capture", params, &h);
    assert_true(h.ok);
    assert_int_equal(h.progresses, 1);
    assert_int_equal(h.len, 100000);
    uint8_t bytes[1000];
    assert_int_equal(pread(h.fd, bytes, sizeof(bytes), 50000), sizeof(bytes));
    for (size_t i = 0; i < sizeof(bytes); i++) {
        assert_int_equal(bytes[i], (50000 + i) % 251);
    }
    finish(&h);
}

static void refuses(void **state) {
    struct heard h;
    ask(*state, "refuse", NULL, &h);
    assert_false(h.ok);
    assert_string_equal(h.code, "CAMERA_BUSY");
    assert_string_equal(h.message, "somebody else films");
    ask(*state, "no-such-thing", NULL, &h);
    assert_string_equal(h.code, "INVALID_REQUEST");
}

static void says_why(void **state) {
    struct heard h;
    ask(*state, "refuse-busy", NULL, &h);
    assert_string_equal(h.code, "CAMERA_BUSY");
    assert_int_equal(h.grounds.cause, OC_CAUSE_BUSY);
    assert_int_equal(h.grounds.remedy, OC_REMEDY_TRY_LATER);
    assert_string_equal(h.grounds.subject, "/dev/video0");
    ask(*state, "refuse", NULL, &h);
    assert_int_equal(h.grounds.cause, OC_CAUSE_NONE);
    cJSON *lie = cJSON_CreateObject();
    oc_json_set_str(lie, "cause", "BUSY");
    oc_json_set_str(lie, "remedy", "security-full");
    ask(*state, "failed", lie, &h);
    assert_int_equal(h.grounds.cause, OC_CAUSE_BUSY);
    assert_int_equal(h.grounds.remedy, OC_REMEDY_NONE);
}

static void crashes_alone(void **state) {
    struct heard h;
    ask(*state, "crash", NULL, &h);
    assert_false(h.ok);
    assert_string_equal(h.code, "UNAVAILABLE");
    assert_non_null(strstr(h.message, "crash: helper_probe: it ended before it answered"));
    assert_non_null(strstr(h.message, "last words"));
    ask(*state, "killed", NULL, &h);
    assert_non_null(strstr(h.message, "signal 9"));
    assert_null(strstr(h.message, "it said")); /* it could not have known */
    ask(*state, "echo", NULL, &h);             /* the next one works */
    assert_true(h.ok);
    finish(&h);
}

static void misses_its_deadline(void **state) {
    struct test_host *t = *state;
    struct heard h;
    assert_non_null(start(t, "hang", NULL, &h));
    oc_loop_step(t->host.machine.loop, 0);
    oc_fake_clock_advance(&t->clock, 5001);
    STEP_UNTIL(t->host.machine.loop, h.answers);
    assert_string_equal(h.code, "TIMEOUT");
}

static void talks_nonsense(void **state) {
    struct heard h;
    ask(*state, "nonsense", NULL, &h);
    assert_string_equal(h.code, "UNAVAILABLE");
    assert_non_null(strstr(h.message, "its message cannot be read: not valid JSON"));
    ask(*state, "unsealed", NULL, &h);
    assert_string_equal(h.code, "UNAVAILABLE");
    assert_non_null(strstr(h.message, "not sealed"));
}

static void is_not_believed(void **state) {
    static const struct {
        const char *what, *says;
    } cases[] = {
        { "no-object", "its message cannot be read: not an object" },
        { "no-result", "its result is not an object" },
        { "text-result", "its result is not an object" },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        struct heard h;
        ask(*state, cases[i].what, NULL, &h);
        assert_false(h.ok);
        assert_string_equal(h.code, "UNAVAILABLE");
        assert_non_null(strstr(h.message, cases[i].says));
    }
}

static int open_files(void) {
    int count = 0;
    for (int fd = 0; fd < 1024; fd++) {
        count += fcntl(fd, F_GETFD) >= 0;
    }
    return count;
}

static void leaves_no_files_open(void **state) {
    struct heard h;
    ask(*state, "echo", NULL, &h);
    finish(&h);
    int before = open_files();
    ask(*state, "two-files", NULL, &h);
    assert_true(h.ok);
    finish(&h);
    assert_true(open_files() <
                before + 10); /* the ended process may still be counted; the helper sent 100 */
}

static void stays_only_when_asked_to(void **state) {
    struct test_host *t = *state;
    static const struct nd_helper_events events = { on_answer, on_progress, on_event };
    struct heard h = { .fd = -1 };
    assert_non_null(nd_helper_start(&t->host.helpers,
            &(struct nd_helper_opts){ .program = PROBE, .what = "stay", .timeout_ms = 5000 },
            &events, &h));
    STEP_UNTIL(t->host.machine.loop, h.answers);
    assert_false(h.ok);
    assert_non_null(strstr(h.message, "wants to stay"));
}

static void stays_for_events(void **state) {
    struct test_host *t = *state;
    struct heard h;
    ask(t, "stay", NULL, &h);
    assert_true(h.ok && h.stays);
    STEP_UNTIL(t->host.machine.loop, h.ends);
    assert_int_equal(h.events, 1);
    finish(&h);
}

static void are_stopped(void **state) {
    struct test_host *t = *state;
    struct heard h;
    struct nd_helper *helper = start(t, "hang", NULL, &h);
    oc_loop_step(t->host.machine.loop, 10);
    nd_helper_stop(helper);
    nd_helper_stop(NULL);
    oc_loop_step(t->host.machine.loop, 10);
    assert_int_equal(h.answers, 0);
}

static void are_few(void **state) {
    struct test_host *t = *state;
    enum { MOST = ND_MAX_HELPERS + ND_MAX_HELPERS_WAITING };
    struct heard h[MOST], busy, reserved;
    struct nd_helper *all[MOST];
    for (size_t i = 0; i < MOST; i++) {
        all[i] = start(t, i < ND_MAX_HELPERS ? "hang" : "echo", NULL, &h[i]);
        assert_non_null(all[i]);
    }
    assert_null(start(t, "echo", NULL, &busy));
    assert_non_null(strstr(busy.message, "node busy"));
    assert_int_equal(busy.grounds.cause, OC_CAUSE_BUSY);
    assert_int_equal(busy.grounds.remedy, OC_REMEDY_TRY_LATER);
    /* What must be said is said in the meantime. */
    static const struct nd_helper_events events = { on_answer, on_progress, on_event };
    reserved = (struct heard){ .fd = -1 };
    assert_non_null(nd_helper_start(&t->host.helpers,
            &(struct nd_helper_opts){
                    .program = PROBE, .what = "echo", .timeout_ms = 5000, .is_reserved = true },
            &events, &reserved));
    STEP_UNTIL(t->host.machine.loop, reserved.answers);
    assert_true(reserved.ok);
    for (size_t i = ND_MAX_HELPERS; i < MOST; i++) {
        assert_int_equal(h[i].answers, 0);
    }
    nd_helper_stop(all[MOST - 1]); /* of one that waits nothing is left */
    /* One place is enough for all who wait. */
    nd_helper_stop(all[0]);
    for (size_t i = ND_MAX_HELPERS; i < MOST - 1; i++) {
        STEP_UNTIL(t->host.machine.loop, h[i].answers);
        assert_true(h[i].ok);
        finish(&h[i]);
    }
    assert_int_equal(h[MOST - 1].answers, 0);
    for (size_t i = 1; i < ND_MAX_HELPERS; i++) {
        nd_helper_stop(all[i]);
    }
    finish(&reserved);
}

static void are_found_beside_us_only(void **state) {
    struct test_host *t = *state;
    OC_AUTO_FREE char *path = nd_helper_find(PROBE);
    assert_non_null(path);
    assert_true(nd_helper_is_installed(PROBE));
    assert_null(nd_helper_find("sh"));
    static const struct nd_helper_events events = { on_answer, NULL, NULL };
    struct heard h = { .fd = -1 };
    assert_null(nd_helper_start(&t->host.helpers,
            &(struct nd_helper_opts){ .program = "openclaw-none", .what = "x", .timeout_ms = 1 },
            &events, &h));
    assert_string_equal(h.message, "x: openclaw-none: it is not installed");
    assert_int_equal(h.grounds.cause, OC_CAUSE_NOT_INSTALLED);
    assert_int_equal(h.grounds.remedy, OC_REMEDY_INSTALL_PACKAGE);
    assert_string_equal(h.grounds.subject, "openclaw-none");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(answers, test_host_setup, test_host_teardown),
        cmocka_unit_test_setup_teardown(hands_over_a_capture, test_host_setup, test_host_teardown),
        cmocka_unit_test_setup_teardown(refuses, test_host_setup, test_host_teardown),
        cmocka_unit_test_setup_teardown(says_why, test_host_setup, test_host_teardown),
        cmocka_unit_test_setup_teardown(crashes_alone, test_host_setup, test_host_teardown),
        cmocka_unit_test_setup_teardown(misses_its_deadline, test_host_setup, test_host_teardown),
        cmocka_unit_test_setup_teardown(talks_nonsense, test_host_setup, test_host_teardown),
        cmocka_unit_test_setup_teardown(is_not_believed, test_host_setup, test_host_teardown),
        cmocka_unit_test_setup_teardown(leaves_no_files_open, test_host_setup, test_host_teardown),
        cmocka_unit_test_setup_teardown(
                stays_only_when_asked_to, test_host_setup, test_host_teardown),
        cmocka_unit_test_setup_teardown(stays_for_events, test_host_setup, test_host_teardown),
        cmocka_unit_test_setup_teardown(are_stopped, test_host_setup, test_host_teardown),
        cmocka_unit_test_setup_teardown(are_few, test_host_setup, test_host_teardown),
        cmocka_unit_test_setup_teardown(
                are_found_beside_us_only, test_host_setup, test_host_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
