/* A real gateway on a port of its own, in this process, and clients that speak the wire to it by
 * hand: they can send what a well-behaved client never would. The loop's time stands still until a
 * test turns it; a watchdog on the real clock ends a test that waits for something that does not
 * come. */
#ifndef TESTS_INTEGRATION_GATEWAY_HARNESS_H
#define TESTS_INTEGRATION_GATEWAY_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gateway/gateway.h"
#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/identity/identity.h"
#include "lib/json/json.h"
#include "lib/log/log.h"
#include "lib/net/loop/stream.h"
#include "lib/net/ws/ws.h"
#include "lib/protocol/limits.h"
#include "tests/any_int.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ftw.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define TOKEN "integration-token"
#define ALL_SCOPES "operator.admin operator.read operator.write operator.approvals operator.pairing"
#define WATCHDOG_MS 30000
#define MAX_CLIENTS 64

struct client {
    struct oc_ws *ws;
    cJSON *inbox; /* frames that nobody has asked for yet */
    char *raw;    /* the last message as it came */
    size_t raw_len;
    bool is_closed;
    uint16_t code;
    char reason[200];
    unsigned next_id;
};

struct world {
    struct oc_fake_clock clock;
    struct oc_loop *loop;
    struct gw_gateway *gw;
    char *dir;
    struct client *clients[MAX_CLIENTS];
    size_t client_count;
    struct oc_identity *identities[MAX_CLIENTS];
    size_t identity_count;
};
static struct world world;

