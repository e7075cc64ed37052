/* openclaw approvals watch: waits for commands that need approval, shows one at a time and asks.
 *
 * Nothing is allowed by accident: Enter denies, and what was typed before a command appeared on the
 * screen is thrown away, so an answer never meets another command than the one it was given to. End
 * of input, Ctrl-C and a gateway that goes away decide nothing, which on the gateway's side is a
 * refusal when the time is over. */
#include "cli/command.h"

#include "cli/approvals/approval_decide.h"
#include "cli/approvals/approval_facts.h"
#include "cli/approvals/approval_view.h"
#include "cli/approvals/prompt_socket.h"
#include "cli/gateway/rpc.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/net/loop/loop.h"
#include "lib/protocol/limits.h"
#include "lib/state/exec_approvals.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define STEP_MS 1000
#define MAX_ANSWER 64
#define MAX_EVENT_BYTES ((size_t)4 * OC_MAX_APPROVAL_BYTES)
#define MAX_QUEUE_BYTES ((size_t)32 * 1024 * 1024)
#define EXIT_INTERRUPTED 130

struct watch {
    struct cli_cli *cli;
    struct oc_loop *loop;
    struct cli_prompt_socket *local; /* NULL: requests come from the gateway */
    cJSON *queue;                    /* items of exec.approval.list that wait, oldest first */
    size_t queue_bytes;              /* that they take */
    bool is_over;                    /* more came than is kept, and that was said */
    const cJSON *nodes;              /* in known */
    cJSON *known;                    /* node.list of a moment ago; may be NULL */
    cJSON *facts;   /* about the first of the queue, while it is on the screen; may be NULL */
    bool is_asking; /* the first of the queue is on the screen */
    bool is_local;
    bool is_mute; /* no terminal: shows, and does not ask */
    bool is_interrupted, has_ended;
    char line[MAX_ANSWER];
    size_t line_len;
    bool has_line; /* to be looked at between two rounds of the loop, because deciding runs it */
    struct oc_io input;
};

static cJSON *approvals_watch_find(const struct watch *w, const char *id) {
    cJSON *item;
    cJSON_ArrayForEach(item, w->queue) {
        if (oc_streq(oc_json_get_str(item, "id"), id)) {
            return item;
        }
    }
    return NULL;
}

static bool is_known(const struct watch *w, const char *id) {
    return approvals_watch_find(w, id) != NULL;
}

/* One object per line, for programs. */
static void print_event(const char *event, const cJSON *payload) {
    OC_AUTO_JSON cJSON *line = cJSON_Duplicate(payload, true);
    OC_AUTO_JSON cJSON *named = cJSON_CreateObject();
    oc_json_set_str(named, "event", event);
    while (cJSON_IsObject(line) && line->child) {
        cJSON *member = cJSON_DetachItemViaPointer(line, line->child);
        if (strcmp(member->string, "event") == 0) {
            cJSON_Delete(member); /* what happened is not for the gateway to name */
        } else {
            cJSON_AddItemToObject(named, member->string, member);
        }
    }
    cli_out_json_line(named);
    cli_out_flush();
}

/* A gateway keeps at most OC_MAX_APPROVALS; one that sends more wants our memory. */
static void say_over(struct watch *w) {
    if (!w->is_over) {
        w->is_over = true;
        cli_note(
                "more requests came than are kept here; those are not shown; decide what is shown, "
                "then see openclaw approvals pending");
    }
}

static void approvals_watch_add(struct watch *w, const cJSON *item) {
    const char *id = oc_json_get_str(item, "id");
    if (!id || is_known(w, id)) {
        return;
    }
    size_t bytes = oc_json_tree_bytes(item);
    if (cJSON_GetArraySize(w->queue) >= 2 * OC_MAX_APPROVALS ||
            w->queue_bytes + bytes > MAX_QUEUE_BYTES) {
        say_over(w);
        return;
    }
    w->queue_bytes += bytes;
    cJSON_AddItemToArray(w->queue, cJSON_Duplicate(item, true));
    if (w->cli->is_json) {
        print_event("requested", item);
    } else if (w->is_mute) {
        cli_approval_print(item, w->nodes, NULL);
        cli_out_flush();
    } else if (w->is_asking) {
        cli_note("\n(%d more wait behind this one)", cJSON_GetArraySize(w->queue) - 1);
    }
}

