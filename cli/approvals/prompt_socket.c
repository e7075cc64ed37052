#include "cli/approvals/prompt_socket.h"

#include "lib/base/encode.h"
#include "lib/base/list.h"
#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/net/loop/fd.h"
#include "lib/net/loop/lines.h"
#include "lib/protocol/limits.h"
#include "lib/state/exec_approvals.h"
#include "lib/state/prompt_line.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* the socket has SO_NOSIGPIPE there */
#endif
#define MAX_PEERS 16 /* each asks for one thing */
#define FIRST_LINE_MS 10000

struct peer {
    struct cli_prompt_socket *server;
    struct oc_io io;
    struct oc_timer limit; /* to say what it wants, then to be decided */
    struct oc_buf in;
    char id[OC_UUID_LEN + 1];
    char *their_id; /* NULL until it has asked */
    bool has_asked;
    struct oc_list link; /* cli_prompt_socket.peers */
};

struct cli_prompt_socket {
    struct oc_loop *loop;
    const struct cli_prompt_events *events;
    void *user;
    char *path, *token;
    struct oc_io io;
    bool is_bound;
    struct oc_list peers; /* peer.link */
    size_t peer_count;
    struct oc_prompt_guard guard;
};

static void prompt_socket_drop(struct peer *p) {
    struct cli_prompt_socket *s = p->server;
    oc_io_remove(&p->io);
    close(p->io.fd);
    oc_timer_cancel(&p->limit);
    oc_list_remove(&p->link);
    s->peer_count--;
    oc_buf_finish(&p->in);
    if (p->has_asked) {
        s->events->on_gone(s->user, p->id);
    }
    oc_free(p->their_id);
    oc_free(p);
}

/* Lines are short and the peer has nothing to read before them: what does not fit is not worth
 * waiting for. */
static void send_line(const struct peer *p, char *take_line) {
    OC_AUTO_FREE char *line = take_line;
    (void)!send(p->io.fd, line, strlen(line), MSG_NOSIGNAL);
}

static void on_limit(struct oc_timer *t) {
    prompt_socket_drop(t->user);
}

/* A node of ours says who asked it, and what it was told is all that is known. */
static void put_asker(cJSON *item, const cJSON *told) {
    cJSON *asker = cJSON_AddObjectToObject(item, "asker");
    if (!cJSON_IsObject(told)) {
        oc_json_set_str(asker, "auth", "local");
        return;
    }
    const char *id = oc_json_get_str(told, "id"), *name = oc_json_get_str(told, "name");
    bool is_secret = oc_streq(id, "shared-secret");
    oc_json_set_str(asker, "auth", is_secret ? "shared-secret" : id ? "device" : "unknown");
    oc_json_set_str(asker, "deviceId", is_secret ? NULL : id);
    oc_json_set_str(asker, "via", "gateway");
    oc_json_set_str(item, "requestedBy", name ? name : oc_json_get_str(told, "client"));
}

static void prompt_socket_ask(struct peer *p, const cJSON *request) {
    struct cli_prompt_socket *s = p->server;
    int64_t now = oc_wall_ms(oc_loop_clock(s->loop));
    OC_AUTO_JSON cJSON *item = cJSON_CreateObject();
    oc_json_set_str(item, "id", p->id);
    oc_json_set(item, "request", cJSON_Duplicate(request, true));
    oc_json_set_int(item, "createdAtMs", now);
    int64_t wait_ms = oc_json_get_ms(request, "timeoutMs", OC_DEFAULT_APPROVAL_MS);
    wait_ms = wait_ms > 0 && wait_ms < OC_DEFAULT_APPROVAL_MS ? wait_ms : OC_DEFAULT_APPROVAL_MS;
    oc_json_set_int(item, "expiresAtMs", now + wait_ms);
    put_asker(item, oc_json_get(request, "asker"));
    p->has_asked = true;
    oc_timer_set(s->loop, &p->limit, wait_ms);
    s->events->on_request(s->user, item);
}

