/* The table of all commands, and of the options that many have. */
#include "cli/command.h"

#include "lib/base/mem.h"

#define CLI_COMMAND(id) extern const struct cli_command cli_command_##id;
#include "cli/commands/commands.def"

static const struct cli_command *const commands[] = {
#define CLI_COMMAND(id) &cli_command_##id,
#include "cli/commands/commands.def"
};

static const struct cli_group groups[] = {
#define CLI_GROUP(name, summary, def) { name, summary, def },
#include "cli/commands/commands.def"
};

static const struct {
    const char *path, *of;
} aliases[] = {
#define CLI_ALIAS(path, of) { path, of },
#include "cli/commands/commands.def"
};

const struct cli_option cli_global_options[] = {
    { "help", 'h', CLI_OPT_FLAG, NULL, "show this help" },
    { "version", 'V', CLI_OPT_FLAG, NULL, "print the version" },
    { "no-color", 0, CLI_OPT_FLAG, NULL, "no colours (as does the variable NO_COLOR)" },
    { 0 },
};

const struct cli_option cli_gateway_options[] = {
    { "url", 0, CLI_OPT_TEXT, "ws-url",
            "gateway to call (then its credentials must be given too)" },
    { "token", 0, CLI_OPT_SECRET, "token",
            "gateway token; prefer --token-file, OPENCLAW_GATEWAY_TOKEN or the config file" },
    { "token-file", 0, CLI_OPT_PATH, "file", "read the gateway token from a file (- is stdin)" },
    { "password", 0, CLI_OPT_SECRET, "password", "gateway password; prefer --password-file" },
    { "password-file", 0, CLI_OPT_PATH, "file",
            "read the gateway password from a file (- is stdin)" },
    { "tls-fingerprint", 0, CLI_OPT_PIN, "sha256",
            "accept exactly this certificate (wss:// only)" },
    { "gateway-user", 0, CLI_OPT_TEXT, "name",
            "user account that runs the gateway of this machine (gateway.user)" },
    { "timeout", 0, CLI_OPT_DURATION, "ms", "how long to wait for the gateway" },
    { "json", 0, CLI_OPT_FLAG, NULL, "print one JSON document on stdout" },
    { 0 },
};

const struct cli_command *const *cli_commands(size_t *ret_count) {
    *ret_count = OC_COUNT(commands);
    return commands;
}

const struct cli_group *cli_groups(size_t *ret_count) {
    *ret_count = OC_COUNT(groups);
    return groups;
}

const struct cli_command *cli_command_find(const char *path) {
    for (size_t i = 0; i < OC_COUNT(aliases); i++) {
        path = oc_streq(path, aliases[i].path) ? aliases[i].of : path;
    }
    for (size_t i = 0; i < OC_COUNT(commands); i++) {
        if (oc_streq(commands[i]->path, path)) {
            return commands[i];
        }
    }
    return NULL;
}

const struct cli_group *cli_group_find(const char *name) {
    for (size_t i = 0; i < OC_COUNT(groups); i++) {
        if (oc_streq(groups[i].name, name)) {
            return &groups[i];
        }
    }
    return NULL;
}

size_t cli_option_tables(
        const struct cli_command *c, const struct cli_option *ret[CLI_MAX_OPTION_TABLES]) {
    size_t count = 0;
    if (c->options) {
        ret[count++] = c->options;
    }
    if (c->calls_gateway) {
        ret[count++] = cli_gateway_options;
    }
    ret[count++] = cli_global_options;
    return count;
}
