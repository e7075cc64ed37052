#include "gateway/handshake/handshake.h"

#include "gateway/conn/conn.h"
#include "gateway/conn/events.h"
#include "gateway/handshake/auth.h"
#include "gateway/handshake/pair_events.h"
#include "gateway/handshake/refusal.h"
#include "gateway/pairing/enrol.h"
#include "gateway/pairing/setup_status.h"
#include "lib/base/mem.h"
#include "lib/identity/identity.h"
#include "lib/log/log.h"
#include "lib/net/loop/stream.h"
#include "lib/protocol/connect.h"
#include "lib/protocol/errors.h"
#include "lib/protocol/frame.h"
#include "lib/protocol/grounds.h"
#include "lib/protocol/limits.h"
#include "lib/protocol/scopes.h"

#include <stdio.h>
#include <string.h>

#define TAG "gateway.handshake"
#define RETRY_AFTER_MS 30000

struct handshake {
    struct gw_conn *conn;
    const struct gw_handshake_uses *uses;
    struct oc_connect connect;
    int protocol;
    enum gw_auth_result shared; /* what became of the shared secret */
    int64_t wait_ms;            /* rate limited: how long */
    const char *method; /* what it proved itself with: "token", "password", "none", "device-token",
                           "bootstrap-token" */
    const struct oc_strv *scopes; /* what it asks for; a node has none, whatever it says */
    bool is_local;
    bool is_proven; /* the device holds its key: its id is what it says, and safe to show */
    char public_key[OC_PUBLIC_KEY_LEN + 1];
    struct gw_setup_grant setup; /* of the setup code that was used; empty when none was */
    cJSON *auth;                 /* goes into hello */
    struct gw_refusal refusal;
};

static bool check_shape(struct handshake *h, const cJSON *params) {
    struct oc_error err;
    if (!cJSON_IsObject(params)) {
        return gw_refuse(
                &h->refusal, OC_WIRE_INVALID, "invalid connect params: must be object", NULL);
    }
    if (oc_connect_decode(params, &h->connect, &err) != OC_OK) {
        OC_AUTO_FREE char *message = oc_strfmt("invalid connect params: %s", err.text);
        return gw_refuse(&h->refusal, OC_WIRE_INVALID, message, NULL);
    }
    return true;
}

static bool check_protocol(struct handshake *h) {
    h->protocol = oc_protocol_choose(h->connect.min_protocol, h->connect.max_protocol);
    return h->protocol != 0 ||
           gw_refuse_protocol(&h->refusal, h->connect.min_protocol, h->connect.max_protocol);
}

static bool check_role(struct handshake *h) {
    static const struct oc_strv none = { 0 };
    bool is_operator = oc_streq(h->connect.role, OC_ROLE_OPERATOR);
    h->scopes = is_operator ? &h->connect.scopes : &none;
    return is_operator || oc_streq(h->connect.role, OC_ROLE_NODE) ||
           gw_refuse(&h->refusal, OC_WIRE_INVALID, "invalid role", NULL);
}

static bool check_origin(struct handshake *h) {
    const struct gw_origin_facts *from = &h->conn->from;
    bool is_ui = gw_client_is_ui(h->connect.client_id, h->connect.mode);
    h->is_local = gw_origin_is_local(from, is_ui);
    if ((from->has_origin || is_ui) && !from->origin_allowed) {
        return gw_refuse_origin(&h->refusal, h->protocol, from->has_origin);
    }
    return true;
}

static struct oc_peer peer_of(const struct handshake *h) {
    const struct oc_stream *stream = oc_ws_stream(h->conn->ws);
    return (struct oc_peer){ .is_loopback = h->conn->from.is_loopback,
        .fd = stream ? stream->fd : -1,
        .memo = &h->conn->peer_memo };
}

static bool is_exempt(const struct handshake *h) {
    struct oc_peer peer = peer_of(h);
    return h->uses->conns->cfg->rate_exempt_loopback && gw_origin_may_guess(&h->conn->from, &peer);
}

