#include "node/exec_policy.h"

#include "base/file.h"
#include "base/mem.h"
#include "node/exec_argv.h"
#include "node/exec_carriers.h"
#include "node/exec_path.h"
#include "protocol/exec_approvals.h"
#include "protocol/limits.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The owner's rules for one agent. */
struct rules {
    enum oc_exec_security security;
    bool asks_always, asks_on_miss;
    const char *agent_id;
    cJSON *file; /* NULL when there is none */
};

static void refuse(struct oc_exec_verdict *v, const char *reason, char *take_message) {
    v->is_allowed = false;
    v->reason = reason;
    oc_free(v->message);
    v->message = take_message;
}

#define GATE "gate: local exec approvals; fix: "

static void refuse_as_disabled(struct oc_exec_verdict *v, const char *path) {
    refuse(v, "security=deny",
            oc_strfmt("SYSTEM_RUN_DISABLED: security=deny (" GATE OC_EXEC_APPROVALS_FIX ")", path));
}

static void refuse_as_damaged(struct oc_exec_verdict *v, const char *path, const char *why) {
    refuse(v, "security=deny",
            oc_strfmt("SYSTEM_RUN_DISABLED: security=deny (%s; " GATE "repair or remove %s)", why,
                    path));
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
    if (version && oc_json_get_int(file, "version", 0) != 1) {
        return oc_fail(err, OC_E_CORRUPT, "%s has a version this node does not know", path);
    }
    *ret = oc_take(&file);
    return OC_OK;
}

/* agents.list[id].tools.exec.<key>, else tools.exec.<key>. */
static const cJSON *from_config(const cJSON *config, const char *agent_id, const char *key) {
    const cJSON *agent;
    cJSON_ArrayForEach(agent, oc_json_path(config, "agents.list")) {
        if (oc_streq(oc_json_get_str(agent, "id"), agent_id)) {
            const cJSON *v = oc_json_get(oc_json_path(agent, "tools.exec"), key);
            if (v) {
                return v;
            }
        }
    }
    return oc_json_get(oc_json_path(config, "tools.exec"), key);
}

/* agents[A], agents["*"], defaults, config: the first that says something. */
static const cJSON *setting(const struct rules *r, const cJSON *config, const char *key) {
    const cJSON *agents = oc_json_get(r->file, "agents");
    const cJSON *v = oc_json_get(oc_json_get(agents, r->agent_id), key);
    if (!v && strcmp(r->agent_id, "main") == 0) {
        v = oc_json_get(oc_json_get(agents, "default"), key); /* what main was called once */
    }
    v = v ? v : oc_json_get(oc_json_get(agents, "*"), key);
    v = v ? v : oc_json_get(oc_json_get(r->file, "defaults"), key);
    return v ? v : from_config(config, r->agent_id, key);
}

/* Strict: a misspelt value must not fall through to one that allows more. */
static enum oc_code resolve(struct rules *r, const cJSON *config, struct oc_error *err) {
    const cJSON *security = setting(r, config, "security"), *ask = setting(r, config, "ask");
    const char *text = cJSON_GetStringValue(security);
    r->security = OC_EXEC_DENY;
    if (security && oc_streq(text, "full")) {
        r->security = OC_EXEC_FULL;
    } else if (security && oc_streq(text, "allowlist")) {
        r->security = OC_EXEC_ALLOWLIST;
    } else if (security && !oc_streq(text, "deny")) {
        return oc_fail(
                err, OC_E_INVALID, "\"security\" must be \"deny\", \"allowlist\" or \"full\"");
    }
    text = cJSON_GetStringValue(ask);
    r->asks_always = ask && oc_streq(text, "always");
    r->asks_on_miss = ask && oc_streq(text, "on-miss");
    if (ask && !r->asks_always && !r->asks_on_miss && !oc_streq(text, "off")) {
        return oc_fail(err, OC_E_INVALID, "\"ask\" must be \"off\", \"on-miss\" or \"always\"");
    }
    return OC_OK;
}

static const char *pattern_of(const cJSON *item) {
    const char *s = cJSON_GetStringValue(item);
    return s ? s : oc_json_get_str(item, "pattern");
}

/* An entry names a real path, not a link: a link could be turned to another program after it was listed. */
static bool entry_allows(const char *pattern, const char *real) {
    return pattern && strcmp(pattern, real) == 0;
}

static bool list_allows(const cJSON *agent, const char *real) {
    const cJSON *item;
    cJSON_ArrayForEach(item, oc_json_get(agent, "allowlist")) {
        if (entry_allows(pattern_of(item), real)) {
            return true;
        }
    }
    return false;
}