/* why: said when it was on the screen; NULL: nothing. */
static void approvals_watch_drop(struct watch *w, const char *id, const char *why) {
    cJSON *item = approvals_watch_find(w, id);
    if (!item) {
        return;
    }
    if (item == w->queue->child && w->is_asking) {
        w->is_asking = false;
        if (why) {
            cli_note("\n%s", why);
        }
    }
    w->queue_bytes -= oc_json_tree_bytes(item);
    cJSON_Delete(cJSON_DetachItemViaPointer(w->queue, item));
    w->is_over = false;
}

static void approvals_watch_expire(struct watch *w, const char *id) {
    const cJSON *item = approvals_watch_find(w, id);
    if (item && w->cli->is_json) {
        print_event("expired", item);
    }
    approvals_watch_drop(w, id, "Its time is over; nobody decided, so it does not run.");
}

/* Caller frees. */
static char *how_it_ended(const cJSON *event) {
    enum oc_cause cause = oc_cause_named(oc_json_get_str(event, "cause"));
    if (!cause && oc_json_get_bool(event, "withdrawn", false)) {
        cause = OC_CAUSE_WITHDRAWN; /* as older gateways of ours say it */
    }
    enum oc_decision what = oc_decision_named(oc_json_get_str(event, "decision"));
    switch (what == OC_DECISION_DENY ? cause : OC_CAUSE_NONE) {
    case OC_CAUSE_WITHDRAWN:
        return oc_strdup("Taken back by whoever asked; it does not run.");
    case OC_CAUSE_APPROVAL_CHANGED:
        return oc_strdup("Its files changed while it waited; it does not run.");
    case OC_CAUSE_ASKER_LEFT:
        return oc_strdup("Whoever asked has left; it does not run.");
    default: {
        OC_AUTO_FREE char *by = cli_shown(oc_json_get_str(event, "resolvedBy"));
        OC_AUTO_FREE char *decision = cli_shown(oc_json_get_str(event, "decision"));
        return oc_strfmt("Decided elsewhere: %s by %s.", decision, by);
    }
    }
}

static void on_event(void *user, const struct oc_frame *frame) {
    struct watch *w = user;
    bool is_new = oc_streq(frame->name, "exec.approval.requested");
    if (!is_new && !oc_streq(frame->name, "exec.approval.resolved")) {
        return;
    }
    OC_AUTO_JSON cJSON *item = NULL;
    struct oc_error err;
    if (oc_frame_parse_body(frame, MAX_EVENT_BYTES, &item, &err) != OC_OK) {
        return;
    }
    if (is_new) {
        approvals_watch_add(w, item);
        return;
    }
    if (oc_streq(oc_json_get_str(item, "terminalStatus"), "expired")) {
        approvals_watch_expire(w, oc_json_get_str(item, "id"));
        return;
    }
    OC_AUTO_FREE char *why = how_it_ended(item);
    if (w->cli->is_json) {
        print_event("resolved", item);
    }
    approvals_watch_drop(w, oc_json_get_str(item, "id"), why);
}

static void drop_expired(struct watch *w) {
    int64_t now = oc_wall_ms(&oc_clock_system);
    cJSON *item = w->queue->child, *next;
    for (; item; item = next) {
        next = item->next;
        if (oc_json_get_ms(item, "expiresAtMs", 0) > now) {
            continue;
        }
        OC_AUTO_FREE char *id = oc_strdup(oc_json_get_str(item, "id"));
        approvals_watch_expire(w, id);
    }
}