/* False: the peer cannot be used any more. */
static bool take_line(struct peer *p, struct oc_slice text) {
    struct cli_prompt_socket *s = p->server;
    struct oc_prompt_line line = { 0 };
    struct oc_error err;
    if (p->has_asked || oc_prompt_line_read(text, s->token, &s->guard,
                                oc_wall_ms(oc_loop_clock(s->loop)), &line, &err) != OC_OK) {
        return false; /* strangers learn nothing */
    }
    p->their_id = oc_take(&line.id);
    bool is_request = line.kind == OC_PROMPT_REQUEST;
    if (is_request) {
        prompt_socket_ask(p, line.request);
    } else {
        send_line(p, oc_prompt_exec_refusal_line(p->their_id, "UNAVAILABLE",
                             "this prompter decides about commands; it does not run them"));
    }
    oc_prompt_line_finish(&line);
    return is_request;
}

static void on_peer(struct oc_io *io, unsigned events) {
    struct peer *p = io->user;
    struct oc_slice line;
    (void)events;
    bool is_of_use = oc_lines_fill(&p->in, io->fd);
    while (is_of_use && oc_lines_first(&p->in, &line)) {
        is_of_use = line.len == 0 || take_line(p, line);
        oc_lines_drop(&p->in);
    }
    if (!is_of_use) {
        prompt_socket_drop(p);
    }
}

static bool is_own_account(int fd) {
#ifdef __APPLE__
    uid_t uid;
    gid_t gid;
    return getpeereid(fd, &uid, &gid) == 0 && uid == geteuid();
#else
    struct ucred who;
    socklen_t len = sizeof(who);
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) == 0 && who.uid == geteuid();
#endif
}

static void on_accept(struct oc_io *io, unsigned events) {
    struct cli_prompt_socket *s = io->user;
    (void)events;
    struct sockaddr_un from;
    unsigned len = sizeof(from);
    int fd = oc_accept(io->fd, &from, &len);
    if (fd < 0) {
        return;
    }
    if (s->peer_count >= MAX_PEERS || !is_own_account(fd)) {
        close(fd);
        return;
    }
    struct peer *p = oc_new(struct peer);
    struct oc_error err;
    p->server = s;
    p->in = OC_BUF_INIT((size_t)OC_MAX_APPROVAL_BYTES);
    p->limit = (struct oc_timer){ .on_expire = on_limit, .user = p };
    p->io = (struct oc_io){ .fd = fd, .events = OC_IO_READ, .on_ready = on_peer, .user = p };
    oc_uuid4(p->id);
    oc_list_append(&s->peers, &p->link);
    s->peer_count++;
    if (oc_io_add(s->loop, &p->io, &err) != OC_OK) {
        prompt_socket_drop(p);
        return;
    }
    oc_timer_set(s->loop, &p->limit, FIRST_LINE_MS);
}

/* Also makes the file when there is none, which allows as much as no file: nothing. */
static enum oc_code load_token(
        struct cli_prompt_socket *s, const char *approvals_path, struct oc_error *err) {
    enum oc_code rc = oc_prompt_socket_of(approvals_path, &s->path, &s->token, err);
    if (rc != OC_E_NOT_FOUND) {
        return rc;
    }
    OC_AUTO_JSON cJSON *seen = NULL, *made = NULL;
    rc = oc_exec_approvals_snapshot(approvals_path, &seen, err);
    if (rc != OC_OK) {
        return rc;
    }
    OC_AUTO_JSON cJSON *file = cJSON_DetachItemFromObjectCaseSensitive(seen, "file");
    file = file ? file : cJSON_CreateObject();
    oc_json_set_int(file, "version", 1);
    rc = oc_exec_approvals_replace(approvals_path, file, oc_json_get_str(seen, "hash"), &made, err);
    return rc == OC_OK ? oc_prompt_socket_of(approvals_path, &s->path, &s->token, err) : rc;
}

