/* Every node that is paired, connected or not, in memory: a list of ten thousand nodes must not cost ten thousand reads.
 *
 * The store stays the truth. Whoever changes something about a node in the store refreshes its entry here. */
#ifndef GATEWAY_NODES_ROSTER_H
#define GATEWAY_NODES_ROSTER_H

#include "gateway/pairing/pairing.h"
#include "gateway/pairing/surface.h"
#include "lib/base/error.h"

#include <stddef.h>
#include <stdint.h>

/* What is known of a node that is not connected. Strings may be NULL, but for the id. */
struct oc_known_node {
    char *id, *display_name, *platform, *version, *client_id, *client_mode, *device_family,
            *remote_ip;
    bool is_named_by_owner;
    char *seen_reason;                         /* NULL: it has never shown a sign of life */
    int64_t seen_ms, seen_saved_ms;            /* the second: what the store says */
    int64_t last_connected_ms, approved_at_ms; /* 0: never */
};

struct oc_roster;

/* Reads everything once. */
enum oc_code oc_roster_create(struct oc_pairing *pairing, struct oc_surface *surface,
        struct oc_roster **ret, struct oc_error *err) OC_MUST_USE;
void oc_roster_destroy(struct oc_roster *r);
/* Reads this node again. When the store cannot be read the old entry stays. */
void oc_roster_refresh(struct oc_roster *r, const char *node_id);
const struct oc_known_node *oc_roster_find(const struct oc_roster *r, const char *node_id);
size_t oc_roster_count(const struct oc_roster *r);
/* Start with *pos = 0; no order. */
const struct oc_known_node *oc_roster_next(const struct oc_roster *r, size_t *pos);

/* A sign of life. The store hears of it about once a minute, and at oc_roster_save: nodes say often that they live. */
void oc_roster_seen(struct oc_roster *r, const char *node_id, int64_t wall_ms, const char *reason);
/* Writes down what the store does not know yet. Call it before the store closes. */
void oc_roster_save(struct oc_roster *r);

#endif
