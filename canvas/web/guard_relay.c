/* SOCKS 5 (RFC 1928, passwords of RFC 1929), only CONNECT; then bytes both ways until WebKit has
 * ended its side, which it does when it sees that the server has. */
#include "canvas/web/guard.h"

#include "lib/base/mem.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#define HANDSHAKE_S 10
#define CHUNK 32768

enum { VERSION = 5, PASSWORD = 2, NO_METHOD = 255, PASSWORD_VERSION = 1, CONNECT = 1 };
enum { IPV4 = 1, NAME = 3, IPV6 = 4 };
enum { GRANTED = 0, NOT_REACHED = 4, NO_SUCH_COMMAND = 7 };

static bool guard_relay_take(GSocketConnection *c, void *ret, gsize len) {
    gsize got = 0;
    return g_input_stream_read_all(
                   g_io_stream_get_input_stream(G_IO_STREAM(c)), ret, len, &got, NULL, NULL) &&
           got == len;
}

static bool guard_relay_give(GSocketConnection *c, const void *data, gsize len) {
    return g_output_stream_write_all(
            g_io_stream_get_output_stream(G_IO_STREAM(c)), data, len, NULL, NULL, NULL);
}

/* One byte of length and so many bytes. */
static bool take_text(GSocketConnection *c, char ret[256]) {
    guint8 len;
    if (!guard_relay_take(c, &len, 1) || !guard_relay_take(c, ret, len)) {
        return false;
    }
    ret[len] = '\0';
    return strlen(ret) == len;
}

static bool guard_relay_greet(const struct cv_guard *g, GSocketConnection *c) {
    guint8 head[2], methods[255], version;
    char user[256], password[256];
    if (!guard_relay_take(c, head, 2) || head[0] != VERSION ||
            !guard_relay_take(c, methods, head[1])) {
        return false;
    }
    bool offers = memchr(methods, PASSWORD, head[1]) != NULL;
    if (!guard_relay_give(c, (guint8[]){ VERSION, offers ? PASSWORD : NO_METHOD }, 2) || !offers ||
            !guard_relay_take(c, &version, 1) || version != PASSWORD_VERSION ||
            !take_text(c, user) || !take_text(c, password)) {
        return false;
    }
    bool is_ours = cv_guard_is_secret(g, password);
    return guard_relay_give(c, (guint8[]){ PASSWORD_VERSION, !is_ours }, 2) && is_ours;
}

static bool take_address(GSocketConnection *c, guint8 kind, char ret[256]) {
    guint8 bytes[16];
    if (kind == NAME) {
        return take_text(c, ret) && *ret;
    }
    if ((kind != IPV4 && kind != IPV6) || !guard_relay_take(c, bytes, kind == IPV4 ? 4 : 16)) {
        return false;
    }
    g_autoptr(GInetAddress) address = g_inet_address_new_from_bytes(
            bytes, kind == IPV4 ? G_SOCKET_FAMILY_IPV4 : G_SOCKET_FAMILY_IPV6);
    g_autofree char *text = g_inet_address_to_string(address);
    g_strlcpy(ret, text, 256);
    return true;
}

static bool guard_relay_answer(GSocketConnection *c, guint8 status) {
    return guard_relay_give(c, (guint8[]){ VERSION, status, 0, IPV4, 0, 0, 0, 0, 0, 0 }, 10);
}

static GSocketConnection *take_request(struct cv_guard *g, GSocketConnection *c) {
    guint8 head[4], port[2];
    char host[256];
    if (!guard_relay_take(c, head, 4) || head[0] != VERSION || !take_address(c, head[3], host) ||
            !guard_relay_take(c, port, 2)) {
        return NULL;
    }
    if (head[1] != CONNECT) {
        (void)guard_relay_answer(c, NO_SUCH_COMMAND);
        return NULL;
    }
    g_autoptr(GSocketConnection) to =
            cv_guard_connect(g, host, (guint16)((unsigned)port[0] << 8 | port[1]));
    return guard_relay_answer(c, to ? GRANTED : NOT_REACHED) ? g_steal_pointer(&to) : NULL;
}

struct way {
    GSocket *from, *to;
    gsize start, end; /* of what is in bytes */
    bool has_ended;   /* nothing more comes; when bytes is empty, `to` knows */
    char bytes[CHUNK];
};

/* False: this connection is over. */
static bool guard_relay_move(struct way *w) {
    g_autoptr(GError) error = NULL;
    gssize n = 0;
    if (w->start == w->end && !w->has_ended) {
        n = g_socket_receive_with_blocking(w->from, w->bytes, CHUNK, FALSE, NULL, &error);
        if (n < 0) {
            return g_error_matches(error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK);
        }
        w->start = 0;
        w->end = (gsize)n;
        w->has_ended = n == 0;
        if (n == 0) {
            return g_socket_shutdown(w->to, FALSE, TRUE, NULL);
        }
    }
    if (w->start == w->end) {
        return true;
    }
    n = g_socket_send_with_blocking(
            w->to, w->bytes + w->start, w->end - w->start, FALSE, NULL, &error);
    w->start += n > 0 ? (gsize)n : 0;
    return n >= 0 || g_error_matches(error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK);
}

static void guard_relay_relay(GSocketConnection *a, GSocketConnection *b) {
    OC_AUTO_FREE struct way *ways = oc_new_array(struct way, 2);
    GSocket *ends[2] = { g_socket_connection_get_socket(a), g_socket_connection_get_socket(b) };
    bool is_alive = true;
    for (int i = 0; i < 2; i++) {
        ways[i].from = ends[i];
        ways[i].to = ends[1 - i];
    }
    while (is_alive && !ways[0].has_ended) {
        struct pollfd fds[2];
        for (int i = 0; i < 2; i++) {
            const struct way *in = &ways[i], *out = &ways[1 - i];
            bool wants_in = in->start == in->end && !in->has_ended;
            short events = (short)((wants_in ? POLLIN : 0) | (out->start < out->end ? POLLOUT : 0));
            /* one whose other side is slow is not waited for: its hang-up would wake us at once,
             * again and again */
            fds[i] = (struct pollfd){ events ? g_socket_get_fd(ends[i]) : -1, events, 0 };
        }
        if (poll(fds, 2, -1) < 0 && errno != EINTR) {
            break;
        }
        is_alive = guard_relay_move(&ways[0]) && guard_relay_move(&ways[1]);
    }
}

gboolean cv_guard_relay(
        GThreadedSocketService *service, GSocketConnection *from, GObject *source, gpointer guard) {
    (void)service, (void)source;
    g_socket_set_timeout(g_socket_connection_get_socket(from), HANDSHAKE_S);
    g_tcp_connection_set_graceful_disconnect(G_TCP_CONNECTION(from), FALSE);
    g_autoptr(GSocketConnection) to =
            guard_relay_greet(guard, from) ? take_request(guard, from) : NULL;
    if (to) {
        g_socket_set_timeout(g_socket_connection_get_socket(from), 0);
        guard_relay_relay(from, to);
        g_io_stream_close(G_IO_STREAM(to), NULL, NULL);
    }
    return TRUE;
}
