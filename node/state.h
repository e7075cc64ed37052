/* <state>/node.json: who this node is and where it connects to, kept from run to run
 * (docs/PROTOCOL.md#files). */
#ifndef NODE_STATE_H
#define NODE_STATE_H

#include "lib/base/error.h"
#include "lib/config/config.h"

#include <stdbool.h>
#include <stdint.h>

struct nd_opts;

struct nd_settings {
    char *node_id, *display_name, *host, *tls_fingerprint; /* owned; the fingerprint may be NULL */
    char *path;                                            /* "/" or "/prefix" */
    uint16_t port;
    bool tls;
    char *gateway_name; /* lib/net/peer.h */
};

/* What is asked for in opts, else what the file says, else the default. The result is written back
 * when it differs; members we do not know stay. A file that cannot be understood is OC_E_CORRUPT
 * naming it, and is left as it is. */
enum oc_code nd_settings_load(
        const struct nd_opts *opts, struct nd_settings *ret, struct oc_error *err) OC_MUST_USE;
/* Whose secrets of the config are for the gateway that these settings name. own_port: where the
 * gateway of this state directory listens; 0: as the config says. */
enum oc_gateway_kind nd_gateway_kind(
        const struct nd_settings *s, const cJSON *config, uint16_t own_port);
void nd_settings_finish(struct nd_settings *s);

#endif
