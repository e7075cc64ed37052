/* The owner's openclaw.json: JSON5, read by gateway, node and command line alike. */
#ifndef BASE_CONFIG_H
#define BASE_CONFIG_H

#include "base/error.h"
#include "base/json.h"

/* A missing file is an empty object. A broken one is an error that names path, line and column: it
 * is never treated as empty. $include and ${ENV} are resolved as the reference does, so what is
 * returned must not be written back over an existing file. */
enum oc_code oc_config_load(const char *path, cJSON **ret, struct oc_error *err) OC_MUST_USE;

/* A client's shared secret, which is "token" or "password": OPENCLAW_GATEWAY_TOKEN|PASSWORD, else
 * gateway.remote.<which> when gateway.mode is "remote", else gateway.auth.<which>. Caller frees
 * with oc_free_secret; NULL when there is none. */
char *oc_config_client_secret(const cJSON *config, const char *which);

#endif
