/* The exec engine inside the node: what really runs, what is refused right before it runs, and what
 * is written down. */
#include "node/policy/skill_bins.h"
#include "tests/any_int.h"
#include "tests/unit/node/node_testing.h"

static void send_run(struct test_host *t, const char *id, const char *params) {
    test_host_invoke(t, id, "system.run", params, -1, NULL);
}

/* The standard output of a run that must succeed; caller frees. */
static char *output(struct test_host *t, const char *params) {
    static int last;
    char id[16];
    (void)snprintf(id, sizeof(id), "r%d", ++last);
    send_run(t, id, params);
    OC_AUTO_JSON cJSON *payload = test_host_payload(t, id);
    return oc_strdup(oc_json_get_str(payload, "stdout"));
}

static void refused(struct test_host *t, const char *params, const char *part) {
    static int last;
    char id[16];
    (void)snprintf(id, sizeof(id), "x%d", ++last);
    send_run(t, id, params);
    test_host_expect_error(t, id, "SYSTEM_RUN_DENIED", part);
}

/* security allowlist for main: echo and tr, and whatever `more` says. */
static void allow_echo(struct test_host *t, const char *more) {
    OC_AUTO_FREE char *text = oc_strfmt(
            "{\"version\":1,\"defaults\":{\"security\":\"allowlist\",\"ask\":\"on-miss\"%s},"
            "\"agents\":{\"main\":{\"allowlist\":[{\"pattern\":\"/bin/echo\"}]}}}",
            more);
    oc_write_text(t->approvals, text);
}

/* Nothing is on the list, and approvals count. */
static void ask_about_all(struct test_host *t) {
    oc_write_text(t->approvals,
            "{\"version\":1,\"defaults\":{\"security\":\"allowlist\",\"ask\":\"on-miss\"}}");
}

static void scripts_run_as_they_were_read(void **state) {
    struct test_host *t = *state;
    allow_echo(t, "");
    static const struct {
        const char *params, *out;
    } cases[] = {
        { "{\"command\":[\"/bin/sh\",\"-lc\",\"echo 'a  b' && echo c\"]}", "a  b\nc\n" },
        { "{\"command\":[\"bash\",\"-c\",\"echo abc | tr a-c x-z\"]}", "xyz\n" },
        { "{\"command\":[\"sh\",\"-c\",\"echo \\\"it's\\\" '$HOME' \\\\; | tr a b; echo x || echo "
          "y\"]}",
                "it's $HOME ;\nx\n" },
        { "{\"command\":[\"timeout\",\"20\",\"sh\",\"-c\",\"nice echo a; echo b\"]}", "a\nb\n" },
        { "{\"command\":[\"env\",\"echo\",\"$(id)\"]}", "$(id)\n" },
        { "{\"command\":[\"sh\",\"-lc\",\"cd /usr/bin && ./echo here\"]}", "here\n" },
        { "{\"command\":[\"echo\",\"a\\nb\"]}", "a\nb\n" },
        /* variables: those of terminal and language, nothing else, and no PATH */
        { "{\"command\":[\"sh\",\"-c\",\"echo a; echo "
          "b\"],\"env\":{\"PATH\":\"/evil\",\"BASH_ENV\":\"/evil\","
          "\"ENV\":\"/evil\",\"LANG\":\"C\"}}",
                "a\nb\n" },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        OC_AUTO_FREE char *out = output(t, cases[i].params);
        assert_string_equal(out, cases[i].out);
    }
    refused(t, "{\"command\":[\"sh\",\"-c\",\"echo $(id)\"]}", "an expansion at \"$(id)\"");
    refused(t, "{\"command\":[\"sh\",\"-c\",\"echo a; id\"]}", "/id is not on the list");
}

/* Functions exported by the environment are named like programs, even with slashes; none may stand
 * in for one. */
static void functions_of_the_environment_do_not_count(void **state) {
    struct test_host *t = *state;
    allow_echo(t, "");
    assert_int_equal(setenv("BASH_FUNC_/usr/bin/echo%%", "() { id; }", 1), 0);
    assert_int_equal(setenv("BASH_FUNC_echo%%", "() { id; }", 1), 0);
    OC_AUTO_FREE char *out = output(t, "{\"command\":[\"bash\",\"-c\",\"echo a; echo b\"]}");
    assert_string_equal(out, "a\nb\n");
    unsetenv("BASH_FUNC_/usr/bin/echo%%");
    unsetenv("BASH_FUNC_echo%%");
}

