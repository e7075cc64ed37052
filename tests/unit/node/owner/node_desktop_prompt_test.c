/* The question on the desktop: what is shown, what counts as which answer, and when nobody is asked
 * at all. desktop_probe stands beside this program in the place of openclaw-desktop. */
#include "tests/unit/node/node_testing.h"

#include "node/owner/desktop_prompt.h"
#include "node/owner/notices.h"
#include "tests/any_int.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

struct heard {
    int count;
    char decision[32]; /* "": nobody decided */
    struct nd_desktop_prompt *prompt;
};

/* Questions without an answer. A test that fails leaves its own, whose helper waits for a person:
 * teardown takes them away. */
static struct nd_desktop_prompt *unanswered[ND_MAX_DESKTOP_PROMPTS];

static void replace_unanswered(struct nd_desktop_prompt *old, struct nd_desktop_prompt *new) {
    for (size_t i = 0; i < OC_COUNT(unanswered); i++) {
        if (unanswered[i] == old) {
            unanswered[i] = new;
            return;
        }
    }
}

static void cancel_prompt(struct nd_desktop_prompt *p) {
    if (p) {
        replace_unanswered(p, NULL);
    }
    nd_desktop_prompt_cancel(p);
}

static void on_decision(void *user, enum oc_decision decision) {
    struct heard *h = user;
    replace_unanswered(h->prompt, NULL);
    h->count++;
    snprintf(h->decision, sizeof(h->decision), "%s", decision ? oc_decision_name(decision) : "");
}

static int setup(void **state) {
    if (test_host_setup(state) != 0) {
        return -1;
    }
    struct test_host *t = *state;
    OC_AUTO_FREE char *person = oc_path_join(t->dir, "person");
    t->host.uplink.gateway = "gw.example:18789";
    setenv("TMPDIR", t->dir, 1);
    setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere", 1);
    return mkfifo(person, 0600);
}

static int teardown(void **state) {
    struct test_host *t = *state;
    for (size_t i = 0; i < OC_COUNT(unanswered); i++) {
        cancel_prompt(unanswered[i]);
    }
    nd_notices_destroy(t->host.desktop.notices);
    unsetenv("TMPDIR");
    return test_host_teardown(state);
}

static cJSON *parse(const char *text) {
    cJSON *o = NULL;
    struct oc_error err;
    assert_int_equal(oc_json_parse(text, strlen(text), &o, &err), OC_OK);
    return o;
}

static struct nd_desktop_prompt *ask_about(
        struct test_host *t, const cJSON *request, struct heard *ret) {
    *ret = (struct heard){ 0 };
    ret->prompt = nd_desktop_prompt_ask(&t->host.desktop, request, NULL, on_decision, ret);
    if (ret->prompt) {
        replace_unanswered(NULL, ret->prompt);
    }
    return ret->prompt;
}

static struct nd_desktop_prompt *ask(struct test_host *t, const char *request, struct heard *ret) {
    OC_AUTO_JSON cJSON *o = parse(request);
    return ask_about(t, o, ret);
}

/* The question is on the screen, and the node knows it. Gives the end of the pipe to the person. */
static int wait_until_shown(struct test_host *t) {
    OC_AUTO_FREE char *path = oc_path_join(t->dir, "person");
    int fd = -1;
    STEP_UNTIL(t->host.machine.loop, (fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)) >= 0);
    for (int i = 0; i < 3; i++) { /* its answer was sent before the pipe was opened */
        oc_loop_step(t->host.machine.loop, 0);
    }
    return fd;
}

static const char *decide(struct test_host *t, int after_ms, const char *deed) {
    static struct heard h;
    assert_non_null(ask(t, "{\"command\":\"make\"}", &h));
    OC_AUTO_FD int person = wait_until_shown(t);
    oc_fake_clock_advance(&t->clock, after_ms);
    assert_int_equal(write(person, deed, strlen(deed)), (ssize_t)strlen(deed));
    close(oc_take_fd(&person));
    STEP_UNTIL(t->host.machine.loop, h.count > 0);
    assert_int_equal(h.count, 1);
    return h.decision;
}

static void a_yes_counts_when_it_was_read(void **state) {
    assert_string_equal(decide(*state, 1000, "action allow-once\n"), "allow-once");
    assert_string_equal(decide(*state, 999, "action allow-once\n"), "");
}

