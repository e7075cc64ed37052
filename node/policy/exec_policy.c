#include "node/policy/exec_policy.h"

#include "lib/base/mem.h"
#include "lib/state/exec_approvals.h"
#include "lib/text/argv_text.h"
#include "node/argv/exec_env.h"
#include "node/argv/paths/exec_path.h"
#include "node/looks/exec_harden.h"
#include "node/looks/exec_read.h"
#include "node/looks/run_cwd.h"
#include "node/policy/exec_judge.h"
#include "node/policy/exec_list.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static void exec_policy_refuse(struct nd_exec_verdict *v, enum oc_run_gate by, enum oc_cause cause,
        enum oc_remedy remedy, char *take_message) {
    v->is_allowed = v->is_by_approval = false;
    v->by = by;
    v->grounds.cause = cause;
    v->grounds.gate = OC_GATE_LOCAL;
    v->grounds.remedy = remedy;
    oc_free(v->message);
    v->message = take_message;
}

static void exec_policy_explain(struct nd_exec_verdict *v, const char *why) {
    oc_free(v->why);
    v->why = oc_strdup(why);
}

static void refuse_as_disabled(struct nd_exec_verdict *v) {
    exec_policy_explain(v, "security is deny: nothing runs here");
    exec_policy_refuse(v, OC_RUN_GATE_SECURITY_DENY, OC_CAUSE_RUN_DISABLED,
            OC_REMEDY_SECURITY_ALLOWLIST, oc_strdup("SYSTEM_RUN_DISABLED: security=deny"));
}

static void refuse_as_damaged(struct nd_exec_verdict *v, const char *path, const char *why) {
    exec_policy_explain(v, why);
    exec_policy_refuse(v, OC_RUN_GATE_SECURITY_DENY, OC_CAUSE_RUN_DISABLED, OC_REMEDY_REPAIR_FILE,
            oc_strfmt("SYSTEM_RUN_DISABLED: security=deny (%s)", why));
    oc_grounds_set_subject(&v->grounds, path);
}

/* Where everyone can put another file in its place, a path is not a program. */
static bool is_stable(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && !(st.st_mode & S_IWOTH);
}

/* The real paths of the directories that the owner trusts, without those that everyone can
 * write. */
static cJSON *trusted_dirs(const struct nd_exec_source *s) {
    cJSON *out = cJSON_CreateArray();
    const cJSON *item, *given = nd_exec_source_config(s, "safeBinTrustedDirs");
    cJSON_ArrayForEach(item, given) {
        const char *dir = cJSON_GetStringValue(item);
        OC_AUTO_FREE char *real = dir && dir[0] == '/' ? nd_exec_real(dir) : NULL;
        if (real && is_stable(real)) {
            cJSON_AddItemToArray(out, cJSON_CreateString(real));
        }
    }
    return out;
}

static bool is_private(void *user, const char *path) {
    return nd_exec_is_private(path, user);
}

static void exec_policy_judge(const struct nd_exec_request *req, const struct nd_exec_source *s,
        const struct nd_exec_rules *rules, const cJSON *own, struct nd_exec_judgement *ret) {
    OC_AUTO_FREE char *cwd = nd_exec_real(req->cwd ? req->cwd : ".");
    OC_AUTO_JSON cJSON *dirs = trusted_dirs(s);
    struct nd_exec_fs fs = nd_exec_fs_native;
    fs.user = (void *)req->state_dir;
    fs.is_private = is_private;
    struct nd_exec_scene scene = {
        .fs = &fs,
        .cwd = cwd ? cwd : "/", /* spawning fails there with the right words */
        .path_env = req->path_env,
        .home = req->home,
        .shared = nd_exec_source_shared(s),
        .own = own,
        .safe_bins = { .bins = nd_exec_source_config(s, "safeBins"),
                .trusted_dirs = dirs,
                .profiles = nd_exec_source_config(s, "safeBinProfiles") },
        .skills = rules->auto_allow_skills ? req->skills : NULL,
    };
    nd_exec_judge(&scene, req->argv, ret);
}

static void add_hit(struct nd_exec_verdict *v, const struct nd_exec_part *part) {
    v->hits = oc_realloc(v->hits, (v->hit_count + 1) * sizeof(v->hits[0]));
    v->hits[v->hit_count++] = (struct nd_exec_hit){
        .pattern = oc_strdup(nd_exec_entry_pattern(part->entry)),
        .path = oc_strdup(part->path),
    };
}

static bool may_be_remembered(const struct nd_exec_part *part) {
    if (!part->path || part->is_carrier || part->is_satisfied) {
        return false;
    }
    OC_AUTO_FREE char *dir =
            oc_strndup(part->path, (size_t)(nd_path_name(part->path) - part->path));
    return nd_exec_list_can_name(part->path) && is_stable(part->path) && is_stable(dir);
}

