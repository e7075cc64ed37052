#include "node/run/run.h"

#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/protocol/errors.h"
#include "lib/text/argv_text.h"
#include "node/policy/exec_notes.h"
#include "node/process/process.h"
#include "node/run/live.h"
#include "node/run/log/run_end.h"
#include "node/run/log/run_log.h"
#include "node/run/run_owner.h"
#include "node/run/runs.h"
#include "node/run/unconfirmed.h"
#include "node/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define DENIED "SYSTEM_RUN_DENIED"

struct nd_run {
    struct nd_run_entry entry; /* first: node/run/runs.c holds pointers to it */
    struct nd_runner *runner;
    struct nd_call *call; /* NULL once it is answered */
    struct nd_run_params params;
    cJSON *kept_params;           /* what params borrows from, of background runs */
    size_t kept_bytes;            /* that count for it (node/call/call.h) */
    char run_id[OC_UUID_LEN + 1]; /* when the caller gave none */
    struct nd_live *live;         /* NULL: nobody watches */
    struct nd_sandboxed box;
    struct oc_strv env_dropped;
    char log_id[ND_RUN_LOG_ID + 1]; /* "": no line in the log yet */
    char *invoke_id;                /* what the gateway calls it */
    cJSON *caller;                  /* who the gateway says asked; NULL: it does not say */
    enum oc_run_gate gate;
    char *gate_entry;
    struct oc_timer orphaned;
    cJSON *remembered; /* what "always" put on the list; NULL: nobody said always */
    bool is_listed, was_cancelled, was_orphaned;
    int64_t began_mono_ms;
    uint64_t bytes, err_bytes; /* that came so far; of these to stderr */
    struct nd_run_end end;     /* entry.end points here once it is filled */
};

static void on_orphaned(struct oc_timer *t);

struct nd_run *nd_run_create(
        struct nd_runner *runner, struct nd_call *call, struct nd_run_params *take_params) {
    struct nd_run *r = oc_new(struct nd_run);
    const struct oc_clock *clock = oc_loop_clock(runner->machine->loop);
    r->runner = runner;
    r->call = call;
    r->params = *take_params;
    *take_params = (struct nd_run_params){ 0 };
    r->entry.began_ms = oc_wall_ms(clock);
    r->began_mono_ms = oc_mono_ms(clock);
    r->orphaned = (struct oc_timer){ .on_expire = on_orphaned, .user = r };
    r->invoke_id = oc_strdup(call->asked_as);
    r->caller = cJSON_Duplicate(call->caller, true);
    nd_run_set_owner(&r->entry, r->caller);
    oc_list_init(&r->entry.watchers);
    nd_run_output_init(&r->entry.log);
    oc_uuid4(r->run_id);
    return r;
}

const struct nd_run_params *nd_run_params_of(const struct nd_run *r) {
    return &r->params;
}

static void run_destroy(struct nd_run *r) {
    oc_timer_cancel(&r->orphaned);
    nd_live_destroy(r->live);
    nd_sandbox_close(&r->box);
    oc_strv_finish(&r->env_dropped);
    nd_run_params_finish(&r->params);
    cJSON_Delete(r->kept_params);
    nd_call_memory_give_back(r->runner->call_memory, r->kept_bytes);
    cJSON_Delete(r->remembered);
    nd_run_end_finish(&r->end);
    nd_run_entry_finish(&r->entry);
    oc_free(r->invoke_id);
    cJSON_Delete(r->caller);
    oc_free(r->gate_entry);
    oc_free(r);
}

void nd_run_set_gate(struct nd_run *r, enum oc_run_gate gate, const char *entry) {
    oc_free(r->gate_entry);
    r->gate = gate;
    r->gate_entry = oc_strdup(entry);
}

static struct nd_run_label label_of(const struct nd_run *r) {
    const struct nd_run_params *p = &r->params;
    return (struct nd_run_label){
        .session_key = p->session_key ? p->session_key : "node",
        .run_id = p->run_id ? p->run_id : r->run_id,
        .command = p->shown,
    };
}

