#include "gateway/nodes/node_work.h"

#include "lib/protocol/limits.h"
#include "tests/any_int.h"
#include "tests/unit/unit.h"

static cJSON *add(struct gw_node_work *w, const char *node, const char *type, const char *priority,
        int64_t expires_in_ms) {
    cJSON *o = NULL;
    struct oc_error err;
    assert_int_equal(gw_node_work_add(w, node, type, priority, expires_in_ms, &o, &err), OC_OK);
    return o;
}

static const char *type_at(const cJSON *drained, int i) {
    return oc_json_get_str(cJSON_GetArrayItem(oc_json_get(drained, "items"), i), "type");
}

static const char *id_at(const cJSON *drained, int i) {
    return oc_json_get_str(cJSON_GetArrayItem(oc_json_get(drained, "items"), i), "id");
}

static void one_of_each_urgent_first(void **state) {
    (void)state;
    struct oc_fake_clock clock;
    oc_fake_clock_init(&clock, 1000000);
    struct gw_node_work *w = gw_node_work_create(&clock.clock);
    OC_AUTO_JSON cJSON *a = add(w, "n", "status.request", NULL, 0);
    OC_AUTO_JSON cJSON *b = add(w, "n", "status.request", "high", 0);
    OC_AUTO_JSON cJSON *c = add(w, "n", "location.request", "high", 5000);
    assert_string_equal(oc_json_get_str(oc_json_get(a, "queued"), "id"),
            oc_json_get_str(oc_json_get(b, "queued"), "id"));
    assert_int_equal(any_int(c, "revision", 0), 2);
    OC_AUTO_JSON cJSON *first = gw_node_work_drain(w, "n", 1);
    assert_string_equal(type_at(first, 0), "location.request");
    assert_true(oc_json_get_bool(first, "hasMore", false));
    OC_AUTO_JSON cJSON *rest = gw_node_work_drain(w, "n", 4);
    assert_string_equal(type_at(rest, 0), "status.request");
    assert_false(oc_json_get_bool(rest, "hasMore", true));
    OC_AUTO_JSON cJSON *d = add(w, "n", "location.request", NULL, 5000);
    assert_non_null(d);
    oc_fake_clock_advance(&clock, 5000);
    OC_AUTO_JSON cJSON *late = gw_node_work_drain(w, "n", 4);
    assert_int_equal(cJSON_GetArraySize(oc_json_get(late, "items")), 1);
    assert_string_equal(id_at(late, 0), "baseline-status");
    OC_AUTO_JSON cJSON *stranger = gw_node_work_drain(w, "other", 4);
    assert_int_equal(any_int(stranger, "revision", -1), 0);
    gw_node_work_destroy(w);
}

/* Who wakes is asked for its status, whether or not somebody queued that. */
static void a_baseline_stands_last(void **state) {
    (void)state;
    struct oc_fake_clock clock;
    oc_fake_clock_init(&clock, 1000000);
    struct gw_node_work *w = gw_node_work_create(&clock.clock);
    OC_AUTO_JSON cJSON *nothing = gw_node_work_drain(w, "n", 4);
    const cJSON *item = cJSON_GetArrayItem(oc_json_get(nothing, "items"), 0);
    assert_string_equal(oc_json_get_str(item, "id"), "baseline-status");
    assert_string_equal(oc_json_get_str(item, "type"), "status.request");
    assert_string_equal(oc_json_get_str(item, "priority"), "default");
    assert_int_equal(any_int(item, "createdAtMs", 0), 1000000);
    assert_true(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(item, "expiresAtMs")));
    assert_false(oc_json_get_bool(nothing, "hasMore", true));
    cJSON_Delete(add(w, "n", "location.request", NULL, 0));
    OC_AUTO_JSON cJSON *first = gw_node_work_drain(w, "n", 1);
    assert_string_equal(type_at(first, 0), "location.request");
    assert_true(oc_json_get_bool(first, "hasMore", false)); /* the baseline */
    cJSON_Delete(add(w, "n", "location.request", NULL, 0));
    OC_AUTO_JSON cJSON *both = gw_node_work_drain(w, "n", 4);
    assert_int_equal(cJSON_GetArraySize(oc_json_get(both, "items")), 2);
    assert_string_equal(id_at(both, 1), "baseline-status");
    cJSON_Delete(add(w, "n", "status.request", NULL, 0));
    OC_AUTO_JSON cJSON *asked = gw_node_work_drain(w, "n", 4);
    assert_int_equal(cJSON_GetArraySize(oc_json_get(asked, "items")), 1);
    assert_string_not_equal(id_at(asked, 0), "baseline-status");
    gw_node_work_destroy(w);
}

static void nodes_that_never_wake_make_room(void **state) {
    (void)state;
    struct oc_fake_clock clock;
    oc_fake_clock_init(&clock, 1000000);
    struct gw_node_work *w = gw_node_work_create(&clock.clock);
    char node[32];
    for (int i = 0; i < OC_MAX_NODE_WORK_QUEUES; i++) {
        snprintf(node, sizeof(node), "node-%d", i);
        cJSON_Delete(add(w, node, "status.request", NULL, 0));
    }
    oc_fake_clock_advance(&clock, 86400000);
    cJSON_Delete(add(w, "more", "status.request", NULL, 0));
    gw_node_work_destroy(w);
}

static void refusals(void **state) {
    (void)state;
    struct gw_node_work *w = gw_node_work_create(&oc_clock_system);
    struct oc_error err;
    cJSON *o = NULL;
    assert_int_equal(gw_node_work_add(w, "n", "rm", NULL, 0, &o, &err), OC_E_INVALID);
    assert_int_equal(gw_node_work_add(w, "n", "status.request", "huge", 0, &o, &err), OC_E_INVALID);
    char node[32];
    for (int i = 0; i < OC_MAX_NODE_WORK_QUEUES; i++) {
        snprintf(node, sizeof(node), "node-%d", i);
        cJSON_Delete(add(w, node, "status.request", NULL, 0));
    }
    assert_int_equal(
            gw_node_work_add(w, "more", "status.request", NULL, 0, &o, &err), OC_E_UNAVAILABLE);
    gw_node_work_destroy(w);
    gw_node_work_destroy(NULL);
}

static void a_removed_node_leaves_nothing(void **state) {
    (void)state;
    struct oc_fake_clock clock;
    oc_fake_clock_init(&clock, 1000000);
    struct gw_node_work *w = gw_node_work_create(&clock.clock);
    for (int i = 0; i < OC_MAX_NODE_WORK_QUEUES; i++) {
        OC_AUTO_FREE char *node = oc_strfmt("node-%d", i);
        cJSON_Delete(add(w, node, "location.request", NULL, 0));
    }
    gw_node_work_forget(w, "node-7");
    gw_node_work_forget(w, "stranger");
    OC_AUTO_JSON cJSON *drained = gw_node_work_drain(w, "node-7", 1);
    const char *type = type_at(drained, 0);
    assert_false(type && strcmp(type, "location.request") == 0);
    cJSON_Delete(add(w, "another", "status.request", NULL, 0)); /* there is room again */
    gw_node_work_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_of_each_urgent_first),
        cmocka_unit_test(a_baseline_stands_last),
        cmocka_unit_test(nodes_that_never_wake_make_room),
        cmocka_unit_test(refusals),
        cmocka_unit_test(a_removed_node_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
