/* Credentials, waiting, coming back, giving up: a node against a gateway that does what each test
 * tells it. */
#include "lib/state/device_auth.h"
#include "node/run/run.h"
#include "scripted_gateway.h"
#include "tests/any_int.h"

#include <poll.h>

/* Of the scripted gateway. Caller frees. */
static char *kept_token(const struct fixture *f, const char *device_id) {
    OC_AUTO_FREE char *gateway = oc_strfmt("ws://127.0.0.1:%u", f->port);
    struct oc_device_auth key = {
        .state_dir = f->home, .device_id = device_id, .role = "node", .gateway = gateway
    };
    return oc_device_auth_load(&key);
}

static void introduces_itself(void **state) {
    struct fixture *f = *state;
    start_connected(f);
    const cJSON *client = oc_json_get(f->connect, "client");
    static const char *const known[] = { "minProtocol", "maxProtocol", "client", "caps", "commands",
        "pathEnv", "role", "scopes", "device", "auth", "permissions" };
    const cJSON *member;
    cJSON_ArrayForEach(member, f->connect) { /* 2026.2.26 refuses what it does not know */
        bool is_known = false;
        for (size_t i = 0; i < OC_COUNT(known); i++) {
            is_known = is_known || strcmp(known[i], member->string) == 0;
        }
        if (!is_known) {
            fail_msg("%s is sent", member->string);
        }
    }
    assert_string_equal(oc_json_get_str(client, "id"), "node-host");
    assert_string_equal(oc_json_get_str(client, "mode"), "node");
    assert_string_equal(oc_json_get_str(client, "platform"), "linux");
    assert_string_equal(oc_json_get_str(client, "displayName"), "box");
    assert_string_equal(oc_json_get_str(client, "version"), OC_VERSION);
    assert_int_equal(strlen(oc_json_get_str(client, "instanceId")), 36);
    assert_null(oc_json_get(client, "deviceFamily"));
    assert_string_equal(oc_json_get_str(f->connect, "role"), "node");
    assert_int_equal(cJSON_GetArraySize(oc_json_get(f->connect, "scopes")), 0);
    assert_int_equal(any_int(f->connect, "minProtocol", 0), 3);
    assert_int_equal(any_int(f->connect, "maxProtocol", 0), 4);
    assert_true(cJSON_GetArraySize(oc_json_get(f->connect, "commands")) >= 5);
    OC_AUTO_STRV struct oc_strv caps = { 0 };
    oc_json_get_strv(f->connect, "caps", &caps);
    assert_true(oc_strv_has(&caps, "system"));
    assert_string_equal(oc_json_get_str(f->connect, "pathEnv"), getenv("PATH"));
    assert_string_equal(
            oc_json_get_str(oc_json_get(f->connect, "device"), "id"), nd_device_id(f->node));
    assert_string_equal(auth(f, "token"), "shared");
    assert_null(auth(f, "deviceToken"));
}

static void the_device_token_replaces_the_shared_one(void **state) {
    struct fixture *f = *state;
    f->hello = ",\"auth\":{\"deviceToken\":\"dt-1\",\"role\":\"node\",\"scopes\":[]}";
    start_connected(f);
    OC_AUTO_SECRET char *kept = kept_token(f, nd_device_id(f->node));
    assert_string_equal(kept, "dt-1");
    restart_with(f, NULL);
    UNTIL(f, f->state == ND_CONNECTED);
    assert_string_equal(auth(f, "token"), "dt-1");
    assert_string_equal(auth(f, "deviceToken"), "dt-1");
    restart_with(f, "shared"); /* an explicit token wins and is sent alone */
    UNTIL(f, f->state == ND_CONNECTED);
    assert_string_equal(auth(f, "token"), "shared");
    assert_null(auth(f, "deviceToken"));
}

static void a_stale_device_token_is_dropped(void **state) {
    struct fixture *f = *state;
    f->hello = ",\"auth\":{\"deviceToken\":\"dt-1\",\"role\":\"node\",\"scopes\":[]}";
    start_connected(f);
    OC_AUTO_FREE char *id = oc_strdup(nd_device_id(f->node));
    /* Rotated under a live connection: back with the shared token. */
    oc_ws_close(f->ws, 1008, "unauthorized: device token mismatch (rotate/reissue device token)");
    UNTIL(f, f->state == ND_RETRYING);
    assert_null(kept_token(f, id));
    wait_for_attempt(f);
    UNTIL(f, f->state == ND_CONNECTED);
    /* Refused, and there is nothing else to try. */
    restart_with(f, NULL);
    UNTIL(f, f->state == ND_CONNECTED);
    nd_close(oc_take(&f->node));
    f->refusal = "{\"code\":\"INVALID_REQUEST\",\"message\":\"unauthorized: device token mismatch "
                 "(rotate/reissue device "
                 "token)\",\"details\":{\"code\":\"AUTH_DEVICE_TOKEN_MISMATCH\"}}";
    settle(f);
    start_with(f, NULL, NULL);
    UNTIL(f, f->state == ND_FAILED);
    assert_non_null(strstr(f->fix, "OPENCLAW_GATEWAY_TOKEN"));
    assert_null(kept_token(f, id));
}

