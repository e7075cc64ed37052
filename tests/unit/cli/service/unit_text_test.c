#include "tests/unit/unit.h"

#include "cli/service/unit_text.h"

#include <string.h>

static void quoted_as(const char *word, const char *wanted) {
    OC_AUTO_FREE char *got = cli_unit_quote(word);
    assert_string_equal(got, wanted);
}

static void words_keep_their_characters(void **state) {
    (void)state;
    quoted_as("/usr/bin/openclaw", "/usr/bin/openclaw");
    quoted_as("--host=box.local", "--host=box.local");
    quoted_as("", "\"\"");
    quoted_as("two words", "\"two words\"");
    quoted_as("50%", "\"50%%\"");
    quoted_as("$HOME", "\"$HOME\"");
    quoted_as("a\"b\\c'd", "\"a\\\"b\\\\c'd\"");
    quoted_as("line\nExecStart=/bin/evil", "\"line\\x0aExecStart=/bin/evil\"");
    quoted_as("; exit", "\"; exit\"");
    quoted_as("grün", "\"grün\"");
}

static void patterns_in_paths_mean_nothing(void **state) {
    (void)state;
    OC_AUTO_FREE char *got = cli_unit_file_path("/a b/[x]*?\\n/100%");
    assert_string_equal(got, "/a b/\\[x\\]\\*\\?\\\\n/100%%");
}

static char *unit(const struct oc_strv *argv, bool runs_commands, bool backs_off) {
    OC_AUTO_STRV struct oc_strv env = { 0 };
    oc_strv_add(&env, "OPENCLAW_STATE_DIR=/a b/50%");
    return cli_unit_text(&(struct cli_unit){ .description = "OpenClaw node",
            .rewrite = "openclaw node install",
            .argv = argv,
            .env = &env,
            .env_path = "/a b/service-node.env",
            .runs_commands = runs_commands,
            .backs_off = backs_off });
}

static void what_is_written_is_read_back(void **state) {
    (void)state;
    static const char *const words[] = { "/opt/a b/$x 50%/openclaw", "node", "run",
        "--display-name=", "--display-name=the \"box\" \\ %h\n'", "grün" };
    OC_AUTO_STRV struct oc_strv argv = { 0 }, back = { 0 };
    for (size_t i = 0; i < OC_COUNT(words); i++) {
        oc_strv_add(&argv, words[i]);
    }
    OC_AUTO_FREE char *text = unit(&argv, true, false);
    assert_true(cli_unit_is_ours(text));
    cli_unit_command(text, &back);
    assert_int_equal(back.count, argv.count);
    for (size_t i = 0; i < argv.count; i++) {
        assert_string_equal(back.items[i], argv.items[i]);
    }
    assert_non_null(strstr(text, "\nEnvironment=\"OPENCLAW_STATE_DIR=/a b/50%%\"\n"));
    assert_non_null(strstr(text, "\nEnvironmentFile=-/a b/service-node.env\n"));
}

static void units_of_others_are_known(void **state) {
    (void)state;
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    assert_false(cli_unit_is_ours(""));
    assert_false(cli_unit_is_ours("[Service]\nExecStart=/bin/true\n"));
    cli_unit_command("[Service]\nExecStart=/bin/true\n", &argv);
    assert_int_equal(argv.count, 0);
    cli_unit_command("x\nExecStart=:\"never closed", &argv);
    assert_int_equal(argv.count, 1);
}

/* Every filter brings NoNewPrivileges=, and that ends sudo in the commands of a node. */
static void a_node_has_no_filters_of_its_own(void **state) {
    (void)state;
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    oc_strv_add(&argv, "/bin/openclaw");
    OC_AUTO_FREE char *node = unit(&argv, true, true), *gateway = unit(&argv, false, false);
    assert_null(strstr(node, "NoNewPrivileges"));
    assert_null(strstr(node, "Restrict"));
    assert_non_null(strstr(node, "\nDelegate=yes\n"));
    assert_non_null(strstr(node, "\nRestartSteps="));
    assert_non_null(strstr(gateway, "\nNoNewPrivileges=yes\n"));
    assert_null(strstr(gateway, "RestartSteps"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_keep_their_characters),
        cmocka_unit_test(patterns_in_paths_mean_nothing),
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(units_of_others_are_known),
        cmocka_unit_test(a_node_has_no_filters_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
