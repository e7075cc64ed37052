/* The name of one state of the config file: who changes it says which state was meant.
 *
 * Keyed with bytes that only this process knows. A plain hash of a text that is shown without its
 * secrets would let every reader try passwords against it. */
#ifndef GATEWAY_SETTINGS_CONFIG_HASH_H
#define GATEWAY_SETTINGS_CONFIG_HASH_H

#include "lib/base/buf.h"

#define GW_CONFIG_HASH_LEN 64

void gw_config_hash(const struct oc_buf *raw, char ret[GW_CONFIG_HASH_LEN + 1]);

#endif
