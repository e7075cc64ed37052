#include "node/command.h"

#include <stdlib.h>
#include <string.h>

#define OC_NODE_COMMAND(id) extern const struct oc_node_command oc_node_##id;
#include "node/commands.def"
#undef OC_NODE_COMMAND

static const struct oc_node_command *const table[] = {
#define OC_NODE_COMMAND(id) &oc_node_##id,
#include "node/commands.def"
#undef OC_NODE_COMMAND
};

static int by_name(const void *key, const void *row) {
    return strcmp(key, (*(const struct oc_node_command *const *)row)->name);
}

bool oc_node_can_run(const struct oc_node_host *host) {
    return host->platform->exec != NULL;
}

static bool is_available(const struct oc_node_command *c, const struct oc_node_host *host) {
    return !c->available || c->available(host);
}

const struct oc_node_command *oc_node_command_find(
        const struct oc_node_host *host, const char *name) {
    const struct oc_node_command *const *row =
            bsearch(name, table, OC_COUNT(table), sizeof(void *), by_name);
    return row && is_available(*row, host) ? *row : NULL;
}

void oc_node_commands_list(
        const struct oc_node_host *host, struct oc_strv *ret_commands, struct oc_strv *ret_caps) {
    for (size_t i = 0; i < OC_COUNT(table); i++) {
        if (is_available(table[i], host)) {
            oc_strv_add(ret_commands, table[i]->name);
            oc_strv_add_unique(ret_caps, table[i]->cap);
        }
    }
}

const struct oc_node_command *const *oc_node_commands(size_t *ret_count) {
    *ret_count = OC_COUNT(table);
    return table;
}