/* Nobody but us may put something else in the socket's place. */
static enum oc_code check_dir(const char *path, struct oc_error *err) {
    OC_AUTO_FREE char *dir = oc_strdup(path);
    char *slash = strrchr(dir, '/');
    struct stat st;
    *(slash == dir ? slash + 1 : slash) = '\0'; /* the path is absolute */
    enum oc_code rc = oc_dir_ensure_private(dir, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (lstat(dir, &st) != 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
            (st.st_mode & 022) != 0) {
        return oc_fail(err, OC_E_DENIED,
                "others can change '%s', where the approvals socket is to be: chmod 700 '%s'", dir,
                dir);
    }
    return OC_OK;
}

/* A prompter that was killed leaves its socket behind. */
static enum oc_code make_room(
        const char *path, const struct sockaddr_un *at, struct oc_error *err) {
    struct stat st;
    if (lstat(path, &st) != 0) {
        return OC_OK;
    }
    if (!S_ISSOCK(st.st_mode) || st.st_uid != geteuid()) {
        return oc_fail(err, OC_E_EXISTS, "'%s' is not a socket of ours; move it away", path);
    }
    OC_AUTO_FD int fd = oc_socket(AF_UNIX);
    if (fd < 0) {
        return oc_fail(err, OC_E_IO, "socket: %s", strerror(errno));
    }
    if (connect(fd, (const struct sockaddr *)at, sizeof(*at)) == 0 || errno != ECONNREFUSED) {
        return oc_fail(err, OC_E_UNAVAILABLE,
                "another program already asks at '%s'; end that one first", path);
    }
    (void)unlink(path);
    return OC_OK;
}

static enum oc_code listen_at(struct cli_prompt_socket *s, struct oc_error *err) {
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    if (strlen(s->path) >= sizeof(at.sun_path)) {
        return oc_fail(err, OC_E_INVALID, "the path of a socket has at most %zu bytes: '%s'",
                sizeof(at.sun_path) - 1, s->path);
    }
    memcpy(at.sun_path, s->path, strlen(s->path));
    enum oc_code rc = make_room(s->path, &at, err);
    if (rc != OC_OK) {
        return rc;
    }
    s->io = (struct oc_io){
        .fd = oc_socket(AF_UNIX), .events = OC_IO_READ, .on_ready = on_accept, .user = s
    };
    mode_t before = umask(0177);
    s->is_bound = s->io.fd >= 0 && bind(s->io.fd, (struct sockaddr *)&at, sizeof(at)) == 0;
    umask(before);
    if (!s->is_bound || listen(s->io.fd, MAX_PEERS) != 0) {
        return oc_fail(err, OC_E_IO, "listen at '%s': %s", s->path, strerror(errno));
    }
    return oc_io_add(s->loop, &s->io, err);
}

enum oc_code cli_prompt_socket_open(struct oc_loop *loop, const char *approvals_path,
        const struct cli_prompt_events *events, void *user, struct cli_prompt_socket **ret,
        struct oc_error *err) {
    struct cli_prompt_socket *s = oc_new(struct cli_prompt_socket);
    s->loop = loop;
    s->events = events;
    s->user = user;
    s->io.fd = -1;
    oc_list_init(&s->peers);
    enum oc_code rc = load_token(s, approvals_path, err);
    if (rc == OC_OK) {
        rc = check_dir(s->path, err);
    }
    if (rc == OC_OK) {
        rc = listen_at(s, err);
    }
    if (rc != OC_OK) {
        cli_prompt_socket_close(s);
        return rc;
    }
    *ret = s;
    return OC_OK;
}

void cli_prompt_socket_close(struct cli_prompt_socket *s) {
    if (!s) {
        return;
    }
    while (!oc_list_empty(&s->peers)) {
        struct peer *p = oc_list_first(&s->peers, struct peer, link);
        p->has_asked = false; /* nobody is told any more */
        prompt_socket_drop(p);
    }
    if (s->io.fd >= 0) {
        oc_io_remove(&s->io);
        close(s->io.fd);
    }
    if (s->is_bound) {
        (void)unlink(s->path);
    }
    if (s->token) {
        explicit_bzero(s->token, strlen(s->token));
    }
    oc_free(s->token);
    oc_free(s->path);
    oc_free(s);
}

const char *cli_prompt_socket_path(const struct cli_prompt_socket *s) {
    return s->path;
}

bool cli_prompt_socket_decide(
        struct cli_prompt_socket *s, const char *id, enum oc_decision decision) {
    struct peer *p;
    oc_list_for_each(p, &s->peers, link) {
        if (p->has_asked && strcmp(p->id, id) == 0) {
            send_line(p, oc_prompt_decision_line(p->their_id, decision));
            p->has_asked = false;
            prompt_socket_drop(p);
            return true;
        }
    }
    return false;
}
