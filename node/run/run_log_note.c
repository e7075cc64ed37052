#include "node/run/run_log_note.h"

#include "lib/base/mem.h"
#include "lib/protocol/limits.h"
#include "node/run/run_owner.h"

#include <string.h>

struct nd_run_log_run nd_run_log_entry(const struct nd_run_end_facts *r) {
    const struct nd_run_params *p = r->params;
    return (struct nd_run_log_run){
        .argv = &p->argv,
        .cwd = p->cwd,
        .agent_id = p->agent_id,
        .session_key = p->session_key,
        .run_id = p->run_id,
        .handle = r->entry->handle ? r->entry->handle : p->handle,
        .env = p->env,
        .invoke_id = r->invoke_id,
        .caller = r->caller,
        .gate = r->gate,
        .gate_entry = r->gate_entry,
        .cause = r->cause,
        .is_background = p->background,
        .has_tty = p->has_tty,
    };
}

static const char *outcome_of(const struct nd_run_end_facts *r) {
    const struct nd_run_result *o = r->outcome;
    if (o && o->has_exit_code) {
        return "exited"; /* it was faster than whoever wanted to stop it */
    }
    if (r->node_stopped) {
        return "node-stopped";
    }
    if (!o) {
        return *r->log_id ? "not-started" : "refused";
    }
    if (r->entry->killed_by) {
        return "killed";
    }
    if (r->was_cancelled) {
        return "cancelled";
    }
    if (o->timed_out) {
        return "timed-out";
    }
    return o->error ? "not-started" : "killed";
}

static void put_text(cJSON *o, const char *key, const char *text) {
    if (text && !oc_str_blank(text)) {
        OC_AUTO_FREE char *shown = oc_printable(text, strlen(text), OC_MAX_AUDIT_TEXT);
        oc_json_set_str(o, key, shown);
    }
}

static void put_reason(cJSON *o, const struct nd_run_end_facts *r) {
    if (r->entry->killed_by) {
        OC_AUTO_FREE char *by = oc_strfmt("killed by %s", r->entry->killed_by);
        put_text(o, "reason", by);
    } else if (r->denied) {
        put_text(o, "reason", r->denied);
        put_text(o, "cause", oc_cause_name(r->cause));
    } else if (r->outcome && r->outcome->limit) {
        OC_AUTO_FREE char *over = oc_strfmt("over node.exec.limits.%s", r->outcome->limit);
        put_text(o, "reason", over);
    } else if (r->outcome) {
        put_text(o, "reason", r->outcome->error);
    }
}

cJSON *nd_run_end_doc(const struct nd_run_end_facts *r) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "outcome", outcome_of(r));
    if (r->outcome && r->outcome->has_exit_code) {
        oc_json_set_int(o, "exitCode", r->outcome->exit_code);
    }
    if (r->outcome && r->outcome->signal) {
        oc_json_set_int(o, "signal", r->outcome->signal);
    }
    oc_json_set_int(o, "bytes", (int64_t)r->bytes);
    if (r->outcome) {
        oc_json_set_int(o, "stdoutBytes", (int64_t)(r->bytes - r->err_bytes));
        oc_json_set_int(o, "stderrBytes", (int64_t)r->err_bytes);
    }
    uint64_t input = 0;
    cJSON *writers = nd_run_input_of(r->entry, &input);
    if (writers) {
        oc_json_set_int(o, "inputBytes", (int64_t)input);
        oc_json_set(o, "input", writers);
    }
    oc_json_set_str(o, "handle", r->entry->is_background ? r->entry->handle : NULL);
    put_text(o, "gate", r->gate);
    put_text(o, "gateEntry", r->gate_entry);
    put_text(o, "decision", r->params->asked_here ? r->params->decision : NULL);
    oc_json_set_int(o, "startedAtMs", r->began_ms);
    oc_json_set_int(o, "endedAtMs", r->began_ms + r->took_ms);
    oc_json_set_int(o, "durationMs", r->took_ms);
    put_reason(o, r);
    return o;
}

void nd_run_log_note(struct nd_runner *runner, const struct nd_run_end_facts *r) {
    if (!r->outcome && !*r->log_id) {
        struct nd_run_log_run line = nd_run_log_entry(r);
        nd_run_log_refused(runner->log, &line, r->denied);
        return;
    }
    OC_AUTO_JSON cJSON *end = nd_run_end_doc(r);
    nd_run_log_end(runner->log, r->log_id, end);
}
