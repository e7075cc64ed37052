/* What an invoke came to, and the response frame that carries it.
 *
 * A node's payload may be 20 MB. It is never put into a tree nor copied: the answer holds slices of
 * the message the node sent, and every response is put together from those bytes. */
#ifndef GATEWAY_INVOKE_ANSWER_H
#define GATEWAY_INVOKE_ANSWER_H

#include "lib/base/buf.h"
#include "lib/base/grounds.h"
#include "lib/net/ws/msg.h"
#include "lib/protocol/invoke.h"

#include <stdbool.h>

enum gw_payload_kind {
    GW_PAYLOAD_NONE,
    GW_PAYLOAD_RAW,      /* `payload`: a JSON value */
    GW_PAYLOAD_ESCAPED,  /* payloadJSON: the body of a JSON string that holds a JSON value */
    GW_PAYLOAD_UNPARSED, /* payloadJSON, but what it holds is not JSON */
};

struct gw_answer {
    bool ok;
    const char *node_id, *command;
    /* ok */
    enum gw_payload_kind payload_kind;
    struct oc_blob *blob;    /* borrowed; payload lies in it */
    struct oc_slice payload; /* a value or a body, by kind */
    /* not ok */
    const char *message; /* without gate and fix, which are data: */
    struct oc_grounds grounds;
    const char *node_code, *node_message; /* the node's own error; NULL when it gave none */
    bool was_dispatched;                  /* the node has seen the command */
    bool is_lost; /* nobody waits for the node any longer: it has not said what became of it */
    /* An answer that was given before: the response without its head. All else is unset then. */
    struct oc_blob *remembered;
};

/* Looks at the result once, so that many receivers can be served. Strings and slices borrow from r
 * and blob. */
struct gw_answer gw_answer_from_result(const struct oc_invoke_result *r, struct oc_blob *blob,
        const char *node_id, const char *command);

/* {"type":"res","id":…}; never larger than one message may be. */
struct oc_msg *gw_answer_msg(const struct gw_answer *a, const char *request_id);
/* The same with the node's payload alone, which is an empty object when there is none. */
struct oc_msg *gw_answer_bare_msg(const struct gw_answer *a, const char *request_id);
/* What gw_answer.remembered wants; NULL when it would be larger than max_bytes. */
struct oc_blob *gw_answer_remember(const struct gw_answer *a, size_t max_bytes);

#endif
