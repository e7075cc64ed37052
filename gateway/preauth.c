#include "gateway/preauth.h"

#include "base/map.h"
#include "base/mem.h"
#include "gateway/locality.h"

struct oc_preauth {
    struct oc_map *by_network; /* unsigned *, never 0 */
    unsigned remote, local;
};

struct oc_preauth *oc_preauth_create(void) {
    struct oc_preauth *p = oc_new(struct oc_preauth);
    p->by_network = oc_map_create();
    return p;
}

void oc_preauth_destroy(struct oc_preauth *p) {
    if (!p) {
        return;
    }
    size_t pos = 0;
    const char *key;
    void *value;
    while (oc_map_next(p->by_network, &pos, &key, &value)) {
        oc_free(value);
    }
    oc_map_destroy(p->by_network);
    oc_free(p);
}

bool oc_preauth_enter(struct oc_preauth *p, const char *ip, bool is_loopback) {
    if (is_loopback) {
        if (p->local >= OC_MAX_PREAUTH_LOCAL) {
            return false;
        }
        p->local++;
        return true;
    }
    char network[OC_MAX_ADDR_TEXT];
    oc_ip_network(ip, network);
    unsigned *count = oc_map_get(p->by_network, network);
    if (p->remote >= OC_MAX_PREAUTH_REMOTE || (count && *count >= OC_MAX_PREAUTH_PER_IP)) {
        return false;
    }
    if (!count) {
        count = oc_new(unsigned);
        oc_map_put(p->by_network, network, count);
    }
    (*count)++;
    p->remote++;
    return true;
}

void oc_preauth_leave(struct oc_preauth *p, const char *ip, bool is_loopback) {
    if (is_loopback) {
        p->local--;
        return;
    }
    p->remote--;
    char network[OC_MAX_ADDR_TEXT];
    oc_ip_network(ip, network);
    unsigned *count = oc_map_get(p->by_network, network);
    if (count && --*count == 0) {
        oc_map_remove(p->by_network, network);
        oc_free(count);
    }
}