static void a_wrong_token_ends_it(void **state) {
    struct fixture *f = *state;
    f->refusal = "{\"code\":\"INVALID_REQUEST\",\"message\":\"unauthorized: gateway token mismatch "
                 "(provide gateway auth "
                 "token)\",\"details\":{\"code\":\"AUTH_TOKEN_MISMATCH\",\"authReason\":\"token_"
                 "mismatch\"}}";
    start_with(f, "wrong", NULL);
    UNTIL(f, f->state == ND_FAILED);
    assert_non_null(strstr(f->reason, "token mismatch"));
    assert_non_null(strstr(f->fix, "OPENCLAW_GATEWAY_TOKEN"));
    assert_null(strstr(f->last_line, "wrong"));
    for (int i = 0; i < 10; i++) {
        oc_fake_clock_advance(&f->clock, 3600000);
        settle(f);
    }
    assert_int_equal(f->connects, 1);
    nd_node_stop(f->node, on_stopped, f);
    UNTIL(f, f->stops == 1);
}

static void a_password_is_sent(void **state) {
    struct fixture *f = *state;
    start_with(f, NULL, "pw");
    UNTIL(f, f->state == ND_CONNECTED);
    assert_string_equal(auth(f, "password"), "pw");
    assert_null(auth(f, "token"));
}

static void secrets_come_from_the_environment(void **state) {
    struct fixture *f = *state;
    assert_int_equal(setenv("OPENCLAW_GATEWAY_TOKEN", "from-env", 1), 0);
    start_with(f, NULL, NULL);
    UNTIL(f, f->state == ND_CONNECTED);
    assert_string_equal(auth(f, "token"), "from-env");
    unsetenv("OPENCLAW_GATEWAY_TOKEN");
}

static void waits_for_the_device_approval(void **state) {
    struct fixture *f = *state;
    f->refusal = PAIRING;
    f->close_reason = "pairing required";
    start_with(f, "shared", NULL);
    UNTIL(f, f->state == ND_WAITING_DEVICE);
    assert_string_equal(f->request_id, "req-1");
    int lines = f->lines;
    for (int i = 0; i < 20; i++) {
        assert_in_range(
                wait_for_attempt(f), 500, 5000); /* an approval never waits longer than this */
        UNTIL(f, f->state == ND_WAITING_DEVICE);
    }
    assert_int_equal(f->lines, lines); /* said once */
    f->refusal = NULL;
    wait_for_attempt(f);
    UNTIL(f, f->state == ND_CONNECTED);
    /* The waiting does not count against it: the first loss is followed by a quick return. */
    oc_ws_abort(f->ws);
    UNTIL(f, f->state == ND_RETRYING);
    assert_in_range(f->retry_ms, 800, 1200);
}

static void says_when_its_commands_wait(void **state) {
    struct fixture *f = *state;
    start_with(f, "shared", NULL);
    UNTIL(f, f->state == ND_CONNECTED);
    OC_AUTO_FREE char *waits = oc_strfmt(
            "{\"type\":\"event\",\"event\":\"node.pair.requested\",\"payload\":{\"requestId\":"
            "\"sur-1\",\"nodeId\":\"%s\",\"approvalState\":\"pending-approval\"}}",
            nd_device_id(f->node));
    send_text(f, waits);
    UNTIL(f, f->state == ND_WAITING_SURFACE);
    assert_string_equal(f->request_id, "sur-1");
    assert_non_null(strstr(f->last_line, "openclaw nodes approve sur-1"));
    send_text(f, "{\"type\":\"event\",\"event\":\"node.pair.resolved\",\"payload\":{\"requestId\":"
                 "\"x\",\"nodeId\":\"someone\","
                 "\"decision\":\"approved\"}}");
    settle(f);
    assert_int_equal(f->state, ND_WAITING_SURFACE);
    send_text(f, "{\"type\":\"event\",\"event\":\"node.pair.resolved\",\"payload\":{\"requestId\":"
                 "\"sur-1\","
                 "\"decision\":\"rejected\"}}");
    UNTIL(f, strstr(f->reason, "rejected"));
    OC_AUTO_FREE char *approved = oc_strfmt(
            "{\"type\":\"event\",\"event\":\"node.pair.resolved\",\"payload\":{\"requestId\":"
            "\"sur-1\",\"nodeId\":\"%s\",\"decision\":\"approved\"}}",
            nd_device_id(f->node));
    send_text(f, approved);
    UNTIL(f, f->state == ND_CONNECTED);
}

