/* What server.c (listening, budgets) and http_conn.c (one connection until it is answered or
 * upgraded) share. */
#ifndef LIB_NET_SERVER_SERVER_PRIVATE_H
#define LIB_NET_SERVER_SERVER_PRIVATE_H

#include "lib/base/list.h"
#include "lib/net/http/http.h"
#include "lib/net/loop/stream.h"
#include "lib/net/server/server.h"

#define OC_MAX_LISTENERS 8

struct oc_listener {
    struct oc_server *server;
    struct oc_io io;
    char *address; /* "127.0.0.1:18789", for texts */
};

/* Counts open connections, upgraded ones too. These may outlive the server, so the count has
 * references. */
struct oc_conn_count {
    unsigned refs, open;
};

struct oc_server {
    struct oc_loop *loop;
    struct oc_server_opts opts;
    struct oc_server_handlers handlers;
    void *user;
    struct oc_listener listeners[OC_MAX_LISTENERS];
    size_t listener_count;
    struct oc_listeners *sockets;
    bool owns_sockets;
    uint16_t port;
    struct oc_timer pause; /* running: out of descriptors, not accepting */
    struct oc_conn_count *count;
    struct oc_list heads;    /* oc_http_conn.link, oldest first: no whole head yet */
    struct oc_list answered; /* oc_http_conn.link */
    unsigned head_count, answered_count;
    unsigned steps; /* taken in this round */
    struct oc_deferred round_over;
    unsigned max_sockets;   /* WebSockets */
    unsigned owner_sockets; /* and so many more of the owner, whoever else is here */
};

/* Where a connection comes from, for budgets: the IPv4 address or the IPv6 /64. */
struct oc_origin {
    unsigned char key[8];
    bool is_v6;
};

struct oc_addr;
struct oc_origin oc_origin_of(const struct oc_addr *a);
/* Whether one more WebSocket of this peer does. */
bool oc_server_has_socket(const struct oc_server *s, const struct oc_peer *peer);
/* Whether one more connection of this peer fits the budgets. */
bool oc_server_has_room(
        const struct oc_server *s, const struct oc_peer *peer, const struct oc_origin *origin);

/* Whether a connection may go a step on in this round of the loop; it is asked again in the
 * next. */
bool oc_server_may_step(struct oc_server *s, unsigned cost);

enum oc_http_state { OC_HC_TLS, OC_HC_HEAD, OC_HC_REPLY, OC_HC_UPGRADE, OC_HC_LINGER };

struct oc_http_conn {
    struct oc_list link;
    struct oc_server *server;
    struct oc_stream *stream;
    struct oc_io io;
    struct oc_timer deadline;
    struct oc_peer peer;
    enum oc_peer_memo peer_memo;
    struct oc_origin origin;
    enum oc_http_state state;
    struct oc_buf in;
    size_t scanned, head_len;
    struct oc_http_head *head; /* while it is being answered */
    struct oc_buf out;
    struct oc_slice piece; /* what is left to send of out, or of lasting */
    int file_fd;           /* what follows; -1: nothing */
    uint64_t file_left;
    struct oc_slice lasting; /* not sent yet; goes in front of so many of the file: */
    uint64_t until_lasting;
    struct oc_http_payer *payer; /* NULL: nobody, or not any more */
    struct oc_deferred drop_soon;
    size_t drained_bytes;
    bool was_spared; /* the owner's: somebody else made room instead */
};

/* Takes the stream. */
void oc_http_conn_start(struct oc_server *s, struct oc_stream *take_stream,
        const struct oc_peer *peer, const struct oc_origin *origin);
void oc_http_conn_drop(struct oc_http_conn *c);

#endif
