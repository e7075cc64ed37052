#include "cli/gateway/target.h"

#include "cli/gateway/running.h"
#include "cli/gateway/secret.h"
#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/base/one_of.h"
#include "lib/config/config.h"
#include "lib/files/file.h"
#include "lib/identity/identity.h"
#include "lib/net/dial.h"
#include "lib/net/http/context_path.h"
#include "lib/net/tls_cert.h"
#include "lib/protocol/limits.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define MAX_SECRET_BYTES 4096

static enum oc_code fail_url(const char *url, const char *why, struct oc_error *err) {
    OC_AUTO_FREE char *shown = oc_printable(url, strlen(url), 100);
    return oc_fail(err, OC_E_INVALID, "gateway url '%s': %s", shown, why);
}

/* authority is host[:port] or [v6][:port]. */
static enum oc_code parse_authority(
        const char *url, char *authority, struct cli_target *ret, struct oc_error *err) {
    char *host = authority, *port = NULL;
    if (*host == '[') {
        char *end = strchr(++host, ']');
        if (!end || (end[1] && end[1] != ':')) {
            return fail_url(url, "the IPv6 address is not closed with ]", err);
        }
        port = end[1] == ':' ? end + 2 : NULL;
        *end = '\0';
    } else {
        port = strchr(host, ':');
        if (port) {
            *port++ = '\0';
        }
    }
    if (!*host || strpbrk(host, " \t\r\n")) {
        return fail_url(url, "it names no host", err);
    }
    int64_t number = ret->tls ? 443 : 80;
    if (port && !oc_parse_int(port, 1, 65535, &number)) {
        return fail_url(url, "the port must be 1 to 65535", err);
    }
    ret->host = oc_strdup(host);
    ret->port = (uint16_t)number;
    return OC_OK;
}

enum oc_code cli_target_parse_url(const char *url, struct cli_target *ret, struct oc_error *err) {
    const char *rest;
    if (strncasecmp(url, "ws://", 5) == 0) {
        rest = url + 5;
    } else if (strncasecmp(url, "wss://", 6) == 0) {
        rest = url + 6;
        ret->tls = true;
    } else {
        return fail_url(url, "it must start with ws:// or wss://", err);
    }
    size_t authority_len = strcspn(rest, "/?#");
    OC_AUTO_FREE char *authority = oc_strndup(rest, authority_len);
    if (strchr(authority, '@')) {
        return oc_fail(err, OC_E_INVALID,
                "a gateway url must not carry user:password@; use --password-file");
    }
    enum oc_code rc = parse_authority(url, authority, ret, err);
    if (rc != OC_OK) {
        return rc;
    }
    const char *path = rest + authority_len;
    size_t path_len = strcspn(path, "#");
    ret->path = *path == '/' ? oc_strndup(path, path_len) : oc_strdup("/");
    ret->url = oc_strndup(url, (size_t)(path - url) + (strcmp(ret->path, "/") == 0 ? 0 : path_len));
    return OC_OK;
}

enum oc_code cli_target_port(const cJSON *config, uint16_t *ret, struct oc_error *err) {
    int64_t port = OC_DEFAULT_PORT;
    const char *env = getenv("OPENCLAW_GATEWAY_PORT");
    const cJSON *configured = oc_json_path(config, "gateway.port");
    if (env && *env) {
        if (!oc_parse_int(env, 1, 65535, &port)) {
            return oc_fail(
                    err, OC_E_INVALID, "OPENCLAW_GATEWAY_PORT must be 1 to 65535, not '%s'", env);
        }
    } else if (configured) {
        port = oc_json_get_int(oc_json_path(config, "gateway"), "port", 1, UINT16_MAX, 0);
        if (port == 0) {
            return oc_fail(err, OC_E_INVALID, "gateway.port in the config must be 1 to 65535");
        }
    }
    *ret = (uint16_t)port;
    return OC_OK;
}

/* A secret from --<which> or --<which>-file; leaves *ret alone when neither was given. */
static enum oc_code explicit_secret(const struct cli_args *args, const char *which,
        const char *which_file, char **ret, struct oc_error *err) {
    const char *text = cli_args_text(args, which);
    const char *path = cli_args_text(args, which_file);
    if (text && *text) {
        *ret = oc_strdup(text);
        return OC_OK;
    }
    return path ? cli_secret_from_file(path, which, ret, err) : OC_OK;
}

char *cli_target_local_pin(const cJSON *config, const char *state_dir) {
    const char *configured = oc_json_get_str(oc_json_path(config, "gateway.tls"), "certPath");
    OC_AUTO_FREE char *path =
            configured ? oc_path_user(configured) : oc_path_join(state_dir, OC_TLS_CERT_NAME);
    char pin[OC_TLS_PIN_LEN + 1];
    return oc_tls_cert_pin(path, pin) ? oc_strdup(pin) : NULL;
}

char *cli_target_local_path(const cJSON *config) {
    const char *given = oc_json_get_str(oc_json_get(config, "gateway"), "contextPath");
    char *path = given ? oc_context_path(given) : NULL;
    return path ? path : oc_strdup(""); /* a gateway would not start with a wrong one */
}

char *cli_target_gateway_user(const struct cli_args *args, const cJSON *config) {
    const char *given = cli_args_text(args, "gateway-user");
    return oc_strdup(given ? given : oc_json_get_str(oc_json_get(config, "gateway"), "user"));
}