static struct nd_run_about about_of(const struct nd_run *r) {
    const struct nd_run_params *p = &r->params;
    return (struct nd_run_about){
        .argv = &p->argv,
        .cwd = p->cwd,
        .agent_id = p->agent_id,
        .session_key = p->session_key,
        .run_id = p->run_id,
        .handle = r->entry.handle ? r->entry.handle : p->handle,
        .env = p->env,
        .invoke_id = r->invoke_id,
        .caller = r->caller,
        .gate = oc_run_gate_name(r->gate),
        .gate_entry = r->gate_entry,
        .is_background = p->background,
        .has_tty = p->has_tty,
    };
}

/* Before it starts: the command may end this process, too. */
static void write_down(struct nd_run *r) {
    struct nd_run_about about = about_of(r);
    nd_run_log_begin(r->runner->log, &about, r->log_id);
}

/* What brings a run to its end, and what its caller hears. */
struct ending {
    const struct nd_process_result *process; /* NULL: none was seen to its end */
    const struct nd_run_result *result;      /* NULL: there is none, only an error */
    const char *spawn_error;                 /* why it could not be started; NULL: it was */
    const char *code, *text;          /* the caller is told this; NULL: the result, or nothing */
    const struct oc_grounds *grounds; /* of a refusal; NULL: it is none */
    bool is_for_now;                  /* … for want of room, which is no event */
    bool is_lost;                     /* the node stops: it is not seen to its end */
};

static enum oc_outcome outcome_of(const struct nd_run *r, const struct ending *by) {
    const struct nd_run_exit *exit = &r->end.exit;
    if (exit->has_code) {
        return OC_OUTCOME_EXITED; /* it was faster than whoever wanted to stop it */
    }
    if (by->is_lost || (r->was_cancelled && r->runner->machine->is_stopping)) {
        return OC_OUTCOME_NODE_STOPPED;
    }
    if (!by->result) {
        return *r->log_id ? OC_OUTCOME_NOT_STARTED : OC_OUTCOME_REFUSED;
    }
    if (r->entry.killed_by) {
        return OC_OUTCOME_KILLED;
    }
    if (r->was_cancelled) {
        return OC_OUTCOME_CANCELLED;
    }
    if (exit->timed_out) {
        return OC_OUTCOME_TIMED_OUT;
    }
    return by->spawn_error ? OC_OUTCOME_NOT_STARTED : OC_OUTCOME_KILLED;
}

/* Caller frees. */
static char *reason_of(const struct nd_run *r, const struct ending *by) {
    if (r->entry.killed_by) {
        return oc_strfmt("killed by %s", r->entry.killed_by);
    }
    if (by->is_lost || by->text) {
        return oc_strdup(by->is_lost ? ND_RUN_LOST : by->text);
    }
    return r->end.exit.limit ? oc_strfmt("over node.exec.limits.%s", r->end.exit.limit)
                             : oc_strdup(by->spawn_error);
}

/* The one place where everything about the end of a run is known. */
static const struct nd_run_end *fill_end(struct nd_run *r, const struct ending *by) {
    struct nd_run_end *end = &r->end;
    *end = (struct nd_run_end){
        .about = about_of(r),
        .label = label_of(r),
        .log_id = r->log_id,
        .grounds = by->grounds ? *by->grounds : (struct oc_grounds){ 0 },
        .handle = r->entry.is_background ? r->entry.handle : NULL,
        .decision = r->params.asked_here ? r->params.decision : OC_DECISION_NONE,
        .began_ms = r->entry.began_ms,
        .took_ms = oc_mono_ms(oc_loop_clock(r->runner->machine->loop)) - r->began_mono_ms,
        .has_streams = by->result != NULL,
        .bytes = by->process ? by->process->bytes : r->bytes,
        .err_bytes = by->process ? by->process->err_bytes : r->err_bytes,
    };
    if (by->process) {
        end->exit = nd_run_exit_of(by->process);
    }
    end->outcome = outcome_of(r, by);
    end->reason = reason_of(r, by);
    end->input = nd_run_input_of(&r->entry, &end->input_bytes);
    r->entry.end = end;
    return end;
}

