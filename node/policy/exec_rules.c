#include "node/policy/exec_rules.h"

#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/protocol/limits.h"
#include "lib/state/identity_dir.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The names of the values, in the order of the enums. */
static const char *const securities[] = { "deny", "allowlist", "full" };
static const char *const asks[] = { "off", "on-miss", "always" };

bool nd_exec_rules_are_open(const struct nd_exec_rules *r) {
    return r->security == ND_EXEC_FULL && r->ask != ND_EXEC_ASK_ALWAYS;
}

const char *nd_exec_security_name(enum nd_exec_security s) {
    return securities[s];
}

const char *nd_exec_ask_name(enum nd_exec_ask a) {
    return asks[a];
}

/* A file that others can change is not the owner's word. */
static enum oc_code check_owner(const char *path, struct oc_error *err) {
    struct stat st;
    if (stat(path, &st) != 0) {
        return OC_OK; /* reading it says why */
    }
    if (st.st_uid != geteuid() && st.st_uid != 0) {
        return oc_fail(err, OC_E_DENIED, "%s belongs to another user", path);
    }
    if (st.st_mode & S_IWOTH) {
        return oc_fail(err, OC_E_DENIED, "%s can be written by everyone", path);
    }
    return OC_OK;
}

static enum oc_code read_file(const char *path, cJSON **ret, struct oc_error *err) {
    OC_AUTO_BUF struct oc_buf text = { 0 };
    enum oc_code rc = check_owner(path, err);
    if (rc == OC_OK) {
        rc = oc_file_read(path, OC_MAX_STATE_FILE_BYTES, &text, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    OC_AUTO_JSON cJSON *file = NULL;
    rc = oc_json_parse(text.data, text.len, &file, err);
    if (rc != OC_OK) {
        oc_error_prefix(err, "%s is not valid JSON", path);
        return rc;
    }
    const cJSON *version = oc_json_get(file, "version");
    const cJSON *agents = oc_json_get(file, "agents"), *defaults = oc_json_get(file, "defaults");
    if (!cJSON_IsObject(file) || (agents && !cJSON_IsObject(agents)) ||
            (defaults && !cJSON_IsObject(defaults))) {
        return oc_fail(err, OC_E_CORRUPT, "%s does not have the shape of an approvals file", path);
    }
    if (version && oc_json_get_int(file, "version", 1, 1, 0) != 1) {
        return oc_fail(err, OC_E_CORRUPT, "%s has a version this node does not know", path);
    }
    *ret = oc_take(&file);
    return OC_OK;
}

const cJSON *nd_exec_source_config(const struct nd_exec_source *s, const char *key) {
    const cJSON *agent;
    cJSON_ArrayForEach(agent, oc_json_path(s->config, "agents.list")) {
        if (oc_streq(oc_json_get_str(agent, "id"), s->agent_id)) {
            const cJSON *v = oc_json_get(oc_json_path(agent, "tools.exec"), key);
            if (v) {
                return v;
            }
        }
    }
    return oc_json_get(oc_json_path(s->config, "tools.exec"), key);
}

/* agents[A], agents["*"], defaults, config: the first that says something. */
static const cJSON *exec_rules_setting(const struct nd_exec_source *s, const char *key) {
    const cJSON *agents = oc_json_get(s->file, "agents");
    const cJSON *v = oc_json_get(oc_json_get(agents, s->agent_id), key);
    if (!v && strcmp(s->agent_id, "main") == 0) {
        v = oc_json_get(oc_json_get(agents, "default"), key); /* what main was called once */
    }
    v = v ? v : oc_json_get(oc_json_get(agents, "*"), key);
    v = v ? v : oc_json_get(oc_json_get(s->file, "defaults"), key);
    return v ? v : nd_exec_source_config(s, key);
}

/* Strict: a misspelt value must not fall through to one that allows more. */
static enum oc_code exec_rules_choose(const struct nd_exec_source *s, const char *key,
        const char *const names[3], int fallback, int *ret, struct oc_error *err) {
    const cJSON *value = exec_rules_setting(s, key);
    *ret = fallback;
    for (int i = 0; i < 3; i++) {
        if (value && oc_streq(cJSON_GetStringValue(value), names[i])) {
            *ret = i;
            return OC_OK;
        }
    }
    return !value ? OC_OK
                  : oc_fail(err, OC_E_INVALID, "\"%s\" must be \"%s\", \"%s\" or \"%s\"", key,
                            names[0], names[1], names[2]);
}

static enum oc_code exec_rules_resolve(
        const struct nd_exec_source *s, struct nd_exec_rules *ret, struct oc_error *err) {
    int security = ND_EXEC_DENY, fallback = ND_EXEC_DENY, ask = ND_EXEC_ASK_ON_MISS;
    enum oc_code rc = exec_rules_choose(s, "security", securities, ND_EXEC_DENY, &security, err);
    if (rc == OC_OK) {
        rc = exec_rules_choose(s, "ask", asks, ND_EXEC_ASK_ON_MISS, &ask, err);
    }
    if (rc == OC_OK) {
        rc = exec_rules_choose(s, "askFallback", securities, ND_EXEC_DENY, &fallback, err);
    }
    if (rc == OC_OK) {
        ret->security = (enum nd_exec_security)security;
        ret->ask_fallback = (enum nd_exec_security)fallback;
        ret->ask = (enum nd_exec_ask)ask;
        ret->auto_allow_skills = cJSON_IsTrue(exec_rules_setting(s, "autoAllowSkills"));
    }
    return rc;
}

enum oc_code nd_exec_source_open(const char *approvals_path, const cJSON *config,
        const char *agent_id, struct nd_exec_source *ret, struct nd_exec_rules *ret_rules,
        struct oc_error *err) {
    *ret = (struct nd_exec_source){ .agent_id = oc_str_blank(agent_id) ? "main" : agent_id,
        .config = config };
    *ret_rules = (struct nd_exec_rules){ 0 };
    enum oc_code rc = read_file(approvals_path, &ret->file, err);
    return rc == OC_OK || rc == OC_E_NOT_FOUND ? exec_rules_resolve(ret, ret_rules, err) : rc;
}

void nd_exec_source_finish(struct nd_exec_source *s) {
    oc_json_wipe(s->file); /* it holds the socket's token */
    cJSON_Delete(s->file);
    s->file = NULL;
}

enum oc_code nd_exec_rules_read(const char *approvals_path, const cJSON *config,
        const char *agent_id, struct nd_exec_rules *ret, struct oc_error *err) {
    struct nd_exec_source s;
    enum oc_code rc = nd_exec_source_open(approvals_path, config, agent_id, &s, ret, err);
    nd_exec_source_finish(&s);
    return rc;
}

bool nd_exec_rules_deny(const char *approvals_path, const cJSON *config, const char *agent_id) {
    struct nd_exec_rules rules;
    struct oc_error ignored;
    return nd_exec_rules_read(approvals_path, config, agent_id, &rules, &ignored) != OC_OK ||
           rules.security == ND_EXEC_DENY;
}

static const cJSON *list_of(const struct nd_exec_source *s, const char *agent) {
    return oc_json_get(oc_json_get(oc_json_get(s->file, "agents"), agent), "allowlist");
}

const cJSON *nd_exec_source_shared(const struct nd_exec_source *s) {
    return list_of(s, "*");
}

cJSON *nd_exec_source_own(const struct nd_exec_source *s) {
    cJSON *all = cJSON_CreateArray();
    const char *const agents[] = { s->agent_id,
        strcmp(s->agent_id, "main") == 0 ? "default" : NULL };
    for (size_t i = 0; i < OC_COUNT(agents); i++) {
        const cJSON *item, *list = agents[i] ? list_of(s, agents[i]) : NULL;
        cJSON_ArrayForEach(item, list) {
            cJSON_AddItemReferenceToArray(all, (cJSON *)(uintptr_t)item);
        }
    }
    return all;
}
