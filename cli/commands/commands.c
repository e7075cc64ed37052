/* The table of all commands. */
#include "cli/command.h"

#include "lib/base/mem.h"

#define OC_CLI_COMMAND(id) extern const struct oc_cli_command oc_cli_##id;
#include "cli/commands/commands.def"

static const struct oc_cli_command *const commands[] = {
#define OC_CLI_COMMAND(id) &oc_cli_##id,
#include "cli/commands/commands.def"
};

static const struct oc_cli_group groups[] = {
#define OC_CLI_GROUP(name, summary, def) { name, summary, def },
#include "cli/commands/commands.def"
};

const struct oc_option oc_global_options[] = {
    { "help", 'h', OC_OPT_FLAG, NULL, "show this help" },
    { "version", 'V', OC_OPT_FLAG, NULL, "print the version" },
    { "no-color", 0, OC_OPT_FLAG, NULL, "no colours (as does the variable NO_COLOR)" },
    { 0 },
};

const struct oc_cli_command *const *oc_cli_commands(size_t *ret_count) {
    *ret_count = OC_COUNT(commands);
    return commands;
}

const struct oc_cli_group *oc_cli_groups(size_t *ret_count) {
    *ret_count = OC_COUNT(groups);
    return groups;
}

const struct oc_cli_command *oc_cli_command_find(const char *path) {
    for (size_t i = 0; i < OC_COUNT(commands); i++) {
        if (oc_streq(commands[i]->path, path)) {
            return commands[i];
        }
    }
    return NULL;
}

const struct oc_cli_group *oc_cli_group_find(const char *name) {
    for (size_t i = 0; i < OC_COUNT(groups); i++) {
        if (oc_streq(groups[i].name, name)) {
            return &groups[i];
        }
    }
    return NULL;
}

size_t oc_cli_option_tables(
        const struct oc_cli_command *c, const struct oc_option *ret[OC_MAX_OPTION_TABLES]) {
    size_t count = 0;
    if (c->options) {
        ret[count++] = c->options;
    }
    if (c->calls_gateway) {
        ret[count++] = oc_gateway_options;
    }
    ret[count++] = oc_global_options;
    return count;
}
