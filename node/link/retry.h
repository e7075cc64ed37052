/* What to do after a connection has ended: try again, and when; wait for an approval; or give up.
 *
 * Pure decisions over what the gateway said, so that every answer can be tested. */
#ifndef NODE_LINK_RETRY_H
#define NODE_LINK_RETRY_H

#include "lib/client/session.h"

#include <stdbool.h>
#include <stdint.h>

/* What the owner does about a gateway that was not there when this node looked for it. */
#define ND_FIX_JOIN                                                                           \
    "on the gateway run: openclaw devices join-code, and paste the code here: openclaw node " \
    "run --pair -"
#define ND_FIX_NO_TLS \
    "if TLS was switched off on purpose, start this node once with: openclaw node run --no-tls"

enum nd_retry_action {
    ND_RETRY_LATER,
    ND_RETRY_AFTER_APPROVAL, /* the device is not paired: keep asking */
    ND_RETRY_NEVER,
};

struct nd_retry_plan {
    enum nd_retry_action action;
    bool forgets_device_token; /* the gateway does not know it any more */
    bool uses_device_token;    /* instead of the shared secret, which is wrong */
    int64_t delay_ms;          /* LATER: exactly this; -1: by back-off */
    const char *fix;           /* what the owner has to do, or NULL; a literal */
};

struct nd_retry_means {
    bool has_shared_secret; /* we know the gateway's token or password */
    bool has_device_token;  /* it gave us one, which was not tried yet and may be sent to it */
};
struct nd_retry_plan nd_retry_decide(
        const struct oc_session_end *end, const struct nd_retry_means *means);

/* 1 s, 2 s, 4 s … 30 s, each ± 20 %. Zero-initialise. */
struct nd_backoff {
    unsigned failures;
};
int64_t nd_backoff_next(struct nd_backoff *b, uint32_t random);
/* 1 s, 2 s, 4 s, then every 5 s (less up to 20 %), and every 15 s after ten minutes: an approval
 * shows within seconds. */
int64_t nd_approval_delay(struct nd_backoff *b, uint32_t random);

#endif
