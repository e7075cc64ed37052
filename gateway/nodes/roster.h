/* Every node that is paired, connected or not, in memory: a list of ten thousand nodes must not
 * cost ten thousand reads.
 *
 * The store stays the truth. Whoever changes something about a node in the store refreshes its
 * entry here. */
#ifndef GATEWAY_NODES_ROSTER_H
#define GATEWAY_NODES_ROSTER_H

#include "gateway/pairing/pairing.h"
#include "gateway/pairing/surface.h"
#include "lib/base/error.h"

#include <stddef.h>
#include <stdint.h>

/* What is known of a node that is not connected. Strings may be NULL, but for the id. */
struct gw_known_node {
    char *id, *display_name, *platform, *version, *client_id, *client_mode, *device_family,
            *remote_ip;
    bool is_named_by_owner;
    char *seen_reason;                         /* NULL: it has never shown a sign of life */
    int64_t seen_ms, seen_saved_ms;            /* the second: what the store says */
    int64_t last_connected_ms, approved_at_ms; /* 0: never */
};

struct gw_roster;

/* Reads everything once. */
enum oc_code gw_roster_create(struct gw_pairing *pairing, struct gw_surface *surface,
        struct gw_roster **ret, struct oc_error *err) OC_MUST_USE;
void gw_roster_destroy(struct gw_roster *r);
/* Reads this node again. When the store cannot be read the old entry stays. */
void gw_roster_refresh(struct gw_roster *r, const char *node_id);
const struct gw_known_node *gw_roster_find(const struct gw_roster *r, const char *node_id);
size_t gw_roster_count(const struct gw_roster *r);
/* Start with *pos = 0; no order. */
const struct gw_known_node *gw_roster_next(const struct gw_roster *r, size_t *pos);

/* A sign of life. The store is told about once a minute, and at gw_roster_save: nodes say often
 * that they live. */
void gw_roster_seen(struct gw_roster *r, const char *node_id, int64_t wall_ms, const char *reason);
/* Writes down what the store does not know yet. Call it before the store closes. */
void gw_roster_save(struct gw_roster *r);

#endif
