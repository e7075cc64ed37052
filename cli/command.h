/* The command table and what a running command can use.
 *
 * A command is one row in commands.def and one struct cli_command at the end of its file under
 * commands/. Help, completion and dispatch come from the table. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/options.h"
#include "lib/base/error.h"
#include "lib/json/json.h"

#include <stdbool.h>
#include <stdint.h>

/* Exit codes. `nodes run` passes on the code of the command it ran. */
enum { CLI_EXIT_OK = 0, CLI_EXIT_FAILED = 1, CLI_EXIT_USAGE = 2, CLI_EXIT_TIMEOUT = 124 };

struct cli_rpc;

struct cli_cli {
    const struct cli_command *command;
    struct cli_args args;
    bool is_json;
    struct cli_rpc *rpc; /* the connection; made by the first call (cli/gateway/call.h) */
    /* Filled by a failed call, shown by cli_fail: the command or setting that helps, and the
     * wire code. */
    char *fix, *error_code;
};

/* What a command does is told by its first words, where it has several: `nodes camera snap`. */
struct cli_action {
    const char *name; /* "snap", "a2ui push"; NULL ends a table */
    const char *summary;
    const char *operands; /* behind it; NULL: none */
};

struct cli_command {
    const char *path;     /* "nodes status" */
    const char *summary;  /* one line */
    const char *operands; /* shown behind the options: "[requestId]"; NULL when there are none */
    const char *details;  /* more help below the summary, or NULL */
    const char *examples; /* command lines as one would type them, one a line */
    const struct cli_option *options; /* or NULL */
    const struct cli_action *actions; /* or NULL */
    bool is_hidden;                   /* for programs: neither help nor completion shows it */
    bool calls_gateway;               /* has the options of cli_gateway_options */
    bool stops_at_word; /* what follows the first operand belongs to another program */
    bool prints_lines;  /* --json is one object per line, for as long as it runs */
    int timeout_ms;     /* default of --timeout; 0 is 10000 */
    size_t min_operands, max_operands;
    int (*run)(struct cli_cli *cli); /* returns the exit code */
};

struct cli_group {
    const char *name, *summary;
    const char *def; /* subcommand that runs when none is named, or NULL */
};

const struct cli_command *const *cli_commands(size_t *ret_count);
const struct cli_group *cli_groups(size_t *ret_count);
/* "nodes status", or another word for it: "nodes ls". */
const struct cli_command *cli_command_find(const char *path);
const struct cli_group *cli_group_find(const char *name);
/* -h, -V and --no-color; every command has them. */
extern const struct cli_option cli_global_options[];
/* Those of every command that calls the gateway; cli/gateway/target.h reads them. */
extern const struct cli_option cli_gateway_options[];
/* The tables of a command: its own, the gateway's, the global ones. Returns how many. */
size_t cli_option_tables(
        const struct cli_command *c, const struct cli_option *ret[CLI_MAX_OPTION_TABLES]);

/* The action that the words begin with, or NULL. */
const struct cli_action *cli_action_find(
        const struct cli_command *c, const char *const *words, size_t count);
bool cli_option_is_of(const struct cli_option *o, const char *action);
/* An option that was given but belongs to other actions, which would silently do nothing; NULL:
 * none. */
const char *cli_misplaced(const struct cli_cli *cli, const char *action);

/* --timeout, or the command's default. */
int64_t cli_timeout_ms(const struct cli_cli *cli);
/* How long to wait for a node's answer: --timeout if it was given, else long enough for the gateway
 * to say first that the node did not answer within node_ms. */
int64_t cli_answer_ms(const struct cli_cli *cli, int64_t node_ms);
void cli_set_fix(struct cli_cli *cli, const char *fmt, ...) OC_PRINTF(2, 3);

/* "<path> failed: <text>" and the fix on stderr; with --json also an error document on stdout.
 * Returns the exit code. */
int cli_fail(struct cli_cli *cli, const struct oc_error *err);
/* A mistake in how the command was called: text and where to find help. Returns CLI_EXIT_USAGE. */
int cli_usage(const struct cli_cli *cli, const char *fmt, ...) OC_PRINTF(2, 3);

/* {"key": value} with one string member; the commonest params. */
cJSON *cli_params_str(const char *key, const char *value);

#endif
