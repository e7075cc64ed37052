#include "gateway/audit/run_audit.h"

#include "gateway/audit/run_end.h"
#include "gateway/audit/run_ends.h"
#include "gateway/conn/call.h"
#include "gateway/conn/conn.h"
#include "gateway/exec/run_binding.h"
#include "gateway/exec/run_caller.h"
#include "gateway/store/audit.h"
#include "lib/base/mem.h"
#include "lib/base/utf8.h"
#include "lib/identity/identity.h"
#include "lib/log/log.h"
#include "lib/protocol/grounds.h"
#include "lib/protocol/limits.h"
#include "lib/protocol/run_words.h"
#include "lib/text/argv_text.h"

#include <string.h>

#define MAX_REFUSED_PARAMS ((size_t)64 * 1024) /* that are looked into to say what was refused */

struct gw_run_audit {
    struct gw_run_audit_uses uses;
    struct gw_run_ends *ends;
};

static void put_text(cJSON *o, const char *key, const char *text) {
    if (text && !oc_str_blank(text)) {
        OC_AUTO_FREE char *shown = oc_printable(text, strlen(text), OC_MAX_AUDIT_TEXT);
        oc_json_set_str(o, key, shown);
    }
}

/* Names are what people call themselves; this is who they are. */
static void put_who(cJSON *o, const char *key, const cJSON *who) {
    oc_json_set(o, key, who ? cJSON_Duplicate(who, true) : NULL);
}

/* The arguments themselves, and for those that were cut a hash of all. */
static void put_argv(cJSON *o, const struct oc_strv *argv) {
    cJSON *kept = cJSON_AddArrayToObject(o, "argv");
    size_t room = OC_MAX_AUDIT_ARGV;
    bool is_cut = false;
    for (size_t i = 0; i < argv->count && !is_cut; i++) {
        size_t len = strlen(argv->items[i]);
        is_cut = len >= room;
        size_t part = is_cut ? room : len;
        part -= is_cut ? oc_utf8_incomplete_tail(argv->items[i], part) : 0;
        OC_AUTO_FREE char *word = oc_strndup(argv->items[i], part);
        cJSON_AddItemToArray(kept, cJSON_CreateString(word));
        room -= is_cut ? room : len + 1;
    }
    if (is_cut) {
        char hash[65];
        OC_AUTO_JSON cJSON *all = cJSON_CreateObject();
        oc_json_set_strv(all, "argv", argv);
        OC_AUTO_FREE char *text = oc_json_print(oc_json_get(all, "argv"), false);
        oc_sha256_hex(text, strlen(text), hash);
        oc_json_set_str(o, "argvSha256", hash);
    }
}

/* As an array for machines and as a line for people. */
static void put_command(cJSON *o, const cJSON *list) {
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    const cJSON *word;
    cJSON_ArrayForEach(word, list) {
        oc_strv_add(&argv, cJSON_IsString(word) ? word->valuestring : "");
    }
    OC_AUTO_FREE char *whole = oc_argv_shown_within(&argv, (size_t)4 * OC_MAX_AUDIT_TEXT);
    OC_AUTO_FREE char *cut = oc_printable(whole, strlen(whole), OC_MAX_AUDIT_TEXT);
    put_argv(o, &argv);
    oc_json_set_str(o, "command", cut);
}

/* Nobody has checked these. */
static void put_claims(cJSON *o, const cJSON *from) {
    OC_AUTO_JSON cJSON *claimed = cJSON_CreateObject();
    put_text(claimed, "agentId", oc_json_get_str(from, "agentId"));
    put_text(claimed, "sessionKey", oc_json_get_str(from, "sessionKey"));
    if (claimed->child) {
        oc_json_set(o, "claimed", oc_take(&claimed));
    }
}

static void put_run(cJSON *o, const cJSON *params) {
    put_command(o, oc_json_get(params, "command"));
    put_text(o, "cwd", oc_json_get_str(params, "cwd"));
    put_claims(o, params);
    put_text(o, "runId", oc_json_get_str(params, "runId"));
    put_text(o, "handle", oc_json_get_str(params, "handle"));
    if (oc_json_get_bool(params, "background", false)) {
        oc_json_set_bool(o, "background", true);
    }
    if (oc_json_get(params, "tty")) {
        oc_json_set_bool(o, "tty", true);
    }
    if (oc_json_get_bool(params, "stdin", false)) {
        oc_json_set_bool(o, "stdin", true);
    }
    char hash[65];
    OC_AUTO_STRV struct oc_strv keys = { 0 };
    if (gw_run_env_hash(oc_json_get(params, "env"), hash, &keys)) {
        OC_AUTO_FREE char *names = oc_strv_join(&keys, " ");
        put_text(o, "env", names);
    }
}

