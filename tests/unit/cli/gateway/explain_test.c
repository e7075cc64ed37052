#include "cli/gateway/explain.h"

#include "lib/base/mem.h"
#include "lib/protocol/grounds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static char url[] = "ws://127.0.0.1:18789", config[] = "/home/u/.openclaw/openclaw.json";
static const struct cli_target local = {
    .url = url, .from = CLI_TARGET_LOCAL, .config_path = config
};
static const struct cli_target by_flag = {
    .url = url, .from = CLI_TARGET_URL, .config_path = config
};
static const struct cli_target remote = {
    .url = url, .from = CLI_TARGET_REMOTE, .config_path = config
};

/* As lib/client/session.c does. */
static void read_refusal(struct oc_session_end *end) {
    oc_free(oc_grounds_read(&(struct oc_told_error){ .is_of_handshake = true,
                                    .code = end->error_code,
                                    .message = end->message,
                                    .details = end->details },
            &end->grounds));
}

static void assert_refused(const struct cli_target *t, const char *details, const char *in_fix) {
    OC_AUTO_JSON cJSON *d = cJSON_Parse(details);
    struct oc_session_end end = { .code = OC_E_AUTH,
        .message = "unauthorized",
        .error_code = "INVALID_REQUEST",
        .details = d,
        .retry_after_ms = -1,
        .close_code = 1008 };
    struct cli_explained e;
    read_refusal(&end);
    cli_explain_end(t, &end, &e);
    assert_non_null(strstr(e.text, "refused the connection: unauthorized"));
    assert_non_null(e.fix);
    assert_non_null(strstr(e.fix, in_fix));
    assert_string_equal(e.code, "INVALID_REQUEST");
    cli_explained_finish(&e);
}

static void test_refusals(void **state) {
    (void)state;
    assert_refused(&local, "{\"code\":\"AUTH_TOKEN_MISSING\"}", "OPENCLAW_GATEWAY_TOKEN");
    assert_refused(&local, "{\"code\":\"AUTH_PASSWORD_MISMATCH\"}", "OPENCLAW_GATEWAY_PASSWORD");
    assert_refused(&by_flag, "{\"code\":\"AUTH_TOKEN_MISMATCH\"}", "--token-file");
    assert_refused(&remote, "{\"code\":\"AUTH_TOKEN_MISMATCH\"}", "gateway.remote.token");
    assert_refused(&local, "{\"code\":\"PAIRING_REQUIRED\",\"requestId\":\"ab-12\"}",
            "openclaw devices approve ab-12");
    assert_refused(&local, "{\"code\":\"PROTOCOL_MISMATCH\"}", "protocol 3 and 4");
    assert_refused(&local, "{\"code\":\"DEVICE_AUTH_SIGNATURE_EXPIRED\"}", "clocks");
    assert_refused(&local, "{\"code\":\"AUTH_RATE_LIMITED\"}", "wait a few minutes");
    assert_refused(&local, "{\"code\":\"AUTH_SOMETHING_NEW\"}", "OPENCLAW_GATEWAY_TOKEN");
    assert_refused(&local, "{\"code\":\"AUTH_TOKEN_NOT_CONFIGURED\"}", "on the gateway host");
    assert_refused(&local, "{\"cause\":\"WRONG_PASSWORD\"}", "OPENCLAW_GATEWAY_PASSWORD");
    assert_refused(&local, "{\"cause\":\"LOCKED_OUT\",\"retryAfterMs\":9000}", "in 9 s");
    assert_refused(&local, "{\"cause\":\"CROWDED\"}", "end programs");
    assert_refused(&local, "{\"cause\":\"BAD_PROOF\"}", "clocks");
    assert_refused(&local, "{\"cause\":\"NOT_PAIRED\",\"requestId\":\"ab-12\"}",
            "openclaw devices approve ab-12");
}

static void test_no_foreign_words_in_commands(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *d =
            cJSON_Parse("{\"code\":\"PAIRING_REQUIRED\",\"requestId\":\"x; rm -rf ~\"}");
    struct oc_session_end end = {
        .message = "pairing required", .error_code = "NOT_PAIRED", .details = d
    };
    struct cli_explained e;
    read_refusal(&end);
    cli_explain_end(&local, &end, &e);
    assert_null(strstr(e.fix, "rm -rf"));
    cli_explained_finish(&e);
}

