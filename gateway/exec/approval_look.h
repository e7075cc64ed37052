/* What a command is when its approval is asked for: the gateway has the node look, in its own name, and keeps what it says.
 *
 * That look is what approvers are shown (the request's `look`), what the run brings along (`approvalLook`), and what the node
 * compares the files with right before the start. Whatever was seen before counts for nothing, since whoever asks can choose
 * it. When anybody has the node look again and it sees something else, the approval is void: nobody knows which of the
 * two the person saw who decides.
 *
 * Nodes of the reference look at nothing; approvals for them are about words, as there. */
#ifndef GATEWAY_EXEC_APPROVAL_LOOK_H
#define GATEWAY_EXEC_APPROVAL_LOOK_H

#include "lib/base/error.h"

#include <stdbool.h>

struct oc_answer;
struct oc_approval;
struct oc_conn;
struct oc_gateway;
struct oc_invoke_waiter;

/* False: the node cannot be asked. Otherwise the approval becomes ready later and is announced then. */
bool oc_approval_look(
        struct oc_gateway *gw, const struct oc_conn *asker, const struct oc_approval *a);
/* Once more, right before it is decided: w hears what the node answers. Only for an approval with a state. */
enum oc_code oc_approval_look_again(struct oc_gateway *gw, const struct oc_conn *decider,
        const struct oc_approval *a, struct oc_invoke_waiter *w, struct oc_error *err) OC_MUST_USE;
/* The state that such an answer tells; NULL: none. Caller frees. */
char *oc_approval_state_in(const struct oc_answer *answer);
/* Follows what nodes see from now on. */
void oc_approval_look_watch(struct oc_gateway *gw);

#endif
