/* The walls around commands of a node on this machine: which are wanted, and whether the kernel has them. */
#include "cli/doctor.h"

#include "base/file.h"
#include "base/mem.h"
#include "node/containment.h"
#include "platform/platform.h"
#include "protocol/exec_approvals.h"

#include <unistd.h>

static void report_off(struct oc_doctor *d, const struct oc_contain_ops *ops) {
    OC_AUTO_STRV struct oc_strv gaps = { 0 };
    struct oc_contain_features features;
    if (ops) {
        ops->probe(&features);
    }
    oc_sandbox_gaps(OC_SANDBOX_STRICT, ops ? &features : NULL, &gaps);
    OC_AUTO_FREE char *text = oc_strv_join(&gaps, "; ");
    oc_doctor_add(d, OC_FINDING_OK, "sandbox", NULL,
            gaps.count == 0 ? "off; this kernel could contain commands (node.exec.sandbox)"
                            : "off; this machine has %s",
            text);
}

static void report_gaps(struct oc_doctor *d, const struct oc_sandbox *s, const char *summary) {
    if (s->may_fall_back) {
        oc_doctor_add(d, OC_FINDING_WARN, "sandbox", NULL, "%s", summary);
    } else {
        oc_doctor_add(d, OC_FINDING_FAIL, "sandbox",
                oc_strdup("give the kernel what is missing, or: openclaw config set "
                          "node.exec.sandbox off"),
                "%s", summary);
    }
}

void oc_doctor_sandbox(struct oc_doctor *d) {
    const struct oc_contain_ops *ops = oc_platform_native.contain;
    OC_AUTO_FREE char *approvals = oc_exec_approvals_path(d->home);
    struct oc_sandbox *s = NULL;
    struct oc_error err;
    if (oc_sandbox_create(&(struct oc_sandbox_opts){ .platform = &oc_platform_native,
                                  .config = d->config,
                                  .state_dir = d->state_dir,
                                  .approvals_path = approvals,
                                  .is_only_asking = true },
                &s, &err) != OC_OK) {
        oc_doctor_add(d, OC_FINDING_FAIL, "sandbox", oc_strdup("openclaw config validate"),
                "a node does not start with these settings: %s", err.text);
        return;
    }
    OC_AUTO_FREE char *summary = oc_sandbox_summary(s);
    if (s->mode == OC_SANDBOX_OFF) {
        report_off(d, ops);
    } else if (s->missing.count > 0) {
        report_gaps(d, s, summary);
    } else if (geteuid() == 0) {
        oc_doctor_add(d, OC_FINDING_WARN, "sandbox", oc_strdup("run the node as an ordinary user"),
                "%s; as root, commands still read root's own files in /etc", summary);
    } else {
        oc_doctor_add(d, OC_FINDING_OK, "sandbox", NULL, "%s", summary);
    }
    oc_sandbox_destroy(s);
}
