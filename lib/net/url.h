/* http:// and https:// addresses, strictly: what two readers could understand differently is
 * refused (credentials, backslashes, hosts in odd number formats, escapes in hosts). */
#ifndef LIB_NET_URL_H
#define LIB_NET_URL_H

#include "lib/base/error.h"

#include <stdbool.h>
#include <stdint.h>

#define OC_MAX_URL 8192

struct oc_url {
    bool tls;
    char *host; /* lower case, IPv6 without brackets */
    uint16_t port;
    char *target; /* path and query, escaped where needed; no fragment */
};

enum oc_code oc_url_parse(const char *text, struct oc_url *ret, struct oc_error *err) OC_MUST_USE;
/* As a Location header has it: absolute, "//host/…", "/path", or relative to base. */
enum oc_code oc_url_resolve(const struct oc_url *base, const char *text, struct oc_url *ret,
        struct oc_error *err) OC_MUST_USE;
void oc_url_finish(struct oc_url *u);
/* "host:port", "[::1]:80"; caller frees. */
char *oc_url_authority(const struct oc_url *u);

#endif