static void a_gateway_that_never_stops_telling_is_not_written_down(void **state) {
    struct fixture *f = *state;
    start_with(f, "shared", NULL);
    UNTIL(f, f->state == ND_CONNECTED);
    int before = f->lines;
    for (int i = 0; i < 2000; i++) {
        OC_AUTO_FREE char *waits = oc_strfmt(
                "{\"type\":\"event\",\"event\":\"node.pair.requested\",\"payload\":{\"requestId\":"
                "\"sur-%d\",\"nodeId\":\"%s\",\"approvalState\":\"pending-approval\"}}",
                i, nd_device_id(f->node));
        send_text(f, waits);
    }
    invoke(f, "after", "{}", "key"); /* behind all of them */
    UNTIL(f, result(f, "after") != NULL);
    assert_in_range(f->lines - before, 1, 20);
}

static void comes_back(void **state) {
    struct fixture *f = *state;
    start_connected(f);
    oc_fake_clock_advance(&f->clock, 10000);
    settle(f);
    /* Restart: nobody listens for a while. */
    oc_server_destroy(oc_take(&f->server));
    oc_ws_close(f->ws, 1012, "service restart");
    UNTIL(f, f->state == ND_RETRYING);
    assert_in_range(f->retry_ms, 800, 1200);
    assert_non_null(strstr(f->reason, "service restart"));
    int64_t longest = 0;
    for (int i = 0; i < 8; i++) {
        oc_fake_clock_advance(&f->clock, f->retry_ms);
        UNTIL(f, f->state == ND_CONNECTING);
        UNTIL(f, f->state == ND_RETRYING);
        assert_non_null(strstr(f->reason, "refused"));
        longest = f->retry_ms > longest ? f->retry_ms : longest;
    }
    assert_in_range(longest, 24000, 36000);
    assert_true(f->lines <= 4); /* connecting, connected, restart, refused: not one per attempt */
    listen_again(f);
    wait_for_attempt(f);
    UNTIL(f, f->state == ND_CONNECTED);
}

static void two_with_one_key_slow_down(void **state) {
    struct fixture *f = *state;
    start_connected(f);
    int64_t last = 0;
    for (int i = 0; i < 8; i++) {
        oc_ws_close(f->ws, 1008, "replaced by a newer connection");
        UNTIL(f, f->state == ND_RETRYING);
        last = f->retry_ms;
        wait_for_attempt(f);
        UNTIL(f, f->state == ND_CONNECTED);
    }
    assert_true(last > 20000);
}

static void a_starting_gateway_is_asked_again_soon(void **state) {
    struct fixture *f = *state;
    f->refusal = "{\"code\":\"UNAVAILABLE\",\"message\":\"gateway starting; retry "
                 "shortly\",\"retryable\":true,"
                 "\"retryAfterMs\":500,\"details\":{\"reason\":\"startup-sidecars\"}}";
    f->close_code = 1013;
    start_with(f, "shared", NULL);
    for (int i = 0; i < 20; i++) {
        UNTIL(f, f->state == ND_RETRYING);
        assert_int_equal(f->retry_ms, 500); /* and it does not grow */
        wait_for_attempt(f);
    }
    UNTIL(f, f->state == ND_RETRYING);
    f->refusal = NULL;
    wait_for_attempt(f);
    UNTIL(f, f->state == ND_CONNECTED);
}

static void silence_is_noticed(void **state) {
    struct fixture *f = *state;
    f->hello = ",\"policy\":{\"tickIntervalMs\":30000}";
    start_connected(f);
    for (int i = 0; i < 4; i++) { /* alive: any event will do */
        oc_fake_clock_advance(&f->clock, 29000);
        send_text(f, "{\"type\":\"event\",\"event\":\"tick\",\"payload\":{\"ts\":1},\"seq\":1}");
        settle(f);
        assert_int_equal(f->state, ND_CONNECTED);
    }
    for (int i = 0; i < 4 && f->state == ND_CONNECTED; i++) {
        oc_fake_clock_advance(&f->clock, 30000);
        settle(f);
    }
    UNTIL(f, f->state == ND_RETRYING);
    UNTIL(f, f->node_code == 4000);
    wait_for_attempt(f);
    UNTIL(f, f->state == ND_CONNECTED);
}