static void approvals_watch_prompt(const struct watch *w) {
    OC_AUTO_FREE char *always = cli_approval_always(w->facts);
    cli_out_flush();
    if (!cli_approval_offers_always(w->queue->child)) {
        cli_note("[o] allow once  [D] deny  [l] leave it for now  [q] quit");
        return;
    }
    cli_note("[o] allow once  [a] allow always%s%s%s  [D] deny  [l] leave it for now  [q] quit",
            always ? " (" : "", always ? always : "", always ? ")" : "");
}

/* Asking the node takes time, in which the request may go away. */
static bool learn_facts(struct watch *w) {
    cJSON_Delete(oc_take(&w->facts));
    if (w->local) {
        w->facts = cli_approval_local_facts(w->queue->child);
        return true;
    }
    OC_AUTO_JSON cJSON *item = cJSON_Duplicate(w->queue->child, true);
    cJSON_Delete(oc_take(&w->known));
    w->nodes = cli_approval_nodes(w->cli, &w->known);
    w->facts = cli_approval_facts(w->cli, item, w->nodes);
    return w->queue->child &&
           oc_streq(oc_json_get_str(w->queue->child, "id"), oc_json_get_str(item, "id"));
}

static void ask_next(struct watch *w) {
    if (w->is_mute || w->is_asking || !w->queue->child || !learn_facts(w)) {
        return;
    }
    (void)tcflush(STDIN_FILENO, TCIFLUSH);
    w->line_len = 0;
    w->has_line = false;
    w->is_asking = true;
    cli_out_line("%s", "");
    cli_approval_print(w->queue->child, w->nodes, w->facts);
    approvals_watch_prompt(w);
}

static enum oc_code decide_by(struct watch *w, const cJSON *item, enum oc_decision decision,
        cJSON **ret, struct oc_error *err) {
    const char *id = oc_json_get_str(item, "id");
    if (!w->local) {
        return cli_approval_decide(w->cli, id, item, decision, ret, err);
    }
    return cli_prompt_socket_decide(w->local, id, decision)
                   ? OC_OK
                   : oc_fail(err, OC_E_NOT_FOUND, "whoever asked has left");
}

static void approvals_watch_decide(struct watch *w, enum oc_decision decision) {
    struct oc_error err;
    OC_AUTO_JSON cJSON *payload = NULL;
    OC_AUTO_JSON cJSON *item =
            cJSON_Duplicate(w->queue->child, true); /* the queue moves meanwhile */
    const char *id = oc_json_get_str(item, "id");
    w->is_asking = false; /* before the call: its own event must not look like somebody else's */
    enum oc_code rc = decide_by(w, item, decision, &payload, &err);
    bool is_always = decision == OC_DECISION_ALLOW_ALWAYS;
    OC_AUTO_FREE char *always = is_always ? cli_approval_always(w->facts) : NULL;
    if (rc == OC_OK) {
        cli_out_line("Approval resolved %s%s%s", oc_decision_name(decision), always ? ": it " : "",
                always ? always : "");
    } else {
        cli_note("not resolved: %s", err.text);
    }
    cli_out_flush();
    approvals_watch_drop(w, id, NULL);
}

static void approvals_watch_answer(struct watch *w) {
    const char *word = oc_trim(w->line);
    w->has_line = false;
    if (!w->is_asking) { /* nothing was asked, so nothing else is an answer */
        w->has_ended = oc_streq(word, "q") || oc_streq(word, "quit");
        return;
    }
    if (oc_streq(word, "o") || oc_streq(word, "once")) {
        approvals_watch_decide(w, OC_DECISION_ALLOW_ONCE);
    } else if ((oc_streq(word, "a") || oc_streq(word, "always")) &&
               cli_approval_offers_always(w->queue->child)) {
        approvals_watch_decide(w, OC_DECISION_ALLOW_ALWAYS);
    } else if (!*word || oc_streq(word, "d") || oc_streq(word, "deny")) {
        approvals_watch_decide(w, OC_DECISION_DENY);
    } else if (oc_streq(word, "l") || oc_streq(word, "leave")) {
        OC_AUTO_FREE char *id = oc_strdup(oc_json_get_str(w->queue->child, "id"));
        approvals_watch_drop(w, id, NULL);
    } else if (oc_streq(word, "q") || oc_streq(word, "quit")) {
        w->has_ended = true;
    } else {
        approvals_watch_prompt(w);
    }
}

