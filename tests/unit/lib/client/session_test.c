/* A session against a small gateway that does what each test tells it. */
#include "tests/unit/lib/net/net_testing.h"

#include "lib/client/calls.h"
#include "lib/client/session.h"
#include "lib/net/server/server.h"
#include "lib/protocol/connect.h"
#include "lib/protocol/errors.h"
#include "lib/protocol/frame.h"
#include "lib/protocol/identity.h"
#include "lib/protocol/limits.h"
#include "tests/any_int.h"

#define WALL_MS 1700000005000
#define CHALLENGE                                                                                \
    "{\"type\":\"event\",\"event\":\"connect.challenge\",\"payload\":{\"nonce\":\"n-1\",\"ts\":" \
    "1700000000000}}"
#define HELLO                                                                                  \
    "{\"type\":\"hello-ok\",\"protocol\":3,\"server\":{\"version\":\"dev\",\"connId\":\"c\"}," \
    "\"auth\":{\"deviceToken\":\"dt\",\"role\":\"node\",\"scopes\":[]},"                       \
    "\"policy\":{\"tickIntervalMs\":30000}}"

struct fixture {
    struct oc_fake_clock clock;
    struct oc_loop *loop;
    struct oc_identity *identity;
    /* the gateway */
    struct oc_server *server;
    struct oc_ws *gw;
    const char *challenge; /* NULL: sends none */
    const char *hello;     /* payload; NULL: does not answer */
    const char *refusal;   /* error object instead of hello */
    uint16_t refusal_code; /* 0: does not close */
    bool answers;          /* echoes params as payload */
    cJSON *connect;        /* params that came */
    cJSON *last_request;   /* the whole frame */
    int gw_closed, request_count, gw_activity;
    char gw_reason[130];
    /* the client */
    struct oc_connect params;
    struct oc_session *session;
    int hellos, events, ends;
    char device_token[64];
    char event_name[64];
    bool was_before_hello;
    struct oc_session_end end;
    char end_message[300], end_error[64], end_reason[130], detail_code[64];
    bool destroy_on_end, destroy_on_hello;
};

static void gw_reply(struct fixture *f, const char *id, const char *payload, const char *error) {
    OC_AUTO_FREE char *text =
            error ? oc_strfmt(
                            "{\"type\":\"res\",\"id\":\"%s\",\"ok\":false,\"error\":%s}", id, error)
                  : oc_strfmt("{\"type\":\"res\",\"id\":\"%s\",\"ok\":true,\"payload\":%s}", id,
                            payload);
    assert_int_equal(oc_ws_send_text(f->gw, text, strlen(text)), OC_OK);
}

static void gw_send(struct fixture *f, const char *text) {
    assert_int_equal(oc_ws_send_text(f->gw, text, strlen(text)), OC_OK);
}

static void gw_message(void *user, struct oc_blob *text) {
    struct fixture *f = user;
    cJSON_Delete(f->last_request);
    f->last_request = NULL;
    assert_int_equal(oc_json_parse(text->data, text->len, &f->last_request, NULL), OC_OK);
    f->request_count++;
    assert_string_equal(oc_json_get_str(f->last_request, "type"), "req");
    const char *id = oc_json_get_str(f->last_request, "id");
    const char *method = oc_json_get_str(f->last_request, "method");
    const cJSON *params = oc_json_get(f->last_request, "params");
    if (strcmp(method, "connect") == 0) {
        assert_null(f->connect);
        f->connect = cJSON_Duplicate(params, true);
        if (f->refusal) {
            gw_reply(f, id, NULL, f->refusal);
            if (f->refusal_code) {
                oc_ws_close(f->gw, f->refusal_code, oc_json_get_str(params, "role"));
            }
        } else if (f->hello) {
            gw_reply(f, id, f->hello, NULL);
        }
    } else if (f->answers) {
        OC_AUTO_FREE char *payload = params ? oc_json_print(params, false) : oc_strdup("null");
        gw_reply(f, id, payload, NULL);
    }
}

static void gw_activity(void *user) {
    ((struct fixture *)user)->gw_activity++;
}

static void gw_closed(void *user, uint16_t code, const char *reason) {
    struct fixture *f = user;
    f->gw_closed = code;
    (void)snprintf(f->gw_reason, sizeof(f->gw_reason), "%s", reason);
}

