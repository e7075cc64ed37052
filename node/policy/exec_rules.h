/* What the owner's files say about one agent: exec-approvals.json, and where that is silent the
 * node's own openclaw.json (docs/EXEC.md#policy). Read strictly: what is damaged or misspelt is an
 * error, never a default that allows more. */
#ifndef NODE_POLICY_EXEC_RULES_H
#define NODE_POLICY_EXEC_RULES_H

#include "lib/base/error.h"
#include "lib/json/json.h"

#include <stdbool.h>

enum nd_exec_security { ND_EXEC_DENY, ND_EXEC_ALLOWLIST, ND_EXEC_FULL };
enum nd_exec_ask { ND_EXEC_ASK_OFF, ND_EXEC_ASK_ON_MISS, ND_EXEC_ASK_ALWAYS };

/* What the file says about one agent. */
struct nd_exec_rules {
    enum nd_exec_security security, ask_fallback;
    enum nd_exec_ask ask;
    bool auto_allow_skills;
};
/* Everything runs as it was asked for: nobody is asked, nothing is looked at. */
bool nd_exec_rules_are_open(const struct nd_exec_rules *r);
const char *nd_exec_security_name(enum nd_exec_security s);
const char *nd_exec_ask_name(enum nd_exec_ask a);

/* Only the rules. */
enum oc_code nd_exec_rules_read(const char *approvals_path, const cJSON *config,
        const char *agent_id, struct nd_exec_rules *ret, struct oc_error *err) OC_MUST_USE;

/* Nothing runs for this agent, or the files cannot be read: no path of a command is looked at. */
bool nd_exec_rules_deny(const char *approvals_path, const cJSON *config, const char *agent_id);

/* Where they come from, for more than the rules. */
struct nd_exec_source {
    const char *agent_id; /* "main" when none was given */
    const cJSON *config;
    cJSON *file; /* NULL when there is none. Owned */
};
/* ret needs nd_exec_source_finish in every case. */
enum oc_code nd_exec_source_open(const char *approvals_path, const cJSON *config,
        const char *agent_id, struct nd_exec_source *ret, struct nd_exec_rules *ret_rules,
        struct oc_error *err) OC_MUST_USE;
void nd_exec_source_finish(struct nd_exec_source *s);
/* agents.list[id].tools.exec.<key> of the config, else tools.exec.<key>. */
const cJSON *nd_exec_source_config(const struct nd_exec_source *s, const char *key);
/* The allowlist of agents["*"], and the agent's own. The array of the second is the caller's, its
 * entries are not: main's list continues with that of `default`, its old name. */
const cJSON *nd_exec_source_shared(const struct nd_exec_source *s);
cJSON *nd_exec_source_own(const struct nd_exec_source *s);

#endif
