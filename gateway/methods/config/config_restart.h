/* What follows from a config that a client has written: does the gateway serve anew, when, and what
 * the client is told. */
#ifndef GATEWAY_METHODS_CONFIG_CONFIG_RESTART_H
#define GATEWAY_METHODS_CONFIG_CONFIG_RESTART_H

#include "gateway/methods/methods.h"
#include "lib/json/json.h"

#include <stdint.h>

#define GW_CONFIG_RESTART_SOON (-1) /* as with any change of the file */

/* Adds "restart" (when and how, only if it will) and "sentinel" (what was asked, with the note) to
 * the answer. */
void gw_config_restart(const struct gw_call *call, const cJSON *config, const char *note,
        int64_t delay_ms, cJSON *payload);

#endif
