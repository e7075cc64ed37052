#include "node/helper/helper.h"

#include "lib/base/mem.h"
#include "lib/helper/failure.h"
#include "lib/helper/packet.h"
#include "lib/log/log.h"
#include "lib/protocol/errors.h"
#include "lib/protocol/limits.h"
#include "lib/text/fix.h"
#include "node/process/process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ENVELOPE_BYTES ((size_t)65536) /* of a result's frame, besides the capture */

struct nd_helper {
    struct nd_helpers *all;
    char *program, *what, *root;
    struct oc_io io;
    struct nd_process *process;
    struct oc_timer deadline;
    struct nd_helper_events events;
    void *user;
    int64_t timeout_ms; /* once it runs */
    bool may_stay;
    bool is_reserved;
    bool has_answered, serves;
    int theirs; /* of one that waits for its turn: the other end, with the request in it; else -1 */
    struct nd_helper *next;
    bool *ret_gone; /* set when the helper goes away while somebody is in read_one */
};

/* Takes one of the few places. */
static bool is_counted(const struct nd_helper *h) {
    return !h->is_reserved && !h->serves;
}

static void leave_queue(struct nd_helper *h) {
    struct nd_helper **at = &h->all->waiting;
    while (*at && *at != h) {
        at = &(*at)->next;
    }
    if (*at) {
        *at = h->next;
    }
    oc_auto_close(&h->theirs);
}

static void on_turn(struct oc_timer *t);

/* From the loop: whoever ends just now may be in the middle of something. */
static void call_next(struct nd_helpers *all) {
    struct nd_helper *next = all->waiting;
    if (next && all->running < ND_MAX_HELPERS) {
        next->deadline.on_expire = on_turn;
        oc_timer_set(all->machine->loop, &next->deadline, 0);
    }
}

static void helper_destroy(struct nd_helper *h) {
    struct nd_helpers *all = h->all;
    bool ran = h->theirs < 0 && is_counted(h);
    leave_queue(h);
    if (h->io.fd >= 0) {
        oc_io_remove(&h->io);
        close(h->io.fd);
    }
    if (h->ret_gone) {
        *h->ret_gone = true;
    }
    oc_timer_cancel(&h->deadline);
    nd_process_destroy(h->process);
    oc_free(h->program);
    oc_free(h->what);
    oc_free(h->root);
    oc_free(h);
    all->running -= ran;
    call_next(all);
}

void nd_helper_stop(struct nd_helper *h) {
    if (h) {
        helper_destroy(h);
    }
}

/* The helper stays only if the answer says so. */
static void helper_answer(struct nd_helper *h, struct nd_helper_answer *a) {
    struct nd_helper_events events = h->events;
    void *user = h->user;
    bool stays = a->ok && a->stays;
    h->has_answered = true;
    oc_timer_cancel(&h->deadline);
    if (!stays) {
        helper_destroy(h);
    }
    events.on_answer(user, a);
    cJSON_Delete(a->result);
    oc_auto_close(&a->fd);
}

static void end_of_service(struct nd_helper *h, const struct nd_helper_answer *end) {
    struct nd_helper_events events = h->events;
    void *user = h->user;
    int none = -1;
    helper_destroy(h);
    events.on_message(user, NULL, &none, end);
}

char *nd_helper_answer_text(const struct nd_helper_answer *answer) {
    OC_AUTO_FREE char *fix = oc_fix_text(&answer->grounds);
    return oc_fix_sentence(answer->message, &answer->grounds, fix);
}

static void helper_refuse(struct nd_helper *h, const char *code, const char *why,
        const char *detail, const struct oc_grounds *grounds) {
    OC_AUTO_FREE char *message = oc_strfmt("%s: %s: %s%s", h->what, h->program, why, detail);
    struct nd_helper_answer a = { .fd = -1, .code = code, .message = message, .grounds = *grounds };
    OC_AUTO_FREE char *text = nd_helper_answer_text(&a);
    oc_log(OC_LOG_WARN, "node.helper", "%s", text);
    if (h->serves) {
        end_of_service(h, &a);
        return;
    }
    helper_answer(h, &a);
}

