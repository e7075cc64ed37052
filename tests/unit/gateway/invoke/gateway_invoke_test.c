#include "gateway/invoke/invoke.h"
#include "lib/identity/identity.h"

#include "lib/json/json.h"
#include "lib/protocol/frame.h"
#include "lib/protocol/limits.h"
#include "tests/unit/unit.h"

/* A node that notes what it is sent, a loop whose time stands still, and callers that note what
 * they are told. */
struct fixture {
    struct oc_fake_clock clock;
    struct oc_loop *loop;
    struct gw_invokes *invokes;
    enum oc_code send_result;
    unsigned sent;
    char *last; /* the last event's text */
};

struct caller {
    struct gw_invoke_waiter waiter;
    unsigned answers;
    char *text;
};

static void on_answer(struct gw_invoke_waiter *w, const struct gw_answer *a) {
    struct caller *c = OC_CONTAINER(w, struct caller, waiter);
    struct oc_msg *m = gw_answer_msg(a, "r");
    struct oc_buf b = OC_BUF_INIT(OC_MAX_MESSAGE_BYTES);
    char piece[500];
    size_t n;
    while ((n = oc_msg_read(m, piece, sizeof(piece))) > 0) {
        oc_buf_append(&b, piece, n);
    }
    oc_msg_destroy(m);
    c->answers++;
    oc_free(c->text);
    c->text = oc_buf_take(&b);
}

static struct caller new_caller(void) {
    return (struct caller){ .waiter = { .on_answer = on_answer } };
}

static enum oc_code send(void *user, const char *node_id, struct oc_msg *take_msg) {
    struct fixture *f = user;
    (void)node_id;
    struct oc_buf b = OC_BUF_INIT(OC_MAX_MESSAGE_BYTES);
    char piece[500];
    size_t n;
    while ((n = oc_msg_read(take_msg, piece, sizeof(piece))) > 0) {
        oc_buf_append(&b, piece, n);
    }
    oc_msg_destroy(take_msg);
    oc_free(f->last);
    f->last = oc_buf_take(&b);
    f->sent++;
    return f->send_result;
}

static int setup(void **state) {
    struct fixture *f = oc_new(struct fixture);
    struct oc_error err;
    oc_fake_clock_init(&f->clock, 1700000000000);
    if (oc_loop_create(&f->clock.clock, &f->loop, &err) != OC_OK) {
        return -1;
    }
    f->invokes = gw_invokes_create(f->loop, send, f);
    *state = f;
    return 0;
}

static int teardown(void **state) {
    struct fixture *f = *state;
    gw_invokes_destroy(f->invokes);
    oc_loop_destroy(f->loop);
    oc_free(f->last);
    oc_free(f);
    return 0;
}

static struct gw_invoke_spec spec(const char *key) {
    return (struct gw_invoke_spec){
        .actor = "me", .node_id = "node-1", .command = "a.b", .idempotency_key = key
    };
}

/* Id of the request the node was sent last. */
static char *last_id(struct fixture *f) {
    OC_AUTO_JSON cJSON *frame = NULL;
    struct oc_error err;
    assert_int_equal(oc_json_parse(f->last, strlen(f->last), &frame, &err), OC_OK);
    return oc_strdup(oc_json_get_str(oc_json_get(frame, "payload"), "id"));
}

static bool result(struct fixture *f, const char *from, const char *id, const char *payload) {
    struct oc_blob *blob = oc_blob_copy(payload, strlen(payload));
    struct oc_invoke_result r = {
        .id = (char *)(uintptr_t)id, .ok = true, .payload = { blob->data, blob->len }
    };
    bool taken = gw_invoke_result_arrived(f->invokes, from, &r, blob);
    oc_blob_unref(blob);
    return taken;
}

static void advance(struct fixture *f, int64_t ms) {
    oc_fake_clock_advance(&f->clock, ms);
    oc_loop_step(f->loop, 0);
}