static void on_ws(void *user, struct oc_ws *take_ws, const struct oc_http_head *head,
        const struct oc_peer *peer) {
    (void)head;
    (void)peer;
    static const struct oc_ws_events gw_events = {
        .on_message = gw_message, .on_closed = gw_closed, .on_activity = gw_activity
    };
    struct fixture *f = user;
    assert_null(f->gw);
    f->gw = take_ws;
    oc_ws_set_events(take_ws, &gw_events, f);
    if (f->challenge) {
        gw_send(f, f->challenge);
    }
}

static void on_request(void *user, const struct oc_http_head *head, const struct oc_peer *peer,
        struct oc_http_reply *ret) {
    (void)user;
    (void)head;
    (void)peer;
    (void)ret;
}

/* The client's side. */

static void on_hello(void *user, const struct oc_hello *hello, const cJSON *payload) {
    struct fixture *f = user;
    f->hellos++;
    assert_non_null(payload);
    (void)snprintf(f->device_token, sizeof(f->device_token), "%s",
            hello->device_token ? hello->device_token : "");
    if (f->destroy_on_hello) {
        oc_session_destroy(oc_take(&f->session));
    }
}

static void on_event(void *user, const struct oc_frame *frame, struct oc_blob *blob) {
    struct fixture *f = user;
    assert_true(frame->body.len == 0 ||
                (frame->body.ptr > blob->data && frame->body.ptr < blob->data + blob->len));
    f->events++;
    f->was_before_hello = f->hellos == 0;
    (void)snprintf(f->event_name, sizeof(f->event_name), "%s", frame->name);
}

static void copy_text(char *to, size_t size, const char *from) {
    (void)snprintf(to, size, "%s", from ? from : "");
}

static void on_end(void *user, const struct oc_session_end *end) {
    struct fixture *f = user;
    f->ends++;
    f->end = *end;
    copy_text(f->end_message, sizeof(f->end_message), end->message);
    copy_text(f->end_error, sizeof(f->end_error), end->error_code);
    copy_text(f->end_reason, sizeof(f->end_reason), end->close_reason);
    copy_text(f->detail_code, sizeof(f->detail_code), oc_json_get_str(end->details, "code"));
    if (f->destroy_on_end) {
        oc_session_destroy(oc_take(&f->session));
    }
}

static const struct oc_session_events events = {
    .on_hello = on_hello, .on_event = on_event, .on_end = on_end
};

static int set_up(void **state) {
    static const struct oc_server_handlers handlers = { .on_request = on_request, .on_ws = on_ws };
    static const char *const hosts[] = { "127.0.0.1" };
    struct fixture *f = oc_new(struct fixture);
    oc_fake_clock_init(&f->clock, WALL_MS);
    f->loop = make_loop(&f->clock.clock);
    uint8_t seed[32];
    for (uint8_t i = 0; i < 32; i++) {
        seed[i] = i;
    }
    assert_int_equal(oc_identity_from_seed(seed, &f->identity, NULL), OC_OK);
    const struct oc_server_opts opts = { .hosts = hosts, .host_count = 1 };
    assert_int_equal(oc_server_create(f->loop, &opts, &handlers, f, &f->server, NULL), OC_OK);
    f->challenge = CHALLENGE;
    f->hello = HELLO;
    f->answers = true;
    f->params = (struct oc_connect){ .min_protocol = 3,
        .max_protocol = 4,
        .client_id = "node-host",
        .version = "1",
        .platform = "linux",
        .mode = "node",
        .role = "node",
        .token = "secret-token" };
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    oc_session_destroy(f->session);
    oc_ws_destroy(f->gw);
    oc_server_destroy(f->server);
    oc_loop_destroy(f->loop);
    oc_identity_destroy(f->identity);
    oc_connect_finish(&f->params);
    cJSON_Delete(f->connect);
    cJSON_Delete(f->last_request);
    oc_free(f);
    return 0;
}

static void start(struct fixture *f) {
    const struct oc_session_opts opts = { .dial = { .host = "127.0.0.1",
                                                  .port = oc_server_port(f->server) },
        .connect = &f->params,
        .identity = f->identity,
        .watch_ticks = true };
    f->session = oc_session_start(f->loop, &opts, &events, f);
}

static void start_and_greet(struct fixture *f) {
    start(f);
    STEP_UNTIL(f->loop, f->hellos == 1);
}

