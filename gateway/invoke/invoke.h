/* Invokes that wait for a node's answer.
 *
 *   start ── sent ──▶ running ──┬─ node answered ┐
 *     └─ not sent: error,        ├─ deadline      ├─▶ every waiter is answered once,
 *        no callback             ├─ node lost     │   the answer is remembered
 *                                └─ gateway stops ┘
 *
 * A request with the idempotency key of a running invoke joins it. When all who waited are gone the
 * invoke goes on until one of the exits above, so that the key keeps its promise; its answer
 * reaches nobody but is remembered. If none of them can come back (ends_with_caller) the node is
 * asked to stop. */
#ifndef GATEWAY_INVOKE_INVOKE_H
#define GATEWAY_INVOKE_INVOKE_H

#include "gateway/invoke/answer.h"
#include "lib/base/error.h"
#include "lib/base/list.h"
#include "lib/net/loop/loop.h"
#include "lib/net/ws/msg.h"

#include <stdbool.h>
#include <stdint.h>

struct gw_invokes;
struct gw_party; /* gateway/fairness/party.h */

/* How a message reaches a node; fakes in tests. OC_E_CLOSED when it is not connected,
 * OC_E_TOO_LARGE when its queue is full. The message is consumed either way. */
typedef enum oc_code gw_node_send(void *user, const char *node_id, struct oc_msg *take_msg);

struct gw_invokes *gw_invokes_create(struct oc_loop *loop, gw_node_send *send, void *user);
/* Settle everything first (gw_invokes_settle_all): what still waits is forgotten. */
void gw_invokes_destroy(struct gw_invokes *t);

struct gw_invoke_spec {
    const char *actor; /* whose idempotency keys these are, and who has a share of the places */
    const char *node_id, *command, *idempotency_key;
    struct oc_blob *blob;   /* params lies in it; may be NULL when there are none */
    struct oc_slice params; /* raw JSON; len 0: null goes to the node */
    /* What the caller said, where the node is told something else: a second request with the key is
     * compared with it. len 0: params are what they said. */
    struct oc_slice asked;
    int64_t timeout_ms; /* ≤ 0: the default */
    struct gw_party
            *party; /* who answers for what is sent (gateway/fairness/freight.h); NULL: we do */
    /* The key was known when the caller looked, so no gate was asked: answers from memory or not at
     * all. */
    bool is_repeat;
    const void *caller; /* for the audit; NULL: this one is not audited */
    /* Who asked, for the node: goes beside the params, where no caller can write. NULL: it is not
     * told. */
    const cJSON *vouched;
};

/* The audit: told when a node has been sent an invoke, and once what became of it. */
struct gw_invoke_record {
    int64_t number; /* what on_sent returned */
    int64_t began_ms;
    const char *node_id, *actor;
    bool is_ended; /* set by the audit: the node has said what became of it before it answered */
};
struct gw_invoke_audit {
    int64_t (*on_sent)(void *user, const struct gw_invoke_spec *spec, const char *invoke_id);
    void (*on_answered)(
            void *user, const struct gw_invoke_record *record, const struct gw_answer *answer);
    void *user;
};
void gw_invokes_audit(struct gw_invokes *t, const struct gw_invoke_audit *audit);
/* The record of an invoke that this node has not answered yet; NULL: there is none. */
struct gw_invoke_record *gw_invoke_record_of(
        struct gw_invokes *t, const char *node_id, const char *invoke_id);

/* Told about the answer of every invoke of this command, before those who wait for it; not about
 * answers from memory. Must not start or leave invokes. */
typedef void gw_invoke_seen(void *user, const struct gw_answer *answer);
void gw_invokes_watch(struct gw_invokes *t, const char *command, gw_invoke_seen *seen, void *user);

struct gw_progress {
    const char *invoke_id, *node_id, *chunk;
    int64_t seq;
    const char *stream, *encoding; /* ours, NULL when absent: "stderr", "base64" */
    /* Set by a waiter that has enough to do already: the node should send no more until it is
     * through. */
    struct gw_invoke_waiter *busy;
};

/* Embedded in whoever waits. on_answer fires exactly once, unless the waiter left before. */
struct gw_invoke_waiter {
    struct oc_list link;   /* invoke.waiters */
    void *invoke;          /* what it waits for; NULL: nothing any more */
    bool ends_with_caller; /* once this caller is gone nobody wants the command to go on */
    void (*on_answer)(struct gw_invoke_waiter *w, const struct gw_answer *answer);
    /* What the node says before it answers; may be NULL. Must not start or leave invokes. */
    void (*on_progress)(struct gw_invoke_waiter *w, struct gw_progress *progress);
};

/* OC_OK: on_answer will fire, or has fired already (a remembered answer). Otherwise it never does;
 * err carries the wire code. */
enum oc_code gw_invoke_start(struct gw_invokes *t, const struct gw_invoke_spec *spec,
        struct gw_invoke_waiter *w, struct oc_error *err) OC_MUST_USE;
void gw_invoke_leave(struct gw_invoke_waiter *w);
/* This actor has used the key before. It may be forgotten a moment later: whoever skips a check
 * because of this must set is_repeat, and then gw_invoke_start sends nothing, whether or not the
 * node is there. */
bool gw_invoke_is_known(struct gw_invokes *t, const char *actor, const char *idempotency_key);

/* False: late, unknown, or from a node that was not asked. */
bool gw_invoke_result_arrived(struct gw_invokes *t, const char *from_node_id,
        const struct oc_invoke_result *result, struct oc_blob *blob);
/* An answer of which only the id can be read: who asked is told now, and not when their time is
 * over. NULL is fine. */
void gw_invoke_result_broken(struct gw_invokes *t, const char *from_node_id, const char *id);
/* A message of a node that is too large to be read: if it is the answer to one of its invokes, the
 * same. Only its beginning and its end are looked at. */
void gw_invoke_result_unread(struct gw_invokes *t, const char *from_node_id, struct oc_slice text);
/* Progress, which goes to everyone who waits. */
bool gw_invoke_progress_arrived(struct gw_invokes *t, struct gw_progress *progress);
/* Tells the node to stop what this actor started under this key; the answer comes as always. False:
 * nothing runs. */
bool gw_invoke_cancel(struct gw_invokes *t, const char *actor, const char *idempotency_key);
void gw_invokes_node_lost(struct gw_invokes *t, const char *node_id);
void gw_invokes_settle_all(struct gw_invokes *t);

/* For tests. */
size_t gw_invokes_count(const struct gw_invokes *t);

#endif