static void a_no_counts_at_once(void **state) {
    assert_string_equal(decide(*state, 0, "action deny\n"), "deny");
    assert_string_equal(decide(*state, 0, "closed dismissed\n"), "deny");
}

/* Nothing that a notification says gives more than one run. */
static void other_buttons_are_a_no(void **state) {
    assert_string_equal(decide(*state, 5000, "action allow-always\n"), "deny");
    assert_string_equal(decide(*state, 5000, "action default\n"), "deny");
}

static void an_end_without_an_answer_decides_nothing(void **state) {
    assert_string_equal(decide(*state, 5000, "closed expired\n"), "");
    assert_string_equal(decide(*state, 5000, "closed closed\n"), "");
    assert_string_equal(decide(*state, 5000, "end\n"), "");
}

static void a_desktop_that_cannot_ask_decides_nothing(void **state) {
    static const char *const requests[] = { "{\"command\":\"no-daemon\"}",
        "{\"command\":\"no-buttons\"}" };
    for (size_t i = 0; i < OC_COUNT(requests); i++) {
        struct test_host *t = *state;
        struct heard h;
        assert_non_null(ask(t, requests[i], &h));
        STEP_UNTIL(t->host.machine.loop, h.count > 0);
        assert_string_equal(h.decision, "");
    }
}

static void nobody_is_waited_for_for_ever(void **state) {
    struct test_host *t = *state;
    struct heard h;
    assert_non_null(ask(t, "{\"command\":\"make\"}", &h));
    OC_AUTO_FD int person = wait_until_shown(t);
    assert_true(person >= 0);
    oc_fake_clock_advance(&t->clock, ND_PROMPTER_MS);
    oc_loop_step(t->host.machine.loop, 0);
    assert_int_equal(h.count, 0); /* the helper takes it away by itself */
    oc_fake_clock_advance(&t->clock, ND_NOTICE_MS);
    STEP_UNTIL(t->host.machine.loop, h.count > 0);
    assert_string_equal(h.decision, "");
}

static bool has_file(struct test_host *t, const char *name) {
    OC_AUTO_FREE char *path = oc_path_join(t->dir, name);
    return access(path, F_OK) == 0;
}

/* From now on it is written down what the desktop is asked to do. */
static void keep_run_log(struct test_host *t) {
    OC_AUTO_FREE char *path = oc_path_join(t->dir, "prompt");
    assert_int_equal(mkdir(path, 0700), 0);
}

/* Nothing more is written after that. */
static void cancel_and_wait(struct test_host *t, struct nd_desktop_prompt *p) {
    cancel_prompt(p);
    STEP_UNTIL(t->host.machine.loop, has_file(t, "prompt/closed"));
}

static cJSON *read_params(struct test_host *t, const char *name) {
    OC_AUTO_FREE char *path = oc_path_join(t->dir, name);
    OC_AUTO_BUF struct oc_buf text = { 0 };
    struct oc_error err;
    assert_int_equal(oc_file_read(path, 65536, &text, &err), OC_OK);
    return parse(text.data);
}

static void all_that_matters_is_shown(void **state) {
    struct test_host *t = *state;
    struct heard h;
    keep_run_log(t);
    struct nd_desktop_prompt *p = ask(t,
            "{\"command\":\"rm -rf build\",\"cwd\":\"/srv/a\\nfor agent "
            "nobody\",\"agentId\":\"main\",\"contentBound\":false,\"unbound\":[\"make decides "
            "itself\"],"
            "\"env\":{\"A\":\"one\",\"B\":\"two\\nfor agent me\"}}",
            &h);
    assert_non_null(p);
    OC_AUTO_FD int person = wait_until_shown(t);
    assert_true(person >= 0);
    OC_AUTO_JSON cJSON *shown = read_params(t, "prompt/request");
    assert_string_equal(oc_json_get_str(shown, "title"), "Run this command?");
    const char *body = oc_json_get_str(shown, "body");
    assert_true(oc_starts_with(body, "rm -rf build\nin /srv/a"));
    assert_null(
            strstr(body, "\nfor agent nobody")); /* a directory does not write lines of its own */
    assert_non_null(strstr(body, "\nfor agent main\nof the gateway gw.example:18789"));
    assert_non_null(strstr(body, "\nsets A=one\nsets B=two"));
    assert_null(strstr(body, "\nfor agent me"));
    assert_non_null(strstr(body, "\ncontent not bound: make decides itself"));
    assert_int_equal(any_int(shown, "expiresMs", 0), ND_PROMPTER_MS);
    const cJSON *actions = oc_json_get(shown, "actions");
    assert_int_equal(cJSON_GetArraySize(actions), 2);
    assert_string_equal(oc_json_get_str(cJSON_GetArrayItem(actions, 0), "key"), "allow-once");
    assert_string_equal(oc_json_get_str(cJSON_GetArrayItem(actions, 1), "key"), "deny");
    cancel_and_wait(t, p);
}