/* Whose guesses these are. */
static const char *handshake_guesser(const struct handshake *h) {
    struct oc_peer peer = peer_of(h);
    return gw_origin_guesser(&h->conn->from, &peer);
}

static int64_t wait_ms(const struct handshake *h, enum gw_credential cred) {
    return is_exempt(h) ? 0 : gw_rate_limit_wait_ms(h->uses->rate, cred, handshake_guesser(h));
}

static void count_failure(const struct handshake *h, enum gw_credential cred) {
    if (!is_exempt(h)) {
        gw_rate_limit_failed(h->uses->rate, cred, handshake_guesser(h));
    }
}

/* Notes the outcome; whether it matters is decided after the device has spoken. */
static void try_shared_secret(struct handshake *h) {
    h->wait_ms = wait_ms(h, GW_CRED_SHARED);
    if (h->wait_ms > 0) {
        h->shared = GW_AUTH_RATE_LIMITED;
        return;
    }
    struct gw_auth_sent sent = { h->connect.token, h->connect.password, h->connect.device_token };
    h->shared = gw_auth_check(h->uses->conns->cfg, h->protocol, &sent);
    if (h->shared == GW_AUTH_OK) {
        h->method = gw_auth_mode_name(h->uses->conns->cfg->auth_mode);
    }
}

static bool refuse_credentials(
        struct handshake *h, enum gw_auth_result why, int64_t retry_after_ms) {
    return gw_refuse_auth(
            &h->refusal, why, h->protocol, &h->connect, retry_after_ms > 0 ? retry_after_ms : -1);
}

/* Only an operator who has proven the shared secret, at this machine, may come without a device. */
static bool check_missing_device(struct handshake *h) {
    const struct oc_connect *c = &h->connect;
    if (c->device_id) {
        return true;
    }
    bool knows_secret = h->shared == GW_AUTH_OK && h->uses->conns->cfg->auth_mode != GW_AUTH_NONE;
    bool is_control_ui = oc_streq(c->client_id, "openclaw-control-ui");
    /* From elsewhere it may then ask for health and nothing more: no record says what it may do,
     * and what it says of itself does not count. */
    bool may_have_scopes = h->is_local || h->scopes->count == 0;
    if (knows_secret && oc_streq(c->role, OC_ROLE_OPERATOR) && !is_control_ui && may_have_scopes) {
        return true;
    }
    if (h->shared != GW_AUTH_OK && (c->token || c->password)) {
        return refuse_credentials(h, h->shared, h->wait_ms);
    }
    cJSON *d = cJSON_CreateObject();
    oc_json_set_str(d, "code",
            is_control_ui ? "CONTROL_UI_DEVICE_IDENTITY_REQUIRED" : "DEVICE_IDENTITY_REQUIRED");
    oc_grounds_put(d, &(struct oc_grounds){ .cause = OC_CAUSE_DEVICE_REQUIRED }, NULL);
    return gw_refuse(&h->refusal, OC_WIRE_NOT_PAIRED,
            is_control_ui
                    ? "control ui requires device identity (use HTTPS or localhost secure context)"
                    : "device identity required",
            d);
}

static bool signature_matches(const struct handshake *h) {
    const struct oc_connect *c = &h->connect;
    struct oc_device_claim claim = {
        .device_id = c->device_id,
        .client_id = c->client_id,
        .client_mode = c->mode,
        .role = c->role,
        .scopes = (const char *const *)c->scopes.items,
        .scope_count = c->scopes.count,
        .signed_at_ms = c->signed_at_ms,
        .token = c->token          ? c->token
                 : c->device_token ? c->device_token
                                   : c->bootstrap_token,
        .nonce = c->nonce,
        .platform = c->platform,
        .device_family = c->device_family,
    };
    for (int version = 3; version >= 2; version--) {
        OC_AUTO_SECRET char *text = oc_device_claim_text(&claim, version);
        if (oc_signature_verify(h->public_key, text, c->signature)) {
            return true;
        }
    }
    return false;
}