/* The event goes first, as callers expect it, but its answer is not waited for. */
static void send_end(struct nd_run *r, const struct ending *by, const struct nd_run_end *end,
        const cJSON *report) {
    struct nd_uplink *uplink = r->runner->uplink;
    if (by->result) {
        nd_run_send_finished(uplink, end, by->result, report);
    } else {
        nd_run_send_denied(uplink, end, report);
    }
}

static void answer_end(
        struct nd_call *call, const struct ending *by, const struct nd_run_end *end) {
    if (by->grounds) {
        nd_call_refuse(call, by->code, by->text, by->grounds);
    } else if (by->code) {
        nd_call_reply_error(call, by->code, by->text);
    } else {
        nd_call_reply_text(call, nd_run_result_json(end, by->result));
    }
}

/* Everybody who has to know, but the caller. */
static void tell_end(struct nd_run *r, const struct ending *by) {
    const struct nd_run_end *end = fill_end(r, by);
    bool is_event = by->result || (by->grounds && !by->is_for_now);
    OC_AUTO_JSON cJSON *report = is_event ? nd_run_end_report(end) : NULL;
    if (is_event) {
        send_end(r, by, end, report);
    }
    nd_run_log_end(r->runner->log, end);
    if (report && *end->log_id) {
        nd_unconfirmed_add(r->runner->unconfirmed, end->log_id, oc_take(&report),
                r->runner->uplink->last_frame_id);
    }
}

/* Every end but that of a node goes through here. Takes the run. */
static void run_finish(struct nd_run *r, const struct ending *by) {
    tell_end(r, by);
    if (r->call) {
        answer_end(oc_take(&r->call), by, &r->end);
    }
    r->end.about = (struct nd_run_about){ 0 }; /* borrowed from the call */
    r->end.label = (struct nd_run_label){ 0 };
    r->end.decision = OC_DECISION_NONE;
    oc_timer_cancel(&r->orphaned);
    if (r->entry.is_left_behind) {
        nd_run_entry_changed(&r->entry);
        return;
    }
    if (r->is_listed) {
        nd_runs_ended(r->runner->runs, &r->entry);
    }
    if (!r->is_listed || !r->entry.is_background) {
        run_destroy(r);
    }
}

void nd_run_free(struct nd_run_entry *e) {
    struct nd_run *r = (struct nd_run *)e;
    if (!e->end) { /* nobody will see its end */
        tell_end(r, &(struct ending){ .is_lost = true });
    }
    nd_process_destroy(oc_take(&e->process));
    run_destroy(r);
}

void nd_run_deny(
        struct nd_run *r, enum oc_run_gate by, const char *text, const struct oc_grounds *grounds) {
    nd_run_set_gate(r, by, NULL);
    run_finish(r, &(struct ending){ .code = DENIED, .text = text, .grounds = grounds });
}

static const char *cancel_text(const struct nd_run *r) {
    return r->runner->machine->is_stopping
                   ? "the node was stopped; the command and its processes were killed"
           : r->was_orphaned ? "the connection to the gateway was lost and nobody asked for the "
                               "result again; the command "
                               "and its processes were killed (node.exec.orphanMs)"
                             : "the command was cancelled and its processes were killed";
}

/* "spawn <argv0> ENOENT", which is how the reference words it. */
void nd_run_not_started(struct nd_run *r, int errnum) {
    char number[24];
    OC_AUTO_FREE char *error =
            oc_strfmt("spawn %s %s", r->params.argv.items[0], nd_errno_name(errnum, number));
    struct nd_run_result o;
    nd_run_result_init(&o, NULL);
    if (!*r->log_id) {
        write_down(r);
    }
    run_finish(r, &(struct ending){ .result = &o, .spawn_error = error });
    nd_run_result_finish(&o);
}

/* The program has ended, something that it started has not. Nobody watches that; a background run
 * goes on writing to its log. */
