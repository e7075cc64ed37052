#include "gateway/settings/own_url.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

static bool is_private(uint32_t ip) {
    return (ip >> 24) == 10 || (ip >> 20) == 0xac1 || (ip >> 16) == 0xc0a8;
}

/* Addresses of container bridges lead nowhere for others. */
static bool is_bridge(const char *name) {
    return oc_starts_with(name, "docker") || oc_starts_with(name, "br-") ||
           oc_starts_with(name, "virbr") || oc_starts_with(name, "veth");
}

static bool find_address(char ret[INET_ADDRSTRLEN]) {
    struct ifaddrs *all = NULL;
    if (getifaddrs(&all) != 0) {
        return false;
    }
    int best = 0; /* 1: public or link-local, 2: private */
    for (const struct ifaddrs *i = all; i; i = i->ifa_next) {
        if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET || !(i->ifa_flags & IFF_UP) ||
                (i->ifa_flags & IFF_LOOPBACK) || is_bridge(i->ifa_name)) {
            continue;
        }
        const struct sockaddr_in *sin = (const struct sockaddr_in *)(const void *)i->ifa_addr;
        int rank = is_private(ntohl(sin->sin_addr.s_addr)) ? 2 : 1;
        if (rank > best && inet_ntop(AF_INET, &sin->sin_addr, ret, INET_ADDRSTRLEN)) {
            best = rank;
        }
    }
    freeifaddrs(all);
    return best > 0;
}

char *gw_own_url(const struct gw_config *cfg, bool is_tls, unsigned port) {
    const char *host = cfg->hosts.items[0];
    char found[INET_ADDRSTRLEN];
    if (oc_streq(host, "0.0.0.0") || oc_streq(host, "::")) {
        host = find_address(found) ? found : "127.0.0.1";
    }
    bool is_v6 = strchr(host, ':') != NULL;
    return oc_strfmt("%s://%s%s%s:%u%s", is_tls ? "wss" : "ws", is_v6 ? "[" : "", host,
            is_v6 ? "]" : "", port, cfg->context_path);
}
