/* What a node is told about an approval that nobody decided. */
#include "gateway/exec/approval_guard.h"

#include "gateway/exec/run_binding.h"
#include "lib/protocol/limits.h"
#include "tests/unit/unit.h"

struct fixture {
    struct oc_fake_clock clock;
    struct oc_loop *loop;
    struct gw_approvals *approvals;
};

static int setup(void **state) {
    struct fixture *f = oc_new(struct fixture);
    struct oc_error err;
    oc_fake_clock_init(&f->clock, 1700000000000);
    if (oc_loop_create(&f->clock.clock, &f->loop, &err) != OC_OK) {
        return -1;
    }
    f->approvals = gw_approvals_create(f->loop);
    *state = f;
    return 0;
}

static int teardown(void **state) {
    struct fixture *f = *state;
    gw_approvals_destroy(f->approvals);
    oc_loop_destroy(f->loop);
    oc_free(f);
    return 0;
}

/* `id` on node n, asked for by device d, and then time goes by. */
static void ask(struct fixture *f, const char *id, int64_t timeout_ms, int64_t wait_ms) {
    struct gw_run_facts facts = { 0 };
    oc_strv_add(&facts.argv, "id");
    cJSON *request = cJSON_CreateObject();
    oc_json_set_str(request, "host", "node");
    oc_json_set_str(request, "nodeId", "n");
    oc_json_set(request, "systemRunBindingV1", gw_run_binding_build(&facts));
    oc_strv_finish(&facts.argv);
    const struct gw_approval *a = NULL;
    struct oc_error err;
    assert_int_equal(
            gw_approvals_add(f->approvals,
                    &(struct gw_approval_spec){
                            .id = id, .actor = "d", .is_device = true, .timeout_ms = timeout_ms },
                    request, &a, &err),
            OC_OK);
    oc_fake_clock_advance(&f->clock, wait_ms);
    oc_loop_step(f->loop, 0);
}

/* What the node gets; NULL when it gets nothing. Caller frees. */
static char *run(struct fixture *f, const char *device, const char *params) {
    struct gw_guard_call call = {
        .params = { params, strlen(params) }, .node_id = "n", .device_id = device, .conn_id = "c"
    };
    struct gw_guard_verdict v;
    struct oc_error err;
    char *text = NULL;
    if (gw_approval_guard(f->approvals, &call, &v, &err) == OC_OK) {
        text = oc_strndup(v.params->data, v.params->len);
    }
    gw_guard_verdict_finish(&v);
    return text;
}

/* Nobody decided, and nothing that reads like a decision. */
static void assert_told(const char *params) {
    OC_AUTO_JSON cJSON *o = cJSON_Parse(params);
    assert_true(oc_json_get_bool(o, "approvalUnanswered", false));
    assert_null(oc_json_get(o, "approved"));
    assert_null(oc_json_get(o, "approvalDecision"));
    assert_string_equal(oc_json_get_str(o, "runId"), "one");
}

#define PLAIN "{\"command\":[\"id\"],\"runId\":\"one\"}"
#define CLAIM \
    "{\"command\":[\"id\"],\"runId\":\"one\",\"approved\":true,\"approvalUnanswered\":true}"

/* The look goes along, whatever the caller says; once its files were seen otherwise, nothing
 * goes. */
static void the_look_goes_with_the_run(void **state) {
    struct fixture *f = *state;
    static const char claim[] = "{\"command\":[\"id\"],\"runId\":\"one\",\"approved\":true,"
                                "\"approvalLook\":\"mine\"}";
    ask(f, "one", 0, 0);
    const struct gw_approval *a = gw_approvals_find(f->approvals, "one");
    gw_approval_looked(a, &(struct gw_approval_look){ .look = "seen" });
    assert_true(gw_approvals_resolve(f->approvals, "one", OC_DECISION_ALLOW_ONCE, "me", NULL));
    OC_AUTO_FREE char *told = run(f, "d", claim);
    OC_AUTO_JSON cJSON *params = cJSON_Parse(told);
    assert_string_equal(oc_json_get_str(params, "approvalLook"), "seen");
    gw_approval_set_used(a, false);
    gw_approval_void(a, "changed");
    assert_null(run(f, "d", claim));
}

static void the_node_is_told_once(void **state) {
    struct fixture *f = *state;
    ask(f, "one", 0, OC_DEFAULT_APPROVAL_MS);
    assert_null(run(f, "another", CLAIM));
    assert_null(run(f, "d", "{\"command\":[\"rm\"],\"runId\":\"one\"}"));
    OC_AUTO_FREE char *told = run(f, "d", CLAIM);
    assert_told(told);
    assert_null(run(f, "d", CLAIM));
    assert_null(run(f, "d", PLAIN));
}

/* askFallback allowlist comes back without a claim. */
static void a_claim_is_not_needed(void **state) {
    struct fixture *f = *state;
    ask(f, "one", 0, OC_DEFAULT_APPROVAL_MS);
    OC_AUTO_FREE char *told = run(f, "d", PLAIN);
    assert_told(told);
}

static void not_before_time(void **state) {
    struct fixture *f = *state;
    ask(f, "one", 0, OC_DEFAULT_APPROVAL_MS - 1);
    assert_null(run(f, "d", CLAIM));
    OC_AUTO_FREE char *plain = run(f, "d", PLAIN);
    assert_string_equal(plain, PLAIN);
}

/* A caller that gives people a second wants no answer. */
static void not_after_a_short_wait(void **state) {
    struct fixture *f = *state;
    ask(f, "one", 1000, 1000);
    assert_null(run(f, "d", CLAIM));
    OC_AUTO_FREE char *plain = run(f, "d", PLAIN);
    assert_string_equal(plain, PLAIN);
}

static void not_when_denied(void **state) {
    struct fixture *f = *state;
    ask(f, "one", 0, 1000);
    assert_true(gw_approvals_resolve(f->approvals, "one", OC_DECISION_DENY, "me", NULL));
    assert_null(run(f, "d", CLAIM));
    OC_AUTO_FREE char *plain = run(f, "d", PLAIN);
    assert_string_equal(plain, PLAIN);
}

int main(void) {
#define GUARD(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        GUARD(the_look_goes_with_the_run),
        GUARD(the_node_is_told_once),
        GUARD(a_claim_is_not_needed),
        GUARD(not_before_time),
        GUARD(not_after_a_short_wait),
        GUARD(not_when_denied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
