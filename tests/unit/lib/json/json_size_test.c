#include "lib/json/json.h"

#include "tests/unit/unit.h"

#include <string.h>

static size_t count(const char *text) {
    return oc_json_count_values(text, strlen(text));
}

static void test_values_are_counted_never_too_few(void **state) {
    (void)state;
    assert_int_equal(count("0"), 1);
    assert_int_equal(count("[0,0,0]"), 4);
    assert_true(count("{\"a\":[],\"b\":{\"c\":1}}") >= 5);
    assert_int_equal(count("\"[,,,{\\\",\""), 1); /* text */
    assert_int_equal(count("[\"a,b\",\"\\\\\",1]"), 4);
    assert_int_equal(count("\"open"), 1);
}

static void test_a_tree_takes_more_than_its_text(void **state) {
    (void)state;
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < 1000; i++) {
        cJSON_AddItemToArray(list, cJSON_CreateNumber(0));
    }
    assert_true(oc_json_tree_bytes(list) >= 1000 * sizeof(cJSON));
    size_t before = oc_json_tree_bytes(list);
    cJSON_AddItemToArray(list, cJSON_CreateString("0123456789"));
    assert_true(oc_json_tree_bytes(list) >= before + sizeof(cJSON) + 11);
    assert_int_equal(oc_json_tree_bytes(NULL), 0);
    cJSON_Delete(list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_are_counted_never_too_few),
        cmocka_unit_test(test_a_tree_takes_more_than_its_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
