/* The one file that looks into texts of errors: those of peers that send no grounds
 * (lib/protocol/grounds.h), which are the gateways and nodes of the reference, and nodes of ours
 * behind such a gateway. */
#ifndef LIB_PROTOCOL_FOREIGN_ERRORS_H
#define LIB_PROTOCOL_FOREIGN_ERRORS_H

#include "lib/protocol/grounds.h"

#include <stdint.h>

/* Adds to *ret what code, details and text give away. */
void oc_foreign_grounds(const struct oc_told_error *e, struct oc_grounds *ret);
/* "why (gate: …; fix: …)": the text without the two, which go into *ret where it has none. A gate
 * that is none of ours stays in the text. A node may have said it, unless it is of a handshake.
 * Caller frees. */
char *oc_foreign_text(const char *message, struct oc_grounds *ret);
/* What an older gateway of ours marks as words of a node in a fix: those words. NULL: it does not,
 * or there is no fix. */
const char *oc_foreign_quoted(const char *fix);
/* What a node says when there is no such program: it runs commands with libuv, or says it as that
 * does. */
bool oc_foreign_is_no_program(const char *error);
/* Whether a text says itself that it is about an error: "Error: …". */
bool oc_foreign_is_marked(const char *text);
/* Why a gateway closes the connection, also one of ours: a close frame has nothing but its text.
 * reason may be NULL. */
enum oc_cause oc_foreign_close(uint16_t close_code, const char *reason);

#endif