/* kind, which stands first. */
static cJSON *open_doc(const char *kind) {
    cJSON *doc = cJSON_CreateObject();
    oc_json_set_str(doc, "kind", kind);
    return doc;
}

/* The row's number; 0: it is not written. */
static int64_t run_audit_add(
        struct gw_run_audit *audit, enum gw_audit_table table, struct gw_audit_row row) {
    struct oc_error err;
    int64_t seq = 0;
    row.at_ms = oc_wall_ms(audit->uses.clock);
    if (gw_audit_add(audit->uses.store, table, &row, &seq, &err) != OC_OK) {
        oc_log(OC_LOG_ERROR, "gateway.audit", "not written down: %s", err.text);
        return 0;
    }
    return seq;
}

static int64_t on_sent(void *user, const struct gw_invoke_spec *spec, const char *invoke_id) {
    struct gw_run_audit *audit = user;
    OC_AUTO_JSON cJSON *params = NULL, *doc = open_doc("run");
    struct oc_error ignored;
    if (oc_json_parse_within(spec->params.ptr, spec->params.len, OC_MAX_REQUEST_VALUES, &params,
                &ignored) != OC_OK) {
        params = NULL;
    }
    oc_json_set_str(doc, "nodeId", spec->node_id);
    oc_json_set(doc, "by", gw_run_caller(spec->caller));
    put_run(doc, params);
    /* Only the guard puts this there. */
    bool is_approved = oc_json_get_bool(params, "approved", false);
    oc_json_set_str(doc, "gate",
            oc_run_gate_name(is_approved ? OC_RUN_GATE_APPROVAL : OC_RUN_GATE_NODE_POLICY));
    if (is_approved) {
        const char *id = oc_json_get_str(params, "runId");
        const struct gw_approval *a = gw_approvals_find(audit->uses.approvals, id);
        put_text(doc, "approvalId", id);
        put_text(doc, "decision", oc_json_get_str(params, "approvalDecision"));
        put_text(doc, "decidedBy", a ? a->resolved_by : NULL);
        if (a) {
            put_who(doc, "decider", a->decider);
            oc_json_set_int(doc, "decidedAtMs", a->resolved_at_ms);
        }
    }
    return run_audit_add(audit, GW_AUDIT_RUNS,
            (struct gw_audit_row){ .node_id = spec->node_id,
                    .actor = spec->actor,
                    .invoke_id = invoke_id,
                    .doc = doc });
}

/* One more row behind a run. False: it is not written. */
static bool add_behind(struct gw_run_audit *audit, int64_t seq, const char *actor,
        const char *node_id, const char *kind, cJSON *take_outcome) {
    OC_AUTO_JSON cJSON *outcome = take_outcome, *doc = open_doc(kind);
    while (outcome->child) {
        cJSON *member = cJSON_DetachItemViaPointer(outcome, outcome->child);
        cJSON_AddItemToObject(doc, member->string, member);
    }
    return run_audit_add(audit, GW_AUDIT_RUNS,
                   (struct gw_audit_row){
                           .ref = seq, .node_id = node_id, .actor = actor, .doc = doc }) > 0;
}

static void on_answered(
        void *user, const struct gw_invoke_record *record, const struct gw_answer *a) {
    struct gw_run_audit *audit = user;
    if (record->number <= 0 || record->is_ended) {
        return;
    }
    cJSON *outcome = gw_run_end_of_answer(a);
    enum oc_outcome what = oc_outcome_named(oc_json_get_str(outcome, "outcome"));
    const char *kind = what == OC_OUTCOME_STARTED ? "started" : "end";
    oc_json_set_int(outcome, "durationMs", oc_mono_ms(audit->uses.clock) - record->began_ms);
    if (what == OC_OUTCOME_UNKNOWN) { /* one of many, when a node is gone */
        gw_run_ends_add(audit->ends,
                &(struct gw_end_row){ .kind = "lost",
                        .run = record->number,
                        .node_id = record->node_id,
                        .actor = record->actor },
                outcome);
        return;
    }
    (void)add_behind(audit, record->number, record->actor, record->node_id, kind, outcome);
}

