#include "canvas/address.h"

#include <string.h>
#include <strings.h>

bool oc_address_is_web(const char *url) {
    return strncasecmp(url, "https://", 8) == 0 || strncasecmp(url, "http://", 7) == 0;
}

const char *oc_address_name(struct oc_arena *a, const char *url) {
    if (strncasecmp(url, "data:", 5) == 0)
        return "";
    const char *start = strstr(url, "://");
    start = start ? start + 3 : url;
    size_t len = strcspn(start, "?#");
    while (len > 0 && start[len - 1] == '/')
        len--;
    const char *name = start;
    for (size_t i = 0; i < len; i++) {
        if (start[i] == '/')
            name = start + i + 1;
    }
    return oc_arena_strndup(a, name, (size_t)(start + len - name));
}

bool oc_address_may_open(const char *url) {
    return oc_address_is_web(url) || strncasecmp(url, "mailto:", 7) == 0;
}
