/* What holds on this machine where its exec-approvals.json is silent. */
#ifndef CLI_APPROVALS_APPROVALS_EFFECTIVE_H
#define CLI_APPROVALS_APPROVALS_EFFECTIVE_H

#include "lib/json/json.h"

/* {"security","ask"} as a node here would go by them for this agent, openclaw.json included; NULL
 * when the files cannot be understood. Caller deletes. */
cJSON *cli_approvals_effective(const char *approvals_path, const char *agent_id);

#endif
