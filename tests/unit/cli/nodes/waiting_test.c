#include "cli/nodes/waiting.h"

#include "cli/gateway/target.h"
#include "lib/base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_merges_both_lists(void **state) {
    (void)state;
    CLI_AUTO_WAITING struct cli_waiting r;
    cli_waiting_merge(&r,
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
    assert_null(cli_waiting_find(&r, "op"));
    assert_ptr_equal(cli_waiting_of_node(&r, "n1", false), &r.items[2]);
    assert_null(cli_waiting_of_node(&r, "n1", true));
}

static void test_json_names_the_gate(void **state) {
    (void)state;
    CLI_AUTO_WAITING struct cli_waiting r;
    cli_waiting_merge(&r, cJSON_Parse("{\"pending\":[]}"),
            cJSON_Parse("{\"pending\":[{\"requestId\":\"d2\",\"deviceId\":\"n3\",\"role\":\"node\"}"
                        "]}"));
    OC_AUTO_JSON cJSON *array = cli_waiting_json(&r);
    assert_string_equal(oc_json_get_str(array->child, "gate"), "device pairing");
    assert_string_equal(oc_json_get_str(array->child, "nodeId"), "n3");
}

static void test_json_tells_what_changes(void **state) {
    (void)state;
    CLI_AUTO_WAITING struct cli_waiting r;
    cli_waiting_merge(&r,
            cJSON_Parse("{\"pending\":[{\"requestId\":\"s1\",\"nodeId\":\"n1\",\"commands\":"
                        "[\"b\",\"c\"]}],\"paired\":[{\"nodeId\":\"n2\",\"commands\":[\"x\"]},"
                        "{\"nodeId\":\"n1\",\"commands\":[\"a\",\"b\"]},{},7]}"),
            NULL);
    OC_AUTO_JSON cJSON *array = cli_waiting_json(&r);
    OC_AUTO_FREE char *added = oc_json_print(oc_json_get(array->child, "added"), false),
                      *removed = oc_json_print(oc_json_get(array->child, "removed"), false);
    assert_string_equal(added, "[\"c\"]");
    assert_string_equal(removed, "[\"a\"]");
}

static void test_survives_nonsense(void **state) {
    (void)state;
    CLI_AUTO_WAITING struct cli_waiting r;
    cli_waiting_merge(&r, cJSON_Parse("{\"pending\":[1,null,{},{\"requestId\":5}]}"), NULL);
    assert_int_equal(r.count, 0);
}

/* ---- both lists within --timeout; reading an answer counts, too ---- */

enum { LIMIT_MS = 5000 };
static struct oc_fake_clock turned;
static struct {
    int64_t takes_ms[2]; /* each of the answers, until it is read */
    int64_t given_ms[2]; /* as its limit */
    int asked;
} script;

static enum oc_code ask(struct cli_cli *cli, const char *method, cJSON *take_params,
        int64_t timeout_ms, cJSON **ret, struct oc_error *err) {
    (void)cli;
    (void)err;
    cJSON_Delete(take_params);
    assert_in_range(script.asked, 0, 1);
    assert_string_equal(method, script.asked == 0 ? "node.pair.list" : "device.pair.list");
    script.given_ms[script.asked] = timeout_ms;
    oc_fake_clock_advance(&turned, script.takes_ms[script.asked++]);
    *ret = cJSON_Parse("{\"pending\":[{\"requestId\":\"s1\",\"nodeId\":\"n1\"}]}");
    return OC_OK;
}

/* err->text is "" when it is well. */
static void load(int64_t nodes_ms, int64_t devices_ms, struct oc_error *err) {
    static const struct cli_option *const tables[] = { cli_gateway_options };
    static const struct cli_command command = { .path = "nodes pending", .calls_gateway = true };
    char name[] = "--timeout", limit[] = "5000", *argv[] = { name, limit };
    struct cli_cli cli = { .command = &command };
    assert_int_equal(cli_args_parse(tables, 1, false, 2, argv, &cli.args, err), OC_OK);
    assert_int_equal(cli_timeout_ms(&cli), LIMIT_MS);
    CLI_AUTO_WAITING struct cli_waiting r = { 0 };
    oc_fake_clock_init(&turned, 1700000000000);
    memset(&script, 0, sizeof(script));
    script.takes_ms[0] = nodes_ms;
    script.takes_ms[1] = devices_ms;
    *err = (struct oc_error){ 0 };
    enum oc_code rc = cli_waiting_load_by(&cli, &turned.clock, ask, &r, err);
    assert_int_equal(rc, err->text[0] ? OC_E_TIMEOUT : OC_OK);
    assert_int_equal(r.count, rc == OC_OK ? 1 : 0);
    cli_args_finish(&cli.args);
}

static void test_both_lists_have_one_limit(void **state) {
    (void)state;
    struct oc_error err;
    load(LIMIT_MS - 1, 1, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(script.given_ms[0], LIMIT_MS);
    assert_int_equal(script.given_ms[1], 1);
    load(LIMIT_MS, 0, &err);
    assert_string_equal(err.text, "no answer to device.pair.list in time");
    assert_int_equal(script.asked, 1);
}

static void test_an_answer_that_is_read_too_late_is_none(void **state) {
    (void)state;
    struct oc_error err;
    load(0, LIMIT_MS + 1, &err);
    assert_string_equal(err.text, "the answer to device.pair.list took too long to read");
    load(LIMIT_MS + 1, 0, &err);
    assert_string_equal(err.text, "the answer to node.pair.list took too long to read");
    assert_int_equal(script.asked, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merges_both_lists),
        cmocka_unit_test(test_json_names_the_gate),
        cmocka_unit_test(test_json_tells_what_changes),
        cmocka_unit_test(test_survives_nonsense),
        cmocka_unit_test(test_both_lists_have_one_limit),
        cmocka_unit_test(test_an_answer_that_is_read_too_late_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
