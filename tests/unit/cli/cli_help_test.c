/* Help comes from the tables: nothing may be missing from it, and the tables must make sense. */
#include "cli/help.h"

#include "cli/dispatch.h"
#include "lib/base/mem.h"
#include "lib/files/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <wordexp.h>

#include <cmocka.h>

static void test_all_mentions_every_command(void **state) {
    (void)state;
    OC_AUTO_BUF struct oc_buf all = OC_BUF_INIT(65536);
    cli_help_all(&all);
    size_t count;
    const struct cli_command *const *commands = cli_commands(&count);
    assert_true(count > 20);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(commands[i]->is_hidden, strstr(all.data, commands[i]->summary) == NULL);
    }
    const struct cli_group *groups = cli_groups(&count);
    for (size_t i = 0; i < count; i++) {
        assert_non_null(strstr(all.data, groups[i].summary));
        OC_AUTO_BUF struct oc_buf one = OC_BUF_INIT(65536);
        cli_help_group(&groups[i], &one);
        assert_non_null(strstr(one.data, groups[i].name));
    }
}

static void test_command_mentions_every_option(void **state) {
    (void)state;
    size_t count;
    const struct cli_command *const *commands = cli_commands(&count);
    for (size_t i = 0; i < count; i++) {
        OC_AUTO_BUF struct oc_buf help = OC_BUF_INIT(65536);
        cli_help_command(commands[i], &help);
        OC_AUTO_FREE char *usage = oc_strfmt("Usage: openclaw %s", commands[i]->path);
        assert_non_null(strstr(help.data, usage));
        const struct cli_option *const tables[] = { commands[i]->options, cli_global_options };
        for (size_t t = 0; t < OC_COUNT(tables); t++) {
            for (const struct cli_option *o = tables[t]; o && o->name; o++) {
                OC_AUTO_FREE char *dashed = oc_strfmt("--%s", o->name);
                assert_true((o->flags & CLI_OPT_HIDDEN) || strstr(help.data, dashed));
            }
        }
        assert_int_equal(
                commands[i]->calls_gateway, strstr(help.data, "Which gateway, and how") != NULL);
    }
}

/* Those that a dozen commands share are shown once. */
static void test_shared_options_have_a_page(void **state) {
    (void)state;
    OC_AUTO_BUF struct oc_buf page = OC_BUF_INIT(65536);
    cli_help_options(&page);
    for (const struct cli_option *o = cli_gateway_options; o->name; o++) {
        OC_AUTO_FREE char *dashed = oc_strfmt("--%s", o->name);
        assert_non_null(strstr(page.data, dashed));
    }
    OC_AUTO_BUF struct oc_buf one = OC_BUF_INIT(65536);
    cli_help_command(cli_command_find("nodes status"), &one);
    assert_null(strstr(one.data, "--password-file"));
}

/* One line of examples, as a shell would read it. */
static void check_example(const struct cli_command *c, const char *line) {
    const char *own = strstr(line, "openclaw");
    wordexp_t words;
    assert_non_null(own);
    if (wordexp(own, &words, WRDE_NOCMD | WRDE_UNDEF) != 0) {
        fail_msg("%s: not a command line: %s", c->path, line);
    }
    size_t used = 1;
    if (strcmp(c->path, "overview") != 0) {
        OC_AUTO_FREE char *path = strchr(c->path, ' ') && words.we_wordc > 2
                                          ? oc_strfmt("%s %s", words.we_wordv[1], words.we_wordv[2])
                                          : oc_strdup(words.we_wordv[1]);
        if (cli_command_find(path) != c) {
            fail_msg("%s: an example of another command: %s", c->path, line);
        }
        used = strchr(c->path, ' ') ? 3 : 2;
    }
    const struct cli_option *tables[CLI_MAX_OPTION_TABLES];
    size_t count = cli_option_tables(c, tables);
    struct cli_args args;
    struct oc_error err;
    enum oc_code rc = cli_args_parse(tables, count, c->stops_at_word, (int)(words.we_wordc - used),
            words.we_wordv + used, &args, &err);
    if (rc != OC_OK || args.rest.count < c->min_operands || args.rest.count > c->max_operands) {
        fail_msg("%s: %s: %s", c->path, line, rc != OC_OK ? err.text : "too many or few words");
    }
    cli_args_finish(&args);
    wordfree(&words);
}

