/* A node, and a gateway that does what a test tells it. Time is turned by hand. */
#ifndef TESTS_INTEGRATION_SCRIPTED_GATEWAY_H
#define TESTS_INTEGRATION_SCRIPTED_GATEWAY_H

#include "tests/unit/unit.h"

#include "lib/base/clock.h"
#include "lib/files/file.h"
#include "lib/identity/identity.h"
#include "lib/json/json.h"
#include "lib/log/log.h"
#include "lib/net/server/server.h"
#include "lib/protocol/limits.h"
#include "node/node.h"

#include <fcntl.h>
#include <signal.h>

#define CHALLENGE                                                                                \
    "{\"type\":\"event\",\"event\":\"connect.challenge\",\"payload\":{\"nonce\":\"n-1\",\"ts\":" \
    "1700000000000}}"
#define PAIRING                                              \
    "{\"code\":\"NOT_PAIRED\",\"message\":\"pairing "        \
    "required\",\"details\":{\"code\":\"PAIRING_REQUIRED\"," \
    "\"requestId\":\"req-1\",\"reason\":\"not-paired\"}}"

struct fixture {
    char *dir, *home;
    struct oc_fake_clock clock;
    struct oc_loop *loop;
    struct oc_server *server;
    uint16_t port;
    struct oc_ws *ws; /* the node's connection of now */
    /* how connect is answered: refusal (error object) or hello members ("" is a plain hello) */
    const char *refusal, *close_reason, *hello, *before_hello;
    const char *before_challenge, *after_refusal; /* frames that come then; NULL: none */
    uint16_t close_code;
    int connects;       /* connect requests so far */
    cJSON *connect;     /* params of the last one */
    cJSON *frames;      /* other requests */
    uint16_t node_code; /* how the node closed */
    struct nd_node *node;
    enum nd_state state;
    struct nd_status_log log;
    int lines, stops;
    char reason[400], fix[400], request_id[64], last_line[600];
    int64_t retry_ms;
};

