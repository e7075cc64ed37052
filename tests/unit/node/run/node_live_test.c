/* Live output of system.run, and the runs behind handles, without a gateway: its part is played by
 * hand. */
#include "tests/unit/node/node_testing.h"

#include "lib/base/encode.h"
#include "node/run/live.h"
#include "node/run/run.h"
#include "tests/any_int.h"

#include <sys/socket.h>
#include <sys/un.h>

static size_t chunks(struct test_host *t, const cJSON **ret_last) {
    size_t n = 0;
    const cJSON *frame;
    cJSON_ArrayForEach(frame, t->frames) {
        if (oc_streq(oc_json_get_str(frame, "method"), "node.invoke.progress")) {
            n++;
            if (ret_last) {
                *ret_last = frame;
            }
        }
    }
    return n;
}

/* The gateway's answer to the i-th chunk. */
static void answer(struct test_host *t, size_t i, bool ok, const char *payload) {
    const cJSON *frame;
    cJSON_ArrayForEach(frame, t->frames) {
        if (oc_streq(oc_json_get_str(frame, "method"), "node.invoke.progress") && i-- == 0) {
            struct oc_frame f = { .type = OC_FRAME_RES,
                .id = (char *)(uintptr_t)oc_json_get_str(frame, "id"),
                .ok = ok,
                .body = { payload, strlen(payload) } };
            nd_runs_answered(t->host.runner.runs, &f);
            return;
        }
    }
    fail_msg("no such chunk");
}

#define TAKEN "{\"ok\":true,\"ignored\":false}"

static void invoke(struct test_host *t, const char *id, const char *script, const char *more) {
    OC_AUTO_JSON cJSON *params = cJSON_Parse(more);
    cJSON *argv = cJSON_CreateArray();
    const char *const words[] = { "/bin/sh", "-c", script };
    for (size_t i = 0; i < OC_COUNT(words); i++) {
        cJSON_AddItemToArray(argv, cJSON_CreateString(words[i]));
    }
    oc_json_set(params, "command", argv);
    oc_json_set_str(params, "cwd", t->dir);
    OC_AUTO_FREE char *text = oc_json_print(params, false);
    test_host_invoke(t, id, "system.run", text, -1, id);
}

/* A caller that sends the input waits for the program to be there. */
static void a_run_with_input_says_that_it_runs(void **state) {
    struct test_host *t = *state;
    test_host_policy(t, "full");
    invoke(t, "1", "printf out", "{\"live\":true,\"stdin\":true,\"handle\":\"h\"}");
    cJSON_Delete(test_host_payload(t, "1"));
    const cJSON *frame;
    int64_t seq = 0;
    cJSON_ArrayForEach(frame, t->frames) {
        const cJSON *p = oc_json_get(frame, "params");
        if (oc_streq(oc_json_get_str(frame, "method"), "node.invoke.progress")) {
            assert_int_equal(any_int(p, "seq", -1), seq);
            assert_string_equal(oc_json_get_str(p, "chunk"), seq == 0 ? "" : "out");
            seq++;
        }
    }
    assert_int_equal(seq, 2);
}

static void streams_are_apart_and_whole(void **state) {
    struct test_host *t = *state;
    test_host_policy(t, "full");
    invoke(t, "1", "printf 'a\\303'; sleep 0; printf '\\244'; printf b >&2; printf '\\377x'",
            "{\"live\":true}");
    OC_AUTO_JSON cJSON *payload = test_host_payload(t, "1");
    assert_true(oc_json_get_bool(payload, "live", false));
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(1000), err = OC_BUF_INIT(1000);
    const cJSON *frame;
    int64_t seq = 0;
    cJSON_ArrayForEach(frame, t->frames) {
        const cJSON *p = oc_json_get(frame, "params");
        if (!oc_streq(oc_json_get_str(frame, "method"), "node.invoke.progress")) {
            continue;
        }
        assert_string_equal(oc_json_get_str(p, "invokeId"), "1");
        assert_string_equal(oc_json_get_str(p, "nodeId"), TEST_DEVICE_ID);
        assert_int_equal(any_int(p, "seq", -1), seq++);
        struct oc_buf *to = oc_streq(oc_json_get_str(p, "stream"), "stderr") ? &err : &out;
        const char *chunk = oc_json_get_str(p, "chunk");
        if (oc_streq(oc_json_get_str(p, "encoding"), "base64")) {
            uint8_t bytes[100];
            size_t len;
            assert_true(oc_base64_decode(chunk, strlen(chunk), bytes, sizeof(bytes), &len));
            oc_buf_append(to, bytes, len);
        } else {
            oc_buf_puts(to, chunk);
        }
    }
    assert_int_equal(out.len, 5);
    assert_memory_equal(out.data, "a\xc3\xa4\xffx", 5);
    assert_string_equal(err.data, "b");
}

