/* TLS 1.2 or newer over another stream, both sides, with OpenSSL.
 *
 * A client checks the gateway's certificate either by its pin (SHA-256 of the certificate in DER
 * form; the usual checks are then off, since gateways sign their own) or by the system's
 * certificate authorities and the host name. */
#ifndef LIB_NET_TLS_H
#define LIB_NET_TLS_H

#include "lib/base/error.h"
#include "lib/net/loop/stream.h"

#include <stdbool.h>

#define OC_TLS_PIN_LEN 64

/* Drops a leading "sha256:", every character that is not a hex digit, and case. False if not 64
 * digits remain. */
bool oc_tls_pin_normalize(const char *text, char ret[OC_TLS_PIN_LEN + 1]);

/* Takes the stream in every case. pin NULL: by certificate authority. host is for name check and
 * SNI. */
enum oc_code oc_tls_client(struct oc_stream *take_under, const char *host, const char *pin,
        struct oc_stream **ret, struct oc_error *err) OC_MUST_USE;

/* Certificate and key of a listening side; PEM files. Must outlive the server, not its connections.
 */
struct oc_tls_server;
enum oc_code oc_tls_server_create(const char *cert_path, const char *key_path,
        struct oc_tls_server **ret, struct oc_error *err) OC_MUST_USE;
/* Certificates between the server's own and an authority that clients know, sent along with it. */
enum oc_code oc_tls_server_add_chain(
        struct oc_tls_server *t, const char *ca_path, struct oc_error *err) OC_MUST_USE;
/* The pin a client needs, 64 hex digits. */
const char *oc_tls_server_pin(const struct oc_tls_server *t);
void oc_tls_server_destroy(struct oc_tls_server *t);

/* The stream below one whose handshake has failed with OC_CAUSE_NEEDS_TLS, to say so in HTTP. */
struct oc_stream *oc_tls_unwrap(struct oc_stream *take_s);
/* Takes the stream in every case. */
enum oc_code oc_tls_accept(struct oc_tls_server *t, struct oc_stream *take_under,
        struct oc_stream **ret, struct oc_error *err) OC_MUST_USE;

#endif