static void test_request_shape(void **state) {
    struct fixture *f = *state;
    struct caller c = new_caller();
    struct oc_error err;
    struct oc_blob *blob = oc_blob_copy("{\"x\":\"a\\\"b\"}", 13);
    struct gw_invoke_spec s = spec("key-1");
    s.blob = blob;
    s.params = (struct oc_slice){ blob->data, 12 };
    s.timeout_ms = 1500;
    assert_int_equal(gw_invoke_start(f->invokes, &s, &c.waiter, &err), OC_OK);
    OC_AUTO_FREE char *id = last_id(f);
    OC_AUTO_FREE char *owned = oc_strfmt("%s\nkey-1", s.actor);
    char key[65];
    oc_sha256_hex(owned, strlen(owned), key);
    OC_AUTO_FREE char *expected = oc_strfmt("{\"type\":\"event\",\"event\":\"node.invoke.request\","
                                            "\"payload\":{\"id\":\"%s\",\"nodeId\":\"node-1\","
                                            "\"command\":\"a.b\",\"paramsJSON\":\"{\\\"x\\\":"
                                            "\\\"a\\\\\\\"b\\\"}\",\"timeoutMs\":1500,"
                                            "\"idempotencyKey\":\"%s\"}}",
            id, key);
    assert_string_equal(f->last, expected);
    assert_true(result(f, "node-1", id, "{\"n\":1}"));
    assert_int_equal(c.answers, 1);
    assert_non_null(strstr(c.text, "\"payload\":{\"n\":1}"));
    assert_int_equal(gw_invokes_count(f->invokes), 0);
    oc_free(c.text);
    oc_blob_unref(blob);
}

static void test_no_params_and_default_timeout(void **state) {
    struct fixture *f = *state;
    struct caller c = new_caller();
    struct oc_error err;
    struct gw_invoke_spec s = spec("k");
    assert_int_equal(gw_invoke_start(f->invokes, &s, &c.waiter, &err), OC_OK);
    assert_non_null(strstr(f->last, "\"command\":\"a.b\",\"timeoutMs\":30000,"));
    advance(f, OC_DEFAULT_INVOKE_MS - 1);
    assert_int_equal(c.answers, 0);
    advance(f, 1);
    assert_int_equal(c.answers, 1);
    assert_non_null(
            strstr(c.text, "\"code\":\"UNAVAILABLE\",\"message\":\"node invoke timed out\""));
    assert_non_null(strstr(c.text, "\"nodeError\":{\"code\":\"TIMEOUT\""));
    oc_free(c.text);
}

static void test_late_unknown_and_foreign_results(void **state) {
    struct fixture *f = *state;
    struct caller c = new_caller();
    struct oc_error err;
    struct gw_invoke_spec s = spec("k");
    assert_int_equal(gw_invoke_start(f->invokes, &s, &c.waiter, &err), OC_OK);
    OC_AUTO_FREE char *id = last_id(f);
    assert_false(result(f, "node-1", "no-such-id", "1"));
    assert_false(result(f, "node-2", id, "1"));
    assert_int_equal(c.answers, 0);
    assert_true(result(f, "node-1", id, "1"));
    assert_false(result(f, "node-1", id, "2"));
    assert_int_equal(c.answers, 1);
    oc_free(c.text);
}

static void test_node_lost(void **state) {
    struct fixture *f = *state;
    struct caller a = new_caller(), b = new_caller(), other = new_caller();
    struct oc_error err;
    struct gw_invoke_spec s1 = spec("k1"), s2 = spec("k2"), s3 = spec("k3");
    s3.node_id = "node-2";
    assert_int_equal(gw_invoke_start(f->invokes, &s1, &a.waiter, &err), OC_OK);
    assert_int_equal(gw_invoke_start(f->invokes, &s2, &b.waiter, &err), OC_OK);
    assert_int_equal(gw_invoke_start(f->invokes, &s3, &other.waiter, &err), OC_OK);
    gw_invokes_node_lost(f->invokes, "node-1");
    assert_non_null(strstr(a.text, "node disconnected (a.b)"));
    assert_non_null(strstr(b.text, "node disconnected (a.b)"));
    assert_int_equal(other.answers, 0);
    gw_invokes_settle_all(f->invokes);
    assert_non_null(strstr(other.text, "gateway stopping"));
    oc_free(a.text);
    oc_free(b.text);
    oc_free(other.text);
}

static void test_send_failure_frees_the_key(void **state) {
    struct fixture *f = *state;
    struct caller c = new_caller();
    struct oc_error err;
    struct gw_invoke_spec s = spec("k");
    f->send_result = OC_E_TOO_LARGE;
    assert_int_equal(gw_invoke_start(f->invokes, &s, &c.waiter, &err), OC_E_UNAVAILABLE);
    assert_string_equal(err.text, "failed to send invoke to node");
    assert_int_equal(gw_invokes_count(f->invokes), 0);
    assert_false(gw_invoke_is_known(f->invokes, "me", "k"));
    f->send_result = OC_OK;
    assert_int_equal(gw_invoke_start(f->invokes, &s, &c.waiter, &err), OC_OK);
    gw_invoke_leave(&c.waiter);
}

