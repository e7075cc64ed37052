/* The listening side: one port for HTTP and WebSocket, with budgets for connections that have not
 * proven anything.
 *
 * Plain HTTP is GET/HEAD/POST with small bodies, answered once, connection closed. */
#ifndef LIB_NET_SERVER_SERVER_H
#define LIB_NET_SERVER_SERVER_H

#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "lib/net/addr.h"
#include "lib/net/http/http_head.h"
#include "lib/net/loop/loop.h"
#include "lib/net/ws/ws.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether a connection within this machine is of this user (lib/net/server/peer_user.h). That never
 * changes: the kernel is asked once. */
enum oc_peer_memo { OC_PEER_NOT_ASKED, OC_PEER_IS_THIS_USER, OC_PEER_IS_NOT };

struct oc_peer {
    char ip[OC_MAX_ADDR_TEXT]; /* without port; IPv4-mapped IPv6 shown as IPv4 */
    bool is_loopback;
    int fd; /* the connection, to ask the kernel whose it is (lib/net/server/peer_user.h); not to be
               read or written */
    enum oc_peer_memo
            *memo; /* of the connection, for the answer; NULL: it is asked for each time */
};

/* Who pays for an answer that is sent in pieces: embedded in something of the handler's. */
struct oc_http_conn;
struct oc_http_payer {
    struct oc_http_conn *conn; /* set by the server while it sends */
    /* False: nothing more in this round; oc_http_payer_go_on later. */
    bool (*may_send)(struct oc_http_payer *p);
    void (*on_sent)(struct oc_http_payer *p, size_t bytes);
    /* So much of the answer is in memory now. */
    void (*on_held)(struct oc_http_payer *p, size_t bytes);
    /* All is sent, or the connection is gone. The last call. */
    void (*on_gone)(struct oc_http_payer *p);
};
void oc_http_payer_go_on(struct oc_http_payer *p);
/* Closes the connection, from the loop: from any handler. */
void oc_http_payer_drop(struct oc_http_payer *p);

/* Texts are copied when the handler returns; none of them has to live longer, but `lasting`. */
struct oc_http_reply {
    int status;
    const char *content_type;
    const char *body; /* NUL-terminated; small, since it is held until the peer has read it */
    size_t body_len;  /* > 0: this much of body, which need not be text */
    const char *extra_headers; /* "Name: value\r\n…" or NULL */
    char *take_text;           /* freed then: what body or extra_headers point to; NULL */
    /* Behind the body, read and sent in pieces: the first file_len bytes of take_fd, which is
     * closed. */
    bool has_file;
    int take_fd;
    uint64_t file_len;
    struct oc_slice lasting;          /* goes in front of the file's byte lasting_at; a literal */
    uint64_t lasting_at;              /* ≤ file_len */
    struct oc_http_payer *take_payer; /* for the file; NULL: nobody */
};

struct oc_server_handlers {
    /* Fill *ret. */
    void (*on_request)(void *user, const struct oc_http_head *head, const struct oc_peer *peer,
            struct oc_http_reply *ret);
    /* May be NULL: everybody may. False refuses a well-formed upgrade, with *ret as the answer. */
    bool (*may_upgrade)(void *user, const struct oc_http_head *head, const struct oc_peer *peer,
            struct oc_http_reply *ret);
    /* A WebSocket is open. The handler owns ws and sets its events before returning. */
    void (*on_ws)(void *user, struct oc_ws *take_ws, const struct oc_http_head *head,
            const struct oc_peer *peer);
};

struct oc_tls_server;

struct oc_server_opts {
    const char *const *hosts; /* numeric addresses, e.g. "127.0.0.1", "::1". One that this machine
                                 does not have is left out, unless it is the first */
    size_t host_count;
    uint16_t port;            /* 0 picks one (the same for all hosts) */
    unsigned max_connections; /* all states; default 12000, fewer where descriptors are. Some are
                                 kept for requests that are being read or were just answered, and
                                 for the owner of this process */
    unsigned max_heads; /* connections still sending their HTTP head; default 256; beyond it the
                           oldest one is dropped */
    unsigned max_heads_per_ip; /* default 32, answered ones that have not gone yet included;
                                  loopback is exempt; IPv6 counts by /64 */
    unsigned max_answered;     /* connections that were answered and have not gone yet; default 256;
                              beyond it the oldest one is dropped */
    int head_timeout_ms;       /* default 10000 */
    const char
            *context_path; /* lib/net/http/context_path.h; borrowed for the server's life; handlers
                              do not see it, other paths are answered 404; NULL or "": none */
    size_t max_head_bytes; /* default 16384 */
    struct oc_listeners
            *sockets; /* lib/net/server/listeners.h; borrowed for the server's life: keeps the
                         sockets open when it stops listening; NULL: nobody does */
    struct oc_tls_server *tls; /* lib/net/tls.h; borrowed for the server's life; NULL: no TLS */
    struct oc_ws_opts ws;
};

struct oc_server;
/* An address that is in use gives OC_E_EXISTS with a text that names the address, who has it, and
 * the fix. */
enum oc_code oc_server_create(struct oc_loop *loop, const struct oc_server_opts *opts,
        const struct oc_server_handlers *handlers, void *user, struct oc_server **ret,
        struct oc_error *err) OC_MUST_USE;
uint16_t oc_server_port(const struct oc_server *s);
/* The addresses that were bound, e.g. "127.0.0.1:18789"; a host that failed is missing.
 * For tests. */
size_t oc_server_address_count(const struct oc_server *s);
/* For tests. */
const char *oc_server_address(const struct oc_server *s, size_t i);
/* Another certificate for those who come from now on. Only for a server that has one. */
void oc_server_set_tls(struct oc_server *s, struct oc_tls_server *tls);
/* Accepts nobody any more. The sockets are closed, unless somebody keeps them
 * (oc_server_opts.sockets). */
void oc_server_stop_listening(struct oc_server *s);
void oc_server_destroy(struct oc_server
                *s); /* open WebSockets stay with their owners; not from inside a handler */

#endif
