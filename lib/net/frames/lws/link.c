#include "lib/net/frames/lws/link.h"

#include "lib/base/mem.h"
#include "lib/net/http/http.h"
#include "lib/net/loop/fd.h"
#include "lib/net/loop/scratch.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#define HEAD_BYTES 2048
#define TRIES 8 /* turns of the library that an upgrade may take */
/* The library has a table of all descriptors that the process may open, and writes to all of it. */
#define MAX_DESCRIPTORS 65536u

/* What the connections of one loop share. */
struct shared {
    struct lws_context *context;
    struct oc_lws_link writers[2];
};

static int on_event(
        struct lws *wsi, enum lws_callback_reasons reason, void *user, void *data, size_t len) {
    (void)user;
    struct oc_lws_link *link = lws_get_opaque_user_data(wsi);
    if (!link) {
        return 0;
    }
    switch (reason) {
    case LWS_CALLBACK_ESTABLISHED:
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
        link->is_open = true;
        return 0;
    case LWS_CALLBACK_WSI_DESTROY:
        link->wsi = NULL;
        return 0;
    case LWS_CALLBACK_RECEIVE:
    case LWS_CALLBACK_CLIENT_RECEIVE:
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        return link->on_event ? link->on_event(link, reason, data, len) : 0;
    default:
        return 0;
    }
}

static const struct lws_protocols protocols[] = {
    { .name = "frames",
            .callback = on_event,
            .rx_buffer_size = OC_LWS_STEP_BYTES,
            .tx_packet_size = OC_FRAGMENT_BYTES + 64 },
    { 0 },
};

/* No pings and no hanging up of its own: both are ours. */
static const lws_retry_bo_t no_policy = { 0 };

/* The library keeps /dev/urandom open, and children would inherit it. */
static void keep_from_children(void) {
    int last = open("/", O_PATH | O_CLOEXEC);
    for (int fd = 3; fd < last + 16; fd++) {
        struct stat st;
        if (fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 9)) {
            (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
        }
    }
    if (last >= 0) {
        close(last);
    }
}

static struct lws_context *create_context(void) {
    const struct lws_context_creation_info info = { .port = CONTEXT_PORT_NO_LISTEN,
        .protocols = protocols,
        .gid = -1,
        .uid = -1,
        .pt_serv_buf_size = OC_LWS_STEP_BYTES,
        .retry_and_idle_policy = &no_policy };
    struct sigaction pipe_action;
    struct rlimit before, lower;
    bool is_lower = getrlimit(RLIMIT_NOFILE, &before) == 0 && before.rlim_cur > MAX_DESCRIPTORS;
    lws_set_log_level(0, NULL);
    sigaction(SIGPIPE, NULL, &pipe_action);
    if (is_lower) {
        lower = (struct rlimit){ .rlim_cur = MAX_DESCRIPTORS, .rlim_max = before.rlim_max };
        (void)setrlimit(RLIMIT_NOFILE, &lower);
    }
    struct lws_context *context = lws_create_context(&info);
    if (is_lower) {
        (void)setrlimit(RLIMIT_NOFILE, &before);
    }
    sigaction(SIGPIPE, &pipe_action, NULL);
    if (context) {
        keep_from_children();
    }
    return context;
}

static void free_shared(void *user) {
    struct shared *s = user;
    oc_lws_link_close(&s->writers[0]);
    oc_lws_link_close(&s->writers[1]);
    if (s->context) {
        lws_context_destroy(s->context);
    }
    oc_free(s);
}

static struct shared *shared_of(struct oc_loop *loop) {
    struct oc_scratch *scratch = oc_loop_scratch(loop);
    if (!scratch->frames) {
        struct shared *s = oc_new(struct shared);
        s->writers[0].near = s->writers[1].near = -1;
        scratch->frames = s;
        scratch->free_frames = free_shared;
    }
    struct shared *s = scratch->frames;
    if (!s->context) {
        s->context = create_context(); /* NULL: there were no descriptors; perhaps next time */
    }
    return s;
}

struct oc_lws_link *oc_lws_writers(struct oc_loop *loop) {
    return shared_of(loop)->writers;
}

void oc_lws_link_work(struct oc_lws_link *link) {
    static const short turns[] = { LWS_POLLIN, LWS_POLLOUT };
    for (size_t i = 0; i < OC_COUNT(turns) && link->wsi; i++) {
        struct lws_pollfd turn = { .fd = lws_get_socket_fd(link->wsi),
            .events = LWS_POLLIN | LWS_POLLOUT,
            .revents = turns[i] };
        (void)lws_service_fd(link->context, &turn);
    }
}

bool oc_lws_link_send(const struct oc_lws_link *link, const void *data, size_t len) {
    return send(link->near, data, len, MSG_NOSIGNAL) == (ssize_t)len;
}

size_t oc_lws_link_read(const struct oc_lws_link *link, void *ret, size_t max) {
    ssize_t n = recv(link->near, ret, max, 0);
    return n > 0 ? (size_t)n : 0;
}

static bool wait_open(struct oc_lws_link *link) {
    for (int i = 0; i < TRIES && link->wsi && !link->is_open; i++) {
        oc_lws_link_work(link);
    }
    return link->wsi && link->is_open;
}

