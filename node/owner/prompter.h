/* Asks the person at this machine, through the local approvals socket (lib/state/prompt_line.h),
 * when somebody serves it: openclaw approvals watch --local, or a desktop's helper. */
#ifndef NODE_OWNER_PROMPTER_H
#define NODE_OWNER_PROMPTER_H

#include "lib/json/json.h"
#include "lib/net/loop/loop.h"
#include "lib/protocol/run_words.h"

#include <stdint.h>

#define ND_PROMPTER_MS 15000 /* while a call is held up: as long as the reference waits */

struct nd_prompter;
/* decision none: nobody decided. The prompter is gone when this fires. */
typedef void nd_prompter_done(void *user, enum oc_decision decision);

/* How long somebody has to answer: the request's timeoutMs. */
int64_t nd_prompter_ms(const cJSON *request);
/* NULL: nobody can be asked, and done never fires. Otherwise it fires once, from the loop. */
struct nd_prompter *nd_prompter_ask(struct oc_loop *loop, const char *approvals_path,
        const cJSON *request, nd_prompter_done *done, void *user);
/* done does not fire any more. NULL is fine. */
void nd_prompter_cancel(struct nd_prompter *p);

#endif
