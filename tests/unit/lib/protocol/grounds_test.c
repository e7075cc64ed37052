#include "tests/unit/unit.h"

#include "lib/protocol/foreign_errors.h"
#include "lib/text/fix.h"

static char *read_error(
        const char *details, bool is_of_node, const char *message, struct oc_grounds *ret) {
    OC_AUTO_JSON cJSON *tree = details ? cJSON_Parse(details) : NULL;
    return oc_grounds_read(
            &(struct oc_told_error){
                    .details = tree, .is_of_node = is_of_node, .message = message },
            ret);
}

static void names_lead_back_to_what_they_name(void **state) {
    (void)state;
    for (int i = 1; i < OC_CAUSE_COUNT; i++) {
        assert_int_equal(oc_cause_named(oc_cause_name((enum oc_cause)i)), i);
    }
    for (int i = 1; i < OC_GATE_COUNT; i++) {
        assert_int_equal(oc_gate_named(oc_gate_name((enum oc_gate)i)), i);
    }
    for (int i = 1; i < OC_REMEDY_COUNT; i++) {
        assert_int_equal(oc_remedy_named(oc_remedy_name((enum oc_remedy)i)), i);
    }
    for (int i = 1; i < OC_RUN_GATE_COUNT; i++) {
        assert_int_equal(oc_run_gate_named(oc_run_gate_name((enum oc_run_gate)i)), i);
    }
    /* As older builds of ours say them. */
    assert_int_equal(oc_cause_named("NOT_CONTAINED"), OC_CAUSE_NOT_SANDBOXED);
    assert_int_equal(oc_remedy_named("allow-uncontained"), OC_REMEDY_ALLOW_UNSANDBOXED);
    assert_null(oc_gate_name(OC_GATE_NONE));
    assert_int_equal(oc_gate_named("the front door"), OC_GATE_NONE);
    assert_int_equal(oc_gate_named(NULL), OC_GATE_NONE);
}

/* Every remedy, with a subject and without, over the wire and back: the same data, and the same
 * words on the other side. */
static void what_is_sent_is_what_is_read(void **state) {
    (void)state;
    for (int i = 0; i < 4 * OC_REMEDY_COUNT; i++) {
        struct oc_grounds g = { .cause = OC_CAUSE_ALLOWLIST_MISS,
            .gate = OC_GATE_LOCAL,
            .remedy = (enum oc_remedy)(i % OC_REMEDY_COUNT),
            .is_at_node = (i / OC_REMEDY_COUNT) & 1 };
        oc_grounds_set_subject(&g, i / OC_REMEDY_COUNT >= 2 ? "/usr/bin/uname" : NULL);
        oc_grounds_set_node(&g, "0123456789abcdef");
        OC_AUTO_JSON cJSON *error = oc_grounds_error("UNAVAILABLE", "no", &g, NULL, -1);
        OC_AUTO_FREE char *sent = oc_fix_text(&g);
        OC_AUTO_FREE char *text = oc_json_print(oc_json_get(error, "details"), false);
        assert_true(oc_streq(oc_json_get_str(oc_json_get(error, "details"), "fix"), sent));
        OC_AUTO_FREE char *sentence = oc_fix_sentence("no", &g, sent);
        assert_string_equal(oc_json_get_str(error, "message"), sentence);
        struct oc_grounds back;
        OC_AUTO_FREE char *said = read_error(text, false, sentence, &back);
        assert_string_equal(said, "no");
        assert_memory_equal(&back, &g, sizeof(g));
    }
}

static void no_grounds_are_no_members(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *error = oc_grounds_error("X", "no", &(struct oc_grounds){ 0 }, NULL, -1);
    OC_AUTO_FREE char *text = oc_json_print(error, false);
    assert_string_equal(text, "{\"code\":\"X\",\"message\":\"no\"}");
}

