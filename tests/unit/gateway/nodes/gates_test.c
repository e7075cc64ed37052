#include "gateway/nodes/gates.h"

#include "lib/json/json.h"
#include "lib/text/fix.h"
#include "tests/unit/unit.h"

struct fixture {
    struct gw_node node;
    struct gw_policy policy;
};

static int setup(void **state) {
    struct fixture *f = oc_new(struct fixture);
    OC_AUTO_JSON cJSON *config = NULL;
    static const char text[] = "{\"gateway\":{\"nodes\":{\"denyCommands\":[\"system.which\"]}}}";
    struct oc_error err;
    if (oc_json_parse(text, strlen(text), &config, &err) != OC_OK) {
        return -1;
    }
    gw_policy_load(&f->policy, config);
    f->node.id = "0123456789abcdef";
    f->node.platform_class = GW_PLAT_LINUX;
    oc_strv_add(&f->node.declared, "system.notify");
    oc_strv_add(&f->node.declared, "system.run");
    oc_strv_add(&f->node.declared, "system.which");
    oc_strv_add(&f->node.commands, "system.run");
    f->node.pending_request_id = oc_strdup("req-1");
    *state = f;
    return 0;
}

static int teardown(void **state) {
    struct fixture *f = *state;
    gw_policy_finish(&f->policy);
    oc_strv_finish(&f->node.declared);
    oc_strv_finish(&f->node.commands);
    oc_free(f->node.pending_request_id);
    oc_free(f);
    return 0;
}

static void test_each_gate_has_its_text(void **state) {
    struct fixture *f = *state;
    static const struct {
        const char *command, *message, *reason, *gate, *fix, *subject;
    } rows[] = {
        { "system.which",
                "node command not allowed: \"system.which\" is on the gateway's list of denied "
                "commands",
                "command not allowlisted", "gateway command policy",
                "openclaw nodes allow system.which", "system.which" },
        { "no.such",
                "node command not allowed: \"no.such\" is not in the allowlist for platform "
                "\"linux\", and no command that nodes have",
                "command not allowlisted", "gateway command policy", NULL, "no.such" },
        { "sytem.which",
                "node command not allowed: \"sytem.which\" is not in the allowlist for platform "
                "\"linux\", and no command that nodes have; did you mean \"system.which\"?",
                "command not allowlisted", "gateway command policy", NULL, "sytem.which" },
        { "system.run.prepare",
                "node command not allowed: the node (platform: linux) does not support "
                "\"system.run.prepare\"",
                "command not declared by node", NULL,
                "use a node that has it: openclaw nodes status lists what each offers",
                "system.run.prepare" },
        { "system.notify",
                "node command not allowed: \"system.notify\" of this node is not approved yet",
                "command not approved", "node surface approval", "openclaw nodes approve req-1",
                "req-1" },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        struct gw_gate_refusal r = { 0 };
        assert_false(gw_gates_pass(&f->node, "linux", &f->policy, rows[i].command, &r));
        const char *fix = rows[i].fix; /* none for a typing error: allowing it helps nobody */
        OC_AUTO_FREE char *message =
                rows[i].gate ? oc_strfmt("%s (gate: %s%s%s)", rows[i].message, rows[i].gate,
                                       fix ? "; fix: " : "", fix ? fix : "")
                             : oc_strdup(rows[i].message);
        assert_string_equal(r.message, message); /* says what the details say */
        assert_string_equal(oc_json_get_str(r.details, "reason"), rows[i].reason);
        assert_string_equal(oc_json_get_str(r.details, "command"), rows[i].command);
        assert_true(oc_streq(oc_json_get_str(r.details, "fix"), fix));
        assert_true(oc_streq(oc_json_get_str(r.details, "gate"), rows[i].gate));
        assert_string_equal(oc_json_get_str(r.details, "text"), rows[i].message);
        assert_string_equal(oc_json_get_str(r.details, "subject"), rows[i].subject);
        assert_non_null(oc_json_get_str(r.details, "cause"));
        cJSON_Delete(r.details);
    }
    struct gw_gate_refusal r = { 0 };
    assert_true(gw_gates_pass(&f->node, "linux", &f->policy, "system.run", &r));
    assert_null(r.details);
}