static bool check_device_proof(struct handshake *h) {
    const struct oc_connect *c = &h->connect;
    if (!c->device_id) {
        return true;
    }
    char device_id[OC_DEVICE_ID_LEN + 1];
    if (!oc_public_key_normalize(c->public_key, h->public_key, device_id)) {
        return gw_refuse_device(&h->refusal, GW_DEVICE_KEY_INVALID, h->protocol);
    }
    if (!oc_streq(device_id, c->device_id)) {
        return gw_refuse_device(&h->refusal, GW_DEVICE_ID_MISMATCH, h->protocol);
    }
    int64_t now = oc_wall_ms(h->uses->conns->clock);
    if (c->signed_at_ms < now - OC_SIGNATURE_SKEW_MS ||
            c->signed_at_ms > now + OC_SIGNATURE_SKEW_MS) {
        return gw_refuse_device(&h->refusal, GW_DEVICE_SIGNATURE_STALE, h->protocol);
    }
    if (oc_str_blank(c->nonce)) {
        return gw_refuse_device(&h->refusal, GW_DEVICE_NONCE_MISSING, h->protocol);
    }
    if (!oc_secret_equal(c->nonce, h->conn->nonce)) {
        return gw_refuse_device(&h->refusal, GW_DEVICE_NONCE_MISMATCH, h->protocol);
    }
    h->is_proven = signature_matches(h);
    return h->is_proven || gw_refuse_device(&h->refusal, GW_DEVICE_SIGNATURE_INVALID, h->protocol);
}

/* The request keeps what the node declares, cut down to what policy allows (commands; the caller
 * finishes it): one approval can then open both gates. */
static struct gw_pair_claim build_claim(const struct handshake *h, struct oc_strv *commands) {
    const struct oc_connect *c = &h->connect;
    gw_policy_filter(&h->uses->conns->cfg->policy,
            gw_platform_classify(c->platform, c->device_family), &c->commands, commands);
    return (struct gw_pair_claim){
        .device_id = c->device_id,
        .public_key = h->public_key,
        .role = c->role,
        .scopes = h->scopes,
        .display_name = c->display_name,
        .platform = c->platform,
        .device_family = c->device_family,
        .client_id = c->client_id,
        .client_mode = c->mode,
        .version = c->version,
        .remote_ip = h->conn->from.is_loopback ? NULL : h->conn->from.ip,
        .is_local = h->is_local && h->uses->conns->cfg->auto_approve_local,
        .caps = &c->caps,
        .commands = commands,
    };
}

/* A setup code counts when it comes alone: a client that has something better does not need it. */
static bool brings_setup_code(const struct handshake *h) {
    const struct oc_connect *c = &h->connect;
    return c->device_id && c->bootstrap_token && !c->token && !c->device_token && !c->password;
}

/* Pairs the device on the spot, on behalf of whoever made the code. */
static bool check_setup_code(struct handshake *h) {
    const struct oc_connect *c = &h->connect;
    int64_t wait = wait_ms(h, GW_CRED_SETUP);
    if (wait > 0) {
        return gw_refuse_auth(&h->refusal, GW_AUTH_RATE_LIMITED, h->protocol, c, wait);
    }
    OC_AUTO_STRV struct oc_strv commands = { 0 };
    struct gw_pair_claim claim = build_claim(h, &commands);
    struct gw_enrolment enrolment = { h->uses->store, h->uses->pairing, h->uses->surface,
        h->uses->conns->clock, h->uses->conns->cfg->secret };
    struct oc_error err;
    enum oc_code rc = gw_enrol(&enrolment, &claim, c->bootstrap_token, &h->setup, &err);
    if (rc == OC_E_AUTH || rc == OC_E_DENIED) { /* none, or one whose maker may not let others in */
        count_failure(h, GW_CRED_SETUP);
        return gw_refuse_auth(&h->refusal, GW_AUTH_BOOTSTRAP_INVALID, h->protocol, c, -1);
    }
    if (rc != OC_OK) {
        oc_log(OC_LOG_WARN, TAG, "setup code not used device=%.12s: %s", c->device_id, err.text);
        return gw_refuse_unavailable(&h->refusal, &err, RETRY_AFTER_MS);
    }
    gw_rate_limit_succeeded(h->uses->rate, GW_CRED_SETUP, handshake_guesser(h));
    oc_log(OC_LOG_INFO, TAG, "setup code used device=%.12s role=%s ip=%s code=%.8s made-by=%.12s",
            c->device_id, c->role, h->conn->from.ip, h->setup.id,
            h->setup.minted_by ? h->setup.minted_by : "-");
    gw_device_pair_resolved(h->uses, h->setup.id, c->device_id, "approved");
    cJSON *done = NULL;
    if (gw_setup_status_find(h->uses->store, h->uses->conns->clock, h->setup.id, &done, &err) ==
            OC_OK) {
        gw_event_broadcast(h->uses->conns, GW_EVENT_DEVICE_PAIR_SETUP_COMPLETED, done);
    }
    h->method = "bootstrap-token";
    return true;
}