static void leave_behind(struct nd_run *r) {
    r->entry.is_left_behind = true;
    if (!r->entry.is_background) {
        nd_process_set_output(r->entry.process, NULL, NULL);
        nd_live_destroy(oc_take(&r->live));
    }
}

/* The last of what was left behind has ended. */
static void on_gone(void *user) {
    struct nd_run *r = user;
    r->entry.process = NULL; /* gone when this returns */
    nd_sandbox_close(&r->box);
    nd_runs_ended(r->runner->runs, &r->entry);
    if (!r->entry.is_background) {
        run_destroy(r);
    }
}

static void on_done(void *user, const struct nd_process_result *result) {
    struct nd_run *r = user;
    struct nd_run_result o;
    nd_run_result_init(&o, result);
    o.was_live = r->live && nd_live_flush(r->live);
    OC_AUTO_FREE char *sandbox = oc_strdup(r->box.label);
    o.sandbox = sandbox;
    o.env_dropped = &r->env_dropped;
    o.remembered = r->remembered;
    if (result->left_behind) {
        o.left_behind = "running";
        o.handle = r->entry.handle;
        leave_behind(r);
    } else {
        o.left_behind = result->cleaned_up ? "killed" : NULL;
        r->entry.process = NULL; /* gone when this returns */
        nd_sandbox_close(&r->box);
    }
    run_finish(r, &(struct ending){ .process = result,
                          .result = &o,
                          .code = r->was_cancelled ? "CANCELLED" : NULL,
                          .text = r->was_cancelled ? cancel_text(r) : NULL });
    nd_run_result_finish(&o);
}

static void stop_watching(struct nd_run *r) {
    if (r->live) {
        nd_live_stop(r->live);
    }
}

static void on_cancel(struct nd_call *call, enum oc_code why) {
    struct nd_run *r = call->work;
    r->was_cancelled = r->was_cancelled || why != OC_E_TIMEOUT;
    stop_watching(r); /* its output must not hold up its end */
    nd_process_kill(r->entry.process, why == OC_E_TIMEOUT);
}

void nd_run_kill(struct nd_run_entry *e) {
    struct nd_run *r = (struct nd_run *)e;
    if (e->process) {
        r->was_cancelled = true;
        stop_watching(r); /* its output must not hold up its end */
        nd_process_kill(e->process, false);
    }
}

/* Whoever asked is gone with the connection, and can neither watch nor cancel. The same key may ask
 * again for a while; then the command ends, or it would run for nobody. */
static void on_attended(struct nd_call *call, bool is_attended) {
    struct nd_run *r = call->work;
    if (is_attended) {
        oc_timer_cancel(&r->orphaned);
        return;
    }
    stop_watching(r);
    if (!r->orphaned.loop) {
        oc_timer_set(r->runner->machine->loop, &r->orphaned,
                oc_json_get_ms(oc_json_path(r->runner->machine->config, "node.exec"), "orphanMs",
                        ND_RUN_ORPHAN_MS));
    }
}

static void on_orphaned(struct oc_timer *t) {
    struct nd_run *r = t->user;
    r->was_orphaned = true;
    nd_run_kill(&r->entry);
}

static void on_abandon(struct nd_call *call) {
    struct nd_run *r = call->work;
    r->call = NULL; /* nd_runs_destroy comes next and kills it */
    oc_timer_cancel(&r->orphaned);
}

bool nd_run_answered(struct nd_run_entry *e, const struct oc_frame *frame) {
    struct nd_run *r = (struct nd_run *)e;
    return r->live && nd_live_answered(r->live, frame);
}

static void on_background_output(void *user, bool is_err, const char *bytes, size_t len) {
    struct nd_run *r = user;
    r->err_bytes += is_err ? len : 0;
    nd_run_output_append(&r->entry.log, bytes, len);
    r->bytes += len;
    nd_run_entry_changed(&r->entry);
}