static void test_signed_connect(void **state) {
    struct fixture *f = *state;
    start_and_greet(f);
    assert_string_equal(f->device_token, "dt");
    const cJSON *device = oc_json_get(f->connect, "device");
    assert_int_equal(any_int(f->connect, "minProtocol", 0), 3);
    assert_int_equal(any_int(f->connect, "maxProtocol", 0), 4);
    assert_string_equal(oc_json_get_str(oc_json_get(f->connect, "auth"), "token"), "secret-token");
    assert_string_equal(oc_json_get_str(device, "id"),
            "56475aa75463474c0285df5dbf2bcab73da651358839e9b77481b2eab107708c");
    assert_string_equal(
            oc_json_get_str(device, "publicKey"), "A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg");
    assert_string_equal(oc_json_get_str(device, "nonce"), "n-1");
    assert_true(any_int(device, "signedAt", 0) == 1700000000000); /* the gateway's, not ours */
    assert_true(oc_signature_verify(oc_json_get_str(device, "publicKey"),
            "v3|56475aa75463474c0285df5dbf2bcab73da651358839e9b77481b2eab107708c|node-host|node|"
            "node||"
            "1700000000000|secret-token|n-1|linux|",
            oc_json_get_str(device, "signature")));
    assert_int_equal(f->ends, 0);
}

static void test_device_token_is_signed_without_a_token(void **state) {
    struct fixture *f = *state;
    f->params.token = NULL;
    f->params.device_token = "dev-tok";
    f->params.client_id = "cli";
    f->params.mode = "cli";
    f->params.role = NULL;
    f->params.platform = " Darwin ";
    f->params.device_family = "Mac";
    oc_strv_add(&f->params.scopes, "operator.read");
    oc_strv_add(&f->params.scopes, "operator.admin");
    /* without ts our own clock is used */
    f->challenge =
            "{\"type\":\"event\",\"event\":\"connect.challenge\",\"payload\":{\"nonce\":\"n-2\"}}";
    start_and_greet(f);
    const cJSON *device = oc_json_get(f->connect, "device");
    assert_true(oc_signature_verify(oc_json_get_str(device, "publicKey"),
            "v3|56475aa75463474c0285df5dbf2bcab73da651358839e9b77481b2eab107708c|cli|cli|operator|"
            "operator.read,operator.admin|1700000005000|dev-tok|n-2|darwin|mac",
            oc_json_get_str(device, "signature")));
}

/* Passed on by somebody who has no TLS, or a certificate of their own. */
static void test_a_challenge_of_another_gateway_is_not_signed(void **state) {
    struct fixture *f = *state;
    f->challenge =
            "{\"type\":\"event\",\"event\":\"connect.challenge\",\"payload\":{\"ts\":1700000000000,"
            "\"nonce\":\"n-1.tls-0123456789abcdef0123456789abcdef0123456789abcdef0123456789ab"
            "cdef\"}}";
    start(f);
    STEP_UNTIL(f->loop, f->ends == 1);
    assert_int_equal(f->end.code, OC_E_AUTH);
    assert_non_null(strstr(f->end_message, "one of another gateway"));
    assert_null(f->connect);
}

static void test_without_identity(void **state) {
    struct fixture *f = *state;
    struct oc_identity *kept = oc_take(&f->identity);
    start_and_greet(f);
    assert_null(oc_json_get(f->connect, "device"));
    f->identity = kept;
}

static void test_options_are_copied(void **state) {
    struct fixture *f = *state;
    char *host = oc_strdup("127.0.0.1"), *token = oc_strdup("short-lived");
    struct oc_connect *params = oc_new(struct oc_connect);
    *params = f->params;
    params->token = token;
    struct oc_session_opts opts = { .dial = { .host = host, .port = oc_server_port(f->server) },
        .connect = params };
    f->session = oc_session_start(f->loop, &opts, &events, f);
    memset(host, 'x', strlen(host));
    memset(token, 'x', strlen(token));
    oc_free(host);
    oc_free(token);
    oc_free(params);
    STEP_UNTIL(f->loop, f->hellos == 1);
    assert_string_equal(oc_json_get_str(oc_json_get(f->connect, "auth"), "token"), "short-lived");
}

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

/* Refusals. */

