/* What is looked at and written down around one command that somebody is asked about: what it was when they were asked, is
 * it still that when it runs, and which entries of the list were used. */
#ifndef NODE_EXEC_NOTES_H
#define NODE_EXEC_NOTES_H

#include "node/exec_operand.h"
#include "node/exec_plans.h"
#include "node/exec_policy.h"
#include "node/host.h"
#include "node/run_params.h"

/* What the owner's policy says about it now. ret needs oc_exec_verdict_finish. */
void oc_exec_ask(const struct oc_node_host *host, const struct oc_run_params *p,
        struct oc_exec_verdict *ret);

/* What a command is now, for somebody to decide about. remember: what "always" would add. ret_operand may be NULL;
 * it needs oc_exec_operand_finish. */
void oc_exec_look_at(const struct oc_strv *argv, const char *cwd, const struct oc_strv *remember,
        struct oc_exec_look *ret, struct oc_exec_operand *ret_operand);

/* Looks at it and remembers that for the approved run. p is hardened, given is its argv as it was before: approved may be
 * the one or the other. ret_operand is about p's and needs oc_exec_operand_finish. */
void oc_exec_note_prepared(struct oc_node_host *host, const struct oc_run_params *p,
        const struct oc_strv *given, const struct oc_strv *remember,
        struct oc_exec_operand *ret_operand);
/* The same for a command that was refused until somebody approves it: callers who try first do not prepare. */
void oc_exec_note_asked(
        struct oc_node_host *host, const struct oc_run_params *p, const struct oc_exec_verdict *v);

/* Right before a command runs because somebody allowed it. shown: the look that the person at this machine was asked
 * about; NULL: the gateway vouches. False: *ret_message refuses it; caller frees. What "always" would add and nobody was
 * told about is taken out of the verdict. */
bool oc_exec_is_as_approved(struct oc_node_host *host, const struct oc_run_params *p,
        struct oc_exec_verdict *v, const struct oc_exec_look *shown, char **ret_message);

/* allow-always: from now on the list allows the programs themselves; ret_remembered, empty, gets those that were added or
 * were there. And when each entry was used last. A note that cannot be written is logged and does not stop the command. */
void oc_exec_note_use(const struct oc_node_host *host, const struct oc_run_params *p,
        const struct oc_exec_verdict *v, struct oc_strv *ret_remembered);

/* Paths for people and the wire, whatever bytes they have. NULL gives null. */
cJSON *oc_exec_path_json(const char *path);
cJSON *oc_exec_paths_json(const struct oc_strv *paths);

#endif
