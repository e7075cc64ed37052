#include "canvas/images/data_url.h"

#include "lib/base/encode.h"
#include "lib/base/mem.h"

#include <string.h>
#include <strings.h>

bool cv_data_url_is(const char *url) {
    return strncasecmp(url, "data:", 5) == 0;
}

/* %41 is "A". Returns how much there is. */
static size_t percent_decode(const char *text, size_t len, uint8_t *ret) {
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        int byte = oc_percent_value(text + i, len - i);
        ret[n++] = (uint8_t)(byte >= 0 ? byte : text[i]);
        i += byte >= 0 ? 2 : 0;
    }
    return n;
}

uint8_t *cv_data_url_decode(const char *url, size_t *ret_len, const char **ret_why) {
    const char *comma = strchr(url, ',');
    if (!comma) {
        *ret_why = "a data: address without a comma";
        return NULL;
    }
    size_t len = strlen(comma + 1);
    OC_AUTO_FREE uint8_t *plain = oc_alloc(len + 1), *bytes = oc_alloc(len + 1);
    size_t plain_len = percent_decode(comma + 1, len, plain);
    static const char mark[] = ";base64";
    bool is_base64 = comma - url > (ptrdiff_t)strlen(mark) &&
                     strncasecmp(comma - strlen(mark), mark, strlen(mark)) == 0;
    if (!is_base64) {
        *ret_len = plain_len;
        return oc_take(&plain);
    }
    size_t kept = 0; /* line breaks and spaces are allowed in it */
    for (size_t i = 0; i < plain_len; i++) {
        if (plain[i] > ' ') {
            plain[kept++] = plain[i];
        }
    }
    if (!oc_base64_decode((const char *)plain, kept, bytes, len, ret_len)) {
        *ret_why = "its base64 is damaged";
        return NULL;
    }
    return oc_take(&bytes);
}
