/* The texts are what people search for and what clients match on; they are the reference's, one set
 * per protocol version. */
#include "gateway/handshake/auth.h"

#include "lib/protocol/grounds.h"

#include <stdio.h>

struct auth_row {
    const char *reason, *code;
    const char *subject; /* NULL: `what` is the whole text */
    const char *what;
    const char *next_step; /* protocol 4 */
    enum oc_cause cause;
};

static const struct auth_row rows[] = {
    [GW_AUTH_TOKEN_MISSING] = { "token_missing", "AUTH_TOKEN_MISSING", "token", "missing",
            "update_auth_configuration", OC_CAUSE_WRONG_TOKEN },
    [GW_AUTH_TOKEN_MISMATCH] = { "token_mismatch", "AUTH_TOKEN_MISMATCH", "token", "mismatch",
            "update_auth_credentials", OC_CAUSE_WRONG_TOKEN },
    [GW_AUTH_PASSWORD_MISSING] = { "password_missing", "AUTH_PASSWORD_MISSING", "password",
            "missing", "update_auth_configuration", OC_CAUSE_WRONG_PASSWORD },
    [GW_AUTH_PASSWORD_MISMATCH] = { "password_mismatch", "AUTH_PASSWORD_MISMATCH", "password",
            "mismatch", "update_auth_credentials", OC_CAUSE_WRONG_PASSWORD },
    [GW_AUTH_DEVICE_TOKEN_MISMATCH] = { "device_token_mismatch", "AUTH_DEVICE_TOKEN_MISMATCH", NULL,
            "unauthorized: device token mismatch (rotate/reissue device token)",
            "update_auth_credentials", OC_CAUSE_DEVICE_TOKEN_MISMATCH },
    [GW_AUTH_BOOTSTRAP_INVALID] = { "bootstrap_token_invalid", "AUTH_BOOTSTRAP_TOKEN_INVALID", NULL,
            "unauthorized: setup code invalid, expired, revoked, or already used (create a new "
            "code; review `openclaw devices list`)",
            "update_auth_credentials", OC_CAUSE_BAD_SETUP_CODE },
    [GW_AUTH_RATE_LIMITED] = { "rate_limited", "AUTH_RATE_LIMITED", NULL,
            "unauthorized: too many failed authentication attempts (retry later)",
            "wait_then_retry", OC_CAUSE_LOCKED_OUT },
};

enum gw_auth_result gw_auth_check(
        const struct gw_config *c, int protocol, const struct gw_auth_sent *sent) {
    if (c->auth_mode == GW_AUTH_NONE) {
        return GW_AUTH_OK;
    }
    bool is_token = c->auth_mode == GW_AUTH_TOKEN;
    const char *guess = is_token ? sent->token : sent->password;
    if (!guess && protocol >= 4) {
        guess = is_token ? sent->password : sent->token;
    }
    if (oc_str_blank(guess)) {
        return is_token ? GW_AUTH_TOKEN_MISSING : GW_AUTH_PASSWORD_MISSING;
    }
    if (!oc_secret_equal(guess, c->secret)) {
        return is_token ? GW_AUTH_TOKEN_MISMATCH : GW_AUTH_PASSWORD_MISMATCH;
    }
    return GW_AUTH_OK;
}

bool gw_auth_is_wrong_guess(enum gw_auth_result r) {
    return r == GW_AUTH_TOKEN_MISMATCH || r == GW_AUTH_PASSWORD_MISMATCH ||
           r == GW_AUTH_DEVICE_TOKEN_MISMATCH;
}

bool gw_client_is_ui(const char *client_id, const char *client_mode) {
    return oc_streq(client_id, "openclaw-control-ui") || oc_streq(client_id, "webchat-ui") ||
           oc_streq(client_id, "webchat") || oc_streq(client_mode, "webchat");
}

static void put_hint(
        char *ret, size_t size, int protocol, const char *secret, bool is_cli, bool is_ui) {
    if (is_ui && oc_streq(secret, "token")) {
        snprintf(ret, size, "open the dashboard URL and paste the token in Control UI settings");
    } else if (is_ui) {
        snprintf(ret, size, "enter the password in Control UI settings");
    } else if (is_cli && protocol >= 4) {
        snprintf(ret, size, "use this gateway's gateway.auth.%s or pair the device", secret);
    } else if (is_cli) {
        snprintf(ret, size, "set gateway.remote.%s to match gateway.auth.%s", secret, secret);
    } else {
        snprintf(ret, size, "provide gateway auth %s", secret);
    }
}

struct gw_auth_refusal gw_auth_refuse(enum gw_auth_result r, int protocol, const char *client_id,
        const char *client_mode, bool has_device, const struct gw_auth_sent *sent) {
    const struct auth_row *row = &rows[r];
    struct gw_auth_refusal ret = { .details = cJSON_CreateObject() };
    if (row->subject) {
        char hint[100];
        put_hint(hint, sizeof(hint), protocol, row->subject, oc_streq(client_id, "cli"),
                gw_client_is_ui(client_id, client_mode));
        snprintf(ret.message, sizeof(ret.message), "unauthorized: gateway %s %s (%s)", row->subject,
                row->what, hint);
    } else {
        snprintf(ret.message, sizeof(ret.message), "%s", row->what);
    }
    oc_json_set_str(ret.details, "code", row->code);
    oc_json_set_str(ret.details, "authReason", row->reason);
    oc_grounds_put(ret.details, &(struct oc_grounds){ .cause = row->cause }, NULL);
    if (protocol >= 4) {
        bool can_retry =
                r == GW_AUTH_TOKEN_MISMATCH && has_device && sent->token && !sent->device_token;
        oc_json_set_bool(ret.details, "canRetryWithDeviceToken", can_retry);
        oc_json_set_str(ret.details, "recommendedNextStep",
                can_retry ? "retry_with_device_token" : row->next_step);
    }
    return ret;
}
