/* What is looked at and written down around one approved or listed run: is the script still the approved one, and which
 * entries of the list were used. */
#ifndef NODE_EXEC_NOTES_H
#define NODE_EXEC_NOTES_H

#include "node/exec_policy.h"
#include "node/host.h"
#include "node/run_params.h"

/* Right before an approved command runs. False: *ret_message refuses it; caller frees. */
bool oc_exec_script_is_approved(struct oc_node_host *host, const struct oc_run_params *p,
        const struct oc_exec_verdict *v, char **ret_message);

/* allow-always: from now on the list allows the programs themselves. And when each entry was used last. A note that
 * cannot be written is logged and does not stop the command. */
void oc_exec_note_use(const struct oc_node_host *host, const struct oc_run_params *p,
        const struct oc_exec_verdict *v);

#endif
