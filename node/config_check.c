#include "node/config_check.h"

#include "lib/base/mem.h"
#include "lib/state/exec_approvals.h"
#include "node/sandbox/sandbox.h"
#include "platform/platform.h"

void nd_check_file(struct oc_config_file *f, const char *state_dir, const char *home) {
    if (!f->exists || f->issues->child) {
        return;
    }
    OC_AUTO_FREE char *approvals = oc_exec_approvals_path(home);
    struct nd_sandbox *s = NULL;
    struct oc_error err;
    if (nd_sandbox_create(&(struct nd_sandbox_opts){ .platform = &os_native,
                                  .config = f->config,
                                  .state_dir = state_dir,
                                  .approvals_path = approvals,
                                  .config_files = &f->files,
                                  .is_only_asking = true },
                &s, &err) == OC_OK) {
        nd_sandbox_destroy(s);
        return;
    }
    oc_config_file_add(f, f->issues, err.grounds.subject, oc_error_why(&err));
}
