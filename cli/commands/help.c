/* openclaw help [command]: the same texts as --help. */
#include "cli/command.h"

#include "cli/help.h"

static int help_run(struct cli_cli *cli) {
    return cli_help_for((const char *const *)cli->args.rest.items, cli->args.rest.count);
}

const struct cli_command cli_command_help = {
    .path = "help",
    .summary = "Show help for a command",
    .operands = "[command…]",
    .examples = "openclaw help nodes run\n"
                "openclaw help options",
    .max_operands = 4,
    .run = help_run,
};