/* Its invoke was answered before, or by nobody: the audit knows whose it was. */
static enum gw_report report_later(struct gw_run_audit *audit, const char *node_id,
        const char *invoke_id, cJSON *take_outcome) {
    OC_AUTO_JSON cJSON *outcome = take_outcome;
    struct gw_audit_run run = { 0 };
    struct oc_error err;
    enum oc_code rc = gw_audit_find(audit->uses.store, node_id, invoke_id, &run, &err);
    if (rc != OC_OK) {
        return rc == OC_E_NOT_FOUND ? GW_REPORT_UNKNOWN : GW_REPORT_FAILED;
    }
    bool is_written = run.is_ended ||
                      add_behind(audit, run.seq, run.actor, node_id, "end", oc_take(&outcome));
    gw_audit_run_finish(&run);
    return is_written ? GW_REPORT_WRITTEN : GW_REPORT_FAILED;
}

static void begin_ends(void *user) {
    const struct gw_run_audit *audit = user;
    struct oc_error err;
    if (gw_store_begin_lax(audit->uses.store, &err) != OC_OK) { /* then each is for itself */
        oc_log(OC_LOG_ERROR, "gateway.audit", "not written down: %s", err.text);
    }
}

static bool write_end(void *user, const struct gw_end_row *row, cJSON *take_outcome) {
    return add_behind(user, row->run, row->actor, row->node_id, row->kind, take_outcome);
}

static bool end_ends(void *user) {
    const struct gw_run_audit *audit = user;
    struct oc_error err;
    if (gw_store_commit(audit->uses.store, &err) != OC_OK) {
        oc_log(OC_LOG_ERROR, "gateway.audit", "not written down: %s", err.text);
        return false;
    }
    return true;
}

bool gw_run_audit_report_soon(
        struct gw_run_audit *audit, const struct gw_call *call, const cJSON *report) {
    const char *invoke_id = oc_json_get_str(report, "invokeId"), *node_id = call->conn->device_id;
    struct gw_invoke_record *record =
            invoke_id ? gw_invoke_record_of(audit->uses.invokes, node_id, invoke_id) : NULL;
    cJSON *outcome =
            record && record->number > 0 && !record->is_ended ? gw_run_end_of_report(report) : NULL;
    if (!outcome) {
        return false;
    }
    record->is_ended = true;
    gw_run_ends_add(audit->ends,
            &(struct gw_end_row){ .kind = "end",
                    .run = record->number,
                    .node_id = node_id,
                    .actor = record->actor,
                    .call = call },
            outcome);
    return true;
}

enum gw_report gw_run_audit_reported(
        struct gw_run_audit *audit, const char *node_id, const cJSON *report) {
    const char *invoke_id = oc_json_get_str(report, "invokeId");
    cJSON *outcome = invoke_id ? gw_run_end_of_report(report) : NULL;
    if (!outcome) {
        return GW_REPORT_UNKNOWN;
    }
    gw_run_ends_write_now(audit->ends); /* it may be one of them */
    struct gw_invoke_record *record = gw_invoke_record_of(audit->uses.invokes, node_id, invoke_id);
    if (!record || record->number <= 0) {
        return report_later(audit, node_id, invoke_id, outcome);
    }
    if (record->is_ended) {
        cJSON_Delete(outcome);
        return GW_REPORT_WRITTEN;
    }
    record->is_ended = add_behind(audit, record->number, record->actor, node_id, "end", outcome);
    return record->is_ended ? GW_REPORT_WRITTEN : GW_REPORT_FAILED;
}

