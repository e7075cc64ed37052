/* Which of the owner's rules let a command through, for the run log; of the allowlist with the
 * entries. */
#include "lib/base/mem.h"
#include "node/policy/exec_policy.h"
#include "node/run/run.h"

void nd_run_note_gate(struct nd_run *r, const struct nd_exec_verdict *v) {
    const struct nd_run_params *p = nd_run_params_of(r);
    OC_AUTO_STRV struct oc_strv entries = { 0 };
    for (size_t i = 0; i < v->hit_count; i++) {
        oc_strv_add_unique(&entries, v->hits[i].pattern);
    }
    OC_AUTO_FREE char *joined = entries.count > 0 ? oc_strv_join(&entries, ", ") : NULL;
    bool is_full = v->security == ND_EXEC_FULL && v->rules.ask != ND_EXEC_ASK_ALWAYS;
    bool is_prompted = p->asked_here || (p->approved && p->was_asked_here);
    enum oc_run_gate gate = !v->is_allowed     ? v->by
                            : is_full          ? OC_RUN_GATE_FULL
                            : is_prompted      ? OC_RUN_GATE_PROMPT
                            : p->approved      ? OC_RUN_GATE_APPROVAL
                            : p->is_unanswered ? OC_RUN_GATE_ASK_FALLBACK
                                               : OC_RUN_GATE_ALLOWLIST;
    nd_run_set_gate(r, gate, v->is_allowed ? joined : NULL);
}
