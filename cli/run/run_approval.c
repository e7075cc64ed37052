#include "cli/run/run_approval.h"

#include "cli/approvals/approval_view.h"
#include "cli/gateway/call.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/clock.h"
#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/protocol/limits.h"
#include "lib/protocol/run_words.h"
#include "lib/text/argv_text.h"

#include <string.h>

#define ANSWER_MARGIN_MS 5000
#define SHORT_ID 8

bool cli_run_needs_approval(const struct oc_error *err) {
    return err->grounds.cause == OC_CAUSE_APPROVAL_REQUIRED;
}

/* 2026.2.26 cannot list what waits, so there only a whole id will do. */
static bool is_newer(struct cli_cli *cli) {
    return oc_json_get_int(cli_rpc_hello(cli->rpc), "protocol", 1, INT16_MAX, OC_PROTOCOL_MIN) >
           OC_PROTOCOL_MIN;
}

static void run_approval_copy(cJSON *to, const cJSON *from, const char *key) {
    const cJSON *v = oc_json_get(from, key);
    oc_json_set(to, key, v ? cJSON_Duplicate(v, true) : NULL);
}

/* 2026.2.26 takes exactly these members under this name; newer gateways take the plan as the node
 * made it, with the script file it is bound to. */
static void put_plan(struct cli_cli *cli, cJSON *request, const cJSON *plan) {
    if (!plan) {
        return;
    }
    if (is_newer(cli)) {
        oc_json_set(request, "systemRunPlan", cJSON_Duplicate(plan, true));
        return;
    }
    static const char *const texts[] = { "cwd", "rawCommand", "agentId", "sessionKey" };
    cJSON *old = cJSON_CreateObject();
    oc_json_set_int(old, "version", 2);
    run_approval_copy(old, plan, "argv");
    for (size_t i = 0; i < OC_COUNT(texts); i++) {
        oc_json_set_str_or_null(old, texts[i], oc_json_get_str(plan, texts[i]));
    }
    oc_json_set(request, "systemRunPlanV2", old);
}

/* A method that no other gateway has. What the reference does not know goes only to those: it
 * refuses such requests. */
static bool is_ours(struct cli_cli *cli) {
    OC_AUTO_STRV struct oc_strv methods = { 0 };
    oc_json_get_strv(oc_json_get(cli_rpc_hello(cli->rpc), "features"), "methods", &methods);
    return oc_strv_has(&methods, "exec.audit.list");
}

static cJSON *build_request(struct cli_cli *cli, const struct cli_run_question *q,
        const cJSON *params, const char *id) {
    static const char *const told[] = { "resolvedPath", "security", "ask" };
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    oc_json_get_strv(params, "command", &argv);
    OC_AUTO_FREE char *shown = oc_argv_shown(&argv);
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "id", id);
    oc_json_set_str(o, "command", shown);
    oc_json_set_strv(o, "commandArgv", &argv);
    put_plan(cli, o, q->plan);
    run_approval_copy(o, params, "env");
    run_approval_copy(o, params, "cwd");
    run_approval_copy(o, params, "agentId");
    run_approval_copy(o, params, "sessionKey");
    for (size_t i = 0; i < OC_COUNT(told); i++) {
        oc_json_set_str(o, told[i], oc_json_get_str(q->about, told[i]));
    }
    oc_json_set_str(o, "host", "node");
    oc_json_set_str(o, "nodeId", oc_json_get_str(q->node, "nodeId"));
    oc_json_set_int(o, "timeoutMs", OC_DEFAULT_APPROVAL_MS);
    oc_json_set_bool(o, "twoPhase", true);
    return o;
}

/* How it would run is part of what is allowed. */
static void add_extras(cJSON *request, const struct cli_run_question *q, const cJSON *params) {
    cJSON *run = cJSON_AddObjectToObject(request, "run");
    oc_json_set_bool(run, "background", oc_json_get_bool(params, "background", false));
    oc_json_set_bool(run, "tty", oc_json_get(params, "tty") != NULL);
    run_approval_copy(run, params, "stdin");
    run_approval_copy(run, params, "timeoutMs");
    oc_json_set_str(request, "reason", oc_json_get_str(q->about, "reason"));
}

/* An older gateway of ours does not know all of it, and says so before it does anything. */
static enum oc_code request_it(struct cli_cli *cli, const struct cli_run_question *q,
        const cJSON *params, const char *id, cJSON **ret_accepted, struct oc_error *err) {
    cJSON *plain = build_request(cli, q, params, id);
    if (!is_ours(cli)) {
        return cli_call_tree(cli, "exec.approval.request", plain, ret_accepted, err);
    }
    cJSON *full = cJSON_Duplicate(plain, true);
    add_extras(full, q, params);
    enum oc_code rc = cli_call_tree(cli, "exec.approval.request", full, ret_accepted, err);
    if (rc == OC_OK || err->grounds.cause != OC_CAUSE_UNKNOWN_PROPERTY) {
        cJSON_Delete(plain);
        return rc;
    }
    return cli_call_tree(cli, "exec.approval.request", plain, ret_accepted, err);
}

