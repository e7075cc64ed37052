/* Where a gateway is, and what proves it: an address of node.json, or one that the gateway named
 * (docs/PROTOCOL.md#a-gateway-that-moves). */
#ifndef NODE_PLACE_H
#define NODE_PLACE_H

#include "lib/base/error.h"
#include "lib/json/json.h"

#include <stdbool.h>
#include <stdint.h>

/* Zero: nowhere. */
struct nd_place {
    char *host;            /* owned, like all of them; NULL: nowhere */
    char *path;            /* "/" or "/prefix" */
    char *tls_fingerprint; /* NULL: by authority, or no TLS */
    uint16_t port;
    bool tls;
};

void nd_place_finish(struct nd_place *p);
struct nd_place nd_place_copy(const struct nd_place *p);
bool nd_place_is_same(const struct nd_place *a, const struct nd_place *b);
/* "wss://127.0.0.1:18789/prefix". Caller frees. */
char *nd_place_url(const struct nd_place *p);
/* lib/net/peer.h. Caller frees. */
char *nd_place_name(const struct nd_place *p);

/* "openclaw", "/openclaw/" and "/openclaw" are one prefix; *ret is "/openclaw", or "/". Caller
 * frees. */
enum oc_code nd_place_path(const char *text, char **ret, struct oc_error *err) OC_MUST_USE;
/* {"host"?,"port","tls","tlsFingerprint"?,"contextPath"?}, of a peer or a file: every member is
 * checked, and of the optional ones the host and the path are `from`'s. */
enum oc_code nd_place_decode(const cJSON *o, const struct nd_place *from, struct nd_place *ret,
        struct oc_error *err) OC_MUST_USE;
/* Its members, put into o; those that do not apply are removed from it. */
void nd_place_put(cJSON *o, const struct nd_place *p);

#endif