static void use_is_written_down(void **state) {
    struct test_host *t = *state;
    allow_echo(t, "");
    oc_free(output(t, "{\"command\":[\"sh\",\"-c\",\"echo a | tr a b\"]}"));
    OC_AUTO_BUF struct oc_buf text = { 0 };
    assert_int_equal(oc_file_read(t->approvals, 100000, &text, NULL), OC_OK);
    OC_AUTO_JSON cJSON *file = NULL;
    assert_int_equal(oc_json_parse(text.data, text.len, &file, NULL), OC_OK);
    const cJSON *entry = oc_json_path(file, "agents.main.allowlist")->child;
    assert_string_equal(oc_json_get_str(entry, "lastUsedCommand"), "echo a | tr a b");
    assert_true(oc_ends_with(oc_json_get_str(entry, "lastResolvedPath"), "/bin/echo"));
    assert_int_equal(any_int(entry, "lastUsedAt", 0), 1700000000000);
}

static void always_remembers_what_the_script_ran(void **state) {
    struct test_host *t = *state;
    allow_echo(t, "");
    refused(t, "{\"command\":[\"sh\",\"-c\",\"echo a | cat | sh\"]}", "allowlist miss");
    OC_AUTO_FREE char *out =
            output(t, "{\"command\":[\"sh\",\"-c\",\"echo hi | cat\"],\"approved\":true,"
                      "\"approvalDecision\":\"allow-always\"}");
    assert_string_equal(out, "hi\n");
    OC_AUTO_FREE char *again = output(t, "{\"command\":[\"sh\",\"-c\",\"echo a | cat\"]}");
    assert_string_equal(again, "a\n");
    refused(t, "{\"command\":[\"sh\",\"-c\",\"echo a | sh\"]}", "sh can run any other command");
    refused(t, "{\"command\":[\"sh\",\"script\"]}", "sh can run any other command");
}

/* Another program is changing the file when a person says "always": nobody waits, and nothing is
 * forgotten. */
static void always_is_written_down_later(void **state) {
    struct test_host *t = *state;
    allow_echo(t, "");
    OC_AUTO_FREE char *lock = oc_strfmt("%s.lock", t->approvals);
    int fd = -1;
    assert_int_equal(oc_file_lock(lock, &fd, NULL), OC_OK);
    oc_free(output(t, "{\"command\":[\"uname\"],\"approved\":true,"
                      "\"approvalDecision\":\"allow-always\"}"));
    refused(t, "{\"command\":[\"uname\"]}", "is not on the list");
    close(fd);
    oc_fake_clock_advance(&t->clock, 1000);
    oc_loop_step(t->host.machine.loop, 0);
    oc_free(output(t, "{\"command\":[\"uname\"]}"));
}

static char *rules_text(const struct test_host *t) {
    OC_AUTO_BUF struct oc_buf text = { 0 };
    assert_int_equal(oc_file_read(t->approvals, 100000, &text, NULL), OC_OK);
    return oc_strndup(text.data, text.len);
}

/* A command that the node has no place for was not used, and "always" was not about it. */
static void what_does_not_start_is_not_noted(void **state) {
    struct test_host *t = *state;
    allow_echo(t, "");
    OC_AUTO_JSON cJSON *config = cJSON_Parse("{\"node\":{\"exec\":{\"maxConcurrent\":1}}}");
    t->host.machine.config = config;
    static const char always[] = "{\"command\":[\"uname\"],\"approved\":true,"
                                 "\"approvalDecision\":\"allow-always\"}";
    OC_AUTO_FREE char *before = rules_text(t);
    test_host_invoke(t, "long", "system.run",
            "{\"command\":[\"sleep\",\"1000\"],\"approved\":true,\"background\":true,"
            "\"handle\":\"long\"}",
            -1, NULL);
    STEP_UNTIL(t->host.machine.loop, test_host_result(t, "long"));
    send_run(t, "busy1", always);
    test_host_expect_error(t, "busy1", "UNAVAILABLE", "node busy");
    send_run(t, "busy2", "{\"command\":[\"echo\"]}");
    test_host_expect_error(t, "busy2", "UNAVAILABLE", "node busy");
    OC_AUTO_FREE char *after = rules_text(t);
    assert_string_equal(after, before);
    test_host_invoke(t, "kill", "system.runs.kill", "{\"handle\":\"long\"}", -1, NULL);
    int64_t limit;
    STEP_UNTIL(t->host.machine.loop, nd_runs_have_room(t->host.runner.runs, &limit));
    oc_free(output(t, always));
    oc_free(output(t, "{\"command\":[\"uname\"]}"));
    t->host.machine.config = NULL;
}

/* The caller is told which variables a command did not get. */
static void dropped_variables_are_named(void **state) {
    struct test_host *t = *state;
    allow_echo(t, "");
    test_host_invoke(t, "env", "system.run",
            "{\"command\":[\"echo\"],\"env\":{\"LD_PRELOAD\":\"1\",\"LANG\":\"C\",\"PATH\":\"/"
            "x\"}}",
            -1, NULL);
    STEP_UNTIL(t->host.machine.loop, test_host_result(t, "env"));
    OC_AUTO_JSON cJSON *payload = test_host_payload(t, "env");
    OC_AUTO_FREE char *names = oc_json_print(oc_json_get(payload, "envDropped"), false);
    assert_string_equal(names, "[\"LD_PRELOAD\",\"PATH\"]");
    test_host_policy(t, "full");
    test_host_invoke(
            t, "env2", "system.run", "{\"command\":[\"echo\"],\"env\":{\"FOO\":\"1\"}}", -1, NULL);
    STEP_UNTIL(t->host.machine.loop, test_host_result(t, "env2"));
    OC_AUTO_JSON cJSON *all = test_host_payload(t, "env2");
    assert_null(oc_json_get(all, "envDropped"));
}

