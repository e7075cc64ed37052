/* Which of the owner's rules let a command through, for the run log: full, approval, prompt
 * (somebody at this machine), ask-fallback (nobody decided) or allowlist, there with the entries. A
 * refusal is named by its reason. */
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
    const char *gate = !v->is_allowed ? v->reason
                       : v->security == ND_EXEC_FULL && v->rules.ask != ND_EXEC_ASK_ALWAYS ? "full"
                       : p->asked_here    ? "prompt"
                       : p->approved      ? "approval"
                       : p->is_unanswered ? "ask-fallback"
                                          : "allowlist";
    nd_run_set_gate(r, gate, v->is_allowed ? joined : NULL);
}
