#include "lib/protocol/foreign_errors.h"

#include "lib/base/mem.h"
#include "lib/protocol/errors.h"
#include "lib/protocol/switches.h"

#include <string.h>

/* The node is known to whoever asked; in a command line its place is left open. */
#define SOME_NODE "<its id>"

struct foreign_row {
    const char *part; /* of the message */
    enum oc_cause cause;
    enum oc_gate gate;
    enum oc_remedy remedy;
};

/* The first that fits counts. */
static const struct foreign_row texts[] = {
    { "SYSTEM_RUN_DENIED: approval required", OC_CAUSE_APPROVAL_REQUIRED, OC_GATE_LOCAL,
            OC_REMEDY_ADD_PROGRAM },
    { "SYSTEM_RUN_DENIED: allowlist miss", OC_CAUSE_ALLOWLIST_MISS, OC_GATE_LOCAL,
            OC_REMEDY_ADD_PROGRAM },
    { "SYSTEM_RUN_DENIED: execution plan mismatch", OC_CAUSE_APPROVAL_CHANGED, OC_GATE_LOCAL,
            OC_REMEDY_APPROVE_AGAIN },
    { "approval requires a stable executable path", OC_CAUSE_UNSTABLE_PROGRAM, OC_GATE_LOCAL,
            OC_REMEDY_REAL_PATHS },
    { "approval requires an existing canonical cwd", OC_CAUSE_BAD_DIRECTORY, OC_GATE_LOCAL,
            OC_REMEDY_REAL_PATHS },
    { "approval requires canonical cwd", OC_CAUSE_BAD_DIRECTORY, OC_GATE_LOCAL,
            OC_REMEDY_REAL_PATHS },
    { "approval requires cwd", OC_CAUSE_BAD_DIRECTORY, OC_GATE_LOCAL, OC_REMEDY_REAL_PATHS },
    { "approval cwd identity mismatch", OC_CAUSE_BAD_DIRECTORY, OC_GATE_LOCAL,
            OC_REMEDY_REAL_PATHS },
    { "SYSTEM_RUN_DISABLED", OC_CAUSE_RUN_DISABLED, OC_GATE_LOCAL, OC_REMEDY_SECURITY_ALLOWLIST },
    { "SYSTEM_RUN_DENIED", OC_CAUSE_RUN_DENIED, OC_GATE_LOCAL, OC_REMEDY_ADD_PROGRAM },
    { "node invoke timed out", OC_CAUSE_TIMED_OUT, OC_GATE_NONE, OC_REMEDY_NONE },
    { "node not connected", OC_CAUSE_NODE_NOT_CONNECTED, OC_GATE_NONE, OC_REMEDY_START_NODE },
    { "node disconnected", OC_CAUSE_NODE_DISCONNECTED, OC_GATE_NONE, OC_REMEDY_NONE },
    { "unknown method", OC_CAUSE_UNKNOWN_METHOD, OC_GATE_NONE, OC_REMEDY_NONE },
    { "unexpected property", OC_CAUSE_UNKNOWN_PROPERTY, OC_GATE_NONE, OC_REMEDY_NONE },
    { "unknown requestId", OC_CAUSE_UNKNOWN_REQUEST, OC_GATE_NONE, OC_REMEDY_LIST_REQUESTS },
    { "unknown nodeId", OC_CAUSE_UNKNOWN_NODE, OC_GATE_NONE, OC_REMEDY_NONE },
    { "exec approvals changed", OC_CAUSE_FILE_CHANGED, OC_GATE_NONE, OC_REMEDY_NONE },
    { "protocol mismatch", OC_CAUSE_PROTOCOL_MISMATCH, OC_GATE_NONE, OC_REMEDY_NONE },
};

static void take_row(const struct foreign_row *row, struct oc_grounds *ret) {
    ret->cause = row->cause;
    ret->gate = row->gate;
    ret->remedy = row->remedy;
}

/* False: none of ours has such a text. */
static bool read_text(const char *message, struct oc_grounds *ret) {
    static const char scope[] = "missing scope: ";
    if (oc_starts_with(message, scope)) {
        take_row(&(struct foreign_row){ NULL, OC_CAUSE_MISSING_SCOPE, OC_GATE_SCOPE,
                         OC_REMEDY_APPROVE_SCOPE },
                ret);
        oc_grounds_set_subject(ret, message + strlen(scope));
        return true;
    }
    for (size_t i = 0; i < OC_COUNT(texts); i++) {
        if (strstr(message, texts[i].part)) {
            take_row(&texts[i], ret);
            return true;
        }
    }
    return false;
}

