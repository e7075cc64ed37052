/* system.run: one program with its arguments, output and exit status (protocol.md §9.1). */
#include "node/command.h"

#include "base/file.h"
#include "base/mem.h"
#include "node/containment.h"
#include "node/exec_env.h"
#include "node/exec_notes.h"
#include "node/exec_path.h"
#include "node/exec_policy.h"
#include "node/run.h"
#include "node/skill_bins.h"

#include <unistd.h>

extern char **environ;

static bool can_run(const struct oc_node_host *host) {
    return host->platform->exec != NULL;
}

static void ask_policy(const struct oc_node_host *host, const struct oc_run_params *p,
        struct oc_exec_verdict *ret) {
    OC_AUTO_FREE char *home = oc_dir_home();
    oc_exec_decide(&(struct oc_exec_request){ .approvals_path = host->approvals_path,
                           .config = host->config,
                           .argv = &p->argv,
                           .cwd = p->cwd,
                           .path_env = oc_exec_search_path(),
                           .home = home,
                           .agent_id = p->agent_id,
                           .is_approved = p->approved,
                           .skills = oc_skill_bins_now(host->skills) },
            ret);
}

static void start_process(struct oc_run *r, const struct oc_exec_verdict *v) {
    const struct oc_run_params *p = oc_run_params(r);
    OC_AUTO_STRV struct oc_strv env = { 0 };
    oc_exec_env_build((const char *const *)environ, p->env, v->only_plain, &env);
    oc_run_start(r, &(struct oc_run_plan){ .path = v->path,
                            .argv = &v->argv,
                            .env = &env,
                            /* Who approved has seen the words, not what is typed later. */
                            .allows_input = v->security == OC_EXEC_FULL && !p->approved });
}

static void act(struct oc_node_host *host, struct oc_run *r, const struct oc_exec_verdict *v) {
    const struct oc_run_params *p = oc_run_params(r);
    OC_AUTO_FREE char *mismatch = NULL;
    if (!v->is_allowed) {
        oc_run_deny(r, v->reason, v->message);
    } else if (p->needs_screen_recording) {
        oc_run_deny(r, "permission:screenRecording", "PERMISSION_MISSING: screenRecording");
    } else if (v->find_errno) {
        oc_run_not_started(r, v->find_errno);
    } else if (!oc_exec_script_is_approved(host, p, v, &mismatch)) {
        oc_run_deny(r, "execution-plan-miss", mismatch);
    } else {
        oc_exec_note_use(host, p, v);
        start_process(r, v);
    }
}

static void start(struct oc_node_call *call) {
    struct oc_run_params params;
    struct oc_error err = { 0 };
    if (oc_run_params_decode(call->params, &params, &err) != OC_OK) {
        oc_node_call_fail(call, &err);
        oc_run_params_finish(&params);
        return;
    }
    struct oc_node_host *host = call->host;
    OC_AUTO_FREE char *refusal = oc_sandbox_place(host->sandbox, &params.cwd);
    if (refusal) {
        oc_run_deny(oc_run_create(call, &params), "containment", refusal);
        return;
    }
    struct oc_exec_verdict verdict;
    ask_policy(host, &params, &verdict);
    if (verdict.needs_skills && oc_skill_bins_wait(host->skills, call, start)) {
        oc_run_params_finish(&params); /* starts again when the gateway has said more */
    } else {
        if (verdict.is_allowed) { /* where it was judged is where it runs */
            oc_free(params.cwd);
            params.cwd = oc_strdup(verdict.cwd);
        }
        act(host, oc_run_create(call, &params), &verdict);
    }
    oc_exec_verdict_finish(&verdict);
}

const struct oc_node_command oc_node_system_run = {
    .name = "system.run",
    .cap = "system",
    .summary = "Run a program on this machine",
    .needs_params = true,
    .available = can_run,
    .start = start,
};
