#include "lib/net/addr.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/net/dial.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#define MAX_HOST 253

/* Copies host without brackets, trailing dot and upper case; false if it is too long or empty. */
static bool plain_host(const char *host, char *ret, size_t size) {
    size_t len = strlen(host);
    if (len >= 2 && host[0] == '[' && host[len - 1] == ']') {
        host++;
        len -= 2;
    } else if (len > 1 && host[len - 1] == '.') {
        len--;
    }
    if (len == 0 || len >= size) {
        return false;
    }
    memcpy(ret, host, len);
    ret[len] = '\0';
    oc_ascii_lower(ret);
    return true;
}

bool oc_addr_parse(const char *host, uint16_t port, struct oc_addr *ret) {
    char text[OC_MAX_ADDR_TEXT];
    if (!host || !plain_host(host, text, sizeof(text))) {
        return false;
    }
    struct oc_addr a = { 0 };
    if (inet_pton(AF_INET, text, &a.u.v4.sin_addr) == 1) {
        a.u.v4.sin_family = AF_INET;
        a.u.v4.sin_port = htons(port);
        a.len = sizeof(a.u.v4);
        *ret = a;
        return true;
    }
    char *zone = strchr(text, '%');
    if (zone) {
        *zone++ = '\0';
        a.u.v6.sin6_scope_id = if_nametoindex(zone);
        if (a.u.v6.sin6_scope_id == 0) {
            return false;
        }
    }
    if (inet_pton(AF_INET6, text, &a.u.v6.sin6_addr) != 1) {
        return false;
    }
    a.u.v6.sin6_family = AF_INET6;
    a.u.v6.sin6_port = htons(port);
    a.len = sizeof(a.u.v6);
    *ret = a;
    return true;
}

void oc_addr_unmap(struct oc_addr *a) {
    if (a->u.any.sa_family != AF_INET6 || !IN6_IS_ADDR_V4MAPPED(&a->u.v6.sin6_addr)) {
        return;
    }
    struct oc_addr v4 = { .len = sizeof(v4.u.v4) };
    v4.u.v4.sin_family = AF_INET;
    v4.u.v4.sin_port = a->u.v6.sin6_port;
    memcpy(&v4.u.v4.sin_addr, a->u.v6.sin6_addr.s6_addr + 12, 4);
    *a = v4;
}

uint16_t oc_addr_port(const struct oc_addr *a) {
    return ntohs(a->u.any.sa_family == AF_INET6 ? a->u.v6.sin6_port : a->u.v4.sin_port);
}

void oc_addr_host(const struct oc_addr *a, char ret[OC_MAX_ADDR_TEXT]) {
    const void *raw = a->u.any.sa_family == AF_INET6 ? (const void *)&a->u.v6.sin6_addr
                                                     : (const void *)&a->u.v4.sin_addr;
    if (!inet_ntop(a->u.any.sa_family, raw, ret, OC_MAX_ADDR_TEXT)) {
        ret[0] = '\0';
    }
}

char *oc_addr_text(const struct oc_addr *a) {
    char host[OC_MAX_ADDR_TEXT];
    oc_addr_host(a, host);
    return oc_strfmt(a->u.any.sa_family == AF_INET6 ? "[%s]:%u" : "%s:%u", host, oc_addr_port(a));
}

bool oc_addr_is_loopback(const struct oc_addr *a) {
    struct oc_addr v = *a;
    oc_addr_unmap(&v);
    if (v.u.any.sa_family == AF_INET6) {
        return IN6_IS_ADDR_LOOPBACK(&v.u.v6.sin6_addr);
    }
    return (ntohl(v.u.v4.sin_addr.s_addr) >> 24) == 127;
}

bool oc_addr_is_private(const struct oc_addr *a) {
    static const struct {
        uint32_t net;
        unsigned bits;
    } nets[] = {
        { 0x0a000000, 8 },  /* 10/8 */
        { 0xac100000, 12 }, /* 172.16/12 */
        { 0xc0a80000, 16 }, /* 192.168/16 */
        { 0xa9fe0000, 16 }, /* 169.254/16 */
        { 0x64400000, 10 }, /* 100.64/10 */
        { 0x7f000000, 8 },  /* 127/8 */
    };
    struct oc_addr v = *a;
    oc_addr_unmap(&v);
    if (v.u.any.sa_family == AF_INET6) {
        const uint8_t *b = v.u.v6.sin6_addr.s6_addr;
        return IN6_IS_ADDR_LOOPBACK(&v.u.v6.sin6_addr) || (b[0] & 0xfe) == 0xfc ||
               (b[0] == 0xfe && (b[1] & 0xc0) == 0x80);
    }
    uint32_t ip = ntohl(v.u.v4.sin_addr.s_addr);
    for (size_t i = 0; i < OC_COUNT(nets); i++) {
        if (((ip ^ nets[i].net) >> (32 - nets[i].bits)) == 0) {
            return true;
        }
    }
    return false;
}

bool oc_host_is_loopback(const char *host) {
    char text[OC_MAX_ADDR_TEXT];
    struct oc_addr a;
    return host && plain_host(host, text, sizeof(text)) &&
           (strcmp(text, "localhost") == 0 ||
                   (oc_addr_parse(text, 0, &a) && oc_addr_is_loopback(&a)));
}

bool oc_host_is_plain(const char *host) {
    size_t len = strlen(host);
    return len > 0 && len <= MAX_HOST &&
           strspn(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._:") ==
                   len;
}

bool oc_host_is_private(const char *host) {
    char text[256];
    if (!host || !plain_host(host, text, sizeof(text))) {
        return false;
    }
    struct oc_addr a;
    if (oc_addr_parse(text, 0, &a)) {
        return oc_addr_is_private(&a);
    }
    return strcmp(text, "localhost") == 0 || oc_ends_with(text, ".local") ||
           oc_ends_with(text, ".ts.net");
}
