#include "node/run_books.h"

#include "base/str.h"

struct oc_exec_log_run oc_run_log_line(const struct oc_run_params *p) {
    return (struct oc_exec_log_run){
        .argv = &p->argv,
        .cwd = p->cwd,
        .agent_id = p->agent_id,
        .session_key = p->session_key,
        .run_id = p->run_id,
        .env = p->env,
        .is_approved = p->approved,
    };
}

static const char *outcome_of(const struct oc_run_report *r) {
    const struct oc_run_outcome *o = r->outcome;
    if (r->was_cancelled) {
        return "cancelled";
    }
    if (o->timed_out) {
        return "timed-out";
    }
    if (o->has_exit_code) {
        return "exited";
    }
    return o->error ? "not-started" : "killed";
}

void oc_run_books(struct oc_node_host *host, const struct oc_run_report *r) {
    struct oc_exec_log *log = host->exec_log;
    if (!r->outcome && !*r->log_id) {
        struct oc_exec_log_run line = oc_run_log_line(r->params);
        oc_exec_log_refused(log, &line, r->denied);
        return;
    }
    struct oc_exec_log_end end = {
        .outcome = "not-started", .reason = r->denied, .bytes = r->bytes, .took_ms = r->took_ms
    };
    if (r->outcome) {
        end.outcome = outcome_of(r);
        end.reason = r->outcome->error;
        if (r->outcome->limit) {
            end.reason = oc_streq(r->outcome->limit, "memory") ? "over node.exec.limits.memory"
                                                               : "over node.exec.limits.cpuSeconds";
        }
        end.has_exit_code = r->outcome->has_exit_code;
        end.exit_code = r->outcome->exit_code;
        end.signal = r->outcome->signal;
    }
    oc_exec_log_end(log, r->log_id, &end);
}
