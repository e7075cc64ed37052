/* How long a person may think whom the desktop asks about a capture. */
#ifndef NODE_OWNER_CONSENT_TIME_H
#define NODE_OWNER_CONSENT_TIME_H

#include "lib/json/json.h"

/* Adds consentMs to the helper's params and gives it. The caller should hear of an answer that does
 * not come, so its time (timeout_ms; not > 0: as long as it takes) must not be over first.
 * capture_ms: what the capture itself takes. */
int64_t nd_consent_time_add(cJSON *params, int64_t timeout_ms, int64_t capture_ms);

#endif