/* A file without magic number is a shell script if it looks like text: execvp's old rule. */
static bool looks_like_script(const char *path) {
    char head[512];
    OC_AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, head, sizeof(head));
    return n > 0 && !memchr(head, 0, (size_t)n);
}

/* A background run may start what it likes, it has a handle to end it by. What others leave behind
 * nobody asked for. */
static bool may_leave(const struct nd_run *r) {
    const cJSON *exec = oc_json_path(r->runner->machine->config, "node.exec");
    return r->params.background || oc_streq(oc_json_get_str(exec, "leftBehind"), "keep");
}

static enum oc_code run_spawn(
        struct nd_run *r, const struct nd_run_plan *plan, int *ret_errno, struct oc_error *err) {
    const struct oc_strv *words = plan->argv ? plan->argv : &r->params.argv;
    OC_AUTO_FREE const char **argv = oc_strv_vector(words, 0);
    OC_AUTO_FREE const char **envp = oc_strv_vector(r->box.has_env ? &r->box.env : plan->env, 0);
    struct os_spawn_opts opts = {
        .path = plan->path,
        .argv = argv,
        .env = envp,
        .cwd = r->params.cwd,
        .wants_input = r->params.wants_stdin || (r->params.background && plan->allows_input),
        .tty = r->params.has_tty ? &r->params.tty : NULL,
        .sandbox = r->box.sandbox,
        .in_order = r->params.live || r->params.background,
        .outlives = may_leave(r) && !r->params.background,
    };
    const struct nd_machine *machine = r->runner->machine;
    enum oc_code rc = nd_process_start(machine->loop, machine->platform->exec, &opts,
            r->params.timeout_ms, on_done, r, &r->entry.process, ret_errno, err);
    if (rc != OC_OK && *ret_errno == ENOEXEC && looks_like_script(plan->path)) {
        OC_AUTO_FREE const char **sh_argv = oc_strv_vector(words, 1);
        sh_argv[0] = "/bin/sh";
        sh_argv[1] = plan->path;
        opts.path = "/bin/sh";
        opts.argv = sh_argv;
        rc = nd_process_start(machine->loop, machine->platform->exec, &opts, r->params.timeout_ms,
                on_done, r, &r->entry.process, ret_errno, err);
    }
    return rc;
}

/* Allowed, but it cannot be now. */
static void refuse_run(struct nd_run *r, const char *code, enum oc_run_gate gate, const char *text,
        const struct oc_grounds *grounds) {
    nd_run_set_gate(r, gate, NULL);
    run_finish(r,
            &(struct ending){ .code = code, .text = text, .grounds = grounds, .is_for_now = true });
}

/* Takes the run when it cannot be started now. */
static bool has_place(struct nd_run *r) {
    int64_t limit;
    if (!nd_runs_have_room(r->runner->runs, &limit)) {
        OC_AUTO_FREE char *text = oc_strfmt(
                "node busy: %lld commands are running (or what they left behind is), which is its "
                "limit",
                (long long)limit);
        refuse_run(r, OC_WIRE_UNAVAILABLE, OC_RUN_GATE_NODE_CEILINGS, text,
                &(struct oc_grounds){ .cause = OC_CAUSE_BUSY, .remedy = OC_REMEDY_END_RUNS });
    } else if (r->params.handle && nd_runs_find(r->runner->runs, r->params.handle)) {
        refuse_run(r, OC_WIRE_INVALID, OC_RUN_GATE_HANDLE,
                "INVALID_REQUEST: another run has this handle", NULL);
    } else {
        return true;
    }
    return false;
}

static void on_room(void *user) {
    nd_run_entry_changed(user);
}

static void run_list(struct nd_run *r, bool allows_input) {
    struct nd_run_entry *e = &r->entry;
    e->handle =
            r->params.handle ? oc_strdup(r->params.handle) : nd_runs_new_handle(r->runner->runs);
    e->command = oc_argv_shown_within(&r->params.argv, ND_MAX_SHOWN_COMMAND);
    e->cwd = oc_strdup(r->params.cwd);
    e->agent_id = oc_strdup(r->params.agent_id);
    e->is_background = r->params.background;
    e->has_tty = r->params.has_tty;
    e->allows_input = allows_input;
    e->takes_stdin = r->params.wants_stdin;
    nd_process_set_room(e->process, on_room, e);
    nd_runs_add(r->runner->runs, e);
    r->is_listed = true;
}