static char *prepare(struct test_host *t, const char *params) {
    static int last;
    char id[16];
    (void)snprintf(id, sizeof(id), "p%d", ++last);
    test_host_invoke(t, id, "system.run.prepare", params, -1, NULL);
    OC_AUTO_JSON cJSON *payload = test_host_payload(t, id);
    return oc_json_print(oc_json_get(payload, "plan"), false);
}

/* Anybody could put another program there. */
static void always_does_not_remember_what_everyone_can_replace(void **state) {
    struct test_host *t = *state;
    allow_echo(t, "");
    OC_AUTO_FREE char *dir = oc_path_join(t->dir, "open"), *tool = oc_path_join(dir, "tool");
    assert_int_equal(mkdir(dir, 0700), 0);
    oc_write_text(tool, "#!/bin/sh\necho ran\n");
    assert_int_equal(chmod(tool, 0755), 0);
    OC_AUTO_FREE char *approved = oc_strfmt(
            "{\"command\":[\"%s\"],\"approved\":true,\"approvalDecision\":\"allow-always\"}", tool);
    OC_AUTO_FREE char *plain = oc_strfmt("{\"command\":[\"%s\"]}", tool);
    OC_AUTO_FREE char *other = oc_strfmt("{\"command\":[\"%s\",\"x\"]}", tool);
    assert_int_equal(chmod(dir, 0777), 0);
    oc_free(prepare(t, plain));
    oc_free(output(t, approved));
    refused(t, other, "is not on the list"); /* a refusal of the same one would count as a look */
    assert_int_equal(chmod(dir, 0755), 0);
    oc_free(prepare(t, plain));
    oc_free(output(t, approved));
    oc_free(output(t, plain));
}

static void what_nobody_decided_falls_back(void **state) {
    struct test_host *t = *state;
    static const char unanswered[] = "{\"command\":[\"sh\",\"-c\",\"echo hi >&1\"],"
                                     "\"approvalUnanswered\":true}";
    oc_write_text(t->approvals,
            "{\"version\":1,\"defaults\":{\"security\":\"full\",\"ask\":\"always\"}}");
    refused(t, unanswered, "nobody decided in time");
    oc_write_text(t->approvals, "{\"version\":1,\"defaults\":{\"security\":\"full\",\"ask\":"
                                "\"always\",\"askFallback\":\"allowlist\"}}");
    refused(t, unanswered, "allowlist miss");
    oc_write_text(t->approvals, "{\"version\":1,\"defaults\":{\"security\":\"full\",\"ask\":"
                                "\"always\",\"askFallback\":\"full\"}}");
    OC_AUTO_FREE char *out = output(t, unanswered);
    assert_string_equal(out, "hi\n");
    refused(t, "{\"command\":[\"echo\"]}", "approval required");
}

/* GHSA-hjvp-qhm6-wrh2, CVE-2026-53822: what was approved and what runs must be the same file. */
static void a_script_that_changed_is_not_the_approved_one(void **state) {
    struct test_host *t = *state;
    ask_about_all(t);
    OC_AUTO_FREE char *script = oc_path_join(t->dir, "x.sh"), *dir = realpath(t->dir, NULL);
    oc_write_text(script, "echo one\n");
    OC_AUTO_FREE char *asks = oc_strfmt("{\"command\":[\"sh\",\"x.sh\"],\"cwd\":\"%s\"}", dir);
    OC_AUTO_FREE char *runs =
            oc_strfmt("{\"command\":[\"sh\",\"x.sh\"],\"cwd\":\"%s\",\"approved\":true}", dir);
    OC_AUTO_FREE char *plan = prepare(t, asks);
    assert_non_null(strstr(plan, "\"mutableFileOperand\":{\"argvIndex\":1,\"path\":"));
    OC_AUTO_FREE char *one = output(t, runs);
    assert_string_equal(one, "one\n");

    oc_free(prepare(t, asks));
    oc_write_text(script, "echo evil\n");
    oc_free(prepare(t,
            asks)); /* preparing again does not launder it: nobody knows which one was approved */
    refused(t, runs, "SYSTEM_RUN_DENIED: execution plan mismatch");
    OC_AUTO_JSON cJSON *event = test_host_event(t, "exec.denied");
    assert_string_equal(oc_json_get_str(event, "reason"), "execution-plan-miss");

    /* newer gateways bring the plan along */
    OC_AUTO_FREE char *with_plan = oc_strfmt("{\"command\":[\"sh\",\"x.sh\"],\"cwd\":\"%s\","
                                             "\"approved\":true,\"systemRunPlan\":%s}",
            dir, plan);
    refused(t, with_plan, "execution plan mismatch");
    oc_write_text(script, "echo one\n");
    OC_AUTO_FREE char *same = output(t, with_plan);
    assert_string_equal(same, "one\n");
    unlink(script);
    refused(t, with_plan, "execution plan mismatch");
}