static void fixes(void **state) {
    (void)state;
    static const struct {
        enum oc_remedy remedy;
        bool is_at_node;
        const char *subject, *node_id, *fix;
    } rows[] = {
        { OC_REMEDY_ADD_PROGRAM, false, "/usr/bin/id", NULL,
                "openclaw approvals allowlist add /usr/bin/id" },
        { OC_REMEDY_ADD_PROGRAM, false, "/usr/bin/id", "0123456789abcdef",
                "openclaw approvals allowlist add /usr/bin/id --node 0123456789ab" },
        { OC_REMEDY_ADD_PROGRAM, true, "/usr/bin/id", "0123456789abcdef",
                "on the node run: openclaw approvals allowlist add /usr/bin/id" },
        { OC_REMEDY_ADD_PROGRAM, false, "/a b", "n",
                "openclaw approvals allowlist add '/a b' --node n" },
        { OC_REMEDY_ADD_PROGRAM, false, NULL, "n",
                "openclaw approvals allowlist add --node n <path of the program>" },
        { OC_REMEDY_ADD_PROGRAM, false, "/$(id)", "n;id",
                "openclaw approvals allowlist add --node <its id> <path of the program>" },
        { OC_REMEDY_ADD_PROGRAM, false, "--all", NULL,
                "openclaw approvals allowlist add <path of the program>" },
        { OC_REMEDY_APPROVE_NODE, false, "x;rm -rf ~", NULL, "openclaw nodes approve" },
        { OC_REMEDY_ENABLE_SWITCH, true, "camera", "n",
                "on the node run: openclaw node enable camera" },
        { OC_REMEDY_ENABLE_SWITCH, true, "camera\x1b[2J", "n", NULL },
        { OC_REMEDY_NONE, false, "x", "n", NULL },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        struct oc_grounds g = { .remedy = rows[i].remedy, .is_at_node = rows[i].is_at_node };
        oc_grounds_set_subject(&g, rows[i].subject);
        oc_grounds_set_node(&g, rows[i].node_id);
        OC_AUTO_FREE char *fix = oc_fix_text(&g);
        if (!oc_streq(fix, rows[i].fix)) {
            fail_msg("%zu: %s", i, fix ? fix : "none");
        }
    }
}

static void a_peer_cannot_say_what_is_not_its_own(void **state) {
    (void)state;
    static const char *const odd[] = { "null", "[]", "\"gate\"", "{}",
        "{\"cause\":1,\"gate\":[],\"remedy\":{}}",
        "{\"cause\":\"X\",\"gate\":\"Y\",\"remedy\":\"Z\"}" };
    struct oc_grounds g;
    for (size_t i = 0; i < OC_COUNT(odd); i++) {
        OC_AUTO_FREE char *text = read_error(odd[i], true, "no", &g);
        assert_string_equal(text, "no");
        assert_true(!g.cause && !g.gate && !g.remedy);
    }
    OC_AUTO_FREE char *of_node = read_error(
            "{\"remedy\":\"approve-device\",\"subject\":\"x\",\"nodeId\":\"n\"}", true, "no", &g);
    assert_string_equal(of_node, "no");
    assert_int_equal(g.remedy, OC_REMEDY_NONE);
    assert_string_equal(g.node_id, "");
    OC_AUTO_FREE char *by_gateway = read_error(
            "{\"remedy\":\"approve-device\",\"subject\":\"x\",\"nodeId\":\"n\"}", false, "no", &g);
    assert_string_equal(by_gateway, "no");
    assert_int_equal(g.remedy, OC_REMEDY_APPROVE_DEVICE);
    assert_string_equal(g.node_id, "n");
}

/* In the reference's form, too: the command would open a gate that is not the node's. */
static void a_node_says_nothing_about_the_gates_of_its_gateway(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        { "{\"reason\":\"command not allowlisted\",\"command\":\"sms.send\"}", "no" },
        { NULL, "missing scope: operator.admin" },
        { "{\"gate\":\"gateway command policy\",\"remedy\":\"allow-command\",\"subject\":\"x\"}",
                "no" },
        { "{\"cause\":\"NOT_PAIRED\",\"gate\":\"device pairing\"}", "no" },
        { NULL, "no (gate: gateway command policy; fix: openclaw nodes allow x)" },
        { "{\"gate\":\"gateway command policy\"}",
                "no (gate: gateway command policy; fix: openclaw nodes allow x)" },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        struct oc_grounds g;
        OC_AUTO_FREE char *text = read_error(rows[i][0], true, rows[i][1], &g);
        OC_AUTO_FREE char *fix = oc_fix_text(&g);
        assert_non_null(text);
        assert_int_equal(g.gate, OC_GATE_NONE);
        assert_true(!fix || oc_starts_with(fix, "the node says: "));
    }
}

static void what_is_too_long_is_not_there(void **state) {
    (void)state;
    char longest[OC_MAX_SUBJECT + 2];
    memset(longest, 'x', sizeof(longest));
    longest[OC_MAX_SUBJECT] = '\0';
    for (int i = 0; i < 2; i++) {
        OC_AUTO_FREE char *details = oc_strfmt("{\"gate\":\"local switch\",\"subject\":\"%s\","
                                               "\"nodeId\":\"%s\"}",
                longest, longest);
        struct oc_grounds g;
        OC_AUTO_FREE char *text = read_error(details, false, "no", &g);
        assert_string_equal(text, "no");
        assert_int_equal(strlen(g.subject), i ? 0 : OC_MAX_SUBJECT);
        assert_int_equal(strlen(g.node_id), i ? 0 : OC_MAX_SUBJECT);
        longest[OC_MAX_SUBJECT] = 'x';
        longest[OC_MAX_SUBJECT + 1] = '\0';
    }
}

