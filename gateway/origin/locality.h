/* Where a connection comes from, as far as the upgrade request shows: this machine, a proxy, a
 * browser page. */
#ifndef GATEWAY_ORIGIN_LOCALITY_H
#define GATEWAY_ORIGIN_LOCALITY_H

#include "gateway/origin/proxies.h"
#include "lib/base/str.h"
#include "lib/net/server/server.h"

#include <stdbool.h>

struct gw_origin_facts {
    char ip[OC_MAX_ADDR_TEXT]; /* the peer's, or the client's by the word of a trusted proxy */
    bool is_loopback;          /* the peer is on this machine, and no trusted proxy */
    bool is_forwarded;         /* a proxy header is present: never the owner sitting here */
    bool is_proxy_unknown; /* … which came from an address that is not in gateway.trustedProxies */
    bool host_is_loopback; /* the Host header names this machine */
    bool has_origin;       /* a browser page */
    bool origin_allowed;   /* … that may talk to us */
};

/* Proxy headers are believed only from a trusted proxy; from anybody else they are a reason to
 * trust less. */
void gw_origin_facts_read(struct gw_origin_facts *ret, const struct oc_http_head *head,
        const struct oc_peer *peer, const struct oc_strv *allowed_origins,
        const struct gw_proxies *proxies);

/* "localhost", 127.x.x.x or ::1, with or without brackets and port. */
bool gw_host_header_is_loopback(const char *host_header);
/* A page is allowed when it is listed, or when both it and the Host header name loopback. */
bool gw_origin_allowed(const char *origin, const char *host_header, const struct oc_strv *allowed);

/* The owner at this very machine, whose pairing requests are approved silently. is_ui: a control UI
 * or web chat, which is a page by nature. */
bool gw_origin_is_local(const struct gw_origin_facts *f, bool is_ui);
/* A program on this machine, not a page and not somebody behind a proxy. */
bool gw_origin_is_direct(const struct gw_origin_facts *f);
/* … of this user, by the kernel's word: its guesses are not slowed down. Another user here is as
 * good as one from elsewhere. */
bool gw_origin_may_guess(const struct gw_origin_facts *f, const struct oc_peer *peer);

/* Whose guesses count together: the address's, but for this user's own programs and pages at this
 * machine, by the kernel's word. Nobody else there locks the owner out. Borrows from f. */
const char *gw_origin_guesser(const struct gw_origin_facts *f, const struct oc_peer *peer);

/* From this machine, and not through a proxy: strangers behind one do not use up what is for
 * programs here. */
bool gw_origin_is_unforwarded(const struct gw_origin_facts *f);

/* What one stranger can be told apart by: an IPv4 address, or the /64 that an IPv6 address is
 * in. */
void gw_ip_network(const char *ip, char ret[OC_MAX_ADDR_TEXT]);

#endif