/* {"command":[…],"cwd":dir, approved, and the look it is about}; look NULL: the gateway does not
 * say. Caller frees. */
static char *approved_run(const char *dir, const char *words, const char *look) {
    OC_AUTO_FREE char *known = look ? oc_strfmt(",\"approvalLook\":\"%s\"", look) : oc_strdup("");
    return oc_strfmt("{\"command\":[%s],\"cwd\":\"%s\",\"approved\":true%s}", words, dir, known);
}

/* What the node says about a command; caller deletes. */
static cJSON *approval_of(struct test_host *t, const char *params) {
    static int last;
    char id[16];
    (void)snprintf(id, sizeof(id), "a%d", ++last);
    test_host_invoke(t, id, "system.run.prepare", params, -1, NULL);
    OC_AUTO_JSON cJSON *payload = test_host_payload(t, id);
    return cJSON_DetachItemFromObjectCaseSensitive(payload, "approval");
}

static char *look_at(struct test_host *t, const char *params) {
    OC_AUTO_JSON cJSON *approval = approval_of(t, params);
    return oc_strdup(oc_json_get_str(approval, "look"));
}

/* Agents of 2026.2.26 ask before they try, with a script in one word; nothing else may come
 * unseen. */
static void what_nobody_looked_at_does_not_run(void **state) {
    struct test_host *t = *state;
    ask_about_all(t);
    OC_AUTO_FREE char *dir = realpath(t->dir, NULL), *script = oc_path_join(dir, "x.sh");
    oc_write_text(script, "#!/bin/sh\necho one\n");
    assert_int_equal(chmod(script, 0700), 0);
    static const char *const words[] = { "\"sh\",\"x.sh\"", "\"bash\",\"-e\",\"x.sh\"",
        "\"./x.sh\"", "\"sh\",\"-c\",\"echo\",\"x.sh\"", "\"nice\",\"./x.sh\"" };
    for (size_t i = 0; i < OC_COUNT(words); i++) {
        OC_AUTO_FREE char *foreign = approved_run(dir, words[i], NULL),
                          *ours = approved_run(dir, words[i], "");
        refused(t, foreign, "did not look at");
        refused(t, ours, "fix: prepare the command again");
    }
    OC_AUTO_FREE char *foreign = approved_run(dir, "\"/bin/sh\",\"-lc\",\"./x.sh\"", NULL),
                      *ours = approved_run(dir, "\"/bin/sh\",\"-lc\",\"./x.sh\"", "");
    OC_AUTO_FREE char *out = output(t, foreign);
    assert_string_equal(out, "one\n");
    refused(t, ours, "did not look at");
}

/* Only the look that comes with the run counts, and only while nobody has seen anything else. */
static void an_approval_is_about_one_look(void **state) {
    struct test_host *t = *state;
    ask_about_all(t);
    OC_AUTO_FREE char *dir = realpath(t->dir, NULL), *script = oc_path_join(dir, "x.sh");
    OC_AUTO_FREE char *asks = oc_strfmt("{\"command\":[\"sh\",\"x.sh\"],\"cwd\":\"%s\"}", dir);
    oc_write_text(script, "echo evil\n");
    OC_AUTO_FREE char *evil = look_at(t, asks);
    oc_write_text(script, "echo one\n");
    OC_AUTO_FREE char *asked = look_at(t, asks);
    OC_AUTO_FREE char *runs = approved_run(dir, "\"sh\",\"x.sh\"", asked),
                      *older = approved_run(dir, "\"sh\",\"x.sh\"", evil),
                      *made_up = approved_run(dir, "\"sh\",\"x.sh\"", "0.1.2.3.4");
    OC_AUTO_FREE char *one = output(t, runs), *again = output(t, runs);
    assert_string_equal(one, "one\n"); /* and as often as the gateway says */
    assert_string_equal(again, "one\n");
    refused(t, older, "x.sh is not what was approved");
    refused(t, made_up, "did not look at");
    oc_write_text(script, "echo evil\n");
    refused(t, older, "was changed while the approval was asked for");
    refused(t, runs, "x.sh is not what was approved");
    oc_write_text(script, "echo one\n"); /* back again: what ran in between saw it */
    refused(t, runs, "was changed while the approval was asked for");
    OC_AUTO_FREE char *anew = look_at(t, asks), *fresh = approved_run(dir, "\"sh\",\"x.sh\"", anew);
    OC_AUTO_FREE char *two = output(t, fresh);
    assert_string_equal(two, "one\n"); /* looked at again, approved */
}

