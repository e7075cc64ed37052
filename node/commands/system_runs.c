/* system.runs.*: the runs of this node by their handles. Ours; the reference has nothing like it on
 * a node.
 *
 *   list   {}                                        → {"runs":[run,…],"others"?:n}
 *   poll   {handle, from?, maxBytes?, waitMs?}       → {"run":run,"output":{"from","next",
 *                                                        "skipped"?,"data","encoding"?}}
 *   write  {handle, data?, encoding?, eof?, tty?}    → {"taken":bytes,"open":bool}
 *   kill   {handle}                                  → {"run":run}
 *
 * poll with waitMs waits for output behind `from`, or for the end; from a position that no run
 * reaches, for the end alone. A run belongs to whoever started it; others need operator.admin, and
 * see only how many there are. */
#include "node/call/command.h"

#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/base/utf8.h"
#include "lib/protocol/errors.h"
#include "node/commands/host.h"
#include "node/policy/exec_rules.h"
#include "node/process/process.h"
#include "node/run/log/run_end.h"
#include "node/run/run.h"
#include "node/run/run_owner.h"
#include "node/run/runs.h"

#include <string.h>

enum { MAX_WAIT_MS = 600000 };

static const char *state_of(const struct nd_run_entry *e) {
    return e->is_left_behind && !e->ended_ms ? "left-behind"
           : !e->ended_ms                    ? "running"
           : e->end->exit.timed_out          ? "timed-out"
           : e->end->exit.was_killed         ? "killed"
                                             : "ended";
}

static cJSON *system_runs_describe(const struct nd_run_entry *e) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "handle", e->handle);
    oc_json_set_str(o, "state", state_of(e));
    oc_json_set_str(o, "command", e->command);
    oc_json_set_str(o, "cwd", e->cwd);
    oc_json_set_bool(o, "background", e->is_background);
    oc_json_set_bool(o, "tty", e->has_tty);
    oc_json_set_int(o, "startedAtMs", e->began_ms);
    if (e->process && !e->is_left_behind) {
        oc_json_set_int(o, "pid", nd_process_pid(e->process));
    }
    if (e->ended_ms) {
        oc_json_set_int(o, "endedAtMs", e->ended_ms);
    }
    if (e->end && e->end->exit.has_code) {
        oc_json_set_int(o, "exitCode", e->end->exit.code);
    }
    if (e->end && e->end->exit.signal) {
        oc_json_set_int(o, "signal", e->end->exit.signal);
    }
    oc_json_set_str(o, "owner", e->owner_name);
    if (e->is_background) {
        oc_json_set_int(o, "outputBytes", (int64_t)nd_run_output_end(&e->log));
    }
    return o;
}

/* Answers and gives NULL when there is no such run. */
static struct nd_run_entry *system_runs_find(struct nd_call *call) {
    const char *handle = oc_json_get_str(call->params, "handle");
    struct nd_run_entry *e = handle ? nd_runs_find(call->host->runner.runs, handle) : NULL;
    if (!e) {
        nd_call_reply_error(call, handle ? "NOT_FOUND" : OC_WIRE_INVALID,
                handle ? "no run has this handle; it may have ended long ago, or the node was "
                         "restarted (see: openclaw "
                         "nodes runs list)"
                       : "INVALID_REQUEST: handle required");
    } else if (!nd_run_may_touch(e, call->caller)) {
        struct oc_grounds grounds;
        OC_AUTO_FREE char *text = nd_run_touch_refusal(e, &grounds);
        nd_call_refuse(call, "SYSTEM_RUN_DENIED", text, &grounds);
        return NULL;
    }
    return e;
}

static void list_start(struct nd_call *call) {
    cJSON *o = cJSON_CreateObject(), *array = cJSON_CreateArray();
    int64_t others = 0;
    for (struct nd_run_entry *e = nd_runs_next(call->host->runner.runs, NULL); e;
            e = nd_runs_next(call->host->runner.runs, e)) {
        if (nd_run_may_touch(e, call->caller)) {
            cJSON_AddItemToArray(array, system_runs_describe(e));
        } else {
            others++;
        }
    }
    oc_json_set(o, "runs", array);
    if (others > 0) {
        oc_json_set_int(o, "others", others);
    }
    nd_call_reply_json(call, o);
}

/* Text where it is text, else base64, so that no byte is lost. */
static void put_bytes(cJSON *o, struct oc_slice bytes) {
    if (bytes.len == 0 ||
            (oc_utf8_valid(bytes.ptr, bytes.len) && !memchr(bytes.ptr, 0, bytes.len))) {
        OC_AUTO_FREE char *text = oc_strndup(bytes.len ? bytes.ptr : "", bytes.len);
        oc_json_set_str(o, "data", text);
        return;
    }
    OC_AUTO_FREE char *encoded = oc_base64(bytes.ptr, bytes.len);
    oc_json_set_str(o, "data", encoded);
    oc_json_set_str(o, "encoding", "base64");
}

struct poll {
    struct nd_run_watcher watcher;
    struct nd_run_entry *run;
    struct nd_call *call;
    struct oc_timer waiting;
    uint64_t from;
    size_t max;
    bool was_left_behind;
};

