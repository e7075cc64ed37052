/* Gate 4, local exec approvals: may this machine run this command?
 *
 * The owner's answer is in <home>/.openclaw/exec-approvals.json (protocol.md §10.1), read anew for every command:
 *   deny       nothing runs; also when the file is missing, damaged, or says something we do not know
 *   allowlist  a program runs if its real path is listed, letter for letter, and it is not a carrier of other commands
 *              (node/exec_carriers.h); it is trusted with any argument
 *   full       everything runs
 * `ask: always` means that nothing runs without an approval, `ask: on-miss` that an approval lets a
 * program run which is not on the list. The gateway vouches for approvals; none lifts `deny`. */
#ifndef NODE_EXEC_POLICY_H
#define NODE_EXEC_POLICY_H

#include "base/json.h"
#include "base/str.h"

#include <stdbool.h>

enum oc_exec_security { OC_EXEC_DENY, OC_EXEC_ALLOWLIST, OC_EXEC_FULL };

struct oc_exec_request {
    const char *approvals_path;
    const cJSON *config; /* the node's own openclaw.json; NULL: empty */
    const struct oc_strv *argv;
    const char *cwd;      /* NULL: ours */
    const char *path_env; /* where bare names are looked up */
    const char *agent_id; /* NULL: main */
    bool is_approved;     /* somebody allowed exactly this command; the gateway says so */
};

struct oc_exec_verdict {
    bool is_allowed;
    enum oc_exec_security security;
    char *path;         /* allowed: the file to execute; NULL when find_errno is set. Owned */
    int find_errno;     /* allowed, but there is no such program */
    const char *reason; /* refused: for the exec.denied event; a literal */
    char *message; /* refused: for the caller. Starts with the reference's text, then gate and fix.
                      Owned */
};
void oc_exec_decide(const struct oc_exec_request *req, struct oc_exec_verdict *ret);
void oc_exec_verdict_finish(struct oc_exec_verdict *v);

#endif
