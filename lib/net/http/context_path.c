#include "lib/net/http/context_path.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"

#include <string.h>

char *oc_context_path(const char *text) {
    /* Setup codes carry it in an address; these need no escaping anywhere. */
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_~/";
    OC_AUTO_FREE char *copy = oc_strdup(text);
    const char *path = oc_trim(copy);
    path += strspn(path, "/");
    size_t len = strlen(path);
    while (len > 0 && path[len - 1] == '/') {
        len--;
    }
    OC_AUTO_FREE char *whole = len > 0 ? oc_strfmt("/%.*s/", (int)len, path) : oc_strdup("");
    bool is_odd = strstr(whole, "//") || strstr(whole, "/./") || strstr(whole, "/../");
    if (len >= OC_MAX_CONTEXT_PATH_BYTES || strspn(path, plain) < len || is_odd) {
        return NULL;
    }
    return len > 0 ? oc_strndup(whole, len + 1) : oc_strdup("");
}

bool oc_context_path_strip(const char *prefix, struct oc_http_head *head) {
    size_t n = strlen(prefix);
    if (strncmp(head->path, prefix, n) != 0 || (head->path[n] != '\0' && head->path[n] != '/')) {
        return false;
    }
    head->path = head->path[n] ? head->path + n : "/";
    return true;
}
