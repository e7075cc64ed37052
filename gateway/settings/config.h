/* The gateway's settings, put together from openclaw.json, the environment and the command line. */
#ifndef GATEWAY_SETTINGS_CONFIG_H
#define GATEWAY_SETTINGS_CONFIG_H

#include "gateway/origin/proxies.h"
#include "gateway/settings/opts.h"
#include "gateway/settings/policy.h"
#include "lib/base/error.h"
#include "lib/base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum gw_auth_mode { GW_AUTH_TOKEN, GW_AUTH_PASSWORD, GW_AUTH_NONE };
const char *gw_auth_mode_name(enum gw_auth_mode mode);

struct gw_config {
    uint16_t port;
    struct oc_strv hosts;  /* numeric addresses to listen on */
    bool is_loopback_only; /* nobody but this machine can connect */
    enum gw_auth_mode auth_mode;
    char *secret;             /* the token or the password; NULL for GW_AUTH_NONE */
    char *tls_cert, *tls_key; /* PEM files; NULL: no TLS */
    char *tls_ca;             /* PEM file with the certificates in between, or NULL */
    bool tls_auto;            /* make the pair when neither file exists */
    int64_t rate_max_attempts, rate_window_ms, rate_lockout_ms;
    bool rate_exempt_loopback;
    struct oc_strv allowed_origins; /* gateway.controlUi.allowedOrigins */
    struct gw_proxies proxies;      /* gateway.trustedProxies */
    int handshake_ms;               /* gateway.handshakeTimeoutMs: HTTP head, then connect */
    bool auto_approve_local;        /* gateway.nodes.pairing.autoApproveLocal */
    char *context_path;             /* gateway.contextPath: "/openclaw", or "" */
    struct gw_policy policy;
};

/* ret needs gw_config_finish in every case. */
enum oc_code gw_config_load(
        const struct gw_opts *opts, struct gw_config *ret, struct oc_error *err) OC_MUST_USE;
void gw_config_finish(struct gw_config *c);

/* The configured secret of one kind, "token" or "password": opts, else gateway.auth.<which>, else
 * the environment. NULL when there is none. Borrowed. */
const char *gw_secret(const struct gw_opts *opts, const char *which);
/* As above for the mode the settings lead to. OC_E_INVALID when the mode is unknown. */
enum oc_code gw_gateway_auth_mode(
        const struct gw_opts *opts, enum gw_auth_mode *ret, struct oc_error *err) OC_MUST_USE;

#endif
