/* A command that a helper carries out: the helper's answer is the command's. */
#ifndef NODE_COMMANDS_HELPER_CALL_H
#define NODE_COMMANDS_HELPER_CALL_H

#include "node/call/call.h"
#include "node/helper/helper.h"

/* A capture becomes the member "base64" of the result. Cancelling the call kills the helper. */
void nd_helper_answer_call(struct nd_call *call, const struct nd_helper_opts *opts);
/* The same for a helper that tells things before it answers; user is the call. */
void nd_helper_answer_call_telling(struct nd_call *call, const struct nd_helper_opts *opts,
        void (*on_progress)(void *user, const cJSON *progress));

#endif
