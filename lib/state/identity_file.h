/* A device's identity on disk: <state>/identity/device.json. */
#ifndef LIB_STATE_IDENTITY_FILE_H
#define LIB_STATE_IDENTITY_FILE_H

#include "lib/base/clock.h"
#include "lib/base/error.h"
#include "lib/identity/identity.h"

/* Loads it, or creates it (0600) when it does not exist. An unreadable or corrupt file is an error
 * that names it and what to do; it is never replaced. A wrong deviceId inside is corrected. */
enum oc_code oc_identity_load_or_create(const char *state_dir, const struct oc_clock *clock,
        struct oc_identity **ret, struct oc_error *err) OC_MUST_USE;

#endif
