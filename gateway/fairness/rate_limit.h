/* Slows down guessing: so many failures within a window lock an address out for a while.
 *
 * One table for all addresses, bounded; IPv6 addresses count by their /64, which is what one
 * attacker holds. */
#ifndef GATEWAY_FAIRNESS_RATE_LIMIT_H
#define GATEWAY_FAIRNESS_RATE_LIMIT_H

#include "lib/base/clock.h"

#include <stdbool.h>
#include <stdint.h>

/* What was guessed at: failures with one kind do not lock out who comes with another. */
enum gw_credential {
    GW_CRED_SHARED, /* the shared secret, over a WebSocket */
    GW_CRED_DEVICE, /* a device's token */
    GW_CRED_SETUP,  /* a setup code */
    GW_CRED_BEARER, /* the shared secret as a bearer, for pages */
    GW_CRED_JOIN,   /* a short link to a setup code */
};

struct gw_rate_limit;

/* Locks nobody out until it is configured. Outlives a gateway that serves anew within the process:
 * a restart is no way out of a lock. */
struct gw_rate_limit *gw_rate_limit_create(const struct oc_clock *clock);
/* These limits from now on; addresses that are locked out stay so. */
void gw_rate_limit_configure(
        struct gw_rate_limit *r, int64_t max_attempts, int64_t window_ms, int64_t lockout_ms);
void gw_rate_limit_destroy(struct gw_rate_limit *r);
/* Milliseconds until the address may try again; 0 when it may now. */
int64_t gw_rate_limit_wait_ms(struct gw_rate_limit *r, enum gw_credential cred, const char *ip);
void gw_rate_limit_failed(struct gw_rate_limit *r, enum gw_credential cred, const char *ip);
void gw_rate_limit_succeeded(struct gw_rate_limit *r, enum gw_credential cred, const char *ip);

#endif
