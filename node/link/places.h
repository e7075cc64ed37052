/* Which of two places the gateway of a node is at: the one where it was, or the one that it named
 * for later (node/link/moves.h) or left word of in its state directory.
 *
 *   moved ─▶ next is kept ─▶ next is tried ──┬─ hello ─▶ it is the place; the token follows
 *                                ▲           └─ nobody ─▶ the old one is tried ─┬─ hello: it stayed
 *                                └─────────────── later ◀── nobody ─────────────┘
 *
 * The file is written before anything is given up, so that who is killed in between loses
 * nothing. */
#ifndef NODE_LINK_PLACES_H
#define NODE_LINK_PLACES_H

#include "lib/client/session.h"
#include "lib/state/device_auth.h"
#include "node/state.h"

struct nd_places;

struct nd_places_opts {
    struct nd_settings *settings; /* borrowed for its life, as the rest */
    const char *state_dir;
    const char *device_id;
    struct oc_loop *loop;
    /* Where the gateway of this state directory is by its files (node/link/own_gateway.h); false:
     * they do not tell. May be NULL. */
    bool (*own_place)(void *user, struct nd_place *ret);
    void *user;
};

struct nd_places *nd_places_create(const struct nd_places_opts *opts);
void nd_places_destroy(struct nd_places *p);

/* Where the next attempt goes; nd_places_now from then on. */
void nd_places_choose(struct nd_places *p);
const struct nd_place *nd_places_now(const struct nd_places *p);
/* It is another host than the one that the owner named: secrets of theirs are not for it. */
bool nd_places_is_elsewhere(const struct nd_places *p);
/* Of the gateway, wherever it is. Its name stays until it has said hello there. */
struct oc_device_auth nd_places_token_key(const struct nd_places *p);

/* The gateway said hello over this socket. */
void nd_places_hello(struct nd_places *p, int fd);
/* gateway.moved came over it. */
void nd_places_moved(struct nd_places *p, const struct oc_frame *frame, int fd);

enum nd_places_end {
    ND_PLACES_OVER,      /* *ret is how the round ended */
    ND_PLACES_TURN_BACK, /* nobody is at the next place: try the other one at once */
    ND_PLACES_OTHER,     /* somebody where it was refuses, perhaps another gateway: *ret is that */
};
/* A session has ended. *ret borrows from end, or from p until the next call. */
enum nd_places_end nd_places_ended(
        struct nd_places *p, const struct oc_session_end *end, const struct oc_session_end **ret);

#endif