/* The server's side: the library gets one end of the pair and a request. */
static bool open_server(struct oc_lws_link *link) {
    static const char request[] = "GET / HTTP/1.1\r\n"
                                  "Host: localhost\r\n"
                                  "Upgrade: websocket\r\n"
                                  "Connection: Upgrade\r\n"
                                  "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                                  "Sec-WebSocket-Version: 13\r\n\r\n";
    int fds[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) != 0) {
        return false;
    }
    link->near = fds[0];
    struct lws_vhost *vhost = lws_get_vhost_by_name(link->context, "default");
    link->wsi = lws_adopt_descriptor_vhost(vhost, LWS_ADOPT_HTTP | LWS_ADOPT_SOCKET,
            (lws_sock_file_fd_type){ .sockfd = fds[1] }, NULL, NULL); /* closes it when it fails */
    if (!link->wsi || !oc_lws_link_send(link, request, sizeof(request) - 1)) {
        return false;
    }
    lws_set_opaque_user_data(link->wsi, link);
    char answer[HEAD_BYTES];
    return wait_open(link) && oc_lws_link_read(link, answer, sizeof(answer)) > 0;
}

/* A socket that listens under a name that the kernel has chosen. */
static int listen_somewhere(struct sockaddr_un *ret, socklen_t *ret_len) {
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    *ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
    *ret_len = sizeof(*ret);
    if (fd >= 0 &&
            (bind(fd, (struct sockaddr *)ret, sizeof(sa_family_t)) != 0 || listen(fd, 4) != 0 ||
                    getsockname(fd, (struct sockaddr *)ret, ret_len) != 0)) {
        close(fd);
        return -1;
    }
    return fd;
}

/* The library's connection among those that came: the name can be seen by everybody on this
 * machine. */
static int accept_own(int listener) {
    for (;;) {
        int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        struct ucred who;
        socklen_t len = sizeof(who);
        if (fd < 0 ||
                (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) == 0 && who.pid == getpid())) {
            return fd;
        }
        close(fd);
    }
}

/* The client's side: the library insists on connecting by itself, and gets the answer that its key
 * asks for. */
static bool connect_client(struct oc_lws_link *link, int listener, const char *address) {
    const struct lws_client_connect_info info = { .context = link->context,
        .address = address,
        .port = 80,
        .path = "/",
        .host = "localhost",
        .local_protocol_name = protocols[0].name,
        .opaque_user_data = link,
        .retry_and_idle_policy = &no_policy,
        .pwsi = &link->wsi };
    link->wsi = lws_client_connect_via_info(&info);
    link->near = link->wsi ? accept_own(listener) : -1;
    return link->near >= 0;
}

/* The answer to a key, RFC 6455 §4.2.2. */
static bool accept_for(const char *key, char *ret, size_t max) {
    unsigned char digest[20];
    char text[128];
    int len = snprintf(text, sizeof(text), "%s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key);
    return lws_SHA1((const unsigned char *)text, (size_t)len, digest) &&
           lws_b64_encode_string((const char *)digest, sizeof(digest), ret, (int)max) > 0;
}

static bool answer_client(struct oc_lws_link *link) {
    char request[HEAD_BYTES], answer[HEAD_BYTES], accept[64];
    size_t len = 0;
    for (int i = 0; i < TRIES && link->wsi && len == 0; i++) {
        oc_lws_link_work(link);
        len = oc_lws_link_read(link, request, sizeof(request));
    }
    struct oc_http_head head;
    const char *why;
    if (len == 0 || oc_http_parse_request(request, len, &head, &why) != 0) {
        return false;
    }
    const char *key = oc_http_header(&head, "Sec-WebSocket-Key");
    if (!key || !accept_for(key, accept, sizeof(accept))) {
        return false;
    }
    int n = snprintf(answer, sizeof(answer),
            "HTTP/1.1 101 Switching Protocols\r\n"
            "Upgrade: websocket\r\n"
            "Connection: Upgrade\r\n"
            "Sec-WebSocket-Accept: %s\r\n\r\n",
            accept);
    return oc_lws_link_send(link, answer, (size_t)n) && wait_open(link);
}

static bool open_client(struct oc_lws_link *link) {
    struct sockaddr_un name;
    socklen_t len;
    OC_AUTO_FD int listener = listen_somewhere(&name, &len);
    if (listener < 0) {
        return false;
    }
    char address[sizeof(name.sun_path) + 3];
    size_t name_len = len - offsetof(struct sockaddr_un, sun_path) - 1;
    (void)snprintf(address, sizeof(address), "+@%.*s", (int)name_len, name.sun_path + 1);
    return connect_client(link, listener, address) && answer_client(link);
}

bool oc_lws_link_open(struct oc_loop *loop, struct oc_lws_link *link, bool is_client) {
    link->context = shared_of(loop)->context;
    link->wsi = NULL;
    link->near = -1;
    link->is_open = false;
    if (link->context && (is_client ? open_client(link) : open_server(link))) {
        return true;
    }
    oc_lws_link_close(link);
    return false;
}

void oc_lws_link_close(struct oc_lws_link *link) {
    if (link->wsi) {
        lws_set_timeout(link->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC);
    }
    if (link->near >= 0) {
        close(oc_take_fd(&link->near));
    }
    link->is_open = false;
}