/* The terminal gives whole lines; a second one in the same piece was typed too early. */
static void on_input(struct oc_io *io, unsigned events) {
    struct watch *w = io->user;
    (void)events;
    char bytes[MAX_ANSWER];
    ssize_t n = read(STDIN_FILENO, bytes, sizeof(bytes));
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (n <= 0) {
        w->has_ended = true;
        oc_io_remove(io);
        return;
    }
    for (ssize_t i = 0; i < n; i++) {
        if (bytes[i] != '\n') {
            /* What is too long to be an answer is none: it must not be cut to one. */
            w->line[w->line_len] = bytes[i];
            w->line_len += w->line_len < sizeof(w->line) - 1;
            continue;
        }
        w->line[w->line_len] = '\0';
        w->line_len = 0;
        w->has_line = true;
        return;
    }
}

static void on_signal(void *user, int signo) {
    struct watch *w = user;
    (void)signo;
    w->is_interrupted = true;
}

static void on_local_request(void *user, const cJSON *item) {
    approvals_watch_add(user, item);
}

static void on_local_gone(void *user, const char *id) {
    struct watch *w = user;
    if (w->cli->is_json && is_known(w, id)) {
        OC_AUTO_JSON cJSON *item = cli_params_str("id", id);
        print_event("gone", item);
    }
    approvals_watch_drop(w, id, "Whoever asked has left, or somebody else has decided.");
}

/* Programs of this machine ask; no gateway is needed. */
static enum oc_code start_local(struct watch *w, struct oc_error *err) {
    static const struct cli_prompt_events events = { .on_request = on_local_request,
        .on_gone = on_local_gone };
    OC_AUTO_FREE char *home = oc_dir_home();
    OC_AUTO_FREE char *path = oc_exec_approvals_path(home);
    enum oc_code rc = oc_loop_create(&oc_clock_system, &w->loop, err);
    return rc == OC_OK ? cli_prompt_socket_open(w->loop, path, &events, w, &w->local, err) : rc;
}

static enum oc_code start_remote(struct watch *w, struct oc_error *err) {
    OC_AUTO_JSON cJSON *list = NULL;
    enum oc_code rc = cli_approvals_fetch(w->cli, &list, err);
    bool has_list =
            rc == OC_OK || err->grounds.cause != OC_CAUSE_UNKNOWN_METHOD; /* 2026.2.26 has none */
    if (rc != OC_OK && has_list) {
        return rc;
    }
    /* Again, now that events are heard: none falls into the gap. */
    cli_rpc_on_event(w->cli->rpc, on_event, w);
    cJSON_Delete(oc_take(&list));
    rc = has_list ? cli_approvals_fetch(w->cli, &list, err) : OC_OK;
    const cJSON *item;
    cJSON_ArrayForEach(item, list) {
        approvals_watch_add(w, item);
    }
    w->loop = cli_rpc_loop(w->cli->rpc);
    return rc;
}

static enum oc_code approvals_watch_start(struct watch *w, struct oc_error *err) {
    enum oc_code rc = w->is_local ? start_local(w, err) : start_remote(w, err);
    for (size_t i = 0; rc == OC_OK && i < 2; i++) {
        rc = oc_loop_on_signal(w->loop, i ? SIGTERM : SIGINT, on_signal, w, err);
    }
    if (rc == OC_OK && !w->is_mute) {
        w->input = (struct oc_io){
            .fd = STDIN_FILENO, .events = OC_IO_READ, .on_ready = on_input, .user = w
        };
        rc = oc_io_add(w->loop, &w->input, err);
    }
    return rc;
}