static void expect_refusal(
        struct fixture *f, const char *error, uint16_t close_code, enum oc_code code) {
    f->refusal = error;
    f->refusal_code = close_code;
    start(f);
    STEP_UNTIL(f->loop, f->ends == 1);
    assert_int_equal(f->end.code, code);
    assert_int_equal(f->end.close_code, close_code);
    assert_false(f->end.had_hello);
    assert_int_equal(f->hellos, 0);
    oc_session_destroy(oc_take(&f->session));
    oc_ws_destroy(oc_take(&f->gw));
    cJSON_Delete(oc_take(&f->connect));
    f->ends = 0;
}

static void test_refusals(void **state) {
    struct fixture *f = *state;
    expect_refusal(f,
            "{\"code\":\"NOT_PAIRED\",\"message\":\"pairing "
            "required\",\"details\":{\"code\":\"PAIRING_REQUIRED\","
            "\"requestId\":\"r1\"},\"retryAfterMs\":1500}",
            1008, OC_E_DENIED);
    assert_string_equal(f->end_message, "pairing required");
    assert_string_equal(f->end_error, "NOT_PAIRED");
    assert_string_equal(f->detail_code, "PAIRING_REQUIRED");
    assert_string_equal(f->end_reason, "node");
    assert_int_equal(f->end.retry_after_ms, 1500);
    expect_refusal(f,
            "{\"code\":\"INVALID_REQUEST\",\"message\":\"unauthorized: gateway token mismatch\","
            "\"details\":{\"code\":\"AUTH_TOKEN_MISMATCH\"}}",
            1008, OC_E_AUTH);
    assert_int_equal(f->end.retry_after_ms, -1);
    expect_refusal(f,
            "{\"code\":\"INVALID_REQUEST\",\"message\":\"protocol "
            "mismatch\",\"details\":{\"expectedProtocol\":5}}",
            1002, OC_E_UNSUPPORTED);
    expect_refusal(f,
            "{\"code\":\"UNAVAILABLE\",\"message\":\"gateway starting; retry "
            "shortly\",\"retryAfterMs\":500,"
            "\"retryable\":true}",
            1013, OC_E_UNAVAILABLE);
    assert_int_equal(f->end.retry_after_ms, 500);
    expect_refusal(
            f, "{\"code\":\"INVALID_REQUEST\",\"message\":\"invalid role\"}", 1008, OC_E_INVALID);
    expect_refusal(f, "{}", 1008, OC_E_CLOSED);
    assert_string_equal(f->end_message, "the gateway refused the connection");
}

static void test_refusal_without_close(void **state) {
    struct fixture *f = *state;
    f->refusal = "{\"code\":\"NOT_PAIRED\",\"message\":\"pairing required\"}";
    start(f);
    STEP_UNTIL(f->loop, f->connect);
    STEP_UNTIL(f->loop, (oc_fake_clock_advance(&f->clock, 100), f->ends == 1));
    assert_int_equal(f->end.code, OC_E_DENIED);
    assert_int_equal(f->gw_closed, 1008);
}

/* What a gateway may leave out. */

static void test_no_challenge(void **state) {
    struct fixture *f = *state;
    f->challenge = NULL;
    f->destroy_on_end = true;
    start(f);
    STEP_UNTIL(f->loop, f->gw);
    STEP_UNTIL(f->loop, (oc_fake_clock_advance(&f->clock, 100), f->ends == 1));
    assert_int_equal(f->end.code, OC_E_TIMEOUT);
    assert_int_equal(f->gw_closed, 1008);
    assert_string_equal(f->gw_reason, "connect challenge timeout");
}

static void test_challenge_without_nonce(void **state) {
    struct fixture *f = *state;
    f->challenge =
            "{\"type\":\"event\",\"event\":\"connect.challenge\",\"payload\":{\"nonce\":\" \"}}";
    start(f);
    STEP_UNTIL(f->loop, f->ends == 1);
    assert_int_equal(f->end.code, OC_E_INVALID);
    assert_string_equal(f->gw_reason, "connect challenge missing nonce");
    assert_null(f->connect);
}

static void test_no_hello(void **state) {
    struct fixture *f = *state;
    f->hello = NULL;
    start(f);
    STEP_UNTIL(f->loop, f->connect);
    oc_fake_clock_advance(&f->clock, 15000);
    STEP_UNTIL(f->loop, f->ends == 1);
    assert_int_equal(f->end.code, OC_E_TIMEOUT);
    assert_int_equal(f->gw_closed, 4000);
    assert_string_equal(f->gw_reason, "connect timeout");
}

