/* system.run: one program with its arguments, output and exit status (protocol.md §9.1). */
#include "node/command.h"

#include "base/encode.h"
#include "base/file.h"
#include "base/mem.h"
#include "node/exec_env.h"
#include "node/exec_notes.h"
#include "node/exec_path.h"
#include "node/exec_policy.h"
#include "node/process.h"
#include "node/run_params.h"
#include "node/run_result.h"
#include "node/skill_bins.h"
#include "protocol/errors.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define DENIED "SYSTEM_RUN_DENIED"

extern char **environ;

struct run {
    struct oc_node_call *call;
    struct oc_run_params params;
    char run_id[OC_UUID_LEN + 1]; /* when the caller gave none */
    struct oc_process *process;
    bool was_cancelled;
};

static bool can_run(const struct oc_node_host *host) {
    return host->platform->exec != NULL;
}

static void run_destroy(struct run *r) {
    oc_run_params_finish(&r->params);
    oc_free(r);
}

static struct oc_run_label label_of(const struct run *r) {
    const struct oc_run_params *p = &r->params;
    return (struct oc_run_label){
        .session_key = p->session_key ? p->session_key : "node",
        .run_id = p->run_id ? p->run_id : r->run_id,
        .command = p->text,
    };
}

static void deny(struct run *r, const char *reason, const char *message) {
    struct oc_run_label label = label_of(r);
    oc_run_send_denied(r->call->host, &label, reason);
    oc_node_call_reply_error(r->call, DENIED, message);
    run_destroy(r);
}

/* The event goes first, as callers expect it, but its answer is not waited for. */
static void reply(struct run *r, const struct oc_run_outcome *o) {
    struct oc_run_label label = label_of(r);
    oc_run_send_finished(r->call->host, &label, o);
    oc_node_call_reply_text(r->call, oc_run_outcome_json(o));
    run_destroy(r);
}

/* "spawn <argv0> ENOENT", which is how the reference words it. */
static void reply_not_started(struct run *r, int errnum) {
    char number[24];
    OC_AUTO_FREE char *error =
            oc_strfmt("spawn %s %s", r->params.argv.items[0], oc_errno_name(errnum, number));
    struct oc_run_outcome o;
    oc_run_outcome_init_failed(&o, error);
    reply(r, &o);
    oc_run_outcome_finish(&o);
}

static void on_done(void *user, const struct oc_process_result *result) {
    struct run *r = user;
    struct oc_run_outcome o;
    oc_run_outcome_init(&o, result);
    if (r->was_cancelled) {
        struct oc_run_label label = label_of(r);
        oc_run_send_finished(r->call->host, &label, &o);
        oc_node_call_reply_error(
                r->call, "CANCELLED", "the command was cancelled and its processes were killed");
        run_destroy(r);
    } else {
        reply(r, &o);
    }
    oc_run_outcome_finish(&o);
}

static void on_cancel(struct oc_node_call *call, enum oc_code why) {
    struct run *r = call->work;
    r->was_cancelled = r->was_cancelled || why != OC_E_TIMEOUT;
    oc_process_kill(r->process, why == OC_E_TIMEOUT);
}

static void on_abandon(struct oc_node_call *call) {
    struct run *r = call->work;
    oc_process_destroy(r->process);
    run_destroy(r);
}

/* NULL-terminated view of v behind `skip` free places. Caller frees the array. */
static const char **as_vector(const struct oc_strv *v, size_t skip) {
    const char **a = oc_new_array(const char *, skip + v->count + 1);
    for (size_t i = 0; i < v->count; i++) {
        a[skip + i] = v->items[i];
    }
    return a;
}

/* A file without magic number is a shell script if it looks like text: execvp's old rule. */
static bool looks_like_script(const char *path) {
    char head[512];
    OC_AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, head, sizeof(head));
    return n > 0 && !memchr(head, 0, (size_t)n);
}

static enum oc_code spawn(
        struct run *r, const struct oc_exec_verdict *v, const struct oc_strv *env, int *ret_errno) {
    const char *path = v->path;
    OC_AUTO_FREE const char **argv = as_vector(&v->argv, 0);
    OC_AUTO_FREE const char **envp = as_vector(env, 0);
    struct oc_spawn_opts opts = { .path = path, .argv = argv, .env = envp, .cwd = v->cwd };
    struct oc_node_host *host = r->call->host;
    struct oc_error err;
    enum oc_code rc = oc_process_start(host->loop, host->platform->exec, &opts,
            r->params.timeout_ms, on_done, r, &r->process, ret_errno, &err);
    if (rc != OC_OK && *ret_errno == ENOEXEC && looks_like_script(path)) {
        OC_AUTO_FREE const char **sh_argv = as_vector(&v->argv, 1);
        sh_argv[0] = "/bin/sh";
        sh_argv[1] = path;
        opts.path = "/bin/sh";
        opts.argv = sh_argv;
        rc = oc_process_start(host->loop, host->platform->exec, &opts, r->params.timeout_ms,
                on_done, r, &r->process, ret_errno, &err);
    }
    return rc;
}

static void start_process(struct run *r, const struct oc_exec_verdict *verdict) {
    OC_AUTO_STRV struct oc_strv env = { 0 };
    oc_exec_env_build((const char *const *)environ, r->params.env, verdict->only_plain, &env);
    int errnum = 0;
    if (spawn(r, verdict, &env, &errnum) != OC_OK) {
        reply_not_started(r, errnum);
        return;
    }
    r->call->work = r;
    r->call->cancel = on_cancel;
    r->call->abandon = on_abandon;
}

static void start(struct oc_node_call *call);

static void decide(struct run *r) {
    struct oc_node_host *host = r->call->host;
    OC_AUTO_FREE char *home = oc_dir_home();
    struct oc_exec_verdict verdict;
    oc_exec_decide(&(struct oc_exec_request){ .approvals_path = host->approvals_path,
                           .config = host->config,
                           .argv = &r->params.argv,
                           .cwd = r->params.cwd,
                           .path_env = oc_exec_search_path(),
                           .home = home,
                           .agent_id = r->params.agent_id,
                           .is_approved = r->params.approved,
                           .skills = oc_skill_bins_now(host->skills) },
            &verdict);
    OC_AUTO_FREE char *mismatch = NULL;
    if (verdict.needs_skills && oc_skill_bins_wait(host->skills, r->call, start)) {
        run_destroy(r);
    } else if (!verdict.is_allowed) {
        deny(r, verdict.reason, verdict.message);
    } else if (r->params.needs_screen_recording) {
        deny(r, "permission:screenRecording", "PERMISSION_MISSING: screenRecording");
    } else if (verdict.find_errno) {
        reply_not_started(r, verdict.find_errno);
    } else if (!oc_exec_script_is_approved(host, &r->params, &verdict, &mismatch)) {
        deny(r, "execution-plan-miss", mismatch);
    } else {
        oc_exec_note_use(host, &r->params, &verdict);
        start_process(r, &verdict);
    }
    oc_exec_verdict_finish(&verdict);
}

static void start(struct oc_node_call *call) {
    struct run *r = oc_new(struct run);
    r->call = call;
    oc_uuid4(r->run_id);
    struct oc_error err = { 0 };
    if (oc_run_params_decode(call->params, &r->params, &err) != OC_OK) {
        oc_node_call_fail(call, &err);
        run_destroy(r);
        return;
    }
    decide(r);
}

const struct oc_node_command oc_node_system_run = {
    .name = "system.run",
    .cap = "system",
    .summary = "Run a program on this machine",
    .needs_params = true,
    .available = can_run,
    .start = start,
};
