/* The gateway's settings, put together from openclaw.json, the environment and the command line. */
#ifndef GATEWAY_SETTINGS_CONFIG_H
#define GATEWAY_SETTINGS_CONFIG_H

#include "gateway/gateway.h"
#include "gateway/origin/proxies.h"
#include "gateway/settings/policy.h"
#include "lib/base/error.h"
#include "lib/base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum oc_auth_mode { OC_AUTH_TOKEN, OC_AUTH_PASSWORD, OC_AUTH_NONE };
const char *oc_auth_mode_name(enum oc_auth_mode mode);

struct oc_gateway_config {
    uint16_t port;
    struct oc_strv hosts;  /* numeric addresses to listen on */
    bool is_loopback_only; /* nobody but this machine can connect */
    enum oc_auth_mode auth_mode;
    char *secret;             /* the token or the password; NULL for OC_AUTH_NONE */
    char *tls_cert, *tls_key; /* PEM files; NULL: no TLS */
    char *tls_ca;             /* PEM file with the certificates in between, or NULL */
    bool tls_auto;            /* make the pair when neither file exists */
    int64_t rate_max_attempts, rate_window_ms, rate_lockout_ms;
    bool rate_exempt_loopback;
    struct oc_strv allowed_origins; /* gateway.controlUi.allowedOrigins */
    struct oc_proxies proxies;      /* gateway.trustedProxies */
    int handshake_ms;               /* gateway.handshakeTimeoutMs: HTTP head, then connect */
    bool auto_approve_local;        /* gateway.nodes.pairing.autoApproveLocal */
    char *context_path;             /* gateway.contextPath: "/openclaw", or "" */
    struct oc_policy policy;
};

/* ret needs oc_gateway_config_finish in every case. */
enum oc_code oc_gateway_config_load(const struct oc_gateway_opts *opts,
        struct oc_gateway_config *ret, struct oc_error *err) OC_MUST_USE;
void oc_gateway_config_finish(struct oc_gateway_config *c);

/* The configured secret of one kind, "token" or "password": opts, else gateway.auth.<which>, else the environment. NULL
 * when there is none. Borrowed. */
const char *oc_gateway_secret(const struct oc_gateway_opts *opts, const char *which);
/* As above for the mode the settings lead to. OC_E_INVALID when the mode is unknown. */
enum oc_code oc_gateway_auth_mode(const struct oc_gateway_opts *opts, enum oc_auth_mode *ret,
        struct oc_error *err) OC_MUST_USE;

#endif
