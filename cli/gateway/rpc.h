/* The command line's connection: sequential calls over one session, run by stepping the loop until
 * the answer is there. */
#ifndef CLI_GATEWAY_RPC_H
#define CLI_GATEWAY_RPC_H

#include "cli/gateway/explain.h"
#include "cli/gateway/target.h"
#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "lib/client/session.h"
#include "lib/json/json.h"
#include "lib/protocol/connect.h"
#include "lib/protocol/frame.h"

#include <stdbool.h>
#include <stdint.h>

struct cli_rpc;

struct cli_rpc_reply {
    struct oc_slice payload; /* raw JSON inside blob; len 0 when absent */
    struct oc_blob *blob;    /* owned */
};
void cli_rpc_reply_finish(struct cli_rpc_reply *r);

/* Connects as operator with all scopes and this machine's device identity. Takes the target. Fills
 * *ret_why on failure. */
enum oc_code cli_rpc_open(struct cli_target *take_target, int64_t timeout_ms, struct cli_rpc **ret,
        struct cli_explained *ret_why) OC_MUST_USE;
/* Queues a close frame, gives it one chance to leave, and closes. */
void cli_rpc_close(struct cli_rpc *r);
enum oc_code cli_rpc_call(struct cli_rpc *r, const char *method, cJSON *take_params,
        int64_t timeout_ms, struct cli_rpc_reply *ret, struct cli_explained *ret_why) OC_MUST_USE;
/* Sends a request while another one is waited for (cli_rpc_call serves both); done fires unless the
 * connection is closed first. */
void cli_rpc_post(struct cli_rpc *r, const char *method, cJSON *take_params, int timeout_ms,
        oc_reply_done *done, void *user);
/* Events go to fn from now on; NULL: to nobody. */
void cli_rpc_on_event(
        struct cli_rpc *r, void (*fn)(void *user, const struct oc_frame *frame), void *user);
/* The id of the request that cli_rpc_call waits for: events about it name it as requestId. "" when
 * none does. */
const char *cli_rpc_call_id(const struct cli_rpc *r);
struct oc_loop *cli_rpc_loop(struct cli_rpc *r);
bool cli_rpc_is_ended(const struct cli_rpc *r);
/* Lets time pass while the connection is served. */
void cli_rpc_sleep(struct cli_rpc *r, int64_t ms);

const struct cli_target *cli_rpc_target(const struct cli_rpc *r);
const cJSON *cli_rpc_hello(const struct cli_rpc *r); /* the whole hello-ok payload */
int64_t cli_rpc_connect_ms(const struct cli_rpc *r); /* how long connecting took */

#endif
