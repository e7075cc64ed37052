/* The error object of a response frame, and the mapping from our codes to wire codes. */
#ifndef LIB_PROTOCOL_ERRORS_H
#define LIB_PROTOCOL_ERRORS_H

#include "lib/base/error.h"
#include "lib/json/json.h"

#include <stdbool.h>
#include <stdint.h>

#define OC_WIRE_INVALID "INVALID_REQUEST" /* the request is wrong, or a gate is shut */
#define OC_WIRE_UNAVAILABLE "UNAVAILABLE" /* not now: away, failed, a ceiling, broken */
#define OC_WIRE_NOT_PAIRED "NOT_PAIRED"   /* connect only: no device, or one not approved */
#define OC_WIRE_FORBIDDEN "FORBIDDEN"     /* protocol 4: a scope is missing */

/* err->wire if set, else by err->code. Never empty. */
const char *oc_wire_code(const struct oc_error *err);

/* {"code","message","details"?,"retryable"?,"retryAfterMs"?}; code and message never empty.
 * take_details may be NULL; retry_after_ms < 0 leaves both retry members out. */
cJSON *oc_wire_error(
        const char *code, const char *message, cJSON *take_details, int64_t retry_after_ms);
/* With its grounds in the details (lib/protocol/grounds.h), if it has any; the message is its text
 * alone. */
cJSON *oc_wire_error_from(const struct oc_error *err);

/* Reason of the close (1013) of who holds most when all connections together hold too much. */
#define OC_REASON_HOLDS_TOO_MUCH \
    "the gateway keeps too much in memory, most of it for you: read answers, send less at a time"

#endif
