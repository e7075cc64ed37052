#include "cli/waiting.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_merges_both_lists(void **state) {
    (void)state;
    OC_AUTO_WAITING struct oc_waiting r;
    oc_waiting_merge(&r,
            cJSON_Parse("{\"pending\":[{\"requestId\":\"s1\",\"nodeId\":\"n1\",\"ts\":10},"
                        "{\"requestId\":\"d1\",\"nodeId\":\"n2\",\"gate\":\"device "
                        "pairing\",\"ts\":30}]}"),
            cJSON_Parse("{\"pending\":[{\"requestId\":\"d1\",\"deviceId\":\"n2\",\"role\":\"node\","
                        "\"ts\":30},"
                        "{\"requestId\":\"d2\",\"deviceId\":\"n3\",\"roles\":[\"operator\","
                        "\"node\"],\"ts\":20},"
                        "{\"requestId\":\"op\",\"deviceId\":\"o1\",\"role\":\"operator\",\"ts\":40}"
                        "]}"));
    assert_int_equal(r.count, 3);
    assert_string_equal(r.items[0].id, "d1");
    assert_string_equal(r.items[1].id, "d2");
    assert_string_equal(r.items[2].id, "s1");
    assert_true(r.items[0].is_device);
    assert_false(r.items[0].by_device_method); /* node.pair.approve takes it and opens both gates */
    assert_true(r.items[1].by_device_method);
    assert_string_equal(r.items[1].node_id, "n3");
    assert_false(r.items[2].is_device);
    assert_null(oc_waiting_find(&r, "op"));
    assert_ptr_equal(oc_waiting_of_node(&r, "n1", false), &r.items[2]);
    assert_null(oc_waiting_of_node(&r, "n1", true));
}

static void test_json_names_the_gate(void **state) {
    (void)state;
    OC_AUTO_WAITING struct oc_waiting r;
    oc_waiting_merge(&r, cJSON_Parse("{\"pending\":[]}"),
            cJSON_Parse("{\"pending\":[{\"requestId\":\"d2\",\"deviceId\":\"n3\",\"role\":\"node\"}"
                        "]}"));
    OC_AUTO_JSON cJSON *array = oc_waiting_json(&r);
    assert_string_equal(oc_json_get_str(array->child, "gate"), "device pairing");
    assert_string_equal(oc_json_get_str(array->child, "nodeId"), "n3");
}

static void test_survives_nonsense(void **state) {
    (void)state;
    OC_AUTO_WAITING struct oc_waiting r;
    oc_waiting_merge(&r, cJSON_Parse("{\"pending\":[1,null,{},{\"requestId\":5}]}"), NULL);
    assert_int_equal(r.count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merges_both_lists),
        cmocka_unit_test(test_json_names_the_gate),
        cmocka_unit_test(test_survives_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
