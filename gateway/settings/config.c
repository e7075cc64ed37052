/* Settings that do not make sense together are refused here, before anything listens: the wrong
 * default for a gateway is to be open. */
#include "gateway/settings/config.h"

#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/json/json.h"
#include "lib/net/addr.h"
#include "lib/net/http/context_path.h"
#include "lib/net/tls_cert.h"
#include "lib/protocol/limits.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdlib.h>

static const char *const mode_names[] = {
    [GW_AUTH_TOKEN] = "token",
    [GW_AUTH_PASSWORD] = "password",
    [GW_AUTH_NONE] = "none",
};

const char *gw_auth_mode_name(enum gw_auth_mode mode) {
    return mode_names[mode];
}

static const char *non_blank(const char *s) {
    return oc_str_blank(s) ? NULL : s;
}

const char *gw_secret(const struct gw_opts *opts, const char *which) {
    bool is_token = oc_streq(which, "token");
    const char *s = non_blank(is_token ? opts->token : opts->password);
    if (!s) {
        s = non_blank(oc_json_get_str(oc_json_path(opts->config, "gateway.auth"), which));
    }
    if (!s) {
        s = non_blank(getenv(is_token ? "OPENCLAW_GATEWAY_TOKEN" : "OPENCLAW_GATEWAY_PASSWORD"));
    }
    return s;
}

enum oc_code gw_gateway_auth_mode(
        const struct gw_opts *opts, enum gw_auth_mode *ret, struct oc_error *err) {
    const char *name = opts->auth_mode;
    if (!name) {
        name = oc_json_get_str(oc_json_path(opts->config, "gateway.auth"), "mode");
    }
    if (!name) {
        *ret = gw_secret(opts, "password") ? GW_AUTH_PASSWORD : GW_AUTH_TOKEN;
        return OC_OK;
    }
    for (size_t i = 0; i < OC_COUNT(mode_names); i++) {
        if (oc_streq(name, mode_names[i])) {
            *ret = (enum gw_auth_mode)i;
            return OC_OK;
        }
    }
    return oc_fail_setting(err, OC_E_INVALID, "gateway.auth.mode",
            "'%.40s' is not supported; use \"token\", \"password\" or \"none\"", name);
}

static enum oc_code load_auth(
        struct gw_config *c, const struct gw_opts *opts, struct oc_error *err) {
    enum oc_code rc = gw_gateway_auth_mode(opts, &c->auth_mode, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (c->auth_mode == GW_AUTH_NONE) {
        if (!c->is_loopback_only) {
            return oc_fail_setting(err, OC_E_INVALID, "gateway.auth.mode",
                    "none would let everybody in who can reach %s; set "
                    "gateway.auth.token, or "
                    "bind to loopback",
                    c->hosts.items[0]);
        }
        return OC_OK;
    }
    const char *which = gw_auth_mode_name(c->auth_mode);
    const char *secret = gw_secret(opts, which);
    if (!secret) {
        return oc_fail_setting(err, OC_E_INVALID, "gateway.auth.mode",
                "is %s, but no %s is set; add gateway.auth.%s to %s or set "
                "OPENCLAW_GATEWAY_%s",
                which, which, which, opts->config_path ? opts->config_path : "openclaw.json",
                c->auth_mode == GW_AUTH_TOKEN ? "TOKEN" : "PASSWORD");
    }
    c->secret = oc_strdup(secret);
    return OC_OK;
}

/* Tailscale hands out addresses of 100.64.0.0/10. */
static bool find_tailnet_address(char ret[INET_ADDRSTRLEN]) {
    struct ifaddrs *all = NULL;
    if (getifaddrs(&all) != 0) {
        return false;
    }
    bool found = false;
    for (struct ifaddrs *i = all; i && !found; i = i->ifa_next) {
        if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET) {
            continue;
        }
        const struct sockaddr_in *sin = (const struct sockaddr_in *)(const void *)i->ifa_addr;
        if ((ntohl(sin->sin_addr.s_addr) & 0xffc00000u) == 0x64400000u) {
            found = inet_ntop(AF_INET, &sin->sin_addr, ret, INET_ADDRSTRLEN) != NULL;
        }
    }
    freeifaddrs(all);
    return found;
}

