/* Grounds on the wire: our own members of an error's details, beside those of the reference.
 *
 *   "cause", "gate", "subject", "remedy"  as in lib/base/grounds.h
 *   "atNode": true                        the remedy helps only at the node's own machine
 *   "nodeId"                              the node it is about
 *   "fix"                                 what the remedy means, for those who know no remedies
 *   "nodeFix"                             what the node calls a fix, in its own words, where there
 *                                         is no remedy: "fix" says whose words they are
 *   "text"                                the message without gate and fix, which it ends with for
 *                                         those who show nothing else
 *
 * Peers that have none of them are read in lib/protocol/foreign_errors.h. */
#ifndef LIB_PROTOCOL_GROUNDS_H
#define LIB_PROTOCOL_GROUNDS_H

#include "lib/base/grounds.h"
#include "lib/json/json.h"

/* Adds what is known; leaves out the rest. */
void oc_grounds_put(cJSON *details, const struct oc_grounds *g, const char *fix);
/* For a record that is kept: {"grounds":{…}} beside the text of the refusal, if there are any. */
void oc_grounds_put_record(cJSON *record, const struct oc_grounds *g);
/* The whole error object of a response or a node.invoke.result, with grounds in its details
 * (take_details may be NULL) and in its message. retry_after_ms as in oc_wire_error. */
cJSON *oc_grounds_error(const char *code, const char *text, const struct oc_grounds *g,
        cJSON *take_details, int64_t retry_after_ms);

/* What a peer sent. */
struct oc_told_error {
    bool is_of_node;       /* it may name only remedies that are about its own rules */
    bool is_of_handshake;  /* the connection was refused: only remedies for that */
    const char *code;      /* of the error; only that of a refused connect is looked at */
    const char *node_code; /* of the node's own error; NULL: none */
    const char *message;
    const cJSON *details; /* NULL: none */
};
/* What a peer claims: names that are in no list of ours and texts that are too long count as not
 * there; a peer that has no grounds is read by lib/protocol/foreign_errors.h. Returns its text
 * without gate and fix; whatever it calls a fix there is in ret->told, if there is no remedy.
 * Caller frees. */
char *oc_grounds_read(const struct oc_told_error *e, struct oc_grounds *ret);

#endif
