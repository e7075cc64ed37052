/* A command that waits for approval, as the person sees who decides.
 *
 * What will run is always built here from the arguments themselves. The text that came with a
 * request, and everything else its maker could choose freely, is shown as what it is: somebody's
 * words. */
#ifndef CLI_APPROVALS_APPROVAL_VIEW_H
#define CLI_APPROVALS_APPROVAL_VIEW_H

#include "cli/command.h"

/* exec.approval.list. Caller deletes *ret, an array. */
enum oc_code cli_approvals_fetch(
        struct cli_cli *cli, cJSON **ret, struct oc_error *err) OC_MUST_USE;
/* The one whose id is `query`, or the only one whose id begins with it. *ret borrows from list;
 * *ret_is_exact may be NULL. OC_E_NOT_FOUND, OC_E_INVALID. */
enum oc_code cli_approval_pick(const cJSON *list, const char *query, const cJSON **ret,
        bool *ret_is_exact, struct oc_error *err) OC_MUST_USE;

/* Names of nodes are nice to have; without the right to read them their ids do. The result borrows
 * from *ret, which the caller deletes; both may be NULL. */
const cJSON *cli_approval_nodes(struct cli_cli *cli, cJSON **ret);
/* The words that will run: what the gateway compares the run with. */
void cli_approval_argv(const cJSON *item, struct oc_strv *ret);
/* Exactly what will run, in one line. Caller frees. */
char *cli_approval_command(const cJSON *item);
/* What "always" would let run from then on, by what the node says (cli/approvals/approval_facts.h).
 * NULL: it did not say. Caller frees. */
char *cli_approval_always(const cJSON *facts);
/* Whether the node says that "always" is no more than "once". */
bool cli_approval_always_is_once(const cJSON *facts);
/* Whether "always" can be chosen: not where what runs is not bound to the approval. */
bool cli_approval_offers_always(const cJSON *item);
/* Why not, in a sentence. Caller frees; NULL: all of it is bound, or nobody said. */
char *cli_approval_unbound(const cJSON *item);
/* Several lines on stdout. nodes: the array of node.list, for names; facts: what the node says.
 * Both may be NULL. */
void cli_approval_print(const cJSON *item, const cJSON *nodes, const cJSON *facts);

#endif