static bool is_listed(const struct rules *r, const char *real) {
    const cJSON *agents = oc_json_get(r->file, "agents");
    return list_allows(oc_json_get(agents, "*"), real) ||
           list_allows(oc_json_get(agents, r->agent_id), real) ||
           (strcmp(r->agent_id, "main") == 0 && list_allows(oc_json_get(agents, "default"), real));
}

#define MISS "SYSTEM_RUN_DENIED: allowlist miss"
#define SHELL_HINT                                                                            \
    " (shell wrappers like sh/bash/zsh -c require approval; approve once/always or run with " \
    "--ask "                                                                                  \
    "on-miss|always)"

static void decide_by_list(
        const struct oc_exec_request *req, const struct rules *r, struct oc_exec_verdict *v) {
    const char *name = req->argv->items[0];
    OC_AUTO_FREE char *found = NULL;
    int errnum = oc_exec_find(name, req->cwd, req->path_env, &found);
    OC_AUTO_FREE char *real = found ? oc_exec_real(found) : NULL;
    OC_AUTO_FREE char *shown = oc_printable(name, strlen(name), 80);
    struct oc_argv_shape shape;
    oc_argv_shape_of(req->argv, &shape);
    if (oc_exec_is_carrier(oc_path_name(name)) ||
            (real && oc_exec_is_carrier(oc_path_name(real)))) {
        refuse(v, "allowlist-miss",
                oc_strfmt(MISS "%s (%s can run any other command, so no list allows it; " GATE
                               "run the program itself, or set \"security\":\"full\" in %s)",
                        shape.script ? SHELL_HINT : "", shown, req->approvals_path));
        return;
    }
    if (errnum || !real) {
        refuse(v, "allowlist-miss",
                oc_strfmt(MISS " (%s was not found on the node; " GATE
                               "install it or give its full path)",
                        shown));
        return;
    }
    if (!is_listed(r, real)) {
        OC_AUTO_FREE char *file = oc_printable(real, strlen(real), 200);
        OC_AUTO_FREE char *agent = oc_printable(r->agent_id, strlen(r->agent_id), 40);
        refuse(v, "allowlist-miss",
                oc_strfmt(MISS " (" GATE "add {\"pattern\":\"%s\"} to agents.%s.allowlist in %s)",
                        file, agent, req->approvals_path));
        return;
    }
    v->is_allowed = true;
    v->path = oc_take(&real);
}

/* Callers ask for an approval when they see this text, and come back with it. */
static void refuse_as_unapproved(struct oc_exec_verdict *v, const char *path) {
    OC_AUTO_FREE char *why = v->message;
    v->message = NULL;
    refuse(v, "approval-required",
            oc_strfmt("SYSTEM_RUN_DENIED: approval required (" GATE
                      "approve the command when asked, or set \"ask\":\"off\" in %s)%s%s",
                    path, why ? "; " : "", why ? why : ""));
}

void oc_exec_decide(const struct oc_exec_request *req, struct oc_exec_verdict *ret) {
    *ret = (struct oc_exec_verdict){ .security = OC_EXEC_DENY };
    struct rules r = { .agent_id = oc_str_blank(req->agent_id) ? "main" : req->agent_id };
    OC_AUTO_JSON cJSON *file = NULL;
    struct oc_error err = { 0 };
    enum oc_code rc = read_file(req->approvals_path, &file, &err);
    if (rc != OC_OK && rc != OC_E_NOT_FOUND) {
        refuse_as_damaged(ret, req->approvals_path, err.text);
        return;
    }
    r.file = file;
    if (resolve(&r, req->config, &err) != OC_OK) {
        refuse_as_damaged(ret, req->approvals_path, err.text);
        return;
    }
    ret->security = r.security;
    if (r.security == OC_EXEC_DENY) {
        refuse_as_disabled(ret, req->approvals_path);
    } else if (r.asks_always && !req->is_approved) {
        refuse_as_unapproved(ret, req->approvals_path);
    } else if (r.security == OC_EXEC_ALLOWLIST && !req->is_approved) {
        decide_by_list(req, &r, ret);
        if (!ret->is_allowed && r.asks_on_miss) {
            refuse_as_unapproved(ret, req->approvals_path);
        }
    } else {
        ret->is_allowed = true;
        ret->find_errno = oc_exec_find(req->argv->items[0], req->cwd, req->path_env, &ret->path);
    }
}

void oc_exec_verdict_finish(struct oc_exec_verdict *v) {
    oc_free(v->path);
    oc_free(v->message);
    *v = (struct oc_exec_verdict){ 0 };
}
