/* Socket addresses as values: numeric text in and out, and which networks they belong to. */
#ifndef LIB_NET_ADDR_H
#define LIB_NET_ADDR_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#define OC_MAX_ADDR_TEXT 64

struct oc_addr {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } u;
    socklen_t len;
};

/* Numeric only: "127.0.0.1", "::1", "[::1]", "fe80::1%eth0". */
bool oc_addr_parse(const char *host, uint16_t port, struct oc_addr *ret);
/* Turns ::ffff:a.b.c.d into a.b.c.d. */
void oc_addr_unmap(struct oc_addr *a);
uint16_t oc_addr_port(const struct oc_addr *a);
void oc_addr_host(const struct oc_addr *a, char ret[OC_MAX_ADDR_TEXT]);
char *oc_addr_text(const struct oc_addr *a); /* "127.0.0.1:80", "[::1]:80"; caller frees */
bool oc_addr_is_loopback(const struct oc_addr *a);
/* Private, link-local, carrier-grade NAT (which Tailscale uses), unique local, or loopback. */
bool oc_addr_is_private(const struct oc_addr *a);

#endif