static void helper_fail(
        struct nd_helper *h, const char *code, const char *why, const char *detail) {
    helper_refuse(h, code, why, detail, &(struct oc_grounds){ 0 });
}

/* Its package has its name. */
static void refuse_missing(struct nd_helper *h) {
    struct oc_grounds g = { .cause = OC_CAUSE_NOT_INSTALLED, .remedy = OC_REMEDY_INSTALL_PACKAGE };
    oc_grounds_set_subject(&g, h->program);
    helper_refuse(h, OC_WIRE_UNAVAILABLE, "it is not installed", "", &g);
}

static void end_of_stay(struct nd_helper *h) {
    struct nd_helper_events events = h->events;
    void *user = h->user;
    helper_destroy(h);
    if (events.on_event) {
        events.on_event(user, NULL);
    }
}

static void take_answer(struct nd_helper *h, cJSON *o, int take_fd) {
    OC_AUTO_FD int fd = take_fd;
    if (oc_json_get_bool(o, "ok", false)) {
        struct nd_helper_answer a = {
            .ok = true, .fd = -1, .stays = oc_json_get_bool(o, "stays", false)
        };
        if (fd >= 0 && !oc_sealed_check(fd, OC_MAX_MESSAGE_BYTES, &a.len)) {
            helper_fail(h, OC_WIRE_UNAVAILABLE, "its capture is not sealed or too large", "");
            return;
        }
        if (a.stays && !h->may_stay) {
            helper_fail(h, OC_WIRE_UNAVAILABLE, "it wants to stay, and nobody asked it to", "");
            return;
        }
        a.result = cJSON_DetachItemFromObjectCaseSensitive(o, "result");
        if (!cJSON_IsObject(a.result)) {
            cJSON_Delete(a.result);
            helper_fail(h, OC_WIRE_UNAVAILABLE, "its result is not an object", "");
            return;
        }
        a.fd = oc_take_fd(&fd);
        helper_answer(h, &a);
        return;
    }
    const char *code = oc_json_get_str(o, "code"), *message = oc_json_get_str(o, "message");
    struct nd_helper_answer a = { .fd = -1,
        .code = code ? code : OC_WIRE_UNAVAILABLE,
        .message = message ? message : "the helper gave no reason" };
    oc_failure_read(o, &a.grounds);
    helper_answer(h, &a);
}

static void take_line(struct nd_helper *h, const char *line, size_t len, int take_fd) {
    OC_AUTO_FD int fd = take_fd;
    OC_AUTO_JSON cJSON *o = NULL;
    struct oc_error err = { .text = "not an object" };
    if (oc_json_parse(line, len, &o, &err) != OC_OK || !cJSON_IsObject(o)) {
        if (h->has_answered && !h->serves) {
            end_of_stay(h);
        } else {
            helper_fail(h, OC_WIRE_UNAVAILABLE, "its message cannot be read: ", err.text);
        }
        return;
    }
    const cJSON *progress = oc_json_get(o, "progress"), *event = oc_json_get(o, "event");
    if (h->serves) {
        h->events.on_message(h->user, o, &fd, NULL);
    } else if (h->has_answered) {
        if (event && h->events.on_event) {
            h->events.on_event(h->user, event);
        }
    } else if (progress) {
        if (h->events.on_progress) {
            h->events.on_progress(h->user, progress);
        }
    } else {
        take_answer(h, o, oc_take_fd(&fd));
    }
}

enum progress { READ_NOTHING, READ_MORE, READ_LAST /* the helper is gone */ };

static enum progress read_one(struct nd_helper *h) {
    struct oc_slice line;
    int fd = -1;
    enum oc_packet got = oc_packet_recv(h->io.fd, false, &line, &fd);
    if (got == OC_PACKET_END) {
        oc_io_remove(&h->io); /* how it ended is on_ended's to say */
    }
    if (got == OC_PACKET_END || got == OC_PACKET_NONE) {
        return READ_NOTHING;
    }
    bool is_gone = false;
    h->ret_gone = &is_gone;
    take_line(h, line.ptr, got == OC_PACKET_GOT ? line.len : 0, fd);
    if (is_gone) {
        return READ_LAST;
    }
    h->ret_gone = NULL;
    return READ_MORE;
}