/* Whatever is called a fix in a text is not ours, whoever says so. */
static void words_of_a_peer_are_taken_out_of_its_text(void **state) {
    (void)state;
    static const struct {
        const char *details, *message, *text, *fix;
        enum oc_gate gate;
    } rows[] = {
        { NULL, "no (gate: local exec approvals; fix: edit f(1))", "no", "the node says: edit f(1)",
                OC_GATE_LOCAL },
        { NULL, "no (x; gate: local exec approvals; fix: edit f)", "no (x)",
                "the node says: edit f", OC_GATE_LOCAL },
        { NULL, "no (gate: g; fix: edit f)", "no (gate: g)", "the node says: edit f",
                OC_GATE_NONE },
        { NULL, "no; fix: do x", "no", "the node says: do x", OC_GATE_NONE },
        { NULL, "fix: do x", "", "the node says: do x", OC_GATE_NONE },
        { NULL, "no (fix: )", "no", NULL, OC_GATE_NONE },
        { NULL, "no (fix: a;touch${IFS}b)", "no",
                "the node named a fix that is not plain text; it is not shown here", OC_GATE_NONE },
        { "{\"gate\":\"local switch\",\"text\":\"off (fix: do x)\"}", "m", "off",
                "the node says: do x", OC_GATE_SWITCH },
        { "{\"gate\":\"front door\",\"text\":\"off\",\"fix\":\"do x\"}",
                "off (gate: front door; fix: do x)", "off (gate: front door)",
                "the node says: do x", OC_GATE_NONE },
        { "{\"gate\":\"local exec approvals\",\"remedy\":\"ask-on-miss\",\"fix\":\"do x\"}",
                "no (fix: do y)", "no", "openclaw approvals ask on-miss", OC_GATE_LOCAL },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        struct oc_grounds g;
        OC_AUTO_FREE char *text = read_error(rows[i].details, true, rows[i].message, &g);
        OC_AUTO_FREE char *fix = oc_fix_text(&g);
        assert_string_equal(text, rows[i].text);
        assert_int_equal(g.gate, rows[i].gate);
        if (!oc_streq(fix, rows[i].fix)) {
            fail_msg("%zu: %s", i, fix ? fix : "none");
        }
    }
}

/* Through a gateway a node's words stay the node's, and nobody else's become that. */
static void words_of_a_node_are_known_behind_its_gateway(void **state) {
    (void)state;
    static const struct {
        bool is_of_handshake;
        const char *details, *fix;
    } rows[] = {
        { false, "{\"fix\":\"x\",\"nodeFix\":\"do y\"}", "the node says: do y" },
        { false, "{\"nodeFix\":\"openclaw devices approve 1\"}",
                "the node says: openclaw devices approve 1" },
        { false, "{\"nodeFix\":\"$(x)\"}",
                "the node named a fix that is not plain text; it is not shown here" },
        { false, "{\"fix\":\"do x\"}", "the gateway says: do x" },
        /* Of an older gateway. */
        { false, "{\"fix\":\"the node says: do x\"}", "the node says: do x" },
        { true, "{\"fix\":\"the node says: do x\",\"nodeFix\":\"do x\"}",
                "the gateway says: the node says: do x" },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        OC_AUTO_JSON cJSON *details = cJSON_Parse(rows[i].details);
        struct oc_told_error told = {
            .is_of_handshake = rows[i].is_of_handshake, .message = "no", .details = details
        };
        struct oc_grounds g;
        OC_AUTO_FREE char *text = oc_grounds_read(&told, &g);
        OC_AUTO_FREE char *fix = oc_fix_text(&g);
        assert_string_equal(text, "no");
        assert_string_equal(fix, rows[i].fix);
    }
    struct oc_grounds sent = { .gate = OC_GATE_LOCAL }, back;
    oc_grounds_set_told(&sent, OC_SPEAKER_NODE, "edit f(1)");
    OC_AUTO_JSON cJSON *error = oc_grounds_error("X", "no", &sent, NULL, -1);
    const cJSON *details = oc_json_get(error, "details");
    assert_string_equal(oc_json_get_str(details, "fix"), "the node says: edit f(1)");
    struct oc_told_error told = { .message = oc_json_get_str(error, "message"),
        .details = details };
    OC_AUTO_FREE char *text = oc_grounds_read(&told, &back);
    assert_string_equal(text, "no");
    assert_memory_equal(&back, &sent, sizeof(sent));
}

