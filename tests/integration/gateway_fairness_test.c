/* One party asks as fast as it can; what another one then waits for is counted in units of work
 * (lib/net/loop/turns.h), not in time. */
#include "gateway_harness.h"

#include "gateway/core.h"
#include "gateway/methods/methods.h"
#include "gateway/store/audit.h"

/* The audit as full as they get, and many devices. */
static void fill_store(void) {
    struct gw_store *s = world.gw->store;
    struct oc_error err;
    OC_AUTO_JSON cJSON *doc = cJSON_CreateObject(), *end = cJSON_CreateObject();
    char text[OC_MAX_AUDIT_TEXT];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    oc_json_set_str(doc, "kind", "run");
    oc_json_set_str(doc, "command", text);
    oc_json_set_str(end, "kind", "end");
    assert_int_equal(gw_store_begin(s, &err), OC_OK);
    for (int i = 0; i < OC_MAX_AUDIT_RUNS / 2; i++) {
        int64_t seq = 0;
        struct gw_audit_row row = { .at_ms = i, .node_id = i % 2 ? "a" : "b", .doc = doc };
        assert_int_equal(gw_audit_add(s, GW_AUDIT_RUNS, &row, &seq, &err), OC_OK);
        row.ref = seq;
        row.doc = end;
        assert_int_equal(gw_audit_add(s, GW_AUDIT_RUNS, &row, NULL, &err), OC_OK);
    }
    for (int i = 0; i < OC_MAX_AUDIT_REFUSALS; i++) {
        struct gw_audit_row row = { .at_ms = i, .node_id = "a", .doc = doc };
        assert_int_equal(gw_audit_add(s, GW_AUDIT_REFUSALS, &row, NULL, &err), OC_OK);
    }
    assert_int_equal(gw_store_commit(s, &err), OC_OK);
}

static void fill_log(void) {
    for (int i = 0; i < OC_MAX_LOG_LINES; i++) {
        oc_log(OC_LOG_INFO, "test", "line %d %0900d", i, i);
    }
}

static int set_up(void **state) {
    if (world_setup_started(state) != 0) {
        return -1;
    }
    fill_store();
    fill_log();
    return 0;
}

static const struct request {
    const char *method, *params;
} requests[] = {
    { "exec.audit.list", "{\"nodeId\":\"x\"}" },
    { "config.schema.lookup", "{\"path\":\"gateway\"}" },
    { "exec.audit.list", "{\"limit\":1000}" },
    { "exec.audit.list", "{\"nodeId\":\"a\",\"limit\":1000,\"untilMs\":5000}" },
    { "config.schema", "{}" },
    { "config.get", "{}" },
    { "logs.tail", "{\"limit\":5000,\"maxBytes\":1000000}" },
    { "device.pair.list", "{}" },
    { "node.pair.list", "{}" },
    { "node.list", "{}" },
    { "status", "{}" },
    { "health", "{}" },
    { "system-presence", "{}" },
    { "approval.history", "{}" },
    { "exec.approval.list", "{}" },
    { "voicewake.get", "{}" },
    { "voicewake.set", "{\"triggers\":[\"claw\"]}" },
    { "exec.approvals.get", "{}" },
    { "exec.approvals.set", "{\"file\":{\"version\":1},\"baseHash\":\"x\"}" },
    { "system-event", "{\"text\":\"hello\"}" },
    { "nonsense", "{}" },
};

/* What one request makes of work; the others are quiet. */
static uint64_t work_of(struct client *c, const struct request *r) {
    uint64_t before = gw_work(world.gw);
    cJSON_Delete(call(c, r->method, r->params));
    return gw_work(world.gw) - before;
}

