/* Finding gateways on the local network by DNS-SD (_openclaw-gw._tcp), through Avahi's command-line
 * tools.
 *
 * Off unless discovery.mdns.mode says minimal or full. What is found are hints: anybody on the
 * network can say anything, so nothing here replaces a stored pin. */
#ifndef CLI_GATEWAY_MDNS_H
#define CLI_GATEWAY_MDNS_H

#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "lib/base/str.h"
#include "lib/json/json.h"

#include <stdbool.h>
#include <stdint.h>

struct cli_mdns_ad {
    const char *host_name; /* of this machine */
    uint16_t port;
    const char *tls_pin; /* NULL: no TLS */
    bool is_full;        /* also where the command line and ssh are */
    const char *cli_path;
};
/* The command that advertises for as long as it runs. */
void cli_mdns_publish_argv(const struct cli_mdns_ad *ad, struct oc_strv *ret);
/* The command that lists what is there now. */
void cli_mdns_browse_argv(struct oc_strv *ret);

/* "off" (also with OPENCLAW_DISABLE_BONJOUR=1), "minimal" or "full"; OC_E_INVALID for anything
 * else. Literal. */
enum oc_code cli_mdns_mode(const cJSON *config, const char **ret, struct oc_error *err) OC_MUST_USE;

/* The lines of avahi-browse -p as
 * [{"name","displayName"?,"host","address","port","url","tls","tlsFingerprint"?}], each gateway
 * once. Lines that make no sense are left out. Caller deletes. */
cJSON *cli_mdns_parse(const char *text);

#endif