static bool is_lost(const struct watch *w) {
    return !w->local && cli_rpc_is_ended(w->cli->rpc);
}

static int approvals_watch_watch(struct watch *w) {
    struct oc_error err;
    if (approvals_watch_start(w, &err) != OC_OK) {
        return cli_fail(w->cli, &err);
    }
    if (!w->cli->is_json && w->local) {
        OC_AUTO_FREE char *shown = cli_shown(cli_prompt_socket_path(w->local));
        cli_note("Asking here for programs of this machine, at %s; q or Ctrl-C ends it.", shown);
    } else if (!w->cli->is_json) {
        cli_note(w->is_mute ? "Watching. There is no terminal to ask on: decide with openclaw "
                              "approvals approve|deny <approval>."
                            : "Waiting for commands that need approval; q or Ctrl-C ends it.");
    }
    while (!w->is_interrupted && !w->has_ended && !is_lost(w) && !cli_out_reader_is_gone()) {
        drop_expired(w);
        ask_next(w);
        oc_loop_step(w->loop, STEP_MS);
        if (w->has_line) {
            approvals_watch_answer(w);
        }
    }
    oc_io_remove(&w->input);
    if (!w->local) {
        cli_rpc_on_event(w->cli->rpc, NULL, NULL);
    }
    if (w->queue->child && !w->cli->is_json) {
        cli_note("%d left undecided.", cJSON_GetArraySize(w->queue));
    }
    if (w->is_interrupted) {
        return EXIT_INTERRUPTED;
    }
    if (!w->has_ended && is_lost(w)) {
        oc_fail(&err, OC_E_CLOSED, "the connection to the gateway is gone");
        cli_set_fix(w->cli, "openclaw gateway status");
        return cli_fail(w->cli, &err);
    }
    return CLI_EXIT_OK;
}

static int approvals_watch_run(struct cli_cli *cli) {
    struct watch w = { .cli = cli, .queue = cJSON_CreateArray() };
    w.is_local = cli_args_has(&cli->args, "local");
    w.is_mute = cli->is_json || !cli_can_ask();
    struct oc_error err;
    if (w.is_local && w.is_mute) {
        (void)oc_fail(&err, OC_E_DENIED, "there is no terminal to ask on");
        cJSON_Delete(w.queue);
        return cli_fail(cli, &err);
    }
    w.nodes = cli->is_json || w.is_local ? NULL : cli_approval_nodes(cli, &w.known);
    int code = approvals_watch_watch(&w);
    cli_prompt_socket_close(w.local);
    if (w.is_local) {
        oc_loop_destroy(w.loop);
    }
    cJSON_Delete(w.queue);
    cJSON_Delete(w.facts);
    cJSON_Delete(w.known);
    return code;
}

static const struct cli_option options[] = {
    { "local", 0, CLI_OPT_FLAG, NULL, "ask for programs of this machine, at its approvals socket" },
    { 0 },
};

const struct cli_command cli_command_approvals_watch = {
    .path = "approvals watch",
    .summary = "Wait for commands that need approval, and decide them one by one",
    .details = "Enter denies. The end of input, Ctrl-C and a request whose time is over decide "
               "nothing, and what nobody\n"
               "decided does not run. With --json every request, decision and expiry is one object "
               "on one line, and\n"
               "nothing is asked.\n"
               "Exit code: 0 when it was ended by q or the end of input, 130 by Ctrl-C, 1 when the "
               "gateway went away.",
    .examples = "openclaw approvals watch",
    .options = options,
    .calls_gateway = true,
    .prints_lines = true,
    .run = approvals_watch_run,
};
