/* Places that several callers share. Whoever asks may hold as many as are still free: one alone
 * gets half of them, two a third each, and however many one takes there is room for the next who
 * comes. */
#ifndef GATEWAY_FAIRNESS_SHARES_H
#define GATEWAY_FAIRNESS_SHARES_H

#include <stdbool.h>
#include <stddef.h>

struct gw_shares;

struct gw_shares *gw_shares_create(size_t places);
void gw_shares_destroy(struct gw_shares *s);
bool gw_shares_may_take(const struct gw_shares *s, const char *actor);
/* Only after gw_shares_may_take has said yes. */
void gw_shares_take(struct gw_shares *s, const char *actor);
void gw_shares_give_back(struct gw_shares *s, const char *actor);
size_t gw_shares_held(const struct gw_shares *s, const char *actor);
size_t gw_shares_taken(const struct gw_shares *s); /* by all */

#endif
