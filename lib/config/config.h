/* The owner's openclaw.json: JSON5, read by gateway, node and command line alike. */
#ifndef LIB_CONFIG_CONFIG_H
#define LIB_CONFIG_CONFIG_H

#include "lib/base/error.h"
#include "lib/json/json.h"

/* A missing file is an empty object. A broken one is an error that names path, line and column: it
 * is never treated as empty. $include and ${ENV} are resolved as the reference does, so what is
 * returned must not be written back over an existing file. */
enum oc_code oc_config_load(const char *path, cJSON **ret, struct oc_error *err) OC_MUST_USE;

/* Which gateway a client talks to: a secret of the config belongs to one of them, and no other
 * is told. */
enum oc_gateway_kind {
    OC_GATEWAY_OWN,    /* the one of this machine and config: gateway.auth.* */
    OC_GATEWAY_REMOTE, /* the one of gateway.remote.url: gateway.remote.* */
    OC_GATEWAY_OTHER,
};
/* A client's shared secret, which is "token" or "password": OPENCLAW_GATEWAY_TOKEN|PASSWORD, which
 * the user gave for whatever they start, else what the config has for that gateway. Caller frees
 * with oc_free_secret; NULL when there is none. */
char *oc_config_client_secret(const cJSON *config, const char *which, enum oc_gateway_kind kind);

#endif
