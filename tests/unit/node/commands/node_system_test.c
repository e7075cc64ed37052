/* system.run, system.run.prepare and system.which, end to end inside the node: real programs, real
 * files. */
#include "tests/any_int.h"
#include "tests/unit/node/node_testing.h"

static cJSON *invoke(struct test_host *t, const char *command, const char *params) {
    static int last;
    char id[16];
    snprintf(id, sizeof(id), "i%d", ++last);
    test_host_invoke(t, id, command, params, -1, NULL);
    return test_host_payload(t, id);
}

static void expect_error(struct test_host *t, const char *command, const char *params,
        const char *code, const char *text) {
    static int last;
    char id[16];
    snprintf(id, sizeof(id), "e%d", ++last);
    test_host_invoke(t, id, command, params, -1, NULL);
    test_host_expect_error(t, id, code, text);
}

static void expect_json(const cJSON *got, const char *expected) {
    OC_AUTO_FREE char *text = oc_json_print(got, false);
    assert_string_equal(text, expected);
}

static void run_results(void **state) {
    struct test_host *t = *state;
    test_host_policy(t, "full");
    OC_AUTO_JSON cJSON *a = invoke(
            t, "system.run", "{\"command\":[\"sh\",\"-c\",\"echo out; echo err >&2; exit 3\"]}");
    expect_json(a, "{\"exitCode\":3,\"timedOut\":false,\"success\":false,\"stdout\":\"out\\n\","
                   "\"stderr\":\"err\\n\","
                   "\"error\":null}");
    OC_AUTO_JSON cJSON *b = invoke(t, "system.run", "{\"command\":[\"/no/such/bin\"]}");
    expect_json(b, "{\"timedOut\":false,\"success\":false,\"stdout\":\"\",\"stderr\":\"\","
                   "\"error\":\"spawn /no/such/bin ENOENT\"}");
    OC_AUTO_JSON cJSON *c =
            invoke(t, "system.run", "{\"command\":[\"true\"],\"cwd\":\"/nonexistent\"}");
    assert_string_equal(oc_json_get_str(c, "error"), "spawn true ENOENT");
    OC_AUTO_JSON cJSON *d = invoke(t, "system.run", "{\"command\":[\"pwd\"],\"cwd\":\" /usr \"}");
    assert_string_equal(oc_json_get_str(d, "stdout"), "/usr\n");
    OC_AUTO_JSON cJSON *e =
            invoke(t, "system.run", "{\"command\":[\"sh\",\"-c\",\"kill -TERM $$\"]}");
    assert_null(oc_json_get(e, "exitCode"));
    assert_int_equal(any_int(e, "signal", 0), 15);
    OC_AUTO_JSON cJSON *f = invoke(t, "system.run", "{\"command\":[\"/etc/passwd\"]}");
    assert_string_equal(oc_json_get_str(f, "error"), "spawn /etc/passwd EACCES");
}

static void run_timeout(void **state) {
    struct test_host *t = *state;
    test_host_policy(t, "full");
    OC_AUTO_FREE char *params =
            oc_strfmt("{\"command\":[\"sh\",\"-c\",\"echo before; sleep 1000 & setsid sleep 1000 & "
                      "echo ready > ready; wait\"],\"timeoutMs\":300,\"cwd\":\"%s\"}",
                    t->dir);
    test_host_invoke(t, "1", "system.run", params, -1, NULL);
    STEP_UNTIL(t->host.machine.loop, test_host_has_line(t, "ready"));
    oc_fake_clock_advance(&t->clock, 300);
    OC_AUTO_JSON cJSON *a = test_host_payload(t, "1");
    assert_true(oc_json_get_bool(a, "timedOut", false));
    assert_string_equal(oc_json_get_str(a, "stdout"), "before\n");
    assert_null(oc_json_get(a, "exitCode"));
}

static void run_environment(void **state) {
    struct test_host *t = *state;
    test_host_policy(t, "full");
    assert_int_equal(setenv("OPENCLAW_GATEWAY_TOKEN", "very-secret", 1), 0);
    OC_AUTO_JSON cJSON *a = invoke(t, "system.run",
            "{\"command\":[\"env\"],\"env\":{\"FOO\":\"bar\",\"PATH\":\"/evil\",\"LD_PRELOAD\":\"/"
            "x\"}}");
    const char *out = oc_json_get_str(a, "stdout");
    assert_non_null(strstr(out, "FOO=bar\n"));
    assert_null(strstr(out, "/evil"));
    assert_null(strstr(out, "LD_PRELOAD"));
    assert_null(strstr(out, "very-secret"));
    OC_AUTO_JSON cJSON *b = invoke(t, "system.run",
            "{\"command\":[\"sh\",\"-c\",\"echo "
            "$FOO$TERM\"],\"env\":{\"FOO\":\"bar\",\"TERM\":\"x\"}}");
    assert_string_equal(oc_json_get_str(b, "stdout"), "barx\n");
    unsetenv("OPENCLAW_GATEWAY_TOKEN");
}

