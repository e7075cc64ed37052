#include "cli/run/live_run.h"

#include "cli/gateway/rpc.h"
#include "cli/output.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/protocol/limits.h"
#include "lib/protocol/run_words.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum {
    LEAVE_KEY = 0x1d, /* Ctrl-] */
    MAX_WRITES = 8,
    WRITE_MS = 30000,
    CANCEL_MS = 5000,
};

static struct termios saved_terminal;
static bool is_terminal_raw;

static void restore_terminal(void) {
    if (is_terminal_raw) {
        is_terminal_raw = false;
        tcsetattr(0, TCSADRAIN, &saved_terminal);
    }
}

static void make_terminal_raw(void) {
    struct termios raw;
    if (tcgetattr(0, &saved_terminal) != 0) {
        return;
    }
    raw = saved_terminal;
    cfmakeraw(&raw);
    is_terminal_raw = tcsetattr(0, TCSADRAIN, &raw) == 0;
    atexit(restore_terminal);
}

cJSON *cli_live_run_tty(void) {
    struct winsize w = { 0 };
    cJSON *o = cJSON_CreateObject();
    if (ioctl(1, TIOCGWINSZ, &w) == 0 && w.ws_col > 0) {
        oc_json_set_int(o, "columns", w.ws_col);
        oc_json_set_int(o, "rows", w.ws_row);
    }
    return o;
}

static void on_cancel_answer(void *user, const struct oc_reply *reply) {
    struct cli_live_run *v = user;
    if (reply->ok || reply->code == OC_E_CLOSED) {
        return; /* the run's own answer follows */
    }
    restore_terminal();
    cli_out_flush();
    cli_note("this gateway cannot cancel: the command may still be running there");
    _exit(128 + v->signo);
}

static void live_run_cancel(struct cli_live_run *v, int signo) {
    v->signo = signo;
    v->is_cancelled = true;
    cli_rpc_post(v->cli->rpc, "node.invoke.cancel", cli_params_str("idempotencyKey", v->key),
            CANCEL_MS, on_cancel_answer, v);
}

static void on_withdrawn(void *user, const struct oc_reply *reply) {
    struct cli_live_run *v = user;
    if (reply->ok) {
        return; /* whoever waits for the decision is told now */
    }
    /* Decided a moment ago, or not ours to decide there. Nothing runs without us, and our request
     * ends with us. */
    cli_out_flush();
    cli_note("interrupted while waiting for an approval: it was not run");
    _exit(128 + v->signo);
}

/* Nothing runs, and nothing may begin to because somebody says yes later. */
static void live_run_withdraw(struct cli_live_run *v) {
    if (!v->approval_id) {
        _exit(128 + v->signo);
    }
    cJSON *params = cli_params_str("id", v->approval_id);
    oc_json_set_str(params, "decision", oc_decision_name(OC_DECISION_DENY));
    cli_rpc_post(v->cli->rpc, "exec.approval.resolve", params, CANCEL_MS, on_withdrawn, v);
}

/* The first one asks the node to stop, the second one does not wait for that. */
static void on_signal(void *user, int signo) {
    struct cli_live_run *v = user;
    if (v->signo) {
        restore_terminal();
        _exit(128 + signo);
    }
    if (!v->is_running) {
        v->signo = signo;
        live_run_withdraw(v);
        return;
    }
    if (isatty(2)) {
        cli_note("cancelling on the node; once more to leave at once");
    }
    live_run_cancel(v, signo);
}

static void print_chunk(struct cli_live_run *v, const cJSON *payload) {
    const char *chunk = oc_json_get_str(payload, "chunk");
    bool is_err = oc_streq(oc_json_get_str(payload, "stream"), "stderr");
    size_t len = chunk ? strlen(chunk) : 0;
    if (oc_streq(oc_json_get_str(payload, "encoding"), "base64")) {
        OC_AUTO_FREE uint8_t *bytes = oc_alloc(len + 1);
        if (oc_base64_decode(chunk, len, bytes, len, &len)) {
            cli_out_bytes(is_err, (const char *)bytes, len);
        }
        v->has_raw_bytes = true;
    } else {
        cli_out_bytes(is_err, chunk ? chunk : "", len);
    }
    v->printed[is_err] += len;
    cli_out_flush();
}

