#include "node/run/run_question.h"

#include "lib/base/mem.h"
#include "lib/protocol/run_texts.h"
#include "lib/text/argv_text.h"
#include "node/argv/run_params.h"
#include "node/looks/exec_harden.h"
#include "node/looks/run_cwd.h"
#include "node/policy/exec_notes.h"
#include "node/policy/exec_policy.h"
#include "node/run/log/run_log.h"

/* Ours, so that nobody takes it for a program of this machine that asks. */
static cJSON *asker_of(const cJSON *caller) {
    cJSON *asker = cJSON_CreateObject();
    oc_json_set_str(asker, "id", oc_json_get_str(caller, "id"));
    oc_json_set_str(asker, "name", oc_json_get_str(caller, "name"));
    oc_json_set_str(asker, "client", oc_json_get_str(caller, "client"));
    return asker;
}

static cJSON *manner_of(const struct nd_run_params *p) {
    cJSON *run = cJSON_CreateObject();
    oc_json_set_bool(run, "background", p->background);
    oc_json_set_bool(run, "tty", p->has_tty);
    if (p->wants_stdin) {
        oc_json_set_bool(run, "stdin", true);
    }
    if (p->timeout_ms > 0) {
        oc_json_set_int(run, "timeoutMs", p->timeout_ms);
    }
    return run;
}

/* What it reads comes later, and nobody looks at it: for an interpreter it may be the program. */
static void put_stdin(cJSON *request) {
    oc_json_set_bool(request, "contentBound", false);
    oc_json_set(request, "wouldAllow", cJSON_CreateArray());
    cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(request, "unbound"),
            cJSON_CreateString(OC_STDIN_UNBOUND));
}

cJSON *nd_run_question_build(const struct nd_run_question *q) {
    const struct nd_run_params *p = q->params;
    const struct nd_exec_verdict *v = q->verdict;
    cJSON *request = cJSON_CreateObject();
    OC_AUTO_FREE char *shown = oc_argv_shown(&p->argv);
    oc_json_set_str(request, "command", shown);
    oc_json_set_strv(request, "commandArgv", &p->argv);
    oc_json_set_str(request, "host", "node");
    oc_json_set_str(request, "cwd", p->cwd);
    oc_json_set_str(request, "nodeName", q->node_name);
    oc_json_set(request, "asker", asker_of(q->caller));
    oc_json_set_int(request, "timeoutMs", q->timeout_ms);
    oc_json_set_str(request, "agentId", p->agent_id);
    oc_json_set_str(request, "sessionKey", p->session_key);
    OC_AUTO_STRV struct oc_strv names = { 0 };
    const cJSON *variable;
    oc_json_for_each_member(variable, p->env) {
        oc_strv_add(&names, variable->string);
    }
    oc_json_set_strv(request, "envKeys", &names);
    if (names.count > 0) {
        oc_json_set(request, "env", cJSON_Duplicate(p->env, true));
    }
    oc_json_set_str(request, "reason", v->why);
    OC_AUTO_FREE char *program = nd_exec_program(&p->argv, p->cwd, NULL);
    oc_json_set(request, "resolvedPath", nd_exec_path_json(program));
    nd_exec_put_bound(request, q->files, &v->remember);
    OC_AUTO_FREE char *own_dir = p->cwd ? NULL : nd_run_own_dir();
    oc_json_set(request, "nodeCwd", nd_exec_path_json(own_dir));
    oc_json_set_str(request, "wouldAllowFor", p->agent_id ? p->agent_id : "main");
    oc_json_set_str(request, "security", nd_exec_security_name(v->rules.security));
    oc_json_set_str(request, "ask", nd_exec_ask_name(v->rules.ask));
    oc_json_set(request, "run", q->manner ? cJSON_Duplicate(q->manner, true) : manner_of(p));
    if (oc_json_get_bool(oc_json_get(request, "run"), "stdin", false)) {
        put_stdin(request);
    }
    return request;
}

void nd_run_question_denied(
        struct nd_run_log *log, const char *approval_id, const cJSON *question) {
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    const cJSON *run = oc_json_get(question, "run");
    oc_json_get_strv(question, "commandArgv", &argv);
    struct nd_run_end end = {
        .about = { .argv = &argv,
                .cwd = oc_json_get_str(question, "cwd"),
                .agent_id = oc_json_get_str(question, "agentId"),
                .session_key = oc_json_get_str(question, "sessionKey"),
                .run_id = approval_id,
                .env = oc_json_get(question, "env"),
                .caller = oc_json_get(question, "asker"),
                .gate = oc_run_gate_name(OC_RUN_GATE_USER_DENIED),
                .is_background = oc_json_get_bool(run, "background", false),
                .has_tty = oc_json_get_bool(run, "tty", false) },
        .decision = OC_DECISION_DENY,
        .log_id = "",
        .outcome = OC_OUTCOME_REFUSED,
        .reason = oc_strdup("denied at this machine"),
        .grounds = { .cause = OC_CAUSE_RUN_DENIED, .gate = OC_GATE_LOCAL },
        .took_ms = -1,
    };
    nd_run_log_end(log, &end);
    nd_run_end_finish(&end);
}
