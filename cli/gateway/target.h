/* Which gateway a command talks to, and with which secret. */
#ifndef CLI_GATEWAY_TARGET_H
#define CLI_GATEWAY_TARGET_H

#include "cli/options.h"
#include "lib/base/error.h"
#include "lib/json/json.h"

#include <stdbool.h>
#include <stdint.h>

/* What names the gateway. */
enum cli_target_from {
    CLI_TARGET_LOCAL,  /* nothing: it is this machine's own */
    CLI_TARGET_URL,    /* --url */
    CLI_TARGET_REMOTE, /* gateway.remote.url */
};
/* For people and --json. */
const char *cli_target_from_name(enum cli_target_from from);

struct cli_target {
    char *url;  /* as it was given, without user:password */
    char *host; /* without brackets */
    uint16_t port;
    char *path;
    bool tls;
    char *tls_fingerprint;  /* or NULL */
    char *token, *password; /* secrets, or NULL */
    char *gateway_user; /* whose gateway counts as ours on this machine (lib/net/peer.h), or NULL */
    enum cli_target_from from;
    char *state_dir, *config_path;
};

/* Reads options, environment and config. ret needs cli_target_finish in every case. */
enum oc_code cli_target_resolve(
        const struct cli_args *args, struct cli_target *ret, struct oc_error *err) OC_MUST_USE;
void cli_target_finish(struct cli_target *t);

/* ws://host[:port][/path] or wss://…; fills url, host, port, path and tls. */
enum oc_code cli_target_parse_url(
        const char *url, struct cli_target *ret, struct oc_error *err) OC_MUST_USE;
/* OPENCLAW_GATEWAY_PORT, gateway.port, 18789. A bad value is an error that names it. */
enum oc_code cli_target_port(const cJSON *config, uint16_t *ret, struct oc_error *err) OC_MUST_USE;
/* The path the gateway of this machine answers under: "/openclaw", or "". Caller frees. */
char *cli_target_local_path(const cJSON *config);
/* The pin of this machine's own gateway by its certificate file, so that wss://127.0.0.1 works with
 * a self-signed one; NULL when there is no readable certificate. Caller frees. */
char *cli_target_local_pin(const cJSON *config, const char *state_dir);
/* --gateway-user, else gateway.user; NULL when there is none. Caller frees. */
char *cli_target_gateway_user(const struct cli_args *args, const cJSON *config);

#endif