static void no_single_request_is_a_long_turn(void **state) {
    (void)state;
    struct client *c = join(&(struct who){ .id = new_identity() }, NULL);
    for (size_t i = 0; i < OC_COUNT(requests); i++) {
        (void)work_of(c, &requests[i]); /* what is made once is made */
        uint64_t work = work_of(c, &requests[i]);
        print_message("%-22s %-50s %llu\n", requests[i].method, requests[i].params,
                (unsigned long long)work);
        if (work > OC_TURN_UNITS) {
            fail_msg("%s %s makes %llu units of work, a turn has %u", requests[i].method,
                    requests[i].params, (unsigned long long)work, OC_TURN_UNITS);
        }
    }
}

/* Every method, as whoever has all scopes can call it without knowing anything. */
static void no_method_is_a_long_turn(void **state) {
    (void)state;
    struct client *c = join(&(struct who){ .id = new_identity() }, NULL);
    OC_AUTO_JSON cJSON *names = gw_method_names();
    const cJSON *name = NULL;
    cJSON_ArrayForEach(name, names) {
        struct request r = { name->valuestring, "{}" };
        if (!oc_streq(r.method, "exec.approval.waitDecision")) {
            (void)work_of(c, &r);
            uint64_t work = work_of(c, &r);
            if (work > OC_TURN_UNITS) {
                fail_msg("%s makes %llu units of work, a turn has %u", r.method,
                        (unsigned long long)work, OC_TURN_UNITS);
            }
        }
    }
}

/* The most that another client's small request waits for while this one floods. */
static uint64_t longest_wait(struct client *flooder, struct client *other, const char *first_id) {
    uint64_t longest = 0;
    OC_AUTO_JSON cJSON *over = NULL;
    while (!over) {
        uint64_t before = gw_work(world.gw);
        OC_AUTO_JSON cJSON *res = call(other, "node.list", "{}");
        assert_true(oc_json_get_bool(res, "ok", false));
        uint64_t waited = gw_work(world.gw) - before;
        longest = waited > longest ? waited : longest;
        assert_false(flooder->is_closed);
        cJSON *f = NULL;
        while ((f = flooder->inbox->child) != NULL && !over) {
            over = cJSON_DetachItemViaPointer(flooder->inbox, f);
            if (!oc_streq(oc_json_get_str(over, "id"), first_id)) {
                cJSON_Delete(oc_take(&over));
            }
        }
    }
    return longest;
}

/* Its own request, what the flooder does before and after it in its rounds, and one message that
 * goes beyond the turn. */
#define FAIR (4 * (uint64_t)OC_TURN_UNITS)

static void floods_of_every_request_leave_others_their_turn(void **state) {
    (void)state;
    struct client *flooder = join(&(struct who){ .id = new_identity() }, NULL);
    struct client *other = join(&(struct who){ .id = new_identity() }, NULL);
    for (size_t i = 0; i < OC_COUNT(requests); i++) {
        char last[32] = "";
        uint64_t count = 16 * OC_TURN_UNITS / work_of(flooder, &requests[i]);
        for (uint64_t k = 0; k < count; k++) {
            snprintf(
                    last, sizeof(last), "%s", ask(flooder, requests[i].method, requests[i].params));
        }
        uint64_t longest = longest_wait(flooder, other, last);
        if (longest > FAIR) {
            fail_msg("%s: another request waited for %llu units of work", requests[i].method,
                    (unsigned long long)longest);
        }
    }
}

/* Answers come in the order of the questions, however often the asker had to wait for its turn. */
static void a_flood_is_answered_in_order(void **state) {
    (void)state;
    struct client *c = join(&(struct who){ .id = new_identity() }, NULL);
    enum { COUNT = 3000 };
    for (int i = 0; i < COUNT; i++) {
        (void)ask(c, i % 2 ? "health" : "exec.audit.list", "{\"nodeId\":\"x\"}");
    }
    unsigned expected = 1;
    while (expected <= COUNT) {
        UNTIL(c->inbox->child != NULL);
        OC_AUTO_JSON cJSON *f = cJSON_DetachItemViaPointer(c->inbox, c->inbox->child);
        if (oc_streq(oc_json_get_str(f, "type"), "res")) {
            char id[32];
            snprintf(id, sizeof(id), "r%u", expected++);
            assert_string_equal(oc_json_get_str(f, "id"), id);
        }
    }
}