/* Programs of this machine that look for "localhost" try both families, and whoever has the other
 * one is taken for us. */
static void add_other_family(struct gw_config *c, const char *host) {
    if (oc_streq(host, "127.0.0.1") || oc_streq(host, "0.0.0.0")) {
        oc_strv_add(&c->hosts, "::1");
    } else if (oc_streq(host, "::1") || oc_streq(host, "::")) {
        oc_strv_add(&c->hosts, "127.0.0.1");
    }
}

static enum oc_code load_bind(
        struct gw_config *c, const struct gw_opts *opts, struct oc_error *err) {
    const cJSON *section = oc_json_get(opts->config, "gateway");
    const char *bind = opts->bind ? opts->bind : oc_json_get_str(section, "bind");
    if (!bind || oc_streq(bind, "loopback") || oc_streq(bind, "auto")) {
        oc_strv_add(&c->hosts, "127.0.0.1");
        oc_strv_add(&c->hosts, "::1");
        c->is_loopback_only = true;
        return OC_OK;
    }
    if (oc_streq(bind, "lan")) {
        oc_strv_add(&c->hosts, "0.0.0.0");
        oc_strv_add(&c->hosts, "::1");
        return OC_OK;
    }
    if (oc_streq(bind, "tailnet")) {
        char ip[INET_ADDRSTRLEN];
        if (!find_tailnet_address(ip)) {
            return oc_fail_setting(err, OC_E_INVALID, "gateway.bind",
                    "is tailnet, but this machine has no Tailscale address; start "
                    "Tailscale or "
                    "set gateway.bind to loopback or lan");
        }
        oc_strv_add(&c->hosts, ip);
        oc_strv_add(&c->hosts, "127.0.0.1");
        oc_strv_add(&c->hosts, "::1");
        return OC_OK;
    }
    if (!oc_streq(bind, "custom")) {
        return oc_fail_setting(err, OC_E_INVALID, "gateway.bind",
                "'%.40s' is not known; use loopback, lan, tailnet, auto or custom", bind);
    }
    const char *host =
            opts->custom_host ? opts->custom_host : oc_json_get_str(section, "customBindHost");
    struct oc_addr address;
    if (!host || !oc_addr_parse(host, 0, &address)) {
        return oc_fail_setting(err, OC_E_INVALID, "gateway.bind",
                "is custom, which needs a numeric address in gateway.customBindHost");
    }
    oc_strv_add(&c->hosts, host);
    add_other_family(c, host);
    c->is_loopback_only = oc_addr_is_loopback(&address);
    return OC_OK;
}

static enum oc_code load_port(
        struct gw_config *c, const struct gw_opts *opts, struct oc_error *err) {
    if (opts->port > UINT16_MAX) {
        return oc_fail(err, OC_E_INVALID, "port %d is not a TCP port", opts->port);
    }
    if (opts->port >= 0) {
        c->port = (uint16_t)opts->port;
        return OC_OK;
    }
    c->port = OC_DEFAULT_PORT;
    const cJSON *port = oc_json_path(opts->config, "gateway.port");
    if (!port) {
        return OC_OK;
    }
    int64_t value =
            oc_json_get_int(oc_json_get(opts->config, "gateway"), "port", 1, UINT16_MAX, -1);
    if (value < 0) {
        return oc_fail_setting(err, OC_E_INVALID, "gateway.port", "must be an integer in 1..65535");
    }
    c->port = (uint16_t)value;
    return OC_OK;
}