/* Without answers the window closes, nothing more is read, and the program waits. */
static void the_window_holds_the_program(void **state) {
    struct test_host *t = *state;
    test_host_policy(t, "full");
    invoke(t, "1", "head -c 2000000 /dev/zero | tr '\\0' x; echo done > done", "{\"live\":true}");
    STEP_UNTIL(t->host.machine.loop, chunks(t, NULL) == ND_LIVE_WINDOW);
    for (int i = 0; i < 50; i++) {
        oc_loop_step(t->host.machine.loop, 1);
    }
    assert_int_equal(chunks(t, NULL), ND_LIVE_WINDOW);
    assert_false(test_host_has_line(t, "done"));
    for (size_t i = 0; !test_host_result(t, "1"); i += i < chunks(t, NULL)) {
        if (i < chunks(t, NULL)) {
            answer(t, i, true, TAKEN);
        }
        oc_loop_step(t->host.machine.loop, 1);
    }
    OC_AUTO_JSON cJSON *payload = test_host_payload(t, "1");
    assert_true(oc_json_get_bool(payload, "live", false));
    size_t total = 0;
    const cJSON *frame;
    cJSON_ArrayForEach(frame, t->frames) {
        const char *chunk = oc_json_get_str(oc_json_get(frame, "params"), "chunk");
        total += chunk ? strlen(chunk) : 0;
    }
    assert_int_equal(total, 2000000);
}

/* A gateway that does not know progress, or has nobody to give it to: the run goes on and answers
 * as always. */
static void gateways_without_progress(void **state) {
    struct test_host *t = *state;
    static const struct {
        bool ok;
        const char *payload;
    } cases[] = { { false, "{}" }, { true, "{\"ok\":true,\"ignored\":true}" } };
    test_host_policy(t, "full");
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        cJSON_Delete(t->frames);
        t->frames = cJSON_CreateArray();
        const char *id = i == 0 ? "a" : "b";
        invoke(t, id, "head -c 1000000 /dev/zero | tr '\\0' x; echo end >&2", "{\"live\":true}");
        STEP_UNTIL(t->host.machine.loop, chunks(t, NULL) >= 1);
        answer(t, 0, cases[i].ok, cases[i].payload);
        OC_AUTO_JSON cJSON *payload = test_host_payload(t, id);
        assert_null(oc_json_get(payload, "live"));
        assert_true(oc_json_get_bool(payload, "success", false));
        assert_true(chunks(t, NULL) <= ND_LIVE_WINDOW);
    }
}

/* The one who watched is gone: the window must not hold the program for ever. After a while it is
 * killed. */
static void orphans_are_killed(void **state) {
    struct test_host *t = *state;
    test_host_policy(t, "full");
    invoke(t, "1", "head -c 2000000 /dev/zero | tr '\\0' x; echo done > done; exec sleep 1000",
            "{\"live\":true}");
    STEP_UNTIL(t->host.machine.loop, chunks(t, NULL) == ND_LIVE_WINDOW);
    t->host.uplink.connection++;
    nd_calls_cut(t->calls);
    STEP_UNTIL(t->host.machine.loop, test_host_has_line(t, "done"));
    oc_fake_clock_advance(&t->clock, ND_RUN_ORPHAN_MS - 1);
    oc_loop_step(t->host.machine.loop, 0);
    assert_int_equal(nd_calls_running(t->calls), 1);
    oc_fake_clock_advance(&t->clock, 1);
    STEP_UNTIL(t->host.machine.loop, nd_calls_running(t->calls) == 0);
    assert_null(test_host_result(t, "1"));
    /* The key still knows what became of it. */
    invoke(t, "1", "head -c 2000000 /dev/zero | tr '\\0' x; echo done > done; exec sleep 1000",
            "{\"live\":true}");
    test_host_expect_error(t, "1", "CANCELLED", "node.exec.orphanMs");
}