/* Whether an answer would say more than the last one. The beginning of a character is nothing yet:
 * who follows would ask again at once, and again. Without room for output it is enough to say that
 * there is some. */
static bool has_news(const struct poll *p) {
    const struct nd_run_entry *e = p->run;
    uint64_t from = 0;
    return e->ended_ms || e->is_left_behind != p->was_left_behind ||
           (p->max == 0 ? nd_run_output_end(&e->log) > p->from
                        : nd_run_output_read(&e->log, p->from, p->max, false, &from).len > 0);
}

static void poll_answer(struct poll *p) {
    struct nd_call *call = p->call;
    const struct nd_run_entry *e = p->run;
    cJSON *o = cJSON_CreateObject(), *output = cJSON_CreateObject();
    uint64_t from = 0;
    struct oc_slice bytes = nd_run_output_read(&e->log, p->from, p->max, e->ended_ms != 0, &from);
    oc_json_set_int(output, "from", (int64_t)from);
    oc_json_set_int(output, "next", (int64_t)(from + bytes.len));
    if (from > p->from) {
        oc_json_set_int(output, "skipped", (int64_t)(from - p->from));
    }
    put_bytes(output, bytes);
    oc_json_set(o, "run", system_runs_describe(e));
    oc_json_set(o, "output", output);
    oc_list_remove(&p->watcher.link);
    oc_timer_cancel(&p->waiting);
    oc_free(p);
    nd_call_reply_json(call, o);
}

static void on_change(struct nd_run_watcher *w) {
    struct poll *p = OC_CONTAINER(w, struct poll, watcher);
    if (has_news(p)) {
        poll_answer(p);
    }
}

static void on_waited(struct oc_timer *t) {
    poll_answer(t->user);
}

static void poll_cancel(struct nd_call *call, enum oc_code why) {
    (void)why;
    poll_answer(call->work);
}

static void poll_abandon(struct nd_call *call) {
    struct poll *p = call->work;
    oc_list_remove(&p->watcher.link);
    oc_timer_cancel(&p->waiting);
    oc_free(p);
}

static int64_t system_runs_number(
        const struct nd_call *call, const char *key, int64_t def, int64_t max) {
    return oc_json_clamp_int(call->params, key, 0, max, def);
}

static void poll_start(struct nd_call *call) {
    struct nd_run_entry *e = system_runs_find(call);
    if (!e) {
        return;
    }
    if (!e->is_background) {
        nd_call_reply_error(call, OC_WIRE_INVALID,
                "INVALID_REQUEST: this run is not in the background; its output goes to its "
                "caller");
        return;
    }
    struct poll *p = oc_new(struct poll);
    p->call = call;
    p->run = e;
    p->watcher.on_change = on_change;
    oc_list_init(&p->watcher.link);
    p->waiting = (struct oc_timer){ .on_expire = on_waited, .user = p };
    p->from = (uint64_t)system_runs_number(call, "from", 0, OC_JSON_MAX_EXACT);
    p->max = (size_t)system_runs_number(call, "maxBytes", ND_MAX_RUN_OUTPUT, ND_MAX_RUN_OUTPUT);
    int64_t wait_ms = system_runs_number(call, "waitMs", 0, MAX_WAIT_MS);
    p->was_left_behind = e->is_left_behind;
    if (wait_ms == 0 || has_news(p)) {
        poll_answer(p);
        return;
    }
    oc_list_append(&e->watchers, &p->watcher.link);
    oc_timer_set(call->host->machine.loop, &p->waiting, wait_ms);
    call->work = p;
    call->cancel = poll_cancel;
    call->abandon = poll_abandon;
}

/* The bytes to write, owned by *ret; false when they make no sense. */
static bool decode_data(const struct nd_call *call, struct oc_buf *ret) {
    const char *data = oc_json_get_str(call->params, "data");
    if (!data) {
        return true;
    }
    size_t len = strlen(data);
    if (!oc_streq(oc_json_get_str(call->params, "encoding"), "base64")) {
        return oc_buf_append(ret, data, len) == OC_OK;
    }
    char *to = oc_buf_reserve(ret, len);
    return to && oc_base64_decode(data, len, (uint8_t *)to, len, &ret->len);
}

/* The owner may have thought better of it since the run began; what runs goes on, but nobody talks
 * to it any more. */
static bool may_talk_now(const struct nd_host *host, const struct nd_run_entry *e) {
    struct nd_exec_rules rules;
    struct oc_error err;
    return e->allows_input &&
           nd_exec_rules_read(host->machine.approvals_path, host->machine.config, e->agent_id,
                   &rules, &err) == OC_OK &&
           nd_exec_rules_are_open(&rules);
}

