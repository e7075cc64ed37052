/* The nonce of a connect challenge, which also says which gateway it is of.
 *
 * A device signs the nonce to prove itself. A gateway that passes the challenge of another one on
 * to a device would be let in there with the answer. So a gateway with TLS puts the pin of its
 * certificate into the nonce, where it cannot be taken out again, and a client answers only if that
 * is the certificate of its own connection. Clients of other makes send the nonce back as it is. */
#ifndef LIB_IDENTITY_NONCE_H
#define LIB_IDENTITY_NONCE_H

#include <stdbool.h>

#define OC_NONCE_LEN 105 /* a UUID, ".tls-", 64 hex digits */

/* pin: what clients of this connection see, 64 hex digits; NULL: without TLS, or TLS ends at a
 * proxy. */
void oc_nonce_make(const char *pin, char ret[OC_NONCE_LEN + 1]);
/* Whether a challenge that came over a connection with this pin ("" or NULL: without TLS) may be
 * answered. */
bool oc_nonce_fits(const char *nonce, const char *pin);

#endif