/* What was used, and what an approval "always" would add: programs by their real path, never a
 * carrier. */
static void note_parts(struct nd_exec_verdict *v, const struct nd_exec_judgement *j) {
    for (size_t i = 0; i < j->count; i++) {
        const struct nd_exec_part *part = &j->parts[i];
        if (part->entry) {
            add_hit(v, part);
        } else if (may_be_remembered(part)) {
            oc_strv_add_unique(&v->remember, part->path);
        }
    }
}

/* The same for a command that is not allowed yet. */
static void note_wishes(struct nd_exec_verdict *v, const struct nd_exec_judgement *j) {
    for (size_t i = 0; i < j->count; i++) {
        if (!j->parts[i].entry && may_be_remembered(&j->parts[i])) {
            oc_strv_add_unique(&v->remember, j->parts[i].path);
        }
    }
}

/* The list can let this command through, if a single program is missing on it. Without ask there is
 * nobody to turn to, so the remedy is the list, or to be asked. */
static void refuse_as_miss(const struct nd_exec_judgement *j, struct nd_exec_verdict *v) {
    bool is_one = j->missing && nd_exec_list_can_name(j->missing);
    exec_policy_refuse(v, OC_RUN_GATE_ALLOWLIST_MISS, OC_CAUSE_ALLOWLIST_MISS,
            is_one ? OC_REMEDY_ADD_PROGRAM : OC_REMEDY_ASK_ON_MISS,
            oc_strfmt("SYSTEM_RUN_DENIED: allowlist miss (%s)", j->why));
    oc_grounds_set_subject(&v->grounds, is_one ? j->missing : NULL);
}

/* Whether a file is there, can be executed or is a directory is for those who may put it on the
 * list. */
static void refuse_discreetly(struct nd_exec_verdict *v) {
    exec_policy_explain(v, "the list does not allow it");
    exec_policy_refuse(v, OC_RUN_GATE_ALLOWLIST_MISS, OC_CAUSE_ALLOWLIST_MISS,
            OC_REMEDY_ASK_ON_MISS,
            oc_strdup("SYSTEM_RUN_DENIED: allowlist miss (the list does not allow it)"));
}

#define MAX_SHOWN 8

/* False: it brings none that matters. */
static bool refuse_variables(const struct nd_exec_request *req, struct nd_exec_verdict *v) {
    OC_AUTO_STRV struct oc_strv names = { 0 };
    nd_exec_env_uncovered(req->env, req->config, &names);
    if (names.count == 0) {
        return false;
    }
    size_t more = names.count > MAX_SHOWN ? names.count - MAX_SHOWN : 0;
    struct oc_strv some = { .items = names.items, .count = names.count - more };
    OC_AUTO_FREE char *joined = oc_strv_join(&some, ", "), *subject = oc_strv_join(&some, ",");
    OC_AUTO_FREE char *why = oc_strfmt("the list allows it, but not with the variable%s %s%s",
            names.count > 1 ? "s" : "", joined, more > 0 ? " and more" : "");
    exec_policy_explain(v, why);
    exec_policy_refuse(v, OC_RUN_GATE_ALLOWLIST_MISS, OC_CAUSE_ALLOWLIST_MISS,
            OC_REMEDY_ALLOW_VARIABLE, oc_strfmt("SYSTEM_RUN_DENIED: allowlist miss (%s)", why));
    oc_grounds_set_subject(&v->grounds, subject);
    return true;
}

static void decide_by_list(const struct nd_exec_request *req, const struct nd_exec_source *s,
        struct nd_exec_verdict *v) {
    OC_AUTO_JSON cJSON *own = nd_exec_source_own(s);
    struct nd_exec_judgement j;
    exec_policy_judge(req, s, &v->rules, own, &j);
    exec_policy_explain(v, j.is_satisfied ? "the list allows it" : j.why);
    if (j.is_satisfied && refuse_variables(req, v)) {
        /* nothing of it is new to the list */
    } else if (j.is_satisfied) {
        v->is_allowed = true;
        v->path = oc_take(&j.path);
        v->argv = j.argv;
        j.argv = (struct oc_strv){ 0 };
        v->cwd = j.cwd ? oc_take(&j.cwd) : oc_strdup(req->cwd);
        note_parts(v, &j);
    } else {
        if (req->is_discreet && v->rules.ask == ND_EXEC_ASK_OFF) {
            refuse_discreetly(v);
        } else {
            refuse_as_miss(&j, v);
            note_wishes(v, &j);
        }
        v->needs_skills = v->rules.auto_allow_skills && !req->skills && j.missing;
    }
    nd_exec_judgement_finish(&j);
}

