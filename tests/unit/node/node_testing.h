/* What the tests of node/ share: a loop whose time is turned by hand, and a host whose frames end
 * in a list. */
#ifndef TESTS_UNIT_NODE_NODE_TESTING_H
#define TESTS_UNIT_NODE_NODE_TESTING_H

#include "tests/unit/unit.h"

#include "lib/base/clock.h"
#include "lib/files/file.h"
#include "lib/json/json.h"
#include "node/call/call.h"
#include "node/commands/host.h"
#include "node/policy/exec_notes.h"
#include "node/policy/exec_remember.h"
#include "node/process/process.h"
#include "node/run/runs.h"

#include <errno.h>
#include <sys/wait.h>

#define TEST_DEVICE_ID "device-1"

/* Steps the loop until the condition holds; only a stuck test ever waits that long. */
#define STEP_UNTIL(loop, condition)                                \
    do {                                                           \
        int64_t give_up_ms = oc_mono_ms(&oc_clock_system) + 30000; \
        while (!(condition)) {                                     \
            if (oc_mono_ms(&oc_clock_system) > give_up_ms) {       \
                fail_msg("still not true: %s", #condition);        \
            }                                                      \
            oc_loop_step((loop), 50);                              \
        }                                                          \
    } while (0)

struct test_host {
    struct nd_host host;
    struct oc_fake_clock clock;
    struct nd_calls *calls;
    char *dir, *approvals;
    cJSON *frames; /* everything that was sent, in order */
};

static inline void test_host_send(struct nd_uplink *up, struct oc_msg *take_msg) {
    struct test_host *t = OC_CONTAINER(up, struct test_host, host.uplink);
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(64u << 20);
    char piece[4096];
    size_t n, size = oc_msg_size(take_msg);
    while ((n = oc_msg_read(take_msg, piece, sizeof(piece))) > 0) {
        assert_int_equal(oc_buf_append(&text, piece, n), OC_OK);
    }
    assert_int_equal(text.len, size);
    oc_msg_destroy(take_msg);
    cJSON *frame = NULL;
    struct oc_error err;
    if (oc_json_parse(text.data, text.len, &frame, &err) != OC_OK) {
        fail_msg("%s: %.200s", err.text, text.data);
    }
    cJSON_AddItemToArray(t->frames, frame);
}

static inline int test_host_setup(void **state) {
    struct test_host *t = oc_new(struct test_host);
    *state = t;
    if (oc_temp_setup((void **)&t->dir) != 0 || os_native.start(NULL) != OC_OK) {
        return -1;
    }
    t->approvals = oc_path_join(t->dir, "exec-approvals.json");
    t->frames = cJSON_CreateArray();
    t->host.machine = (struct nd_machine){ .platform = &os_native, .approvals_path = t->approvals };
    t->host.uplink = (struct nd_uplink){
        .device_id = TEST_DEVICE_ID, .send = test_host_send, .connection = 1
    };
    nd_host_init(&t->host);
    oc_fake_clock_init(&t->clock, 1700000000000);
    if (oc_loop_create(&t->clock.clock, &t->host.machine.loop, NULL) != OC_OK) {
        return -1;
    }
    t->host.notes.memory = nd_exec_memory_create(t->host.machine.loop, t->approvals);
    t->host.runner.runs = nd_runs_create(&t->host.machine);
    t->calls = nd_host_calls(&t->host, NULL);
    return 0;
}

/* What was dropped while it ran is killed, and may write into the directory until it is gone. Its
 * supervisors are our children, and end after all that they look after. */
static inline void test_host_wait_for_children(void) {
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR) {
    }
}

static inline int test_host_teardown(void **state) {
    struct test_host *t = *state;
    nd_calls_destroy(t->calls);
    nd_asks_take_back_all(&t->host.asks);
    nd_asks_finish(&t->host.asks);
    nd_looks_finish(&t->host.looks);
    nd_runs_destroy(t->host.runner.runs);
    nd_exec_mounts_finish(&t->host.runner.mounts);
    nd_exec_memory_destroy(t->host.notes.memory);
    nd_process_drop_leftovers(t->host.machine.loop);
    oc_loop_destroy(t->host.machine.loop);
    test_host_wait_for_children();
    cJSON_Delete(t->frames);
    oc_free(t->approvals);
    int rc = oc_temp_teardown((void **)&t->dir);
    oc_free(t);
    return rc;
}

/* True once a command has written a whole line into this file of the directory. */
static inline bool test_host_has_line(struct test_host *t, const char *name) {
    OC_AUTO_FREE char *path = oc_path_join(t->dir, name);
    OC_AUTO_BUF struct oc_buf text = { 0 };
    return oc_file_read(path, 1000, &text, NULL) == OC_OK && text.len > 0 &&
           text.data[text.len - 1] == '\n';
}

