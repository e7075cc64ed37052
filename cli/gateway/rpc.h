/* The command line's connection: sequential calls over one session, run by stepping the loop until
 * the answer is there. */
#ifndef CLI_GATEWAY_RPC_H
#define CLI_GATEWAY_RPC_H

#include "cli/explain.h"
#include "cli/gateway/target.h"
#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "lib/client/session.h"
#include "lib/json/json.h"
#include "lib/protocol/connect.h"
#include "lib/protocol/frame.h"

#include <stdbool.h>
#include <stdint.h>

struct oc_rpc;

struct oc_rpc_reply {
    struct oc_slice payload; /* raw JSON inside blob; len 0 when absent */
    struct oc_blob *blob;    /* owned */
};
void oc_rpc_reply_finish(struct oc_rpc_reply *r);

/* Connects as operator with all scopes and this machine's device identity. Takes the target. Fills
 * *ret_why on failure. */
enum oc_code oc_rpc_open(struct oc_target *take_target, int64_t timeout_ms, struct oc_rpc **ret,
        struct oc_explained *ret_why) OC_MUST_USE;
/* Queues a close frame, gives it one chance to leave, and lets go. */
void oc_rpc_close(struct oc_rpc *r);
enum oc_code oc_rpc_call(struct oc_rpc *r, const char *method, cJSON *take_params,
        int64_t timeout_ms, struct oc_rpc_reply *ret, struct oc_explained *ret_why) OC_MUST_USE;
/* Sends a request while another one is waited for (oc_rpc_call serves both); done fires unless the connection is closed
 * first. */
void oc_rpc_post(struct oc_rpc *r, const char *method, cJSON *take_params, int timeout_ms,
        oc_reply_done *done, void *user);
/* Events go to fn from now on; NULL: to nobody. */
void oc_rpc_on_event(
        struct oc_rpc *r, void (*fn)(void *user, const struct oc_frame *frame), void *user);
/* The id of the request that oc_rpc_call waits for: events about it name it as requestId. "" when none does. */
const char *oc_rpc_call_id(const struct oc_rpc *r);
struct oc_loop *oc_rpc_loop(struct oc_rpc *r);
bool oc_rpc_is_ended(const struct oc_rpc *r);
/* Lets time pass while the connection is served. */
void oc_rpc_sleep(struct oc_rpc *r, int64_t ms);

const struct oc_target *oc_rpc_target(const struct oc_rpc *r);
const cJSON *oc_rpc_hello(const struct oc_rpc *r); /* the whole hello-ok payload */
int64_t oc_rpc_connect_ms(const struct oc_rpc *r); /* how long connecting took */

#endif