static void invokes_before_hello(void **state) {
    struct fixture *f = *state;
    f->before_hello =
            "{\"type\":\"event\",\"event\":\"node.invoke.request\",\"payload\":{\"id\":\"early\","
            "\"nodeId\":\"n\","
            "\"command\":\"system.which\",\"paramsJSON\":\"{\\\"bins\\\":[\\\"sh\\\"]}\"}}";
    start_connected(f);
    UNTIL(f, result(f, "early"));
    assert_true(oc_json_get_bool(result(f, "early"), "ok", false));
}

/* A command that leaves a trace in the file system. */
static char *leaves(const struct fixture *f, const char *name) {
    OC_AUTO_FREE char *path = oc_path_join(f->dir, name);
    return oc_strfmt(
            "{\"type\":\"event\",\"event\":\"node.invoke.request\",\"payload\":{\"id\":\"%s\","
            "\"nodeId\":\"n\",\"command\":\"system.run\",\"paramsJSON\":"
            "\"{\\\"command\\\":[\\\"touch\\\",\\\"%s\\\"]}\"}}",
            name, path);
}

static bool has_left(const struct fixture *f, const char *name) {
    OC_AUTO_FREE char *path = oc_path_join(f->dir, name);
    return oc_file_exists(path);
}

static void commands_outside_of_an_open_session_are_not_run(void **state) {
    struct fixture *f = *state;
    OC_AUTO_FREE char *approvals = oc_path_join(f->home, "exec-approvals.json");
    oc_write_text(
            approvals, "{\"version\":1,\"defaults\":{\"security\":\"full\",\"ask\":\"off\"}}");
    OC_AUTO_FREE char *first = leaves(f, "before-challenge"), *second = leaves(f, "before-hello"),
                      *third = leaves(f, "after-refusal"), *last = leaves(f, "in-session");
    f->before_challenge = first;
    f->before_hello = second;
    f->after_refusal = third;
    f->refusal = PAIRING;
    start_with(f, "shared", NULL);
    UNTIL(f, f->state == ND_WAITING_DEVICE);
    /* The same node obeys once it is let in, and then all that was to run has run. */
    f->refusal = NULL;
    f->before_hello = NULL;
    wait_for_attempt(f);
    UNTIL(f, f->state == ND_CONNECTED);
    send_text(f, last);
    UNTIL(f, result(f, "in-session"));
    assert_true(has_left(f, "in-session"));
    assert_false(has_left(f, "before-challenge"));
    assert_false(has_left(f, "before-hello"));
    assert_false(has_left(f, "after-refusal"));
}

static void a_command_survives_the_connection(void **state) {
    struct fixture *f = *state;
    start_connected(f);
    OC_AUTO_FREE char *fifo = oc_path_join(f->dir, "fifo");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    OC_AUTO_FREE char *params = oc_strfmt("{\"command\":[\"cat\",\"%s\"]}", fifo);
    invoke(f, "first", params, "key");
    int fd = -1;
    UNTIL(f, (fd = open(fifo, O_WRONLY | O_NONBLOCK | O_CLOEXEC)) >= 0); /* it runs */
    oc_ws_abort(f->ws);
    UNTIL(f, f->state == ND_RETRYING);
    wait_for_attempt(f);
    UNTIL(f, f->state == ND_CONNECTED);
    invoke(f, "second", params, "key");
    settle(f);
    assert_int_equal(write(fd, "once", 4), 4);
    close(fd);
    UNTIL(f, result(f, "second"));
    assert_non_null(
            strstr(oc_json_get_str(result(f, "second"), "payloadJSON"), "\"stdout\":\"once\""));
    assert_null(result(f, "first"));
}

static bool nobody_reads(int fd) {
    struct pollfd p = { .fd = fd };
    return poll(&p, 1, 0) == 1 && (p.revents & POLLERR);
}

