#include "cli/approvals/approvals_effective.h"

#include "lib/base/mem.h"
#include "lib/config/config.h"
#include "lib/files/file.h"
#include "node/policy/exec_rules.h"

cJSON *cli_approvals_effective(const char *approvals_path, const char *agent_id) {
    OC_AUTO_FREE char *config_path = oc_path_config();
    OC_AUTO_JSON cJSON *config = NULL;
    struct nd_exec_rules rules;
    struct oc_error ignored;
    if (oc_config_load(config_path, &config, &ignored) != OC_OK ||
            nd_exec_rules_read(approvals_path, config, agent_id, &rules, &ignored) != OC_OK) {
        return NULL;
    }
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "security", nd_exec_security_name(rules.security));
    oc_json_set_str(o, "ask", nd_exec_ask_name(rules.ask));
    return o;
}