static void test_hello_that_is_none(void **state) {
    struct fixture *f = *state;
    f->hello = "{\"type\":\"something-else\"}";
    start(f);
    STEP_UNTIL(f->loop, f->ends == 1);
    assert_int_equal(f->hellos, 0);
    assert_int_equal(f->end.code, OC_E_INVALID);
}

static void test_params_the_gateway_would_refuse(void **state) {
    struct fixture *f = *state;
    f->params.client_id = "unheard-of";
    start(f);
    STEP_UNTIL(f->loop, f->ends == 1);
    assert_int_equal(f->end.code, OC_E_INVALID);
    assert_non_null(strstr(f->end_message, "invalid connect params"));
}

static void test_dial_fails(void **state) {
    struct fixture *f = *state;
    f->destroy_on_end = true;
    oc_server_stop_listening(f->server);
    start(f);
    assert_int_equal(f->ends, 0);
    STEP_UNTIL(f->loop, f->ends == 1);
    assert_int_equal(f->end.code, OC_E_IO);
    assert_int_equal(f->end.close_code, 0);
    assert_non_null(strstr(f->end_message, "connection refused"));
    assert_null(f->session);
}

/* Life signs. */

static void test_silent_gateway(void **state) {
    struct fixture *f = *state;
    start_and_greet(f);
    for (int i = 0; i < 5; i++) {
        oc_fake_clock_advance(&f->clock, 30000);
        oc_ws_ping(f->gw); /* any traffic counts */
        int before = f->gw_activity;
        STEP_UNTIL(f->loop, f->gw_activity > before); /* the pong is back */
    }
    assert_int_equal(f->ends, 0);
    for (int i = 0; i < 2; i++) {
        oc_fake_clock_advance(&f->clock, 30000);
        step_some(f->loop);
        assert_int_equal(f->gw_closed, 0);
    }
    oc_fake_clock_advance(&f->clock, 30000);
    STEP_UNTIL(f->loop, f->ends == 1);
    assert_int_equal(f->gw_closed, 4000);
    assert_string_equal(f->gw_reason, "tick timeout");
    assert_int_equal(f->end.code, OC_E_TIMEOUT);
    assert_int_equal(f->end.close_code, 4000);
    assert_true(f->end.had_hello);
}

static void test_lost_connection(void **state) {
    struct fixture *f = *state;
    start_and_greet(f);
    oc_ws_abort(f->gw);
    STEP_UNTIL(f->loop, f->ends == 1);
    assert_int_equal(f->end.code, OC_E_CLOSED);
    assert_int_equal(f->end.close_code, 1006);
    assert_string_equal(f->end_message, "the connection to the gateway was lost");
}

static void test_close(void **state) {
    struct fixture *f = *state;
    start_and_greet(f);
    oc_session_close(f->session, 0, NULL);
    oc_session_close(f->session, 1000, "again");
    STEP_UNTIL(f->loop, f->ends == 1);
    assert_int_equal(f->gw_closed, 1005); /* an empty close frame */
    assert_int_equal(f->end.code, OC_E_CANCELLED);
    oc_session_close(f->session, 1000, "too late");
}

static void test_close_while_dialling(void **state) {
    struct fixture *f = *state;
    start(f);
    oc_session_close(f->session, 1000, "");
    assert_int_equal(f->ends, 0);
    step_some(f->loop);
    assert_int_equal(f->ends, 1);
    assert_int_equal(f->end.code, OC_E_CANCELLED);
    oc_session_destroy(oc_take(&f->session));
    start(f);
    oc_session_destroy(oc_take(&f->session));
    step_some(f->loop);
    assert_int_equal(f->ends, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_signed_connect),
        TEST(test_device_token_is_signed_without_a_token),
        TEST(test_a_challenge_of_another_gateway_is_not_signed),
        TEST(test_without_identity),
        TEST(test_options_are_copied),
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
        TEST(test_refusals),
        TEST(test_refusal_without_close),
        TEST(test_no_challenge),
        TEST(test_challenge_without_nonce),
        TEST(test_no_hello),
        TEST(test_hello_that_is_none),
        TEST(test_params_the_gateway_would_refuse),
        TEST(test_dial_fails),
        TEST(test_silent_gateway),
        TEST(test_lost_connection),
        TEST(test_close),
        TEST(test_close_while_dialling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
