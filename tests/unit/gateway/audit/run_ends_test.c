/* Ends of runs are written after the round that brought them, in order, once, and never
 * forgotten. */
#include "gateway/audit/run_ends.h"

#include "gateway/conn/call.h"
#include "gateway/conn/conn.h"
#include "lib/base/mem.h"
#include "tests/any_int.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct world {
    struct oc_loop *loop;
    struct gw_nodes *nodes;
    struct gw_run_ends *ends;
    struct gw_conn conn;
    int64_t written[512];
    size_t count;
    size_t most_at_once, began_at, times;
    bool is_open;
};
static struct world w;

static void begin(void *user) {
    assert_ptr_equal(user, &w);
    assert_false(w.is_open);
    w.is_open = true;
    w.began_at = w.count;
    w.times++;
}

static bool end(void *user) {
    assert_ptr_equal(user, &w);
    assert_true(w.is_open);
    w.is_open = false;
    size_t at_once = w.count - w.began_at;
    w.most_at_once = at_once > w.most_at_once ? at_once : w.most_at_once;
    return true;
}

static bool write_end(void *user, const struct gw_end_row *row, cJSON *take_outcome) {
    assert_ptr_equal(user, &w);
    assert_true(w.is_open);
    assert_string_equal(row->node_id, "node");
    assert_string_equal(row->actor, "somebody");
    assert_int_equal(any_int(take_outcome, "exitCode", -1), row->run);
    w.written[w.count++] = row->run;
    cJSON_Delete(take_outcome);
    return true;
}

static int setup(void **state) {
    (void)state;
    memset(&w, 0, sizeof(w));
    struct oc_error err;
    assert_int_equal(oc_loop_create(&oc_clock_system, &w.loop, &err), OC_OK);
    w.nodes = gw_nodes_create();
    w.ends = gw_run_ends_create(w.loop, w.nodes,
            &(struct gw_run_ends_writer){
                    .begin = begin, .write = write_end, .end = end, .user = &w });
    memcpy(w.conn.id, "conn", sizeof("conn"));
    return 0;
}

static int teardown(void **state) {
    (void)state;
    gw_run_ends_destroy(w.ends);
    gw_nodes_destroy(w.nodes);
    oc_loop_destroy(w.loop);
    return 0;
}

static void add(int64_t run) {
    cJSON *outcome = cJSON_CreateObject();
    oc_json_set_int(outcome, "exitCode", run);
    struct gw_call call = { .conn = &w.conn, .id = "r" };
    gw_run_ends_add(w.ends,
            &(struct gw_end_row){ .kind = "end",
                    .run = run,
                    .node_id = "node",
                    .actor = "somebody",
                    .call = &call },
            outcome);
}

static size_t seen; /* rows when the answer left */

static void on_answer(struct oc_deferred *d) {
    (void)d;
    seen = w.count;
}

/* The answer is queued behind the end, as a node sends them. */
static void the_answer_goes_first(void **state) {
    (void)state;
    struct oc_deferred answer = { .run = on_answer };
    seen = 99;
    add(1);
    add(2);
    oc_defer(w.loop, &answer);
    oc_loop_step(w.loop, 0);
    assert_int_equal(seen, 0);
    oc_loop_step(w.loop, 0);
    assert_int_equal(w.count, 2);
    assert_int_equal(w.written[0], 1);
    assert_int_equal(w.written[1], 2);
    oc_loop_step(w.loop, 0);
    assert_int_equal(w.count, 2);
}

static void who_reads_sees_all(void **state) {
    (void)state;
    add(3);
    gw_run_ends_write_now(w.ends);
    assert_int_equal(w.count, 1);
    oc_loop_step(w.loop, 0);
    oc_loop_step(w.loop, 0);
    assert_int_equal(w.count, 1);
}

static void none_is_lost_at_the_end(void **state) {
    (void)state;
    add(4);
    gw_run_ends_destroy(oc_take(&w.ends));
    assert_int_equal(w.count, 1);
    oc_loop_step(w.loop, 0);
}

/* A node is lost: what it ran is written in small pieces, so that nobody waits for all of it. */
static void many_take_several_rounds(void **state) {
    (void)state;
    for (int64_t i = 0; i < 256; i++) {
        add(i);
    }
    int rounds = 0;
    while (w.count < 256 && rounds++ < 100) {
        oc_loop_step(w.loop, 0);
    }
    for (int64_t i = 0; i < 256; i++) {
        assert_int_equal(w.written[i], i);
    }
    assert_in_range(w.most_at_once, 16, 64);
    assert_in_range(w.times, 256 / 64, 256 / 16);
}

/* Ends that come in every round do not keep the older ones from being written. */
static void none_waits_for_the_newer_ones(void **state) {
    (void)state;
    for (int64_t i = 0; i < 10; i++) {
        add(i);
        oc_loop_step(w.loop, 0);
    }
    assert_in_range(w.count, 8, 9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_answer_goes_first, setup, teardown),
        cmocka_unit_test_setup_teardown(who_reads_sees_all, setup, teardown),
        cmocka_unit_test_setup_teardown(many_take_several_rounds, setup, teardown),
        cmocka_unit_test_setup_teardown(none_waits_for_the_newer_ones, setup, teardown),
        cmocka_unit_test_setup_teardown(none_is_lost_at_the_end, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
