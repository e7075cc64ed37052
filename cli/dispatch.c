#include "cli/dispatch.h"

#include "cli/command.h"
#include "cli/gateway/rpc.h"
#include "cli/help.h"
#include "cli/output.h"
#include "lib/base/mem.h"
#include "lib/log/log.h"
#include "lib/net/tls.h"

#include <signal.h>
#include <string.h>

static bool no_colour; /* given before the command */

static bool is_help(const char *word) {
    return oc_streq(word, "--help") || oc_streq(word, "-h");
}

static int print_version(void) {
    cli_out_line("openclaw %s", OC_VERSION);
    return CLI_EXIT_OK;
}

/* Also when the rest of the line makes no sense: whoever reads documents wants to read why. */
static bool asks_for_json(const struct cli_command *c, int argc, char **argv) {
    const struct cli_option *tables[CLI_MAX_OPTION_TABLES];
    size_t count = cli_option_tables(c, tables);
    bool knows = false;
    for (size_t i = 0; i < count; i++) {
        for (const struct cli_option *o = tables[i]; o->name; o++) {
            knows = knows || oc_streq(o->name, "json");
        }
    }
    for (int i = 0; knows && i < argc && !oc_streq(argv[i], "--"); i++) {
        bool is_last = i + 1 == argc;
        if (oc_streq(argv[i], "--json") || oc_streq(argv[i], "--output=json") ||
                oc_streq(argv[i], "-ojson") ||
                (!is_last && oc_streq(argv[i + 1], "json") &&
                        (oc_streq(argv[i], "-o") || oc_streq(argv[i], "--output")))) {
            return true;
        }
    }
    return false;
}

static int dispatch_run(const struct cli_command *c, int argc, char **argv) {
    struct cli_cli cli = { .command = c };
    struct oc_error err;
    const struct cli_option *tables[CLI_MAX_OPTION_TABLES];
    size_t count = cli_option_tables(c, tables);
    int code;
    char pin[OC_TLS_PIN_LEN + 1];
    cli.is_json = asks_for_json(c, argc, argv);
    if (cli_args_parse(tables, count, c->stops_at_word, argc, argv, &cli.args, &err) != OC_OK) {
        code = cli_usage(&cli, "%s", err.text);
    } else if (cli_args_has(&cli.args, "help")) {
        OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(65536);
        const struct cli_action *a =
                cli_action_find(c, (const char *const *)cli.args.rest.items, cli.args.rest.count);
        if (a) {
            cli_help_action(c, a, &out);
        } else {
            cli_help_command(c, &out);
        }
        cli_out_text(out.data);
        code = CLI_EXIT_OK;
    } else if (cli_args_has(&cli.args, "version")) {
        code = print_version();
    } else if (cli.args.rest.count < c->min_operands) {
        code = cli_usage(&cli, "%s is missing", c->operands);
    } else if (cli.args.rest.count > c->max_operands) {
        OC_AUTO_FREE char *shown = oc_printable(cli.args.rest.items[c->max_operands],
                strlen(cli.args.rest.items[c->max_operands]), 60);
        code = cli_usage(&cli, "unexpected '%s'", shown);
    } else if (cli_args_knows(&cli.args, "tls-fingerprint") &&
               cli_args_text(&cli.args, "tls-fingerprint") &&
               !oc_tls_pin_normalize(cli_args_text(&cli.args, "tls-fingerprint"), pin)) {
        code = cli_usage(&cli, "--tls-fingerprint takes the SHA-256 of the gateway's "
                               "certificate (64 hex digits); openclaw gateway status shows it");
    } else {
        cli_out_init(no_colour || cli_args_has(&cli.args, "no-color"));
        cli.is_json = cli_args_knows(&cli.args, "json") && cli_args_has(&cli.args, "json");
        code = c->run(&cli);
    }
    cli_rpc_close(cli.rpc);
    oc_free(cli.fix);
    oc_free(cli.error_code);
    cli_args_finish(&cli.args);
    return code;
}

/* argv[0] is the name of a group. */
static int run_group(const struct cli_group *g, int argc, char **argv) {
    if (argc > 1 && is_help(argv[1])) {
        return cli_help_for(&g->name, 1);
    }
    if (argc > 1 && argv[1][0] != '-') {
        OC_AUTO_FREE char *path = oc_strfmt("%s %s", g->name, argv[1]);
        const struct cli_command *c = cli_command_find(path);
        return c ? dispatch_run(c, argc - 2, argv + 2) : cli_help_unknown(g->name, argv[1]);
    }
    if (g->def) {
        OC_AUTO_FREE char *path = oc_strfmt("%s %s", g->name, g->def);
        return dispatch_run(cli_command_find(path), argc - 1, argv + 1);
    }
    cli_note("openclaw %s: which command?", g->name);
    cli_note("Try: openclaw %s --help", g->name);
    return CLI_EXIT_USAGE;
}

int cli_main(int argc, char **argv) {
    oc_log_set_level(OC_LOG_WARN);
    argc--;
    argv++;
    while (argc > 0 && oc_streq(argv[0], "--no-color")) {
        no_colour = true;
        argc--;
        argv++;
    }
    int code;
    if (argc == 0) {
        code = dispatch_run(cli_command_find("overview"), 0, argv);
    } else if (is_help(argv[0])) {
        code = cli_help_for((const char *const *)argv + 1, (size_t)argc - 1);
    } else if (oc_streq(argv[0], "--version") || oc_streq(argv[0], "-V")) {
        code = print_version();
    } else if (argv[0][0] == '-') {
        OC_AUTO_FREE char *shown = oc_printable(argv[0], strlen(argv[0]), 60);
        cli_note("openclaw: unknown option %s\nTry: openclaw --help", shown);
        code = CLI_EXIT_USAGE;
    } else if (cli_group_find(argv[0])) {
        code = run_group(cli_group_find(argv[0]), argc, argv);
    } else if (cli_command_find(argv[0])) {
        code = dispatch_run(cli_command_find(argv[0]), argc - 1, argv + 1);
    } else {
        code = cli_help_unknown(NULL, argv[0]);
    }
    if (cli_out_flush() || code != CLI_EXIT_OK) {
        return code;
    }
    if (cli_out_reader_is_gone()) {
        return 128 + SIGPIPE; /* `… | head`: what the signal would have said */
    }
    cli_note("openclaw: could not write all output");
    return CLI_EXIT_FAILED;
}
