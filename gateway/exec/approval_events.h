/* What operators hear of approvals. */
#ifndef GATEWAY_EXEC_APPROVAL_EVENTS_H
#define GATEWAY_EXEC_APPROVAL_EVENTS_H

#include "gateway/exec/approvals.h"
#include "lib/json/json.h"

struct gw_conns;

/* Its id and its times, with which events and answers about it begin. */
cJSON *gw_approval_brief(const struct gw_approval *a);
/* Somebody wants to know. */
void gw_exec_approval_announce(struct gw_conns *all, const struct gw_approval *a);
/* How it ended. */
void gw_exec_approval_tell_end(struct gw_conns *all, const struct gw_approval *a);
/* Its files were seen in another state since: it is void. */
void gw_exec_approval_changed(struct gw_conns *all, const struct gw_approval *a);
/* Its time is over; user: struct gw_conns. */
void gw_exec_approval_expired(void *user, const struct gw_approval *a);

#endif