/* The program is the listed file; the name it is called by is the caller's. */
static void run_allowlist(void **state) {
    struct test_host *t = *state;
    OC_AUTO_FREE char *tool = oc_path_join(t->dir, "tool"), *alias = oc_path_join(t->dir, "alias");
    oc_write_text(tool, "#!/bin/sh\necho \"$FOO$LANG\"\n");
    assert_int_equal(chmod(tool, 0700), 0);
    assert_int_equal(symlink(tool, alias), 0);
    OC_AUTO_FREE char *file =
            oc_strfmt("{\"version\":1,\"defaults\":{\"security\":\"allowlist\"},"
                      "\"agents\":{\"*\":{\"allowlist\":[{\"pattern\":\"%s\"}]}}}",
                    tool);
    oc_write_text(t->approvals, file);
    OC_AUTO_FREE char *params = oc_strfmt(
            "{\"command\":[\"%s\"],\"env\":{\"FOO\":\"bar\",\"LANG\":\"C.UTF-8\"}}", alias);
    expect_error(t, "system.run", params, "SYSTEM_RUN_DENIED",
            "SYSTEM_RUN_DENIED: approval required (allowlist miss: the list allows it, but not "
            "with the "
            "variable FOO");
    oc_free(params);
    params = oc_strfmt("{\"command\":[\"%s\"],\"env\":{\"LANG\":\"C.UTF-8\"}}", alias);
    OC_AUTO_JSON cJSON *a = invoke(t, "system.run", params);
    assert_string_equal(oc_json_get_str(a, "stdout"), "C.UTF-8\n");
    expect_error(t, "system.run", "{\"command\":[\"id\"]}", "SYSTEM_RUN_DENIED",
            "SYSTEM_RUN_DENIED: approval required (allowlist miss: ");
}

static void scripts_without_magic_number(void **state) {
    struct test_host *t = *state;
    test_host_policy(t, "full");
    OC_AUTO_FREE char *script = oc_path_join(t->dir, "script"),
                      *binary = oc_path_join(t->dir, "binary");
    oc_write_text(script, "echo $1\n");
    FILE *f = fopen(binary, "w");
    assert_non_null(f);
    assert_int_equal(fwrite("\x01\x00\x02", 1, 3, f), 3);
    fclose(f);
    assert_int_equal(chmod(script, 0700) | chmod(binary, 0700), 0);
    OC_AUTO_FREE char *params = oc_strfmt("{\"command\":[\"%s\",\"hello\"]}", script);
    OC_AUTO_JSON cJSON *a = invoke(t, "system.run", params);
    assert_string_equal(oc_json_get_str(a, "stdout"), "hello\n");
    OC_AUTO_FREE char *bad = oc_strfmt("{\"command\":[\"%s\"]}", binary);
    OC_AUTO_JSON cJSON *b = invoke(t, "system.run", bad);
    assert_non_null(strstr(oc_json_get_str(b, "error"), "ENOEXEC"));
}

static void run_refusals(void **state) {
    struct test_host *t = *state;
    expect_error(t, "system.run", "{\"command\":[\"true\"]}", "SYSTEM_RUN_DENIED",
            "SYSTEM_RUN_DISABLED: security=deny");
    test_host_policy(t, "full");
    expect_error(t, "system.run", "{}", "INVALID_REQUEST", "command required");
    expect_error(t, "system.run", "{\"command\":[\"a\"],\"rawCommand\":\"b\"}", "INVALID_REQUEST",
            "rawCommand does not match command");
    expect_error(t, "system.run", "{\"command\":[\"true\"],\"needsScreenRecording\":true}",
            "SYSTEM_RUN_DENIED", "PERMISSION_MISSING: screenRecording");
}

static void events(void **state) {
    struct test_host *t = *state;
    test_host_policy(t, "full");
    cJSON_Delete(invoke(t, "system.run",
            "{\"command\":[\"sh\",\"-c\",\"echo "
            "hi\"],\"sessionKey\":\"agent:main:main\",\"runId\":\"r1\"}"));
    OC_AUTO_JSON cJSON *finished = test_host_event(t, "exec.finished");
    expect_json(finished, "{\"sessionKey\":\"agent:main:main\",\"runId\":\"r1\",\"host\":\"node\","
                          "\"command\":\"echo hi\","
                          "\"exitCode\":0,\"timedOut\":false,\"success\":true,\"output\":\"hi\"}");
    /* Callers want the event first. */
    const cJSON *first = t->frames->child;
    assert_string_equal(oc_json_get_str(first, "method"), "node.event");
    assert_string_equal(oc_json_get_str(first->next, "method"), "node.invoke.result");
    test_host_policy(t, "deny");
    expect_error(t, "system.run", "{\"command\":[\"id\",\"a b\"]}", "SYSTEM_RUN_DENIED",
            "SYSTEM_RUN_DISABLED");
    OC_AUTO_JSON cJSON *denied = test_host_event(t, "exec.denied");
    assert_string_equal(oc_json_get_str(denied, "sessionKey"), "node");
    assert_string_equal(oc_json_get_str(denied, "command"), "id \"a b\"");
    assert_string_equal(oc_json_get_str(denied, "reason"), "security=deny");
    assert_int_equal(strlen(oc_json_get_str(denied, "runId")), 36);
}

