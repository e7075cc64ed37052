#include "node/permissions.h"

#include "base/mem.h"
#include "node/containment.h"
#include "node/exec_rules.h"
#include "protocol/connect.h"

/* A program that is not on the list says nothing about those that are. */
static bool may_execute(const struct oc_node_host *host) {
    struct oc_exec_rules rules;
    struct oc_error err;
    return oc_exec_rules_read(host->approvals_path, host->config, NULL, &rules, &err) == OC_OK &&
           rules.security != OC_EXEC_DENY;
}

cJSON *oc_node_permissions(const struct oc_node_host *host, const struct oc_strv *commands) {
    if (!oc_strv_has(commands, "system.run")) {
        return NULL;
    }
    /* Never true: to a 2026.9.6 gateway a permission that became true is a wider surface, which somebody would have to
     * approve each time the owner changes the rules. */
    cJSON *o = cJSON_CreateObject();
    oc_json_set_bool(o, may_execute(host) ? "system.run.denied" : "system.run", false);
    if (host->sandbox) {
        OC_AUTO_FREE char *mode = oc_strfmt(
                OC_PERMISSION_SANDBOX "%s.denied", oc_sandbox_mode_name(host->sandbox->mode));
        oc_json_set_bool(o, mode, false);
    }
    /* As false again: what is denied, or that the denial is. */
    if (host->sandbox && host->sandbox->mode != OC_SANDBOX_OFF) {
        oc_json_set_bool(o,
                host->sandbox->no_network ? "system.run.network" : "system.run.network.denied",
                false);
    }
    return o;
}