/* The call ends here and takes its params along, the run goes on. */
static void go_on_alone(struct nd_run *r) {
    struct nd_call *call = oc_take(&r->call);
    struct nd_run_label label = label_of(r);
    nd_run_send_started(r->runner->uplink, &label);
    cJSON *answer = cJSON_CreateObject();
    oc_json_set_bool(answer, "background", true);
    oc_json_set_str(answer, "handle", r->entry.handle);
    oc_json_set_str(answer, "runId", label.run_id);
    oc_json_set_int(answer, "pid", nd_process_pid(r->entry.process));
    if (r->env_dropped.count > 0) {
        oc_json_set_strv(answer, "envDropped", &r->env_dropped);
    }
    oc_json_set(answer, "remembered", oc_take(&r->remembered));
    oc_json_set_str(answer, "gate", oc_run_gate_name(r->gate));
    oc_json_set_str(answer, "gateEntry", r->gate_entry);
    nd_process_set_output(r->entry.process, on_background_output, r);
    nd_run_params_borrow(&r->params, &r->kept_params, call->params);
    r->kept_bytes = nd_call_take_memory(call);
    nd_call_reply_json(call, answer);
}

/* Only now: a command that was turned away has used nothing, and no "always" was about it. */
static void note_use(struct nd_run *r, const struct nd_exec_verdict *v) {
    OC_AUTO_STRV struct oc_strv remembered = { 0 };
    nd_exec_note_use(r->runner->notes, &r->params, v, &remembered);
    if (r->params.decision == OC_DECISION_ALLOW_ALWAYS) {
        r->remembered = nd_exec_paths_json(&remembered);
    }
}

void nd_run_start(struct nd_run *r, const struct nd_run_plan *plan) {
    if (!has_place(r)) {
        return;
    }
    const struct nd_sandbox *sandbox = r->runner->machine->sandbox;
    struct oc_grounds grounds = { 0 };
    OC_AUTO_FREE char *refusal =
            nd_sandbox_open(sandbox, plan->path, r->params.cwd, plan->env, &r->box, &grounds);
    if (refusal) {
        nd_run_deny(r, OC_RUN_GATE_SANDBOX, refusal, &grounds);
        return;
    }
    if (plan->env_dropped) {
        oc_strv_copy(&r->env_dropped, plan->env_dropped);
    }
    write_down(r);
    int errnum = 0;
    struct oc_error err;
    enum oc_code rc = run_spawn(r, plan, &errnum, &err);
    if (rc == OC_E_UNSUPPORTED && r->box.sandbox) {
        refusal = nd_sandbox_refusal(sandbox, err.text, &grounds);
        nd_run_deny(r, OC_RUN_GATE_SANDBOX, refusal, &grounds);
        return;
    }
    if (rc != OC_OK) {
        nd_run_not_started(r, errnum);
        return;
    }
    note_use(r, plan->verdict);
    run_list(r, plan->allows_input);
    if (may_leave(r)) {
        nd_process_keep_left(r->entry.process, on_gone);
    }
    if (r->params.background) {
        go_on_alone(r);
        return;
    }
    if (r->params.wants_stdin) {
        nd_live_announce(r->runner->uplink, r->call);
    }
    if (r->params.live) {
        r->live = nd_live_create(
                r->runner->uplink, r->call, r->entry.process, r->params.wants_stdin ? 1 : 0);
    }
    r->call->work = r;
    r->call->cancel = on_cancel;
    r->call->attended = on_attended;
    r->call->abandon = on_abandon;
    if (!nd_call_invoke_id(r->call)) {
        on_attended(r->call, false); /* the connection was gone before somebody here allowed it */
    }
}
