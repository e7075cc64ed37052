/* A client's session with a gateway: dial, challenge, signed connect, hello, then requests and
 * events.
 *
 * Used by the node (role node) and the command line (role operator). One session is one connection;
 * whoever wants to come back makes a new one. */
#ifndef LIB_CLIENT_SESSION_H
#define LIB_CLIENT_SESSION_H

#include "lib/identity/identity.h"
#include "lib/json/json.h"
#include "lib/net/dial.h"
#include "lib/protocol/connect.h"
#include "lib/protocol/frame.h"

struct oc_session;

struct oc_session_opts {
    struct oc_dial_opts dial;
    /* What connect says; device and signature are added here. Copied. */
    const struct oc_connect *connect;
    const struct oc_identity *identity; /* borrowed for the session's life; NULL: no device */
    int challenge_timeout_ms;           /* default OC_CHALLENGE_TIMEOUT_MS */
    int hello_timeout_ms;               /* default 15000 */
    bool watch_ticks; /* close with 4000 when nothing came for 2 × tickIntervalMs */
};

/* Why a session ended. Strings borrow for the call. */
struct oc_session_end {
    /* OC_E_DENIED: not paired. OC_E_AUTH: credentials refused; without error_code: its certificate,
     * or who listens there (lib/net/peer.h), was not accepted by us. OC_E_UNSUPPORTED: no common
     * protocol version. OC_E_CANCELLED: oc_session_close. OC_E_NOT_FOUND: no such host.
     * OC_E_TIMEOUT, OC_E_IO, OC_E_CLOSED … */
    enum oc_code code;
    const char *message; /* one line for a person */
    uint16_t close_code; /* 0 when there was no WebSocket */
    const char *close_reason;
    const char *error_code; /* of the refused connect: "NOT_PAIRED" …; NULL */
    const cJSON *details;   /* of the refused connect; NULL */
    int64_t retry_after_ms; /* -1 when not given */
    bool had_hello;
    struct oc_grounds grounds; /* of the refusal, the close, or why we ended it */
};

struct oc_session_events {
    void (*on_hello)(void *user, const struct oc_hello *hello, const cJSON *payload);
    /* frame borrows from blob. Only after on_hello: what came before it waits for it
     * (docs/PROTOCOL.md#handshake). */
    void (*on_event)(void *user, const struct oc_frame *frame, struct oc_blob *blob);
    /* An answer to a frame of oc_session_send. May be NULL. */
    void (*on_response)(void *user, const struct oc_frame *frame);
    /* Exactly once, also when the dial fails. Destroy the session in or after it. */
    void (*on_end)(void *user, const struct oc_session_end *end);
};

struct oc_session *oc_session_start(struct oc_loop *loop, const struct oc_session_opts *opts,
        const struct oc_session_events *events, void *user);

/* One answer. ok: payload is the raw JSON (len 0 when absent), a slice of blob. Otherwise
 * error_code and message are set (code OC_E_TIMEOUT or OC_E_CLOSED when no answer came), details
 * may be. Fires exactly once. */
struct oc_reply {
    bool ok;
    struct oc_slice payload;
    struct oc_blob *blob;
    enum oc_code code;
    const char *error_code, *message;
    const cJSON *error; /* the whole error object, or NULL */
    const char *text;   /* the message without gate and fix, which are in grounds */
    struct oc_grounds grounds;
};
typedef void oc_reply_done(void *user, const struct oc_reply *reply);

/* params may be NULL. Before hello the request is refused at once through done, from the loop.
 * Returns the request's id, good until done. */
const char *oc_session_request(struct oc_session *s, const char *method, cJSON *take_params,
        int timeout_ms, oc_reply_done *done, void *user);
/* A whole frame that the caller has built, e.g. a large node.invoke.result; its answer goes to
 * on_response.
 */
enum oc_code oc_session_send(struct oc_session *s, struct oc_msg *take_msg);
/* Its socket, to ask the kernel who is at the other end; -1: there is none (yet, or no more).
 * Borrowed. */
int oc_session_fd(const struct oc_session *s);
/* Closes with this code; on_end follows. */
void oc_session_close(struct oc_session *s, uint16_t code, const char *reason);
void oc_session_destroy(struct oc_session *s); /* no callback fires any more */

#endif
