/* The gateway's advertisement on the local network. */
#ifndef CLI_GATEWAY_MDNS_PUBLISH_H
#define CLI_GATEWAY_MDNS_PUBLISH_H

#include "lib/json/json.h"

#include <stdbool.h>
#include <sys/types.h>

struct gw_gateway;

/* Starts it when the config asks for it. Returns the helper's pid, for cli_child_stop, or -1 when
 * there is none: off, or not possible, which is said on stderr and keeps no gateway from
 * running. */
pid_t cli_mdns_advertise(const cJSON *config, const struct gw_gateway *gateway);

/* What stands in the way of being found, as far as can be seen from here, and what helps; NULL:
 * nothing. */
const char *cli_mdns_trouble(bool is_loopback, const char **ret_fix);

#endif
