/* What an approval of a system.run is bound to (docs/PROTOCOL.md#the-guard). Pure. */
#ifndef GATEWAY_EXEC_RUN_BINDING_H
#define GATEWAY_EXEC_RUN_BINDING_H

#include "lib/json/json.h"

struct gw_run_facts {
    struct oc_strv argv;                      /* owned */
    const char *cwd, *agent_id, *session_key; /* borrowed; blank counts as absent */
    const cJSON *env;                         /* an object, or NULL */
};

/* The environment as a hash, so that its values are not shown to approvers: SHA-256 hex of
 * [["KEY","value"],…] sorted by key, portable names only. False when nothing is left. ret_keys must
 * be empty. */
bool gw_run_env_hash(const cJSON *env, char ret_hash[65], struct oc_strv *ret_keys);
/* {version:1, argv, cwd, agentId, sessionKey, envHash}, absent ones null. */
cJSON *gw_run_binding_build(const struct gw_run_facts *facts);
/* Whether these facts are what was approved. On failure *ret_code and *ret_message (literals) say
 * what differs. */
bool gw_run_binding_matches(const cJSON *binding, const struct gw_run_facts *facts,
        const char **ret_code, const char **ret_message);
/* The part of env that the hash speaks for, sorted; NULL when nothing is left. What the hash passes
 * over would reach the node unseen. Caller deletes. */
cJSON *gw_run_env_bound(const cJSON *env);

#endif
