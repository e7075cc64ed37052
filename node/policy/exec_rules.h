/* What the owner's files say about one agent: exec-approvals.json, and where that is silent the node's own openclaw.json
 * (docs/EXEC.md#policy). Read strictly: what is damaged or misspelt is an error, never a default that allows more. */
#ifndef NODE_POLICY_EXEC_RULES_H
#define NODE_POLICY_EXEC_RULES_H

#include "lib/base/error.h"
#include "lib/json/json.h"

#include <stdbool.h>

enum oc_exec_security { OC_EXEC_DENY, OC_EXEC_ALLOWLIST, OC_EXEC_FULL };
enum oc_exec_ask { OC_EXEC_ASK_OFF, OC_EXEC_ASK_ON_MISS, OC_EXEC_ASK_ALWAYS };

/* What the file says about one agent. */
struct oc_exec_rules {
    enum oc_exec_security security, ask_fallback;
    enum oc_exec_ask ask;
    bool auto_allow_skills;
};
/* Everything runs as it was asked for: nobody is asked, nothing is looked at. */
bool oc_exec_rules_are_open(const struct oc_exec_rules *r);
const char *oc_exec_security_name(enum oc_exec_security s);
const char *oc_exec_ask_name(enum oc_exec_ask a);

/* Only the rules. */
enum oc_code oc_exec_rules_read(const char *approvals_path, const cJSON *config,
        const char *agent_id, struct oc_exec_rules *ret, struct oc_error *err) OC_MUST_USE;

/* Nothing runs for this agent, or the files cannot be read: no path of a command is looked at. */
bool oc_exec_rules_deny(const char *approvals_path, const cJSON *config, const char *agent_id);

/* Where they come from, for more than the rules. */
struct oc_exec_source {
    const char *agent_id; /* "main" when none was given */
    const cJSON *config;
    cJSON *file; /* NULL when there is none. Owned */
};
/* ret needs oc_exec_source_finish in every case. */
enum oc_code oc_exec_source_open(const char *approvals_path, const cJSON *config,
        const char *agent_id, struct oc_exec_source *ret, struct oc_exec_rules *ret_rules,
        struct oc_error *err) OC_MUST_USE;
void oc_exec_source_finish(struct oc_exec_source *s);
/* agents.list[id].tools.exec.<key> of the config, else tools.exec.<key>. */
const cJSON *oc_exec_source_config(const struct oc_exec_source *s, const char *key);
/* The allowlist of agents["*"], and the agent's own. The array of the second is the caller's, its entries are not: main's
 * list continues with that of `default`, its old name. */
const cJSON *oc_exec_source_shared(const struct oc_exec_source *s);
cJSON *oc_exec_source_own(const struct oc_exec_source *s);

#endif
