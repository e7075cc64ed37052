/* Questions to the person here about what operators are asked about, too: who is asked, what an
 * answer is worth, and when nobody is asked. The person is at the other end of a real socket. */
#include "tests/unit/node/node_testing.h"

#include "lib/state/prompt_line.h"
#include "node/owner/asks.h"
#include "node/run/log/run_log.h"

#include <sys/socket.h>
#include <sys/un.h>

#define TOKEN "0123456789abcdef0123456789abcdef"

static int server = -1;

static int setup(void **state) {
    if (test_host_setup(state) != 0) {
        return -1;
    }
    struct test_host *t = *state;
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    OC_AUTO_FREE char *path = oc_path_join(t->dir, "sock");
    snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
    server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    OC_AUTO_FREE char *file =
            oc_strfmt("{\"version\":1,\"socket\":{\"path\":\"%s\",\"token\":\"" TOKEN
                      "\"},\"defaults\":{\"security\":\"allowlist\",\"ask\":"
                      "\"on-miss\"}}",
                    path);
    oc_write_text(t->approvals, file);
    return server < 0 || bind(server, (struct sockaddr *)&at, sizeof(at)) != 0 ||
                           listen(server, 64) != 0
                   ? -1
                   : 0;
}

static int teardown(void **state) {
    close(server);
    return test_host_teardown(state);
}

struct seen {
    int count;
    const char *where;
};

static void on_shown(void *user, const char *where) {
    struct seen *s = user;
    s->count++;
    s->where = where;
}

static struct seen open_ask(struct test_host *t, const char *id, const char *caller) {
    struct seen seen = { 0 };
    OC_AUTO_JSON cJSON *request = NULL;
    static const char text[] =
            "{\"command\":\"make all\",\"commandArgv\":[\"make\",\"all\"],"
            "\"cwd\":\"/srv\",\"asker\":{\"id\":\"someone\"},\"timeoutMs\":99999}";
    assert_int_equal(oc_json_parse(text, strlen(text), &request, NULL), OC_OK);
    nd_asks_open(&t->host.asks, &(struct nd_ask_opts){ .approval_id = id,
                                        .caller_id = caller,
                                        .request = request,
                                        .shown = on_shown,
                                        .user = &seen });
    assert_int_equal(seen.count, 1); /* on a socket at once */
    return seen;
}

/* The next question, as the person's program gets it. */
static int accept_ask(cJSON **ret) {
    char text[65536];
    int fd = accept(server, NULL, NULL);
    assert_true(fd >= 0);
    ssize_t n = recv(fd, text, sizeof(text), 0);
    assert_true(n > 0);
    assert_int_equal(oc_json_parse(text, (size_t)n, ret, NULL), OC_OK);
    return fd;
}

static void answer_ask(int fd, const cJSON *ask, enum oc_decision decision) {
    OC_AUTO_FREE char *line = oc_prompt_decision_line(oc_json_get_str(ask, "id"), decision);
    assert_int_equal(send(fd, line, strlen(line), 0), (ssize_t)strlen(line));
}

static const cJSON *prompted(struct test_host *t) {
    const cJSON *frame;
    cJSON_ArrayForEach(frame, t->frames) {
        const cJSON *params = oc_json_get(frame, "params");
        if (oc_streq(oc_json_get_str(params, "event"), "node.exec.prompted")) {
            return oc_json_get(params, "payload");
        }
    }
    return NULL;
}

static void the_gateway_hears_the_answer(void **state) {
    struct test_host *t = *state;
    assert_string_equal(open_ask(t, "one", "someone").where, "terminal");
    OC_AUTO_JSON cJSON *ask = NULL;
    OC_AUTO_FD int fd = accept_ask(&ask);
    assert_int_equal(nd_asks_decided(&t->host.asks, "one"), OC_DECISION_NONE);
    answer_ask(fd, ask, OC_DECISION_ALLOW_ONCE);
    STEP_UNTIL(t->host.machine.loop, prompted(t));
    assert_string_equal(oc_json_get_str(prompted(t), "approvalId"), "one");
    assert_string_equal(oc_json_get_str(prompted(t), "decision"), "allow-once");
    assert_int_equal(nd_asks_decided(&t->host.asks, "one"), OC_DECISION_ALLOW_ONCE);
    assert_null(open_ask(t, "one", "someone").where); /* it has been answered */
}