/* The shared secret was not given or wrong: the token this device was given with an earlier hello
 * will do as well. */
static bool check_device_token(struct handshake *h) {
    const struct oc_connect *c = &h->connect;
    if (brings_setup_code(h)) {
        return check_setup_code(h);
    }
    if (h->shared == GW_AUTH_OK) {
        return true;
    }
    const char *token = c->device_token ? c->device_token : c->token;
    if (!token) {
        return refuse_credentials(h, h->shared, h->wait_ms);
    }
    int64_t wait = wait_ms(h, GW_CRED_DEVICE);
    if (wait == 0 &&
            gw_pairing_token_valid(h->uses->pairing, c->device_id, c->role, h->scopes, token)) {
        gw_rate_limit_succeeded(h->uses->rate, GW_CRED_DEVICE, handshake_guesser(h));
        h->method = "device-token";
        return true;
    }
    /* What stands in auth.token alone is a guess at the shared secret, unless that is locked
     * already. */
    if (wait == 0 && (c->device_token || h->shared == GW_AUTH_RATE_LIMITED)) {
        count_failure(h, GW_CRED_DEVICE);
    }
    if (!c->device_token) {
        return refuse_credentials(h, h->shared, h->wait_ms);
    }
    return refuse_credentials(
            h, wait > 0 ? GW_AUTH_RATE_LIMITED : GW_AUTH_DEVICE_TOKEN_MISMATCH, wait);
}

static void announce_pairing(struct handshake *h, const struct gw_pair_outcome *o) {
    const char *request_id = oc_json_get_str(o->request, "requestId");
    if (o->was_silent) {
        gw_device_pair_resolved(
                h->uses, request_id ? request_id : "", h->connect.device_id, "approved");
    } else if (o->is_new_request) {
        oc_log(OC_LOG_INFO, TAG, "device asks for pairing device=%.12s role=%s ip=%s request=%s",
                h->connect.device_id, h->connect.role, h->conn->from.ip,
                request_id ? request_id : "-");
        gw_event_broadcast(
                h->uses->conns, GW_EVENT_DEVICE_PAIR_REQUESTED, cJSON_Duplicate(o->request, true));
    }
}

/* Every request that is new goes to all operators, to the disk and to the log. Who holds many keys
 * counts by the address. */
static bool may_ask(void *user) {
    const struct handshake *h = user;
    struct gw_party *from = h->conn->party;
    int64_t now = oc_mono_ms(h->uses->conns->clock);
    unsigned max = from->is_here ? OC_MAX_PAIR_ASKS_OF_HERE : OC_MAX_PAIR_ASKS_OF_ADDRESS;
    /* First the address: a key costs nothing, and each new one takes a party's place. */
    if (!gw_allowance_take(&from->pair_requests, now, OC_PAIR_ASK_WINDOW_MS, max)) {
        return false;
    }
    struct gw_party *device = gw_party_of_device(h->uses->conns->parties, h->connect.device_id);
    bool may = gw_allowance_take(
            &device->pair_requests, now, OC_PAIR_ASK_WINDOW_MS, OC_MAX_PAIR_ASKS_OF_DEVICE);
    gw_party_unref(device);
    return may;
}