/* What "always" would add, for a sentence. Caller frees. */
static char *wishes_text(const struct oc_strv *remember) {
    struct oc_strv some = { .items = remember->items,
        .count = remember->count < MAX_SHOWN ? remember->count : MAX_SHOWN };
    OC_AUTO_FREE char *list = oc_strv_join(&some, ", ");
    OC_AUTO_FREE char *shown = oc_printable(list, strlen(list), 1000);
    return some.count == 0 ? oc_strdup("nothing from then on")
                           : oc_strfmt("%s%s, with any arguments", shown,
                                     some.count < remember->count ? " and more" : "");
}

/* Callers ask for an approval when they see this, and come back with it. What would let it through
 * unasked is what the list lacks, if that is one thing. */
static void refuse_as_unapproved(struct nd_exec_verdict *v) {
    bool is_always = v->rules.ask == ND_EXEC_ASK_ALWAYS;
    enum oc_remedy remedy = v->grounds.subject[0] ? v->grounds.remedy
                            : is_always           ? OC_REMEDY_ASK_ON_MISS
                                                  : OC_REMEDY_SECURITY_FULL;
    OC_AUTO_FREE char *wishes = wishes_text(&v->remember);
    exec_policy_refuse(v, OC_RUN_GATE_APPROVAL_REQUIRED, OC_CAUSE_APPROVAL_REQUIRED, remedy,
            oc_strfmt("SYSTEM_RUN_DENIED: approval required (%s%s; \"always\" would allow %s)",
                    is_always ? "" : "allowlist miss: ", v->why, wishes));
}

/* Runs what was asked for, as it was asked for. */
static void allow_as_it_is(const struct nd_exec_request *req, struct nd_exec_verdict *v) {
    v->is_allowed = true;
    oc_strv_copy(&v->argv, req->argv);
    v->cwd = oc_strdup(req->cwd);
}

/* A person's word is about one directory and one file: both must be real and stay it. */
static void allow_as_approved(const struct nd_exec_request *req, const struct nd_exec_source *s,
        struct nd_exec_verdict *v) {
    struct oc_error err = { 0 };
    allow_as_it_is(req, v);
    v->is_by_approval = true;
    exec_policy_explain(v, "it was approved");
    enum oc_code rc = v->cwd ? nd_run_harden_cwd(&v->cwd, NULL, &err) : OC_OK;
    if (rc == OC_OK) {
        rc = nd_exec_harden_program(&v->argv, v->cwd, NULL, &err);
    }
    if (rc != OC_OK) {
        exec_policy_refuse(v, OC_RUN_GATE_APPROVAL_REQUIRED, err.grounds.cause, err.grounds.remedy,
                oc_strdup(err.text));
        oc_grounds_set_subject(&v->grounds, err.grounds.subject);
        return;
    }
    if (v->rules.security == ND_EXEC_ALLOWLIST) {
        OC_AUTO_JSON cJSON *own = nd_exec_source_own(s);
        struct nd_exec_judgement j;
        exec_policy_judge(req, s, &v->rules, own, &j);
        note_parts(v, &j);
        nd_exec_judgement_finish(&j);
    }
}

/* The list is not asked, but "always" adds to it. */
static void refuse_as_always_asked(const struct nd_exec_request *req,
        const struct nd_exec_source *s, struct nd_exec_verdict *v) {
    exec_policy_explain(v, "ask is always: every command is asked about");
    if (v->rules.security == ND_EXEC_ALLOWLIST) {
        OC_AUTO_JSON cJSON *own = nd_exec_source_own(s);
        struct nd_exec_judgement j;
        exec_policy_judge(req, s, &v->rules, own, &j);
        note_wishes(v, &j);
        nd_exec_judgement_finish(&j);
    }
    refuse_as_unapproved(v);
}

/* Somebody was to be asked, and there was nobody. */
static void fall_back(const struct nd_exec_request *req, const struct nd_exec_source *s,
        struct nd_exec_verdict *v) {
    switch (v->rules.ask_fallback) {
    case ND_EXEC_DENY:
        exec_policy_refuse(v, OC_RUN_GATE_APPROVAL_TIMEOUT, OC_CAUSE_APPROVAL_REQUIRED,
                OC_REMEDY_ASK_AGAIN,
                oc_strdup("SYSTEM_RUN_DENIED: approval required (nobody decided in time)"));
        break;
    case ND_EXEC_ALLOWLIST:
        if (v->rules.ask == ND_EXEC_ASK_ALWAYS) {
            decide_by_list(req, s, v); /* with on-miss it has decided already */
        }
        v->by = v->is_allowed ? OC_RUN_GATE_NONE : OC_RUN_GATE_APPROVAL_TIMEOUT_MISS;
        break;
    case ND_EXEC_FULL:
        v->needs_skills = false;
        allow_as_approved(req, s, v);
        break;
    }
}

