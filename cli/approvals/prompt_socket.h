/* The local approvals socket (lib/state/prompt_line.h), served: programs on this machine ask, the
 * person at it decides.
 *
 * This is the plug of every prompter: the terminal (approvals watch --local) today, a desktop's
 * notifications later. Only the own account gets in, by file mode and by the peer's identity, and
 * only with the token of exec-approvals.json. */
#ifndef CLI_APPROVALS_PROMPT_SOCKET_H
#define CLI_APPROVALS_PROMPT_SOCKET_H

#include "lib/json/json.h"
#include "lib/net/loop/loop.h"
#include "lib/protocol/run_words.h"

struct cli_prompt_socket;

struct cli_prompt_events {
    /* item: {id, request, createdAtMs, expiresAtMs, asker} as in exec.approval.list; the id is
     * ours. */
    void (*on_request)(void *user, const cJSON *item);
    void (*on_gone)(void *user, const char *id); /* whoever asked has left */
};

/* Makes the token when exec-approvals.json has none yet. OC_E_UNAVAILABLE: another prompter serves
 * it. */
enum oc_code cli_prompt_socket_open(struct oc_loop *loop, const char *approvals_path,
        const struct cli_prompt_events *events, void *user, struct cli_prompt_socket **ret,
        struct oc_error *err) OC_MUST_USE;
void cli_prompt_socket_close(struct cli_prompt_socket *s);
const char *cli_prompt_socket_path(const struct cli_prompt_socket *s);
/* False: nobody waits for it any more. */
bool cli_prompt_socket_decide(
        struct cli_prompt_socket *s, const char *id, enum oc_decision decision);

#endif
