#include "cli/options.h"

#include "lib/base/mem.h"
#include "lib/base/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct cli_option table[] = {
    { "json", 'j', CLI_OPT_FLAG, NULL, "json" },
    { "verbose", 'v', CLI_OPT_FLAG, NULL, "talk" },
    { "node", 'n', CLI_OPT_TEXT, "id", "node" },
    { "port", 'p', CLI_OPT_INT, "port", "port", .min = 1, .max = 65535 },
    { "timeout", 0, CLI_OPT_DURATION, "ms", "time" },
    { "bind", 0, CLI_OPT_CHOICE, "where", "bind", .choices = "loopback|lan|custom" },
    { "env", 0, CLI_OPT_TEXT, "K=V", "env", .flags = CLI_OPT_REPEATS },
    { "token", 0, CLI_OPT_SECRET, "token", "secret" },
    { 0 },
};
static const struct cli_option *const tables[] = { table };

struct parsed {
    struct cli_args args;
    struct oc_error err;
    enum oc_code rc;
    char text[512];
    char *argv[32];
};

/* Words separated by single spaces; kept writable, as a real argv is. */
static void parse(struct parsed *p, bool stop_at_word, const char *line) {
    int argc = 0;
    snprintf(p->text, sizeof(p->text), "%s", line);
    for (char *at = p->text; *at;) {
        p->argv[argc++] = at;
        char *space = strchr(at, ' ');
        if (!space) {
            break;
        }
        *space = '\0';
        at = space + 1;
    }
    p->rc = cli_args_parse(tables, 1, stop_at_word, argc, p->argv, &p->args, &p->err);
}

static void test_forms(void **state) {
    (void)state;
    struct parsed p;
    parse(&p, false, "one --node a --port=80 -jv two -nb --timeout 1m30s -p 90");
    assert_int_equal(p.rc, OC_OK);
    assert_true(cli_args_has(&p.args, "json"));
    assert_true(cli_args_has(&p.args, "verbose"));
    assert_string_equal(cli_args_text(&p.args, "node"), "b"); /* the last one wins */
    assert_int_equal(cli_args_int(&p.args, "port", 0), 90);
    assert_int_equal(cli_args_int(&p.args, "timeout", 0), 90000);
    assert_int_equal(p.args.rest.count, 2);
    assert_string_equal(p.args.rest.items[1], "two");
    assert_false(cli_args_has(&p.args, "bind"));
    assert_null(cli_args_text(&p.args, "bind"));
    assert_int_equal(cli_args_int(&p.args, "timeout", 5), 90000);
    cli_args_finish(&p.args);
}

static void test_defaults_and_knowledge(void **state) {
    (void)state;
    struct parsed p;
    parse(&p, false, "x");
    assert_int_equal(cli_args_int(&p.args, "port", 7), 7);
    assert_true(cli_args_knows(&p.args, "port"));
    assert_false(cli_args_knows(&p.args, "por"));
    assert_false(cli_args_knows(&p.args, "ports"));
    cli_args_finish(&p.args);
}

static void test_separator(void **state) {
    (void)state;
    struct parsed p;
    parse(&p, false, "--json -- --node -x --");
    assert_int_equal(p.rc, OC_OK);
    assert_true(p.args.had_separator);
    assert_int_equal(p.args.rest.count, 3);
    assert_string_equal(p.args.rest.items[0], "--node");
    assert_string_equal(p.args.rest.items[2], "--");
    assert_false(cli_args_has(&p.args, "node"));
    cli_args_finish(&p.args);
}

/* `nodes run workshop -- uname`: a word of its own, but only right in front of the separator. */
static void test_a_word_before_the_separator(void **state) {
    (void)state;
    struct parsed p;
    parse(&p, true, "--json box -- ls -- -x");
    assert_int_equal(p.rc, OC_OK);
    assert_true(p.args.had_separator);
    assert_int_equal(p.args.before_separator, 1);
    assert_int_equal(p.args.rest.count, 4);
    cli_args_word_as(&p.args, 0, "node");
    assert_string_equal(cli_args_text(&p.args, "node"), "box");
    assert_int_equal(p.args.before_separator, 0);
    assert_int_equal(p.args.rest.count, 3);
    assert_string_equal(p.args.rest.items[0], "ls");
    assert_string_equal(p.args.words[1], "--");
    cli_args_finish(&p.args);
    parse(&p, true, "sh -c x -- y"); /* the program's own */
    assert_false(p.args.had_separator);
    assert_int_equal(p.args.before_separator, 0);
    assert_int_equal(p.args.rest.count, 5);
    cli_args_finish(&p.args);
    parse(&p, true, "-- box -- ls");
    assert_int_equal(p.args.before_separator, 0);
    assert_int_equal(p.args.rest.count, 3);
    cli_args_finish(&p.args);
}

