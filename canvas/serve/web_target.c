#include "canvas/serve/web_target.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/one_of.h"
#include "lib/base/str.h"
#include "lib/helper/canvas_path.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#define MAX_URI 16384
#define MAX_HOST 256

static bool has_scheme(const char *url, const char *scheme) {
    size_t n = strlen(scheme);
    return strncasecmp(url, scheme, n) == 0 && strncmp(url + n, "://", 3) == 0;
}

static bool is_http(const char *url) {
    return has_scheme(url, "http") || has_scheme(url, "https");
}

bool cv_web_is_local(const char *uri) {
    return uri && has_scheme(uri, CV_WEB_SCHEME);
}

/* Lower case, without user, port, brackets and the last dot; "" when there is none or it is too
 * long. */
static void host_of(const char *uri, char ret[MAX_HOST]) {
    const char *from = strstr(uri, "://");
    ret[0] = '\0';
    if (!from) {
        return;
    }
    from += 3;
    size_t len = strcspn(from, "/?#\\");
    for (size_t i = len; i > 0; i--) {
        if (from[i - 1] == '@') {
            from += i;
            len -= i;
            break;
        }
    }
    if (len > 0 && from[0] == '[') {
        from++;
        len = strcspn(from, "]");
    } else {
        const char *colon = memchr(from, ':', len);
        len = colon ? (size_t)(colon - from) : len;
    }
    len -= len > 0 && from[len - 1] == '.';
    if (len < MAX_HOST) {
        memcpy(ret, from, len);
        ret[len] = '\0';
        oc_ascii_lower(ret);
    }
}

/* Also of ::ffff:1.2.3.4. */
static bool as_v4(const char *host, uint32_t *ret) {
    struct in_addr v4;
    struct in6_addr v6;
    if (inet_aton(host, &v4)) { /* 0x7f.1 and 2130706433, too: browsers read them so */
        *ret = ntohl(v4.s_addr);
        return true;
    }
    if (inet_pton(AF_INET6, host, &v6) == 1 && IN6_IS_ADDR_V4MAPPED(&v6)) {
        memcpy(&v4.s_addr, v6.s6_addr + 12, 4);
        *ret = ntohl(v4.s_addr);
        return true;
    }
    return false;
}

static bool is_in(uint32_t address, uint32_t net, unsigned bits) {
    return address >> (32 - bits) == net >> (32 - bits);
}

const char *cv_web_why_forbidden(enum oc_address_class class) {
    switch (class) {
    case OC_ADDRESS_LINK:
        return "link-local addresses are not shown: clouds keep a machine's keys there";
    case OC_ADDRESS_NOWHERE:
        return "addresses that are reserved are not shown: they are nobody's, or lead where nobody "
               "can tell";
    case OC_ADDRESS_MACHINE:
    case OC_ADDRESS_PRIVATE:
    case OC_ADDRESS_PUBLIC:
        break;
    }
    return NULL;
}

/* The class of a number, and of names what they stand for everywhere. */
static enum oc_address_class class_of(const char *uri) {
    char host[MAX_HOST];
    uint32_t v4;
    struct in6_addr v6;
    host_of(uri, host);
    if (as_v4(host, &v4)) {
        return oc_address_class_v4(v4);
    }
    if (inet_pton(AF_INET6, host, &v6) == 1) {
        return oc_address_class_v6(&v6);
    }
    bool is_metadata =
            strcmp(host, "metadata") == 0 || strcmp(host, "metadata.google.internal") == 0;
    return is_metadata ? OC_ADDRESS_LINK : host[0] == '\0' ? OC_ADDRESS_NOWHERE : OC_ADDRESS_PUBLIC;
}

bool cv_web_is_forbidden(const char *uri) {
    return is_http(uri) && cv_web_why_forbidden(class_of(uri)) != NULL;
}

bool cv_web_is_trusted(const char *uri, bool trusts_network) {
    char host[MAX_HOST];
    uint32_t v4;
    struct in6_addr v6;
    if (!uri || !is_http(uri) || !trusts_network || cv_web_is_forbidden(uri)) {
        return cv_web_is_local(uri);
    }
    host_of(uri, host);
    if (as_v4(host, &v4)) {
        return is_in(v4, 0x7f000000, 8) || is_in(v4, 0x0a000000, 8) || is_in(v4, 0xac100000, 12) ||
               is_in(v4, 0xc0a80000, 16) || is_in(v4, 0x64400000, 10);
    }
    if (inet_pton(AF_INET6, host, &v6) == 1) {
        return IN6_IS_ADDR_LOOPBACK(&v6) || (v6.s6_addr[0] & 0xfe) == 0xfc;
    }
    return !strchr(host, '.') || oc_ends_with(host, ".localhost") || oc_ends_with(host, ".local") ||
           oc_ends_with(host, ".ts.net");
}

/* As a person would write it, with spaces and all; or as an address, when it has escapes. */
static char *local_uri(const char *path) {
    struct oc_buf b = OC_BUF_INIT(MAX_URI);
    bool is_escaped = strchr(path, '%') != NULL;
    (void)oc_buf_puts(&b, CV_WEB_LOCAL);
    for (const char *p = path + strspn(path, "/"); *p; p++) {
        unsigned char c = (unsigned char)*p;
        bool is_plain = c > ' ' && c < 127 && !oc_is_one_of(c, "%\"<>\\^`{|}");
        if (is_plain || (is_escaped && c == '%')) {
            (void)oc_buf_putc(&b, *p);
        } else {
            (void)oc_buf_printf(&b, "%%%02X", c);
        }
    }
    return b.failed ? (oc_buf_finish(&b), NULL) : oc_buf_take(&b);
}

enum oc_code cv_web_target(
        const char *url, const char *root, char **ret_uri, struct oc_error *err) {
    OC_AUTO_FREE char *copy = oc_strdup(url ? url : "");
    const char *text = oc_trim(copy), *path = "";
    if (strlen(text) > MAX_URI / 3) {
        return oc_fail(err, OC_E_TOO_LARGE, "the address is too long");
    }
    if (is_http(text)) {
        if (cv_web_is_forbidden(text)) {
            return oc_fail(err, OC_E_DENIED, "%s", cv_web_why_forbidden(class_of(text)));
        }
        *ret_uri = oc_strdup(text);
        return OC_OK;
    }
    enum oc_code rc = oc_canvas_path(text, root, &path, err);
    if (rc == OC_OK && !root) {
        rc = oc_fail(err, OC_E_UNAVAILABLE, "there is no folder for canvas files");
    }
    if (rc == OC_OK && !(*ret_uri = local_uri(path))) {
        rc = oc_fail(err, OC_E_TOO_LARGE, "the address is too long");
    }
    return rc;
}