const char *cli_target_from_name(enum cli_target_from from) {
    static const char *const names[] = {
        [CLI_TARGET_LOCAL] = "local gateway",
        [CLI_TARGET_URL] = "--url",
        [CLI_TARGET_REMOTE] = "gateway.remote.url",
    };
    return names[from];
}

static enum oc_code choose_url(const struct cli_args *args, const cJSON *config,
        struct cli_target *ret, struct oc_error *err) {
    const cJSON *gateway = oc_json_get(config, "gateway");
    const cJSON *remote = oc_json_get(gateway, "remote");
    const char *flag = cli_args_text(args, "url");
    if (flag) {
        ret->from = CLI_TARGET_URL;
        if (!ret->token && !ret->password) {
            return oc_fail(err, OC_E_AUTH,
                    "gateway url override requires explicit credentials: "
                    "add --token-file <file> or --password-file <file>");
        }
        return cli_target_parse_url(flag, ret, err);
    }
    if (oc_streq(oc_json_get_str(gateway, "mode"), "remote")) {
        const char *url = oc_json_get_str(remote, "url");
        ret->from = CLI_TARGET_REMOTE;
        if (oc_str_blank(url)) {
            return oc_fail(err, OC_E_INVALID,
                    "gateway.mode is remote but gateway.remote.url is not set in %s",
                    ret->config_path);
        }
        ret->tls_fingerprint = oc_strdup(oc_json_get_str(remote, "tlsFingerprint"));
        return cli_target_parse_url(url, ret, err);
    }
    uint16_t port = 0;
    enum oc_code rc = cli_target_port(config, &port, err);
    if (rc != OC_OK) {
        return rc;
    }
    const char *env = getenv("OPENCLAW_GATEWAY_PORT");
    if (!env || !*env) {
        (void)cli_running_port(ret->state_dir, &port);
    }
    bool tls = oc_json_get_bool(oc_json_get(gateway, "tls"), "enabled", false);
    ret->from = CLI_TARGET_LOCAL;
    OC_AUTO_FREE char *path = cli_target_local_path(config);
    OC_AUTO_FREE char *url =
            oc_strfmt("%s://127.0.0.1:%u%s", tls ? "wss" : "ws", (unsigned)port, path);
    ret->tls_fingerprint = tls ? cli_target_local_pin(config, ret->state_dir) : NULL;
    return cli_target_parse_url(url, ret, err);
}

static enum oc_code check_transport(const struct cli_target *t, struct oc_error *err) {
    const char *allow = getenv("OPENCLAW_ALLOW_INSECURE_PRIVATE_WS");
    if (!t->tls && t->tls_fingerprint) {
        return oc_fail(err, OC_E_INVALID, "gateway tls fingerprint requires wss:// gateway url");
    }
    char pin[OC_TLS_PIN_LEN + 1];
    if (t->tls_fingerprint && !oc_tls_pin_normalize(t->tls_fingerprint, pin)) {
        enum oc_code rc = oc_fail(err, OC_E_INVALID,
                "gateway.remote.tlsFingerprint in %s is not a SHA-256 in hex (64 digits, colons "
                "allowed)",
                t->config_path);
        if (err) {
            err->grounds.remedy = OC_REMEDY_SEE_FINGERPRINT;
        }
        return rc;
    }
    if (!t->tls && !oc_host_is_private(t->host) && !oc_streq(allow, "1")) {
        return oc_fail(err, OC_E_DENIED,
                "refusing plain ws:// to %s: anyone on the way could read the secret. Use wss://, "
                "an ssh tunnel to "
                "ws://127.0.0.1, or set OPENCLAW_ALLOW_INSECURE_PRIVATE_WS=1 if that network is "
                "private",
                t->host);
    }
    return OC_OK;
}

enum oc_code cli_target_resolve(
        const struct cli_args *args, struct cli_target *ret, struct oc_error *err) {
    *ret = (struct cli_target){ .state_dir = oc_dir_state(), .config_path = oc_path_config() };
    OC_AUTO_JSON cJSON *config = NULL;
    enum oc_code rc = explicit_secret(args, "token", "token-file", &ret->token, err);
    if (rc == OC_OK) {
        rc = explicit_secret(args, "password", "password-file", &ret->password, err);
    }
    bool is_explicit = ret->token || ret->password;
    /* Who says where to and with what needs no config, so a broken one does not matter. */
    if (rc == OC_OK && !(is_explicit && cli_args_text(args, "url"))) {
        rc = oc_config_load(ret->config_path, &config, err);
    }
    if (rc == OC_OK) {
        rc = choose_url(args, config, ret, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    if (!is_explicit) {
        enum oc_gateway_kind kind =
                ret->from == CLI_TARGET_REMOTE ? OC_GATEWAY_REMOTE : OC_GATEWAY_OWN;
        ret->token = oc_config_client_secret(config, "token", kind);
        ret->password = oc_config_client_secret(config, "password", kind);
    }
    ret->gateway_user = cli_target_gateway_user(args, config);
    if (cli_args_text(args, "tls-fingerprint")) {
        oc_free(ret->tls_fingerprint);
        ret->tls_fingerprint = oc_strdup(cli_args_text(args, "tls-fingerprint"));
    }
    return check_transport(ret, err);
}

void cli_target_finish(struct cli_target *t) {
    oc_free(t->url);
    oc_free(t->host);
    oc_free(t->path);
    oc_free(t->tls_fingerprint);
    oc_free_secret(t->token);
    oc_free_secret(t->password);
    oc_free(t->gateway_user);
    oc_free(t->state_dir);
    oc_free(t->config_path);
    *t = (struct cli_target){ 0 };
}
