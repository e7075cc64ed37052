/* device.pair.setupCode: a code that lets one new device in without anybody having to approve it.
 * device.pair.setupStatus: whether it did. */
#include "gateway/conn/conn.h"
#include "gateway/core.h"
#include "gateway/methods/methods.h"
#include "gateway/pairing/join_codes.h"
#include "gateway/pairing/setup_codes.h"
#include "gateway/pairing/setup_status.h"
#include "gateway/settings/own_url.h"
#include "lib/base/mem.h"
#include "lib/log/log.h"
#include "lib/protocol/limits.h"
#include "lib/protocol/scopes.h"
#include "lib/protocol/setup_code.h"

#include <string.h>

struct params {
    const char *public_url, *profile, *role;
    struct oc_strv scopes;
    bool approve_commands, join_url, pin;
};
#define T struct params
static const struct oc_json_field fields[] = {
    OC_STR(T, public_url, "publicUrl", OC_NONEMPTY),
    OC_STR(T, profile, "bootstrapProfile", OC_NONEMPTY),
    OC_BOOL(T, join_url, "joinUrl", 0),
    /* Ours: a single role, the scopes of an operator, and gate 2 along with gate 1. */
    OC_STR(T, role, "role", OC_NONEMPTY),
    OC_STRV(T, scopes, "scopes", 0, OC_MAX_SCOPES),
    OC_BOOL(T, approve_commands, "approveCommands", 0),
    OC_BOOL(T, pin, "tlsPin", 0),
};
#undef T

/* The reference's profiles. One without a name gets everything there; here it gets what a phone
 * needs, and an admin is made by hand. */
static const struct {
    const char *name, *access;
    const char *roles[3], *scopes[6];
} profiles[] = {
    { "limited", "limited", { OC_ROLE_NODE, OC_ROLE_OPERATOR },
            { OC_SCOPE_APPROVALS, "operator.questions", OC_SCOPE_READ, "operator.talk.secrets",
                    OC_SCOPE_WRITE } },
    { "node", "node", { OC_ROLE_NODE }, { NULL } },
    { "voice-node", "limited", { OC_ROLE_NODE, OC_ROLE_OPERATOR },
            { OC_SCOPE_READ, "operator.talk" } },
    { "operator", "limited", { OC_ROLE_OPERATOR },
            { OC_SCOPE_APPROVALS, OC_SCOPE_READ, OC_SCOPE_WRITE } },
};

/* A word that means nothing must not look as if it had been given. */
static bool check_scopes(const struct oc_strv *scopes, bool is_node, struct oc_error *err) {
    static const char *const known[] = { OC_SCOPE_ADMIN, OC_SCOPE_APPROVALS, OC_SCOPE_PAIRING,
        OC_SCOPE_READ, OC_SCOPE_WRITE, "operator.questions", "operator.talk",
        "operator.talk.secrets" };
    if (is_node && scopes->count > 0) {
        (void)oc_fail(err, OC_E_INVALID,
                "invalid device.pair.setupCode params: scopes are for operators; a node has none");
        return false;
    }
    for (size_t i = 0; i < scopes->count; i++) {
        bool is_known = false;
        for (size_t k = 0; k < OC_COUNT(known); k++) {
            is_known = is_known || oc_streq(scopes->items[i], known[k]);
        }
        if (!is_known) {
            OC_AUTO_FREE char *shown = oc_printable(scopes->items[i], strlen(scopes->items[i]), 60);
            (void)oc_fail(err, OC_E_INVALID,
                    "invalid device.pair.setupCode params: no such scope: %s", shown);
            return false;
        }
    }
    return true;
}

static const char *choose_profile(
        const struct params *p, struct gw_setup_grant *grant, struct oc_error *err) {
    /* A link is for the command line of a node. */
    const char *usual = p->join_url ? "node" : "limited";
    const char *wanted = p->role ? p->role : p->profile ? p->profile : usual;
    if (p->join_url && !oc_streq(wanted, "node")) {
        (void)oc_fail(err, OC_E_INVALID, "Join URLs require bootstrapProfile=node.");
        return NULL;
    }
    if (!check_scopes(&p->scopes, oc_streq(wanted, "node"), err)) {
        return NULL;
    }
    for (size_t i = 0; i < OC_COUNT(profiles); i++) {
        if (!oc_streq(profiles[i].name, wanted)) {
            continue;
        }
        for (size_t k = 0; profiles[i].roles[k]; k++) {
            oc_strv_add(&grant->roles, profiles[i].roles[k]);
        }
        bool takes_scopes = oc_strv_has(&grant->roles, OC_ROLE_OPERATOR);
        for (size_t k = 0; takes_scopes && k < p->scopes.count; k++) {
            oc_strv_add_unique(&grant->scopes, p->scopes.items[k]);
        }
        for (size_t k = 0; p->scopes.count == 0 && profiles[i].scopes[k]; k++) {
            oc_strv_add(&grant->scopes, profiles[i].scopes[k]);
        }
        grant->approves_commands = p->approve_commands && oc_strv_has(&grant->roles, OC_ROLE_NODE);
        return profiles[i].access;
    }
    (void)oc_fail(err, OC_E_INVALID,
            "invalid device.pair.setupCode params: no such role or bootstrapProfile: use node, "
            "operator, limited or voice-node");
    return NULL;
}

