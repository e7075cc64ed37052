#include "node/argv/run_params.h"

#include "lib/base/mem.h"
#include "lib/protocol/errors.h"
#include "lib/protocol/limits.h"
#include "lib/text/argv_text.h"
#include "node/argv/exec_argv.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define T struct nd_run_params
static const struct oc_json_field fields[] = {
    OC_STRV(T, argv, "command", OC_NULLABLE, ND_MAX_ARGV),
    OC_STR(T, raw_command, "rawCommand", OC_NULLABLE),
    OC_STR(T, cwd_given, "cwd", OC_NULLABLE),
    OC_OBJ(T, env, "env", OC_NULLABLE),
    OC_OBJ(T, plan, "systemRunPlan", OC_NULLABLE),
    OC_ANY(T, timeout, "timeoutMs", OC_NULLABLE),
    OC_BOOL(T, needs_screen_recording, "needsScreenRecording", OC_NULLABLE),
    OC_STR(T, agent_id, "agentId", OC_NULLABLE),
    OC_STR(T, session_key, "sessionKey", OC_NULLABLE),
    OC_STR(T, run_id, "runId", OC_NULLABLE),
    OC_BOOL(T, approved, "approved", OC_NULLABLE),
    OC_STR(T, decision_given, "approvalDecision", OC_NULLABLE),
    OC_BOOL(T, is_unanswered, "approvalUnanswered", OC_NULLABLE),
    OC_BOOL(T, live, "live", OC_NULLABLE),
    OC_BOOL(T, background, "background", OC_NULLABLE),
    OC_BOOL(T, wants_stdin, "stdin", OC_NULLABLE),
    OC_STR(T, handle, "handle", OC_NULLABLE),
    OC_OBJ(T, tty_given, "tty", OC_NULLABLE),
    OC_STR(T, look, "approvalLook", OC_NULLABLE),
};
#undef T

bool nd_run_params_knows(const char *member) {
    for (size_t i = 0; i < OC_COUNT(fields); i++) {
        if (strcmp(fields[i].key, member) == 0) {
            return true;
        }
    }
    return false;
}

/* Any number: fractions are cut, what is not positive means no limit. */
static enum oc_code read_timeout(struct nd_run_params *p, struct oc_error *err) {
    if (!p->timeout) {
        return OC_OK;
    }
    double ms;
    if (!oc_json_as_num(p->timeout, -INFINITY, INFINITY, &ms)) {
        return oc_fail(err, OC_E_INVALID, "INVALID_REQUEST: at /timeoutMs: must be number");
    }
    p->timeout_ms = ms >= OC_MAX_INVOKE_MS ? OC_MAX_INVOKE_MS : ms > 0 ? (int64_t)ms : 0;
    if (ms > 0 && p->timeout_ms == 0) {
        p->timeout_ms = 1;
    }
    return OC_OK;
}

static unsigned short run_params_cells(const cJSON *v, const char *key, unsigned short def) {
    return (unsigned short)oc_json_get_int(v, key, 1, 10000, def);
}

struct os_tty_size nd_tty_size_decode(const cJSON *v) {
    return (struct os_tty_size){ .columns = run_params_cells(v, "columns", 80),
        .rows = run_params_cells(v, "rows", 24) };
}

