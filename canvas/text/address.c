#include "canvas/text/address.h"

#include "lib/base/encode.h"
#include "lib/base/utf8.h"

#include <string.h>
#include <strings.h>

bool cv_address_is_web(const char *url) {
    return strncasecmp(url, "https://", 8) == 0 || strncasecmp(url, "http://", 7) == 0;
}

/* For people: %20 is a space. What would not be text afterwards stays as it is. */
static const char *address_decoded(struct cv_arena *a, const char *name) {
    char *text = cv_arena_strndup(a, name, strlen(name));
    size_t to = 0;
    for (const char *p = name; *p; p++) {
        int byte = oc_percent_value(p, strnlen(p, 3));
        bool is_sign = byte >= ' ' && byte != 127;
        if (is_sign) {
            text[to++] = (char)byte;
            p += 2;
        } else {
            text[to++] = *p;
        }
    }
    text[to] = '\0';
    return oc_utf8_valid(text, to) ? text : name;
}

const char *cv_address_name(struct cv_arena *a, const char *url) {
    if (strncasecmp(url, "data:", 5) == 0) {
        return "";
    }
    const char *start = strstr(url, "://");
    start = start ? start + 3 : url;
    size_t len = strcspn(start, "?#");
    while (len > 0 && start[len - 1] == '/') {
        len--;
    }
    const char *name = start;
    for (size_t i = 0; i < len; i++) {
        if (start[i] == '/') {
            name = start + i + 1;
        }
    }
    return address_decoded(a, cv_arena_strndup(a, name, (size_t)(start + len - name)));
}

bool cv_address_may_open(const char *url) {
    return cv_address_is_web(url) || strncasecmp(url, "mailto:", 7) == 0;
}