static void test_unreachable(void **state) {
    (void)state;
    struct oc_session_end end = { .code = OC_E_IO, .message = "connection refused" };
    struct cli_explained e;
    cli_explain_end(&local, &end, &e);
    assert_string_equal(
            e.text, "cannot reach the gateway at ws://127.0.0.1:18789: connection refused");
    assert_string_equal(e.fix, "start it with: openclaw gateway run");
    cli_explained_finish(&e);
    end.code = OC_E_TIMEOUT;
    cli_explain_end(&local, &end, &e);
    assert_non_null(strstr(e.fix, "port"));
    cli_explained_finish(&e);
}

static void test_peer_text_is_made_printable(void **state) {
    (void)state;
    struct oc_session_end end = { .code = OC_E_CLOSED, .message = "bye\x1b[2J", .had_hello = true };
    struct cli_explained e;
    cli_explain_end(&local, &end, &e);
    assert_null(strchr(e.text, '\x1b'));
    cli_explained_finish(&e);
}

/* As lib/client/calls.c reads it. text: what the caller frees. */
static struct oc_reply reply_of(const cJSON *error, const char *message, char **ret_text) {
    struct oc_reply reply = { .code = OC_E_UNAVAILABLE,
        .error = error,
        .message = message,
        .error_code = oc_json_get_str(error, "code") };
    *ret_text = oc_grounds_read(
            &(struct oc_told_error){ .message = message, .details = oc_json_get(error, "details") },
            &reply.grounds);
    reply.text = *ret_text;
    return reply;
}

static void test_a_fix_in_the_words_of_a_node_is_marked_or_left_out(void **state) {
    (void)state;
    static const char *const rows[][3] = {
        { "denied (gate: g; fix: edit the file)", "denied (gate: g)",
                "the node says: edit the file" },
        { "denied (gate: g; fix: openclaw status;touch${IFS}x)", "denied (gate: g)",
                "the node named a fix that is not plain text; it is not shown here" },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        OC_AUTO_FREE char *text = NULL;
        struct oc_reply reply = reply_of(NULL, rows[i][0], &text);
        struct cli_explained e;
        cli_explain_reply(&reply, "node.invoke", &e);
        assert_string_equal(e.text, rows[i][1]);
        assert_string_equal(e.fix, rows[i][2]);
        cli_explained_finish(&e);
    }
}

static void assert_reply(const char *method, const char *error, const char *in_text,
        const char *in_fix, enum oc_gate gate) {
    OC_AUTO_JSON cJSON *doc = cJSON_Parse(error);
    OC_AUTO_FREE char *text = NULL;
    struct oc_reply reply = reply_of(doc, oc_json_get_str(doc, "message"), &text);
    struct cli_explained e;
    cli_explain_reply(&reply, method, &e);
    assert_string_equal(e.text, in_text);
    if (in_fix) {
        assert_non_null(e.fix);
        assert_non_null(strstr(e.fix, in_fix));
    } else {
        assert_null(e.fix);
    }
    assert_int_equal(e.grounds.gate, gate);
    cli_explained_finish(&e);
}

static void test_replies_name_the_gate(void **state) {
    (void)state;
    assert_reply("node.invoke",
            "{\"code\":\"INVALID_REQUEST\",\"message\":\"no\",\"details\":{\"gate\":\"node surface "
            "approval\",\"fix\":\"openclaw nodes approve 1\"}}",
            "no", "openclaw nodes approve 1", OC_GATE_SURFACE);
    assert_reply("node.invoke",
            "{\"code\":\"INVALID_REQUEST\",\"message\":\"no (gate: x; fix: y)\",\"details\":{"
            "\"gate\":\"node surface approval\",\"remedy\":\"approve-node\",\"subject\":\"7\","
            "\"fix\":\"evil\",\"text\":\"no\"}}",
            "no", "openclaw nodes approve 7", OC_GATE_SURFACE);
    assert_reply("node.invoke",
            "{\"code\":\"INVALID_REQUEST\",\"message\":\"no\",\"details\":{\"reason\":\"command "
            "not allowlisted\",\"command\":\"camera.snap\"}}",
            "no", "openclaw nodes allow camera.snap", OC_GATE_POLICY);
    assert_reply("node.invoke",
            "{\"code\":\"UNAVAILABLE\",\"message\":\"SYSTEM_RUN_DENIED: approval required\"}",
            "SYSTEM_RUN_DENIED: approval required", "--node <its id> <path of the program>",
            OC_GATE_LOCAL);
    assert_reply("node.invoke", "{\"code\":\"UNAVAILABLE\",\"message\":\"node not connected\"}",
            "node not connected", "openclaw node run", OC_GATE_NONE);
    assert_reply("device.pair.list",
            "{\"code\":\"FORBIDDEN\",\"message\":\"missing scope: operator.pairing\"}",
            "missing scope: operator.pairing", "operator.pairing", OC_GATE_SCOPE);
    /* A node of ours behind a gateway of the reference. */
    assert_reply("node.invoke",
            "{\"code\":\"UNAVAILABLE\",\"message\":\"SYSTEM_RUN_DISABLED: security=deny (gate: "
            "local exec approvals; fix: on the node run: openclaw approvals security allowlist)\"}",
            "SYSTEM_RUN_DISABLED: security=deny",
            "on the node run: openclaw approvals security allowlist", OC_GATE_LOCAL);
    assert_reply("x", "{\"code\":\"INVALID_REQUEST\",\"message\":\"unknown method: x\"}",
            "unknown method: x", NULL, OC_GATE_NONE);
}