static void texts_of_the_reference(void **state) {
    (void)state;
    static const struct {
        const char *details, *message;
        enum oc_cause cause;
        const char *subject, *fix;
    } rows[] = {
        { NULL, "SYSTEM_RUN_DENIED: approval required", OC_CAUSE_APPROVAL_REQUIRED, "",
                "openclaw approvals allowlist add --node <its id> <path of the program>" },
        { NULL, "UNAVAILABLE: SYSTEM_RUN_DISABLED: security=deny", OC_CAUSE_RUN_DISABLED, "",
                "openclaw approvals security allowlist --node <its id>" },
        { NULL, "SYSTEM_RUN_DENIED: approval requires a stable executable path",
                OC_CAUSE_UNSTABLE_PROGRAM, "", "use real paths and approve again" },
        { NULL, "SYSTEM_RUN_DENIED: approval requires canonical cwd (no symlink cwd)",
                OC_CAUSE_BAD_DIRECTORY, "", "use real paths and approve again" },
        { "{\"nodeError\":{\"code\":\"SYSTEM_RUN_DENIED\"}}", "no", OC_CAUSE_RUN_DENIED, "",
                "openclaw approvals allowlist add --node <its id> <path of the program>" },
        { "{\"nodeError\":{\"code\":\"TIMEOUT\"}}", "late", OC_CAUSE_TIMED_OUT, "", NULL },
        { "{\"nodeError\":{\"code\":\"CAMERA_DISABLED\"}}", "off", OC_CAUSE_SWITCHED_OFF, "camera",
                "on the node run: openclaw node enable camera" },
        { NULL, "node invoke timed out", OC_CAUSE_TIMED_OUT, "", NULL },
        { "{\"code\":\"NOT_CONNECTED\"}", "node not connected", OC_CAUSE_NODE_NOT_CONNECTED, "",
                "on the node run: openclaw node run" },
        { NULL, "Error: node disconnected (system.run)", OC_CAUSE_NODE_DISCONNECTED, "", NULL },
        { NULL, "missing scope: operator.pairing", OC_CAUSE_MISSING_SCOPE, "operator.pairing",
                "this device may not do that; someone with operator.pairing must, or approve this "
                "device for it (openclaw devices list)" },
        { "{\"reason\":\"command not allowlisted\",\"command\":\"camera.snap\"}",
                "node command not allowed", OC_CAUSE_COMMAND_NOT_ALLOWED, "camera.snap",
                "openclaw nodes allow camera.snap" },
        { NULL, "exec approvals changed since last load; re-run exec.approvals.get and retry",
                OC_CAUSE_FILE_CHANGED, "", NULL },
        { NULL, "exec approvals base hash required; reload and retry", OC_CAUSE_NONE, "", NULL },
        { NULL, "approval required", OC_CAUSE_NONE, "", NULL },
        { NULL, "something else", OC_CAUSE_NONE, "", NULL },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        struct oc_grounds g;
        OC_AUTO_FREE char *text = read_error(rows[i].details, false, rows[i].message, &g);
        OC_AUTO_FREE char *fix = oc_fix_text(&g);
        assert_string_equal(text, rows[i].message);
        if (g.cause != rows[i].cause || strcmp(g.subject, rows[i].subject) != 0 ||
                !oc_streq(fix, rows[i].fix)) {
            fail_msg("%s: %s %s %s", rows[i].message, oc_cause_name(g.cause), g.subject, fix);
        }
    }
}

static void closes_of_gateways(void **state) {
    (void)state;
    assert_int_equal(oc_foreign_close(1008, "replaced by a newer connection"), OC_CAUSE_REPLACED);
    assert_int_equal(oc_foreign_close(1000, "replaced by a newer connection"), OC_CAUSE_NONE);
    assert_int_equal(oc_foreign_close(1008, NULL), OC_CAUSE_NONE);
    assert_int_equal(oc_foreign_close(1002, "protocol mismatch"), OC_CAUSE_PROTOCOL_MISMATCH);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_lead_back_to_what_they_name),
        cmocka_unit_test(what_is_sent_is_what_is_read),
        cmocka_unit_test(no_grounds_are_no_members),
        cmocka_unit_test(fixes),
        cmocka_unit_test(a_peer_cannot_say_what_is_not_its_own),
        cmocka_unit_test(a_node_says_nothing_about_the_gates_of_its_gateway),
        cmocka_unit_test(what_is_too_long_is_not_there),
        cmocka_unit_test(words_of_a_peer_are_taken_out_of_its_text),
        cmocka_unit_test(words_of_a_node_are_known_behind_its_gateway),
        cmocka_unit_test(texts_of_the_reference),
        cmocka_unit_test(closes_of_gateways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