static void test_idempotency(void **state) {
    struct fixture *f = *state;
    struct caller a = new_caller(), b = new_caller(), c = new_caller(), d = new_caller();
    struct oc_error err;
    struct gw_invoke_spec s = spec("k"), different = spec("k"), stranger = spec("k");
    different.command = "c.d";
    stranger.actor = "you";
    assert_int_equal(gw_invoke_start(f->invokes, &s, &a.waiter, &err), OC_OK);
    assert_int_equal(gw_invoke_start(f->invokes, &s, &b.waiter, &err), OC_OK);
    assert_int_equal(f->sent, 1);
    assert_int_equal(gw_invoke_start(f->invokes, &different, &c.waiter, &err), OC_E_INVALID);
    assert_string_equal(err.text, "idempotencyKey already used for a different request");
    OC_AUTO_FREE char *id = last_id(f);
    assert_true(result(f, "node-1", id, "\"done\""));
    assert_int_equal(a.answers, 1);
    assert_string_equal(a.text, b.text);
    /* Afterwards the same answer, also when the node is gone. */
    f->send_result = OC_E_CLOSED;
    assert_int_equal(gw_invoke_start(f->invokes, &s, &c.waiter, &err), OC_OK);
    assert_int_equal(c.answers, 1);
    assert_string_equal(c.text, a.text);
    assert_int_equal(f->sent, 1);
    f->send_result = OC_OK;
    assert_int_equal(gw_invoke_start(f->invokes, &stranger, &d.waiter, &err), OC_OK);
    assert_int_equal(f->sent, 2);
    gw_invoke_leave(&d.waiter);
    advance(f, OC_IDEMPOTENCY_TTL_MS);
    assert_false(gw_invoke_is_known(f->invokes, "me", "k"));
    oc_free(a.text);
    oc_free(b.text);
    oc_free(c.text);
}

/* Whoever asks for a known key skips the gates. When the key is forgotten before we get to it,
 * nothing may run. */
static void test_a_repeat_never_runs(void **state) {
    struct fixture *f = *state;
    struct caller a = new_caller(), b = new_caller();
    struct oc_error err;
    struct gw_invoke_spec s = spec("k"), again = spec("k");
    assert_int_equal(gw_invoke_start(f->invokes, &s, &a.waiter, &err), OC_OK);
    OC_AUTO_FREE char *id = last_id(f);
    assert_true(result(f, "node-1", id, "\"done\""));
    again.is_repeat = gw_invoke_is_known(f->invokes, "me", "k");
    assert_true(again.is_repeat);
    oc_fake_clock_advance(&f->clock, OC_IDEMPOTENCY_TTL_MS); /* while the params are hashed */
    again.command = "camera.snap";
    assert_int_equal(gw_invoke_start(f->invokes, &again, &b.waiter, &err), OC_E_UNAVAILABLE);
    assert_non_null(strstr(err.text, "ask again"));
    assert_int_equal(f->sent, 1);
    assert_int_equal(b.answers, 0);
    assert_false(gw_invoke_is_known(f->invokes, "me", "k"));
    oc_free(a.text);
}

/* What goes to the node may hold the time of day; the same words of the caller are the same
 * request. */
static void test_a_repeat_is_known_by_what_was_asked(void **state) {
    struct fixture *f = *state;
    struct caller a = new_caller(), b = new_caller(), c = new_caller();
    struct oc_error err;
    struct gw_invoke_spec s = spec("k"), again = spec("k"), other = spec("k");
    s.asked = again.asked = (struct oc_slice){ "{\"x\":1}", 7 };
    other.asked = (struct oc_slice){ "{\"x\":2}", 7 };
    struct oc_blob *told = oc_blob_copy("{\"age\":1}", 9), *later = oc_blob_copy("{\"age\":2}", 9);
    s.blob = other.blob = told;
    s.params = other.params = (struct oc_slice){ told->data, told->len };
    again.blob = later;
    again.params = (struct oc_slice){ later->data, later->len };
    assert_int_equal(gw_invoke_start(f->invokes, &s, &a.waiter, &err), OC_OK);
    assert_int_equal(gw_invoke_start(f->invokes, &again, &b.waiter, &err), OC_OK);
    assert_int_equal(gw_invoke_start(f->invokes, &other, &c.waiter, &err), OC_E_INVALID);
    assert_int_equal(f->sent, 1);
    OC_AUTO_FREE char *id = last_id(f);
    assert_true(result(f, "node-1", id, "\"done\""));
    assert_int_equal(a.answers + b.answers, 2);
    oc_blob_unref(told);
    oc_blob_unref(later);
    oc_free(a.text);
    oc_free(b.text);
}