/* Its time begins when the connection is cut, whether or not another is tried. */
static void a_command_that_nobody_waits_for_ends(void **state) {
    struct fixture *f = *state;
    start_connected(f);
    OC_AUTO_FREE char *fifo = oc_path_join(f->dir, "fifo");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    OC_AUTO_FREE char *params = oc_strfmt("{\"command\":[\"cat\",\"%s\"]}", fifo);
    invoke(f, "1", params, "key");
    int fd = -1;
    UNTIL(f, (fd = open(fifo, O_WRONLY | O_NONBLOCK | O_CLOEXEC)) >= 0);
    oc_server_destroy(oc_take(&f->server)); /* no other connection comes about */
    oc_ws_abort(f->ws);
    UNTIL(f, f->state == ND_RETRYING);
    oc_fake_clock_advance(&f->clock, ND_RUN_ORPHAN_MS);
    UNTIL(f, nobody_reads(fd));
    close(fd);
}

static void stopping_kills_and_says_good_bye(void **state) {
    struct fixture *f = *state;
    start_connected(f);
    OC_AUTO_FREE char *fifo = oc_path_join(f->dir, "fifo");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    OC_AUTO_FREE char *params = oc_strfmt("{\"command\":[\"cat\",\"%s\"]}", fifo);
    invoke(f, "1", params, NULL);
    int fd = -1;
    UNTIL(f, (fd = open(fifo, O_WRONLY | O_NONBLOCK | O_CLOEXEC)) >= 0);
    nd_node_stop(f->node, on_stopped, f);
    nd_node_stop(f->node, on_stopped, f);
    UNTIL(f, f->stops == 1);
    UNTIL(f, f->node_code == 1000);
    assert_int_equal(f->state, ND_STOPPED);
    assert_string_equal(oc_json_get_str(oc_json_get(result(f, "1"), "error"), "code"), "CANCELLED");
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(write(fd, "x", 1), -1); /* nobody reads any more */
    close(fd);
    assert_int_equal(f->stops, 1);
}

static void stopping_while_waiting(void **state) {
    struct fixture *f = *state;
    f->refusal = PAIRING;
    start_with(f, "shared", NULL);
    UNTIL(f, f->state == ND_WAITING_DEVICE);
    nd_node_stop(f->node, on_stopped, f);
    UNTIL(f, f->stops == 1);
    oc_fake_clock_advance(&f->clock, 60000);
    settle(f);
    assert_int_equal(f->connects, 1);
}

static void refuses_to_send_secrets_in_the_clear(void **state) {
    struct fixture *f = *state;
    struct nd_opts opts = {
        .host = "gateway.example.com", .state_dir = f->home, .home_dir = f->dir, .token = "t"
    };
    struct nd_node *node = NULL;
    struct oc_error err;
    assert_int_equal(nd_node_create(f->loop, &opts, &node, &err), OC_E_DENIED);
    assert_non_null(strstr(err.text, "--tls"));
    assert_null(node);
    opts.tls = true;
    assert_int_equal(nd_node_create(f->loop, &opts, &node, &err), OC_OK);
    assert_string_equal(nd_gateway_url(node), "wss://gateway.example.com:18789");
    nd_close(node);
}

static void damaged_identity_is_refused(void **state) {
    struct fixture *f = *state;
    OC_AUTO_FREE char *dir = oc_path_join(f->home, "identity"),
                      *path = oc_path_join(dir, "device.json");
    assert_int_equal(mkdir(dir, 0700), 0);
    oc_write_text(path, "{");
    struct nd_opts opts = { .state_dir = f->home, .home_dir = f->dir, .token = "t" };
    struct nd_node *node = NULL;
    struct oc_error err;
    assert_int_not_equal(nd_node_create(f->loop, &opts, &node, &err), OC_OK);
    assert_non_null(strstr(err.text, "device.json"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(introduces_itself),
        TEST(the_device_token_replaces_the_shared_one),
        TEST(a_stale_device_token_is_dropped),
        TEST(a_wrong_token_ends_it),
        TEST(a_password_is_sent),
        TEST(secrets_come_from_the_environment),
        TEST(waits_for_the_device_approval),
        TEST(says_when_its_commands_wait),
        TEST(a_gateway_that_never_stops_telling_is_not_written_down),
        TEST(comes_back),
        TEST(two_with_one_key_slow_down),
        TEST(a_starting_gateway_is_asked_again_soon),
        TEST(silence_is_noticed),
        TEST(invokes_before_hello),
        TEST(commands_outside_of_an_open_session_are_not_run),
        TEST(a_command_survives_the_connection),
        TEST(a_command_that_nobody_waits_for_ends),
        TEST(stopping_kills_and_says_good_bye),
        TEST(stopping_while_waiting),
        TEST(refuses_to_send_secrets_in_the_clear),
        TEST(damaged_identity_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
