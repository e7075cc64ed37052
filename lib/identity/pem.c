#include "lib/identity/pem.h"

#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/base/one_of.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>

#define MAX_PREFIX 16
#define MAX_BASE64 128

struct pem_form {
    const char *label;
    uint8_t prefix[MAX_PREFIX];
    size_t prefix_len;
};

static const struct pem_form pkcs8 = {
    "PRIVATE KEY",
    { 0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04,
            0x20 },
    16,
};
static const struct pem_form spki = {
    "PUBLIC KEY",
    { 0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00 },
    12,
};

/* Both forms are at most 64 characters of base64: one line. */
static char *write_pem(const struct pem_form *f, const uint8_t key[OC_KEY_BYTES]) {
    uint8_t der[MAX_PREFIX + OC_KEY_BYTES];
    memcpy(der, f->prefix, f->prefix_len);
    memcpy(der + f->prefix_len, key, OC_KEY_BYTES);
    OC_AUTO_SECRET char *text = oc_base64(der, f->prefix_len + OC_KEY_BYTES);
    OPENSSL_cleanse(der, sizeof(der));
    return oc_strfmt("-----BEGIN %s-----\n%s\n-----END %s-----\n", f->label, text, f->label);
}

/* Copies the base64 between the two lines without its white space; 0 if it does not fit or a line
 * is missing. */
static size_t body_of(const char *pem, const char *label, char ret[MAX_BASE64]) {
    char begin[40], end[40];
    (void)snprintf(begin, sizeof(begin), "-----BEGIN %s-----", label);
    (void)snprintf(end, sizeof(end), "-----END %s-----", label);
    const char *p = strstr(pem, begin);
    const char *stop = p ? strstr(p, end) : NULL;
    size_t n = 0;
    for (p = stop ? p + strlen(begin) : NULL; p && p < stop; p++) {
        if (oc_is_one_of(*p, " \t\r\n")) {
            continue;
        }
        if (n == MAX_BASE64) {
            return 0;
        }
        ret[n++] = *p;
    }
    return n;
}

static bool read_pem(const struct pem_form *f, const char *pem, uint8_t ret[OC_KEY_BYTES]) {
    char text[MAX_BASE64];
    uint8_t der[MAX_PREFIX + OC_KEY_BYTES];
    size_t len = body_of(pem, f->label, text), der_len = 0;
    bool fits = oc_base64_decode(text, len, der, sizeof(der), &der_len) &&
                der_len == f->prefix_len + OC_KEY_BYTES &&
                memcmp(der, f->prefix, f->prefix_len) == 0;
    if (fits) {
        memcpy(ret, der + f->prefix_len, OC_KEY_BYTES);
    }
    OPENSSL_cleanse(text, sizeof(text));
    OPENSSL_cleanse(der, sizeof(der));
    return fits;
}

char *oc_pem_write_private(const uint8_t seed[OC_KEY_BYTES]) {
    return write_pem(&pkcs8, seed);
}

char *oc_pem_write_public(const uint8_t key[OC_KEY_BYTES]) {
    return write_pem(&spki, key);
}

bool oc_pem_read_private(const char *pem, uint8_t ret_seed[OC_KEY_BYTES]) {
    return read_pem(&pkcs8, pem, ret_seed);
}

bool oc_pem_read_public(const char *pem, uint8_t ret_key[OC_KEY_BYTES]) {
    return read_pem(&spki, pem, ret_key);
}
