/* A link to a setup code, https://gateway/j/<code>: what the 2026.9.6 command line hands out. */
#ifndef CLI_PAIRING_JOIN_LINK_H
#define CLI_PAIRING_JOIN_LINK_H

#include "cli/gateway/target.h"
#include "lib/base/error.h"
#include "lib/protocol/setup_code.h"

#include <stdbool.h>

/* Looks like a web address, so it is no setup code by itself. */
bool cli_join_link_is(const char *text);
/* The gateway it belongs to, with its ws:// or wss:// address. OC_E_INVALID for what is no link, or
 * plain HTTP to another machine. ret needs cli_target_finish in every case. */
enum oc_code cli_join_link_target(
        const char *link, struct cli_target *ret, struct oc_error *err) OC_MUST_USE;
/* Fetches the code and so uses the link up. pin: of the certificate, or NULL for one that an
 * authority vouches for. Blocks for 15 seconds at most. The error's text does not show the link. */
enum oc_code cli_join_link_follow(const char *link, const char *pin, const char *gateway_user,
        struct oc_setup_code *ret, struct oc_error *err) OC_MUST_USE;

#endif