/* A person at this machine, who is asked through the socket in the rules. */
static int desk_open(const struct test_host *t) {
    struct sockaddr_un addr = { .sun_family = AF_UNIX };
    (void)snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/prompt.sock", t->dir);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
    assert_int_equal(chmod(addr.sun_path, 0600) | listen(fd, 1), 0);
    OC_AUTO_FREE char *rules =
            oc_strfmt("{\"version\":1,\"socket\":{\"path\":\"%s\",\"token\":\"secret\"},"
                      "\"defaults\":{\"security\":\"allowlist\",\"ask\":\"on-miss\"}}",
                    addr.sun_path);
    oc_write_text(t->approvals, rules);
    return fd;
}

static bool desk_has_question(int peer, struct oc_buf *question) {
    char piece[4096];
    ssize_t n = recv(peer, piece, sizeof(piece), MSG_DONTWAIT);
    return n > 0 && oc_buf_append(question, piece, (size_t)n) == OC_OK && piece[n - 1] == '\n';
}

static void desk_allow(int peer, const struct oc_buf *question) {
    OC_AUTO_JSON cJSON *asked = NULL;
    assert_int_equal(oc_json_parse(question->data, question->len, &asked, NULL), OC_OK);
    OC_AUTO_FREE char *answer =
            oc_strfmt("{\"type\":\"decision\",\"id\":\"%s\",\"decision\":\"allow-once\"}\n",
                    oc_json_get_str(asked, "id"));
    assert_int_equal(send(peer, answer, strlen(answer), MSG_NOSIGNAL), strlen(answer));
}

/* The caller was gone before somebody here allowed it: it is an orphan from the start, unless it is
 * asked for again. */
static void what_is_allowed_too_late_is_an_orphan(void **state) {
    struct test_host *t = *state;
    int desk = desk_open(t);
    for (int comes_back = 0; comes_back < 2; comes_back++) {
        OC_AUTO_FREE char *name = oc_strfmt("started%d", comes_back),
                          *script = oc_strfmt("echo x > %s; exec sleep 1000", name);
        OC_AUTO_BUF struct oc_buf question = OC_BUF_INIT(100000);
        invoke(t, name, script, "{\"live\":true}");
        int peer = -1;
        STEP_UNTIL(t->host.machine.loop, (peer = accept(desk, NULL, NULL)) >= 0);
        STEP_UNTIL(t->host.machine.loop, desk_has_question(peer, &question));
        t->host.uplink.connection++;
        nd_calls_cut(t->calls);
        if (comes_back) {
            invoke(t, name, script, "{\"live\":true}");
        }
        desk_allow(peer, &question);
        STEP_UNTIL(t->host.machine.loop, test_host_has_line(t, name));
        assert_int_equal(nd_calls_running(t->calls), 1);
        oc_fake_clock_advance(&t->clock, ND_RUN_ORPHAN_MS);
        oc_loop_step(t->host.machine.loop, 0);
        if (!comes_back) {
            STEP_UNTIL(t->host.machine.loop, nd_calls_running(t->calls) == 0);
            invoke(t, name, script, "{\"live\":true}");
            test_host_expect_error(t, name, "CANCELLED", "node.exec.orphanMs");
        }
        close(peer);
    }
    assert_int_equal(nd_calls_running(t->calls), 1);
    close(desk);
}

static void who_asks_again_keeps_it_alive(void **state) {
    struct test_host *t = *state;
    test_host_policy(t, "full");
    const char *script = "echo x > started; read x < fifo; echo $x";
    OC_AUTO_FREE char *fifo = oc_path_join(t->dir, "fifo");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    invoke(t, "1", script, "{}");
    STEP_UNTIL(t->host.machine.loop, test_host_has_line(t, "started"));
    t->host.uplink.connection++;
    nd_calls_cut(t->calls);
    invoke(t, "1", script, "{}");
    oc_fake_clock_advance(&t->clock, 10 * ND_RUN_ORPHAN_MS);
    oc_loop_step(t->host.machine.loop, 0);
    oc_write_text(fifo, "answer\n");
    OC_AUTO_JSON cJSON *payload = test_host_payload(t, "1");
    assert_string_equal(oc_json_get_str(payload, "stdout"), "answer\n");
}

static cJSON *runs(struct test_host *t, const char *id, const char *command, const char *params) {
    test_host_invoke(t, id, command, params, -1, NULL);
    return test_host_payload(t, id);
}

