/* What `approvals allowlist add` is given, made into an entry that can allow something.
 *
 * Lists are compared with the real path of a program (node/policy/exec_list.h), so a name or a link
 * would never match, and programs that run other commands are never allowed by a list
 * (node/argv/exec_carriers.h). */
#ifndef CLI_APPROVALS_ALLOWLIST_PATTERN_H
#define CLI_APPROVALS_ALLOWLIST_PATTERN_H

#include "cli/approvals/approvals_target.h"

/* Replaces *pattern by the real path where the machine can say which one that is, and tells the
 * user. Fails with the reason when no entry of that kind allows anything. */
enum oc_code cli_allowlist_pattern(struct cli_cli *cli, const struct cli_approvals_target *t,
        char **pattern, struct oc_error *err) OC_MUST_USE;

/* The real path of a program by its name or path, as lists have it; NULL: nobody can say. Caller
 * frees. */
char *cli_allowlist_real(
        struct cli_cli *cli, const struct cli_approvals_target *t, const char *program);

#endif