static void test_the_owners_switch(void **state) {
    struct fixture *f = *state;
    OC_AUTO_JSON cJSON *permissions = cJSON_CreateObject();
    oc_json_set_bool(permissions, "camera", false);
    f->node.permissions = permissions;
    struct gw_gate_refusal r = { 0 };
    assert_false(gw_gates_pass(&f->node, "linux", &f->policy, "camera.snap", &r));
    assert_string_equal(r.message,
            "node command not allowed: CAMERA_DISABLED: the node's owner has not switched camera "
            "on "
            "(gate: local switch; fix: allow camera in the settings of the app on the node)");
    assert_string_equal(oc_json_get_str(r.details, "gate"), "local switch");
    cJSON_Delete(r.details);
    /* Policy comes first: opening the switch alone would not help. */
    f->node.platform_class = GW_PLAT_MACOS;
    assert_false(gw_gates_pass(&f->node, "macos", &f->policy, "camera.snap", &r));
    assert_string_equal(oc_json_get_str(r.details, "gate"), "gateway command policy");
    cJSON_Delete(r.details);
    f->node.platform_class = GW_PLAT_LINUX;
    f->node.permissions = NULL; /* says nothing about switches: then it does not have the command */
    assert_false(gw_gates_pass(&f->node, "linux", &f->policy, "camera.snap", &r));
    assert_string_equal(oc_json_get_str(r.details, "reason"), "command not declared by node");
    cJSON_Delete(r.details);
}

static void test_node_without_commands(void **state) {
    struct fixture *f = *state;
    oc_strv_finish(&f->node.declared);
    oc_strv_finish(&f->node.commands);
    struct gw_gate_refusal r = { 0 };
    assert_false(gw_gates_pass(&f->node, NULL, &f->policy, "system.run", &r));
    assert_string_equal(
            r.message, "node command not allowed: the node did not declare any supported commands");
    assert_string_equal(oc_json_get_str(r.details, "reason"), "node did not declare commands");
    cJSON_Delete(r.details);
}

static void test_describe(void **state) {
    struct fixture *f = *state;
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(1000);
    gw_gates_put(&text, &f->node, &f->policy, false);
    assert_string_equal(text.data,
            "{\"system.notify\":{\"declared\":true,\"approved\":false,\"policy\":true},"
            "\"system.run\":{\"declared\":true,\"approved\":true,\"policy\":true},"
            "\"system.which\":{\"declared\":true,\"approved\":false,\"policy\":false}}");
    assert_false(gw_gates_all_open(&f->node));
    OC_AUTO_BUF struct oc_buf full = OC_BUF_INIT(4000);
    OC_AUTO_JSON cJSON *permissions = cJSON_CreateObject(), *all = NULL;
    oc_json_set_bool(permissions, "system.run", false);
    f->node.permissions = permissions;
    gw_gates_put(&full, &f->node, &f->policy, true);
    struct oc_error err;
    assert_int_equal(oc_json_parse(full.data, full.len, &all, &err), OC_OK);
    static const char *const commands[] = { "system.notify", "system.which" };
    for (size_t i = 0; i < OC_COUNT(commands); i++) { /* in the words of the refusal */
        struct gw_gate_refusal r = { 0 };
        assert_false(gw_gates_pass(&f->node, "linux", &f->policy, commands[i], &r));
        const cJSON *gates = oc_json_get(all, commands[i]);
        assert_string_equal(oc_json_get_str(gates, "gate"), oc_json_get_str(r.details, "gate"));
        assert_string_equal(oc_json_get_str(gates, "fix"), oc_json_get_str(r.details, "fix"));
        cJSON_Delete(r.details);
    }
    assert_string_equal(oc_json_get_str(oc_json_get(all, "system.run"), "fix"),
            "openclaw approvals security allowlist --node 0123456789ab");
    oc_strv_remove(&f->node.declared, "system.notify");
    oc_strv_remove(&f->node.declared, "system.which");
    assert_true(gw_gates_all_open(&f->node));
}

/* The approval does not come and go with the policy. */
static void test_what_was_approved_stays_approved(void **state) {
    struct fixture *f = *state;
    oc_strv_add(&f->node.approved, "system.which");
    struct gw_command_gates g = gw_node_gates(&f->node, &f->policy, "system.which");
    assert_true(g.approved && !g.policy);
    g = gw_node_gates(&f->node, &f->policy, "system.notify");
    assert_true(!g.approved && g.policy);
    oc_strv_finish(&f->node.approved);
}

static void test_only_plain_words_become_commands(void **state) {
    (void)state;
    struct oc_grounds g = gw_gates_local("a;id");
    OC_AUTO_FREE char *odd = oc_fix_text(&g);
    assert_null(strstr(odd, ";"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_each_gate_has_its_text, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_owners_switch, setup, teardown),
        cmocka_unit_test_setup_teardown(test_node_without_commands, setup, teardown),
        cmocka_unit_test_setup_teardown(test_describe, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_was_approved_stays_approved, setup, teardown),
        cmocka_unit_test(test_only_plain_words_become_commands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
