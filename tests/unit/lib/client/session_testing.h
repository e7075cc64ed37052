/* What the tests of a session share: a small gateway that does what each test tells it. */
#ifndef TESTS_UNIT_LIB_CLIENT_SESSION_TESTING_H
#define TESTS_UNIT_LIB_CLIENT_SESSION_TESTING_H

#include "tests/unit/lib/net/net_testing.h"

#include "lib/client/calls.h"
#include "lib/client/session.h"
#include "lib/identity/identity.h"
#include "lib/net/server/server.h"
#include "lib/protocol/connect.h"
#include "lib/protocol/errors.h"
#include "lib/protocol/frame.h"
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

static inline void gw_reply(
        struct fixture *f, const char *id, const char *payload, const char *error) {
    OC_AUTO_FREE char *text =
            error ? oc_strfmt(
                            "{\"type\":\"res\",\"id\":\"%s\",\"ok\":false,\"error\":%s}", id, error)
                  : oc_strfmt("{\"type\":\"res\",\"id\":\"%s\",\"ok\":true,\"payload\":%s}", id,
                            payload);
    assert_int_equal(oc_ws_send_text(f->gw, text, strlen(text)), OC_OK);
}

static inline void gw_send(struct fixture *f, const char *text) {
    assert_int_equal(oc_ws_send_text(f->gw, text, strlen(text)), OC_OK);
}

static inline void gw_message(void *user, struct oc_blob *text) {
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

static inline void gw_activity(void *user) {
    ((struct fixture *)user)->gw_activity++;
}

static inline void gw_closed(void *user, uint16_t code, const char *reason) {
    struct fixture *f = user;
    f->gw_closed = code;
    (void)snprintf(f->gw_reason, sizeof(f->gw_reason), "%s", reason);
}

static inline void on_ws(void *user, struct oc_ws *take_ws, const struct oc_http_head *head,
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

static inline void on_request(void *user, const struct oc_http_head *head,
        const struct oc_peer *peer, struct oc_http_reply *ret) {
    (void)user;
    (void)head;
    (void)peer;
    (void)ret;
}

/* The client's side. */

static inline void on_hello(void *user, const struct oc_hello *hello, const cJSON *payload) {
    struct fixture *f = user;
    f->hellos++;
    assert_non_null(payload);
    (void)snprintf(f->device_token, sizeof(f->device_token), "%s",
            hello->device_token ? hello->device_token : "");
    if (f->destroy_on_hello) {
        oc_session_destroy(oc_take(&f->session));
    }
}

static inline void on_event(void *user, const struct oc_frame *frame, struct oc_blob *blob) {
    struct fixture *f = user;
    assert_true(frame->body.len == 0 ||
                (frame->body.ptr > blob->data && frame->body.ptr < blob->data + blob->len));
    f->events++;
    f->was_before_hello = f->hellos == 0;
    (void)snprintf(f->event_name, sizeof(f->event_name), "%s", frame->name);
}

static inline void copy_text(char *to, size_t size, const char *from) {
    (void)snprintf(to, size, "%s", from ? from : "");
}

static inline void on_end(void *user, const struct oc_session_end *end) {
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

static inline int set_up(void **state) {
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

static inline int tear_down(void **state) {
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

static inline void start(struct fixture *f) {
    const struct oc_session_opts opts = { .dial = { .host = "127.0.0.1",
                                                  .port = oc_server_port(f->server) },
        .connect = &f->params,
        .identity = f->identity,
        .watch_ticks = true };
    f->session = oc_session_start(f->loop, &opts, &events, f);
}

static inline void start_and_greet(struct fixture *f) {
    start(f);
    STEP_UNTIL(f->loop, f->hellos == 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