/* What it runs can change at any time, so it is allowed once at a time. */
static void always_needs_bound_content(void **state) {
    struct test_host *t = *state;
    ask_about_all(t);
    OC_AUTO_JSON cJSON *about =
            approval_of(t, "{\"command\":[\"sh\",\"-c\",\"uname; echo $HOME\"]}");
    assert_false(oc_json_get_bool(about, "contentBound", true));
    assert_null(oc_json_get(about, "wouldAllow")->child);
    OC_AUTO_FREE char *always =
            oc_strfmt("{\"command\":[\"sh\",\"-c\",\"uname; echo $HOME\"],\"approvalDecision\":"
                      "\"allow-always\",\"approvalLook\":\"%s\"}",
                    oc_json_get_str(about, "look"));
    refused(t, always, "content not bound");
    oc_free(output(t,
            "{\"command\":[\"sh\",\"-c\",\"uname; echo $HOME\"],"
            "\"approvalDecision\":\"allow-always\"}")); /* of another gateway: it is once */
    refused(t, "{\"command\":[\"uname\"]}", "is not on the list");
}

static size_t answered(struct test_host *t, const char *prefix) {
    size_t count = 0;
    const cJSON *frame;
    cJSON_ArrayForEach(frame, t->frames) {
        const char *id = oc_json_get_str(oc_json_get(frame, "params"), "id");
        count += id && oc_starts_with(id, prefix);
    }
    return count;
}

static void expect_same_refusal(struct test_host *t, const char *one, const char *two) {
    test_host_invoke(t, "oracle-1", "system.run.prepare", one, -1, NULL);
    test_host_invoke(t, "oracle-2", "system.run.prepare", two, -1, NULL);
    STEP_UNTIL(t->host.machine.loop, answered(t, "oracle-") == 2);
    OC_AUTO_FREE char *a = oc_json_print(
                              oc_json_get(test_host_result(t, "oracle-1"), "error"), false),
                      *b = oc_json_print(
                              oc_json_get(test_host_result(t, "oracle-2"), "error"), false);
    assert_non_null(strstr(a, "SYSTEM_RUN_DISABLED: security=deny"));
    assert_string_equal(a, b);
    cJSON_Delete(t->frames);
    t->frames = cJSON_CreateArray();
}

/* Answered in the same words, and without a look: there is nothing to learn about any file. */
static void under_deny_preparing_tells_nothing(void **state) {
    struct test_host *t = *state;
    test_host_policy(t, "deny");
    OC_AUTO_FREE char *dir = realpath(t->dir, NULL), *script = oc_path_join(dir, "pin");
    oc_write_text(script, "1234");
    OC_AUTO_FREE char *there = oc_strfmt("{\"command\":[\"sh\",\"%s\"]}", script),
                      *gone = oc_strfmt("{\"command\":[\"sh\",\"%s/gone\"]}", dir),
                      *program = oc_strfmt("{\"command\":[\"%s/gone\"]}", dir),
                      *cwd = oc_strfmt("{\"command\":[\"sh\"],\"cwd\":\"%s/gone\"}", dir);
    expect_same_refusal(t, there, gone);
    expect_same_refusal(t, there, program);
    expect_same_refusal(t, there, cwd);
    assert_int_equal(t->host.looks.made, 0);
    assert_null(t->host.looks.running);
}

/* Nobody is asked, so nobody needs to know. */
static void what_is_refused_anyway_tells_no_files(void **state) {
    struct test_host *t = *state;
    oc_write_text(t->approvals,
            "{\"version\":1,\"defaults\":{\"security\":\"allowlist\",\"ask\":\"off\"}}");
    OC_AUTO_FREE char *dir = realpath(t->dir, NULL), *script = oc_path_join(dir, "pin");
    oc_write_text(script, "1234");
    OC_AUTO_FREE char *there = oc_strfmt("{\"command\":[\"sh\",\"%s\"]}", script);
    OC_AUTO_FREE char *plan = prepare(t, there);
    assert_null(strstr(plan, "mutableFileOperand"));
    OC_AUTO_JSON cJSON *about = approval_of(t, there);
    assert_true(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(about, "resolvedPath")));
    assert_null(oc_json_get(about, "bound"));
    assert_int_equal(t->host.looks.made, 0);
}

static void prepare_as(struct test_host *t, const char *who, const char *id, const char *params) {
    OC_AUTO_JSON cJSON *payload = cJSON_CreateObject(), *caller = cJSON_CreateObject();
    oc_json_set_str(payload, "id", id);
    oc_json_set_str(payload, "nodeId", TEST_DEVICE_ID);
    oc_json_set_str(payload, "command", "system.run.prepare");
    oc_json_set_str(payload, "paramsJSON", params);
    oc_json_set_str(caller, "id", who);
    oc_json_set(payload, "caller", oc_take(&caller));
    OC_AUTO_FREE char *text = oc_json_print(payload, false);
    nd_calls_request(t->calls, (struct oc_slice){ text, strlen(text) });
}