static bool check_pairing(struct handshake *h) {
    const struct oc_connect *c = &h->connect;
    if (!c->device_id) {
        return true;
    }
    OC_AUTO_STRV struct oc_strv commands = { 0 };
    struct gw_pair_claim claim = build_claim(h, &commands);
    claim.may_ask = may_ask;
    claim.user = h;
    struct gw_pair_outcome o;
    struct oc_error err;
    enum oc_code rc = gw_pairing_check(h->uses->pairing, &claim, &o, &err);
    if (rc != OC_OK) {
        oc_log(OC_LOG_WARN, TAG, "pairing check failed device=%.12s: %s", c->device_id, err.text);
        return gw_refuse_unavailable(&h->refusal, &err, RETRY_AFTER_MS);
    }
    announce_pairing(h, &o);
    bool ok = o.is_paired;
    if (!ok) {
        OC_AUTO_JSON cJSON *device = NULL; /* what it was approved for so far */
        if (gw_pairing_device(h->uses->pairing, c->device_id, &device, &err) != OC_OK) {
            device = NULL;
        }
        gw_refuse_pairing(&h->refusal, h->protocol, o.reason, o.request, device, c);
    }
    gw_pair_outcome_finish(&o);
    return ok;
}

/* A code for an app that is node and operator at once: the tokens of its other roles come with the
 * same hello. */
static void add_other_tokens(struct handshake *h) {
    static const struct oc_strv none = { 0 };
    cJSON *others = cJSON_CreateArray();
    for (size_t i = 0; i < h->setup.roles.count; i++) {
        const char *role = h->setup.roles.items[i];
        cJSON *issued = NULL;
        struct oc_error err;
        if (!oc_streq(role, h->connect.role) &&
                gw_pairing_issue_token(h->uses->pairing, h->connect.device_id, role,
                        oc_streq(role, OC_ROLE_OPERATOR) ? &h->setup.scopes : &none, &issued,
                        &err) == OC_OK) {
            cJSON_AddItemToArray(others, issued);
        }
    }
    oc_json_set(h->auth, "deviceTokens", others->child ? oc_take(&others) : NULL);
    cJSON_Delete(others);
}

static bool issue_token(struct handshake *h) {
    const struct oc_connect *c = &h->connect;
    cJSON *auth = cJSON_CreateObject();
    h->auth = auth;
    oc_json_set_str(auth, "role", c->role);
    oc_json_set_strv(auth, "scopes", h->scopes);
    if (!c->device_id) {
        return true;
    }
    OC_AUTO_JSON cJSON *issued = NULL;
    struct oc_error err;
    enum oc_code rc = gw_pairing_issue_token(
            h->uses->pairing, c->device_id, c->role, h->scopes, &issued, &err);
    if (rc == OC_E_NOT_FOUND) {
        return gw_refuse_auth(&h->refusal, GW_AUTH_DEVICE_TOKEN_MISMATCH, h->protocol, c, -1);
    }
    if (rc != OC_OK) {
        oc_log(OC_LOG_WARN, TAG, "no token for device=%.12s: %s", c->device_id, err.text);
        return gw_refuse_unavailable(&h->refusal, &err, RETRY_AFTER_MS);
    }
    oc_json_set_str(auth, "deviceToken", oc_json_get_str(issued, "deviceToken"));
    oc_json_set_int(auth, "issuedAtMs", oc_json_get_ms(issued, "issuedAtMs", 0));
    add_other_tokens(h);
    return true;
}

/* From here on it counts for itself and not for the address it came from. */
static bool check_room(struct handshake *h) {
    const char *id = h->connect.device_id;
    struct gw_parties *all = h->uses->conns->parties;
    struct gw_party *party = id ? gw_party_of_device(all, id) : gw_party_of_secret(all);
    unsigned max = gw_party_max_connections(party);
    return gw_conn_count_for(h->conn, party) || gw_refuse_crowd(&h->refusal, id != NULL, max);
}

static bool run_checks(struct handshake *h, const cJSON *params) {
    if (!check_shape(h, params) || !check_protocol(h) || !check_role(h) || !check_origin(h)) {
        return false;
    }
    try_shared_secret(h);
    return check_missing_device(h) && check_device_proof(h) && check_device_token(h) &&
           check_pairing(h) && check_room(h) && issue_token(h);
}