static void test_large_results_are_not_kept(void **state) {
    struct fixture *f = *state;
    struct caller a = new_caller(), b = new_caller();
    struct oc_error err;
    struct gw_invoke_spec s = spec("k");
    assert_int_equal(gw_invoke_start(f->invokes, &s, &a.waiter, &err), OC_OK);
    OC_AUTO_FREE char *id = last_id(f);
    OC_AUTO_FREE char *big = oc_alloc(70002);
    memset(big, 'x', 70001);
    big[0] = big[70000] = '"';
    assert_true(result(f, "node-1", id, big));
    assert_int_equal(a.answers, 1);
    assert_int_equal(gw_invoke_start(f->invokes, &s, &b.waiter, &err), OC_E_INVALID);
    assert_string_equal(err.text, "idempotencyKey already used; its result is no longer kept");
    assert_int_equal(f->sent, 1);
    oc_free(a.text);
}

/* Who hangs up gets nothing, but a retry joins what is still running instead of starting it
 * again. */
static void test_caller_gone(void **state) {
    struct fixture *f = *state;
    struct caller a = new_caller(), b = new_caller();
    struct oc_error err;
    struct gw_invoke_spec s = spec("k");
    assert_int_equal(gw_invoke_start(f->invokes, &s, &a.waiter, &err), OC_OK);
    gw_invoke_leave(&a.waiter);
    assert_int_equal(gw_invoke_start(f->invokes, &s, &b.waiter, &err), OC_OK);
    assert_int_equal(f->sent, 1);
    OC_AUTO_FREE char *id = last_id(f);
    assert_true(result(f, "node-1", id, "1"));
    assert_int_equal(a.answers, 0);
    assert_int_equal(b.answers, 1);
    oc_free(b.text);
}

/* A command line that hangs up does not come back: the node is told, once. The key still answers
 * with what the node made of it. */
static void test_command_line_gone(void **state) {
    struct fixture *f = *state;
    struct caller a = new_caller(), b = new_caller(), c = new_caller();
    struct oc_error err;
    struct gw_invoke_spec s = spec("k");
    a.waiter.ends_with_caller = b.waiter.ends_with_caller = true;
    assert_int_equal(gw_invoke_start(f->invokes, &s, &a.waiter, &err), OC_OK);
    OC_AUTO_FREE char *id = last_id(f);
    assert_int_equal(gw_invoke_start(f->invokes, &s, &b.waiter, &err), OC_OK);
    gw_invoke_leave(&a.waiter);
    assert_int_equal(f->sent, 1); /* b still waits */
    gw_invoke_leave(&b.waiter);
    assert_int_equal(f->sent, 2);
    OC_AUTO_FREE char *cancel =
            oc_strfmt("{\"type\":\"event\",\"event\":\"node.invoke.cancel\","
                      "\"payload\":{\"invokeId\":\"%s\",\"nodeId\":\"node-1\"}}",
                    id);
    assert_string_equal(f->last, cancel);
    assert_int_equal(gw_invoke_start(f->invokes, &s, &b.waiter, &err), OC_OK);
    gw_invoke_leave(&b.waiter);
    assert_int_equal(f->sent, 2);
    assert_int_equal(gw_invokes_count(f->invokes), 1); /* its place is taken until the node says */
    assert_true(result(f, "node-1", id, "\"stopped\""));
    assert_int_equal(a.answers + b.answers, 0);
    assert_int_equal(gw_invoke_start(f->invokes, &s, &c.waiter, &err), OC_OK);
    assert_non_null(strstr(c.text, "stopped"));
    oc_free(c.text);
}

