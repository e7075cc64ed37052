/* The nodes that are connected now, by device id. */
#ifndef GATEWAY_NODES_NODES_H
#define GATEWAY_NODES_NODES_H

#include "gateway/settings/policy.h"
#include "lib/base/str.h"
#include "lib/json/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct oc_conn;
struct oc_conn_client;  /* gateway/origin/client.h */
struct oc_origin_facts; /* gateway/origin/locality.h */

struct oc_node {
    struct oc_conn *conn; /* owns this record, and what is borrowed here */
    const char *id;       /* its device id */
    const struct oc_conn_client *client;
    const struct oc_origin_facts *from;
    char *display_name; /* the owner's name for it, else its own; may be NULL */
    bool is_named_by_owner;
    enum oc_platform_class platform_class;
    struct oc_strv declared_caps, declared; /* what the node says it can do; sorted */
    struct oc_strv caps,
            commands; /* what may be used now: declared, allowed by policy, approved; sorted */
    struct oc_strv approved;  /* what somebody approved, whatever policy says about it now */
    bool is_approved;         /* nothing that policy allows waits for an approval */
    char *pending_request_id; /* surface approval that waits; NULL when none does */
    int64_t connected_at_ms, approved_at_ms;
    const cJSON *permissions;   /* borrowed from the connection; may be NULL */
    cJSON *host_stats;          /* the last it reported; NULL: it does not */
    int64_t host_stats_told_ms; /* monotonic; when others heard of them; 0: never */
};

struct oc_nodes;

struct oc_nodes *oc_nodes_create(void);
void oc_nodes_destroy(struct oc_nodes *n); /* does not touch the records */
/* Returns the record this one replaces (an older connection of the same device), or NULL. */
struct oc_node *oc_nodes_register(struct oc_nodes *n, struct oc_node *node);
/* False when another connection of the device has taken its place: then nothing is removed. */
bool oc_nodes_unregister(struct oc_nodes *n, const struct oc_node *node);
struct oc_node *oc_nodes_find(const struct oc_nodes *n, const char *id);
size_t oc_nodes_count(const struct oc_nodes *n);
/* Start with *pos = 0; no order. */
struct oc_node *oc_nodes_next(const struct oc_nodes *n, size_t *pos);

void oc_node_destroy(struct oc_node *node);
const char *oc_node_approval_state(
        const struct oc_node *node); /* "approved" or "pending-approval" */
/* Which gates one command passes. */
enum oc_local_gate { OC_LOCAL_UNKNOWN, OC_LOCAL_SHUT, OC_LOCAL_OPEN };
struct oc_command_gates {
    bool declared, approved, policy;
    enum oc_local_gate local; /* what the node said last about itself */
};
struct oc_command_gates oc_node_gates(
        const struct oc_node *node, const struct oc_policy *p, const char *command);

#endif
