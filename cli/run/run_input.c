#include "cli/run/run_input.h"

#include "cli/gateway/rpc.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/encode.h"
#include "lib/base/mem.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PIECE = 192 * 1024, /* 256 KiB in base64 */
    WAIT_MS = 20000,    /* that the node waits for the program to read */
    ANSWER_MS = 30000,
    PAUSE_MS = 250, /* where the node does not wait */
};

static bool is_null_device(const struct stat *st) {
    struct stat null;
    return S_ISCHR(st->st_mode) && stat("/dev/null", &null) == 0 && st->st_rdev == null.st_rdev;
}

static bool can_be_read(bool *ret_is_closed) {
    struct pollfd p = { .fd = 0, .events = POLLIN };
    int bytes = 0;
    bool is_ready = poll(&p, 1, 0) > 0;
    bool has_bytes =
            is_ready && (p.revents & POLLIN) && ioctl(0, FIONREAD, &bytes) == 0 && bytes > 0;
    *ret_is_closed = is_ready && !has_bytes;
    return has_bytes;
}

bool cli_run_input_is_given(void) {
    struct stat st;
    bool is_closed = false;
    if (isatty(0) || fstat(0, &st) != 0 || is_null_device(&st)) {
        return false;
    }
    if (S_ISREG(st.st_mode)) {
        off_t at = lseek(0, 0, SEEK_CUR);
        return at < st.st_size;
    }
    if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)) {
        return can_be_read(&is_closed) || !is_closed;
    }
    return !S_ISDIR(st.st_mode);
}

bool cli_run_input_is_waiting(void) {
    struct stat st;
    bool is_closed;
    return cli_run_input_is_given() && fstat(0, &st) == 0 &&
           ((!S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode)) || can_be_read(&is_closed));
}

static void read_more(struct cli_run_input *in);
static void send_piece(struct cli_run_input *in);

/* One that was refused says why, once; one that has ended or has closed its input has no use for
 * more. */
static void input_refused(struct cli_run_input *in, const struct oc_reply *reply) {
    if (reply->code == OC_E_CLOSED || reply->code == OC_E_TIMEOUT) {
        return; /* it goes on from here when the connection is back */
    }
    if (reply->grounds.cause == OC_CAUSE_BUSY) {
        oc_timer_set(cli_rpc_loop(in->cli->rpc), &in->pause, PAUSE_MS);
        return;
    }
    in->is_over = true;
    if (reply->grounds.cause == OC_CAUSE_INPUT_DENIED || oc_streq(reply->error_code, "NOT_FOUND")) {
        OC_AUTO_FREE char *shown = cli_shown(reply->text ? reply->text : reply->message);
        cli_note("standard input is not passed on: %s", shown);
    }
}

static void on_answer(void *user, const struct oc_reply *reply) {
    struct cli_run_input *in = user;
    OC_AUTO_JSON cJSON *answer = NULL;
    struct oc_error err;
    if (!in->is_sending) {
        return; /* the run has ended meanwhile */
    }
    in->is_sending = false;
    if (!reply->ok) {
        input_refused(in, reply);
        return;
    }
    if (oc_json_parse(reply->payload.ptr, reply->payload.len, &answer, &err) != OC_OK) {
        in->is_over = true;
        return;
    }
    const cJSON *payload = oc_json_get(answer, "payload");
    int64_t taken = oc_json_get_int(payload, "taken", 0, (int64_t)in->len, 0);
    in->at += (uint64_t)taken;
    in->len -= (size_t)taken;
    memmove(in->piece, in->piece + taken, in->len);
    if ((in->ends && in->len == 0) || !oc_json_get_bool(payload, "open", false)) {
        in->is_over = true;
    } else if (in->len > 0 && taken == 0) {
        oc_timer_set(cli_rpc_loop(in->cli->rpc), &in->pause, PAUSE_MS);
    } else if (in->len > 0) {
        send_piece(in);
    } else {
        read_more(in);
    }
}

static void send_piece(struct cli_run_input *in) {
    char key[OC_UUID_LEN + 1];
    oc_uuid4(key);
    OC_AUTO_FREE char *encoded = oc_base64(in->piece, in->len);
    cJSON *params = cli_params_str("handle", in->handle);
    oc_json_set_str(params, "data", encoded);
    oc_json_set_str(params, "encoding", "base64");
    oc_json_set_int(params, "at", (int64_t)in->at);
    oc_json_set_bool(params, "eof", in->ends);
    oc_json_set_int(params, "waitMs", WAIT_MS);
    cJSON *invoke = cli_params_str("nodeId", in->node_id);
    oc_json_set_str(invoke, "command", "system.runs.write");
    oc_json_set(invoke, "params", params);
    oc_json_set_int(invoke, "timeoutMs", ANSWER_MS);
    oc_json_set_str(invoke, "idempotencyKey", key);
    in->is_sending = true;
    cli_rpc_post(in->cli->rpc, "node.invoke", invoke, ANSWER_MS + WAIT_MS, on_answer, in);
}

static void on_pause(struct oc_timer *t) {
    send_piece(t->user);
}

/* False: try again later. */
static bool take_piece(struct cli_run_input *in) {
    ssize_t n = read(0, in->piece, PIECE);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
        return false;
    }
    in->len = n > 0 ? (size_t)n : 0;
    in->ends = n <= 0; /* what cannot be read has an end, too */
    send_piece(in);
    return true;
}

static void on_ready(struct oc_io *io, unsigned events) {
    (void)events;
    struct cli_run_input *in = io->user;
    oc_io_remove(io);
    if (!take_piece(in)) {
        read_more(in);
    }
}

/* Files are always ready, and cannot be waited for. */
static void read_more(struct cli_run_input *in) {
    in->io = (struct oc_io){ .fd = 0, .events = OC_IO_READ, .on_ready = on_ready, .user = in };
    struct oc_error ignored;
    if (oc_io_add(cli_rpc_loop(in->cli->rpc), &in->io, &ignored) != OC_OK) {
        (void)take_piece(in);
    }
}

void cli_run_input_begin(struct cli_run_input *in) {
    if (!in->handle || in->is_over || in->is_sending || in->io.loop) {
        return;
    }
    if (!in->has_begun) {
        in->has_begun = true;
        in->piece = oc_alloc(PIECE);
        in->pause = (struct oc_timer){ .on_expire = on_pause, .user = in };
    }
    if (in->len > 0 || in->ends) {
        send_piece(in);
    } else {
        read_more(in);
    }
}

void cli_run_input_stop(struct cli_run_input *in) {
    if (in->has_begun) {
        oc_io_remove(&in->io);
        oc_timer_cancel(&in->pause);
        in->is_sending = false;
    }
}

void cli_run_input_finish(struct cli_run_input *in) {
    cli_run_input_stop(in);
    oc_free(in->piece);
}
