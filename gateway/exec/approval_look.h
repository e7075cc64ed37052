/* What a command is when its approval is asked for: the gateway has the node look, in its own name,
 * and keeps what it says.
 *
 * That look is what approvers are shown (the request's `look`), what the run brings along
 * (`approvalLook`), and what the node compares the files with right before the start. Whatever was
 * seen before counts for nothing, since whoever asks can choose it. When anybody has the node look
 * again and it sees something else, the approval is void: nobody knows which of the two the person
 * saw who decides.
 *
 * Nodes of the reference look at nothing; approvals for them are about words, as there. */
#ifndef GATEWAY_EXEC_APPROVAL_LOOK_H
#define GATEWAY_EXEC_APPROVAL_LOOK_H

#include "lib/base/error.h"

#include <stdbool.h>

struct gw_answer;
struct gw_approval;
struct gw_approvals;
struct gw_conn;
struct gw_conns;
struct gw_invoke_waiter;
struct gw_invokes;
struct gw_nodes;

/* What looks work with, borrowed for the gateway's life. */
struct gw_approval_looks {
    struct gw_conns *conns;
    struct gw_approvals *approvals;
    struct gw_invokes *invokes;
    struct gw_nodes *nodes;
};

/* False: the node cannot be asked. Otherwise the approval becomes ready later and is announced
 * then. */
bool gw_approval_look_ask(const struct gw_approval_looks *looks, const struct gw_conn *asker,
        const struct gw_approval *a);
/* Once more, right before it is decided: w hears what the node answers. Only for an approval with a
 * state. */
enum oc_code gw_approval_look_again(const struct gw_approval_looks *looks,
        const struct gw_conn *decider, const struct gw_approval *a, struct gw_invoke_waiter *w,
        struct oc_error *err) OC_MUST_USE;
/* The state that such an answer tells; NULL: none. Caller frees. */
char *gw_approval_state_in(const struct gw_answer *answer);
/* Follows what nodes see from now on. */
void gw_approval_look_watch(struct gw_approval_looks *looks);

#endif
