/* <state>/node.json: who this node is and where it connects to, kept from run to run
 * (docs/PROTOCOL.md#files). */
#ifndef NODE_STATE_H
#define NODE_STATE_H

#include "lib/base/error.h"
#include "lib/config/config.h"
#include "node/place.h"

#include <stdbool.h>
#include <stdint.h>

struct nd_opts;

#define ND_MAX_FORMER 8 /* places that a gateway was at, the latest first */

struct nd_settings {
    char *node_id, *display_name; /* owned */
    struct nd_place at;           /* the gateway's; it has a host and a path */
    char *gateway_name;           /* of it: lib/net/peer.h */
    /* Where it will be, by its own word: tried first, and becomes `at` with a hello there. */
    struct nd_place next;
    /* Where it was before: who still names one of these means the same gateway. */
    struct nd_place former[ND_MAX_FORMER];
    bool is_own, knows_own; /* it is the gateway of this state directory; whether that was seen */
};

/* What is asked for in opts, else what the file says, else the default. The result is written back
 * when it differs; members we do not know stay. A file that cannot be understood is OC_E_CORRUPT
 * naming it, and is left as it is. */
enum oc_code nd_settings_load(
        const struct nd_opts *opts, struct nd_settings *ret, struct oc_error *err) OC_MUST_USE;
/* Keeps where the gateway will be; NULL: it stays. */
enum oc_code nd_settings_set_next(const char *state_dir, struct nd_settings *s,
        const struct nd_place *next, struct oc_error *err) OC_MUST_USE;
/* It is there: `next` is `at` from now on. */
enum oc_code nd_settings_arrive(
        const char *state_dir, struct nd_settings *s, struct oc_error *err) OC_MUST_USE;
enum oc_code nd_settings_set_own(const char *state_dir, struct nd_settings *s, bool is_own,
        struct oc_error *err) OC_MUST_USE;
/* Whose secrets of the config are for the gateway that these settings name. own_port: where the
 * gateway of this state directory listens; 0: as the config says. */
enum oc_gateway_kind nd_gateway_kind(
        const struct nd_settings *s, const cJSON *config, uint16_t own_port);
void nd_settings_finish(struct nd_settings *s);

#endif
