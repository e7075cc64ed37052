/* Requests and events of a session. */
#include "tests/unit/lib/client/session_testing.h"

/* Requests. */

struct answer {
    int count;
    bool ok;
    enum oc_code code;
    char payload[200], error_code[64], message[200];
    struct fixture *destroys, *asks_again;
};

static void on_reply(void *user, const struct oc_reply *r) {
    struct answer *a = user;
    a->count++;
    a->ok = r->ok;
    a->code = r->code;
    (void)snprintf(a->payload, sizeof(a->payload), "%.*s", (int)r->payload.len,
            r->payload.ptr ? r->payload.ptr : "");
    copy_text(a->error_code, sizeof(a->error_code), r->error_code);
    copy_text(a->message, sizeof(a->message), r->message);
    assert_true(r->ok || (r->error_code && r->message && r->code != OC_OK));
    if (a->destroys) {
        oc_session_destroy(oc_take(&a->destroys->session));
    }
    if (a->asks_again && a->count < 1000) {
        oc_session_request(a->asks_again->session, "again", NULL, 1000, on_reply, a);
    }
}

static cJSON *some_params(void) {
    cJSON *params = cJSON_CreateObject();
    oc_json_set_str(params, "nodeId", "x");
    return params;
}

static void test_requests(void **state) {
    struct fixture *f = *state;
    struct answer early = { 0 }, one = { 0 }, two = { 0 };
    start(f);
    oc_session_request(f->session, "node.list", some_params(), 1000, on_reply, &early);
    assert_int_equal(early.count, 0);
    step_some(f->loop);
    assert_int_equal(early.count, 1);
    assert_int_equal(early.code, OC_E_UNAVAILABLE);
    STEP_UNTIL(f->loop, f->hellos == 1);
    oc_session_request(f->session, "node.list", some_params(), 1000, on_reply, &one);
    oc_session_request(f->session, "health", NULL, 1000, on_reply, &two);
    STEP_UNTIL(f->loop, one.count && two.count);
    assert_true(one.ok);
    assert_string_equal(one.payload, "{\"nodeId\":\"x\"}");
    assert_string_equal(two.payload, "null");
    oc_fake_clock_advance(&f->clock, 5000);
    step_some(f->loop);
    assert_int_equal(one.count, 1);
    assert_int_equal(early.count, 1);
}

static void test_request_errors(void **state) {
    struct fixture *f = *state;
    struct answer a = { 0 };
    start_and_greet(f);
    f->answers = false;
    oc_session_request(f->session, "node.describe", NULL, 500, on_reply, &a);
    STEP_UNTIL(f->loop, f->request_count == 2);
    char id[64];
    copy_text(id, sizeof(id), oc_json_get_str(f->last_request, "id"));
    gw_reply(f, "somebody else's", "{}", NULL);
    gw_send(f, "not json");
    gw_send(f, "{\"type\":\"res\",\"ok\":true}");
    gw_send(f, "[]");
    gw_reply(f, id, NULL,
            "{\"code\":\"FORBIDDEN\",\"message\":\"missing scope: operator.read\",\"details\":{}}");
    STEP_UNTIL(f->loop, a.count == 1);
    assert_false(a.ok);
    assert_string_equal(a.error_code, "FORBIDDEN");
    assert_string_equal(a.message, "missing scope: operator.read");
    assert_int_equal(a.code, OC_E_DENIED);
    gw_reply(f, id, "{}", NULL); /* a second answer finds nobody */
    step_some(f->loop);
    assert_int_equal(a.count, 1);

    oc_session_request(f->session, "slow.method", NULL, 500, on_reply, &a);
    step_some(f->loop);
    oc_fake_clock_advance(&f->clock, 499);
    step_some(f->loop);
    assert_int_equal(a.count, 1);
    oc_fake_clock_advance(&f->clock, 1);
    step_some(f->loop);
    assert_int_equal(a.count, 2);
    assert_int_equal(a.code, OC_E_TIMEOUT);
    assert_string_equal(a.message, "slow.method: no answer within 500 ms");
}

static void test_open_requests_end_with_the_session(void **state) {
    struct fixture *f = *state;
    struct answer one = { 0 }, two = { 0 }, late = { 0 };
    start_and_greet(f);
    f->answers = false;
    oc_session_request(f->session, "a", NULL, 5000, on_reply, &one);
    oc_session_request(f->session, "b", NULL, 5000, on_reply, &two);
    STEP_UNTIL(f->loop, f->request_count == 3);
    oc_ws_close(f->gw, 1012, "service restart");
    STEP_UNTIL(f->loop, f->ends == 1);
    assert_int_equal(one.count, 1);
    assert_int_equal(two.count, 1);
    assert_int_equal(one.code, OC_E_CLOSED);
    assert_int_equal(f->end.code, OC_E_CLOSED);
    assert_int_equal(f->end.close_code, 1012);
    assert_true(f->end.had_hello);
    assert_non_null(strstr(f->end_message, "1012 service restart"));
    oc_session_request(f->session, "c", NULL, 5000, on_reply, &late);
    step_some(f->loop);
    assert_int_equal(late.count, 1);
    assert_int_equal(late.code, OC_E_CLOSED);
    assert_int_equal(oc_session_send(f->session, oc_msg_create()), OC_E_CLOSED);
    assert_int_equal(f->ends, 1);
}

