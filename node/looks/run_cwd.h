/* The directory of a run that somebody approves: what they saw is where it runs
 * (docs/EXEC.md#what-an-approval-is-bound-to).
 *
 * Looked at when the run is prepared and again right before it starts: in between the directory may
 * have been replaced by a link that leads elsewhere. */
#ifndef NODE_LOOKS_RUN_CWD_H
#define NODE_LOOKS_RUN_CWD_H

#include "lib/base/error.h"

/* Replaces *cwd by its real path, or "SYSTEM_RUN_DENIED: approval requires …" when it could change
 * under the approver's eyes. */
/* … nor a private one (node/looks/exec_read.h), which is not told from one that is not there;
 * state_dir NULL: none is private. */
enum oc_code nd_run_harden_cwd(char **cwd, const char *state_dir, struct oc_error *err) OC_MUST_USE;
/* Refuses a real path that no message can carry: what is approved would not be what runs. */
enum oc_code nd_run_check_text(const char *path, struct oc_error *err) OC_MUST_USE;
/* "approval requires <text>". */
enum oc_code nd_run_refuse_path(
        struct oc_error *err, const struct oc_grounds *grounds, const char *text);
/* From the current directory; caller frees. */
char *nd_run_absolute(const char *path);
/* Where a run goes that names no directory, for a person to see; caller frees, NULL: it is gone. */
char *nd_run_own_dir(void);

#endif