static void test_output_format(void **state) {
    (void)state;
    static const char *const as_json[] = { "-o json", "-ojson", "--output json", "--output=json" };
    for (size_t i = 0; i < OC_COUNT(as_json); i++) {
        struct parsed p;
        parse(&p, false, as_json[i]);
        assert_int_equal(p.rc, OC_OK);
        assert_true(cli_args_has(&p.args, "json"));
        assert_int_equal(p.args.rest.count, 0);
        cli_args_finish(&p.args);
    }
    struct parsed p;
    parse(&p, false, "-o text x");
    assert_false(cli_args_has(&p.args, "json"));
    assert_int_equal(p.args.rest.count, 1);
    cli_args_finish(&p.args);
    parse(&p, false, "-o yaml");
    assert_int_equal(p.rc, OC_E_INVALID);
    cli_args_finish(&p.args);
    parse(&p, false, "-- -o json");
    assert_false(cli_args_has(&p.args, "json"));
    cli_args_finish(&p.args);
}

static void test_stop_at_word(void **state) {
    (void)state;
    struct parsed p;
    parse(&p, true, "--node a ls -la --json");
    assert_int_equal(p.rc, OC_OK);
    assert_int_equal(p.args.rest.count, 3);
    assert_false(cli_args_has(&p.args, "json"));
    cli_args_finish(&p.args);
}

static void test_dash_is_a_word(void **state) {
    (void)state;
    struct parsed p;
    parse(&p, false, "- --node -");
    assert_int_equal(p.rc, OC_OK);
    assert_string_equal(p.args.rest.items[0], "-");
    assert_string_equal(cli_args_text(&p.args, "node"), "-");
    cli_args_finish(&p.args);
}

static void test_repeats(void **state) {
    (void)state;
    struct parsed p;
    parse(&p, false, "--env A=1 --env=B=2");
    OC_AUTO_STRV struct oc_strv list = { 0 };
    cli_args_list(&p.args, "env", &list);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.items[1], "B=2");
    cli_args_finish(&p.args);
}

static void assert_refused(const char *line, const char *text) {
    struct parsed p;
    parse(&p, false, line);
    assert_int_equal(p.rc, OC_E_INVALID);
    assert_string_equal(p.err.text, text);
    cli_args_finish(&p.args);
}

static void test_refusals(void **state) {
    (void)state;
    assert_refused("--nodes x", "unknown option --nodes; did you mean --node?");
    assert_refused("--jsn=1", "unknown option --jsn; did you mean --json?");
    assert_refused("--frobnicate", "unknown option --frobnicate");
    assert_refused("-x", "unknown option -x");
    assert_refused("--node", "--node needs a value: --node <id>");
    assert_refused("-n", "--node needs a value: --node <id>");
    assert_refused("--json=1", "--json takes no value");
    assert_refused("--port 0", "--port must be a whole number from 1 to 65535, not '0'");
    assert_refused("--port 65536", "--port must be a whole number from 1 to 65535, not '65536'");
    assert_refused("--port 80x", "--port must be a whole number from 1 to 65535, not '80x'");
    assert_refused("--bind wan", "--bind must be one of loopback|lan|custom, not 'wan'");
    assert_refused("--bind la", "--bind must be one of loopback|lan|custom, not 'la'");
    assert_refused("--bind=", "--bind must be one of loopback|lan|custom, not ''");
    assert_refused("--timeout soon",
            "--timeout must be milliseconds or a duration such as 500ms, 2s or 1h30m, not 'soon'");
}

static void test_durations(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t ms;
    } rows[] = { { "--timeout 90", 90 }, { "--timeout 500ms", 500 }, { "--timeout 2s", 2000 },
        { "--timeout 5m", 300000 }, { "--timeout 1h30m", 5400000 }, { "--timeout 2d", 172800000 } };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        struct parsed p;
        parse(&p, false, rows[i].text);
        assert_int_equal(p.rc, OC_OK);
        assert_int_equal(cli_args_int(&p.args, "timeout", 0), rows[i].ms);
        cli_args_finish(&p.args);
    }
}

static void test_secret_leaves_argv(void **state) {
    (void)state;
    struct parsed p;
    parse(&p, false, "--token hunter2 --token=hunter3 x");
    assert_int_equal(p.rc, OC_OK);
    assert_string_equal(cli_args_text(&p.args, "token"), "hunter3");
    assert_string_equal(p.argv[1], "");
    assert_string_equal(p.argv[2], "--token=");
    assert_null(memmem(p.text, sizeof(p.text), "hunter", 6));
    cli_args_finish(&p.args);
}

static void test_nearest(void **state) {
    (void)state;
    static const char *const known[] = { "status", "list", "describe", "approve" };
    assert_string_equal(oc_nearest("statsu", known, 4), "status");
    assert_string_equal(oc_nearest("desc", known, 4), "describe");
    assert_string_equal(oc_nearest("lst", known, 4), "list");
    assert_null(oc_nearest("zzzzzz", known, 4));
    assert_null(oc_nearest("", known, 4));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_defaults_and_knowledge),
        cmocka_unit_test(test_separator),
        cmocka_unit_test(test_stop_at_word),
        cmocka_unit_test(test_a_word_before_the_separator),
        cmocka_unit_test(test_output_format),
        cmocka_unit_test(test_dash_is_a_word),
        cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_durations),
        cmocka_unit_test(test_secret_leaves_argv),
        cmocka_unit_test(test_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
