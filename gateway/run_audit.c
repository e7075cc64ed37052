#include "gateway/run_audit.h"

#include "base/argv_text.h"
#include "base/log.h"
#include "base/mem.h"
#include "gateway/audit.h"
#include "gateway/conn.h"
#include "gateway/core.h"
#include "gateway/run_binding.h"
#include "gateway/run_outcome.h"
#include "protocol/identity.h"
#include "protocol/limits.h"

#include <string.h>

#define MAX_REFUSED_PARAMS ((size_t)64 * 1024) /* that are looked into to say what was refused */

static void put_text(cJSON *o, const char *key, const char *text) {
    if (text && !oc_str_blank(text)) {
        OC_AUTO_FREE char *shown = oc_printable(text, strlen(text), OC_MAX_AUDIT_TEXT);
        oc_json_set_str(o, key, shown);
    }
}

static void put_caller(cJSON *o, const struct oc_conn *c) {
    cJSON *by = cJSON_AddObjectToObject(o, "by");
    put_text(by, "deviceId", c->device_id);
    put_text(by, "client", c->client_id);
    put_text(by, "mode", c->client_mode);
    put_text(by, "name", c->display_name);
    put_text(by, "ip", c->from.ip);
}

/* The text, and for one that was cut a hash of all of it. */
static void put_command(cJSON *o, const cJSON *list) {
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    const cJSON *word;
    cJSON_ArrayForEach(word, list) {
        oc_strv_add(&argv, cJSON_IsString(word) ? word->valuestring : "");
    }
    OC_AUTO_FREE char *whole = oc_argv_shown(&argv);
    OC_AUTO_FREE char *cut = oc_printable(whole, strlen(whole), OC_MAX_AUDIT_TEXT);
    oc_json_set_str(o, "command", cut);
    if (strcmp(whole, cut) != 0) {
        char hash[65];
        oc_sha256_hex(whole, strlen(whole), hash);
        oc_json_set_str(o, "commandSha256", hash);
    }
}

static void put_run(cJSON *o, const cJSON *params) {
    put_command(o, oc_json_get(params, "command"));
    put_text(o, "cwd", oc_json_get_str(params, "cwd"));
    put_text(o, "agentId", oc_json_get_str(params, "agentId"));
    put_text(o, "sessionKey", oc_json_get_str(params, "sessionKey"));
    put_text(o, "runId", oc_json_get_str(params, "runId"));
    char hash[65];
    OC_AUTO_STRV struct oc_strv keys = { 0 };
    if (oc_run_env_hash(oc_json_get(params, "env"), hash, &keys)) {
        OC_AUTO_FREE char *names = oc_strv_join(&keys, " ");
        put_text(o, "env", names);
    }
}

static int64_t add(struct oc_gateway *gw, enum oc_audit_book book, int64_t ref, const char *node_id,
        const cJSON *doc) {
    struct oc_error err;
    int64_t seq = 0;
    struct oc_audit_row row = {
        .at_ms = oc_wall_ms(gw->clock), .ref = ref, .node_id = node_id, .doc = doc
    };
    if (oc_audit_add(gw->store, book, &row, &seq, &err) != OC_OK) {
        oc_log(OC_LOG_ERROR, "gateway.audit", "not written down: %s", err.text);
    }
    return seq;
}

static int64_t on_sent(void *user, const struct oc_invoke_spec *spec) {
    struct oc_gateway *gw = user;
    OC_AUTO_JSON cJSON *params = NULL, *doc = cJSON_CreateObject();
    struct oc_error ignored;
    if (oc_json_parse(spec->params.ptr, spec->params.len, &params, &ignored) != OC_OK) {
        params = NULL;
    }
    oc_json_set_str(doc, "kind", "run");
    oc_json_set_str(doc, "nodeId", spec->node_id);
    put_caller(doc, spec->caller);
    put_run(doc, params);
    /* Only the guard puts this there. */
    bool is_approved = oc_json_get_bool(params, "approved", false);
    oc_json_set_str(doc, "gate", is_approved ? "approval" : "node-policy");
    if (is_approved) {
        const char *id = oc_json_get_str(params, "runId");
        const struct oc_approval *a = oc_approvals_find(gw->approvals, id);
        put_text(doc, "approvalId", id);
        put_text(doc, "decision", oc_json_get_str(params, "approvalDecision"));
        put_text(doc, "decidedBy", a ? a->resolved_by : NULL);
    }
    return add(gw, OC_AUDIT_RUNS, 0, spec->node_id, doc);
}

static void on_answered(void *user, const struct oc_invoke_page *page, const struct oc_answer *a) {
    struct oc_gateway *gw = user;
    if (page->number <= 0) {
        return;
    }
    OC_AUTO_JSON cJSON *doc = oc_run_outcome_of(a);
    oc_json_set_str(doc, "kind", "end");
    oc_json_set_int(doc, "durationMs", oc_mono_ms(gw->clock) - page->began_ms);
    add(gw, OC_AUDIT_RUNS, page->number, page->node_id, doc);
}

struct oc_invoke_books oc_run_audit_books(struct oc_gateway *gw) {
    return (struct oc_invoke_books){ .on_sent = on_sent, .on_answered = on_answered, .user = gw };
}

void oc_run_audit_refused(const struct oc_conn *c, const char *node_id, struct oc_slice params,
        const char *code, const char *message) {
    OC_AUTO_JSON cJSON *doc = cJSON_CreateObject(), *tree = NULL;
    struct oc_error ignored;
    oc_json_set_str(doc, "kind", "refused");
    put_text(doc, "nodeId", node_id);
    put_caller(doc, c);
    if (params.len > 0 && params.len <= MAX_REFUSED_PARAMS &&
            oc_json_parse(params.ptr, params.len, &tree, &ignored) == OC_OK) {
        put_run(doc, tree);
    }
    put_text(doc, "gate", "gateway");
    put_text(doc, "code", code);
    put_text(doc, "reason", message);
    add(c->gw, OC_AUDIT_REFUSALS, 0, node_id, doc);
}

void oc_run_audit_decided(void *user, const struct oc_approval *a) {
    OC_AUTO_JSON cJSON *doc = cJSON_CreateObject();
    const char *node_id = oc_json_get_str(a->request, "nodeId");
    oc_json_set_str(doc, "kind", "approval");
    put_text(doc, "approvalId", a->id);
    put_text(doc, "decision", a->decision ? a->decision : "expired");
    put_text(doc, "decidedBy", a->resolved_by);
    put_text(doc, "askedBy", a->asked_by);
    put_text(doc, "askedByDevice", a->is_device ? a->actor : NULL);
    put_text(doc, "command", oc_json_get_str(a->request, "command"));
    put_text(doc, "nodeId", node_id);
    put_text(doc, "cwd", oc_json_get_str(a->request, "cwd"));
    put_text(doc, "agentId", oc_json_get_str(a->request, "agentId"));
    put_text(doc, "sessionKey", oc_json_get_str(a->request, "sessionKey"));
    add(user, OC_AUDIT_RUNS, 0, node_id, doc);
}