/* Whatever else was wrong with a refused handshake, a wrong guess counts, and a right one forgives
 * nothing before it is let in: a client that spoils the rest on purpose must not learn from the
 * counter which of its guesses was right. h->method is set when something else opened the door: a
 * device's own token may stand where the secret goes. */
static void settle_guess(const struct handshake *h, bool is_let_in) {
    if (is_let_in && h->shared == GW_AUTH_OK) {
        gw_rate_limit_succeeded(h->uses->rate, GW_CRED_SHARED, handshake_guesser(h));
    } else if (!is_let_in && !h->method && gw_auth_is_wrong_guess(h->shared)) {
        count_failure(h, GW_CRED_SHARED);
    }
}

static void adopt_client(struct handshake *h) {
    struct gw_conn *c = h->conn;
    const struct oc_connect *in = &h->connect;
    c->protocol = h->protocol;
    c->is_local = h->is_local;
    c->role = oc_strdup(in->role);
    c->device_id = oc_strdup(in->device_id);
    gw_conn_client_init(&c->client, in);
    /* Either covered by the paired record (checked above), or the owner's own by the shared
     * secret. */
    oc_strv_copy(&c->scopes, h->scopes);
}

static void accept_handshake(struct handshake *h, const char *request_id) {
    struct gw_conn *c = h->conn;
    adopt_client(h);
    /* A one-shot command line call is not somebody being here. */
    if (!(oc_streq(c->client.id, "cli") && oc_streq(c->client.mode, "cli"))) {
        struct gw_presence_info info = gw_conn_presence(c);
        gw_presence_connected(c->all->presence, &info);
        c->is_in_presence = true;
    }
    OC_AUTO_FREE char *label = gw_conn_label(c);
    oc_log(gw_conn_log_level(c), TAG, "connected %s protocol=%d auth=%s", label, c->protocol,
            h->method);
    gw_conn_ready(c);
    if (oc_streq(c->role, OC_ROLE_NODE)) {
        gw_node_admit(h->uses, c, &h->connect);
    }
    h->uses->accept(c, request_id, oc_take(&h->auth));
}

static void refuse_handshake(struct handshake *h, const char *request_id) {
    struct gw_refusal *r = &h->refusal;
    OC_AUTO_FREE char *shown = oc_printable(r->message, strlen(r->message), 160);
    oc_log(OC_LOG_INFO, TAG, "refused ip=%s device=%.12s: %s", h->conn->from.ip,
            h->is_proven ? h->connect.device_id : "-", shown);
    gw_conn_answer_error(h->conn, request_id,
            oc_wire_error(r->code, r->message, oc_take(&r->details), r->retry_after_ms));
    OC_AUTO_FREE char *reason = oc_strfmt("%s%s", r->message, r->close_suffix);
    gw_conn_close(h->conn, r->close_code, reason);
}

void gw_handshake(
        const struct gw_handshake_uses *uses, struct gw_conn *c, const struct oc_frame *frame) {
    struct handshake h = { .conn = c, .uses = uses };
    OC_AUTO_JSON cJSON *params = NULL;
    struct oc_error err;
    bool ok;
    if (frame->body.len == 0) {
        ok = gw_refuse(&h.refusal, OC_WIRE_INVALID, "invalid connect params: must be object", NULL);
    } else if (oc_frame_parse_body(frame, OC_MAX_PREAUTH_BYTES, &params, &err) != OC_OK) {
        OC_AUTO_FREE char *message = oc_strfmt("invalid connect params: %s", err.text);
        ok = gw_refuse(&h.refusal, OC_WIRE_INVALID, message, NULL);
    } else {
        ok = run_checks(&h, params);
    }
    settle_guess(&h, ok);
    if (ok) {
        accept_handshake(&h, frame->id);
    } else {
        refuse_handshake(&h, frame->id);
    }
    cJSON_Delete(h.auth);
    gw_setup_grant_finish(&h.setup);
    gw_refusal_finish(&h.refusal);
    oc_connect_finish(&h.connect);
}
