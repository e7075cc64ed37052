/* The device tokens a client was given: <state>/identity/device-auth.json. A token is for the
 * gateway that gave it. */
#ifndef LIB_STATE_DEVICE_AUTH_H
#define LIB_STATE_DEVICE_AUTH_H

#include "lib/base/clock.h"
#include "lib/base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct oc_device_auth {
    const char *state_dir, *device_id, *role;
    const char *gateway; /* its name (lib/net/peer.h, oc_gateway_name) */
};
/* NULL when that gateway gave none. Owned by the caller. */
char *oc_device_auth_load(const struct oc_device_auth *a);
/* Without a gateway's name: whether any gateway gave one for that role. */
bool oc_device_auth_exists(const struct oc_device_auth *a);
enum oc_code oc_device_auth_store(const struct oc_device_auth *a, const char *token,
        const char *const *scopes, size_t scope_count, const struct oc_clock *clock,
        struct oc_error *err) OC_MUST_USE;
enum oc_code oc_device_auth_forget(
        const struct oc_device_auth *a, struct oc_error *err) OC_MUST_USE;
/* A token of the reference, or of a version that did not write down whose it is, is this gateway's
 * from now on. */
enum oc_code oc_device_auth_adopt(const struct oc_device_auth *a, struct oc_error *err) OC_MUST_USE;

#endif