/* security "full", "allowlist" (of nothing) or "deny". */
static inline void test_host_policy(struct test_host *t, const char *security) {
    OC_AUTO_FREE char *text = oc_strfmt(
            "{\"version\":1,\"defaults\":{\"security\":\"%s\",\"ask\":\"on-miss\"}}", security);
    oc_write_text(t->approvals, text);
}

/* Changes of one moment look alike: until the policy is older, what a command is judged by is read
 * once more after a look. */
static inline void test_host_settle(struct test_host *t) {
    bool is_settled = false;
    while (!is_settled) {
        struct nd_exec_verdict v;
        OC_AUTO_STRV struct oc_strv argv = { 0 };
        oc_strv_add(&argv, "true");
        nd_exec_notes_judge(&t->host.notes, NULL, &(struct nd_run_params){ .argv = argv }, &v);
        is_settled = v.stamp.is_settled;
        nd_exec_verdict_finish(&v);
    }
}

/* caller, params_json and key may be NULL, timeout_ms negative: left out. */
static inline void test_host_invoke_for(struct test_host *t, const char *caller, const char *id,
        const char *command, const char *params_json, int64_t timeout_ms, const char *key) {
    OC_AUTO_JSON cJSON *payload = cJSON_CreateObject();
    if (caller) {
        oc_json_set_str(cJSON_AddObjectToObject(payload, "caller"), "id", caller);
    }
    oc_json_set_str(payload, "id", id);
    oc_json_set_str(payload, "nodeId", TEST_DEVICE_ID);
    oc_json_set_str(payload, "command", command);
    oc_json_set_str_or_null(payload, "paramsJSON", params_json);
    if (timeout_ms >= 0) {
        oc_json_set_int(payload, "timeoutMs", timeout_ms);
    }
    oc_json_set_str(payload, "idempotencyKey", key);
    OC_AUTO_FREE char *text = oc_json_print(payload, false);
    nd_calls_request(t->calls, (struct oc_slice){ text, strlen(text) });
}

static inline void test_host_invoke(struct test_host *t, const char *id, const char *command,
        const char *params_json, int64_t timeout_ms, const char *key) {
    test_host_invoke_for(t, NULL, id, command, params_json, timeout_ms, key);
}

/* The params of the node.invoke.result for this id, or NULL. */
static inline const cJSON *test_host_result(struct test_host *t, const char *id) {
    const cJSON *frame;
    cJSON_ArrayForEach(frame, t->frames) {
        const cJSON *params = oc_json_get(frame, "params");
        if (oc_streq(oc_json_get_str(frame, "method"), "node.invoke.result") &&
                oc_streq(oc_json_get_str(params, "id"), id)) {
            return params;
        }
    }
    return NULL;
}

/* The first node.event of this name (its parsed payload is returned and owned by the caller), or
 * NULL. */
static inline cJSON *test_host_event(struct test_host *t, const char *name) {
    const cJSON *frame;
    cJSON_ArrayForEach(frame, t->frames) {
        const cJSON *params = oc_json_get(frame, "params");
        if (oc_streq(oc_json_get_str(frame, "method"), "node.event") &&
                oc_streq(oc_json_get_str(params, "event"), name)) {
            const char *text = oc_json_get_str(params, "payloadJSON");
            cJSON *payload = NULL;
            assert_non_null(text);
            assert_int_equal(oc_json_parse(text, strlen(text), &payload, NULL), OC_OK);
            return payload;
        }
    }
    return NULL;
}

/* Waits for a successful result and gives its payload, owned by the caller. */
static inline cJSON *test_host_payload(struct test_host *t, const char *id) {
    STEP_UNTIL(t->host.machine.loop, test_host_result(t, id));
    const cJSON *params = test_host_result(t, id);
    assert_string_equal(oc_json_get_str(params, "nodeId"), TEST_DEVICE_ID);
    if (!oc_json_get_bool(params, "ok", false)) {
        OC_AUTO_FREE char *text = oc_json_print(params, false);
        fail_msg("%s", text);
    }
    const char *text = oc_json_get_str(params, "payloadJSON");
    cJSON *payload = NULL;
    assert_non_null(text);
    assert_int_equal(oc_json_parse(text, strlen(text), &payload, NULL), OC_OK);
    return payload;
}

static inline void test_host_expect_error(
        struct test_host *t, const char *id, const char *code, const char *part) {
    STEP_UNTIL(t->host.machine.loop, test_host_result(t, id));
    const cJSON *params = test_host_result(t, id), *error = oc_json_get(params, "error");
    assert_false(oc_json_get_bool(params, "ok", true));
    assert_string_equal(oc_json_get_str(error, "code"), code);
    if (!strstr(oc_json_get_str(error, "message"), part)) {
        fail_msg("'%s' is not in '%s'", part, oc_json_get_str(error, "message"));
    }
}

#endif
