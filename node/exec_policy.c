#include "node/exec_policy.h"

#include "base/file.h"
#include "base/mem.h"
#include "node/exec_argv.h"
#include "node/exec_harden.h"
#include "node/exec_judge.h"
#include "node/exec_list.h"
#include "node/exec_path.h"
#include "protocol/exec_approvals.h"
#include "protocol/identity_dir.h"
#include "protocol/limits.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where the owner's rules for one agent come from. */
struct source {
    const char *agent_id;
    const cJSON *config;
    cJSON *file; /* NULL when there is none */
};

/* The names of the values, in the order of the enums. */
static const char *const securities[] = { "deny", "allowlist", "full" };
static const char *const asks[] = { "off", "on-miss", "always" };

const char *oc_exec_security_name(enum oc_exec_security s) {
    return securities[s];
}

const char *oc_exec_ask_name(enum oc_exec_ask a) {
    return asks[a];
}

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
static const cJSON *setting(const struct source *s, const char *key) {
    const cJSON *agents = oc_json_get(s->file, "agents");
    const cJSON *v = oc_json_get(oc_json_get(agents, s->agent_id), key);
    if (!v && strcmp(s->agent_id, "main") == 0) {
        v = oc_json_get(oc_json_get(agents, "default"), key); /* what main was called once */
    }
    v = v ? v : oc_json_get(oc_json_get(agents, "*"), key);
    v = v ? v : oc_json_get(oc_json_get(s->file, "defaults"), key);
    return v ? v : from_config(s->config, s->agent_id, key);
}

