#include "node/config_check.h"

#include "lib/base/mem.h"
#include "lib/state/exec_approvals.h"
#include "node/sandbox/sandbox.h"
#include "platform/platform.h"

#include <string.h>

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
    /* The texts begin with the setting they are about: "node.exec.workspace: …". */
    size_t n = oc_starts_with(err.text, "node.") ? strcspn(err.text, ":") : 0;
    const char *rest = err.text + n + (n > 0 && err.text[n] == ':');
    OC_AUTO_FREE char *path = oc_strndup(err.text, n);
    cJSON *issue = cJSON_CreateObject();
    oc_json_set_str(issue, "path", path);
    oc_json_set_str(issue, "message", rest + strspn(rest, " "));
    oc_config_file_place(f, issue);
    cJSON_AddItemToArray(f->issues, issue);
}
