#include "node/looks/exec_seal.h"

#include "lib/base/encode.h"
#include "lib/identity/digest.h"

#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned char key[32];
static char epoch[17];

static void make_key(void) {
    uint8_t name[8];
    oc_random(key, sizeof(key));
    oc_random(name, sizeof(name));
    oc_hex(name, sizeof(name), epoch);
}

void nd_exec_seal(const void *data, size_t len, char ret[ND_SEAL_LEN + 1]) {
    uint8_t mac[OC_DIGEST_LEN];
    pthread_once(&once, make_key);
    oc_hmac_sha256(key, sizeof(key), data, len, mac);
    oc_hex(mac, sizeof(mac), ret);
}

const char *nd_exec_seal_epoch(void) {
    pthread_once(&once, make_key);
    return epoch;
}
