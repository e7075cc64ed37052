/* One client connection: before hello it may only say connect, afterwards it calls methods and gets
 * events.
 *
 *   NEW ── hello-ok ──▶ READY ──▶ CLOSING ──▶ lost ──▶ freed
 *    └───────────── refused ─────────▲
 *
 * From CLOSING on nobody is told any more; it is freed at the end of the loop's round in which its
 * socket went. */
#ifndef GATEWAY_CONN_CONN_H
#define GATEWAY_CONN_CONN_H

#include "gateway/conn/canvas_pass.h"
#include "gateway/conn/conns.h"
#include "gateway/conn/events.h"
#include "gateway/conn/waits.h"
#include "gateway/fairness/hold.h"
#include "gateway/fairness/party.h"
#include "gateway/nodes/nodes.h"
#include "gateway/origin/client.h"
#include "gateway/origin/locality.h"
#include "gateway/pairing/pairing.h"
#include "lib/base/encode.h"
#include "lib/base/list.h"
#include "lib/identity/nonce.h"
#include "lib/json/json.h"
#include "lib/log/log.h"
#include "lib/net/loop/loop.h"
#include "lib/net/ws/ws.h"

#include <stdbool.h>
#include <stdint.h>

enum gw_conn_state { GW_CONN_NEW, GW_CONN_READY, GW_CONN_CLOSING };

struct gw_conn {
    struct gw_conns *all;
    struct oc_ws *ws;
    struct oc_list link; /* gw_conns.list */
    enum gw_conn_state state;
    bool is_unread;    /* it does not read what it is sent, and is not heard until it does */
    bool is_lost;      /* the socket is gone; waits to be freed */
    bool closes_later; /* it does not read, and is to be told so: with detach_later */
    struct oc_deferred detach_later; /* it was cut for holding too much, or does not read */
    struct gw_party *party;          /* whose it is: an address until the handshake is through */
    struct gw_hold hold;             /* what is kept in memory for it */
    struct oc_log_cause log_cause;
    const char *close_after_response; /* literal; its own device was removed: the answer goes out
                                         first */
    struct oc_turn_waiter
            turn_waiter;   /* its party has used up its turn: what comes stays where it is */
    struct oc_timer timer; /* handshake, then keep-alive */
    struct oc_deferred free_later;
    int64_t last_heard_ms;
    uint64_t taken_mark; /* oc_ws_is_taking */
    size_t received;     /* bytes that were not charged yet */

    char *host; /* what the client called us: the Host header, if it can stand in an address */
    char id[OC_UUID_LEN + 1], nonce[OC_NONCE_LEN + 1];
    struct gw_origin_facts from;
    enum oc_peer_memo peer_memo;

    /* From here on set by the handshake. */
    int protocol;
    char *role, *device_id; /* device_id is NULL for operators without a device */
    struct oc_strv scopes;  /* what the server's record grants, not what was asked for */
    bool is_local;
    bool is_in_presence;
    struct gw_conn_client client;

    struct gw_node *node;  /* role node; owned */
    unsigned unauthorized; /* refusals in a row */
    int64_t seq;           /* of broadcasts, protocol 4 */

    /* Of other rooms, for this connection. */
    struct gw_method_waits waits;
    bool follows_moves;                /* a node that understands gateway.moved */
    bool hears_agent_requests;         /* an operator, since agent.requests.listen */
    struct gw_canvas_pass canvas_pass; /* of a node */
};

/* Takes the WebSocket: sends the challenge and waits for connect. Over budget it is dropped at
 * once. tls_pin: of our certificate; NULL without TLS. */
void gw_conn_accept(struct gw_conns *all, struct oc_ws *take_ws, const struct oc_http_head *head,
        const struct oc_peer *peer, const char *tls_pin);
/* The client has proven who it is: it counts for that party from now on. False: which has as many
 * connections as it may. */
bool gw_conn_count_for(struct gw_conn *c, struct gw_party *take_party);
/* The handshake is through. */
void gw_conn_ready(struct gw_conn *c);
/* It may send large messages from now on: it may call nodes, or is a node with commands that
 * somebody may call. */
void gw_conn_give_room(struct gw_conn *c);
/* Ends it now, without a close frame; for tearing down. */
void gw_conn_destroy(struct gw_conn *c);

/* Sends, or gives up on a client that does not read: then false, and unless it is droppable the
 * connection closes. */
bool gw_conn_send(struct gw_conn *c, struct oc_msg *take_msg, bool is_droppable);
void gw_conn_answer(struct gw_conn *c, const char *request_id, cJSON *take_payload);
void gw_conn_answer_text(struct gw_conn *c, const char *request_id, struct oc_buf *take_payload);
/* The same, of a text that is kept by others, too: a reference is taken. */
void gw_conn_answer_blob(struct gw_conn *c, const char *request_id, struct oc_blob *payload);
void gw_conn_answer_error(struct gw_conn *c, const char *request_id, cJSON *take_error);
/* What is queued goes out first. The reason is cut to 120 bytes. */
void gw_conn_close(struct gw_conn *c, uint16_t code, const char *reason);

struct gw_actor gw_conn_actor(const struct gw_conn *c);
struct gw_presence_info gw_conn_presence(const struct gw_conn *c);
/* Name, id or client for log lines; caller frees. */
char *gw_conn_label(const struct gw_conn *c);
/* Coming and going is worth a line, except for command lines: each call is a connection. */
enum oc_log_level gw_conn_log_level(const struct gw_conn *c);
/* Closes the live connections of a device (in one role; NULL: any). The one that is `asking` gets
 * its answer first. The reasons are literals. */
void gw_conns_close_device(struct gw_conns *all, const char *device_id, const char *role,
        struct gw_conn *asking, const char *reason_v3, const char *reason_v4);

#endif
