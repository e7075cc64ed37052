/* The certificate a gateway makes for itself, and how certificates are shown to people. */
#ifndef LIB_NET_TLS_CERT_H
#define LIB_NET_TLS_CERT_H

#include "lib/base/error.h"
#include "lib/net/tls.h"

#include <stdbool.h>

#define OC_TLS_SHOWN_LEN 95 /* "AB:CD:…", 32 bytes */

/* Writes a new key (P-256) and a certificate for it, signed by itself: CN=openclaw-gateway, for
 * localhost, 127.0.0.1, ::1 and this host's name, ten years. Both files are 0600, directories that
 * are missing are made 0700. Never overwrites: OC_E_EXISTS when either file is there. */
enum oc_code oc_tls_cert_create(
        const char *cert_path, const char *key_path, struct oc_error *err) OC_MUST_USE;

/* Of the gateway that makes its own: inside the state directory. */
#define OC_TLS_CERT_NAME "gateway/tls/gateway-cert.pem"
#define OC_TLS_KEY_NAME "gateway/tls/gateway-key.pem"
/* What clients pin the certificate of this file by. False: there is none that can be read. */
bool oc_tls_cert_pin(const char *cert_path, char ret[OC_TLS_PIN_LEN + 1]);

/* 64 hex digits as certificate tools show them: upper case, colons. */
void oc_tls_pin_shown(const char *pin, char ret[OC_TLS_SHOWN_LEN + 1]);

#endif
