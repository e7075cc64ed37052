/* What became of setup codes: which device used one, for those who made it and wait
 * (device.pair.setupStatus). */
#ifndef GATEWAY_PAIRING_SETUP_STATUS_H
#define GATEWAY_PAIRING_SETUP_STATUS_H

#include "gateway/pairing/setup_codes.h"

/* {"setupId","deviceId","deviceName"?,"access","ts"}, the wire's shape; owned. */
cJSON *gw_setup_completion(const struct gw_setup_grant *g, const struct gw_pair_claim *claim,
        const struct oc_clock *clock);
/* Remembers it for an hour, the last few. */
enum oc_code gw_setup_status_note(
        struct gw_store *s, const cJSON *completion, struct oc_error *err) OC_MUST_USE;
/* OC_E_NOT_FOUND when the code was not used, or long ago. */
enum oc_code gw_setup_status_find(struct gw_store *s, const struct oc_clock *clock,
        const char *setup_id, cJSON **ret, struct oc_error *err) OC_MUST_USE;

#endif