static enum oc_code wait_for(
        struct cli_cli *cli, const char *id, cJSON **ret, struct oc_error *err) {
    struct cli_rpc_reply reply;
    enum oc_code rc = cli_call(cli, "exec.approval.waitDecision", cli_params_str("id", id),
            OC_DEFAULT_APPROVAL_MS + ANSWER_MARGIN_MS, &reply, err);
    if (rc == OC_OK) {
        rc = oc_json_parse(reply.payload.ptr, reply.payload.len, ret, err);
        cli_rpc_reply_finish(&reply);
    }
    return rc;
}

/* Who is asked, and until when. */
static void say_how(struct cli_cli *cli, const struct cli_run_question *q, const cJSON *accepted,
        const char *id, int64_t asked_ms) {
    char until[CLI_TIME_LEN];
    OC_AUTO_FREE char *name = cli_shown(oc_json_get_str(q->node, "displayName"));
    const char *node = *name ? name : "the node";
    const char *at = oc_json_get_str(accepted, "askedAtNode");
    /* By our clock: the gateway's may differ. */
    int64_t span = oc_json_get_ms(accepted, "expiresAtMs", OC_DEFAULT_APPROVAL_MS) -
                   oc_json_get_ms(accepted, "createdAtMs", 0);
    cli_time_of_day(asked_ms + span, until);
    cli_note("Somebody has to allow this on %s. Asked until %s: whoever approves at the "
             "gateway%s%s%s.\n"
             "In another terminal:\n"
             "  openclaw approvals %s %.*s%s\n"
             "or keep open there: openclaw approvals watch",
            node, until, at ? ", and the person at " : "", at ? node : "",
            !at                       ? ""
            : oc_streq(at, "desktop") ? " (by a notification)"
                                      : " (in a terminal)",
            is_newer(cli) ? "approve" : "resolve", is_newer(cli) ? SHORT_ID : OC_UUID_LEN, id,
            is_newer(cli) ? "" : " allow-once");
}

static enum oc_code run_approval_ask(struct cli_cli *cli, const struct cli_run_question *q,
        const cJSON *params, const char *id, cJSON **ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *accepted = NULL;
    int64_t asked_ms = oc_wall_ms(&oc_clock_system);
    enum oc_code rc = request_it(cli, q, params, id, &accepted, err);
    if (rc != OC_OK) {
        return rc;
    }
    say_how(cli, q, accepted, id, asked_ms);
    return wait_for(cli, id, ret, err);
}

static enum oc_code fail_denied(struct cli_cli *cli, const cJSON *decided, struct oc_error *err) {
    enum oc_cause cause = oc_cause_named(oc_json_get_str(decided, "cause"));
    const char *reason = oc_json_get_str(decided, "reason");
    OC_AUTO_FREE char *shown = cli_shown(reason ? reason : "");
    if (reason) {
        (void)!oc_fail(err, OC_E_DENIED, "the approval was withdrawn: %.600s", shown);
        err->grounds.cause = cause ? cause : OC_CAUSE_APPROVAL_CHANGED;
        err->grounds.remedy = OC_REMEDY_REQUEST_AGAIN;
        return OC_E_DENIED;
    }
    cli_set_fix(cli, "ask whoever denied it; openclaw approvals history tells who");
    (void)!oc_fail(err, OC_E_DENIED, "the approval was denied");
    err->grounds.cause = cause ? cause : OC_CAUSE_RUN_DENIED;
    return OC_E_DENIED;
}

bool cli_run_asks_first(struct cli_cli *cli, const cJSON *about) {
    return is_ours(cli) && oc_json_get_bool(about, "required", false);
}

enum oc_code cli_run_get_approval(struct cli_live_run *live, const struct cli_run_question *q,
        cJSON *params, struct oc_error *err) {
    struct cli_cli *cli = live->cli;
    char id[OC_UUID_LEN + 1];
    OC_AUTO_JSON cJSON *decided = NULL;
    oc_uuid4(id);
    oc_free(oc_take(&cli->fix)); /* of the try that was refused */
    oc_free(oc_take(&cli->error_code));
    live->approval_id = id;
    enum oc_code rc = run_approval_ask(cli, q, params, id, &decided, err);
    live->approval_id = NULL;
    if (live->signo) { /* whatever was decided: nobody waits for it here any more */
        return oc_fail(
                err, OC_E_CANCELLED, "interrupted while waiting for an approval: it was not run");
    }
    if (rc != OC_OK) {
        return rc;
    }
    enum oc_decision decision = oc_decision_named(oc_json_get_str(decided, "decision"));
    if (decision == OC_DECISION_DENY) {
        return fail_denied(cli, decided, err);
    }
    if (decision == OC_DECISION_ALLOW_ALWAYS && cli_approval_always_is_once(q->about)) {
        cli_note("Allowed always, but nothing of it can be remembered: it is asked for again next "
                 "time.");
    }
    oc_json_set_str(params, "runId", id);
    if (!decision) { /* that is all we know: the owner's file says what it means, and the node reads
                        it */
        cli_note("Nobody decided in time; askFallback of the node does.");
        return OC_OK;
    }
    oc_json_set_bool(params, "approved", true);
    oc_json_set_str(params, "approvalDecision", oc_decision_name(decision));
    return OC_OK;
}