/* Strict: a misspelt value must not fall through to one that allows more. */
static enum oc_code choose(const struct source *s, const char *key, const char *const names[3],
        int fallback, int *ret, struct oc_error *err) {
    const cJSON *value = setting(s, key);
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

static enum oc_code resolve(
        const struct source *s, struct oc_exec_rules *ret, struct oc_error *err) {
    int security = OC_EXEC_DENY, fallback = OC_EXEC_DENY, ask = OC_EXEC_ASK_ON_MISS;
    enum oc_code rc = choose(s, "security", securities, OC_EXEC_DENY, &security, err);
    if (rc == OC_OK) {
        rc = choose(s, "ask", asks, OC_EXEC_ASK_ON_MISS, &ask, err);
    }
    if (rc == OC_OK) {
        rc = choose(s, "askFallback", securities, OC_EXEC_DENY, &fallback, err);
    }
    if (rc == OC_OK) {
        ret->security = (enum oc_exec_security)security;
        ret->ask_fallback = (enum oc_exec_security)fallback;
        ret->ask = (enum oc_exec_ask)ask;
        ret->auto_allow_skills = cJSON_IsTrue(setting(s, "autoAllowSkills"));
    }
    return rc;
}

static enum oc_code open_source(const char *approvals_path, const cJSON *config,
        const char *agent_id, struct source *ret, struct oc_exec_rules *ret_rules,
        struct oc_error *err) {
    *ret = (struct source){ .agent_id = oc_str_blank(agent_id) ? "main" : agent_id,
        .config = config };
    *ret_rules = (struct oc_exec_rules){ 0 };
    enum oc_code rc = read_file(approvals_path, &ret->file, err);
    return rc == OC_OK || rc == OC_E_NOT_FOUND ? resolve(ret, ret_rules, err) : rc;
}

enum oc_code oc_exec_rules_read(const char *approvals_path, const cJSON *config,
        const char *agent_id, struct oc_exec_rules *ret, struct oc_error *err) {
    struct source s;
    enum oc_code rc = open_source(approvals_path, config, agent_id, &s, ret, err);
    cJSON_Delete(s.file);
    return rc;
}

static const cJSON *list_of(const struct source *s, const char *agent) {
    return oc_json_get(oc_json_get(oc_json_get(s->file, "agents"), agent), "allowlist");
}

/* Main's list continues with that of `default`, its old name. Caller deletes the array, not the entries. */
static cJSON *own_list(const struct source *s) {
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

static void judge(const struct oc_exec_request *req, const struct source *s,
        const struct oc_exec_rules *rules, const cJSON *own, struct oc_exec_judgement *ret) {
    OC_AUTO_FREE char *cwd = oc_exec_real(req->cwd ? req->cwd : ".");
    struct oc_exec_scene scene = {
        .fs = &oc_exec_fs_native,
        .cwd = cwd ? cwd : "/", /* spawning fails there with the right words */
        .path_env = req->path_env,
        .home = req->home,
        .shared = list_of(s, "*"),
        .own = own,
        .safe_bins = { .bins = from_config(s->config, s->agent_id, "safeBins"),
                .trusted_dirs = from_config(s->config, s->agent_id, "safeBinTrustedDirs"),
                .profiles = from_config(s->config, s->agent_id, "safeBinProfiles") },
        .skills = rules->auto_allow_skills ? req->skills : NULL,
    };
    oc_exec_judge(&scene, req->argv, ret);
}

static void add_hit(struct oc_exec_verdict *v, const struct oc_exec_part *part) {
    v->hits = oc_realloc(v->hits, (v->hit_count + 1) * sizeof(v->hits[0]));
    v->hits[v->hit_count++] = (struct oc_exec_hit){
        .pattern = oc_strdup(oc_exec_entry_pattern(part->entry)),
        .path = oc_strdup(part->path),
    };
}

/* Where everyone can put another file in its place, a path is not a program. */
static bool is_stable(const char *path) {
    struct stat st;
    OC_AUTO_FREE char *dir = oc_strndup(path, (size_t)(oc_path_name(path) - path));
    return stat(path, &st) == 0 && !(st.st_mode & S_IWOTH) && stat(dir, &st) == 0 &&
           !(st.st_mode & S_IWOTH);
}

/* What was used, and what an approval "always" would add: programs by their real path, never a carrier. */
static void note_parts(struct oc_exec_verdict *v, const struct oc_exec_judgement *j) {
    for (size_t i = 0; i < j->count; i++) {
        const struct oc_exec_part *part = &j->parts[i];
        if (part->entry) {
            add_hit(v, part);
        } else if (part->path && !part->is_carrier && !part->is_satisfied &&
                   is_stable(part->path)) {
            oc_strv_add_unique(&v->remember, part->path);
        }
    }
}

#define MISS "SYSTEM_RUN_DENIED: allowlist miss"
#define SHELL_HINT                                                                            \
    " (shell wrappers like sh/bash/zsh -c require approval; approve once/always or run with " \
    "--ask "                                                                                  \
    "on-miss|always)"

static void refuse_as_miss(const struct oc_exec_request *req, const struct source *s,
        const struct oc_exec_judgement *j, struct oc_exec_verdict *v) {
    const char *hint = j->is_script ? SHELL_HINT : "";
    if (j->missing) {
        OC_AUTO_FREE char *file = oc_printable(j->missing, strlen(j->missing), 200);
        OC_AUTO_FREE char *agent = oc_printable(s->agent_id, strlen(s->agent_id), 40);
        refuse(v, "allowlist-miss",
                oc_strfmt(MISS "%s (%s; " GATE "add {\"pattern\":\"%s\"} to agents.%s.allowlist "
                               "in %s)",
                        hint, j->why, file, agent, req->approvals_path));
    } else {
        refuse(v, "allowlist-miss",
                oc_strfmt(MISS "%s (%s; " GATE
                               "run programs of the list by name or path, let it be approved with "
                               "\"ask\":\"on-miss\", or set \"security\":\"full\" in %s)",
                        hint, j->why, req->approvals_path));
    }
}

static void decide_by_list(
        const struct oc_exec_request *req, const struct source *s, struct oc_exec_verdict *v) {
    OC_AUTO_JSON cJSON *own = own_list(s);
    struct oc_exec_judgement j;
    judge(req, s, &v->rules, own, &j);
    if (j.is_satisfied) {
        v->is_allowed = v->only_plain = true;
        v->path = oc_take(&j.path);
        v->argv = j.argv;
        j.argv = (struct oc_strv){ 0 };
        v->cwd = j.cwd ? oc_take(&j.cwd) : oc_strdup(req->cwd);
        note_parts(v, &j);
    } else {
        refuse_as_miss(req, s, &j, v);
        v->needs_skills = v->rules.auto_allow_skills && !req->skills && j.missing;
    }
    oc_exec_judgement_finish(&j);
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

/* Runs what was asked for, as it was asked for. */
static void allow_as_it_is(const struct oc_exec_request *req, struct oc_exec_verdict *v) {
    struct oc_argv_shape shape;
    oc_argv_shape_of(req->argv, &shape);
    v->is_allowed = true;
    v->only_plain = shape.script != NULL;
    oc_strv_copy(&v->argv, req->argv);
    v->cwd = oc_strdup(req->cwd);
}

/* A person's word is about one directory and one file: both must be real and stay it. */
static void allow_as_approved(
        const struct oc_exec_request *req, const struct source *s, struct oc_exec_verdict *v) {
    struct oc_error err = { 0 };
    allow_as_it_is(req, v);
    enum oc_code rc = v->cwd ? oc_exec_harden_cwd(&v->cwd, &err) : OC_OK;
    if (rc == OC_OK) {
        rc = oc_exec_harden_program(&v->argv, v->cwd, &err);
    }
    if (rc != OC_OK) {
        refuse(v, "approval-required",
                oc_strfmt("%s (" GATE "use real paths and approve again)", err.text));
        return;
    }
    if (v->rules.security == OC_EXEC_ALLOWLIST) {
        OC_AUTO_JSON cJSON *own = own_list(s);
        struct oc_exec_judgement j;
        judge(req, s, &v->rules, own, &j);
        note_parts(v, &j);
        oc_exec_judgement_finish(&j);
    }
}

static void decide(
        const struct oc_exec_request *req, const struct source *s, struct oc_exec_verdict *v) {
    const struct oc_exec_rules *r = &v->rules;
    if (r->security == OC_EXEC_DENY) {
        refuse_as_disabled(v, req->approvals_path);
    } else if (r->security == OC_EXEC_FULL && r->ask != OC_EXEC_ASK_ALWAYS) {
        allow_as_it_is(req, v);
    } else if (req->is_approved) {
        allow_as_approved(req, s, v);
    } else if (r->ask == OC_EXEC_ASK_ALWAYS) {
        refuse_as_unapproved(v, req->approvals_path);
    } else {
        decide_by_list(req, s, v);
        if (!v->is_allowed && r->ask == OC_EXEC_ASK_ON_MISS) {
            refuse_as_unapproved(v, req->approvals_path);
        }
    }
    if (v->is_allowed && !v->path) {
        v->find_errno = oc_exec_find(v->argv.items[0], v->cwd, req->path_env, &v->path);
    }
}

void oc_exec_decide(const struct oc_exec_request *req, struct oc_exec_verdict *ret) {
    *ret = (struct oc_exec_verdict){ .security = OC_EXEC_DENY };
    struct source s;
    struct oc_error err = { 0 };
    if (open_source(req->approvals_path, req->config, req->agent_id, &s, &ret->rules, &err) !=
            OC_OK) {
        refuse_as_damaged(ret, req->approvals_path, err.text);
    } else {
        ret->security = ret->rules.security;
        decide(req, &s, ret);
    }
    oc_json_wipe(s.file); /* it holds the socket's token */
    cJSON_Delete(s.file);
}

void oc_exec_verdict_finish(struct oc_exec_verdict *v) {
    for (size_t i = 0; i < v->hit_count; i++) {
        oc_free(v->hits[i].pattern);
        oc_free(v->hits[i].path);
    }
    oc_free(v->hits);
    oc_strv_finish(&v->argv);
    oc_strv_finish(&v->remember);
    oc_free(v->path);
    oc_free(v->cwd);
    oc_free(v->message);
    *v = (struct oc_exec_verdict){ 0 };
}
