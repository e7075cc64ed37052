/* Slows down guessing: so many failures within a window lock an address out for a while.
 *
 * One table for all addresses, bounded; IPv6 addresses count by their /64, which is what one attacker holds. */
#ifndef GATEWAY_FAIRNESS_RATE_LIMIT_H
#define GATEWAY_FAIRNESS_RATE_LIMIT_H

#include "lib/base/clock.h"

#include <stdbool.h>
#include <stdint.h>

/* What was guessed at: failures with one kind do not lock out who comes with another. */
enum oc_credential {
    OC_CRED_SHARED, /* the shared secret, over a WebSocket */
    OC_CRED_DEVICE, /* a device's token */
    OC_CRED_SETUP,  /* a setup code */
    OC_CRED_BEARER, /* the shared secret as a bearer, for pages */
    OC_CRED_JOIN,   /* a short link to a setup code */
};

struct oc_rate_limit;

/* Locks nobody out until it is configured. Outlives a gateway that serves anew within the process: a restart is no way
 * out of a lock. */
struct oc_rate_limit *oc_rate_limit_create(const struct oc_clock *clock);
/* These limits from now on; addresses that are locked out stay so. */
void oc_rate_limit_configure(
        struct oc_rate_limit *r, int64_t max_attempts, int64_t window_ms, int64_t lockout_ms);
void oc_rate_limit_destroy(struct oc_rate_limit *r);
/* Milliseconds until the address may try again; 0 when it may now. */
int64_t oc_rate_limit_wait_ms(struct oc_rate_limit *r, enum oc_credential cred, const char *ip);
void oc_rate_limit_failed(struct oc_rate_limit *r, enum oc_credential cred, const char *ip);
void oc_rate_limit_succeeded(struct oc_rate_limit *r, enum oc_credential cred, const char *ip);

#endif