static void explain_end(const struct oc_session_end *end, struct cli_explained *ret) {
    struct cli_target t = { .url = (char *)(uintptr_t) "ws://h:1",
        .host = (char *)(uintptr_t) "h",
        .port = 1,
        .from = CLI_TARGET_URL };
    cli_explain_end(&t, end, ret);
}

static void test_ends_say_how_long_and_say_it_once(void **state) {
    (void)state;
    struct cli_explained e;
    struct oc_session_end closed = { .code = OC_E_CLOSED,
        .had_hello = true,
        .close_code = 1012,
        .close_reason = "service restart",
        .message = "the gateway closed the connection (1012 service restart)" };
    explain_end(&closed, &e);
    assert_string_equal(
            e.text, "the gateway at ws://h:1 closed the connection (1012 service restart)");
    assert_non_null(strstr(e.fix, "restarting"));
    assert_non_null(strstr(e.fix, "may have gone on"));
    cli_explained_finish(&e);
    OC_AUTO_JSON cJSON *details = cJSON_CreateObject();
    oc_json_set_str(details, "code", "AUTH_RATE_LIMITED");
    oc_json_set_int(details, "retryAfterMs", 41200);
    struct oc_session_end locked = {
        .code = OC_E_AUTH, .error_code = "INVALID_REQUEST", .details = details, .message = "no"
    };
    read_refusal(&locked);
    explain_end(&locked, &e);
    assert_non_null(strstr(e.fix, "try again in 42 s"));
    cli_explained_finish(&e);
    oc_json_set_int(details, "retryAfterMs", 300000);
    explain_end(&locked, &e);
    assert_non_null(strstr(e.fix, "try again in 5 minutes"));
    cli_explained_finish(&e);
    struct oc_session_end tls = { .code = OC_E_CLOSED,
        .grounds = { .cause = OC_CAUSE_NEEDS_TLS },
        .message = "the connection was closed before the WebSocket was open" };
    explain_end(&tls, &e);
    assert_non_null(strstr(e.fix, "use wss:// with its pin"));
    cli_explained_finish(&e);
    tls.grounds.cause = OC_CAUSE_CLOSED_EARLY; /* perhaps */
    explain_end(&tls, &e);
    assert_non_null(strstr(e.fix, "if it has TLS, use wss://"));
    cli_explained_finish(&e);
    tls = (struct oc_session_end){ .code = OC_E_AUTH,
        .grounds = { .cause = OC_CAUSE_UNKNOWN_CERTIFICATE },
        .message = "no authority vouches for it" };
    explain_end(&tls, &e);
    assert_null(strstr(e.fix, "self-signed"));
    cli_explained_finish(&e);
}

static void test_no_answer(void **state) {
    (void)state;
    struct oc_reply reply = { .code = OC_E_TIMEOUT, .message = "timeout" };
    struct cli_explained e;
    cli_explain_reply(&reply, "node.list", &e);
    assert_string_equal(e.text, "no answer to node.list in time");
    assert_non_null(strstr(e.fix, "--timeout"));
    cli_explained_finish(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_no_foreign_words_in_commands),
        cmocka_unit_test(test_unreachable),
        cmocka_unit_test(test_peer_text_is_made_printable),
        cmocka_unit_test(test_replies_name_the_gate),
        cmocka_unit_test(test_no_answer),
        cmocka_unit_test(test_a_fix_in_the_words_of_a_node_is_marked_or_left_out),
        cmocka_unit_test(test_ends_say_how_long_and_say_it_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