static void prepare_plans(void **state) {
    struct test_host *t = *state;
    test_host_policy(t, "full");
    OC_AUTO_JSON cJSON *a = invoke(
            t, "system.run.prepare", "{\"command\":[\"echo\",\"a b\"],\"agentId\":\"main\"}");
    OC_AUTO_FREE char *here = getcwd(NULL, 0);
    cJSON *own = cJSON_DetachItemFromObjectCaseSensitive(
            cJSON_GetObjectItemCaseSensitive(a, "approval"), "nodeCwd");
    assert_string_equal(cJSON_GetStringValue(own), here); /* where it would run */
    cJSON_Delete(own);
    expect_json(a, "{\"cmdText\":\"echo \\\"a "
                   "b\\\"\",\"plan\":{\"version\":2,\"argv\":[\"echo\",\"a b\"],\"cwd\":null,"
                   "\"rawCommand\":\"echo \\\"a b\\\"\",\"commandText\":\"echo \\\"a "
                   "b\\\"\",\"commandPreview\":null,"
                   "\"agentId\":\"main\",\"sessionKey\":null},"
                   "\"execPolicy\":{\"security\":\"full\",\"ask\":\"on-miss\"},"
                   "\"approval\":{\"security\":\"full\",\"ask\":\"on-miss\",\"required\":false,"
                   "\"resolvedPath\":"
                   "\"/usr/bin/echo\",\"wouldAllowFor\":\"main\",\"reason\":\"security is full: "
                   "everything runs here\","
                   "\"wouldAllow\":[]}}");
    OC_AUTO_JSON cJSON *b = invoke(t, "system.run.prepare",
            "{\"command\":[\"/bin/sh\",\"-lc\",\"uname -s; exit 3\"],\"rawCommand\":\"uname -s; "
            "exit 3\",\"sessionKey\":\"s\"}");
    const cJSON *plan = oc_json_get(b, "plan");
    assert_string_equal(oc_json_get_str(b, "cmdText"), "uname -s; exit 3");
    assert_string_equal(oc_json_get(plan, "argv")->child->valuestring, "/bin/sh");
    assert_string_equal(oc_json_get_str(plan, "sessionKey"), "s");
    expect_error(t, "system.run.prepare", "{}", "INVALID_REQUEST", "command required");
    expect_error(t, "system.run.prepare", "{\"command\":[\"a\"],\"rawCommand\":\"b\"}",
            "INVALID_REQUEST", "rawCommand does not match command");
}

static void ask_about_all(struct test_host *t) {
    oc_write_text(t->approvals,
            "{\"version\":1,\"defaults\":{\"security\":\"allowlist\",\"ask\":\"on-miss\"}}");
}

static void prepare_pins_paths(void **state) {
    struct test_host *t = *state;
    ask_about_all(t);
    OC_AUTO_FREE char *real_dir = realpath(t->dir, NULL);
    OC_AUTO_FREE char *tool = oc_path_join(real_dir, "tool"),
                      *link = oc_path_join(real_dir, "link");
    oc_write_text(tool, "");
    assert_int_equal(symlink("tool", link), 0);
    OC_AUTO_FREE char *params =
            oc_strfmt("{\"command\":[\"./link\",\"x\"],\"cwd\":\"%s\"}", real_dir);
    OC_AUTO_JSON cJSON *a = invoke(t, "system.run.prepare", params);
    const cJSON *plan = oc_json_get(a, "plan");
    OC_AUTO_FREE char *text = oc_strfmt("%s x", tool);
    assert_string_equal(oc_json_get(plan, "argv")->child->valuestring, tool);
    assert_string_equal(oc_json_get_str(plan, "cwd"), real_dir);
    assert_string_equal(
            oc_json_get_str(plan, "rawCommand"), text); /* what is shown is what would run */
    expect_error(t, "system.run.prepare", "{\"command\":[\"./gone\"]}", "INVALID_REQUEST",
            "SYSTEM_RUN_DENIED: approval requires a stable executable path");
}

