/* The sandbox of the commands of a node on this machine: which one is wanted, and whether the
 * kernel can build it. */
#include "cli/doctor/doctor.h"

#include "cli/text.h"
#include "lib/base/mem.h"
#include "lib/config/config_file.h"
#include "lib/files/file.h"
#include "lib/state/exec_approvals.h"
#include "node/sandbox/sandbox.h"
#include "node/sandbox/sandbox_now.h"
#include "platform/platform.h"

#include <unistd.h>

static void report_off(struct cli_doctor *d, const struct os_sandbox_ops *ops) {
    OC_AUTO_STRV struct oc_strv gaps = { 0 };
    struct os_sandbox_features features;
    if (ops) {
        ops->probe(&features);
    }
    nd_sandbox_gaps(ND_SANDBOX_STRICT, ops ? &features : NULL, &gaps);
    OC_AUTO_FREE char *text = oc_strv_join(&gaps, "; ");
    cli_doctor_add(d, CLI_FINDING_OFF, "sandbox", NULL,
            gaps.count == 0 ? "off; this kernel could sandbox commands (node.exec.sandbox)"
                            : "off; this machine has %s",
            text);
}

static void report_gaps(struct cli_doctor *d, const struct nd_sandbox *s, const char *summary) {
    if (s->may_fall_back) {
        cli_doctor_add(d, CLI_FINDING_WARN, "sandbox", NULL, "%s", summary);
    } else {
        cli_doctor_add(d, CLI_FINDING_FAIL, "sandbox",
                oc_strdup("give the kernel what is missing, or: openclaw config set "
                          "node.exec.sandbox off"),
                "%s", summary);
    }
}

/* --sandbox on the command line of a node is in no config, and counts. */
static bool report_running(struct cli_doctor *d, const char *wanted) {
    OC_AUTO_JSON cJSON *running = nd_sandbox_now_of_running(d->state_dir);
    const char *there = oc_json_get_str(running, "sandbox");
    if (!there || oc_streq(there, wanted)) {
        return false;
    }
    OC_AUTO_FREE char *shown = cli_shown(there);
    cli_doctor_add(d, CLI_FINDING_OK, "sandbox", NULL,
            "%s (the node that runs here, process %d, by its command line; the config says: %s)",
            shown, (int)oc_json_get_int(running, "pid", 1, INT32_MAX, 0), wanted);
    return true;
}

static void report_wrong(struct cli_doctor *d, const char *why) {
    OC_AUTO_JSON cJSON *running = nd_sandbox_now_of_running(d->state_dir);
    OC_AUTO_FREE char *now =
            oc_json_get_str(running, "wrong")
                    ? oc_strfmt("; the one that runs here, process %d, refuses commands",
                              (int)oc_json_get_int(running, "pid", 1, INT32_MAX, 0))
                    : oc_strdup("");
    cli_doctor_add(d, CLI_FINDING_FAIL, "sandbox",
            oc_strfmt("correct %s, then: openclaw config validate", d->config_path),
            "a node does not start with these settings%s: %s", now, why);
}

void cli_doctor_sandbox(struct cli_doctor *d) {
    const struct os_sandbox_ops *ops = os_native.sandbox;
    OC_AUTO_FREE char *approvals = oc_exec_approvals_path(d->home);
    OC_AUTO_CONFIG_FILE struct oc_config_file config;
    oc_config_file_read(d->config_path, &config);
    struct nd_sandbox *s = NULL;
    struct oc_error err;
    if (!config.is_readable) {
        report_wrong(d, "the config cannot be read");
        return;
    }
    if (nd_sandbox_create(&(struct nd_sandbox_opts){ .platform = &os_native,
                                  .config = d->config,
                                  .state_dir = d->state_dir,
                                  .approvals_path = approvals,
                                  .config_files = &config.files,
                                  .is_only_asking = true },
                &s, &err) != OC_OK) {
        report_wrong(d, err.text);
        return;
    }
    OC_AUTO_FREE char *summary = nd_sandbox_summary(s);
    OC_AUTO_FREE char *limits = nd_limits_summary(&s->limits);
    if (limits) {
        cli_doctor_add(d, CLI_FINDING_OK, "limits", NULL, "%s", limits);
    }
    if (report_running(d, summary)) {
        /* the config is what the next node would have */
    } else if (s->mode == ND_SANDBOX_OFF) {
        report_off(d, ops);
    } else if (s->missing.count > 0) {
        report_gaps(d, s, summary);
    } else if (geteuid() == 0) {
        cli_doctor_add(d, CLI_FINDING_WARN, "sandbox",
                oc_strdup("run the node as an ordinary user"),
                "%s; as root, commands also read what is only for root in /usr", summary);
    } else {
        cli_doctor_add(d, CLI_FINDING_OK, "sandbox", NULL, "%s", summary);
    }
    nd_sandbox_destroy(s);
}
