/* gateway.trustedProxies: whose word about a client's address is taken.
 *
 * Anybody can write X-Forwarded-For. Only what a listed proxy added to it counts, and that is read
 * from the right: the first address there that is not a proxy of ours is the client, whatever the
 * client itself wrote further left. */
#ifndef GATEWAY_ORIGIN_PROXIES_H
#define GATEWAY_ORIGIN_PROXIES_H

#include "lib/base/error.h"
#include "lib/json/json.h"
#include "lib/net/addr.h"
#include "lib/net/http/http_head.h"

#include <stdbool.h>

#define GW_MAX_TRUSTED_PROXIES 64

struct gw_proxies {
    struct gw_proxy_net {
        struct oc_addr addr;
        unsigned bits;
    } nets[GW_MAX_TRUSTED_PROXIES];
    size_t count;
    bool believes_real_ip; /* gateway.allowRealIpFallback */
};

/* From an array of "192.0.2.1", "10.0.0.0/8", "fd00::/8"; NULL counts as empty. X-Real-IP is not
 * believed yet. */
enum oc_code gw_proxies_load(
        const cJSON *list, struct gw_proxies *ret, struct oc_error *err) OC_MUST_USE;
bool gw_proxies_trust(const struct gw_proxies *p, const char *ip);
/* The client behind a trusted proxy, from X-Forwarded-For, else X-Real-IP if that is believed: a
 * proxy that was not told to set it passes on what the client wrote. False when neither names
 * one. */
bool gw_proxies_client(
        const struct gw_proxies *p, const struct oc_http_head *head, char ret_ip[OC_MAX_ADDR_TEXT]);

#endif
