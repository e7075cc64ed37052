/* How often one client may change the config: every change can make the gateway serve anew, so a
 * client that loops would keep everybody off. Outlives a restart within the process. */
#ifndef GATEWAY_FAIRNESS_WRITE_BUDGET_H
#define GATEWAY_FAIRNESS_WRITE_BUDGET_H

#include <stdint.h>

struct gw_write_budget;

struct gw_write_budget *gw_write_budget_create(void);
void gw_write_budget_destroy(struct gw_write_budget *b);
/* 0 when the client may write now (and has used one of its writes), else the milliseconds until it
 * may. client: a device id, or an address. */
int64_t gw_write_budget_take(struct gw_write_budget *b, const char *client, int64_t now_ms);

#endif
