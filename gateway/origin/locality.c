/* A page in a local browser and a remote user behind a local proxy both arrive from 127.0.0.1.
 * Neither is the owner sitting here, so the address alone never decides. */
#include "gateway/origin/locality.h"

#include "lib/base/mem.h"
#include "lib/net/addr.h"
#include "lib/net/dial.h"
#include "lib/net/server/peer_user.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define MAX_HOST 256

/* "name", "name:port", "[v6]", "[v6]:port" or a bare v6 → name in lower case. */
static bool host_name(const char *host, char ret[MAX_HOST]) {
    size_t len;
    const char *start = host;
    if (*host == '[') {
        const char *end = strchr(host, ']');
        if (!end || (end[1] != '\0' && end[1] != ':')) {
            return false;
        }
        start = host + 1;
        len = (size_t)(end - start);
    } else {
        const char *colon = strchr(host, ':');
        bool is_bare_v6 = colon && strchr(colon + 1, ':');
        len = colon && !is_bare_v6 ? (size_t)(colon - host) : strlen(host);
    }
    if (len == 0 || len >= MAX_HOST) {
        return false;
    }
    memcpy(ret, start, len);
    ret[len] = '\0';
    oc_ascii_lower(ret);
    return true;
}

bool gw_host_header_is_loopback(const char *host_header) {
    char name[MAX_HOST];
    return host_header && host_name(host_header, name) && oc_host_is_loopback(name);
}

static const char *origin_host(const char *origin) {
    static const char *const schemes[] = { "http://", "https://" };
    for (size_t i = 0; i < OC_COUNT(schemes); i++) {
        size_t n = strlen(schemes[i]);
        if (strncasecmp(origin, schemes[i], n) == 0 && !strpbrk(origin + n, "/?#@")) {
            return origin + n;
        }
    }
    return NULL; /* "null", file://, or nonsense */
}

bool gw_origin_allowed(const char *origin, const char *host_header, const struct oc_strv *allowed) {
    const char *host = origin_host(origin);
    if (!host) {
        return false;
    }
    for (size_t i = 0; i < allowed->count; i++) {
        if (strcasecmp(origin, allowed->items[i]) == 0) {
            return true;
        }
    }
    return gw_host_header_is_loopback(host) && gw_host_header_is_loopback(host_header);
}

/* What the page was opened as: the browser's Host, or behind a trusted proxy what it was there. */
static const char *shown_host(const struct oc_http_head *head, bool is_trusted) {
    const char *forwarded = is_trusted ? oc_http_header(head, "X-Forwarded-Host") : NULL;
    return forwarded ? forwarded : oc_http_header(head, "Host");
}

void gw_origin_facts_read(struct gw_origin_facts *ret, const struct oc_http_head *head,
        const struct oc_peer *peer, const struct oc_strv *allowed_origins,
        const struct gw_proxies *proxies) {
    static const char *const proxy_headers[] = { "Forwarded", "Via", "X-Real-IP", "X-Client-IP",
        "CF-Connecting-IP", "True-Client-IP" };
    *ret = (struct gw_origin_facts){ .is_loopback = peer->is_loopback };
    snprintf(ret->ip, sizeof(ret->ip), "%s", peer->ip);
    ret->is_forwarded = oc_http_has_prefix(head, "X-Forwarded-");
    for (size_t i = 0; i < OC_COUNT(proxy_headers); i++) {
        ret->is_forwarded |= oc_http_header(head, proxy_headers[i]) != NULL;
    }
    bool is_trusted = ret->is_forwarded && gw_proxies_trust(proxies, peer->ip);
    if (is_trusted) {
        /* Even when it says 127.0.0.1: whoever comes through a proxy is not at this machine. */
        ret->is_loopback = false;
        if (!gw_proxies_client(proxies, head, ret->ip)) {
            snprintf(ret->ip, sizeof(ret->ip), "%s", peer->ip);
        }
    }
    ret->is_proxy_unknown = ret->is_forwarded && !is_trusted;
    const char *host = shown_host(head, is_trusted);
    const char *origin = oc_http_header(head, "Origin");
    ret->host_is_loopback = gw_host_header_is_loopback(host);
    ret->has_origin = origin != NULL;
    ret->origin_allowed = origin && gw_origin_allowed(origin, host, allowed_origins);
}

bool gw_origin_is_local(const struct gw_origin_facts *f, bool is_ui) {
    return f->is_loopback && !f->is_forwarded && f->host_is_loopback &&
           (!f->has_origin || (is_ui && f->origin_allowed));
}

bool gw_origin_is_direct(const struct gw_origin_facts *f) {
    return f->is_loopback && !f->is_forwarded && !f->has_origin;
}

bool gw_origin_may_guess(const struct gw_origin_facts *f, const struct oc_peer *peer) {
    return gw_origin_is_direct(f) && oc_peer_is_this_user(peer);
}

const char *gw_origin_guesser(const struct gw_origin_facts *f, const struct oc_peer *peer) {
    bool is_owner =
            f->is_loopback && !f->is_forwarded && f->host_is_loopback && oc_peer_is_this_user(peer);
    return is_owner ? "this-user" : f->ip;
}

bool gw_origin_is_unforwarded(const struct gw_origin_facts *f) {
    return f->is_loopback && !f->is_forwarded;
}

void gw_ip_network(const char *ip, char ret[OC_MAX_ADDR_TEXT]) {
    struct oc_addr a;
    snprintf(ret, OC_MAX_ADDR_TEXT, "%s", ip);
    if (oc_addr_parse(ip, 0, &a) && a.u.any.sa_family == AF_INET6) {
        memset(&a.u.v6.sin6_addr.s6_addr[8], 0, 8);
        a.u.v6.sin6_scope_id = 0;
        oc_addr_host(&a, ret);
    }
}
