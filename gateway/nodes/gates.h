/* Why a node command may not be sent: the gate that stops it, and the one thing that opens it. */
#ifndef GATEWAY_NODES_GATES_H
#define GATEWAY_NODES_GATES_H

#include "gateway/nodes/nodes.h"
#include "lib/base/buf.h"
#include "lib/json/json.h"

struct gw_gate_refusal {
    char message[1536];
    cJSON *details; /* {reason, command} and the grounds; owned */
    struct oc_grounds grounds;
};

/* True when the command may be sent; otherwise *ret is filled. */
bool gw_gates_pass(const struct gw_node *node, const char *platform, const struct gw_policy *policy,
        const char *command, struct gw_gate_refusal *ret);

/* {"system.run":{"declared":true,"approved":true,"policy":true},…} for every declared command; with
 * "local" when the node said whether its owner allows it. with_fixes adds "gate" and "fix" where
 * one is shut, in the words of the refusal that would come. */
void gw_gates_put(struct oc_buf *out, const struct gw_node *node, const struct gw_policy *policy,
        bool with_fixes);
/* One command of a node that is not here, with its fix: "system.run":{…} */
void gw_gates_put_offline(
        struct oc_buf *out, const char *command, const struct gw_command_gates *gates);
/* A node that lets nothing run, and what lets it run listed programs. */
struct oc_grounds gw_gates_local(const char *node_id);
/* True if every declared command may be used. */
bool gw_gates_all_open(const struct gw_node *node);

/* Operators reach these by exec.approvals.node.* alone; no policy lists them and they are nobody's
 * closed gate. */
bool gw_command_is_exec_approvals(const char *command);

#endif
