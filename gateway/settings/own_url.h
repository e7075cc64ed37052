/* The address under which others probably reach this gateway. */
#ifndef GATEWAY_SETTINGS_OWN_URL_H
#define GATEWAY_SETTINGS_OWN_URL_H

#include "gateway/settings/config.h"

#include <stdbool.h>

/* "ws://192.168.1.10:18789": of a gateway that listens everywhere the first address on a private
 * network, else the first that is not loopback. Caller frees. */
char *gw_own_url(const struct gw_config *cfg, bool is_tls, unsigned port);

#endif
