/* Tells the gateway when the owner changed what this machine allows: connect told how that was, and nobody should have to
 * reconnect to see that it is different now. */
#ifndef NODE_DECLARE_REPORTS_H
#define NODE_DECLARE_REPORTS_H

#include "node/declare/permissions.h"
#include "node/link/uplink.h"

struct oc_reports;

/* of is copied, what it points to borrowed for its life. */
struct oc_reports *oc_reports_create(struct oc_uplink *uplink, const struct oc_permissions_of *of);
void oc_reports_destroy(struct oc_reports *r);
/* The permissions that this connection's connect tells; owned by the caller, NULL when there are none. */
cJSON *oc_reports_permissions(struct oc_reports *r);
void oc_reports_connected(struct oc_reports *r);
/* Something that counts has changed, perhaps. */
void oc_reports_check(struct oc_reports *r);

#endif
