#include "node/permissions.h"

#include "base/mem.h"
#include "node/exec_path.h"
#include "node/exec_policy.h"

static bool may_execute(const struct oc_node_host *host) {
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    oc_strv_add(&argv, "true");
    struct oc_exec_request request = {
        .approvals_path = host->approvals_path,
        .config = host->config,
        .argv = &argv,
        .path_env = oc_exec_search_path(),
    };
    struct oc_exec_verdict verdict;
    oc_exec_decide(&request, &verdict);
    /* A program that is not on the list says nothing about those that are. */
    bool may = verdict.is_allowed || oc_streq(verdict.reason, "allowlist-miss");
    oc_exec_verdict_finish(&verdict);
    return may;
}

cJSON *oc_node_permissions(const struct oc_node_host *host, const struct oc_strv *commands) {
    if (!oc_strv_has(commands, "system.run")) {
        return NULL;
    }
    /* Never true: to a 2026.9.6 gateway a permission that became true is a wider surface, which somebody would have to
     * approve each time the owner changes the rules. */
    cJSON *o = cJSON_CreateObject();
    oc_json_set_bool(o, may_execute(host) ? "system.run.denied" : "system.run", false);
    return o;
}
