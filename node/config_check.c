#include "node/config_check.h"

#include "lib/base/mem.h"
#include "lib/state/exec_approvals.h"
#include "node/sandbox/sandbox.h"
#include "platform/platform.h"

/* One of two numbers is no place, and location.get would go on as if there were none. */
static void check_place(struct oc_config_file *f) {
    const cJSON *fixed = oc_json_path(f->config, "node.location.fixed");
    bool has_lat = oc_json_get(fixed, "lat") != NULL, has_lon = oc_json_get(fixed, "lon") != NULL;
    if (fixed && !(has_lat && has_lon)) {
        oc_config_file_add(f, f->issues, ND_CHECK_PLACE,
                !has_lat && !has_lon ? "needs lat and lon"
                : has_lat            ? "needs lon as well"
                                     : "needs lat as well");
    }
}

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
        check_place(f);
        return;
    }
    oc_config_file_add(f, f->issues, err.grounds.subject, oc_error_why(&err));
}