static void test_every_command_has_examples(void **state) {
    (void)state;
    size_t count;
    const struct cli_command *const *commands = cli_commands(&count);
    for (size_t i = 0; i < count; i++) {
        const struct cli_command *c = commands[i];
        if (oc_str_blank(c->examples)) {
            fail_msg("%s has no example", c->path);
        }
        OC_AUTO_BUF struct oc_buf help = OC_BUF_INIT(65536);
        cli_help_command(c, &help);
        for (const char *at = c->examples; *at;) {
            size_t len = strcspn(at, "\n");
            OC_AUTO_FREE char *line = oc_strndup(at, len);
            assert_non_null(strstr(help.data, line));
            check_example(c, line);
            at += len + (at[len] == '\n');
        }
    }
    assert_ptr_equal(cli_command_find("nodes ls"), cli_command_find("nodes list"));
}

static void test_tables_make_sense(void **state) {
    (void)state;
    size_t count;
    const struct cli_command *const *commands = cli_commands(&count);
    for (size_t i = 0; i < count; i++) {
        const struct cli_command *c = commands[i];
        assert_ptr_equal(cli_command_find(c->path), c); /* no path twice */
        assert_non_null(c->run);
        assert_true(c->min_operands <= c->max_operands);
        assert_true(c->max_operands == 0 || c->operands);
        const char *space = strchr(c->path, ' ');
        if (space) {
            OC_AUTO_FREE char *group = oc_strndup(c->path, (size_t)(space - c->path));
            assert_non_null(cli_group_find(group));
        }
        const struct cli_option *tables[CLI_MAX_OPTION_TABLES];
        size_t table_count = cli_option_tables(c, tables);
        OC_AUTO_STRV struct oc_strv seen = { 0 };
        for (size_t t = 0; t < table_count; t++) {
            for (const struct cli_option *o = tables[t]; o->name; o++) {
                assert_false(oc_strv_has(&seen, o->name)); /* no option twice in one command */
                oc_strv_add(&seen, o->name);
                assert_true((o->kind == CLI_OPT_FLAG) == (o->arg == NULL));
                assert_true((o->kind == CLI_OPT_CHOICE) == (o->choices != NULL));
                assert_true(o->kind != CLI_OPT_INT || o->max > o->min);
                assert_non_null(o->help);
            }
        }
    }
    const struct cli_group *groups = cli_groups(&count);
    for (size_t i = 0; i < count; i++) {
        if (groups[i].def) {
            OC_AUTO_FREE char *path = oc_strfmt("%s %s", groups[i].name, groups[i].def);
            assert_non_null(cli_command_find(path));
        }
    }
}

/* An action's help has its own options, with limits and defaults, and no other's. */
static void test_help_of_an_action(void **state) {
    (void)state;
    size_t count, actions = 0;
    const struct cli_command *const *commands = cli_commands(&count);
    for (size_t i = 0; i < count; i++) {
        const struct cli_command *c = commands[i];
        for (const struct cli_action *a = c->actions; a && a->name; a++, actions++) {
            OC_AUTO_BUF struct oc_buf help = OC_BUF_INIT(65536);
            cli_help_action(c, a, &help);
            OC_AUTO_FREE char *usage = oc_strfmt("Usage: openclaw %s %s [", c->path, a->name);
            assert_non_null(strstr(help.data, usage));
            const char *rows = strstr(help.data, "\nOptions:");
            assert_non_null(rows);
            for (const struct cli_option *o = c->options; o && o->name; o++) {
                OC_AUTO_FREE char *row = oc_strfmt(" --%s ", o->name);
                assert_int_equal(cli_option_is_of(o, a->name), strstr(rows, row) != NULL);
            }
        }
        /* An option of an action that does not exist would be of none. */
        for (const struct cli_option *o = c->options; o && o->name && o->actions; o++) {
            bool found = false;
            for (const struct cli_action *a = c->actions; a && a->name; a++) {
                found = found || cli_option_is_of(o, a->name);
            }
            assert_true(found);
        }
    }
    assert_true(actions >= 10);
    const char *const words[] = { "a2ui", "push", "x" };
    const struct cli_command *canvas = cli_command_find("nodes canvas");
    assert_string_equal(cli_action_find(canvas, words, 3)->name, "a2ui push");
    assert_null(cli_action_find(canvas, words, 1));
    assert_null(cli_action_find(canvas, words + 2, 1));
}

