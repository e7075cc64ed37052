/* A command that waits for approval, as the person sees who decides.
 *
 * What will run is always built here from the arguments themselves. The text that came with a request, and everything
 * else its maker could choose freely, is shown as what it is: somebody's words. */
#ifndef CLI_APPROVAL_VIEW_H
#define CLI_APPROVAL_VIEW_H

#include "cli/command.h"

/* exec.approval.list. Caller deletes *ret, an array. */
enum oc_code oc_approvals_fetch(struct oc_cli *cli, cJSON **ret, struct oc_error *err) OC_MUST_USE;
/* The one whose id is `query`, or the only one whose id begins with it. *ret borrows from list; *ret_is_exact may be
 * NULL. OC_E_NOT_FOUND, OC_E_INVALID. */
enum oc_code oc_approval_pick(const cJSON *list, const char *query, const cJSON **ret,
        bool *ret_is_exact, struct oc_error *err) OC_MUST_USE;

/* Names of nodes are nice to have; without the right to read them their ids do. The result borrows from *ret, which
 * the caller deletes; both may be NULL. */
const cJSON *oc_approval_nodes(struct oc_cli *cli, cJSON **ret);
/* Exactly what will run, in one line. Caller frees. */
char *oc_approval_command(const cJSON *item);
/* Several lines on stdout. nodes: the array of node.list, for names; may be NULL. */
void oc_approval_print(const cJSON *item, const cJSON *nodes);

/* exec.approval.resolve. */
enum oc_code oc_approval_decide(struct oc_cli *cli, const char *id, const char *decision,
        cJSON **ret, struct oc_error *err) OC_MUST_USE;

#endif
