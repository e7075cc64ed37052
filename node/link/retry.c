#include "node/link/retry.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/net/peer.h"

enum {
    MIN_DELAY_MS = 100,
    MAX_DELAY_MS = 30000,
    STARTING_DELAY_MS = 500,
    APPROVAL_DELAY_MS = 5000,
    PATIENT_DELAY_MS = 15000,
    PATIENT_AFTER = 120, /* attempts: ten minutes */
};

#define SET_TOKEN                                                                               \
    "set OPENCLAW_GATEWAY_TOKEN (or, in openclaw.json, gateway.auth.token for this machine's "  \
    "own gateway and gateway.remote.token for the one of gateway.remote.url) to the gateway's " \
    "token"
#define SET_PASSWORD                                                                           \
    "set OPENCLAW_GATEWAY_PASSWORD (or, in openclaw.json, gateway.auth.password for this "     \
    "machine's own gateway and gateway.remote.password for the one of gateway.remote.url) to " \
    "the gateway's password"
#define UPDATE \
    "use versions of node and gateway that have a protocol in common (this node speaks 3 and 4)"

/* Answers that stay the same however often we ask. */
static const struct {
    enum oc_cause cause;
    const char *fix;
} hopeless[] = {
    { OC_CAUSE_WRONG_TOKEN, SET_TOKEN },
    { OC_CAUSE_BAD_SETUP_CODE,
            "make a new code on the gateway's machine with: openclaw devices join-code" },
    { OC_CAUSE_WRONG_PASSWORD, SET_PASSWORD },
    { OC_CAUSE_PROXY_REQUIRED,
            "connect through the proxy that the gateway trusts, or change gateway.auth.mode" },
    { OC_CAUSE_PROTOCOL_MISMATCH, UPDATE },
};

static int64_t retry_clamp(int64_t v, int64_t lo, int64_t hi) {
    return v < lo ? lo : v > hi ? hi : v;
}

static struct nd_retry_plan give_up(const char *fix) {
    return (struct nd_retry_plan){ .action = ND_RETRY_NEVER, .delay_ms = -1, .fix = fix };
}

/* The stored token is worthless now; what is left is the shared secret. */
static struct nd_retry_plan token_is_stale(bool has_shared_secret) {
    struct nd_retry_plan plan = { .action = ND_RETRY_LATER, .delay_ms = -1 };
    if (!has_shared_secret) {
        plan = give_up("this device's token was rotated or revoked; " SET_TOKEN
                       ", start the node again and approve it on the gateway");
    }
    plan.forgets_device_token = true;
    return plan;
}

/* The shared token changed, but the gateway would still know this device by its own. */
static bool wants_device_token(const cJSON *details) {
    return oc_json_get_bool(details, "canRetryWithDeviceToken", false) ||
           oc_streq(oc_json_get_str(details, "recommendedNextStep"), "retry_with_device_token");
}

/* We did not get as far as to be refused. */
static const char *fix_unreached(enum oc_cause cause) {
    switch (cause) {
    case OC_CAUSE_CERTIFICATE_CHANGED:
        return "if the gateway's certificate was replaced on purpose: " ND_FIX_JOIN;
    case OC_CAUSE_NEEDS_TLS:
    case OC_CAUSE_UNKNOWN_CERTIFICATE:
        return ND_FIX_JOIN;
    case OC_CAUSE_NO_TLS:
        return ND_FIX_NO_TLS;
    case OC_CAUSE_STRANGER_LISTENS:
        return OC_PEER_FIX;
    default:
        return NULL;
    }
}

struct nd_retry_plan nd_retry_decide(
        const struct oc_session_end *end, const struct nd_retry_means *means) {
    enum oc_cause cause = end->grounds.cause;
    if (means->has_device_token && wants_device_token(end->details)) {
        return (struct nd_retry_plan){
            .action = ND_RETRY_LATER, .delay_ms = MIN_DELAY_MS, .uses_device_token = true
        };
    }
    for (size_t i = 0; i < OC_COUNT(hopeless); i++) {
        if (cause == hopeless[i].cause) {
            return give_up(hopeless[i].fix);
        }
    }
    /* It also ends live connections: a token was rotated or revoked while we were using it. */
    if (cause == OC_CAUSE_DEVICE_TOKEN_MISMATCH) {
        return token_is_stale(means->has_shared_secret);
    }
    if (cause == OC_CAUSE_NOT_PAIRED) {
        return (struct nd_retry_plan){ .action = ND_RETRY_AFTER_APPROVAL, .delay_ms = -1 };
    }
    struct nd_retry_plan plan = { .action = ND_RETRY_LATER, .delay_ms = -1 };
    plan.fix = end->error_code ? NULL : fix_unreached(cause);
    if (end->error_code && cause == OC_CAUSE_LOCKED_OUT) {
        plan.delay_ms = MAX_DELAY_MS;
    } else if (end->retry_after_ms >= 0) {
        plan.delay_ms = retry_clamp(end->retry_after_ms, MIN_DELAY_MS, MAX_DELAY_MS);
    } else if (end->close_code == 1013) {
        plan.delay_ms = STARTING_DELAY_MS;
    }
    return plan;
}

/* v ± v × percent / 100. */
static int64_t retry_jitter(int64_t v, int64_t percent, uint32_t random) {
    int64_t span = v * percent / 100;
    return v - span + (int64_t)(random % (uint32_t)(2 * span + 1));
}

int64_t nd_backoff_next(struct nd_backoff *b, uint32_t random) {
    unsigned n = b->failures++;
    return retry_jitter(n < 5 ? 1000 << n : MAX_DELAY_MS, 20, random);
}

int64_t nd_approval_delay(struct nd_backoff *b, uint32_t random) {
    unsigned n = b->failures++;
    int64_t ms = n < 3 ? 1000 << n : n < PATIENT_AFTER ? APPROVAL_DELAY_MS : PATIENT_DELAY_MS;
    return retry_jitter(ms - ms / 10, 11, random);
}
