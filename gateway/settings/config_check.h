/* Whether a gateway would start with a config: what goes beyond the type of each setting. For those
 * who look at the file while no gateway does. */
#ifndef GATEWAY_SETTINGS_CONFIG_CHECK_H
#define GATEWAY_SETTINGS_CONFIG_CHECK_H

#include "lib/config/config_file.h"

/* Adds to the file's issues and warnings. Does nothing when there are issues already, or when this
 * machine uses the gateway of another one. The environment counts as it would for gateway run. */
void gw_check_file(struct oc_config_file *f, const char *state_dir);

#endif
