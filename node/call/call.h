/* Invokes on the node's side: each is started once, answered once, and remembered for a while.
 *
 *   request ──▶ refused (unknown, malformed, too many) ─▶ answered
 *      │
 *      ├─ same key, still running ─▶ waits for that call's answer
 *      ├─ same key, finished      ─▶ gets that answer again
 *      └─ new ──▶ command.start ──▶ nd_call_reply_* ─▶ answer to everyone who waits ─▶ freed
 *                     ├─ deadline  ─▶ call->cancel(OC_E_TIMEOUT)
 *                     └─ cancelled ─▶ call->cancel(OC_E_CANCELLED)
 *
 * An answer goes to the connection that asked. If that is gone it is dropped, but still remembered:
 * the caller who asks again with the same key gets it, and the command does not run a second time.
 */
#ifndef NODE_CALL_CALL_H
#define NODE_CALL_CALL_H

#include "lib/base/buf.h"
#include "lib/json/json.h"
#include "lib/net/loop/loop.h"
#include "lib/protocol/invoke.h"
#include "node/link/uplink.h"
#include "node/machine.h"

#include <stdint.h>

#define ND_MAX_NODE_CALLS 64       /* invokes that a node works on at a time */
#define ND_MAX_CALL_WAITERS 16     /* requests that share one of them */
#define ND_MAX_PARAM_VALUES 131072 /* values in one invoke's params, at the node */
/* What the params of all calls and of runs in the background may take in memory. One call alone
 * always may. */
#define ND_MAX_NODE_CALL_BYTES \
    ((size_t)16 * 1024 * 1024) /* params of all invokes in memory, at the node */
#define ND_MAX_REMEMBERED_BYTES ((size_t)64 * 1024)   /* one answer that a node remembers */
#define ND_MAX_REMEMBERED_TOTAL ((size_t)1024 * 1024) /* all answers that a node remembers */

struct nd_commands; /* node/call/command.h */
struct nd_key_file; /* node/call/key_file.h */
struct nd_calls;
struct nd_command;
struct nd_host; /* node/commands/host.h: for the commands alone */

/* What the params of calls take, see ND_MAX_NODE_CALL_BYTES. */
struct nd_call_memory {
    size_t bytes;
};

struct nd_call {
    struct nd_host *host;
    const struct nd_command *command;
    const cJSON *params; /* an object; lives as long as the call */
    const cJSON
            *caller; /* who the gateway says asked (lib/protocol/invoke.h); NULL: it does not say */
    const char *asked_as; /* what the gateway called the first request for this */
    int64_t timeout_ms;   /* that the caller gives; not > 0: as long as it takes */
    /* For the command: */
    void *work;
    /* What of the params was changed (lib/helper/params.h); goes out with the answer. An array;
     * NULL and empty: nothing. */
    cJSON *clamped;
    /* Hurry up: the answer must follow soon, also if it is only an error. NULL while there is
     * nothing to cancel. */
    void (*cancel)(struct nd_call *call, enum oc_code why);
    /* The connection that asked is gone (false), or somebody asks for the same answer again (true).
     * May be NULL. */
    void (*attended)(struct nd_call *call, bool is_attended);
    /* The node goes away: give back everything now; there will be no answer. NULL when nothing is
     * held. */
    void (*abandon)(struct nd_call *call);
};

struct nd_calls_opts {
    struct nd_host *host; /* handed to the commands; like the rest borrowed */
    const struct nd_machine *machine;
    struct nd_uplink *uplink;
    const struct nd_commands *commands;
    struct nd_call_memory *memory;
    struct nd_key_file *key_file; /* of idempotency keys; NULL: in memory only */
};
struct nd_calls *nd_calls_create(const struct nd_calls_opts *opts);
/* Abandons what runs. */
void nd_calls_destroy(struct nd_calls *calls);

/* node.invoke.request and node.invoke.cancel, as they come in. */
void nd_calls_request(struct nd_calls *calls, struct oc_slice payload);
void nd_calls_cancel(struct nd_calls *calls, struct oc_slice payload);
void nd_calls_cancel_all(struct nd_calls *calls);
/* The owner switched something off: what runs under that switch ends now, and nothing of it is
 * sent. */
void nd_calls_withdraw(struct nd_calls *calls);
/* The connection is gone: whoever asked through it does not hear us any more. */
void nd_calls_cut(struct nd_calls *calls);
size_t nd_calls_running(const struct nd_calls *calls);
/* Units of work so far (lib/net/loop/turns.h), for tests. */
uint64_t nd_calls_work(const struct nd_calls *calls);
/* Told when the last running call is answered. */
void nd_calls_on_idle(struct nd_calls *calls, void (*on_idle)(void *user), void *user);

/* Its params go on being used when it is answered: their memory counts for the caller of this
 * function now, who gives it back with nd_call_memory_give_back. */
size_t nd_call_take_memory(struct nd_call *call);
void nd_call_memory_give_back(struct nd_call_memory *memory, size_t bytes);

/* The request on this connection that waits for the answer; NULL when none does. */
const char *nd_call_invoke_id(const struct nd_call *call);

/* Its params by a table; what is changed of them is told with the answer. */
struct oc_param;
enum oc_code nd_call_read(struct nd_call *call, const struct oc_param *table, cJSON *ret,
        struct oc_error *err) OC_MUST_USE;

/* Work for it on the loop, which counts for its caller (node/call/call_turns.h): go is called now,
 * or in a later round when the caller has had enough of this one. Until then the call is cancelled
 * or abandoned as before, or as one that has not begun. */
void nd_call_in_turn(struct nd_call *call, void (*go)(struct nd_call *call));

/* The answer; after it the call must not be touched. payload becomes payloadJSON. */
void nd_call_reply_json(struct nd_call *call, cJSON *take_payload);
void nd_call_reply_text(struct nd_call *call, struct oc_blob *take_json);
/* take_payload, an object, gets the file's bytes as its last member "base64" while it is sent. */
void nd_call_reply_media(struct nd_call *call, cJSON *take_payload, int take_fd, size_t len);
void nd_call_reply_error(struct nd_call *call, const char *code, const char *message);
/* The same with why, as data. A gateway that does not take it gets one sentence made of both. */
void nd_call_refuse(
        struct nd_call *call, const char *code, const char *text, const struct oc_grounds *grounds);
/* Nothing came of it, because it was cancelled for this reason. */
void nd_call_not_started(struct nd_call *call, enum oc_code why, const char *text);
/* err's wire code, text and grounds. */
void nd_call_fail(struct nd_call *call, const struct oc_error *err);

#endif