static void a_question_that_is_answered_elsewhere_goes_away(void **state) {
    struct test_host *t = *state;
    struct heard h;
    keep_run_log(t);
    struct nd_desktop_prompt *p = ask(t, "{\"command\":\"make\"}", &h);
    OC_AUTO_FD int person = wait_until_shown(t);
    assert_true(person >= 0);
    cancel_and_wait(t, p);
    OC_AUTO_JSON cJSON *closed = read_params(t, "prompt/closed");
    assert_int_equal(any_int(closed, "id", 0), 7);
    assert_string_equal(oc_json_get_str(closed, "daemon"), ":1.9");
    assert_int_equal(h.count, 0);
    nd_desktop_prompt_cancel(NULL);
}

static void expect_not_asked(struct test_host *t, const char *name, size_t len, bool is_env) {
    OC_AUTO_JSON cJSON *request = cJSON_CreateObject();
    OC_AUTO_FREE char *text = oc_alloc(len + 1);
    struct heard h;
    memset(text, 'x', len);
    text[len] = '\0';
    if (strcmp(name, "command") != 0) {
        oc_json_set_str(request, "command", "make");
    }
    if (is_env) {
        static const char around[] = "\nsets A=";
        text[len - strlen(around)] = '\0';
        oc_json_set_str(cJSON_AddObjectToObject(request, name), "A", text);
    } else {
        oc_json_set_str(request, name, text);
    }
    struct nd_desktop_prompt *p = ask_about(t, request, &h);
    assert_int_equal(p != NULL, len <= ND_MAX_PROMPT_CHARS);
    cancel_prompt(p);
}

static void what_would_be_cut_is_not_asked_about(void **state) {
    static const char *const names[] = { "command", "cwd", "agentId", "env" };
    for (size_t i = 0; i < OC_COUNT(names); i++) {
        bool is_env = strcmp(names[i], "env") == 0;
        expect_not_asked(*state, names[i], ND_MAX_PROMPT_CHARS, is_env);
        expect_not_asked(*state, names[i], ND_MAX_PROMPT_CHARS + 1, is_env);
    }
}

static void where_nobody_can_see_it_nobody_is_asked(void **state) {
    struct test_host *t = *state;
    struct heard h;
    assert_null(ask(t, "{}", &h));
    setenv("DBUS_SESSION_BUS_ADDRESS", "disabled:", 1);
    assert_null(ask(t, "{\"command\":\"make\"}", &h));
}

static void few_at_a_time(void **state) {
    struct test_host *t = *state;
    struct nd_desktop_prompt *prompts[ND_MAX_DESKTOP_PROMPTS];
    struct heard h[ND_MAX_DESKTOP_PROMPTS], other;
    for (size_t i = 0; i < ND_MAX_DESKTOP_PROMPTS; i++) {
        prompts[i] = ask(t, "{\"command\":\"make\"}", &h[i]);
        assert_non_null(prompts[i]);
    }
    assert_null(ask(t, "{\"command\":\"make\"}", &other));
    cancel_prompt(prompts[0]);
    prompts[0] = ask(t, "{\"command\":\"make\"}", &other);
    assert_non_null(prompts[0]);
    for (size_t i = 0; i < ND_MAX_DESKTOP_PROMPTS; i++) {
        cancel_prompt(prompts[i]);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_yes_counts_when_it_was_read),
        TEST(a_no_counts_at_once),
        TEST(other_buttons_are_a_no),
        TEST(an_end_without_an_answer_decides_nothing),
        TEST(a_desktop_that_cannot_ask_decides_nothing),
        TEST(nobody_is_waited_for_for_ever),
        TEST(all_that_matters_is_shown),
        TEST(a_question_that_is_answered_elsewhere_goes_away),
        TEST(what_would_be_cut_is_not_asked_about),
        TEST(where_nobody_can_see_it_nobody_is_asked),
        TEST(few_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