static atomic_bool is_held;

static void hold_up(const char *who, atomic_uint *steps) {
    (void)who;
    while (atomic_load(&is_held)) {
        atomic_fetch_add(steps, 1);
        (void)usleep(1000);
    }
}

/* Many large files of one caller: the loop answers others before the first is read, another
 * caller's turn comes next, and what is too much is refused at once. */
static void large_files_keep_nobody_waiting(void **state) {
    struct test_host *t = *state;
    ask_about_all(t);
    OC_AUTO_FREE char *dir = realpath(t->dir, NULL), *big = oc_path_join(dir, "big");
    oc_write_text(big, "x");
    assert_int_equal(truncate(big, 15 << 20), 0);
    OC_AUTO_FREE char *params = oc_strfmt("{\"command\":[\"sh\",\"%s\"]}", big);
    enum { MANY = 60, KEPT = 1 + ND_MAX_LOOKS_EACH };
    atomic_store(&is_held, true);
    t->host.looks.in_thread = hold_up;
    for (int i = 0; i < MANY; i++) {
        OC_AUTO_FREE char *id = oc_strfmt("big-%d", i);
        prepare_as(t, "one", id, params);
    }
    STEP_UNTIL(t->host.machine.loop, t->host.notes.judged == MANY);
    STEP_UNTIL(t->host.machine.loop,
            answered(t, "big-") == MANY - KEPT); /* refused: nothing was read */
    assert_int_equal(t->host.looks.made, 0);
    test_host_invoke(t, "which", "system.which", "{\"bins\":[\"sh\"]}", -1, NULL);
    assert_non_null(test_host_result(t, "which"));
    assert_int_equal(t->host.looks.made, 0);
    prepare_as(t, "two", "other", params);
    atomic_store(&is_held, false);
    STEP_UNTIL(t->host.machine.loop, test_host_result(t, "other"));
    assert_true(t->host.looks.made <=
                3); /* the one that was read, and this one; one may be next already */
    STEP_UNTIL(t->host.machine.loop, answered(t, "big-") == MANY);
    assert_int_equal(t->host.looks.made, KEPT + 1);
}

/* Who tries first is told that an approval is needed; what was there then is what is approved. */
static void being_refused_is_being_looked_at(void **state) {
    struct test_host *t = *state;
    OC_AUTO_FREE char *dir = realpath(t->dir, NULL), *script = oc_path_join(dir, "x.sh");
    oc_write_text(t->approvals,
            "{\"version\":1,\"defaults\":{\"security\":\"allowlist\",\"ask\":\"on-miss\"}}");
    oc_write_text(script, "echo one\n");
    OC_AUTO_FREE char *tries = oc_strfmt("{\"command\":[\"sh\",\"x.sh\"],\"cwd\":\"%s\"}", dir);
    OC_AUTO_FREE char *runs = approved_run(dir, "\"sh\",\"x.sh\"", NULL);
    refused(t, tries, "approval required");
    OC_AUTO_FREE char *one = output(t, runs);
    assert_string_equal(one, "one\n");
    refused(t, tries, "approval required");
    oc_write_text(script, "echo two\n");
    refused(t, runs, "x.sh is not what was approved");
}

static void full_trust_does_not_look_at_scripts(void **state) {
    struct test_host *t = *state;
    test_host_policy(t, "full");
    OC_AUTO_FREE char *script = oc_path_join(t->dir, "x.sh");
    oc_write_text(script, "echo one\n");
    OC_AUTO_FREE char *asks = oc_strfmt("{\"command\":[\"sh\",\"x.sh\"],\"cwd\":\"%s\"}", t->dir);
    oc_free(prepare(t, asks));
    oc_write_text(script, "echo two\n");
    OC_AUTO_FREE char *out = output(t, asks);
    assert_string_equal(out, "two\n");
}