/* docs/openclaw.1 is written by hand, so it is held to the tables in both directions. */
static void test_manual_is_complete(void **state) {
    (void)state;
    OC_AUTO_BUF struct oc_buf page = OC_BUF_INIT(262144);
    struct oc_error err;
    assert_int_equal(oc_file_read(OC_TEST_DIR "/../docs/openclaw.1", 262144, &page, &err), OC_OK);
    size_t count;
    const struct cli_command *const *commands = cli_commands(&count);
    for (size_t i = 0; i < count; i++) {
        if (commands[i]->is_hidden) {
            continue;
        }
        OC_AUTO_FREE char *item = oc_strfmt(".It Nm Cm %s", commands[i]->path);
        const char *at = strstr(page.data, item);
        assert_non_null(at);
        const char *next = strstr(at + 1, ".It Nm Cm ");
        OC_AUTO_FREE char *section = oc_strndup(at, next ? (size_t)(next - at) : strlen(at));
        for (const struct cli_option *o = commands[i]->options; o && o->name; o++) {
            OC_AUTO_FREE char *option = oc_strfmt("Fl Fl %s", o->name);
            assert_true((o->flags & CLI_OPT_HIDDEN) || strstr(section, option));
        }
    }
    for (const char *at = strstr(page.data, ".It Nm Cm "); at; at = strstr(at + 1, ".It Nm Cm ")) {
        char path[64];
        const char *from = at + strlen(".It Nm Cm ");
        size_t len = strcspn(from, "\n");
        const char *operand = strstr(from, " Ar ");
        if (operand && (size_t)(operand - from) < len) {
            len = (size_t)(operand - from);
        }
        assert_true(len < sizeof(path));
        snprintf(path, sizeof(path), "%.*s", (int)len, from);
        assert_non_null(cli_command_find(path));
    }
    for (const struct cli_option *o = cli_gateway_options; o->name; o++) {
        OC_AUTO_FREE char *option = oc_strfmt("Fl Fl %s", o->name);
        assert_non_null(strstr(page.data, option));
    }
}

static int run_line(const char *a, const char *b, const char *c) {
    char words[3][64];
    const char *given[] = { a, b, c };
    char name[] = "openclaw";
    char *argv[5] = { name };
    int argc = 1;
    for (size_t i = 0; i < 3 && given[i]; i++) {
        snprintf(words[i], sizeof(words[i]), "%s", given[i]);
        argv[argc++] = words[i];
    }
    return cli_main(argc, argv);
}

static void test_exit_codes(void **state) {
    (void)state;
    assert_int_equal(run_line("--version", NULL, NULL), CLI_EXIT_OK);
    assert_int_equal(run_line("--help", NULL, NULL), CLI_EXIT_OK);
    assert_int_equal(run_line("nodes", "--help", NULL), CLI_EXIT_OK);
    assert_int_equal(run_line("nodes", "status", "--help"), CLI_EXIT_OK);
    assert_int_equal(run_line("help", "nodes", "status"), CLI_EXIT_OK);
    assert_int_equal(run_line("help", "nodes", "nonsense"), CLI_EXIT_USAGE);
    assert_int_equal(run_line("--no-color", "nodes", "--help"), CLI_EXIT_OK);
    assert_int_equal(run_line(NULL, NULL, NULL), CLI_EXIT_OK); /* an overview */
    assert_int_equal(run_line("version", NULL, NULL), CLI_EXIT_OK);
    assert_int_equal(run_line("help", "options", NULL), CLI_EXIT_OK);
    assert_int_equal(run_line("nodes", NULL, NULL), CLI_EXIT_USAGE);
    assert_int_equal(run_line("nodez", NULL, NULL), CLI_EXIT_USAGE);
    assert_int_equal(run_line("nodes", "statsu", NULL), CLI_EXIT_USAGE);
    assert_int_equal(run_line("nodes", "status", "--frob"), CLI_EXIT_USAGE);
    assert_int_equal(run_line("nodes", "status", "extra"), CLI_EXIT_USAGE);
    assert_int_equal(run_line("nodes", "reject", NULL), CLI_EXIT_USAGE);
    assert_int_equal(run_line("gateway", "--port", "99999"), CLI_EXIT_USAGE);
    assert_int_equal(run_line("--frob", NULL, NULL), CLI_EXIT_USAGE);
    assert_int_equal(run_line("completion", "--shell", "tcsh"), CLI_EXIT_USAGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_mentions_every_command),
        cmocka_unit_test(test_command_mentions_every_option),
        cmocka_unit_test(test_tables_make_sense),
        cmocka_unit_test(test_help_of_an_action),
        cmocka_unit_test(test_shared_options_have_a_page),
        cmocka_unit_test(test_every_command_has_examples),
        cmocka_unit_test(test_manual_is_complete),
        cmocka_unit_test(test_exit_codes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
