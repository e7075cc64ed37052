/* The person at the node is asked about an approval at the same time as operators. The look of
 * gateway/exec/approval_look.h carries the question, node.event "node.exec.prompted" the answer,
 * and a node that still asks is told when it is settled. Whoever is first decides.
 *
 * A yes counts like an operator's: the node looks once more, and only what was asked about is
 * allowed. That somebody was asked, and what they said, is the node's word and recorded as such;
 * gate 4 is its owner's own. */
#ifndef GATEWAY_EXEC_APPROVAL_AT_NODE_H
#define GATEWAY_EXEC_APPROVAL_AT_NODE_H

#include "gateway/exec/approval_look.h"
#include "gateway/exec/approvals.h"
#include "lib/json/json.h"

struct gw_conn;
struct gw_conns;

/* {"id","timeoutMs","run"?}, for a node of ours. Caller deletes. */
cJSON *gw_approval_ask_of(const struct gw_approval *a);
/* Where the node says that it asks: a literal, or NULL: nowhere. */
const char *gw_approval_asked_at(const char *text);
/* What somebody there decided. NULL, or why it counts for nothing: a literal. */
const char *gw_approval_prompted(
        const struct gw_approval_looks *looks, struct gw_conn *node, const cJSON *payload);
/* Nobody needs to be asked there any more. */
void gw_approval_ask_over(struct gw_conns *all, const char *node_id, const char *approval_id);

#endif