static void background(struct test_host *t, const char *id, const char *script) {
    OC_AUTO_FREE char *more = oc_strfmt("{\"background\":true,\"handle\":\"%s\"}", id);
    invoke(t, id, script, more);
    OC_AUTO_JSON cJSON *payload = test_host_payload(t, id);
    assert_string_equal(oc_json_get_str(payload, "handle"), id);
}

static void background_runs(void **state) {
    struct test_host *t = *state;
    test_host_policy(t, "full");
    background(t, "h-1", "echo out; read x; echo got $x; exit 3");
    OC_AUTO_JSON cJSON *started = test_host_event(t, "exec.started");
    assert_string_equal(
            oc_json_get_str(started, "command"), "echo out; read x; echo got $x; exit 3");
    invoke(t, "again", "true", "{\"background\":true,\"handle\":\"h-1\"}");
    test_host_expect_error(t, "again", "INVALID_REQUEST", "another run has this handle");
    invoke(t, "bad", "true", "{\"background\":true,\"handle\":\"../x\"}");
    test_host_expect_error(t, "bad", "INVALID_REQUEST", "handle");
    OC_AUTO_JSON cJSON *first =
            runs(t, "p1", "system.runs.poll", "{\"handle\":\"h-1\",\"waitMs\":60000}");
    assert_string_equal(oc_json_get_str(oc_json_get(first, "output"), "data"), "out\n");
    OC_AUTO_JSON cJSON *written =
            runs(t, "w", "system.runs.write", "{\"handle\":\"h-1\",\"data\":\"it\\n\"}");
    assert_int_equal(any_int(written, "taken", 0), 3);
    STEP_UNTIL(t->host.machine.loop, !nd_runs_find(t->host.runner.runs, "h-1")->process);
    OC_AUTO_JSON cJSON *last = runs(t, "p2", "system.runs.poll", "{\"handle\":\"h-1\",\"from\":4}");
    assert_string_equal(oc_json_get_str(oc_json_get(last, "output"), "data"), "got it\n");
    assert_string_equal(oc_json_get_str(oc_json_get(last, "run"), "state"), "ended");
    assert_int_equal(any_int(oc_json_get(last, "run"), "exitCode", -1), 3);
    OC_AUTO_JSON cJSON *finished = test_host_event(t, "exec.finished");
    assert_int_equal(any_int(finished, "exitCode", -1), 3);
    test_host_invoke(
            t, "late", "system.runs.write", "{\"handle\":\"h-1\",\"data\":\"x\"}", -1, NULL);
    test_host_expect_error(t, "late", "UNAVAILABLE", "has ended");
    test_host_invoke(t, "none", "system.runs.poll", "{\"handle\":\"h-2\"}", -1, NULL);
    test_host_expect_error(t, "none", "NOT_FOUND", "no run has this handle");
}

static void killing_waits_for_the_end(void **state) {
    struct test_host *t = *state;
    test_host_policy(t, "full");
    background(t, "h", "while :; do echo x; done");
    OC_AUTO_JSON cJSON *killed = runs(t, "k", "system.runs.kill", "{\"handle\":\"h\"}");
    assert_string_equal(oc_json_get_str(oc_json_get(killed, "run"), "state"), "killed");
}

static void only_so_many_are_remembered(void **state) {
    struct test_host *t = *state;
    test_host_policy(t, "full");
    for (int i = 0; i < ND_MAX_ENDED_RUNS + 3; i++) {
        char id[16];
        snprintf(id, sizeof(id), "h-%d", i);
        background(t, id, "exit 0");
        STEP_UNTIL(t->host.machine.loop, !nd_runs_find(t->host.runner.runs, id)->process);
    }
    assert_null(nd_runs_find(t->host.runner.runs, "h-2"));
    assert_non_null(nd_runs_find(t->host.runner.runs, "h-3"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, test_host_setup, test_host_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_run_with_input_says_that_it_runs),
        TEST(streams_are_apart_and_whole),
        TEST(the_window_holds_the_program),
        TEST(gateways_without_progress),
        TEST(orphans_are_killed),
        TEST(what_is_allowed_too_late_is_an_orphan),
        TEST(who_asks_again_keeps_it_alive),
        TEST(background_runs),
        TEST(killing_waits_for_the_end),
        TEST(only_so_many_are_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