static void refuse_input(struct nd_call *call, const struct nd_run_entry *e) {
    if (e->ended_ms || e->is_left_behind || !e->process) {
        nd_call_reply_error(call, OC_WIRE_UNAVAILABLE, "the run has ended");
    } else if (!may_talk_now(call->host, e)) {
        nd_call_refuse(call, "SYSTEM_RUN_DENIED",
                "SYSTEM_RUN_DENIED: input needs security=full and ask=off on the node, because "
                "nobody looks at what is typed",
                &(struct oc_grounds){ .cause = OC_CAUSE_INPUT_DENIED,
                        .gate = OC_GATE_LOCAL,
                        .remedy = OC_REMEDY_OPEN_INPUT });
    } else {
        nd_call_reply_error(call, OC_WIRE_UNAVAILABLE, "the run takes no input, or has closed it");
    }
}

static void write_start(struct nd_call *call) {
    struct nd_run_entry *e = system_runs_find(call);
    OC_AUTO_BUF struct oc_buf data = OC_BUF_INIT(2 * (size_t)ND_MAX_INPUT_BYTES);
    if (!e) {
        return;
    }
    const cJSON *size = oc_json_get(call->params, "tty");
    if (cJSON_IsObject(size) && e->process && e->has_tty) {
        struct os_tty_size cells = nd_tty_size_decode(size);
        nd_process_resize(e->process, &cells);
    }
    if (!decode_data(call, &data)) {
        nd_call_reply_error(
                call, OC_WIRE_INVALID, "INVALID_REQUEST: at /data: too long, or not base64");
        return;
    }
    bool ends = oc_json_get_bool(call->params, "eof", false);
    if (data.len > 0 || ends) {
        if (!e->process || !may_talk_now(call->host, e) || !nd_process_has_input(e->process)) {
            refuse_input(call, e);
            return;
        }
    }
    size_t taken = e->process && data.len ? nd_process_write(e->process, data.data, data.len) : 0;
    nd_run_note_input(e, call->caller, taken);
    if (ends && taken == data.len) {
        nd_process_end_input(e->process);
    }
    cJSON *o = cJSON_CreateObject();
    oc_json_set_int(o, "taken", (int64_t)taken);
    oc_json_set_bool(o, "open", e->process && nd_process_has_input(e->process));
    nd_call_reply_json(call, o);
}

struct killing {
    struct nd_run_watcher watcher;
    struct nd_run_entry *run;
    struct nd_call *call;
    bool had_ended; /* before anybody came to kill it */
};

static void kill_answer(struct killing *k) {
    struct nd_call *call = k->call;
    cJSON *o = cJSON_CreateObject();
    oc_json_set(o, "run", system_runs_describe(k->run));
    if (k->had_ended) {
        oc_json_set_bool(o, "alreadyEnded", true);
    }
    oc_list_remove(&k->watcher.link);
    oc_free(k);
    nd_call_reply_json(call, o);
}

/* The end of the run also ends this: output alone does not count. */
static void on_killed(struct nd_run_watcher *w) {
    struct killing *k = OC_CONTAINER(w, struct killing, watcher);
    if (k->run->ended_ms) {
        kill_answer(k);
    }
}

static void kill_cancel(struct nd_call *call, enum oc_code why) {
    (void)why;
    kill_answer(call->work);
}

static void kill_abandon(struct nd_call *call) {
    struct killing *k = call->work;
    oc_list_remove(&k->watcher.link);
    oc_free(k);
}

static void kill_start(struct nd_call *call) {
    struct nd_run_entry *e = system_runs_find(call);
    if (!e) {
        return;
    }
    struct killing *k = oc_new(struct killing);
    k->run = e;
    k->call = call;
    k->watcher.on_change = on_killed;
    oc_list_init(&k->watcher.link);
    if (e->ended_ms) {
        k->had_ended = true;
        kill_answer(k);
        return;
    }
    call->work = k;
    call->cancel = kill_cancel;
    call->abandon = kill_abandon;
    oc_list_append(&e->watchers, &k->watcher.link);
    nd_run_note_killer(e, call->caller);
    nd_run_kill(e);
}

/* Pure enough: whoever kills twice is told twice how it ended. So no ceiling of remembered keys is
 * in the way. */
const struct nd_command nd_command_system_runs_kill = {
    .name = "system.runs.kill",
    .cap = "system",
    .summary = "Kill a run and everything it started",
    .needs_params = true,
    .is_pure = true,
    .available = nd_can_run,
    .start = kill_start,
};

const struct nd_command nd_command_system_runs_list = {
    .name = "system.runs.list",
    .cap = "system",
    .summary = "List the runs of this machine",
    .is_pure = true,
    .available = nd_can_run,
    .start = list_start,
};

const struct nd_command nd_command_system_runs_poll = {
    .name = "system.runs.poll",
    .cap = "system",
    .summary = "State and output of a background run",
    .needs_params = true,
    .is_pure = true,
    .available = nd_can_run,
    .start = poll_start,
};

/* Not pure, but every key stroke is one: the gateway, which never sends an invoke twice, keeps the
 * keys. */
const struct nd_command nd_command_system_runs_write = {
    .name = "system.runs.write",
    .cap = "system",
    .summary = "Give input to a run",
    .needs_params = true,
    .is_pure = true,
    .available = nd_can_run,
    .start = write_start,
};
