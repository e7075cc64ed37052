/* system.runs.*: the runs of this node by their handles. Ours; the reference has nothing like it on
 * a node.
 *
 *   list   {}                                        → {"runs":[run,…],"others"?:n}
 *   poll   {handle, from?, maxBytes?, waitMs?}       → {"run":run,"output":{"from","next",
 *                                                        "skipped"?,"data","encoding"?}}
 *   write  {handle, data?, encoding?, eof?, tty?,
 *           at?, waitMs?}                            → {"taken":bytes,"open":bool}
 *   kill   {handle}                                  → {"run":run}
 *
 * write takes what fits; with waitMs it waits for room for a byte. at says where in all its input
 * the data begins, so that a piece that is sent twice is written once.
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

enum {
    MAX_WAIT_MS = 600000,
    MAX_WAITING_WRITES = 16, /* a call each; who comes then has to ask again */
};

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
 * to it any more. Who was allowed to run it with its standard input sends that to its end. */
static bool may_talk_now(const struct nd_call *call, const struct nd_run_entry *e) {
    const struct nd_host *host = call->host;
    struct nd_exec_rules rules;
    struct oc_error err;
    if (e->takes_stdin) {
        return nd_run_is_owner(e, call->caller);
    }
    return e->allows_input &&
           nd_exec_rules_read(host->machine.approvals_path, host->machine.config, e->agent_id,
                   &rules, &err) == OC_OK &&
           nd_exec_rules_are_open(&rules);
}

static void refuse_input(struct nd_call *call, const struct nd_run_entry *e) {
    if (e->ended_ms || e->is_left_behind || !e->process) {
        nd_call_reply_error(call, OC_WIRE_UNAVAILABLE, "the run has ended");
    } else if (!may_talk_now(call, e)) {
        nd_call_refuse(call, "SYSTEM_RUN_DENIED",
                e->takes_stdin
                        ? "SYSTEM_RUN_DENIED: the run gets its input from the client that started "
                          "it"
                        : "SYSTEM_RUN_DENIED: input needs security=full and ask=off on the node, "
                          "because nobody looks at what is typed",
                &(struct oc_grounds){ .cause = OC_CAUSE_INPUT_DENIED,
                        .gate = OC_GATE_LOCAL,
                        .remedy = e->takes_stdin ? OC_REMEDY_NONE : OC_REMEDY_OPEN_INPUT });
    } else {
        nd_call_reply_error(call, OC_WIRE_UNAVAILABLE, "the run takes no input, or has closed it");
    }
}

/* Input for a run that may have no room for it yet. */
struct writing {
    struct nd_run_watcher watcher;
    struct nd_run_entry *run;
    struct nd_call *call;
    struct oc_timer waiting;
    struct oc_buf data;
    size_t known; /* bytes of it that came before */
    bool ends;
};

static void writing_destroy(struct writing *w) {
    if (w->call->work == w) {
        w->call->host->waiting_writes--;
    }
    oc_list_remove(&w->watcher.link);
    oc_timer_cancel(&w->waiting);
    oc_buf_finish(&w->data);
    oc_free(w);
}

/* at: where in its input the data begins. What came before, by a request whose answer was lost, is
 * not written again. */
static bool write_place(struct writing *w) {
    int64_t at = oc_json_get_int(w->call->params, "at", 0, OC_JSON_MAX_EXACT, -1);
    if (at < 0 || (uint64_t)at == w->run->input_bytes) {
        return true;
    }
    if ((uint64_t)at > w->run->input_bytes) {
        return false;
    }
    uint64_t known = w->run->input_bytes - (uint64_t)at;
    w->known = known < w->data.len ? (size_t)known : w->data.len;
    return true;
}

/* False: the program has to read first, and is waited for if is_patient. */
static bool write_try(struct writing *w, bool is_patient) {
    struct nd_run_entry *e = w->run;
    struct nd_call *call = w->call;
    (void)write_place(w); /* the same may have come by another request meanwhile */
    size_t left = w->data.len - w->known;
    bool is_wanted = left > 0 || w->ends;
    if (is_wanted && (!e->process || !may_talk_now(call, e) || !nd_process_has_input(e->process))) {
        writing_destroy(w);
        refuse_input(call, e);
        return true;
    }
    size_t taken = left > 0 ? nd_process_write(e->process, w->data.data + w->known, left) : 0;
    if (left > 0 && taken == 0 && is_patient) {
        return false;
    }
    nd_run_note_input(e, call->caller, taken);
    if (w->ends && taken == left) {
        nd_process_end_input(e->process);
    }
    cJSON *o = cJSON_CreateObject();
    oc_json_set_int(o, "taken", (int64_t)(w->known + taken));
    oc_json_set_bool(o, "open", e->process && nd_process_has_input(e->process));
    writing_destroy(w);
    nd_call_reply_json(call, o);
    return true;
}

static void on_write_change(struct nd_run_watcher *watcher) {
    (void)write_try(OC_CONTAINER(watcher, struct writing, watcher), true);
}

static void on_write_waited(struct oc_timer *t) {
    (void)write_try(t->user, false);
}

static void write_cancel(struct nd_call *call, enum oc_code why) {
    (void)why;
    (void)write_try(call->work, false);
}

static void write_abandon(struct nd_call *call) {
    writing_destroy(call->work);
}

static void write_start(struct nd_call *call) {
    struct nd_run_entry *e = system_runs_find(call);
    if (!e) {
        return;
    }
    const cJSON *size = oc_json_get(call->params, "tty");
    if (cJSON_IsObject(size) && e->process && e->has_tty) {
        struct os_tty_size cells = nd_tty_size_decode(size);
        nd_process_resize(e->process, &cells);
    }
    struct writing *w = oc_new(struct writing);
    w->call = call;
    w->run = e;
    w->data = OC_BUF_INIT(2 * (size_t)ND_MAX_INPUT_BYTES);
    w->watcher.on_change = on_write_change;
    oc_list_init(&w->watcher.link);
    w->waiting = (struct oc_timer){ .on_expire = on_write_waited, .user = w };
    w->ends = oc_json_get_bool(call->params, "eof", false);
    const char *wrong = !decode_data(call, &w->data)
                                ? "INVALID_REQUEST: at /data: too long, or not base64"
                        : !write_place(w) ? "INVALID_REQUEST: at /at: what is before it is missing"
                                          : NULL;
    if (wrong) {
        writing_destroy(w);
        nd_call_reply_error(call, OC_WIRE_INVALID, wrong);
        return;
    }
    int64_t wait_ms = system_runs_number(call, "waitMs", 0, MAX_WAIT_MS);
    if (write_try(w, wait_ms > 0 && call->host->waiting_writes < MAX_WAITING_WRITES)) {
        return;
    }
    call->host->waiting_writes++;
    oc_list_append(&e->watchers, &w->watcher.link);
    oc_timer_set(call->host->machine.loop, &w->waiting, wait_ms);
    call->work = w;
    call->cancel = write_cancel;
    call->abandon = write_abandon;
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