/* What the reference says about a node's command beside the text. It does not tell what a node does
 * not have from what waits for an approval, so its remedy is to look; our gateway does
 * (gateway/nodes/gates.c), and names another node or the request. */
static void read_reason(const cJSON *details, struct oc_grounds *ret) {
    static const struct foreign_row reasons[] = {
        { "command not allowlisted", OC_CAUSE_COMMAND_NOT_ALLOWED, OC_GATE_POLICY,
                OC_REMEDY_ALLOW_COMMAND },
        { "command not declared by node", OC_CAUSE_COMMAND_NOT_DECLARED, OC_GATE_SURFACE,
                OC_REMEDY_SEE_OFFERS },
        { "node did not declare commands", OC_CAUSE_COMMAND_NOT_DECLARED, OC_GATE_SURFACE,
                OC_REMEDY_SEE_OFFERS },
    };
    const char *reason = oc_json_get_str(details, "reason");
    for (size_t i = 0; i < OC_COUNT(reasons); i++) {
        if (oc_streq(reason, reasons[i].part)) {
            take_row(&reasons[i], ret);
            oc_grounds_set_subject(ret, oc_json_get_str(details, "command"));
        }
    }
}

static void read_node_code(const char *code, struct oc_grounds *ret) {
    const struct oc_switch *off = oc_switch_by_code(code);
    if (off) {
        take_row(&(struct foreign_row){ NULL, OC_CAUSE_SWITCHED_OFF, OC_GATE_SWITCH,
                         OC_REMEDY_ENABLE_SWITCH },
                ret);
        oc_grounds_set_subject(ret, off->name);
    } else if (oc_streq(code, "SYSTEM_RUN_DENIED")) {
        take_row(&(struct foreign_row){ NULL, OC_CAUSE_RUN_DENIED, OC_GATE_LOCAL,
                         OC_REMEDY_ADD_PROGRAM },
                ret);
    } else if (oc_streq(code, "TIMEOUT")) {
        ret->cause = OC_CAUSE_TIMED_OUT;
    }
}

/* Of a refused connect. */
static enum oc_cause cause_of_code(const char *code) {
    static const struct {
        const char *code;
        enum oc_cause cause;
    } rows[] = {
        { "AUTH_BOOTSTRAP_TOKEN_INVALID", OC_CAUSE_BAD_SETUP_CODE },
        { "AUTH_DEVICE_TOKEN_MISMATCH", OC_CAUSE_DEVICE_TOKEN_MISMATCH },
        { "AUTH_IDENTITY_HEADER_REQUIRED", OC_CAUSE_PROXY_REQUIRED },
        { "AUTH_PASSWORD_MISMATCH", OC_CAUSE_WRONG_PASSWORD },
        { "AUTH_PASSWORD_MISSING", OC_CAUSE_WRONG_PASSWORD },
        { "AUTH_PASSWORD_NOT_CONFIGURED", OC_CAUSE_NO_SECRET },
        { "AUTH_RATE_LIMITED", OC_CAUSE_LOCKED_OUT },
        { "AUTH_TOKEN_MISMATCH", OC_CAUSE_WRONG_TOKEN },
        { "AUTH_TOKEN_MISSING", OC_CAUSE_WRONG_TOKEN },
        { "AUTH_TOKEN_NOT_CONFIGURED", OC_CAUSE_NO_SECRET },
        { "CLIENT_VERSION_MISMATCH", OC_CAUSE_PROTOCOL_MISMATCH },
        { "CONTROL_UI_DEVICE_IDENTITY_REQUIRED", OC_CAUSE_DEVICE_REQUIRED },
        { "DEVICE_IDENTITY_REQUIRED", OC_CAUSE_DEVICE_REQUIRED },
        { OC_WIRE_NOT_PAIRED, OC_CAUSE_NOT_PAIRED }, { "PAIRING_REQUIRED", OC_CAUSE_NOT_PAIRED },
        { "PROTOCOL_MISMATCH", OC_CAUSE_PROTOCOL_MISMATCH },
        { "TOO_MANY_CONNECTIONS", OC_CAUSE_CROWDED }, /* of older builds of ours */
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        if (oc_streq(code, rows[i].code)) {
            return rows[i].cause;
        }
    }
    return !code                                 ? OC_CAUSE_NONE
           : oc_starts_with(code, "DEVICE_AUTH") ? OC_CAUSE_BAD_PROOF
           : oc_starts_with(code, "AUTH_")       ? OC_CAUSE_UNAUTHORIZED
                                                 : OC_CAUSE_NONE;
}

