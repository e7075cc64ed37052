/* Places that several callers share. Whoever asks may hold as many as are still free: one alone gets half of them, two a
 * third each, and however many one takes there is room for the next who comes. */
#ifndef GATEWAY_FAIRNESS_SHARES_H
#define GATEWAY_FAIRNESS_SHARES_H

#include <stdbool.h>
#include <stddef.h>

struct oc_shares;

struct oc_shares *oc_shares_create(size_t places);
void oc_shares_destroy(struct oc_shares *s);
bool oc_shares_may_take(const struct oc_shares *s, const char *actor);
/* Only after oc_shares_may_take has said yes. */
void oc_shares_take(struct oc_shares *s, const char *actor);
void oc_shares_give_back(struct oc_shares *s, const char *actor);
size_t oc_shares_held(const struct oc_shares *s, const char *actor);
size_t oc_shares_taken(const struct oc_shares *s); /* by all */

#endif