/* Requests over HTTP, connections that end and everything else has a party that it counts for; what
 * is left is small. */
static void little_work_is_nobodys(void **state) {
    (void)state;
    struct client *c = join(&(struct who){ .id = new_identity() }, NULL);
    uint64_t before = world.gw->turns.work, nobodys = world.gw->turns.nobodys;
    for (size_t i = 0; i < OC_COUNT(requests); i++) {
        cJSON_Delete(call(c, requests[i].method, requests[i].params));
    }
    for (int i = 0; i < 50; i++) {
        char answer[1024];
        int fd = dial_gateway();
        (void)http_exchange(
                fd, "GET /j/nothing HTTP/1.1\r\nHost: x\r\n\r\n", answer, sizeof(answer));
        close(fd);
        struct client *other = join(&(struct who){ .id = new_identity() }, NULL);
        oc_ws_abort(other->ws);
        UNTIL(other->is_closed);
    }
    settle_down();
    uint64_t work = world.gw->turns.work - before;
    nobodys = world.gw->turns.nobodys - nobodys;
    print_message(
            "%llu units, nobody's: %llu\n", (unsigned long long)work, (unsigned long long)nobodys);
    assert_in_range(nobodys, 0, work / 20);
}

/* More connections are not more turns. */
static void many_connections_of_one_device_have_one_turn(void **state) {
    (void)state;
    struct oc_identity *id = new_identity();
    struct client *flooders[16], *other = join(&(struct who){ .id = new_identity() }, NULL);
    char last[32] = "";
    for (size_t i = 0; i < OC_COUNT(flooders); i++) {
        flooders[i] = join(&(struct who){ .id = id }, NULL);
    }
    for (size_t i = 0; i < OC_COUNT(flooders); i++) {
        for (int k = 0; k < 100; k++) {
            snprintf(last, sizeof(last), "%s",
                    ask(flooders[i], "exec.audit.list", "{\"limit\":50}"));
        }
    }
    uint64_t longest = longest_wait(flooders[OC_COUNT(flooders) - 1], other, last);
    assert_in_range(longest, 1, FAIR);
}

static char *repeated(const char *begin, const char *piece, size_t count, const char *end) {
    struct oc_buf b = OC_BUF_INIT(OC_MAX_MESSAGE_BYTES);
    oc_buf_puts(&b, begin);
    while (count-- > 0) {
        oc_buf_puts(&b, piece);
    }
    oc_buf_puts(&b, end);
    return b.data;
}

/* One message is one turn, however large: who cannot call nodes has no use for large ones, and for
 * the others' it is told early that they are too much. */
static void no_single_message_is_a_long_turn(void **state) {
    (void)state;
    struct client *writer = join(&(struct who){ .id = new_identity() }, NULL);
    OC_AUTO_FREE char *values = repeated("{\"a\":[", "0,", OC_MAX_REQUEST_VALUES, "0]}");
    call_fails(writer, "health", values, "INVALID_REQUEST",
            "invalid health params: more than 32768 values");
    OC_AUTO_FREE char *zeros = repeated("[", "0,", (size_t)3 << 20, "0]");
    (void)ask(writer, "node.invoke", zeros);
    OC_AUTO_JSON cJSON *res = wait_res(writer, "invalid");
    assert_non_null(strstr(oc_json_get_str(oc_json_get(res, "error"), "message"),
            "invalid request frame: too large"));

    struct client *reader =
            join(&(struct who){ .id = new_identity(), .scopes = "operator.read" }, NULL);
    OC_AUTO_FREE char *some = repeated("{\"a\":\"", "x", OC_MAX_READER_BYTES - 200, "\"}");
    cJSON_Delete(call_ok(reader, "health", some));
    OC_AUTO_FREE char *more = repeated("{\"a\":\"", "x", OC_MAX_READER_BYTES, "\"}");
    (void)ask(reader, "health", more);
    wait_closed(reader, 1009, "message too big");
}