/* The names the reference uses for the pair it makes for itself. */
static void load_tls(struct gw_config *c, const struct gw_opts *opts) {
    const cJSON *tls = oc_json_path(opts->config, "gateway.tls");
    if (!oc_json_get_bool(tls, "enabled", false)) {
        return;
    }
    const char *cert = oc_json_get_str(tls, "certPath"), *key = oc_json_get_str(tls, "keyPath");
    const char *ca = oc_json_get_str(tls, "caPath");
    c->tls_auto = oc_json_get_bool(tls, "autoGenerate", true);
    c->tls_cert = cert ? oc_path_user(cert) : oc_path_join(opts->state_dir, OC_TLS_CERT_NAME);
    c->tls_key = key ? oc_path_user(key) : oc_path_join(opts->state_dir, OC_TLS_KEY_NAME);
    c->tls_ca = ca ? oc_path_user(ca) : NULL;
}

static enum oc_code load_exposure(
        struct gw_config *c, const struct gw_opts *opts, struct oc_error *err) {
    const cJSON *section = oc_json_get(opts->config, "gateway");
    int64_t ms = oc_json_get(section, "handshakeTimeoutMs")
                         ? oc_json_get_int(section, "handshakeTimeoutMs", 100, 120000, -1)
                         : OC_HANDSHAKE_TIMEOUT_MS;
    if (ms < 0) {
        return oc_fail_setting(err, OC_E_INVALID, "gateway.handshakeTimeoutMs",
                "must be an integer in 100..120000");
    }
    c->handshake_ms = (int)ms;
    const char *path = oc_json_get_str(section, "contextPath");
    c->context_path = oc_context_path(path ? path : "");
    if (!c->context_path) {
        return oc_fail_setting(err, OC_E_INVALID, "gateway.contextPath",
                "must be a plain URL path such as /openclaw");
    }
    enum oc_code rc = gw_proxies_load(oc_json_get(section, "trustedProxies"), &c->proxies, err);
    c->proxies.believes_real_ip = oc_json_get_bool(section, "allowRealIpFallback", false);
    return rc;
}

enum oc_code gw_config_load(
        const struct gw_opts *opts, struct gw_config *ret, struct oc_error *err) {
    *ret = (struct gw_config){ 0 };
    gw_policy_load(&ret->policy, opts->config);
    oc_json_get_strv(oc_json_path(opts->config, "gateway.controlUi"), "allowedOrigins",
            &ret->allowed_origins);
    const cJSON *rate = oc_json_path(opts->config, "gateway.auth.rateLimit");
    ret->rate_max_attempts = oc_json_clamp_int(rate, "maxAttempts", 0, 1000000, 10);
    ret->rate_window_ms = oc_json_clamp_int(rate, "windowMs", 0, 86400000, 60000);
    ret->rate_lockout_ms = oc_json_clamp_int(rate, "lockoutMs", 0, 86400000, 300000);
    ret->rate_exempt_loopback = oc_json_get_bool(rate, "exemptLoopback", true);
    if (ret->rate_max_attempts < 1 || ret->rate_window_ms < 1 || ret->rate_lockout_ms < 1) {
        return oc_fail_setting(err, OC_E_INVALID, "gateway.auth.rateLimit",
                "maxAttempts, windowMs and lockoutMs must be positive");
    }
    ret->auto_approve_local = oc_json_get_bool(
            oc_json_path(opts->config, "gateway.nodes.pairing"), "autoApproveLocal", true);
    load_tls(ret, opts);
    enum oc_code rc = load_exposure(ret, opts, err);
    if (rc == OC_OK) {
        rc = load_port(ret, opts, err);
    }
    if (rc == OC_OK) {
        rc = load_bind(ret, opts, err);
    }
    if (rc == OC_OK) {
        rc = load_auth(ret, opts, err);
    }
    return rc;
}

void gw_config_finish(struct gw_config *c) {
    oc_strv_finish(&c->hosts);
    oc_strv_finish(&c->allowed_origins);
    gw_policy_finish(&c->policy);
    oc_free_secret(c->secret);
    oc_free(c->context_path);
    oc_free(c->tls_cert);
    oc_free(c->tls_key);
    oc_free(c->tls_ca);
    *c = (struct gw_config){ 0 };
}