static void prepare_checks_the_directory(void **state) {
    struct test_host *t = *state;
    ask_about_all(t);
    OC_AUTO_FREE char *dir = realpath(t->dir, NULL);
    OC_AUTO_FREE char *sub = oc_path_join(dir, "sub"), *link = oc_path_join(dir, "link");
    OC_AUTO_FREE char *file = oc_path_join(dir, "file"), *inner = oc_path_join(sub, "inner");
    assert_int_equal(mkdir(sub, 0700) | mkdir(inner, 0700), 0);
    assert_int_equal(symlink(sub, link), 0);
    oc_write_text(file, "");
    const struct {
        char *cwd;
        const char *text;
    } cases[] = {
        { oc_strfmt("%s/gone", dir), "an existing canonical cwd" },
        { oc_strdup(file), "cwd to be a directory" },
        { oc_strdup(link), "canonical cwd (no symlink cwd)" },
        { oc_strfmt("%s/", link), "canonical cwd (no symlink cwd)" },
        { oc_strfmt("%s/inner", link), "canonical cwd (no symlink path components)" },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        OC_AUTO_FREE char *cwd = cases[i].cwd;
        OC_AUTO_FREE char *params = oc_strfmt("{\"command\":[\"ls\"],\"cwd\":\"%s\"}", cwd);
        OC_AUTO_FREE char *text =
                oc_strfmt("SYSTEM_RUN_DENIED: approval requires %s", cases[i].text);
        expect_error(t, "system.run.prepare", params, "INVALID_REQUEST", text);
    }
}

/* Full trust: nobody approves anything, so nothing is refused, not even what cannot be approved. */
static void prepare_is_in_nobodys_way(void **state) {
    struct test_host *t = *state;
    test_host_policy(t, "full");
    OC_AUTO_FREE char *dir = realpath(t->dir, NULL), *link = oc_path_join(dir, "link");
    assert_int_equal(symlink(dir, link), 0);
    OC_AUTO_FREE char *params = oc_strfmt("{\"command\":[\"./gone\"],\"cwd\":\"%s\"}", link);
    OC_AUTO_JSON cJSON *a = invoke(t, "system.run.prepare", params);
    const cJSON *plan = oc_json_get(a, "plan"), *approval = oc_json_get(a, "approval");
    assert_string_equal(oc_json_get_str(plan, "cwd"), link);
    assert_string_equal(oc_json_get(plan, "argv")->child->valuestring, "./gone");
    assert_null(oc_json_get(approval, "resolvedPath"));
    OC_AUTO_FREE char *run =
            oc_strfmt("{\"command\":[\"pwd\",\"-P\"],\"cwd\":\"%s\",\"approved\":true}", link);
    OC_AUTO_JSON cJSON *b = invoke(t, "system.run", run);
    OC_AUTO_FREE char *expected = oc_strfmt("%s\n", dir);
    assert_string_equal(oc_json_get_str(b, "stdout"), expected);
}

static void which(void **state) {
    struct test_host *t = *state;
    OC_AUTO_JSON cJSON *a = invoke(t, "system.which",
            "{\"bins\":[\"sh\",\" ls \",\"no-such-bin\",\"a/b\",\"../bin/sh\",\"\"]}");
    const cJSON *bins = oc_json_get(a, "bins");
    assert_int_equal(cJSON_GetArraySize(bins), 2);
    assert_int_equal(access(oc_json_get_str(bins, "sh"), X_OK), 0);
    assert_non_null(oc_json_get_str(bins, "ls"));
    OC_AUTO_JSON cJSON *b = invoke(t, "system.which", "{\"bins\":[]}");
    expect_json(b, "{\"bins\":{}}");
    expect_error(
            t, "system.which", "{}", "INVALID_REQUEST", "Error: INVALID_REQUEST: bins required");
    expect_error(t, "system.which", "{\"bins\":\"sh\"}", "INVALID_REQUEST", "bins required");
    expect_error(t, "system.which", "{\"bins\":[1]}", "INVALID_REQUEST", "bins must be strings");
    OC_AUTO_BUF struct oc_buf many = OC_BUF_INIT(1 << 20);
    oc_buf_puts(&many, "{\"bins\":[\"x\"");
    for (int i = 0; i < 512; i++) {
        oc_buf_puts(&many, ",\"x\"");
    }
    oc_buf_puts(&many, "]}");
    expect_error(t, "system.which", many.data, "INVALID_REQUEST", "at most 512");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, test_host_setup, test_host_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(run_results),
        TEST(run_timeout),
        TEST(run_environment),
        TEST(run_allowlist),
        TEST(scripts_without_magic_number),
        TEST(run_refusals),
        TEST(events),
        TEST(prepare_plans),
        TEST(prepare_pins_paths),
        TEST(prepare_checks_the_directory),
        TEST(prepare_is_in_nobodys_way),
        TEST(which),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