#define UNTIL(f, condition)                                                       \
    do {                                                                          \
        int64_t give_up_ms = oc_mono_ms(&oc_clock_system) + 30000;                \
        while (!(condition)) {                                                    \
            if (oc_mono_ms(&oc_clock_system) > give_up_ms) {                      \
                fail_msg("line %d: waited in vain for %s", __LINE__, #condition); \
            }                                                                     \
            oc_loop_step((f)->loop, 10);                                          \
        }                                                                         \
    } while (0)

static inline void settle(struct fixture *f) {
    for (int i = 0; i < 30; i++) {
        oc_loop_step(f->loop, 1);
    }
}

static inline void send_text(struct fixture *f, const char *text) {
    assert_int_equal(oc_ws_send_text(f->ws, text, strlen(text)), OC_OK);
}

static inline void answer_connect(struct fixture *f, const char *id) {
    if (f->before_hello) {
        send_text(f, f->before_hello);
    }
    OC_AUTO_FREE char *text =
            f->refusal ? oc_strfmt("{\"type\":\"res\",\"id\":\"%s\",\"ok\":false,\"error\":%s}", id,
                                 f->refusal)
                       : oc_strfmt("{\"type\":\"res\",\"id\":\"%s\",\"ok\":true,\"payload\":{"
                                   "\"type\":\"hello-ok\",\"protocol\":3%s}}",
                                 id, f->hello);
    send_text(f, text);
    if (f->refusal && f->after_refusal) {
        send_text(f, f->after_refusal);
    }
    if (f->refusal) {
        oc_ws_close(f->ws, f->close_code ? f->close_code : 1008,
                f->close_reason ? f->close_reason : "refused");
    }
}

static inline void on_message(void *user, struct oc_blob *text) {
    struct fixture *f = user;
    cJSON *frame = NULL;
    assert_int_equal(oc_json_parse(text->data, text->len, &frame, NULL), OC_OK);
    if (oc_streq(oc_json_get_str(frame, "method"), "connect")) {
        f->connects++;
        cJSON_Delete(f->connect);
        f->connect = cJSON_DetachItemFromObjectCaseSensitive(frame, "params");
        answer_connect(f, oc_json_get_str(frame, "id"));
        cJSON_Delete(frame);
    } else {
        cJSON_AddItemToArray(f->frames, frame);
    }
}

static inline void on_closed(void *user, uint16_t code, const char *reason) {
    (void)reason;
    struct fixture *f = user;
    f->node_code = code;
    oc_ws_destroy(oc_take(&f->ws));
}

static inline void on_ws(void *user, struct oc_ws *take_ws, const struct oc_http_head *head,
        const struct oc_peer *peer) {
    (void)head;
    (void)peer;
    static const struct oc_ws_events events = { .on_message = on_message, .on_closed = on_closed };
    struct fixture *f = user;
    oc_ws_destroy(f->ws);
    f->ws = take_ws;
    oc_ws_set_events(take_ws, &events, f);
    if (f->before_challenge) {
        send_text(f, f->before_challenge);
    }
    send_text(f, CHALLENGE);
}

static inline void on_request(void *user, const struct oc_http_head *head,
        const struct oc_peer *peer, struct oc_http_reply *ret) {
    (void)user;
    (void)head;
    (void)peer;
    *ret = (struct oc_http_reply){ .status = 404, .content_type = "text/plain", .body = "" };
}

static inline void listen_again(struct fixture *f) {
    static const struct oc_server_handlers handlers = { .on_request = on_request, .on_ws = on_ws };
    const char *host = "127.0.0.1";
    struct oc_server_opts opts = { .hosts = &host,
        .host_count = 1,
        .port = f->port,
        .ws = { .max_message_bytes = OC_MAX_MESSAGE_BYTES,
                .max_queued_bytes = OC_MAX_QUEUED_BYTES } };
    struct oc_error err;
    if (oc_server_create(f->loop, &opts, &handlers, f, &f->server, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    f->port = oc_server_port(f->server);
}

static inline void copy(char *to, size_t size, const char *from) {
    snprintf(to, size, "%s", from ? from : "");
}

static inline void on_status(void *user, const struct nd_status *s) {
    struct fixture *f = user;
    f->state = s->state;
    f->retry_ms = s->retry_ms;
    copy(f->reason, sizeof(f->reason), s->reason);
    copy(f->fix, sizeof(f->fix), s->fix);
    copy(f->request_id, sizeof(f->request_id), s->request_id);
    if (nd_status_is_news(&f->log, s)) {
        OC_AUTO_FREE char *line = nd_status_line(s);
        copy(f->last_line, sizeof(f->last_line), line);
        f->lines++;
    }
}

static inline void on_stopped(void *user) {
    ((struct fixture *)user)->stops++;
}

static inline void ignore(void *user, enum oc_log_level level, const char *line) {
    (void)user;
    (void)level;
    (void)line;
}

static inline int setup(void **state) {
    struct fixture *f = oc_new(struct fixture);
    *state = f;
    oc_log_set_sink(ignore, NULL);
    unsetenv("OPENCLAW_GATEWAY_TOKEN");
    unsetenv("OPENCLAW_GATEWAY_PASSWORD");
    oc_fake_clock_init(&f->clock, 1700000005000);
    if (oc_temp_setup((void **)&f->dir) != 0 ||
            oc_loop_create(&f->clock.clock, &f->loop, NULL) != OC_OK) {
        return -1;
    }
    f->home = oc_path_join(f->dir, ".openclaw");
    f->frames = cJSON_CreateArray();
    f->hello = "";
    listen_again(f);
    return mkdir(f->home, 0700);
}

static inline int teardown(void **state) {
    struct fixture *f = *state;
    nd_close(f->node);
    oc_ws_destroy(f->ws);
    oc_server_destroy(f->server);
    oc_loop_destroy(f->loop);
    cJSON_Delete(f->connect);
    cJSON_Delete(f->frames);
    nd_status_log_finish(&f->log);
    oc_free(f->home);
    int rc = oc_temp_teardown((void **)&f->dir);
    oc_free(f);
    return rc;
}

static inline void start_with(struct fixture *f, const char *token, const char *password) {
    struct oc_error err = { 0 };
    struct nd_opts opts = { .host = "127.0.0.1",
        .port = f->port,
        .display_name = "box",
        .state_dir = f->home,
        .home_dir = f->dir,
        .token = token,
        .password = password,
        .on_status = on_status,
        .user = f };
    if (nd_node_create(f->loop, &opts, &f->node, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    nd_node_start(f->node);
}

static inline void restart_with(struct fixture *f, const char *token) {
    nd_close(oc_take(&f->node));
    settle(f);
    f->state = ND_STOPPED;
    start_with(f, token, NULL);
}

static inline void start_connected(struct fixture *f) {
    OC_AUTO_FREE char *path = oc_path_join(f->home, "exec-approvals.json");
    oc_write_text(path, "{\"version\":1,\"defaults\":{\"security\":\"full\",\"ask\":\"off\"}}");
    start_with(f, "shared", NULL);
    UNTIL(f, f->state == ND_CONNECTED);
}

/* Turns time to the next attempt, and no further than the node said. */
static inline int64_t wait_for_attempt(struct fixture *f) {
    int before = f->connects;
    UNTIL(f, f->state == ND_RETRYING || f->state == ND_WAITING_DEVICE);
    int64_t wait_ms = f->retry_ms;
    oc_fake_clock_advance(&f->clock, wait_ms);
    UNTIL(f, f->connects > before);
    return wait_ms;
}

static inline void invoke_command(struct fixture *f, const char *command, const char *id,
        const char *params, const char *key) {
    OC_AUTO_JSON cJSON *frame = cJSON_CreateObject(), *payload = cJSON_CreateObject();
    oc_json_set_str(payload, "id", id);
    oc_json_set_str(payload, "nodeId", nd_device_id(f->node));
    oc_json_set_str(payload, "command", command);
    oc_json_set_str(payload, "paramsJSON", params);
    oc_json_set_str(payload, "idempotencyKey", key);
    oc_json_set_str(frame, "type", "event");
    oc_json_set_str(frame, "event", "node.invoke.request");
    oc_json_set(frame, "payload", oc_take(&payload));
    OC_AUTO_FREE char *text = oc_json_print(frame, false);
    send_text(f, text);
}

static inline void invoke(struct fixture *f, const char *id, const char *params, const char *key) {
    invoke_command(f, "system.run", id, params, key);
}

static inline const cJSON *result(struct fixture *f, const char *id) {
    const cJSON *frame;
    cJSON_ArrayForEach(frame, f->frames) {
        const cJSON *params = oc_json_get(frame, "params");
        if (oc_streq(oc_json_get_str(frame, "method"), "node.invoke.result") &&
                oc_streq(oc_json_get_str(params, "id"), id)) {
            return params;
        }
    }
    return NULL;
}

static inline const char *auth(struct fixture *f, const char *key) {
    return oc_json_get_str(oc_json_get(f->connect, "auth"), key);
}

#endif
