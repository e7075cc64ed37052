/* Turns failures of the wire into two lines for a person: what failed, and the command or setting
 * that fixes it. */
#ifndef CLI_GATEWAY_EXPLAIN_H
#define CLI_GATEWAY_EXPLAIN_H

#include "cli/gateway/target.h"
#include "lib/client/session.h"

struct cli_explained {
    char *text; /* owned, printable */
    char *fix;  /* owned, or NULL */
    char *code; /* wire code, owned, or NULL */
    struct oc_grounds grounds;
};
void cli_explained_finish(struct cli_explained *e);

/* Why there is no connection (or no longer one). */
void cli_explain_end(
        const struct cli_target *t, const struct oc_session_end *end, struct cli_explained *ret);
/* Why a call was refused. */
void cli_explain_reply(const struct oc_reply *reply, const char *method, struct cli_explained *ret);

#endif
