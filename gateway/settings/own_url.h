/* The address under which others probably reach this gateway. */
#ifndef GATEWAY_SETTINGS_OWN_URL_H
#define GATEWAY_SETTINGS_OWN_URL_H

struct oc_gateway;

/* "ws://192.168.1.10:18789": of a gateway that listens everywhere the first address on a private network, else the first
 * that is not loopback. Caller frees. */
char *oc_gateway_own_url(const struct oc_gateway *gw);

#endif
