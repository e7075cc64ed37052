/* openclaw completion: a script for the shell to source. */
#include "cli/command.h"

#include "cli/completion.h"
#include "cli/output.h"

#include <stdlib.h>
#include <string.h>

#define MAX_SCRIPT_BYTES 262144

/* The shell this was started from, as far as SHELL tells. */
static const char *completion_guess(void) {
    const char *shell = getenv("SHELL");
    const char *slash = shell ? strrchr(shell, '/') : NULL;
    return slash ? slash + 1 : shell;
}

static int completion_run(struct cli_cli *cli) {
    OC_AUTO_BUF struct oc_buf script = OC_BUF_INIT(MAX_SCRIPT_BYTES);
    const char *shell = cli_args_text(&cli->args, "shell");
    if (!cli_completion(shell ? shell : completion_guess(), &script)) {
        return cli_usage(cli, "say which shell: --shell bash, zsh or fish");
    }
    cli_out_text(script.data);
    return CLI_EXIT_OK;
}

static const struct cli_option options[] = {
    { "shell", 's', CLI_OPT_CHOICE, "shell", "which one; $SHELL unless given",
            .choices = "bash|zsh|fish" },
    { 0 },
};

const struct cli_command cli_command_completion = {
    .path = "completion",
    .summary = "Print a completion script for your shell",
    .details = "bash: source <(openclaw completion --shell bash)\n"
               "zsh:  source <(openclaw completion --shell zsh)\n"
               "fish: openclaw completion --shell fish | source",
    .examples = "openclaw completion --shell bash",
    .options = options,
    .run = completion_run,
};
