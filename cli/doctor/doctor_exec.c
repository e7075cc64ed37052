/* Gate 4 as this machine's own node sees it: for whom it runs what. */
#include "cli/doctor/doctor.h"

#include "cli/text.h"
#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/state/exec_approvals.h"
#include "node/policy/exec_rules.h"

enum { MAX_SHOWN = 8 };

/* What the commands of one agent meet. Caller frees; NULL: the files cannot be understood. */
static char *doctor_exec_describe(const struct cli_doctor *d, const char *path,
        const char *agent_id, bool *ret_runs, struct oc_error *err) {
    struct nd_exec_source s;
    struct nd_exec_rules r;
    char *text = NULL;
    if (nd_exec_source_open(path, d->config, agent_id, &s, &r, err) == OC_OK) {
        OC_AUTO_JSON cJSON *own = nd_exec_source_own(&s);
        int listed = cJSON_GetArraySize(own) + cJSON_GetArraySize(nd_exec_source_shared(&s));
        OC_AUTO_FREE char *list =
                oc_strfmt(", %d program%s listed", listed, listed == 1 ? "" : "s");
        const char *asked = r.ask == ND_EXEC_ASK_ALWAYS ? ", every command is asked about"
                            : r.ask == ND_EXEC_ASK_ON_MISS && r.security == ND_EXEC_ALLOWLIST
                                    ? ", others are asked about"
                                    : "";
        *ret_runs = r.security != ND_EXEC_DENY;
        text = oc_strfmt("%s%s%s", nd_exec_security_name(r.security),
                r.security == ND_EXEC_ALLOWLIST ? list : "", *ret_runs ? asked : "");
    }
    nd_exec_source_finish(&s);
    return text;
}

/* "; agent ops: full": those for whom it is not as for everybody. */
static char *describe_others(
        const struct cli_doctor *d, const char *path, const char *usual, bool *ret_runs) {
    OC_AUTO_STRV struct oc_strv all = { 0 };
    OC_AUTO_JSON cJSON *snapshot = NULL;
    struct oc_error ignored;
    int left_out = 0, shown = 0;
    if (oc_exec_approvals_snapshot(path, &snapshot, &ignored) != OC_OK) {
        return oc_strdup("");
    }
    const cJSON *agent = NULL;
    oc_json_for_each_member(agent, oc_json_path(snapshot, "file.agents")) {
        bool runs = false;
        OC_AUTO_FREE char *text =
                oc_streq(agent->string, "*") || oc_streq(agent->string, "default")
                        ? NULL
                        : doctor_exec_describe(d, path, agent->string, &runs, &ignored);
        *ret_runs = *ret_runs || runs;
        if (!text || oc_streq(text, usual)) {
            continue;
        }
        if (shown == MAX_SHOWN) {
            left_out++;
            continue;
        }
        OC_AUTO_FREE char *name = cli_shown(agent->string);
        OC_AUTO_FREE char *part = oc_strfmt("; agent %s: %s", name, text);
        oc_strv_add(&all, part);
        shown++;
    }
    if (left_out > 0) {
        OC_AUTO_FREE char *part = oc_strfmt("; and %d more agents", left_out);
        oc_strv_add(&all, part);
    }
    return oc_strv_join(&all, "");
}

void cli_doctor_exec(struct cli_doctor *d) {
    OC_AUTO_FREE char *path = oc_exec_approvals_path(d->home);
    struct oc_error err;
    bool is_there = oc_file_exists(path), runs = false;
    OC_AUTO_FREE char *usual = doctor_exec_describe(d, path, NULL, &runs, &err);
    if (!usual) {
        cli_doctor_add(d, CLI_FINDING_WARN, "exec approvals",
                oc_strfmt("correct %s, then: openclaw approvals get", path),
                "this machine runs nothing for others: %s", err.text);
        return;
    }
    OC_AUTO_FREE char *others = describe_others(d, path, usual, &runs);
    if (runs) {
        cli_doctor_add(d, CLI_FINDING_OK, "exec approvals", NULL, "%s: security is %s%s", path,
                usual, others);
    } else {
        cli_doctor_add(d, is_there ? CLI_FINDING_WARN : CLI_FINDING_OFF, "exec approvals",
                is_there ? oc_strdup("openclaw approvals security allowlist") : NULL,
                "this machine runs nothing for others: %s",
                is_there ? "security is deny" : "there is no exec-approvals.json");
    }
}
