#include "cli/approvals/approval_decide.h"

#include "cli/approvals/approval_view.h"
#include "cli/gateway/call.h"
#include "lib/base/mem.h"

#include <string.h>

bool cli_approval_is_same(const cJSON *seen, const cJSON *now) {
    static const char *const bound[] = { "nodeId", "host", "cwd", "agentId", "sessionKey" };
    const cJSON *before = oc_json_get(seen, "request"), *after = oc_json_get(now, "request");
    for (size_t i = 0; i < OC_COUNT(bound); i++) {
        const char *a = oc_json_get_str(before, bound[i]), *b = oc_json_get_str(after, bound[i]);
        if (!oc_streq(a ? a : "", b ? b : "")) {
            return false;
        }
    }
    if (!oc_streq(oc_json_get_str(oc_json_get(before, "look"), "state"),
                oc_json_get_str(oc_json_get(after, "look"), "state"))) {
        return false;
    }
    OC_AUTO_FREE char *was = cli_approval_command(seen), *is = cli_approval_command(now);
    return oc_streq(oc_json_get_str(seen, "id"), oc_json_get_str(now, "id")) &&
           oc_json_get_ms(seen, "createdAtMs", -1) == oc_json_get_ms(now, "createdAtMs", -2) &&
           oc_streq(was, is);
}

static enum oc_code look_again(
        struct cli_cli *cli, const char *id, const cJSON *seen, struct oc_error *err) {
    OC_AUTO_JSON cJSON *list = NULL;
    const cJSON *now = NULL;
    bool is_exact = false;
    enum oc_code rc = cli_approvals_fetch(cli, &list, err);
    if (rc != OC_OK && err->grounds.cause == OC_CAUSE_UNKNOWN_METHOD) {
        return OC_OK; /* 2026.2.26 cannot tell */
    }
    if (rc == OC_OK) {
        rc = cli_approval_pick(list, id, &now, &is_exact, err);
    }
    if (rc == OC_OK && !is_exact) {
        rc = oc_fail(err, OC_E_NOT_FOUND, "it was decided elsewhere, or its time is over");
    }
    if (rc != OC_OK || cli_approval_is_same(seen, now)) {
        return rc;
    }
    OC_AUTO_FREE char *command = cli_approval_command(now);
    cli_set_fix(cli, "openclaw approvals pending");
    return oc_fail(err, OC_E_CANCELLED,
            "nothing was decided: this approval is about something else by now: %.200s", command);
}

enum oc_code cli_approval_decide(struct cli_cli *cli, const char *id, const cJSON *seen,
        enum oc_decision decision, cJSON **ret, struct oc_error *err) {
    enum oc_code rc = seen ? look_again(cli, id, seen, err) : OC_OK;
    if (rc != OC_OK) {
        return rc;
    }
    cJSON *params = cli_params_str("id", id);
    oc_json_set_str(params, "decision", oc_decision_name(decision));
    return cli_call_tree(cli, "exec.approval.resolve", params, ret, err);
}