static void test_who_may_come_back_keeps_it_going(void **state) {
    struct fixture *f = *state;
    struct caller app = new_caller(), terminal = new_caller();
    struct oc_error err;
    struct gw_invoke_spec s = spec("k");
    terminal.waiter.ends_with_caller = true;
    assert_int_equal(gw_invoke_start(f->invokes, &s, &app.waiter, &err), OC_OK);
    assert_int_equal(gw_invoke_start(f->invokes, &s, &terminal.waiter, &err), OC_OK);
    gw_invoke_leave(&app.waiter);
    gw_invoke_leave(&terminal.waiter);
    assert_int_equal(f->sent, 1);
}

/* As many as it gets for one actor; the callers are forgotten, the invokes run. */
static size_t start_many(struct fixture *f, const char *actor, const char *node_id, size_t max) {
    struct oc_error err;
    char key[32];
    size_t n = 0;
    for (; n < max; n++) {
        struct caller c = new_caller();
        snprintf(key, sizeof(key), "k%zu", n);
        struct gw_invoke_spec s = spec(key);
        s.actor = actor;
        s.node_id = node_id;
        if (gw_invoke_start(f->invokes, &s, &c.waiter, &err) != OC_OK) {
            assert_int_equal(err.code, OC_E_UNAVAILABLE);
            assert_non_null(strstr(err.text, "on this node"));
            assert_non_null(strstr(err.text, "your share"));
            break;
        }
        gw_invoke_leave(&c.waiter);
    }
    return n;
}

static void test_one_caller_leaves_room_on_a_node(void **state) {
    struct fixture *f = *state;
    size_t all = OC_MAX_INVOKES_PER_NODE;
    assert_int_equal(start_many(f, "greedy", "node-1", all), all / 2);
    assert_int_equal(start_many(f, "other", "node-1", all), all / 4);
    assert_int_equal(start_many(f, "third", "node-1", 1), 1);
    gw_invokes_node_lost(f->invokes, "node-1");
    assert_int_equal(start_many(f, "greedier", "node-1", 1), 1); /* the places are free again */
    assert_int_equal(gw_invokes_count(f->invokes), 1);
}

static void test_ceilings(void **state) {
    struct fixture *f = *state;
    char actor[32], node[32];
    /* Each node is filled by eight callers: 128 + 64 + … + 1. */
    size_t filled = 0;
    for (int i = 0; i < OC_MAX_INVOKES / OC_MAX_INVOKES_PER_NODE; i++) {
        snprintf(node, sizeof(node), "node-%d", i);
        for (int a = 0; a < 9; a++) {
            snprintf(actor, sizeof(actor), "actor-%d-%d", i, a);
            filled += start_many(f, actor, node, OC_MAX_INVOKES_PER_NODE);
        }
        assert_int_equal(start_many(f, "late", node, 1), 0);
    }
    assert_int_equal(filled, OC_MAX_INVOKES);
    struct caller c = new_caller();
    struct oc_error err;
    struct gw_invoke_spec s = spec("last");
    s.node_id = "fresh";
    assert_int_equal(gw_invoke_start(f->invokes, &s, &c.waiter, &err), OC_E_UNAVAILABLE);
    assert_non_null(strstr(err.text, "too many node commands"));
    gw_invokes_settle_all(f->invokes);
    assert_int_equal(gw_invokes_count(f->invokes), 0);
}

/* Starts it and has the node answer at once. */
static enum oc_code ask_once(
        struct fixture *f, const char *command, const char *key, struct oc_error *err) {
    struct caller c = new_caller();
    struct gw_invoke_spec s = spec(key);
    s.command = command;
    enum oc_code rc = gw_invoke_start(f->invokes, &s, &c.waiter, err);
    if (rc == OC_OK && c.answers == 0) {
        OC_AUTO_FREE char *id = last_id(f);
        assert_true(result(f, "node-1", id, "{}"));
    }
    assert_int_equal(c.answers, rc == OC_OK);
    oc_free(c.text);
    return rc;
}

/* Until it is refused. */
static size_t ask_often(struct fixture *f, const char *command, size_t max, struct oc_error *err) {
    char key[80];
    for (size_t n = 0; n < max; n++) {
        snprintf(key, sizeof(key), "%s %zu", command, n);
        if (ask_once(f, command, key, err) != OC_OK) {
            return n;
        }
    }
    return max;
}

