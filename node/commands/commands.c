#include "node/call/command.h"

#include "node/helper/helper.h"
#include "node/link/own_gateway.h"
#include "node/owner/consent.h"

#include <stdlib.h>
#include <string.h>

#define OC_NODE_COMMAND(id) extern const struct oc_node_command oc_node_##id;
#include "node/commands/commands.def"
#undef OC_NODE_COMMAND

static const struct oc_node_command *const table[] = {
#define OC_NODE_COMMAND(id) &oc_node_##id,
#include "node/commands/commands.def"
#undef OC_NODE_COMMAND
};

static int by_name(const void *key, const void *row) {
    return strcmp(key, (*(const struct oc_node_command *const *)row)->name);
}

bool oc_node_can_run(const struct oc_node_host *host) {
    return host->platform->exec != NULL;
}

static bool is_on(const struct oc_node_command *c, const struct oc_node_host *host) {
    return !c->consent || oc_consent_given(host->consent_path, c->consent) ||
           (c->is_for_afar && host->gateway_fd &&
                   oc_own_gateway(host->state_dir, host->gateway_fd(host)));
}

static bool is_able(const struct oc_node_command *c, const struct oc_node_host *host) {
    return (!c->helper || oc_helper_is_installed(c->helper)) &&
           (!c->available || c->available(host));
}

static bool is_available(const struct oc_node_command *c, const struct oc_node_host *host) {
    return is_on(c, host) && is_able(c, host);
}

static const struct oc_node_command *find(const char *name) {
    const struct oc_node_command *const *row =
            bsearch(name, table, OC_COUNT(table), sizeof(void *), by_name);
    return row ? *row : NULL;
}

const struct oc_node_command *oc_node_command_find(
        const struct oc_node_host *host, const char *name) {
    const struct oc_node_command *c = find(name);
    return c && is_available(c, host) ? c : NULL;
}

const struct oc_consent_kind *oc_node_command_switched_off(
        const struct oc_node_host *host, const char *name) {
    const struct oc_node_command *c = find(name);
    return c && !is_on(c, host) ? oc_consent_find(c->consent) : NULL;
}

bool oc_node_switch_is_able(const struct oc_node_host *host, const char *name) {
    for (size_t i = 0; i < OC_COUNT(table); i++) {
        if (oc_streq(table[i]->consent, name) && is_able(table[i], host)) {
            return true;
        }
    }
    return false;
}

void oc_node_commands_list(
        const struct oc_node_host *host, struct oc_strv *ret_commands, struct oc_strv *ret_caps) {
    for (size_t i = 0; i < OC_COUNT(table); i++) {
        if (is_able(table[i], host) && (table[i]->is_for_afar || is_on(table[i], host))) {
            oc_strv_add(ret_commands, table[i]->name);
            oc_strv_add_unique(ret_caps, table[i]->cap);
        }
    }
}

const struct oc_node_command *const *oc_node_commands(size_t *ret_count) {
    *ret_count = OC_COUNT(table);
    return table;
}
