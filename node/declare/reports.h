/* Tells the gateway when the owner changed what this machine allows: connect told how that was, and
 * nobody should have to reconnect to see that it is different now. */
#ifndef NODE_DECLARE_REPORTS_H
#define NODE_DECLARE_REPORTS_H

#include "node/declare/permissions.h"
#include "node/link/uplink.h"

struct nd_reports;

/* of is copied, what it points to borrowed for its life. */
struct nd_reports *nd_reports_create(struct nd_uplink *uplink, const struct nd_permissions_of *of);
void nd_reports_destroy(struct nd_reports *r);
/* The permissions that this connection's connect tells; owned by the caller, NULL when there are
 * none. */
cJSON *nd_reports_permissions(struct nd_reports *r);
void nd_reports_connected(struct nd_reports *r);
/* Something that counts has changed, perhaps. */
void nd_reports_check(struct nd_reports *r);

#endif