static void exec_policy_ask(const struct nd_exec_request *req, const struct nd_exec_source *s,
        struct nd_exec_verdict *v) {
    if (req->is_unanswered) {
        fall_back(req, s, v);
    } else if (v->rules.ask == ND_EXEC_ASK_ALWAYS) {
        refuse_as_always_asked(req, s, v);
    } else {
        refuse_as_unapproved(v);
    }
}

/* Of what is refused nothing more is told than this, and nothing of what is private. */
static bool is_findable(const struct nd_exec_request *req) {
    const char *name = req->argv->items[0];
    OC_AUTO_FREE char *found = NULL;
    return nd_exec_find(name, req->cwd, req->path_env, &found) == 0 &&
           !(strchr(name, '/') && nd_exec_is_private(found, req->state_dir));
}

static void exec_policy_decide(const struct nd_exec_request *req, const struct nd_exec_source *s,
        struct nd_exec_verdict *v) {
    const struct nd_exec_rules *r = &v->rules;
    if (r->security == ND_EXEC_DENY) {
        refuse_as_disabled(v);
    } else if (nd_exec_rules_are_open(r)) {
        exec_policy_explain(v, "security is full: everything runs here");
        allow_as_it_is(req, v);
    } else if (req->is_approved) {
        allow_as_approved(req, s, v);
    } else if (r->ask == ND_EXEC_ASK_ALWAYS) {
        exec_policy_ask(req, s, v);
    } else {
        decide_by_list(req, s, v);
        if (!v->is_allowed && r->ask == ND_EXEC_ASK_ON_MISS) {
            exec_policy_ask(req, s, v);
        }
    }
    if (v->is_allowed && !v->path) {
        v->find_errno = nd_exec_find(v->argv.items[0], v->cwd, req->path_env, &v->path);
    } else if (!v->is_allowed && !req->is_approved && r->security != ND_EXEC_DENY &&
               !(req->is_discreet && r->ask == ND_EXEC_ASK_OFF)) {
        v->find_errno = is_findable(req) ? 0 : ENOENT;
    }
}

/* Two changes of one moment look alike. Most file systems count in hundredths of a second at worst,
 * some in seconds. */
static bool is_settled(const struct timespec *changed, const struct timespec *now) {
    int64_t age_ms = ((int64_t)now->tv_sec - changed->tv_sec) * 1000 +
                     (now->tv_nsec - changed->tv_nsec) / 1000000;
    return age_ms > (changed->tv_nsec == 0 ? 2000 : 100);
}

static struct nd_exec_stamp stamp_of(const char *path) {
    struct stat st;
    struct timespec now;
    if (stat(path, &st) != 0 || clock_gettime(CLOCK_REALTIME, &now) != 0) {
        return (struct nd_exec_stamp){ 0 };
    }
    return (struct nd_exec_stamp){ .is_there = true,
        .device = st.st_dev,
        .inode = st.st_ino,
        .size = st.st_size,
        .changed_s = st.st_ctim.tv_sec,
        .changed_ns = st.st_ctim.tv_nsec,
        .is_settled = is_settled(&st.st_ctim, &now) };
}

bool nd_exec_stamp_holds(const struct nd_exec_stamp *stamp, const char *approvals_path) {
    struct nd_exec_stamp now = stamp_of(approvals_path);
    return stamp->is_there && stamp->is_settled && now.is_there && now.device == stamp->device &&
           now.inode == stamp->inode && now.size == stamp->size &&
           now.changed_s == stamp->changed_s && now.changed_ns == stamp->changed_ns;
}

void nd_exec_decide(const struct nd_exec_request *req, struct nd_exec_verdict *ret) {
    *ret = (struct nd_exec_verdict){ .stamp = stamp_of(req->approvals_path), /* before it is read */
        .security = ND_EXEC_DENY };
    struct nd_exec_source s;
    struct oc_error err = { 0 };
    if (nd_exec_source_open(
                req->approvals_path, req->config, req->agent_id, &s, &ret->rules, &err) != OC_OK) {
        refuse_as_damaged(ret, req->approvals_path, err.text);
    } else {
        struct nd_exec_request heard = *req;
        if (ret->rules.ask == ND_EXEC_ASK_OFF) {
            heard.is_approved = heard.is_unanswered =
                    false; /* nobody is asked, so nobody said it */
        }
        ret->security = ret->rules.security;
        exec_policy_decide(&heard, &s, ret);
    }
    nd_exec_source_finish(&s);
}

void nd_exec_verdict_finish(struct nd_exec_verdict *v) {
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
    oc_free(v->why);
    *v = (struct nd_exec_verdict){ 0 };
}
