#include "node/run/log/run_end.h"

#include "lib/base/mem.h"
#include "lib/protocol/grounds.h"
#include "lib/protocol/limits.h"

#include <string.h>

struct nd_run_exit nd_run_exit_of(const struct nd_process_result *p) {
    static const char *const limits[] = {
        [OS_LIMIT_MEMORY] = "memory", [OS_LIMIT_CPU] = "cpuSeconds"
    };
    return (struct nd_run_exit){
        .has_code = !p->end.by_signal && !p->timed_out,
        .timed_out = p->timed_out,
        .was_killed = p->was_killed,
        .code = p->end.status,
        .signal = p->end.by_signal ? p->end.status : 0,
        .limit = limits[p->end.over],
    };
}

void nd_run_end_finish(struct nd_run_end *end) {
    oc_free(end->reason);
    cJSON_Delete(end->input);
    *end = (struct nd_run_end){ 0 };
}

static void put_text(cJSON *o, const char *key, const char *text) {
    if (text && !oc_str_blank(text)) {
        OC_AUTO_FREE char *shown = oc_printable(text, strlen(text), OC_MAX_AUDIT_TEXT);
        oc_json_set_str(o, key, shown);
    }
}

static void put_exit(cJSON *o, const struct nd_run_exit *exit) {
    if (exit->has_code) {
        oc_json_set_int(o, "exitCode", exit->code);
    }
    if (exit->signal) {
        oc_json_set_int(o, "signal", exit->signal);
    }
}

static void put_bytes(cJSON *o, const struct nd_run_end *end) {
    if (end->took_ms >= 0) {
        oc_json_set_int(o, "bytes", (int64_t)end->bytes);
    }
    if (end->has_streams) {
        oc_json_set_int(o, "stdoutBytes", (int64_t)(end->bytes - end->err_bytes));
        oc_json_set_int(o, "stderrBytes", (int64_t)end->err_bytes);
    }
    if (end->input) {
        oc_json_set_int(o, "inputBytes", (int64_t)end->input_bytes);
        oc_json_set(o, "input", cJSON_Duplicate(end->input, true));
    }
}

void nd_run_end_put(const struct nd_run_end *end, cJSON *o) {
    oc_json_set_str(o, "outcome", oc_outcome_name(end->outcome));
    put_exit(o, &end->exit);
    put_bytes(o, end);
    oc_json_set_str(o, "handle", end->handle);
    put_text(o, "gate", end->about.gate);
    put_text(o, "gateEntry", end->about.gate_entry);
    put_text(o, "decision", oc_decision_name(end->decision));
    oc_json_set_int(o, "startedAtMs", end->began_ms);
    if (end->took_ms >= 0) {
        oc_json_set_int(o, "endedAtMs", end->began_ms + end->took_ms);
        oc_json_set_int(o, "durationMs", end->took_ms);
    }
    put_text(o, "reason", end->reason);
    put_text(o, "cause", oc_cause_name(end->grounds.cause));
    oc_grounds_put_record(o, &end->grounds);
}

/* A gateway that does not say who asks is of another kind. */
cJSON *nd_run_end_report(const struct nd_run_end *end) {
    if (!end->about.caller || !end->about.invoke_id) {
        return NULL;
    }
    cJSON *o = cJSON_CreateObject();
    nd_run_end_put(end, o);
    oc_json_set_str(o, "invokeId", end->about.invoke_id);
    return o;
}
