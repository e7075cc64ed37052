#include "cli/nodes/node_gates.h"

#include "tests/unit/unit.h"

/* As a 2026.9.6 gateway describes a node that asks for more. */
static void gateways_that_do_not_tell(void **state) {
    (void)state;
    static const char text[] =
            "{\"nodeId\":\"n\",\"connected\":true,\"commands\":[\"system.notify\"],"
            "\"pendingRequestId\":\"req-1\",\"pendingDeclaredCommands\":["
            "\"system.execApprovals.get\",\"system.notify\",\"system.run\"]}";
    OC_AUTO_JSON cJSON *node = NULL;
    assert_int_equal(oc_json_parse(text, strlen(text), &node, NULL), OC_OK);
    OC_AUTO_JSON cJSON *gates = cli_node_gates_derive(node);
    OC_AUTO_FREE char *shown = oc_json_print(gates, false);
    assert_string_equal(shown,
            "{\"system.notify\":{\"declared\":true,\"approved\":true,\"policy\":true},"
            "\"system.run\":{\"declared\":true,\"approved\":false,\"policy\":true,"
            "\"gate\":\"node surface approval\",\"subject\":\"req-1\",\"remedy\":\"approve-node\","
            "\"fix\":\"openclaw nodes approve req-1\"}}");
    OC_AUTO_FREE char *fix = cli_node_gate_fix(oc_json_get(gates, "system.run"));
    assert_string_equal(fix, "openclaw nodes approve req-1");
    assert_null(cli_node_gate_fix(oc_json_get(gates, "system.notify")));
    assert_true(cli_node_gates_usable(oc_json_get(gates, "system.notify")));
    assert_false(cli_node_gates_usable(oc_json_get(gates, "system.run")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gateways_that_do_not_tell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
