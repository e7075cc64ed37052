#include "gateway/settings/config_hash.h"

#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/identity/identity.h"

#include <string.h>

#define KEY_BYTES 32

void gw_config_hash(const struct oc_buf *raw, char ret[GW_CONFIG_HASH_LEN + 1]) {
    static uint8_t key[KEY_BYTES]; /* for the process: a restart within it changes no names */
    static bool has_key;
    if (!has_key) {
        oc_random(key, sizeof(key));
        has_key = true;
    }
    size_t len = KEY_BYTES + raw->len;
    char *text = oc_alloc(len + 1);
    memcpy(text, key, KEY_BYTES);
    if (raw->len > 0) {
        memcpy(text + KEY_BYTES, raw->data, raw->len);
    }
    oc_sha256_hex(text, len, ret);
    explicit_bzero(text, len);
    oc_free(text);
}