static void approved_runs_need_a_real_directory(void **state) {
    struct test_host *t = *state;
    ask_about_all(t);
    OC_AUTO_FREE char *dir = realpath(t->dir, NULL), *link = oc_path_join(dir, "link");
    OC_AUTO_FREE char *file = oc_path_join(dir, "file");
    oc_write_text(file, "");
    assert_int_equal(symlink("/usr", link), 0);
    static const struct {
        const char *name, *why;
    } cases[] = {
        { "/gone", "SYSTEM_RUN_DENIED: approval requires an existing canonical cwd" },
        { "/file", "SYSTEM_RUN_DENIED: approval requires cwd to be a directory" },
        { "/link", "SYSTEM_RUN_DENIED: approval requires canonical cwd (no symlink cwd)" },
        { "/link/bin",
                "SYSTEM_RUN_DENIED: approval requires canonical cwd (no symlink path components)" },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        OC_AUTO_FREE char *params = oc_strfmt(
                "{\"command\":[\"pwd\"],\"cwd\":\"%s%s\",\"approved\":true}", dir, cases[i].name);
        refused(t, params, cases[i].why);
    }
    OC_AUTO_FREE char *good =
            oc_strfmt("{\"command\":[\"pwd\"],\"cwd\":\"%s\",\"approved\":true}", dir);
    OC_AUTO_FREE char *out = output(t, good), *expected = oc_strfmt("%s\n", dir);
    assert_string_equal(out, expected);
    refused(t, "{\"command\":[\"./gone\"],\"approved\":true}",
            "SYSTEM_RUN_DENIED: approval requires a stable executable path");
}

/* The gateway, as far as skills go. */
static struct {
    int asked;
    oc_reply_done *done;
    void *user;
} gateway;

/* What happens while a thread looks at the files of a command. */
static struct { const char *dir, *aside, *approvals; } meanwhile;

static void move_dir(const char *who, atomic_uint *steps) {
    (void)who;
    atomic_fetch_add(steps, 1);
    assert_int_equal(rename(meanwhile.dir, meanwhile.aside), 0);
    assert_int_equal(symlink("/usr", meanwhile.dir), 0);
}

static void deny_all(const char *who, atomic_uint *steps) {
    (void)who;
    atomic_fetch_add(steps, 1);
    oc_write_text(meanwhile.approvals, "{\"version\":1,\"defaults\":{\"security\":\"deny\"}}");
}

/* It was judged before the look; what changed since then counts all the same. */
static void what_changes_during_a_look_counts(void **state) {
    struct test_host *t = *state;
    OC_AUTO_FREE char *dir = oc_path_join(t->dir, "sub"), *aside = oc_path_join(t->dir, "aside");
    OC_AUTO_FREE char *real = realpath(t->dir, NULL);
    OC_AUTO_FREE char *approved =
            oc_strfmt("{\"command\":[\"pwd\"],\"cwd\":\"%s/sub\","
                      "\"approved\":true,\"approvalDecision\":\"allow-once\"}",
                    real);
    assert_int_equal(mkdir(dir, 0700), 0);
    ask_about_all(t);
    test_host_settle(t);
    uint64_t judged = t->host.notes.judged;
    OC_AUTO_FREE char *there = output(t, approved);
    assert_true(oc_starts_with(there, real));
    assert_int_equal(t->host.notes.judged - judged, 1);
    meanwhile.dir = dir;
    meanwhile.aside = aside;
    meanwhile.approvals = t->approvals;
    t->host.looks.in_thread = move_dir;
    refused(t, approved, "canonical cwd");
    assert_int_equal(unlink(dir) | rename(aside, dir), 0);
    t->host.looks.in_thread = deny_all;
    refused(t, approved, "security=deny");
    ask_about_all(t);
    test_host_settle(t);
    OC_AUTO_FREE char *asked = oc_strfmt("{\"command\":[\"pwd\"],\"cwd\":\"%s/sub\"}", real);
    test_host_invoke(t, "p", "system.run.prepare", asked, -1, NULL);
    test_host_expect_error(t, "p", "SYSTEM_RUN_DENIED", "security=deny");
}

/* Where a file system may hang, a command is judged to see which ones it touches. Was none left
 * out, that is the judgement. */
static void who_was_judged_on_the_way_is_not_again(void **state) {
    struct test_host *t = *state;
    OC_AUTO_FREE char *mounts = oc_path_join(t->dir, "mountinfo"), *real = realpath(t->dir, NULL);
    OC_AUTO_FREE char *text = oc_strfmt("1 0 0:1 / / rw - ext4 disk rw\n"
                                        "2 1 0:2 / %s/far rw - fuse.sshfs there rw\n",
            real);
    OC_AUTO_FREE char *far = oc_strfmt("%s/far", real), *program = oc_strfmt("%s/far/echo", real);
    OC_AUTO_FREE char *run = oc_strfmt("{\"command\":[\"%s\",\"b\"]}", program);
    assert_int_equal(mkdir(far, 0700) | symlink("/bin/echo", program), 0);
    oc_write_text(mounts, text);
    t->host.machine.mountinfo_path = mounts;
    test_host_policy(t, "full");
    uint64_t judged = t->host.notes.judged;
    OC_AUTO_FREE char *near = output(t, "{\"command\":[\"echo\",\"a\"]}");
    assert_string_equal(near, "a\n");
    assert_int_equal(t->host.notes.judged - judged, 1);
    OC_AUTO_FREE char *reached = output(t, run);
    assert_string_equal(reached, "b\n");
    assert_int_equal(t->host.notes.judged - judged, 3); /* before it was reached, and after */
    test_host_policy(t, "deny");
    refused(t, run, "security=deny");
    assert_int_equal(t->host.notes.judged - judged, 4);
    test_host_policy(t, "allowlist");
    refused(t, "{\"command\":[\"echo\",\"a\"]}", "allowlist miss");
}