static void test_too_many_requests(void **state) {
    struct fixture *f = *state;
    start_and_greet(f);
    f->answers = false;
    struct answer *a = oc_new_array(struct answer, OC_MAX_CALLS + 1);
    for (int i = 0; i <= OC_MAX_CALLS; i++) {
        oc_session_request(f->session, "m", NULL, 5000, on_reply, &a[i]);
    }
    step_some(f->loop);
    assert_int_equal(a[0].count, 0);
    assert_int_equal(a[OC_MAX_CALLS].count, 1);
    assert_int_equal(a[OC_MAX_CALLS].code, OC_E_UNAVAILABLE);
    oc_session_destroy(oc_take(&f->session)); /* nobody is called any more */
    assert_int_equal(a[0].count, 0);
    step_some(f->loop);
    assert_int_equal(f->ends, 0);
    oc_free(a);
}

static void test_destroyed_inside_callbacks(void **state) {
    struct fixture *f = *state;
    struct answer a = { .destroys = f }, b = { 0 };
    start_and_greet(f);
    oc_session_request(f->session, "a", NULL, 5000, on_reply, &a);
    oc_session_request(f->session, "b", NULL, 5000, on_reply, &b);
    STEP_UNTIL(f->loop, a.count == 1);
    step_some(f->loop);
    assert_int_equal(b.count, 0);
    assert_null(f->session);
    STEP_UNTIL(f->loop, f->gw_closed);
    assert_int_equal(f->ends, 0);
}

static void test_destroyed_while_requests_fail(void **state) {
    struct fixture *f = *state;
    struct answer a = { .destroys = f }, b = { 0 };
    start_and_greet(f);
    f->answers = false;
    oc_session_request(f->session, "a", NULL, 5000, on_reply, &a);
    oc_session_request(f->session, "b", NULL, 5000, on_reply, &b);
    STEP_UNTIL(f->loop, f->request_count == 3);
    oc_ws_abort(f->gw);
    STEP_UNTIL(f->loop, a.count == 1);
    step_some(f->loop);
    assert_int_equal(b.count, 0);
    assert_int_equal(f->ends, 0);
}

static void test_asking_again_does_not_hold_up_the_end(void **state) {
    struct fixture *f = *state;
    struct answer a = { .asks_again = f };
    start_and_greet(f);
    f->answers = false;
    oc_session_request(f->session, "a", NULL, 5000, on_reply, &a);
    STEP_UNTIL(f->loop, f->request_count == 2);
    oc_ws_abort(f->gw);
    STEP_UNTIL(f->loop, f->ends == 1);
    assert_true(a.count <= 2);
    step_some(f->loop);
    assert_true(a.count > 2); /* one round each */
    assert_true(a.count < 100);
}

static void test_destroyed_in_hello(void **state) {
    struct fixture *f = *state;
    f->destroy_on_hello = true;
    start_and_greet(f);
    step_some(f->loop);
    assert_null(f->session);
}

/* Events. */

#define INVOKE "{\"type\":\"event\",\"event\":\"node.invoke.request\",\"payload\":{\"id\":\"1\"}}"

/* An invoke may come before hello, and counts with it. */
static void test_events_before_hello_wait_for_it(void **state) {
    struct fixture *f = *state;
    f->hello = NULL;
    start(f);
    STEP_UNTIL(f->loop, f->connect);
    for (int i = 0; i < 100; i++) { /* not that many */
        gw_send(f, INVOKE);
    }
    step_some(f->loop);
    assert_int_equal(f->events, 0);
    struct oc_buf out = OC_BUF_INIT(1000);
    oc_buf_puts(&out,
            "{\"type\":\"req\",\"id\":\"r\",\"method\":\"node.invoke.result\",\"params\":{}}");
    assert_int_equal(oc_session_send(f->session, oc_msg_from_buf(&out)), OC_E_CLOSED);
    gw_reply(f, oc_json_get_str(f->last_request, "id"), HELLO, NULL);
    STEP_UNTIL(f->loop, f->hellos == 1);
    step_some(f->loop);
    assert_int_equal(f->events, 8);
    assert_false(f->was_before_hello);
    assert_string_equal(f->event_name, "node.invoke.request");
    gw_send(f, CHALLENGE); /* a second challenge is nobody's event */
    gw_send(f, "{\"type\":\"req\",\"id\":\"q\",\"method\":\"x\"}");
    gw_send(f, "{\"type\":\"event\",\"event\":\"tick\"}");
    STEP_UNTIL(f->loop, f->events == 9);
    assert_string_equal(f->event_name, "tick");
}

static void test_events_before_the_challenge_count_for_nothing(void **state) {
    struct fixture *f = *state;
    f->challenge = INVOKE;
    start(f);
    STEP_UNTIL(f->loop, f->gw);
    step_some(f->loop);
    gw_send(f, CHALLENGE);
    STEP_UNTIL(f->loop, f->hellos == 1);
    step_some(f->loop);
    assert_int_equal(f->events, 0);
}

static void test_events_of_a_gateway_that_refused_count_for_nothing(void **state) {
    struct fixture *f = *state;
    f->hello = NULL;
    start(f);
    STEP_UNTIL(f->loop, f->connect);
    gw_send(f, INVOKE); /* waits for a hello that never comes */
    gw_reply(f, oc_json_get_str(f->last_request, "id"), NULL,
            "{\"code\":\"NOT_PAIRED\",\"message\":\"no\"}");
    gw_send(f, INVOKE);
    step_some(f->loop);
    oc_ws_close(f->gw, 1008, "no");
    STEP_UNTIL(f->loop, f->ends == 1);
    assert_int_equal(f->events, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_requests),
        TEST(test_request_errors),
        TEST(test_open_requests_end_with_the_session),
        TEST(test_too_many_requests),
        TEST(test_destroyed_inside_callbacks),
        TEST(test_destroyed_while_requests_fail),
        TEST(test_asking_again_does_not_hold_up_the_end),
        TEST(test_destroyed_in_hello),
        TEST(test_events_before_hello_wait_for_it),
        TEST(test_events_before_the_challenge_count_for_nothing),
        TEST(test_events_of_a_gateway_that_refused_count_for_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