static void on_event(void *user, const struct oc_frame *frame) {
    struct cli_live_run *v = user;
    if (strcmp(frame->name, "node.invoke.progress") != 0) {
        return;
    }
    OC_AUTO_JSON cJSON *payload = NULL;
    if (oc_frame_parse_body(frame, OC_MAX_REQUEST_BYTES, &payload, NULL) != OC_OK) {
        return;
    }
    /* Only what belongs to the call that is waited for, from the node it went to. */
    if (!oc_streq(oc_json_get_str(payload, "requestId"), cli_rpc_call_id(v->cli->rpc)) ||
            !oc_streq(oc_json_get_str(payload, "nodeId"), v->node_id)) {
        return;
    }
    v->last_seen_ms = oc_wall_ms(&oc_clock_system);
    /* The node says so when it has started something that reads; one that cannot never does. */
    if (v->input && oc_streq(oc_json_get_str(payload, "chunk"), "")) {
        cli_run_input_begin(v->input);
    }
    if (!v->prints_output) {
        return; /* a picture, a place, a document of JSON: nobody asked for a node's bytes in front
                   of it */
    }
    print_chunk(v, payload);
    if (cli_out_reader_is_gone() && !v->is_cancelled) {
        live_run_cancel(v, SIGPIPE); /* `… | head`: what comes now nobody reads */
    }
}

static void on_written(void *user, const struct oc_reply *reply) {
    struct cli_live_run *v = user;
    (void)reply; /* a run that takes no input any more ends, or does not care */
    v->writes--;
    if (v->keyboard.fd == 0 && !v->keyboard.loop && v->writes < MAX_WRITES) {
        if (oc_io_add(cli_rpc_loop(v->cli->rpc), &v->keyboard, NULL) != OC_OK) {
            v->keyboard.fd = -1;
        }
    }
}

static void send_input(struct cli_live_run *v, cJSON *take_params) {
    char key[OC_UUID_LEN + 1];
    oc_uuid4(key);
    cJSON *invoke = cJSON_CreateObject();
    oc_json_set_str(take_params, "handle", v->handle);
    oc_json_set_str(invoke, "nodeId", v->node_id);
    oc_json_set_str(invoke, "command", "system.runs.write");
    oc_json_set(invoke, "params", take_params);
    oc_json_set_str(invoke, "idempotencyKey", key);
    v->writes++;
    cli_rpc_post(v->cli->rpc, "node.invoke", invoke, WRITE_MS, on_written, v);
}

static void on_keyboard(struct oc_io *io, unsigned events) {
    (void)events;
    struct cli_live_run *v = io->user;
    char bytes[4096];
    ssize_t n = read(0, bytes, sizeof(bytes));
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
        return;
    }
    if (n <= 0) { /* the terminal is gone, and so are we */
        oc_io_remove(io);
        io->fd = -1;
        live_run_cancel(v, SIGHUP);
        return;
    }
    if (memchr(bytes, LEAVE_KEY, (size_t)n)) {
        on_signal(v, SIGTERM);
        return;
    }
    OC_AUTO_FREE char *encoded = oc_base64(bytes, (size_t)n);
    cJSON *params = cli_params_str("data", encoded);
    oc_json_set_str(params, "encoding", "base64");
    send_input(v, params);
    if (v->writes >= MAX_WRITES) {
        oc_io_remove(io); /* back when the node has taken some */
    }
}

static void on_resize(void *user, int signo) {
    (void)signo;
    cJSON *params = cJSON_CreateObject();
    oc_json_set(params, "tty", cli_live_run_tty());
    send_input(user, params);
}

static void watch_signal(struct cli_live_run *v, int signo, void (*fn)(void *, int)) {
    struct oc_error err;
    if (oc_loop_on_signal(cli_rpc_loop(v->cli->rpc), signo, fn, v, &err) != OC_OK) {
        cli_note("warning: %s", err.text); /* Ctrl-C then ends us, but not the command */
    }
}

void cli_live_run_watch(struct cli_live_run *v) {
    v->keyboard.fd = -1;
    watch_signal(v, SIGINT, on_signal);
    watch_signal(v, SIGTERM, on_signal);
    watch_signal(v, SIGHUP, on_signal);
}

void cli_live_run_begin(struct cli_live_run *v) {
    v->last_seen_ms = oc_wall_ms(&oc_clock_system);
    v->is_running = true;
    cli_live_run_watch(v);
    cli_rpc_on_event(v->cli->rpc, on_event, v);
    if (v->input && v->input->has_begun) {
        cli_run_input_begin(v->input);
    }
    if (v->handle && isatty(0)) {
        make_terminal_raw();
        watch_signal(v, SIGWINCH, on_resize);
        v->keyboard =
                (struct oc_io){ .fd = 0, .events = OC_IO_READ, .on_ready = on_keyboard, .user = v };
        if (oc_io_add(cli_rpc_loop(v->cli->rpc), &v->keyboard, NULL) != OC_OK) {
            v->keyboard.fd = -1;
        }
    }
}

void cli_live_run_end(struct cli_live_run *v) {
    v->is_running = false;
    if (v->input) {
        cli_run_input_stop(v->input);
    }
    if (v->keyboard.fd >= 0) {
        oc_io_remove(&v->keyboard);
        v->keyboard.fd = -1;
    }
    cli_rpc_on_event(v->cli->rpc, NULL, NULL);
    restore_terminal();
}
