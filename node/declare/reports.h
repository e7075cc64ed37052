/* Tells the gateway when the owner changed what this machine allows: connect told how that was, and nobody should have to
 * reconnect to see that it is different now. */
#ifndef NODE_DECLARE_REPORTS_H
#define NODE_DECLARE_REPORTS_H

#include "node/host.h"

struct oc_reports;

/* host and commands are borrowed for its life. */
struct oc_reports *oc_reports_create(struct oc_node_host *host, const struct oc_strv *commands);
void oc_reports_destroy(struct oc_reports *r);
/* The permissions that this connection's connect tells; owned by the caller, NULL when there are none. */
cJSON *oc_reports_permissions(struct oc_reports *r);
void oc_reports_connected(struct oc_reports *r);
/* Something that counts has changed, perhaps. */
void oc_reports_check(struct oc_reports *r);

#endif
