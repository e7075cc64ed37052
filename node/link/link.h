/* The connection to the gateway, kept up forever.
 *
 *   start ─▶ connecting ──▶ up ──────────────┐
 *              ▲   │                         │ ended
 *              │   ├─ not paired ─▶ waiting  │
 *              │   ├─ failed ────▶ waiting ◀─┘
 *              └───┴──── timer ──────┘
 *                  └─ hopeless ─▶ failed
 *
 * Where it connects to may change: node/link/places.h. */
#ifndef NODE_LINK_LINK_H
#define NODE_LINK_LINK_H

#include "lib/client/session.h"
#include "lib/net/loop/loop.h"
#include "node/state.h"
#include "node/status.h"

struct nd_link;

struct nd_link_opts {
    /* Borrowed for the link's life, like everything here but the secrets. Where the gateway is
     * changes when it moves. */
    struct nd_settings *settings;
    const struct oc_identity *identity;
    const char *state_dir;
    const char *platform;
    const struct oc_strv *commands, *caps;
    const char *path_env;
    const char *gateway_user;     /* NULL: none. Copied */
    const char *token, *password; /* the gateway's shared secrets; NULL: none. Copied */
    const char *
            setup_token; /* of a setup code: sent alone until the first hello. NULL: none. Copied */
};

struct nd_link_events {
    void (*on_status)(void *user, const struct nd_status *status);
    /* What connect says is allowed on this machine; owned by the caller. The callback may be
     * NULL. */
    cJSON *(*permissions)(void *user);
    /* See nd_places_opts. The callback may be NULL. */
    bool (*own_place)(void *user, struct nd_place *ret);
    /* The connection is gone, and with it whoever asked over it; another may follow or not. */
    void (*on_cut)(void *user);
    void (*on_hello)(void *user, const struct oc_hello *hello);
    void (*on_event)(void *user, const struct oc_frame *frame);
    /* An answer to a frame of nd_link_send. May be NULL. */
    void (*on_response)(void *user, const struct oc_frame *frame);
    /* After nd_link_stop: the connection is closed. */
    void (*on_stopped)(void *user);
};

struct nd_link *nd_link_create(struct oc_loop *loop, const struct nd_link_opts *opts,
        const struct nd_link_events *events, void *user);
void nd_link_start(struct nd_link *l);
/* on_stopped follows from the loop. */
void nd_link_stop(struct nd_link *l);
void nd_link_destroy(struct nd_link *l);
/* Says what is queued, closes, and connects anew at once; when there is no connection the next one
 * comes when it comes. */
void nd_link_reconnect(struct nd_link *l);
/* Dropped when there is no connection. */
void nd_link_send(struct nd_link *l, struct oc_msg *take_msg);
/* Asks the gateway. done fires exactly once unless the link is destroyed; at once when there is no
 * connection. */
void nd_link_ask(struct nd_link *l, const char *method, cJSON *take_params, int timeout_ms,
        oc_reply_done *done, void *user);
/* The socket of the connection; -1: there is none. Borrowed. */
int nd_link_fd(const struct nd_link *l);
const char *nd_link_url(const struct nd_link *l);

#endif