static void test_runs_can_be_watched_and_killed_whatever_else_was_asked(void **state) {
    struct fixture *f = *state;
    struct oc_error err;
    size_t share = OC_IDEMPOTENCY_MAX / 2;
    assert_int_equal(ask_often(f, "system.runs.poll", share + 1, &err), share + 1);
    assert_int_equal(ask_often(f, "system.runs.write", share + 1, &err), share);
    assert_non_null(strstr(err.text, "input in a minute"));
    assert_int_equal(ask_often(f, "a.b", share + 1, &err), share); /* none of it counted here */
    assert_non_null(strstr(err.text, "too many commands in ten minutes"));
    assert_int_equal(ask_once(f, "system.runs.kill", "kill", &err), OC_OK);
    assert_int_equal(ask_once(f, "system.runs.list", "list", &err), OC_OK);
    assert_int_equal(ask_once(f, "system.runs.poll", "poll", &err), OC_OK);
    advance(f, OC_INPUT_KEY_TTL_MS);
    assert_int_equal(ask_once(f, "system.runs.write", "write", &err), OC_OK);
    assert_int_equal(ask_once(f, "a.b", "one more", &err), OC_E_UNAVAILABLE);
}

static void test_keys_of_runs(void **state) {
    struct fixture *f = *state;
    struct oc_error err;
    struct caller a = new_caller(), b = new_caller();
    struct gw_invoke_spec s = spec("key");
    s.command = "system.runs.poll";
    assert_int_equal(gw_invoke_start(f->invokes, &s, &a.waiter, &err), OC_OK);
    assert_int_equal(gw_invoke_start(f->invokes, &s, &b.waiter, &err), OC_OK);
    assert_int_equal(f->sent, 1); /* the second waits for the same answer */
    assert_int_equal(ask_once(f, "a.b", "key", &err), OC_E_INVALID); /* one key, one request */
    OC_AUTO_FREE char *id = last_id(f);
    assert_true(result(f, "node-1", id, "{}"));
    assert_int_equal(a.answers + b.answers, 2);
    assert_int_equal(ask_once(f, "system.runs.poll", "key", &err), OC_OK);
    assert_int_equal(f->sent, 2); /* to look again is to look anew */
    assert_int_equal(ask_once(f, "system.runs.write", "typed", &err), OC_OK);
    assert_int_equal(ask_once(f, "system.runs.write", "typed", &err), OC_OK);
    assert_int_equal(f->sent, 3); /* what was typed is typed once */
    assert_int_equal(ask_once(f, "system.runs.poll", "typed", &err), OC_E_INVALID);
    oc_free(a.text);
    oc_free(b.text);
}

static void test_params_too_large_once_escaped(void **state) {
    struct fixture *f = *state;
    struct caller c = new_caller();
    struct oc_error err;
    size_t n = (size_t)13 * 1024 * 1024;
    struct oc_buf b = OC_BUF_INIT(OC_MAX_MESSAGE_BYTES);
    char *at = oc_buf_reserve(&b, n);
    memset(at, '"', n);
    b.len += n;
    struct oc_blob *blob = oc_blob_from_buf(&b);
    struct gw_invoke_spec s = spec("k");
    s.blob = blob;
    s.params = (struct oc_slice){ blob->data, blob->len };
    assert_int_equal(gw_invoke_start(f->invokes, &s, &c.waiter, &err), OC_E_INVALID);
    assert_int_equal(f->sent, 0);
    assert_false(gw_invoke_is_known(f->invokes, "me", "k"));
    oc_blob_unref(blob);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_request_shape, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_params_and_default_timeout, setup, teardown),
        cmocka_unit_test_setup_teardown(test_late_unknown_and_foreign_results, setup, teardown),
        cmocka_unit_test_setup_teardown(test_node_lost, setup, teardown),
        cmocka_unit_test_setup_teardown(test_send_failure_frees_the_key, setup, teardown),
        cmocka_unit_test_setup_teardown(test_idempotency, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_repeat_never_runs, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_repeat_is_known_by_what_was_asked, setup, teardown),
        cmocka_unit_test_setup_teardown(test_large_results_are_not_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(test_caller_gone, setup, teardown),
        cmocka_unit_test_setup_teardown(test_command_line_gone, setup, teardown),
        cmocka_unit_test_setup_teardown(test_who_may_come_back_keeps_it_going, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_caller_leaves_room_on_a_node, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ceilings, setup, teardown),
        cmocka_unit_test_setup_teardown(
                test_runs_can_be_watched_and_killed_whatever_else_was_asked, setup, teardown),
        cmocka_unit_test_setup_teardown(test_keys_of_runs, setup, teardown),
        cmocka_unit_test_setup_teardown(test_params_too_large_once_escaped, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
