/* Whether the gateway at the other end of a plain connection is one of this user's.
 *
 * Within one machine a port proves nothing: any user may listen there while the gateway does not.
 * What does is the kernel's word on who owns the other end. With TLS the certificate proves it. */
#ifndef LIB_NET_PEER_H
#define LIB_NET_PEER_H

#include "lib/base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* OC_OK: the other end belongs to this user, to root or to `account` (a name or a number; NULL:
 * nobody else), or is reached over a network, where the kernel has no word. OC_E_AUTH: another user
 * holds that port; the text names them. OC_E_UNAVAILABLE: it is in this machine, or at one of its
 * addresses, and the kernel does not tell whose it is. */
enum oc_code oc_peer_check(int fd, const char *account, struct oc_error *err) OC_MUST_USE;
/* For the texts above: what the owner of both accounts does about it. */
#define OC_PEER_FIX                                                                        \
    "stop the other program or choose another port; if your gateway runs under that user " \
    "account, name it: gateway.user in openclaw.json, or --gateway-user <name>"
/* What a client calls a gateway by, for what it keeps per gateway: the pin of its certificate,
 * which stays when it moves, else where it is. path may be NULL. Caller frees. */
char *oc_gateway_name(
        const char *host, uint16_t port, const char *path, bool tls, const char *tls_fingerprint);
/* "user mallory (uid 1001)". Caller frees. */
char *oc_peer_name(unsigned uid);

#endif
