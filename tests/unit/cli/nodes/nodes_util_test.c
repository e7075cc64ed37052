#include "cli/nodes/nodes_util.h"

#include "lib/base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <stdio.h>

#include <cmocka.h>

#define A "aaaaaa00aadbe7f3ea24740262c170d63a67425528b0df34161ce665fbe1ba08"
#define B "aaaaaa11aadbe7f3ea24740262c170d63a67425528b0df34161ce665fbe1ba08"
#define C "cccccc22aadbe7f3ea24740262c170d63a67425528b0df34161ce665fbe1ba08"

static const char nodes_json[] =
        "[{\"nodeId\":\"" A
        "\",\"displayName\":\"Build Node\",\"remoteIp\":\"10.0.0.5\",\"connected\":true},"
        "{\"nodeId\":\"" B "\",\"displayName\":\"build  node!\",\"connected\":false},"
        "{\"nodeId\":\"" C
        "\",\"displayName\":\"日本\",\"remoteIp\":\"10.0.0.6\",\"connected\":false}]";

static void test_key(void **state) {
    (void)state;
    static const char *const rows[][2] = { { "Build Node", "build-node" },
        { "  --A__b 9!", "a-b-9" }, { "日本", "" }, { "x", "x" }, { "", "" } };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        OC_AUTO_FREE char *key = cli_node_key(rows[i][0]);
        assert_string_equal(key, rows[i][1]);
    }
}

static void assert_found(const char *query, const char *id) {
    OC_AUTO_JSON cJSON *nodes = cJSON_Parse(nodes_json);
    const cJSON *node;
    struct oc_error err;
    assert_int_equal(cli_node_resolve(nodes, query, &node, &err), OC_OK);
    assert_string_equal(oc_json_get_str(node, "nodeId"), id);
}

static void assert_not_found(const char *query, const char *text) {
    OC_AUTO_JSON cJSON *nodes = cJSON_Parse(nodes_json);
    const cJSON *node;
    struct oc_error err;
    assert_int_not_equal(cli_node_resolve(nodes, query, &node, &err), OC_OK);
    assert_string_equal(err.text, text);
}

static void test_resolve(void **state) {
    (void)state;
    assert_found(A, A);
    assert_found(B, B);
    assert_found("10.0.0.6", C);
    assert_found("cccccc", C);
    assert_found("日本", C);
    assert_found(" cccccc22 ", C);
    assert_found("aaaaaa1", B);
    assert_found("ccc", C); /* the beginning of one id only */
    assert_found("CCCCCC22", C);
    assert_found("日", C);
    assert_found(NULL, A); /* the only connected one */
}

static void test_refusals(void **state) {
    (void)state;
    assert_not_found("nosuch", "unknown node: nosuch (known: Build Node, build  node!, 日本)");
    assert_not_found("buld-node", "unknown node: buld-node; did you mean Build Node?");
    assert_not_found("  ", "node required");
}

static void test_ambiguous(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *nodes =
            cJSON_Parse("[{\"nodeId\":\"1111112\",\"displayName\":\"x\"},{\"nodeId\":\"1111113\"},"
                        "{\"nodeId\":\"2\",\"displayName\":\"y\",\"connected\":true},"
                        "{\"nodeId\":\"3\",\"displayName\":\"Y\",\"connected\":true}]");
    const cJSON *node;
    struct oc_error err;
    assert_int_equal(cli_node_resolve(nodes, "111111", &node, &err), OC_E_INVALID);
    assert_string_equal(err.text, "ambiguous node: 111111 (matches: 1111112 (x), 1111113)");
    assert_int_equal(cli_node_resolve(nodes, "y", &node, &err), OC_E_INVALID);
    assert_string_equal(err.text, "ambiguous node: y (matches: 2 (y), 3 (Y))");
    assert_int_equal(cli_node_resolve(nodes, NULL, &node, &err), OC_E_INVALID);
    assert_string_equal(err.text, "several nodes are connected, name one with --node (y, Y)");
}

static enum oc_code resolve(const char *text, const char *query, char ret_id[65]) {
    OC_AUTO_JSON cJSON *nodes = cJSON_Parse(text);
    const cJSON *node;
    struct oc_error err;
    enum oc_code rc = cli_node_resolve(nodes, query, &node, &err);
    snprintf(ret_id, 65, "%s", rc == OC_OK ? oc_json_get_str(node, "nodeId") : "");
    return rc;
}

/* The one that is meant is away, and another is there under its name. */
static void test_a_node_under_the_name_of_another_is_ambiguous_also_while_that_one_is_away(
        void **state) {
    (void)state;
    assert_not_found("build-node",
            "ambiguous node: build-node (matches: " A " (Build Node), " B " (build  node!))");
    char id[65];
    assert_int_equal(resolve(nodes_json, "BUILD NODE", id), OC_E_INVALID);
    assert_int_equal(resolve(nodes_json, "aaaaaa", id), OC_E_INVALID);
}

