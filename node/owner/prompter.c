#include "node/owner/prompter.h"

#include "lib/base/buf.h"
#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/net/loop/fd.h"
#include "lib/net/loop/lines.h"
#include "lib/protocol/limits.h"
#include "lib/state/prompt_line.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* the socket has SO_NOSIGPIPE there */
#endif
#define MAX_ANSWER ((size_t)64 * 1024)

struct nd_prompter {
    struct oc_io io;
    struct oc_timer limit;
    struct oc_buf in;
    char id[OC_UUID_LEN + 1];
    nd_prompter_done *done;
    void *user;
};

void nd_prompter_cancel(struct nd_prompter *p) {
    if (!p) {
        return;
    }
    oc_io_remove(&p->io);
    close(p->io.fd);
    oc_timer_cancel(&p->limit);
    oc_buf_finish(&p->in);
    oc_free(p);
}

static void prompter_finish(struct nd_prompter *p, enum oc_decision decision) {
    nd_prompter_done *done = p->done;
    void *user = p->user;
    nd_prompter_cancel(p);
    done(user, decision);
}

static void on_limit(struct oc_timer *t) {
    prompter_finish(t->user, OC_DECISION_NONE);
}

/* None: this line decides nothing about us. */
static enum oc_decision decision_in(const struct nd_prompter *p, struct oc_slice line) {
    OC_AUTO_JSON cJSON *o = NULL;
    struct oc_error ignored;
    if (oc_json_parse(line.ptr, line.len, &o, &ignored) != OC_OK ||
            !oc_streq(oc_json_get_str(o, "type"), "decision") ||
            !oc_streq(oc_json_get_str(o, "id"), p->id)) {
        return OC_DECISION_NONE;
    }
    return oc_decision_named(oc_json_get_str(o, "decision"));
}

static void on_ready(struct oc_io *io, unsigned events) {
    struct nd_prompter *p = io->user;
    struct oc_slice line;
    (void)events;
    if (!oc_lines_fill(&p->in, io->fd)) {
        prompter_finish(p, OC_DECISION_NONE);
        return;
    }
    while (oc_lines_first(&p->in, &line)) {
        enum oc_decision decision = decision_in(p, line);
        if (decision) {
            prompter_finish(p, decision);
            return;
        }
        oc_lines_drop(&p->in);
    }
}

/* The file with the path can be edited from afar; the token goes only to a socket of the own
 * account. */
static int connect_to(const char *path) {
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    struct stat st;
    if (strlen(path) >= sizeof(at.sun_path) || lstat(path, &st) != 0 || !S_ISSOCK(st.st_mode) ||
            st.st_uid != geteuid()) {
        return -1;
    }
    memcpy(at.sun_path, path, strlen(path));
    int fd = oc_socket(AF_UNIX);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof(at)) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

int64_t nd_prompter_ms(const cJSON *request) {
    return oc_json_clamp_int(request, "timeoutMs", 1, OC_DEFAULT_APPROVAL_MS, ND_PROMPTER_MS);
}

struct nd_prompter *nd_prompter_ask(struct oc_loop *loop, const char *approvals_path,
        const cJSON *request, nd_prompter_done *done, void *user) {
    OC_AUTO_FREE char *path = NULL;
    OC_AUTO_SECRET char *token = NULL;
    struct oc_error ignored;
    if (oc_prompt_socket_of(approvals_path, &path, &token, &ignored) != OC_OK) {
        return NULL;
    }
    int fd = connect_to(path);
    if (fd < 0) {
        return NULL;
    }
    struct nd_prompter *p = oc_new(struct nd_prompter);
    oc_uuid4(p->id);
    p->io = (struct oc_io){ .fd = fd, .events = OC_IO_READ, .on_ready = on_ready, .user = p };
    p->limit = (struct oc_timer){ .on_expire = on_limit, .user = p };
    p->in = OC_BUF_INIT(MAX_ANSWER);
    p->done = done;
    p->user = user;
    OC_AUTO_SECRET char *line = oc_prompt_request_line(token, p->id, request);
    size_t len = strlen(line);
    if (send(fd, line, len, MSG_NOSIGNAL) != (ssize_t)len ||
            oc_io_add(loop, &p->io, &ignored) != OC_OK) {
        nd_prompter_cancel(p);
        return NULL;
    }
    oc_timer_set(loop, &p->limit, nd_prompter_ms(request));
    return p;
}
