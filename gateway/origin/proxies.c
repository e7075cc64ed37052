#include "gateway/origin/proxies.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"

#include <stdio.h>
#include <string.h>

#define SETTING "gateway.trustedProxies"

#define MAX_HOPS 32

static const uint8_t *proxies_raw(const struct oc_addr *a, unsigned *ret_bits) {
    bool is_v6 = a->u.any.sa_family == AF_INET6;
    *ret_bits = is_v6 ? 128 : 32;
    return is_v6 ? a->u.v6.sin6_addr.s6_addr : (const uint8_t *)&a->u.v4.sin_addr;
}

static bool parse_net(const char *text, struct gw_proxy_net *ret) {
    OC_AUTO_FREE char *copy = oc_strdup(text);
    char *host = oc_trim(copy);
    char *slash = strchr(host, '/');
    if (slash) {
        *slash++ = '\0';
    }
    unsigned all;
    if (!oc_addr_parse(host, 0, &ret->addr)) {
        return false;
    }
    (void)proxies_raw(&ret->addr, &all);
    int64_t bits = all;
    if (slash && !oc_parse_int(slash, 0, all, &bits)) {
        return false;
    }
    ret->bits = (unsigned)bits;
    if (!slash) {
        oc_addr_unmap(&ret->addr);
        (void)proxies_raw(&ret->addr, &ret->bits);
    }
    return true;
}

enum oc_code gw_proxies_load(const cJSON *list, struct gw_proxies *ret, struct oc_error *err) {
    ret->count = 0;
    ret->believes_real_ip = false;
    if (!list || cJSON_IsNull(list)) {
        return OC_OK;
    }
    const cJSON *item;
    cJSON_ArrayForEach(item, list) {
        if (ret->count == GW_MAX_TRUSTED_PROXIES) {
            return oc_fail_setting(
                    err, OC_E_INVALID, SETTING, "more than %d entries", GW_MAX_TRUSTED_PROXIES);
        }
        const char *text = cJSON_IsString(item) ? item->valuestring : NULL;
        if (!text || !parse_net(text, &ret->nets[ret->count])) {
            return oc_fail_setting(err, OC_E_INVALID, SETTING,
                    "'%.60s' is not an address or network such as "
                    "192.0.2.1 or 10.0.0.0/8",
                    text ? text : "(not a string)");
        }
        ret->count++;
    }
    return cJSON_IsArray(list)
                   ? OC_OK
                   : oc_fail_setting(err, OC_E_INVALID, SETTING, "must be a list of addresses");
}

static bool is_in(const struct oc_addr *a, const struct gw_proxy_net *net) {
    unsigned a_bits, net_bits;
    const uint8_t *x = proxies_raw(a, &a_bits), *y = proxies_raw(&net->addr, &net_bits);
    if (a_bits != net_bits) {
        return false;
    }
    unsigned whole = net->bits / 8, rest = net->bits % 8;
    return memcmp(x, y, whole) == 0 && (rest == 0 || ((x[whole] ^ y[whole]) >> (8 - rest)) == 0);
}

static bool proxies_trusts(const struct gw_proxies *p, const struct oc_addr *a) {
    for (size_t i = 0; i < p->count; i++) {
        if (is_in(a, &p->nets[i])) {
            return true;
        }
    }
    return false;
}

bool gw_proxies_trust(const struct gw_proxies *p, const char *ip) {
    struct oc_addr a;
    if (p->count == 0 || !oc_addr_parse(ip, 0, &a)) {
        return false;
    }
    oc_addr_unmap(&a);
    return proxies_trusts(p, &a);
}

/* "1.2.3.4", "1.2.3.4:80", "::1", "[::1]", "[::1]:80", with blanks around. */
static bool parse_hop(const char *text, size_t len, struct oc_addr *ret) {
    char copy[OC_MAX_ADDR_TEXT + 16];
    if (len >= sizeof(copy)) {
        return false;
    }
    memcpy(copy, text, len);
    copy[len] = '\0';
    char *host = oc_trim(copy);
    char *bracket = *host == '[' ? strchr(host, ']') : NULL;
    char *colon = strchr(host, ':');
    if (bracket) {
        bracket[1] = '\0';
    } else if (colon && !strchr(colon + 1, ':')) {
        *colon = '\0';
    }
    if (strchr(host, '%') || !oc_addr_parse(host, 0, ret)) {
        return false;
    }
    oc_addr_unmap(ret);
    return true;
}

/* Walks one header line from the right. True: decided, *ret is the client. False: all were ours
 * (*ret is the leftmost), or, with *is_broken, something else stood there. */
static bool walk_line(const struct gw_proxies *p, const char *line, unsigned *hops,
        struct oc_addr *ret, bool *is_broken) {
    const char *end = line + strlen(line);
    for (;;) {
        const char *start = end;
        while (start > line && start[-1] != ',') {
            start--;
        }
        if (++*hops > MAX_HOPS || !parse_hop(start, (size_t)(end - start), ret)) {
            *is_broken = true;
            return false;
        }
        if (!proxies_trusts(p, ret)) {
            return true;
        }
        if (start == line) {
            return false;
        }
        end = start - 1;
    }
}

bool gw_proxies_client(const struct gw_proxies *p, const struct oc_http_head *head,
        char ret_ip[OC_MAX_ADDR_TEXT]) {
    struct oc_addr a;
    /* Repeated lines are one list; the last was added last. */
    size_t lines = oc_http_header_count(head, "X-Forwarded-For");
    bool is_broken = false;
    unsigned hops = 0;
    for (size_t i = lines; i > 0; i--) {
        const char *line = oc_http_header_nth(head, "X-Forwarded-For", i - 1);
        if (walk_line(p, line, &hops, &a, &is_broken)) {
            break;
        }
        if (is_broken) {
            return false;
        }
    }
    if (lines == 0) {
        const char *real = p->believes_real_ip ? oc_http_header(head, "X-Real-IP") : NULL;
        if (!real || oc_http_header_count(head, "X-Real-IP") != 1 ||
                !parse_hop(real, strlen(real), &a)) {
            return false;
        }
    }
    oc_addr_host(&a, ret_ip);
    return true;
}
