/* The nodes that are connected now, by device id. */
#ifndef GATEWAY_NODES_NODES_H
#define GATEWAY_NODES_NODES_H

#include "gateway/settings/policy.h"
#include "lib/base/str.h"
#include "lib/json/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gw_conn;
struct gw_conn_client;  /* gateway/origin/client.h */
struct gw_origin_facts; /* gateway/origin/locality.h */

struct gw_node {
    struct gw_conn *conn; /* owns this record, and what is borrowed here */
    const char *id;       /* its device id */
    const struct gw_conn_client *client;
    const struct gw_origin_facts *from;
    char *display_name; /* the owner's name for it, else its own; may be NULL */
    bool is_named_by_owner;
    enum gw_platform_class platform_class;
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

struct gw_nodes;

struct gw_nodes *gw_nodes_create(void);
void gw_nodes_destroy(struct gw_nodes *n); /* does not touch the records */
/* Returns the record this one replaces (an older connection of the same device), or NULL. */
struct gw_node *gw_nodes_register(struct gw_nodes *n, struct gw_node *node);
/* False when another connection of the device has taken its place: then nothing is removed. */
bool gw_nodes_unregister(struct gw_nodes *n, const struct gw_node *node);
struct gw_node *gw_nodes_find(const struct gw_nodes *n, const char *id);
size_t gw_nodes_count(const struct gw_nodes *n);
/* Start with *pos = 0; no order. */
struct gw_node *gw_nodes_next(const struct gw_nodes *n, size_t *pos);

void gw_node_destroy(struct gw_node *node);
const char *gw_node_approval_state(
        const struct gw_node *node); /* "approved" or "pending-approval" */
/* Which gates one command passes. */
enum gw_local_gate { GW_LOCAL_UNKNOWN, GW_LOCAL_SHUT, GW_LOCAL_OPEN };
struct gw_command_gates {
    bool declared, approved, policy;
    enum gw_local_gate local; /* what the node said last about itself */
};
struct gw_command_gates gw_node_gates(
        const struct gw_node *node, const struct gw_policy *p, const char *command);

#endif