static void test_a_node_that_calls_itself_by_the_id_of_another_gets_nothing(void **state) {
    (void)state;
    static const char disguised[] =
            "[{\"nodeId\":\"" B "\",\"displayName\":\"" A "\",\"connected\":true},"
            "{\"nodeId\":\"" A "\",\"displayName\":\"victim\",\"connected\":false}]";
    static const char alone[] =
            "[{\"nodeId\":\"" B "\",\"displayName\":\"" A "\",\"connected\":true}]";
    char id[65];
    assert_int_equal(resolve(disguised, A, id), OC_OK);
    assert_string_equal(id, A);
    assert_int_equal(resolve(disguised, B, id), OC_OK);
    assert_string_equal(id, B);
    assert_int_equal(resolve(alone, A, id), OC_E_NOT_FOUND); /* that one was removed */
}

static void test_a_name_the_owner_gave_wins_over_one_that_is_claimed(void **state) {
    (void)state;
    static const char named[] =
            "[{\"nodeId\":\"" B "\",\"displayName\":\"kitchen\",\"connected\":true},"
            "{\"nodeId\":\"" A
            "\",\"displayName\":\"kitchen\",\"displayNameSource\":\"owner\",\"connected\":false}]";
    static const char twice[] =
            "[{\"nodeId\":\"" B
            "\",\"displayName\":\"kitchen\",\"displayNameSource\":\"owner\",\"connected\":true},"
            "{\"nodeId\":\"" A
            "\",\"displayName\":\"Kitchen\",\"displayNameSource\":\"owner\",\"connected\":false}]";
    char id[65];
    assert_int_equal(resolve(named, "kitchen", id), OC_OK);
    assert_string_equal(id, A);
    assert_int_equal(resolve(twice, "kitchen", id), OC_E_INVALID);
}

/* A beginning never wins over what is exact, whoever it is of. */
static void test_the_beginning_of_a_name_counts_last(void **state) {
    (void)state;
    static const char named[] =
            "[{\"nodeId\":\"" A
            "\",\"displayName\":\"Workshop\",\"displayNameSource\":\"owner\",\"connected\":true},"
            "{\"nodeId\":\"" B "\",\"displayName\":\"work\",\"connected\":false},"
            "{\"nodeId\":\"" C "\",\"displayName\":\"aaaaaa0 of me\",\"connected\":true}]";
    char id[65];
    assert_int_equal(resolve(named, "WORKS", id), OC_OK);
    assert_string_equal(id, A);
    assert_int_equal(resolve(named, "work", id), OC_OK); /* that is its name */
    assert_string_equal(id, B);
    assert_int_equal(resolve(named, "wor", id), OC_E_INVALID);
    assert_int_equal(resolve(named, "aaaaaa0", id), OC_OK); /* an id, to its sixth character */
    assert_string_equal(id, A);
    static const char disguised[] = "[{\"nodeId\":\"" B "\",\"displayName\":\"" A "\"}]";
    assert_int_equal(resolve(disguised, "aaaaaa00", id), OC_E_NOT_FOUND);
}

static void test_ids_by_their_beginning(void **state) {
    (void)state;
    OC_AUTO_STRV struct oc_strv ids = { 0 };
    oc_strv_add(&ids, "abcd1");
    oc_strv_add(&ids, "abcd22");
    oc_strv_add(&ids, "abcd2");
    bool several;
    assert_string_equal(cli_id_pick(&ids, "abcd1", 4, &several), "abcd1");
    assert_string_equal(cli_id_pick(&ids, "abcd2", 4, &several), "abcd2"); /* exactly */
    assert_false(several);
    assert_null(cli_id_pick(&ids, "abcd", 4, &several));
    assert_true(several);
    assert_null(cli_id_pick(&ids, "abc", 4, &several)); /* too short */
    assert_false(several);
    assert_null(cli_id_pick(&ids, "bcd1", 4, &several));
}

static void test_none(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *nodes = cJSON_CreateArray();
    const cJSON *node;
    struct oc_error err;
    assert_int_equal(cli_node_resolve(nodes, NULL, &node, &err), OC_E_NOT_FOUND);
    assert_int_equal(cli_node_resolve(nodes, "x", &node, &err), OC_E_NOT_FOUND);
    assert_string_equal(err.text, "unknown node: x (the gateway knows no nodes)");
}

static void test_names_of_peers_are_printable(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *nodes =
            cJSON_Parse("[{\"nodeId\":\"1\",\"displayName\":\"\\u001b[31mevil\"}]");
    const cJSON *node;
    struct oc_error err;
    assert_int_equal(cli_node_resolve(nodes, "zz", &node, &err), OC_E_NOT_FOUND);
    assert_null(strchr(err.text, '\x1b'));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_key),
        cmocka_unit_test(test_resolve),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_ambiguous),
        cmocka_unit_test(
                test_a_node_under_the_name_of_another_is_ambiguous_also_while_that_one_is_away),
        cmocka_unit_test(test_a_node_that_calls_itself_by_the_id_of_another_gets_nothing),
        cmocka_unit_test(test_a_name_the_owner_gave_wins_over_one_that_is_claimed),
        cmocka_unit_test(test_the_beginning_of_a_name_counts_last),
        cmocka_unit_test(test_ids_by_their_beginning),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_names_of_peers_are_printable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