bool nd_run_handle_is_valid(const char *handle) {
    size_t len = strlen(handle);
    return len > 0 && len <= ND_MAX_HANDLE &&
           strspn(handle, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == len;
}

/* The text as the reference words it, as long as it is what it looks like and not too long. */
static char *run_params_show(const struct nd_run_params *p) {
    size_t len = strnlen(p->text, ND_MAX_SHOWN_COMMAND + 1);
    OC_AUTO_FREE char *plain =
            len <= ND_MAX_SHOWN_COMMAND ? oc_printable(p->text, len, SIZE_MAX) : NULL;
    return plain && strcmp(plain, p->text) == 0
                   ? oc_take(&plain)
                   : oc_argv_shown_within(&p->argv, ND_MAX_SHOWN_COMMAND);
}

enum oc_code nd_run_params_decode(
        const cJSON *params, struct nd_run_params *ret, struct oc_error *err) {
    *ret = (struct nd_run_params){ 0 };
    if (oc_json_decode(params, "", fields, OC_COUNT(fields), ret, err) != OC_OK) {
        oc_error_prefix(err, "INVALID_REQUEST");
        return OC_E_INVALID;
    }
    ret->raw_command = oc_str_or_null(ret->raw_command);
    ret->agent_id = oc_str_or_null(ret->agent_id);
    if (oc_streq(ret->agent_id, "*")) { /* that is everybody: its list is all the others', too */
        return oc_fail(err, OC_E_INVALID, "INVALID_REQUEST: at /agentId: must be one agent");
    }
    ret->session_key = oc_str_or_null(ret->session_key);
    ret->run_id = oc_str_or_null(ret->run_id);
    ret->decision = oc_decision_named(ret->decision_given);
    if (ret->decision == OC_DECISION_DENY) {
        ret->decision = OC_DECISION_NONE;
    }
    ret->approved = ret->approved || ret->decision;
    if (ret->argv.count == 0 || oc_str_blank(ret->argv.items[0])) {
        return oc_fail_wire(err, OC_E_INVALID, OC_WIRE_INVALID,
                ret->raw_command ? "rawCommand requires params.command" : "command required");
    }
    if (oc_str_or_null(ret->cwd_given)) {
        OC_AUTO_FREE char *copy = oc_strdup(ret->cwd_given);
        ret->cwd = oc_strdup(oc_trim(copy));
    }
    if (cJSON_GetArraySize(ret->env) > ND_MAX_ENV) {
        return oc_fail(err, OC_E_INVALID,
                "INVALID_REQUEST: at /env: must NOT have more than %d properties", ND_MAX_ENV);
    }
    ret->handle = oc_str_or_null(ret->handle);
    if (ret->handle && !nd_run_handle_is_valid(ret->handle)) {
        return oc_fail(err, OC_E_INVALID,
                "INVALID_REQUEST: at /handle: at most %d letters, digits and '-'", ND_MAX_HANDLE);
    }
    ret->has_tty = ret->tty_given != NULL;
    ret->tty = nd_tty_size_decode(ret->tty_given);
    enum oc_code rc = read_timeout(ret, err);
    if (rc == OC_OK) {
        rc = nd_argv_text(&ret->argv, ret->raw_command, &ret->text, err);
    }
    if (rc == OC_OK) {
        ret->shown = run_params_show(ret);
    }
    return rc;
}

void nd_run_params_borrow(struct nd_run_params *p, cJSON **ret_copy, const cJSON *params) {
    struct nd_run_params again;
    struct oc_error err;
    *ret_copy = cJSON_Duplicate(params, true);
    enum oc_code rc = nd_run_params_decode(*ret_copy, &again, &err);
    assert(rc == OC_OK); /* it was decoded before */
    (void)rc;
    again.asked_here = p->asked_here; /* what was decided here is not in the tree */
    again.was_asked_here = p->was_asked_here;
    again.timeout_ms = p->timeout_ms;
    again.approved = p->approved;
    again.decision = p->asked_here ? p->decision : again.decision;
    if (!p->approved && !p->is_unanswered) {
        nd_run_params_unapprove(&again);
    }
    nd_run_params_finish(p);
    *p = again;
}

void nd_run_params_unapprove(struct nd_run_params *p) {
    p->approved = p->asked_here = p->was_asked_here = p->is_unanswered = false;
    p->decision = OC_DECISION_NONE;
    p->plan = NULL;
    p->look = NULL;
}

void nd_run_params_finish(struct nd_run_params *p) {
    oc_strv_finish(&p->argv);
    oc_free(p->text);
    oc_free(p->shown);
    oc_free(p->cwd);
    *p = (struct nd_run_params){ 0 };
}