static void run_audit_recover(struct gw_run_audit *audit) {
    OC_AUTO_JSON cJSON *doc = open_doc("lost");
    oc_json_set_str(doc, "outcome", oc_outcome_name(OC_OUTCOME_UNKNOWN));
    oc_json_set_str(doc, "source", "gateway");
    oc_json_set_str(doc, "reason",
            "the gateway stopped before it ended, and the node has not reported since");
    int64_t count = 0;
    struct oc_error err;
    if (gw_audit_close_open(audit->uses.store, oc_wall_ms(audit->uses.clock), doc, &count, &err) !=
            OC_OK) {
        oc_log(OC_LOG_ERROR, "gateway.audit", "not written down: %s", err.text);
    } else if (count > 0) {
        oc_log(OC_LOG_INFO, "gateway.audit",
                "commands ran when the last gateway stopped; their nodes will report count=%lld",
                (long long)count);
    }
}

void gw_run_audit_refused(
        struct gw_run_audit *audit, const struct gw_conn *c, const struct gw_run_refusal *r) {
    OC_AUTO_JSON cJSON *doc = open_doc("refused"), *tree = NULL;
    struct oc_error ignored;
    put_text(doc, "nodeId", r->node_id);
    oc_json_set(doc, "by", gw_run_caller(c));
    if (r->params.len > 0 && r->params.len <= MAX_REFUSED_PARAMS &&
            oc_json_parse_within(r->params.ptr, r->params.len, OC_MAX_REQUEST_VALUES, &tree,
                    &ignored) == OC_OK) {
        put_run(doc, tree);
    }
    oc_json_set_str(doc, "refusedBy", "gateway");
    put_text(doc, "gate", r->gate);
    put_text(doc, "code", r->code);
    put_text(doc, "reason", r->text);
    oc_grounds_put_record(doc, &r->grounds);
    run_audit_add(audit, GW_AUDIT_REFUSALS,
            (struct gw_audit_row){ .node_id = r->node_id, .actor = gw_run_actor(c), .doc = doc });
}

/* Everyone can ask, run out of time or leave, as often as they like: only what was given stands
 * with the runs. */
static void on_decided(void *user, const struct gw_approval *a) {
    OC_AUTO_JSON cJSON *doc = open_doc("approval");
    const char *node_id = oc_json_get_str(a->request, "nodeId");
    bool is_given = a->decision && a->decision != OC_DECISION_DENY;
    put_text(doc, "approvalId", a->id);
    put_text(doc, "decision", a->decision ? oc_decision_name(a->decision) : "expired");
    put_text(doc, "decidedBy", a->resolved_by);
    put_text(doc, "cause", oc_cause_name(a->cause)); /* anybody may be called what stands there */
    put_who(doc, "decider", a->decider);
    put_text(doc, "askedBy", a->asked_by);
    put_text(doc, "askedByDevice", a->is_device ? a->actor : NULL);
    put_who(doc, "asker", a->asker);
    oc_json_set_int(doc, "askedAtMs", a->created_at_ms);
    put_text(doc, "command", oc_json_get_str(a->request, "command"));
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    oc_json_get_strv(a->request, "commandArgv", &argv);
    put_argv(doc, &argv);
    put_text(doc, "nodeId", node_id);
    put_text(doc, "cwd", oc_json_get_str(a->request, "cwd"));
    put_claims(doc, a->request);
    run_audit_add(user, is_given ? GW_AUDIT_RUNS : GW_AUDIT_REFUSALS,
            (struct gw_audit_row){ .node_id = node_id,
                    .actor = a->is_device ? a->actor : "shared-secret",
                    .doc = doc });
}

struct gw_run_audit *gw_run_audit_open(const struct gw_run_audit_uses *uses) {
    struct gw_run_audit *audit = oc_new(struct gw_run_audit);
    audit->uses = *uses;
    audit->ends = gw_run_ends_create(uses->loop, uses->nodes,
            &(struct gw_run_ends_writer){
                    .begin = begin_ends, .write = write_end, .end = end_ends, .user = audit });
    run_audit_recover(audit);
    gw_invokes_audit(
            uses->invokes, &(struct gw_invoke_audit){
                                   .on_sent = on_sent, .on_answered = on_answered, .user = audit });
    gw_approvals_on_settled(uses->approvals, on_decided, audit);
    return audit;
}

void gw_run_audit_close(struct gw_run_audit *audit) {
    if (audit) {
        gw_run_ends_destroy(audit->ends);
        oc_free(audit);
    }
}

void gw_run_audit_catch_up(struct gw_run_audit *audit) {
    gw_run_ends_write_now(audit->ends);
}
