/* Gate 4, local exec approvals: may this machine run this command?
 *
 * The owner's answer is in <home>/.openclaw/exec-approvals.json (docs/EXEC.md#policy), read anew
 * for every command:
 *   deny       nothing runs; also when the file is missing, damaged, or says something we do not
 *              know
 *   allowlist  what node/policy/exec_judge.h can trace back to programs on the list
 *   full       everything runs
 * `ask: always` means that nothing runs without an approval, `ask: on-miss`, the default, that an
 * approval lets a command run which the list does not allow. The gateway vouches for approvals;
 * none lifts `deny`, and with `ask: off` none counts, whoever vouches. A list is about programs as
 * they are: one that is given a variable which is not known to be harmless (node/argv/exec_env.h)
 * is none that it allows. `askFallback` is for commands that nobody decided about: deny, the
 * default; allowlist: the list decides; full: they run as if approved once. */
#ifndef NODE_POLICY_EXEC_POLICY_H
#define NODE_POLICY_EXEC_POLICY_H

#include "lib/base/str.h"
#include "lib/json/json.h"
#include "node/policy/exec_rules.h"

#include <stdbool.h>
#include <stdint.h>

struct nd_exec_request {
    const char *approvals_path;
    const cJSON *config; /* the node's own openclaw.json; NULL: empty */
    const struct oc_strv *argv;
    const char *cwd;              /* NULL: ours */
    const char *path_env;         /* where bare names are looked up */
    const char *home;             /* what ~ in patterns means; NULL: they match nothing */
    const char *agent_id;         /* NULL: main */
    const cJSON *env;             /* variables that the caller sets; NULL: none */
    bool is_approved;             /* somebody allowed exactly this command; the gateway says so */
    bool is_unanswered;           /* … or was asked and has not decided in time */
    const struct oc_strv *skills; /* programs that skills need; NULL: not known */
    const char *state_dir;        /* nothing of what is in there is told; NULL: none */
    bool is_discreet; /* who asks may not change the list: where nobody is asked, a refusal tells
                         nothing about files */
};

/* An entry of the agent's list, or of everyone's, that was used. */
struct nd_exec_hit {
    char *pattern, *path; /* owned */
};

/* Which file of the owner a verdict is made of. */
struct nd_exec_stamp {
    bool is_there;
    uint64_t device, inode;
    int64_t size, changed_s, changed_ns;
    bool is_settled; /* the last change is long enough ago that the next one has another time */
};

struct nd_exec_verdict {
    struct nd_exec_stamp stamp;
    uint64_t config_number; /* nd_machine.config_number; set by nd_exec_notes_judge */
    bool is_allowed;
    bool is_by_approval; /* allowed because somebody said so */
    char *why;           /* in a few words for people, whatever the verdict is. Owned */
    struct nd_exec_rules rules;
    enum nd_exec_security security; /* = rules.security */
    /* There is no such program: nothing runs, and there is nothing to ask anybody about, allowed or
     * not. 0: there is. */
    int find_errno;
    /* allowed: what to run. argv is not always what was asked for: use this one. */
    struct oc_strv argv;
    char *path;               /* the file to execute; NULL when find_errno is set. Owned */
    char *cwd;                /* NULL: ours. Owned */
    struct nd_exec_hit *hits; /* entries whose use is to be noted */
    size_t hit_count;
    struct oc_strv remember; /* approved, or in need of it: what "always" adds to the list */
    /* refused */
    bool needs_skills;   /* asking the gateway for skills.bins might change the answer */
    enum oc_run_gate by; /* what stops it; none: allowed */
    char *message;       /* for the caller. Starts with the reference's text. Owned */
    struct oc_grounds grounds;
};
void nd_exec_decide(const struct nd_exec_request *req, struct nd_exec_verdict *ret);
/* Whether the owner's file is still the one that the verdict is made of. */
bool nd_exec_stamp_holds(const struct nd_exec_stamp *stamp, const char *approvals_path);
void nd_exec_verdict_finish(struct nd_exec_verdict *v);

#endif
