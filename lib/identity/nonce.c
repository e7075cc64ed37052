#include "lib/identity/nonce.h"

#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"

#include <stdio.h>
#include <string.h>

#define MARK ".tls-"
#define PIN_LEN 64

void oc_nonce_make(const char *pin, char ret[OC_NONCE_LEN + 1]) {
    char id[OC_UUID_LEN + 1];
    oc_uuid4(id);
    (void)snprintf(ret, OC_NONCE_LEN + 1, "%s%s%s", id, pin ? MARK : "", pin ? pin : "");
}

bool oc_nonce_fits(const char *nonce, const char *pin) {
    size_t len = strlen(nonce), tail = strlen(MARK) + PIN_LEN;
    const char *mark = len >= tail ? nonce + len - tail : NULL;
    if (!mark || strncmp(mark, MARK, strlen(MARK)) != 0 ||
            strspn(mark + strlen(MARK), "0123456789abcdef") != PIN_LEN) {
        return true;
    }
    return pin && oc_streq(mark + strlen(MARK), pin);
}