static void a_no_is_final_and_written_down(void **state) {
    struct test_host *t = *state;
    t->host.machine.state_dir = t->dir;
    t->host.runner.log = nd_run_log_create(t->dir, "gw", &t->clock.clock);
    (void)open_ask(t, "no", "someone");
    OC_AUTO_JSON cJSON *ask = NULL, *log = NULL;
    OC_AUTO_FD int fd = accept_ask(&ask);
    answer_ask(fd, ask, OC_DECISION_DENY);
    STEP_UNTIL(t->host.machine.loop, prompted(t));
    assert_int_equal(nd_asks_decided(&t->host.asks, "no"), OC_DECISION_DENY);
    assert_int_equal(nd_run_log_read(t->dir, 0, 10, &log, NULL), OC_OK);
    OC_AUTO_FREE char *text = oc_json_print(log, false);
    assert_non_null(strstr(text, "denied at this machine"));
    assert_non_null(strstr(text, "\"make\""));
    /* Whatever the gateway makes of it. */
    test_host_invoke(t, "r", "system.run",
            "{\"command\":[\"true\"],\"runId\":\"no\",\"approved\":true,"
            "\"approvalDecision\":\"allow-once\"}",
            -1, NULL);
    test_host_expect_error(t, "r", "SYSTEM_RUN_DENIED", "user denied");
    nd_run_log_destroy(oc_take(&t->host.runner.log));
}

static void what_is_settled_is_not_asked_any_more(void **state) {
    struct test_host *t = *state;
    (void)open_ask(t, "late", "someone");
    OC_AUTO_JSON cJSON *ask = NULL;
    OC_AUTO_FD int fd = accept_ask(&ask);
    nd_asks_take_back(&t->host.asks, "another");
    nd_asks_take_back(&t->host.asks, "late");
    char byte;
    assert_int_equal(recv(fd, &byte, 1, 0), 0); /* the program at the other end sees it */
    assert_null(prompted(t));
    assert_int_equal(nd_asks_decided(&t->host.asks, "late"), OC_DECISION_NONE);
}

static void nobody_takes_all_places(void **state) {
    struct test_host *t = *state;
    char id[16];
    for (int i = 0; i < ND_MAX_ASKS_OF_CALLER + 2; i++) {
        snprintf(id, sizeof(id), "a%d", i);
        const char *where = open_ask(t, id, "greedy").where;
        assert_int_equal(where != NULL, i < ND_MAX_ASKS_OF_CALLER);
    }
    assert_string_equal(open_ask(t, "b", "another").where, "terminal");
    OC_AUTO_FREE char *long_id = oc_alloc(ND_MAX_ASK_ID_BYTES + 2);
    memset(long_id, 'x', ND_MAX_ASK_ID_BYTES + 1);
    long_id[ND_MAX_ASK_ID_BYTES + 1] = '\0';
    assert_null(open_ask(t, long_id, "third").where);
}

#define ASK                                                                     \
    "{\"id\":\"l\",\"nodeId\":\"" TEST_DEVICE_ID                                \
    "\",\"command\":\"system.run.prepare\",\"paramsJSON\":\"{\\\"command\\\":[" \
    "\\\"uname\\\"]}\",\"caller\":{\"id\":\"c\",\"ask\":{\"id\":\"p\",\"timeoutMs\":60000}}}"

static void look_for(struct test_host *t) {
    nd_calls_request(t->calls, (struct oc_slice){ ASK, strlen(ASK) });
}

static void a_look_for_somebody_who_left_asks_nobody(void **state) {
    struct test_host *t = *state;
    test_host_settle(t);
    look_for(t);
    OC_AUTO_JSON cJSON *payload = test_host_payload(t, "l"), *ask = NULL;
    assert_string_equal(oc_json_get_str(oc_json_get(payload, "approval"), "asksHere"), "terminal");
    OC_AUTO_FD int fd = accept_ask(&ask);
    assert_string_equal(oc_json_get_str(oc_json_get(ask, "request"), "command"), "uname");
    close(oc_take_fd(&fd));
    nd_asks_take_back_all(&t->host.asks);
    /* The link is cut while the node looks. */
    look_for(t);
    nd_calls_cut(t->calls);
    t->host.uplink.connection++;
    STEP_UNTIL(t->host.machine.loop, nd_calls_running(t->calls) == 0);
    assert_int_equal(accept(server, NULL, NULL), -1);
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(the_gateway_hears_the_answer),
        T(a_no_is_final_and_written_down),
        T(what_is_settled_is_not_asked_any_more),
        T(nobody_takes_all_places),
        T(a_look_for_somebody_who_left_asks_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