/* Turns the loop until the condition holds. */
#define UNTIL(condition)                                                          \
    do {                                                                          \
        int64_t give_up_ms = oc_mono_ms(&oc_clock_system) + WATCHDOG_MS;          \
        while (!(condition)) {                                                    \
            if (oc_mono_ms(&oc_clock_system) > give_up_ms) {                      \
                fail_msg("line %d: waited in vain for %s", __LINE__, #condition); \
            }                                                                     \
            oc_loop_step(world.loop, 10);                                         \
        }                                                                         \
    } while (0)

/* Lets everything that is under way arrive: several rounds in which nothing is waited for. */
static inline void settle_down(void) {
    for (int i = 0; i < 30; i++) {
        oc_loop_step(world.loop, 1);
    }
}

static inline void advance(int64_t ms) {
    oc_fake_clock_advance(&world.clock, ms);
    settle_down();
}

static inline int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw) {
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static inline void start_gateway(const char *config_text) {
    OC_AUTO_JSON cJSON *config = NULL;
    struct oc_error err;
    assert_int_equal(oc_json5_parse(config_text, strlen(config_text), &config, &err), OC_OK);
    struct gw_opts opts = { .state_dir = world.dir, .config = config, .port = 0 };
    if (gw_gateway_create(world.loop, &opts, &world.gw, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
}

static inline void stop_gateway(void) {
    gw_gateway_destroy(oc_take(&world.gw));
}

static inline void quiet(void *user, enum oc_log_level level, const char *line) {
    (void)user;
    (void)level;
    (void)line;
}

static inline int world_setup(void **state) {
    (void)state;
    world = (struct world){ 0 };
    oc_log_set_sink(quiet, NULL);
    oc_fake_clock_init(&world.clock, oc_wall_ms(&oc_clock_system));
    struct oc_error err;
    if (oc_loop_create(&world.clock.clock, &world.loop, &err) != OC_OK) {
        return -1;
    }
    const char *base = getenv("TMPDIR");
    world.dir = oc_strfmt("%s/oc-gateway-XXXXXX", base && *base ? base : "/tmp");
    return mkdtemp(world.dir) ? 0 : -1;
}

static inline int world_setup_started(void **state) {
    if (world_setup(state) != 0) {
        return -1;
    }
    start_gateway("{gateway:{auth:{token:'" TOKEN "'}}}");
    return 0;
}

static inline int world_teardown(void **state) {
    (void)state;
    stop_gateway();
    for (size_t i = 0; i < world.client_count; i++) {
        struct client *c = world.clients[i];
        oc_ws_destroy(c->ws);
        cJSON_Delete(c->inbox);
        oc_free(c->raw);
        oc_free(c);
    }
    for (size_t i = 0; i < world.identity_count; i++) {
        oc_identity_destroy(world.identities[i]);
    }
    oc_loop_destroy(world.loop);
    nftw(world.dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    oc_free(world.dir);
    return 0;
}

static inline struct oc_identity *new_identity(void) {
    struct oc_identity *id = NULL;
    struct oc_error err;
    assert_int_equal(oc_identity_generate(&id, &err), OC_OK);
    assert_true(world.identity_count < MAX_CLIENTS);
    world.identities[world.identity_count++] = id;
    return id;
}

static inline void client_message(void *user, struct oc_blob *text) {
    struct client *c = user;
    struct oc_error err;
    cJSON *frame = NULL;
    if (oc_json_parse(text->data, text->len, &frame, &err) != OC_OK) {
        fail_msg("the gateway sent what is not JSON: %s", err.text);
    }
    cJSON_AddItemToArray(c->inbox, frame);
    oc_free(c->raw);
    c->raw = oc_strndup(text->data, text->len);
    c->raw_len = text->len;
}

static inline void client_closed(void *user, uint16_t code, const char *reason) {
    struct client *c = user;
    c->is_closed = true;
    c->code = code;
    snprintf(c->reason, sizeof(c->reason), "%s", reason ? reason : "");
}

static inline int dial_gateway(void) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(gw_port(world.gw)) };
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int rc = connect(fd, (const struct sockaddr *)&to, sizeof(to));
    assert_true(rc == 0 || errno == EINPROGRESS);
    return fd;
}

/* What the gateway answers to a whole HTTP request, up to and including the end of the head; ret is
 * NUL-terminated. */
static inline size_t http_exchange(int fd, const char *request, char *ret, size_t size) {
    size_t sent = 0, len = strlen(request), got = 0;
    ret[0] = '\0';
    int64_t give_up_ms = oc_mono_ms(&oc_clock_system) + WATCHDOG_MS;
    while (!strstr(ret, "\r\n\r\n")) {
        assert_true(oc_mono_ms(&oc_clock_system) < give_up_ms);
        oc_loop_step(world.loop, 1);
        if (sent < len) {
            ssize_t n = send(fd, request + sent, len - sent, MSG_NOSIGNAL);
            sent += n > 0 ? (size_t)n : 0;
        }
        ssize_t n = recv(fd, ret + got, size - 1 - got, 0);
        if (n == 0) {
            break;
        }
        got += n > 0 ? (size_t)n : 0;
        ret[got] = '\0';
    }
    return got;
}

/* A WebSocket to the gateway. headers: "Name: value\r\n…"; without a Host among them the right one
 * is sent. */
static inline struct client *open_client(const char *headers) {
    int fd = dial_gateway();
    OC_AUTO_FREE char *request =
            oc_strfmt("GET / HTTP/1.1\r\n%s%sUpgrade: websocket\r\nConnection: Upgrade\r\n"
                      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
                      "dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                    headers && strstr(headers, "Host:") ? "" : "Host: 127.0.0.1:18789\r\n",
                    headers ? headers : "");
    char head[4096];
    size_t got = http_exchange(fd, request, head, sizeof(head));
    assert_true(strncmp(head, "HTTP/1.1 101 ", 13) == 0);
    const char *end = strstr(head, "\r\n\r\n") + 4;
    struct client *c = oc_new(struct client);
    c->inbox = cJSON_CreateArray();
    static const struct oc_ws_events events = { .on_message = client_message,
        .on_closed = client_closed };
    struct oc_ws_opts opts = { .is_client = true,
        .max_message_bytes = OC_MAX_MESSAGE_BYTES,
        .max_queued_bytes = OC_MAX_QUEUED_BYTES };
    struct oc_slice early = { end, got - (size_t)(end - head) };
    c->ws = oc_ws_create(world.loop, oc_stream_plain(fd), &opts, &events, c, early);
    assert_true(world.client_count < MAX_CLIENTS);
    world.clients[world.client_count++] = c;
    return c;
}

static inline void send_text(struct client *c, const char *text) {
    assert_int_equal(oc_ws_send_text(c->ws, text, strlen(text)), OC_OK);
}

/* The first waiting frame of this type whose key has this value, taken out of the inbox; NULL when
 * there is none. */
static inline cJSON *take_frame(
        struct client *c, const char *type, const char *key, const char *value) {
    cJSON *f;
    cJSON_ArrayForEach(f, c->inbox) {
        if (oc_streq(oc_json_get_str(f, "type"), type) &&
                oc_streq(oc_json_get_str(f, key), value)) {
            return cJSON_DetachItemViaPointer(c->inbox, f);
        }
    }
    return NULL;
}

static inline cJSON *wait_event(struct client *c, const char *event) {
    cJSON *f = NULL;
    UNTIL((f = take_frame(c, "event", "event", event)) != NULL);
    return f;
}

static inline cJSON *wait_res(struct client *c, const char *id) {
    cJSON *f = NULL;
    UNTIL((f = take_frame(c, "res", "id", id)) != NULL || c->is_closed);
    if (!f) {
        fail_msg("closed %u '%s' instead of an answer to %s", c->code, c->reason, id);
    }
    return f;
}

static inline void wait_closed(struct client *c, uint16_t code, const char *reason) {
    UNTIL(c->is_closed);
    assert_string_equal(c->reason, reason);
    assert_int_equal(c->code, code);
}

/* Sends without waiting; returns the id (valid until the next call). */
static inline const char *ask(struct client *c, const char *method, const char *params) {
    static char id[32];
    snprintf(id, sizeof(id), "r%u", ++c->next_id);
    OC_AUTO_FREE char *text = oc_strfmt("{\"type\":\"req\",\"id\":\"%s\",\"method\":\"%s\"%s%s}",
            id, method, params ? ",\"params\":" : "", params ? params : "");
    send_text(c, text);
    return id;
}

/* Sends and waits; the response frame is the caller's. */
static inline cJSON *call(struct client *c, const char *method, const char *params) {
    char id[32];
    snprintf(id, sizeof(id), "%s", ask(c, method, params));
    return wait_res(c, id);
}

static inline cJSON *call_ok(struct client *c, const char *method, const char *params) {
    OC_AUTO_JSON cJSON *res = call(c, method, params);
    if (!oc_json_get_bool(res, "ok", false)) {
        OC_AUTO_FREE char *text = oc_json_print(res, false);
        fail_msg("%s: %s", method, text);
    }
    return cJSON_DetachItemFromObjectCaseSensitive(res, "payload");
}

static inline void call_fails(struct client *c, const char *method, const char *params,
        const char *code, const char *message) {
    OC_AUTO_JSON cJSON *res = call(c, method, params);
    const cJSON *error = oc_json_get(res, "error");
    if (!oc_streq(oc_json_get_str(error, "code"), code) ||
            !oc_streq(oc_json_get_str(error, "message"), message)) {
        OC_AUTO_FREE char *text = oc_json_print(res, false);
        fail_msg("%s %s: %s", method, params, text);
    }
}

/* Who connects and how. NULL and 0: the default of a command line client with the right token and a
 * device. */
struct who {
    struct oc_identity *id; /* NULL: no device */
    const char *role, *scopes, *client_id, *mode, *platform, *name;
    const char *commands; /* space separated */
    const char *token, *device_token, *password;
    bool no_token;
    int min, max;          /* protocol; 0: 3..4 */
    int signature_version; /* 0: 3 */
    int64_t skew_ms;
    const char *nonce;             /* NULL: the one of the challenge */
    void (*mutate)(cJSON *params); /* after signing */
    const char *headers;
};

static inline cJSON *list_of(const char *words) {
    cJSON *a = cJSON_CreateArray();
    while (words && *words) {
        size_t n = strcspn(words, " ");
        OC_AUTO_FREE char *w = oc_strndup(words, n);
        cJSON_AddItemToArray(a, cJSON_CreateString(w));
        words += n + (words[n] == ' ');
    }
    return a;
}

static inline void add_device(
        cJSON *params, const struct who *w, const char *token, const char *nonce, int64_t at) {
    const cJSON *client = oc_json_get(params, "client");
    struct oc_strv scopes = { 0 };
    oc_json_get_strv(params, "scopes", &scopes);
    struct oc_device_claim claim = { .device_id = oc_identity_device_id(w->id),
        .client_id = oc_json_get_str(client, "id"),
        .client_mode = oc_json_get_str(client, "mode"),
        .role = oc_json_get_str(params, "role"),
        .scopes = (const char *const *)scopes.items,
        .scope_count = scopes.count,
        .signed_at_ms = at,
        .token = token,
        .nonce = nonce,
        .platform = oc_json_get_str(client, "platform") };
    OC_AUTO_FREE char *text =
            oc_device_claim_text(&claim, w->signature_version ? w->signature_version : 3);
    OC_AUTO_FREE char *signature = oc_identity_sign(w->id, text);
    cJSON *device = cJSON_AddObjectToObject(params, "device");
    oc_json_set_str(device, "id", claim.device_id);
    oc_json_set_str(device, "publicKey", oc_identity_public_key(w->id));
    oc_json_set_str(device, "signature", signature);
    oc_json_set_int(device, "signedAt", at);
    oc_json_set_str(device, "nonce", nonce);
    oc_strv_finish(&scopes);
}

/* The connect params for this challenge. */
static inline cJSON *connect_params(const struct who *w, const char *nonce, int64_t ts) {
    bool is_node = oc_streq(w->role, "node");
    cJSON *p = cJSON_CreateObject();
    oc_json_set_int(p, "minProtocol", w->min ? w->min : 3);
    oc_json_set_int(p, "maxProtocol", w->max ? w->max : 4);
    cJSON *client = cJSON_AddObjectToObject(p, "client");
    oc_json_set_str(client, "id", w->client_id ? w->client_id : is_node ? "node-host" : "cli");
    oc_json_set_str(client, "mode", w->mode ? w->mode : is_node ? "node" : "cli");
    oc_json_set_str(client, "displayName", w->name);
    oc_json_set_str(client, "version", "1.0");
    oc_json_set_str(client, "platform", w->platform ? w->platform : "linux");
    oc_json_set_str(p, "role", w->role ? w->role : "operator");
    oc_json_set(p, "scopes", list_of(w->scopes ? w->scopes : is_node ? "" : ALL_SCOPES));
    oc_json_set(p, "caps", list_of(is_node ? "system" : ""));
    if (is_node) {
        oc_json_set(p, "commands", list_of(w->commands));
    }
    cJSON *auth = cJSON_CreateObject();
    const char *token = w->token ? w->token : w->no_token ? NULL : TOKEN;
    oc_json_set_str(auth, "token", token);
    oc_json_set_str(auth, "deviceToken", w->device_token);
    oc_json_set_str(auth, "password", w->password);
    oc_json_set(p, "auth", auth);
    if (w->id) {
        add_device(p, w, token ? token : w->device_token, w->nonce ? w->nonce : nonce,
                ts + w->skew_ms);
    }
    if (w->mutate) {
        w->mutate(p);
    }
    return p;
}

/* Opens and sends connect. The answer is in the inbox under the id "connect". */
static inline struct client *start_connect(const struct who *w) {
    struct client *c = open_client(w->headers);
    OC_AUTO_JSON cJSON *challenge = wait_event(c, "connect.challenge");
    const cJSON *payload = oc_json_get(challenge, "payload");
    OC_AUTO_JSON cJSON *frame = cJSON_CreateObject();
    oc_json_set_str(frame, "type", "req");
    oc_json_set_str(frame, "id", "connect");
    oc_json_set_str(frame, "method", "connect");
    oc_json_set(frame, "params",
            connect_params(w, oc_json_get_str(payload, "nonce"), any_int(payload, "ts", 0)));
    OC_AUTO_FREE char *text = oc_json_print(frame, false);
    send_text(c, text);
    return c;
}

/* Connects; the hello payload is the caller's when ret_hello is given. */
static inline struct client *join(const struct who *w, cJSON **ret_hello) {
    struct client *c = start_connect(w);
    OC_AUTO_JSON cJSON *res = wait_res(c, "connect");
    if (!oc_json_get_bool(res, "ok", false)) {
        OC_AUTO_FREE char *text = oc_json_print(res, false);
        fail_msg("refused: %s", text);
    }
    if (ret_hello) {
        *ret_hello = cJSON_DetachItemFromObjectCaseSensitive(res, "payload");
    }
    return c;
}

/* Expects to be refused; the error object is the caller's. */
static inline cJSON *join_refused(const struct who *w, struct client **ret_client) {
    struct client *c = start_connect(w);
    OC_AUTO_JSON cJSON *res = wait_res(c, "connect");
    assert_false(oc_json_get_bool(res, "ok", true));
    UNTIL(c->is_closed);
    if (ret_client) {
        *ret_client = c;
    }
    return cJSON_DetachItemFromObjectCaseSensitive(res, "error");
}

#endif
