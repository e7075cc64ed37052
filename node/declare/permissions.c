#include "node/declare/permissions.h"

#include "lib/base/mem.h"
#include "lib/protocol/connect.h"
#include "lib/protocol/switches.h"
#include "node/call/command.h"
#include "node/helper/helper.h"
#include "node/owner/announce.h"
#include "node/owner/switches.h"
#include "node/policy/exec_rules.h"
#include "node/sandbox/sandbox.h"

/* A program that is not on the list says nothing about those that are. */
static bool may_execute(const struct nd_machine *machine) {
    struct nd_exec_rules rules;
    struct oc_error err;
    return nd_exec_rules_read(machine->approvals_path, machine->config, NULL, &rules, &err) ==
                   OC_OK &&
           rules.security != ND_EXEC_DENY;
}

static void add_switches(const struct nd_permissions_of *of, cJSON *o) {
    const struct nd_command *const *table = of->all->rows;
    for (size_t i = 0; i < of->all->count; i++) {
        const char *name = table[i]->switch_name;
        if (!name || table[i]->is_for_afar || oc_json_get(o, name)) {
            continue;
        }
        oc_json_set_bool(o, name, nd_switch_is_on(of->machine->switches_path, name));
        if (!nd_switch_is_able(of->all, name)) {
            OC_AUTO_FREE char *installed = oc_strfmt("%s" OC_PERMISSION_INSTALLED, name);
            oc_json_set_bool(o, installed, false);
        }
    }
}

/* Their commands are declared anyway, so nothing here may become true. */
static void add_afar(const struct nd_permissions_of *of, cJSON *o) {
    const struct nd_command *const *table = of->all->rows;
    for (size_t i = 0; i < of->all->count; i++) {
        const char *name = table[i]->name;
        if (table[i]->is_for_afar && oc_strv_has(of->commands, name)) {
            OC_AUTO_FREE char *denied = oc_strfmt("%s" OC_PERMISSION_DENIED, name);
            bool is_off = nd_command_switched_off(of->all, name) != NULL;
            oc_json_set_bool(o, is_off ? name : denied, false);
        }
    }
}

/* Which sandbox is in force, and whether it has a network. As false again: what is denied, or that
 * the denial is. */
static void add_sandbox(const struct nd_sandbox *sandbox, cJSON *o) {
    if (sandbox) {
        OC_AUTO_FREE char *mode =
                oc_strfmt(OC_PERMISSION_SANDBOX "%s.denied", nd_sandbox_mode_name(sandbox->mode));
        oc_json_set_bool(o, mode, false);
    }
    if (sandbox && sandbox->mode != ND_SANDBOX_OFF) {
        oc_json_set_bool(
                o, sandbox->no_network ? "system.run.network" : "system.run.network.denied", false);
    }
}

cJSON *nd_permissions(const struct nd_permissions_of *of) {
    const struct nd_machine *machine = of->machine;
    cJSON *o = cJSON_CreateObject();
    if (machine->switches_path) {
        add_switches(of, o);
    }
    if (o->child) {
        bool announces = nd_switch_is_on(machine->switches_path, "announce") &&
                         nd_helper_is_installed(ND_HELPER_DESKTOP) &&
                         !nd_announce_is_failing(of->desktop);
        oc_json_set_bool(o, announces ? OC_PERMISSION_UNANNOUNCED : OC_PERMISSION_ANNOUNCED, false);
    }
    if (machine->switches_path) {
        add_afar(of, o);
    }
    if (oc_strv_has(of->commands, "system.run")) {
        /* Never true: to a 2026.9.6 gateway a permission that became true is a wider surface, which
         * somebody would have to approve each time the owner changes the rules. */
        oc_json_set_bool(o, may_execute(machine) ? "system.run.denied" : "system.run", false);
        add_sandbox(machine->sandbox, o);
    }
    if (!o->child) {
        cJSON_Delete(oc_take(&o));
    }
    return o;
}
