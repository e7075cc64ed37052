/* Where the gateway of this state directory listens right now, whatever the config says: `gateway
 * run --port` is not in it. */
#ifndef CLI_GATEWAY_RUNNING_H
#define CLI_GATEWAY_RUNNING_H

#include <stdbool.h>
#include <stdint.h>

/* False when none runs, or when it does not say. */
bool cli_running_gateway(const char *state_dir, int *ret_pid, uint16_t *ret_port);
bool cli_running_port(const char *state_dir, uint16_t *ret);

#endif