static void on_ready(struct oc_io *io, unsigned events) {
    struct nd_helper *h = io->user;
    if (events & io->events & OC_IO_WRITE) {
        bool is_gone = false;
        oc_io_set_events(io, OC_IO_READ);
        h->ret_gone = &is_gone;
        h->events.on_writable(h->user);
        if (is_gone) {
            return;
        }
        h->ret_gone = NULL;
    }
    if (events & OC_IO_READ) {
        read_one(h);
    }
}

static const char *last_line(const struct oc_buf *text, char *ret, size_t size) {
    size_t end = text->len, start;
    while (end > 0 && (unsigned char)text->data[end - 1] <= ' ') {
        end--;
    }
    for (start = end; start > 0 && text->data[start - 1] != '\n'; start--) {
    }
    size_t len = end - start < size - 1 ? end - start : size - 1;
    if (len > 0) {
        memcpy(ret, text->data + start, len);
    }
    ret[len] = '\0';
    return ret;
}

static void on_ended(void *user, const struct nd_process_result *result) {
    struct nd_helper *h = user;
    h->process = NULL;
    char said[200], why[300];
    last_line(&result->err, said, sizeof(said));
    if (result->end.by_signal && (result->end.status == SIGKILL || result->end.status == SIGTERM)) {
        said[0] = '\0'; /* somebody ended it: what it said before has nothing to do with that */
    }
    snprintf(why, sizeof(why), "%s %d%s%s", result->end.by_signal ? "signal" : "status",
            result->end.status, said[0] ? "; it said: " : "", said);
    enum progress p;
    while ((p = read_one(h)) == READ_MORE) { /* its last messages may have come at the same time */
    }
    if (p == READ_LAST) {
        return;
    }
    if (h->serves) {
        helper_fail(h, OC_WIRE_UNAVAILABLE, "it ended with ", why);
    } else if (h->has_answered) {
        end_of_stay(h);
    } else {
        helper_fail(h, OC_WIRE_UNAVAILABLE, "it ended before it answered, with ", why);
    }
}

static void on_deadline(struct oc_timer *t) {
    helper_fail(t->user, "TIMEOUT", "it did not answer in time", "");
}

size_t nd_helper_max_bytes(const struct nd_helpers *helpers) {
    size_t max = nd_uplink_max_bytes(helpers->uplink);
    return max > 2 * ENVELOPE_BYTES ? (max - ENVELOPE_BYTES) / 4 * 3 : 0;
}

static enum oc_code send_request(
        struct nd_helper *h, cJSON *take_params, int fd, struct oc_error *err) {
    OC_AUTO_JSON cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "do", h->what);
    oc_json_set(o, "params", take_params ? take_params : cJSON_CreateObject());
    oc_json_set_int(o, "maxBytes", (int64_t)nd_helper_max_bytes(h->all));
    return oc_packet_send(h->io.fd, o, fd, err) == OC_OK
                   ? OC_OK
                   : oc_fail(err, OC_E_IO, "the request cannot be handed over");
}

static enum oc_code helper_launch(
        struct nd_helper *h, const char *path, int their_fd, struct oc_error *err) {
    const struct nd_machine *machine = h->all->machine;
    OC_AUTO_STRV struct oc_strv env = { 0 };
    nd_helper_env(&env);
    OC_AUTO_FREE const char **entries = oc_new_array(const char *, env.count + 1);
    for (size_t i = 0; i < env.count; i++) {
        entries[i] = env.items[i];
    }
    const char *argv[] = { h->program, "--socket", h->root ? "--root" : NULL, h->root, NULL };
    struct os_spawn_opts opts = {
        .path = path, .argv = argv, .env = entries, .cwd = "/", .input_fd = &their_fd
    };
    int errnum;
    enum oc_code rc = nd_process_start(machine->loop, machine->platform->exec, &opts, 0, on_ended,
            h, &h->process, &errnum, err);
    return rc == OC_OK ? oc_io_add(machine->loop, &h->io, err) : rc;
}

