/* openclaw alone, and openclaw version: what this is, what runs here, and what to do next. Asks
 * nobody. */
#include "cli/command.h"

#include "cli/gateway/running.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "node/status_file.h"

static const struct next_step {
    const char *command, *what;
} with_gateway[] = {
    { "openclaw status", "the gateway, its nodes and what waits" },
    { "openclaw devices join-code", "let another machine join" },
    { "openclaw nodes run -- uname -a", "run a program on a node" },
    { "openclaw nodes canvas present", "show the canvas of a node" },
    { "openclaw doctor", "find out what is wrong" },
    { 0 },
}, without_gateway[] = {
    { "openclaw gateway run", "run a gateway on this machine" },
    { "openclaw node run --pair -", "make this machine a node, with a join code" },
    { "openclaw status", "the gateway, its nodes and what waits" },
    { "openclaw nodes run -- uname -a", "run a program on a node" },
    { "openclaw doctor", "find out what is wrong" },
    { 0 },
};

static int overview_run(struct cli_cli *cli) {
    (void)cli;
    OC_AUTO_FREE char *state_dir = oc_dir_state();
    OC_AUTO_JSON cJSON *node = NULL;
    struct oc_error ignored;
    uint16_t port;
    bool has_gateway = cli_running_port(state_dir, &port);
    bool has_node = nd_status_file_read(state_dir, &node, &ignored) == OC_OK;
    cli_out_line("openclaw %s: gateway, node host and command line in one program\n", OC_VERSION);
    if (has_gateway) {
        cli_out_line("A gateway runs here, on port %u.", (unsigned)port);
    }
    if (has_node) {
        OC_AUTO_FREE char *text = cli_shown(oc_json_get_str(node, "text"));
        cli_out_line("A node runs here: %s", *text ? text : "its state is not known");
    }
    if (!has_gateway && !has_node) {
        cli_out_line("Neither a gateway nor a node runs here.");
    }
    cli_out_text("\n");
    for (const struct next_step *s = has_gateway ? with_gateway : without_gateway; s->command;
            s++) {
        cli_out_line("  %-32s %s", s->command, s->what);
    }
    cli_out_line("\nAll commands: openclaw --help");
    return CLI_EXIT_OK;
}

static int version_run(struct cli_cli *cli) {
    if (cli->is_json) {
        OC_AUTO_JSON cJSON *o = cli_params_str("version", OC_VERSION);
        cli_out_json(o);
    } else {
        cli_out_line("openclaw %s", OC_VERSION);
    }
    return CLI_EXIT_OK;
}

const struct cli_command cli_command_overview = {
    .path = "overview",
    .summary = "What runs here, and what to do next; the same as openclaw alone",
    .examples = "openclaw",
    .run = overview_run,
};

static const struct cli_option version_options[] = {
    { "json", 0, CLI_OPT_FLAG, NULL, "print one JSON document on stdout" },
    { 0 },
};

const struct cli_command cli_command_version = {
    .path = "version",
    .summary = "Print the version",
    .examples = "openclaw version",
    .options = version_options,
    .run = version_run,
};