static bool read_handshake(const struct oc_told_error *e, struct oc_grounds *ret) {
    if (e->is_of_handshake) {
        ret->cause = cause_of_code(oc_json_get_str(e->details, "code"));
        ret->cause = ret->cause ? ret->cause : cause_of_code(e->code);
    }
    return ret->cause != OC_CAUSE_NONE;
}

void oc_foreign_grounds(const struct oc_told_error *e, struct oc_grounds *ret) {
    const char *node_code = e->node_code
                                    ? e->node_code
                                    : oc_json_get_str(oc_json_get(e->details, "nodeError"), "code");
    if (!read_handshake(e, ret) && !read_text(e->message ? e->message : "", ret)) {
        read_node_code(node_code, ret);
    }
    read_reason(e->details, ret);
    if (ret->gate == OC_GATE_LOCAL && !ret->node_id[0]) {
        oc_grounds_set_node(ret, SOME_NODE);
    }
}

/* Where "gate: …; " in front of the fix begins; NULL: it is not there, or names no gate of ours. */
static const char *gate_before(const char *message, const char *fix, struct oc_grounds *ret) {
    static const char mark[] = "gate: ";
    const char *at = strstr(message, mark);
    if (!at || at > fix) {
        return NULL;
    }
    const char *name = at + strlen(mark);
    size_t len = strcspn(name, ";");
    OC_AUTO_FREE char *text = oc_strndup(name, len);
    enum oc_gate gate = oc_gate_named(text);
    if (!gate || name + len + strlen("; ") != fix) {
        return NULL;
    }
    ret->gate = ret->gate ? ret->gate : gate;
    return at;
}

const char *oc_foreign_quoted(const char *fix) {
    static const char mark[] = "the node says: ";
    return fix && oc_starts_with(fix, mark) ? fix + strlen(mark) : NULL;
}

char *oc_foreign_text(const char *message, struct oc_grounds *ret) {
    static const char mark[] = "fix: ";
    const char *fix = strstr(message, mark);
    if (!fix) {
        return oc_strdup(message);
    }
    const char *gate = gate_before(message, fix, ret);
    size_t keep = (size_t)((gate ? gate : fix) - message);
    size_t len = strlen(fix);
    bool is_closed = fix[len - 1] == ')';
    OC_AUTO_FREE char *said =
            oc_strndup(fix + strlen(mark), len - strlen(mark) - (is_closed ? 1 : 0));
    if (!ret->told[0]) {
        enum oc_speaker by = ret->is_of_handshake ? OC_SPEAKER_GATEWAY : OC_SPEAKER_NODE;
        const char *quoted = by == OC_SPEAKER_NODE ? oc_foreign_quoted(said) : NULL;
        oc_grounds_set_told(ret, by, quoted ? quoted : said);
    }
    bool was_opened = keep >= 2 && memcmp(message + keep - 2, " (", 2) == 0;
    keep -= keep >= 2 && (was_opened || memcmp(message + keep - 2, "; ", 2) == 0) ? 2 : 0;
    return oc_strfmt("%.*s%s", (int)keep, message, is_closed && !was_opened ? ")" : "");
}

bool oc_foreign_is_no_program(const char *error) {
    return strstr(error, "ENOENT") != NULL;
}

bool oc_foreign_is_marked(const char *text) {
    return oc_starts_with(text, "Error: ");
}

enum oc_cause oc_foreign_close(uint16_t close_code, const char *reason) {
    static const struct {
        uint16_t code;
        const char *part;
        enum oc_cause cause;
    } rows[] = {
        { 1002, "protocol mismatch", OC_CAUSE_PROTOCOL_MISMATCH },
        { 1008, "device token mismatch", OC_CAUSE_DEVICE_TOKEN_MISMATCH },
        { 1008, "replaced by", OC_CAUSE_REPLACED },
    };
    for (size_t i = 0; reason && i < OC_COUNT(rows); i++) {
        if (close_code == rows[i].code && strstr(reason, rows[i].part)) {
            return rows[i].cause;
        }
    }
    return OC_CAUSE_NONE;
}
