#include "node/exec_notes.h"

#include "base/log.h"
#include "base/mem.h"
#include "node/exec_operand.h"
#include "node/exec_remember.h"
#include "protocol/exec_approvals.h"

#include <string.h>

/* What the approval was about, if it was about a script: what was looked at here when the command was prepared counts, and so
 * does what the plan says. The plan comes from whoever asked, so it can only ask for more. */
bool oc_exec_script_is_approved(struct oc_node_host *host, const struct oc_run_params *p,
        const struct oc_exec_verdict *v, char **ret_message) {
    char prepared[65] = "";
    const cJSON *operand = oc_json_get(p->plan, "mutableFileOperand");
    if (!p->approved) {
        return true;
    }
    bool was_prepared = oc_exec_plans_take(&host->plans, &v->argv, v->cwd, prepared);
    if (!was_prepared && !operand) {
        return true;
    }
    struct oc_exec_operand now = { 0 };
    bool is_same = oc_exec_operand_find(&v->argv, v->cwd, &now) &&
                   (!was_prepared || strcmp(now.sha256, prepared) == 0) &&
                   (!operand || oc_streq(oc_json_get_str(operand, "sha256"), now.sha256));
    if (!is_same) {
        OC_AUTO_FREE char *shown = now.path ? oc_printable(now.path, strlen(now.path), 200) : NULL;
        *ret_message = oc_strfmt("SYSTEM_RUN_DENIED: execution plan mismatch (the script %s is not "
                                 "what was approved; fix: look at it and approve the command "
                                 "again)",
                shown ? shown : "of this command");
    }
    oc_exec_operand_finish(&now);
    return is_same;
}

static void ignore(enum oc_code rc, const struct oc_error *err) {
    if (rc != OC_OK) {
        oc_log(OC_LOG_WARN, "node.exec", "cannot note the use of an approval, ignoring: %s",
                err->text);
    }
}

void oc_exec_note_use(const struct oc_node_host *host, const struct oc_run_params *p,
        const struct oc_exec_verdict *v) {
    const char *agent = p->agent_id ? p->agent_id : "main";
    int64_t now_ms = oc_wall_ms(oc_loop_clock(host->loop));
    struct oc_error err = { 0 };
    bool is_always = oc_streq(p->decision, "allow-always");
    for (size_t i = 0; is_always && host->memory && i < v->remember.count; i++) {
        oc_exec_memory_add(host->memory, agent, v->remember.items[i], now_ms);
    }
    OC_AUTO_FREE struct oc_exec_use *uses = oc_new_array(struct oc_exec_use, v->hit_count + 1);
    for (size_t i = 0; i < v->hit_count; i++) {
        uses[i] = (struct oc_exec_use){ v->hits[i].pattern, v->hits[i].path };
    }
    enum oc_code rc = oc_exec_approvals_note_use(
            host->approvals_path, agent, uses, v->hit_count, p->text, now_ms, &err);
    ignore(rc, &err);
}
