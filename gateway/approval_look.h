/* What a command is when its approval is asked for: the gateway has the node look, in its own name, and keeps what it says.
 *
 * That look is what approvers are shown (the request's `look`), what the run brings along (`approvalLook`), and what the node
 * compares the files with right before the start. Whatever was seen before counts for nothing, since whoever asks can choose
 * it. When anybody has the node look again and it sees something else, the approval is void: nobody knows which of the
 * two the person saw who decides.
 *
 * Nodes of the reference look at nothing; approvals for them are about words, as there. */
#ifndef GATEWAY_APPROVAL_LOOK_H
#define GATEWAY_APPROVAL_LOOK_H

#include <stdbool.h>

struct oc_approval;
struct oc_conn;
struct oc_gateway;

/* False: the node cannot be asked. Otherwise the approval becomes ready later and is announced then. */
bool oc_approval_look(
        struct oc_gateway *gw, const struct oc_conn *asker, const struct oc_approval *a);
/* Follows what nodes see from now on. */
void oc_approval_look_watch(struct oc_gateway *gw);

#endif