/* Frames that say nothing, of a page that has nothing to say: they are work, and the page has a
 * turn like anybody. */
static void empty_frames_of_pages_have_a_turn(void **state) {
    (void)state;
    struct client *other = join(&(struct who){ .id = new_identity() }, NULL);
    int fd = dial_gateway();
    char head[2048];
    (void)http_exchange(fd,
            "GET /__openclaw__/ws HTTP/1.1\r\nHost: 127.0.0.1:18789\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            head, sizeof(head));
    assert_int_equal(strncmp(head, "HTTP/1.1 101 ", 13), 0);
    enum { COUNT = 10000, BYTES = 6 };
    char *frames = oc_alloc((size_t)COUNT * BYTES);
    for (int i = 0; i < COUNT; i++) {
        memcpy(frames + (size_t)i * BYTES, "\x81\x80\0\0\0\0", BYTES);
    }
    uint64_t before = gw_work(world.gw), wanted = COUNT * OC_WS_FRAME_COST / OC_TURN_BYTES_IN;
    assert_int_equal(send(fd, frames, (size_t)COUNT * BYTES, MSG_NOSIGNAL), COUNT * BYTES);
    oc_free(frames);
    uint64_t longest = 0;
    while (gw_work(world.gw) - before < wanted) {
        uint64_t begin = gw_work(world.gw);
        int64_t give_up_ms = oc_mono_ms(&oc_clock_system) + WATCHDOG_MS;
        cJSON_Delete(call_ok(other, "node.list", "{}"));
        uint64_t waited = gw_work(world.gw) - begin;
        longest = waited > longest ? waited : longest;
        assert_true(waited > 0 && oc_mono_ms(&oc_clock_system) < give_up_ms);
        if (other->next_id > COUNT / 100) {
            fail_msg("empty frames are not counted");
        }
    }
    assert_in_range(longest, 1, FAIR);
    close(fd);
}

/* Units do not see how dear it is to make the schema: every question of it is answered from the one
 * that was made for the first. */
static void the_schema_is_made_once(void **state) {
    (void)state;
    struct client *c = join(&(struct who){ .id = new_identity() }, NULL);
    cJSON_Delete(call_ok(c, "config.schema.lookup", "{\"path\":\"gateway\"}"));
    assert_non_null(world.gw->schema.tree);
    const cJSON *section = oc_json_get(oc_json_get(world.gw->schema.tree, "properties"), "gateway");
    assert_non_null(cJSON_AddTrueToObject((cJSON *)section, "x-made-once"));
    for (int i = 0; i < 3; i++) {
        OC_AUTO_JSON cJSON *res = call_ok(c, "config.schema.lookup", "{\"path\":\"gateway\"}");
        assert_true(oc_json_get_bool(oc_json_get(res, "schema"), "x-made-once", false));
    }
    OC_AUTO_JSON cJSON *whole = call_ok(c, "config.schema", "{}");
    const cJSON *sections = oc_json_get(oc_json_get(whole, "schema"), "properties");
    assert_true(oc_json_get_bool(oc_json_get(sections, "gateway"), "x-made-once", false));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, world_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(no_single_request_is_a_long_turn),
        TEST(no_method_is_a_long_turn),
        TEST(the_schema_is_made_once),
        TEST(floods_of_every_request_leave_others_their_turn),
        TEST(no_single_message_is_a_long_turn),
        TEST(empty_frames_of_pages_have_a_turn),
        TEST(a_flood_is_answered_in_order),
        TEST(many_connections_of_one_device_have_one_turn),
        TEST(little_work_is_nobodys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