static enum oc_code choose_url(
        const struct gw_call *call, const struct params *p, char **ret, struct oc_error *err) {
    if (!p->public_url) {
        *ret = gw_own_url(&call->gw->cfg, call->gw->tls != NULL, gw_port(call->gw));
        return OC_OK;
    }
    if (!oc_setup_url_ok(p->public_url)) {
        return oc_fail(err, OC_E_INVALID,
                "invalid device.pair.setupCode params: publicUrl must be ws://host[:port] or "
                "wss://host[:port]");
    }
    *ret = oc_strdup(p->public_url);
    return OC_OK;
}

static cJSON *device_setup_describe(const struct gw_call *call, const struct gw_setup_grant *grant,
        const struct oc_setup_code *code, const char *access, bool is_given) {
    OC_AUTO_SECRET char *text = oc_setup_code_encode(code);
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "setupId", grant->id);
    oc_json_set_str(o, "setupCode", text);
    oc_json_set_int(o, "expiresAtMs", grant->expires_at_ms);
    oc_json_set_str(o, "gatewayUrl", code->url);
    oc_json_set_str(o, "auth", gw_auth_mode_name(call->gw->cfg.auth_mode));
    oc_json_set_str(o, "urlSource",
            is_given                         ? "request.publicUrl"
            : call->gw->cfg.is_loopback_only ? "gateway.bind=loopback"
                                             : "gateway.bind");
    oc_json_set_str(o, "access", access);
    return o;
}

/* Whether our certificate is what the new device will see. An address with another port or a path
 * is that of a proxy, whose certificate we do not know, unless the caller knows better. */
static bool leads_here(const struct gw_gateway *gw, const struct params *p, const char *url) {
    if (!oc_starts_with(url, "wss://")) {
        return false;
    }
    if (!p->public_url || p->pin) {
        return true;
    }
    const char *host = url + strlen("wss://");
    const char *path = strchr(host, '/');
    size_t len = path ? (size_t)(path - host) : strlen(host);
    OC_AUTO_FREE char *end = oc_strfmt(":%u", gw_port(gw));
    bool has_port = len > strlen(end) && strncmp(host + len - strlen(end), end, strlen(end)) == 0;
    return has_port && (!path || strcmp(path, "/") == 0);
}

/* Code and link are both made, or none. */
static enum oc_code device_setup_make(const struct gw_call *call, const struct params *p,
        struct gw_setup_grant *grant, struct oc_setup_code *code, char **ret_link,
        struct oc_error *err) {
    struct gw_actor actor = gw_conn_actor(call->conn);
    struct gw_store *store = call->gw->store;
    enum oc_code rc = gw_store_begin(store, err);
    if (rc != OC_OK) {
        return rc;
    }
    rc = gw_setup_codes_mint(store, call->gw->clock, &actor, grant, &code->token, err);
    if (rc == OC_OK) {
        bool has_pin = gw_tls_pin(call->gw) && leads_here(call->gw, p, code->url);
        code->tls_fingerprint = has_pin ? oc_strdup(gw_tls_pin(call->gw)) : NULL;
        code->expires_at_ms = grant->expires_at_ms;
    }
    if (rc == OC_OK && p->join_url) {
        rc = gw_join_code_make(store, call->gw->clock, grant->id, code, ret_link, err);
    }
    return gw_store_end(store, rc, err);
}

static void device_setup_mint(
        const struct gw_call *call, const struct params *p, struct gw_setup_grant *grant) {
    struct oc_setup_code code = { 0 };
    OC_AUTO_SECRET char *link = NULL;
    struct oc_error err;
    const char *access = choose_profile(p, grant, &err);
    enum oc_code rc = access ? choose_url(call, p, &code.url, &err) : OC_E_INVALID;
    if (rc == OC_OK) {
        rc = device_setup_make(call, p, grant, &code, &link, &err);
    }
    if (rc != OC_OK) {
        gw_call_fail(call, &err);
    } else {
        oc_log(OC_LOG_INFO, "gateway.pairing", "setup code made code=%.8s access=%s by=%.12s%s",
                grant->id, access, call->conn->device_id ? call->conn->device_id : "-",
                link ? " with a link" : "");
        cJSON *answer = device_setup_describe(call, grant, &code, access, p->public_url != NULL);
        oc_json_set_str(answer, "joinUrl", link);
        gw_call_ok(call, answer);
    }
    oc_setup_code_finish(&code);
}

void gw_method_device_pair_setup_code(const struct gw_call *call) {
    struct params p = { 0 };
    if (!gw_call_decode(call, fields, OC_COUNT(fields), &p)) {
        oc_strv_finish(&p.scopes);
        return;
    }
    struct gw_setup_grant grant = { 0 };
    device_setup_mint(call, &p, &grant);
    gw_setup_grant_finish(&grant);
    oc_strv_finish(&p.scopes);
}

struct status_params {
    const char *setup_id;
};
#define T struct status_params
static const struct oc_json_field status_fields[] = {
    OC_STR(T, setup_id, "setupId", OC_REQUIRED | OC_NONEMPTY),
};
#undef T

void gw_method_device_pair_setup_status(const struct gw_call *call) {
    struct status_params p = { 0 };
    if (!gw_call_decode(call, status_fields, OC_COUNT(status_fields), &p)) {
        return;
    }
    cJSON *done = NULL;
    struct oc_error err;
    enum oc_code rc =
            gw_setup_status_find(call->gw->store, call->gw->clock, p.setup_id, &done, &err);
    if (rc != OC_OK && rc != OC_E_NOT_FOUND) {
        gw_call_fail(call, &err);
        return;
    }
    cJSON *payload = cJSON_CreateObject();
    oc_json_set(payload, "completion", done);
    gw_call_ok(call, payload);
}
