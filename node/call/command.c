#include "node/call/command.h"

#include "node/helper/helper.h"
#include "node/link/own_gateway.h"
#include "node/owner/switches.h"

#include <stdlib.h>
#include <string.h>

static int by_name(const void *key, const void *row) {
    return strcmp(key, (*(const struct nd_command *const *)row)->name);
}

bool nd_can_run(const struct nd_machine *machine) {
    return machine->platform->exec != NULL;
}

static bool is_of_owner(const struct nd_commands *all) {
    const struct nd_uplink *up = all->uplink;
    return up && up->fd && nd_own_gateway(all->machine->state_dir, up->fd(up));
}

static bool is_on(const struct nd_command *c, const struct nd_commands *all) {
    return !c->switch_name || nd_switch_is_on(all->machine->switches_path, c->switch_name) ||
           (c->is_for_afar && is_of_owner(all));
}

static bool is_able(const struct nd_command *c, const struct nd_commands *all) {
    return (!c->helper || nd_helper_is_installed(c->helper)) &&
           (!c->available || c->available(all->machine));
}

static bool is_available(const struct nd_command *c, const struct nd_commands *all) {
    return is_on(c, all) && is_able(c, all);
}

static const struct nd_command *command_find(const struct nd_commands *all, const char *name) {
    const struct nd_command *const *row =
            bsearch(name, all->rows, all->count, sizeof(void *), by_name);
    return row ? *row : NULL;
}

const struct nd_command *nd_command_find(const struct nd_commands *all, const char *name) {
    const struct nd_command *c = command_find(all, name);
    return c && is_available(c, all) ? c : NULL;
}

const struct nd_switch *nd_command_switched_off(const struct nd_commands *all, const char *name) {
    const struct nd_command *c = command_find(all, name);
    return c && !is_on(c, all) ? nd_switch_find(c->switch_name) : NULL;
}

bool nd_switch_is_able(const struct nd_commands *all, const char *name) {
    for (size_t i = 0; i < all->count; i++) {
        if (oc_streq(all->rows[i]->switch_name, name) && is_able(all->rows[i], all)) {
            return true;
        }
    }
    return false;
}

void nd_commands_list(
        const struct nd_commands *all, struct oc_strv *ret_commands, struct oc_strv *ret_caps) {
    for (size_t i = 0; i < all->count; i++) {
        if (is_able(all->rows[i], all) && (all->rows[i]->is_for_afar || is_on(all->rows[i], all))) {
            oc_strv_add(ret_commands, all->rows[i]->name);
            oc_strv_add_unique(ret_caps, all->rows[i]->cap);
        }
    }
}
