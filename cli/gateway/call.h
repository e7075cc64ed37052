/* A command's calls of the gateway. The first one connects. */
#ifndef CLI_GATEWAY_CALL_H
#define CLI_GATEWAY_CALL_H

#include "cli/command.h"
#include "cli/gateway/rpc.h"
#include "lib/base/error.h"
#include "lib/json/json.h"

#include <stdint.h>

/* One answer of the gateway. On failure err, cli->fix and cli->error_code say why. timeout_ms 0
 * takes --timeout. ret needs cli_rpc_reply_finish when this returned OC_OK. */
enum oc_code cli_call(struct cli_cli *cli, const char *method, cJSON *take_params,
        int64_t timeout_ms, struct cli_rpc_reply *ret, struct oc_error *err) OC_MUST_USE;
/* The same with the payload as a tree (NUL characters in it become U+FFFD). */
enum oc_code cli_call_tree(struct cli_cli *cli, const char *method, cJSON *take_params, cJSON **ret,
        struct oc_error *err) OC_MUST_USE;
enum oc_code cli_call_tree_within(struct cli_cli *cli, const char *method, cJSON *take_params,
        int64_t timeout_ms, cJSON **ret, struct oc_error *err) OC_MUST_USE; /* 0: --timeout */
/* A new connection in place of the one that went. */
enum oc_code cli_reconnect(struct cli_cli *cli, struct oc_error *err) OC_MUST_USE;

#endif
