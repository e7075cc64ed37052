/* A real node under a real gateway, in one process: pairing, approval, restarts, and commands all
 * the way through. */
#include "gateway_harness.h"

#include "lib/files/file.h"
#include "node/node.h"
#include "tests/any_int.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define CONFIG "{gateway:{auth:{token:'" TOKEN "'}}}"

static struct {
    struct nd_node *node;
    char *home, *state;
    enum nd_state state_now;
    char request_id[64], reason[400];
    int stops;
} box;

static void on_status(void *user, const struct nd_status *s) {
    (void)user;
    box.state_now = s->state;
    snprintf(box.request_id, sizeof(box.request_id), "%s", s->request_id ? s->request_id : "");
    snprintf(box.reason, sizeof(box.reason), "%s", s->reason ? s->reason : "");
}

static void on_stopped(void *user) {
    (void)user;
    box.stops++;
}

static void write_file(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* security of the node's own gate */
static void allow(const char *security) {
    OC_AUTO_FREE char *path = oc_path_join(box.state, "exec-approvals.json");
    OC_AUTO_FREE char *text = oc_strfmt(
            "{\"version\":1,\"defaults\":{\"security\":\"%s\",\"ask\":\"off\"}}", security);
    write_file(path, text);
}

static int setup(void **state) {
    int rc = world_setup_started(state);
    memset(&box, 0, sizeof(box));
    unsetenv("OPENCLAW_GATEWAY_TOKEN");
    /* 0.0.0.0 reaches this machine too, but is not called loopback: such a node has to be approved.
     */
    setenv("OPENCLAW_ALLOW_INSECURE_PRIVATE_WS", "1", 1);
    box.home = oc_path_join(world.dir, "box");
    box.state = oc_path_join(box.home, ".openclaw");
    return rc != 0 || mkdir(box.home, 0700) != 0 || mkdir(box.state, 0700) != 0 ? -1 : 0;
}

static int teardown(void **state) {
    nd_close(box.node);
    oc_free(box.home);
    oc_free(box.state);
    return world_teardown(state);
}

static void start_node(const char *host, const char *token) {
    struct oc_error err = { 0 };
    struct nd_opts opts = { .host = host,
        .port = gw_port(world.gw),
        .display_name = "box",
        .state_dir = box.state,
        .home_dir = box.home,
        .token = token,
        .on_status = on_status };
    if (nd_node_create(world.loop, &opts, &box.node, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    nd_node_start(box.node);
}

static bool is_up(void) {
    return box.state_now == ND_CONNECTED || box.state_now == ND_WAITING_SURFACE;
}

static struct client *operator_(void) {
    return join(&(struct who){ .id = new_identity() }, NULL);
}

static cJSON *node_entry(struct client *op) {
    OC_AUTO_JSON cJSON *list = call_ok(op, "node.list", "{}");
    const cJSON *node;
    cJSON_ArrayForEach(node, oc_json_get(list, "nodes")) {
        if (oc_streq(oc_json_get_str(node, "nodeId"), nd_device_id(box.node))) {
            return cJSON_Duplicate(node, true);
        }
    }
    return NULL;
}

static bool is_usable(struct client *op) {
    OC_AUTO_JSON cJSON *node = node_entry(op);
    OC_AUTO_STRV struct oc_strv commands = { 0 };
    oc_json_get_strv(node, "commands", &commands);
    return oc_json_get_bool(node, "connected", false) && oc_strv_has(&commands, "system.run");
}

static void approve_surface(struct client *op) {
    OC_AUTO_JSON cJSON *node = node_entry(op);
    const char *id = oc_json_get_str(node, "pendingRequestId");
    if (id) {
        OC_AUTO_FREE char *params = oc_strfmt("{\"requestId\":\"%s\"}", id);
        cJSON_Delete(call_ok(op, "node.pair.approve", params));
    }
    UNTIL(is_usable(op));
}

/* A connected, approved node of this machine; gives an operator. */
static struct client *ready(void) {
    allow("full");
    start_node("127.0.0.1", TOKEN);
    UNTIL(is_up());
    struct client *op = operator_();
    approve_surface(op);
    return op;
}

static const char *ask_node(struct client *op, const char *command, const char *params,
        const char *key, int timeout_ms) {
    static int count;
    OC_AUTO_FREE char *own_key = key ? oc_strdup(key) : oc_strfmt("key-%d", ++count);
    OC_AUTO_FREE char *text = oc_strfmt(
            "{\"nodeId\":\"%s\",\"command\":\"%s\",\"params\":%s,\"idempotencyKey\":\"%s\","
            "\"timeoutMs\":%d}",
            nd_device_id(box.node), command, params, own_key, timeout_ms);
    return ask(op, "node.invoke", text);
}

/* The node's payload; fails the test on an error. */
static cJSON *invoke(struct client *op, const char *command, const char *params) {
    char id[32];
    snprintf(id, sizeof(id), "%s", ask_node(op, command, params, NULL, 30000));
    OC_AUTO_JSON cJSON *res = wait_res(op, id);
    if (!oc_json_get_bool(res, "ok", false)) {
        OC_AUTO_FREE char *text = oc_json_print(res, false);
        fail_msg("%s", text);
    }
    cJSON *payload = cJSON_GetObjectItemCaseSensitive(res, "payload");
    return cJSON_DetachItemFromObjectCaseSensitive(payload, "payload");
}

static void a_local_node_needs_one_approval(void **state) {
    (void)state;
    allow("full");
    start_node("127.0.0.1", TOKEN);
    UNTIL(is_up());
    assert_int_equal(box.state_now, ND_WAITING_SURFACE); /* and it knows what to approve */
    assert_true(strlen(box.request_id) > 0);
    struct client *op = operator_();
    assert_false(is_usable(op));
    approve_surface(op);
    UNTIL(box.state_now == ND_CONNECTED);
    OC_AUTO_JSON cJSON *done = invoke(
            op, "system.run", "{\"command\":[\"sh\",\"-c\",\"echo out; echo err >&2; exit 3\"]}");
    assert_int_equal(any_int(done, "exitCode", -1), 3);
    assert_string_equal(oc_json_get_str(done, "stdout"), "out\n");
    assert_string_equal(oc_json_get_str(done, "stderr"), "err\n");
}

static void a_remote_node_waits_until_it_is_approved(void **state) {
    (void)state;
    allow("full");
    start_node("0.0.0.0", TOKEN);
    UNTIL(box.state_now == ND_WAITING_DEVICE);
    assert_true(strlen(box.request_id) > 0);
    struct client *op = operator_();
    OC_AUTO_FREE char *params = oc_strfmt("{\"requestId\":\"%s\"}", box.request_id);
    cJSON_Delete(call_ok(op, "device.pair.approve", params));
    for (int i = 0; i < 60 && !is_up(); i++) {
        advance(100); /* it asks again by itself */
    }
    assert_true(is_up());
    approve_surface(op);
    cJSON_Delete(invoke(op, "system.which", "{\"bins\":[\"sh\"]}"));
}

static void both_gates_survive_a_restart_of_the_gateway(void **state) {
    (void)state;
    ready();
    uint16_t port = gw_port(world.gw);
    stop_gateway();
    UNTIL(box.state_now == ND_RETRYING);
    OC_AUTO_JSON cJSON *config = NULL;
    struct oc_error err;
    assert_int_equal(oc_json5_parse(CONFIG, strlen(CONFIG), &config, &err), OC_OK);
    struct gw_opts opts = { .state_dir = world.dir, .config = config, .port = port };
    assert_int_equal(gw_gateway_create(world.loop, &opts, &world.gw, &err), OC_OK);
    for (int i = 0; i < 60 && !is_up(); i++) {
        advance(100);
    }
    struct client *op = operator_();
    UNTIL(is_usable(op));
    assert_int_equal(box.state_now, ND_CONNECTED);
    cJSON_Delete(invoke(op, "system.run", "{\"command\":[\"true\"]}"));
}

static void its_own_token_is_enough(void **state) {
    (void)state;
    struct client *op = ready();
    nd_node_stop(box.node, on_stopped, NULL);
    UNTIL(box.stops == 1);
    nd_close(oc_take(&box.node));
    start_node(
            "0.0.0.0", TOKEN); /* another address is another gateway, as far as a node can know */
    UNTIL(is_up());
    nd_node_stop(box.node, on_stopped, NULL);
    UNTIL(box.stops == 2);
    nd_close(oc_take(&box.node));
    start_node("0.0.0.0", NULL); /* from elsewhere, and without the gateway's token */
    UNTIL(is_up());
    UNTIL(is_usable(op));
}

static void a_wrong_token_is_final(void **state) {
    (void)state;
    start_node("127.0.0.1", "wrong");
    UNTIL(box.state_now == ND_FAILED);
    assert_non_null(strstr(box.reason, "token mismatch"));
}

static void prepare_and_which(void **state) {
    (void)state;
    struct client *op = ready();
    OC_AUTO_JSON cJSON *plan = invoke(
            op, "system.run.prepare", "{\"command\":[\"echo\",\"a b\"],\"agentId\":\"main\"}");
    assert_string_equal(oc_json_get_str(plan, "cmdText"), "echo \"a b\"");
    OC_AUTO_JSON cJSON *found = invoke(op, "system.which", "{\"bins\":[\"sh\",\"no-such-bin\"]}");
    assert_int_equal(cJSON_GetArraySize(oc_json_get(found, "bins")), 1);
}

static void the_local_gate_is_named(void **state) {
    (void)state;
    struct client *op = ready();
    allow("deny");
    char id[32];
    snprintf(id, sizeof(id), "%s",
            ask_node(op, "system.run", "{\"command\":[\"true\"]}", NULL, 30000));
    OC_AUTO_JSON cJSON *res = wait_res(op, id);
    const cJSON *error = oc_json_get(res, "error");
    assert_false(oc_json_get_bool(res, "ok", true));
    assert_non_null(
            strstr(oc_json_get_str(error, "message"), "SYSTEM_RUN_DISABLED: security=deny"));
    assert_non_null(strstr(oc_json_get_str(error, "message"), "local exec approvals"));
    assert_string_equal(
            oc_json_get_str(oc_json_path(error, "details.nodeError"), "code"), "SYSTEM_RUN_DENIED");
}

static int pidfd_from(const char *name) {
    OC_AUTO_FREE char *path = oc_path_join(world.dir, name);
    OC_AUTO_BUF struct oc_buf text = { 0 };
    UNTIL(oc_file_read(path, 100, &text, NULL) == OC_OK && text.len > 0 &&
            text.data[text.len - 1] == '\n');
    int fd = (int)syscall(SYS_pidfd_open, (pid_t)strtol(text.data, NULL, 10), 0);
    assert_true(fd >= 0);
    return fd;
}

static bool has_ended(int pidfd, int wait_ms) {
    struct pollfd p = { .fd = pidfd, .events = POLLIN };
    return poll(&p, 1, wait_ms) == 1;
}

/* The deadline of the invoke, not of the command: nobody is left to take the answer, so nobody may
 * be left running. */
static void a_deadline_takes_the_whole_tree(void **state) {
    (void)state;
    struct client *op = ready();
    OC_AUTO_FREE char *params =
            oc_strfmt("{\"command\":[\"sh\",\"-c\",\"sleep 1000 & echo $! > a; setsid sleep 1000 & "
                      "echo $! > b; wait\"],\"cwd\":\"%s\"}",
                    world.dir);
    char id[32];
    snprintf(id, sizeof(id), "%s", ask_node(op, "system.run", params, NULL, 5000));
    int fds[] = { pidfd_from("a"), pidfd_from("b") };
    advance(5000);
    OC_AUTO_JSON cJSON *res = wait_res(op, id);
    assert_false(oc_json_get_bool(res, "ok", true));
    for (size_t i = 0; i < OC_COUNT(fds); i++) {
        assert_true(has_ended(fds[i], 30000));
        close(fds[i]);
    }
}

static void a_command_has_its_own_limit(void **state) {
    (void)state;
    struct client *op = ready();
    OC_AUTO_FREE char *params = oc_strfmt(
            "{\"command\":[\"sh\",\"-c\",\"echo $$ > a; exec sleep 1000\"],\"timeoutMs\":1000,"
            "\"cwd\":\"%s\"}",
            world.dir);
    char id[32];
    snprintf(id, sizeof(id), "%s", ask_node(op, "system.run", params, NULL, 30000));
    int fd = pidfd_from("a");
    advance(1000);
    OC_AUTO_JSON cJSON *res = wait_res(op, id);
    assert_true(oc_json_get_bool(res, "ok", false));
    assert_true(oc_json_get_bool(oc_json_path(res, "payload.payload"), "timedOut", false));
    assert_true(has_ended(fd, 30000));
    close(fd);
}

static void one_key_runs_once(void **state) {
    (void)state;
    struct client *op = ready();
    OC_AUTO_FREE char *params = oc_strfmt(
            "{\"command\":[\"sh\",\"-c\",\"echo ran >> count; cat count\"],\"cwd\":\"%s\"}",
            world.dir);
    for (int i = 0; i < 3; i++) {
        char id[32];
        snprintf(id, sizeof(id), "%s", ask_node(op, "system.run", params, "the-key", 30000));
        OC_AUTO_JSON cJSON *res = wait_res(op, id);
        assert_string_equal(
                oc_json_get_str(oc_json_path(res, "payload.payload"), "stdout"), "ran\n");
    }
}

static void output_of_any_kind_arrives(void **state) {
    (void)state;
    struct client *op = ready();
    OC_AUTO_JSON cJSON *odd = invoke(
            op, "system.run", "{\"command\":[\"printf\",\"\\\\377\\\"\\\\\\\\\\\\303\\\\251\"]}");
    assert_string_equal(oc_json_get_str(odd, "stdout"), "\xef\xbf\xbd\"\\\xc3\xa9");
    OC_AUTO_JSON cJSON *much = invoke(op, "system.run",
            "{\"command\":[\"sh\",\"-c\",\"head -c 300000 /dev/zero | tr '\\\\0' x\"]}");
    assert_int_equal(strlen(oc_json_get_str(much, "stdout")), 200000 + strlen("\n... (truncated)"));
}

static void stopping_tells_the_caller(void **state) {
    (void)state;
    struct client *op = ready();
    OC_AUTO_FREE char *params = oc_strfmt(
            "{\"command\":[\"sh\",\"-c\",\"echo $$ > a; exec sleep 1000\"],\"cwd\":\"%s\"}",
            world.dir);
    char id[32];
    snprintf(id, sizeof(id), "%s", ask_node(op, "system.run", params, NULL, 30000));
    int fd = pidfd_from("a");
    nd_node_stop(box.node, on_stopped, NULL);
    OC_AUTO_JSON cJSON *res = wait_res(op, id);
    assert_false(oc_json_get_bool(res, "ok", true));
    UNTIL(box.stops == 1);
    assert_true(has_ended(fd, 30000));
    close(fd);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_local_node_needs_one_approval),
        TEST(a_remote_node_waits_until_it_is_approved),
        TEST(both_gates_survive_a_restart_of_the_gateway),
        TEST(its_own_token_is_enough),
        TEST(a_wrong_token_is_final),
        TEST(prepare_and_which),
        TEST(the_local_gate_is_named),
        TEST(a_deadline_takes_the_whole_tree),
        TEST(a_command_has_its_own_limit),
        TEST(one_key_runs_once),
        TEST(output_of_any_kind_arrives),
        TEST(stopping_tells_the_caller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