static void ask(struct nd_uplink *up, const char *method, cJSON *take_params, int timeout_ms,
        oc_reply_done *done, void *user) {
    (void)up;
    (void)timeout_ms;
    assert_string_equal(method, "skills.bins");
    cJSON_Delete(take_params);
    gateway.asked++;
    gateway.done = done;
    gateway.user = user;
}

static void answer(const char *json) {
    gateway.done(gateway.user, &(struct oc_reply){ .ok = json != NULL,
                                       .payload = { json, json ? strlen(json) : 0 },
                                       .code = OC_E_CLOSED });
}

static void skills_are_asked_for_when_they_matter(void **state) {
    struct test_host *t = *state;
    gateway.asked = 0;
    t->host.uplink.ask = ask;
    t->host.notes.skills = nd_skill_bins_create(t->host.machine.loop, &t->host.uplink);
    allow_echo(t, ",\"autoAllowSkills\":true");
    oc_free(output(t, "{\"command\":[\"echo\",\"a\"]}"));
    refused(t, "{\"command\":[\"sh\",\"-c\",\"$(x)\"]}", "not understood");
    refused(t, "{\"command\":[\"sh\"]}", "any other command");
    assert_int_equal(gateway.asked, 0); /* no name would change these */

    uint64_t judged = t->host.notes.judged;
    send_run(t, "s1", "{\"command\":[\"uname\"]}");
    send_run(t, "s2", "{\"command\":[\"id\"]}");
    STEP_UNTIL(t->host.machine.loop, t->host.notes.judged - judged == 2);
    assert_int_equal(gateway.asked, 1); /* once for both */
    assert_null(test_host_result(t, "s1"));
    answer("{\"bins\":[\"uname\",\"sh\",7]}");
    OC_AUTO_JSON cJSON *ran = test_host_payload(t, "s1");
    assert_true(oc_json_get_bool(ran, "success", false));
    test_host_expect_error(t, "s2", "SYSTEM_RUN_DENIED", "/id is not on the list");

    oc_fake_clock_advance(&t->clock, 89999);
    oc_free(output(t, "{\"command\":[\"uname\"]}"));
    refused(t, "{\"command\":[\"/usr/bin/uname\"]}", "is not on the list"); /* names, not paths */
    refused(t, "{\"command\":[\"sh\"]}", "any other command");
    assert_int_equal(gateway.asked, 1);
    oc_fake_clock_advance(&t->clock, 1);
    send_run(t, "s3", "{\"command\":[\"uname\"]}");
    STEP_UNTIL(t->host.machine.loop, gateway.asked == 2);
    answer(NULL); /* no answer is no name */
    test_host_expect_error(t, "s3", "SYSTEM_RUN_DENIED", "is not on the list");
    oc_fake_clock_advance(&t->clock, 5000);
    send_run(t, "s4", "{\"command\":[\"uname\"]}");
    STEP_UNTIL(t->host.machine.loop, gateway.asked == 3);
    nd_calls_cancel_all(t->calls);
    test_host_expect_error(t, "s4", "CANCELLED", "not started");
    answer("{\"bins\":\"none\"}"); /* too late, and no list */
    allow_echo(t, "");
    refused(t, "{\"command\":[\"uname\"]}", "is not on the list");
    nd_calls_destroy(oc_take(&t->calls));
    nd_skill_bins_destroy(oc_take(&t->host.notes.skills));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, test_host_setup, test_host_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(scripts_run_as_they_were_read),
        TEST(functions_of_the_environment_do_not_count),
        TEST(use_is_written_down),
        TEST(always_remembers_what_the_script_ran),
        TEST(always_is_written_down_later),
        TEST(what_does_not_start_is_not_noted),
        TEST(dropped_variables_are_named),
        TEST(always_does_not_remember_what_everyone_can_replace),
        TEST(what_nobody_decided_falls_back),
        TEST(a_script_that_changed_is_not_the_approved_one),
        TEST(what_nobody_looked_at_does_not_run),
        TEST(an_approval_is_about_one_look),
        TEST(always_needs_bound_content),
        TEST(under_deny_preparing_tells_nothing),
        TEST(what_is_refused_anyway_tells_no_files),
        TEST(large_files_keep_nobody_waiting),
        TEST(being_refused_is_being_looked_at),
        TEST(full_trust_does_not_look_at_scripts),
        TEST(approved_runs_need_a_real_directory),
        TEST(what_changes_during_a_look_counts),
        TEST(who_was_judged_on_the_way_is_not_again),
        TEST(skills_are_asked_for_when_they_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
