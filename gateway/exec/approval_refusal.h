/* Why a decision about an approval was not taken, as whoever decides hears it. */
#ifndef GATEWAY_EXEC_APPROVAL_REFUSAL_H
#define GATEWAY_EXEC_APPROVAL_REFUSAL_H

#include "lib/json/json.h"

enum gw_approval_refusal {
    GW_APPROVAL_NOT_FOUND,
    GW_APPROVAL_OWN_REQUEST,       /* who asked may not allow it */
    GW_APPROVAL_CHANGED,           /* its files are others now */
    GW_APPROVAL_NOT_LOOKED_AT,     /* the node could not look at them again */
    GW_APPROVAL_CONTENT_NOT_BOUND, /* it can be allowed once, not always */
    GW_APPROVAL_REFUSAL_COUNT,
};

/* The error object: its details have the code, and the remedy with its words. why: said behind the
 * message, perhaps in a node's words; NULL: nothing. */
cJSON *gw_approval_refuse(enum gw_approval_refusal refusal, const char *why);
/* GW_APPROVAL_NOT_FOUND with the reference's message for this method, and its `reason`. */
cJSON *gw_approval_not_found(const char *message);

#endif
