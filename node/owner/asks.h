/* Questions to the person at this machine about commands that the gateway's operators are asked
 * about at the same time. Whoever answers first decides; the other question is taken back.
 *
 *   open ─▶ shown ─┬─ answered here ─▶ the gateway is told (node.event "node.exec.prompted")
 *     │            ├─ the gateway says that it is settled ─▶ take_back
 *     │            └─ closed, out of time, or the connection is lost ─▶ gone, undecided
 *     └─ nobody can be asked ─▶ gone
 *
 * A yes is an approval like any other: the gateway has the node look once more, the command comes
 * back with it, and it is judged then. A no is final here: the command does not run with that
 * approval, whatever the gateway makes of it. */
#ifndef NODE_OWNER_ASKS_H
#define NODE_OWNER_ASKS_H

#include "lib/base/list.h"
#include "lib/json/json.h"
#include "lib/protocol/run_words.h"

#define ND_MAX_ASKS 16          /* at a time */
#define ND_MAX_ASKS_OF_CALLER 4 /* of those */
#define ND_MAX_DECIDED_ASKS 64  /* answers that are remembered */
#define ND_MAX_ASK_ID_BYTES 256 /* of an approval's id; a longer one is not asked about */

struct nd_desktop;
struct nd_uplink;

struct nd_asks {
    struct nd_desktop *desktop;
    struct nd_uplink *uplink; /* hears the answers */
    struct oc_list open;      /* of its own */
    struct oc_list decided;   /* the same, oldest first */
    /* Somebody said no: for the owner's run log. May be NULL. */
    void (*on_denied)(void *user, const char *approval_id, const cJSON *request);
    void *user;
};

/* Where somebody is asked: "terminal" or "desktop"; NULL: nobody is. Literals. */
typedef void nd_ask_shown(void *user, const char *where);

struct nd_ask_opts {
    const char *approval_id;
    const char *caller_id; /* whose question it is; NULL: unknown */
    const cJSON *request;  /* as nd_prompter_ask's */
    nd_ask_shown *shown;   /* fires exactly once, perhaps before nd_asks_open returns */
    void *user;
};

void nd_asks_init(struct nd_asks *asks, struct nd_desktop *desktop, struct nd_uplink *uplink);
/* A second question about the same approval is none. */
void nd_asks_open(struct nd_asks *asks, const struct nd_ask_opts *opts);
/* shown fires with NULL if it has not yet. */
void nd_asks_take_back(struct nd_asks *asks, const char *approval_id);
void nd_asks_take_back_all(struct nd_asks *asks);
/* The same for who opened it and does not wait any more: shown does not fire. */
void nd_asks_forget(struct nd_asks *asks, const char *approval_id);
/* What the person here decided about it; none: nothing that is remembered. */
enum oc_decision nd_asks_decided(const struct nd_asks *asks, const char *approval_id);
/* Gives the memory back; after nd_asks_take_back_all. */
void nd_asks_finish(struct nd_asks *asks);

#endif
