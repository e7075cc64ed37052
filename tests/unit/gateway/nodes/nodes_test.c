#include "gateway/nodes/nodes.h"

#include "tests/unit/unit.h"

static void test_register_and_replace(void **state) {
    (void)state;
    struct gw_nodes *nodes = gw_nodes_create();
    struct gw_node old = { .id = "a" }, new = { .id = "a" }, other = { .id = "b" };
    assert_null(gw_nodes_register(nodes, &old));
    assert_null(gw_nodes_register(nodes, &other));
    assert_ptr_equal(gw_nodes_register(nodes, &new), &old);
    assert_int_equal(gw_nodes_count(nodes), 2);
    /* The older connection closes after the newer one has taken its place: the newer one stays. */
    assert_false(gw_nodes_unregister(nodes, &old));
    assert_ptr_equal(gw_nodes_find(nodes, "a"), &new);
    assert_true(gw_nodes_unregister(nodes, &new));
    assert_null(gw_nodes_find(nodes, "a"));
    assert_false(gw_nodes_unregister(nodes, &new));
    size_t pos = 0;
    assert_ptr_equal(gw_nodes_next(nodes, &pos), &other);
    assert_null(gw_nodes_next(nodes, &pos));
    gw_nodes_destroy(nodes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_register_and_replace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
