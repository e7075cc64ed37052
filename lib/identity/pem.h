/* Ed25519 keys as PEM. Their DER is a fixed prefix and 32 bytes, so no ASN.1 decoder reads what a
 * peer sent. */
#ifndef LIB_IDENTITY_PEM_H
#define LIB_IDENTITY_PEM_H

#include <stdbool.h>
#include <stdint.h>

#define OC_KEY_BYTES 32

char *oc_pem_write_private(const uint8_t seed[OC_KEY_BYTES]); /* PKCS#8; free with oc_free_secret */
char *oc_pem_write_public(const uint8_t key[OC_KEY_BYTES]);   /* SPKI; caller frees */
bool oc_pem_read_private(const char *pem, uint8_t ret_seed[OC_KEY_BYTES]);
bool oc_pem_read_public(const char *pem, uint8_t ret_key[OC_KEY_BYTES]);

#endif
