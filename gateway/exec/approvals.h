/* Approvals of single commands: somebody asks, an operator decides, the asker may then run exactly
 * that.
 *
 *   add ──▶ waiting ──┬─ resolved (allow-once, allow-always, deny) ┐
 *                     └─ nobody decided in time (no decision) ─────┴─▶ waiters told
 *           ─▶ kept for a grace time ─▶ gone
 *
 * Its id stays taken for a while after that (gateway/exec/used_ids.h): a decision that comes late
 * must not meet another command.
 *
 * In memory only: a restart forgets every approval, which is the safe side. What was asked for is
 * kept as sent to operators (docs/PROTOCOL.md#exec-approvals); gateway/exec/approval_guard.c
 * compares it with what is run. */
#ifndef GATEWAY_EXEC_APPROVALS_H
#define GATEWAY_EXEC_APPROVALS_H

#include "lib/base/error.h"
#include "lib/base/list.h"
#include "lib/json/json.h"
#include "lib/net/loop/loop.h"
#include "lib/protocol/run_words.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gw_approvals;

/* Read only for everyone else. */
struct gw_approval {
    struct gw_approvals *table;
    char *id;
    cJSON *request;                       /* what operators see, with its binding */
    char *actor;                          /* who may use it: a device, else one connection */
    bool is_device;                       /* actor is a device id */
    char *asked_by;                       /* the actor's name, for showing; may be NULL */
    int64_t created_at_ms, expires_at_ms; /* wall clock, for showing */
    enum oc_decision decision;            /* none: not (yet) */
    char *resolved_by;                    /* a name, for showing */
    enum oc_cause cause;                  /* why it is denied without a decision; or none */
    cJSON *asker, *decider; /* who they are (gateway/exec/run_caller.h), whatever name they give;
                               may be NULL */
    int64_t resolved_at_ms; /* wall clock; also of those that ran out of time */
    bool is_settled;        /* decided, or out of time */
    bool is_used;           /* allow-once: has been */
    int64_t deadline_ms;    /* monotonic */
    bool is_looking;        /* the node is being asked what it is; nobody can decide it yet */
    char *look;    /* what the node saw when it was asked for (gateway/exec/approval_look.h); NULL:
                      nothing */
    char *look_at; /* the node's name for the command */
    char *state;   /* … and for the state of its files */
    const char *asked_at; /* the node asks somebody there, too: "terminal", "desktop"; NULL: not */
    char *void_reason;    /* its files were seen in another state since: it allows nothing any more;
                          NULL */
    size_t bytes;         /* that the request takes in memory, with what the node said */
    size_t shown;         /* … and in the list of those that wait */
    struct oc_timer timer;  /* the deadline, then the end of the grace time */
    struct oc_list waiters; /* gw_approval_waiter.link */
    struct oc_list link;    /* gw_approvals.all, oldest first */
};

/* Embedded in whoever waits; on_settled fires once, unless the waiter left before. */
struct gw_approval_waiter {
    struct oc_list link; /* gw_approval.waiters */
    /* It can be decided now; before on_settled. May be NULL. */
    void (*on_ready)(struct gw_approval_waiter *w, const struct gw_approval *a);
    void (*on_settled)(struct gw_approval_waiter *w, const struct gw_approval *a);
};

struct gw_approvals *gw_approvals_create(struct oc_loop *loop);
/* Told about every approval that is settled, before those who wait for it. */
typedef void gw_approval_told(void *user, const struct gw_approval *a);
void gw_approvals_on_settled(struct gw_approvals *t, gw_approval_told *tell, void *user);
/* Told about those that nobody decided in time, when everyone else has been told. */
void gw_approvals_on_expired(struct gw_approvals *t, gw_approval_told *tell, void *user);
/* Who still waits is forgotten. */
void gw_approvals_destroy(struct gw_approvals *t);

/* id NULL: one is made. OC_E_EXISTS: the id is taken, or was. OC_E_UNAVAILABLE: too many wait. The
 * request is consumed either way. */
struct gw_approval_spec {
    const char *id, *actor;
    const char *asked_by; /* may be NULL */
    const cJSON *asker;   /* copied; may be NULL */
    bool is_device;
    int64_t timeout_ms; /* ≤ 0: the default */
};
enum oc_code gw_approvals_add(struct gw_approvals *t, const struct gw_approval_spec *spec,
        cJSON *take_request, const struct gw_approval **ret, struct oc_error *err) OC_MUST_USE;
const struct gw_approval *gw_approvals_find(const struct gw_approvals *t, const char *id);
/* False when there is no such approval, or it is settled already. decider is copied, and may be
 * NULL. */
bool gw_approvals_resolve(struct gw_approvals *t, const char *id, enum oc_decision decision,
        const char *resolved_by, const cJSON *decider);
/* Denies what nobody needs to decide any more: whoever had asked took it back (by: their name) or
 * has left (by: NULL). False as above. */
bool gw_approvals_withdraw(struct gw_approvals *t, const char *id, enum oc_cause cause,
        const char *by, const cJSON *decider);
/* The time to use it is over, decided or not. */
bool gw_approval_is_expired(const struct gw_approval *a);
/* The node is being asked what it is: it can be waited for, but is in no list, and nobody can
 * decide it. */
void gw_approval_set_looking(const struct gw_approval *a);
/* What the node said, which becomes part of the request. All copied; NULL: it could not say. */
struct gw_approval_look {
    const char *look, *look_at, *state;
    const char *asked_at; /* a literal (gw_approval_asked_at) */
    const cJSON *facts;   /* the request's `look` */
    const cJSON *unbound; /* what decides about it and is not bound, an array of texts; NULL: it did
                             not say */
};
/* From now on it can be decided. Facts that are too large, or for which there is no room left, are
 * left out, and the request says that content is not bound. */
void gw_approval_looked(const struct gw_approval *a, const struct gw_approval_look *look);
/* The node does not ask about it any more: it has answered. */
void gw_approval_answered_there(const struct gw_approval *a);
/* Something else was seen since. It is denied if nobody has decided, and allows nothing in any
 * case. */
void gw_approval_void(const struct gw_approval *a, const char *reason);
/* The request says that what it runs is not bound. */
bool gw_approval_is_unbound(const struct gw_approval *a);
/* Takes the one use of allow-once, or gives it back when nothing was run. */
void gw_approval_set_used(const struct gw_approval *a, bool is_used);
/* Fires at once when it is settled. OC_E_UNAVAILABLE: too many wait for it. */
enum oc_code gw_approval_wait(const struct gw_approval *a, struct gw_approval_waiter *w,
        struct oc_error *err) OC_MUST_USE;
void gw_approval_leave(struct gw_approval_waiter *w);
/* The one that was asked for before a; NULL for a: the newest. NULL at the end. */
const struct gw_approval *gw_approvals_before(
        const struct gw_approvals *t, const struct gw_approval *a);
/* [{id, request, createdAtMs, expiresAtMs, approvalKind, requestedBy, asker}], those that wait for
 * a decision. Always fits into one message. */
cJSON *gw_approvals_pending(const struct gw_approvals *t);

#endif