static enum oc_code open_socket(struct nd_helper *h, int *ret_theirs, struct oc_error *err) {
    int fds[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0) {
        return oc_fail(err, OC_E_IO, "no socket: %s", strerror(errno));
    }
    h->io.fd = fds[0];
    *ret_theirs = fds[1];
    return OC_OK;
}

static void on_turn(struct oc_timer *t) {
    struct nd_helper *h = t->user;
    OC_AUTO_FREE char *path = nd_helper_find(h->program);
    OC_AUTO_FD int theirs = oc_take_fd(&h->theirs);
    struct oc_error err;
    leave_queue(h);
    h->all->running++;
    if (!path) {
        refuse_missing(h);
        return;
    }
    if (helper_launch(h, path, theirs, &err) != OC_OK) {
        helper_fail(h, OC_WIRE_UNAVAILABLE, "", err.text);
        return;
    }
    h->deadline.on_expire = on_deadline;
    oc_timer_set(h->all->machine->loop, &h->deadline, h->timeout_ms);
    call_next(h->all);
}

static bool join_queue(struct nd_helper *h, int take_theirs) {
    struct nd_helper **at = &h->all->waiting;
    size_t count = 0;
    for (; *at; at = &(*at)->next) {
        count++;
    }
    if (count >= ND_MAX_HELPERS_WAITING) {
        close(take_theirs);
        return false;
    }
    *at = h;
    h->theirs = take_theirs;
    h->all->running--;
    return true;
}

struct nd_helper *nd_helper_start(struct nd_helpers *helpers, const struct nd_helper_opts *opts,
        const struct nd_helper_events *events, void *user) {
    struct nd_helper *h = oc_new(struct nd_helper);
    h->is_reserved = opts->is_reserved;
    h->theirs = -1;
    h->timeout_ms = opts->timeout_ms;
    h->serves = opts->serves;
    helpers->running += is_counted(h);
    h->all = helpers;
    h->program = oc_strdup(opts->program);
    h->what = oc_strdup(opts->what);
    h->root = oc_strdup(opts->root);
    h->events = *events;
    h->user = user;
    h->may_stay = opts->may_stay;
    h->io = (struct oc_io){ .fd = -1, .events = OC_IO_READ, .on_ready = on_ready, .user = h };
    h->deadline = (struct oc_timer){ .on_expire = on_deadline, .user = h };
    OC_AUTO_JSON cJSON *params = opts->take_params;
    OC_AUTO_FREE char *path = nd_helper_find(opts->program);
    OC_AUTO_FD int theirs = -1;
    struct oc_error err;
    if (!path) {
        refuse_missing(h);
        return NULL;
    }
    enum oc_code rc = open_socket(h, &theirs, &err);
    if (rc == OC_OK && !h->serves) {
        rc = send_request(h, oc_take(&params), opts->fd ? *opts->fd : -1, &err);
    }
    bool must_wait =
            rc == OC_OK && is_counted(h) && (helpers->running > ND_MAX_HELPERS || helpers->waiting);
    if (must_wait && !join_queue(h, oc_take_fd(&theirs))) {
        helper_refuse(h, OC_WIRE_UNAVAILABLE, "node busy: too many helpers are running", "",
                &(struct oc_grounds){ .cause = OC_CAUSE_BUSY, .remedy = OC_REMEDY_TRY_LATER });
        return NULL;
    }
    rc = rc == OC_OK && !must_wait ? helper_launch(h, path, theirs, &err) : rc;
    if (rc != OC_OK) {
        helper_fail(h, OC_WIRE_UNAVAILABLE, "", err.text);
        return NULL;
    }
    if (!h->serves) {
        oc_timer_set(helpers->machine->loop, &h->deadline, opts->timeout_ms);
    }
    return h;
}

enum oc_code nd_helper_send(
        struct nd_helper *h, const cJSON *message, int fd, struct oc_error *err) {
    enum oc_code rc = oc_packet_send(h->io.fd, message, fd, err);
    if (rc == OC_E_UNAVAILABLE && h->events.on_writable) {
        oc_io_set_events(&h->io, OC_IO_READ | OC_IO_WRITE);
    }
    return rc;
}
