#include "lib/protocol/connect.h"

#include "lib/protocol/limits.h"
#include "lib/protocol/scopes.h"

#include <string.h>

#define MAX_PROTOCOL_NUMBER 1000000
#define MAX_KEY_BYTES 1024 /* a PEM fits */
#define MAX_AGENT_BYTES 1024

/* The members that are objects are decoded in a second step. */
struct connect_parts {
    const cJSON *client, *device, *auth;
};

#define T struct oc_connect
static const struct oc_json_field root_fields[] = {
    OC_INT(T, min_protocol, "minProtocol", OC_REQUIRED, 1, MAX_PROTOCOL_NUMBER),
    OC_INT(T, max_protocol, "maxProtocol", OC_REQUIRED, 1, MAX_PROTOCOL_NUMBER),
    OC_STRV(T, caps, "caps", OC_NONEMPTY, OC_MAX_NODE_CAPS),
    OC_STRV(T, commands, "commands", OC_NONEMPTY, OC_MAX_NODE_COMMANDS),
    OC_OBJ(T, permissions, "permissions", 0),
    OC_STR(T, path_env, "pathEnv", 0),
    OC_STR(T, role, "role", OC_NONEMPTY),
    OC_STRV(T, scopes, "scopes", OC_NONEMPTY, OC_MAX_SCOPES),
    OC_STR(T, locale, "locale", 0),
    OC_STR(T, user_agent, "userAgent", 0),
};
static const struct oc_json_field client_fields[] = {
    OC_STR(T, client_id, "id", OC_REQUIRED),
    OC_STR(T, display_name, "displayName", OC_NONEMPTY),
    OC_STR(T, version, "version", OC_REQUIRED | OC_NONEMPTY),
    OC_STR(T, platform, "platform", OC_REQUIRED | OC_NONEMPTY),
    OC_STR(T, device_family, "deviceFamily", OC_NONEMPTY),
    OC_STR(T, model_identifier, "modelIdentifier", OC_NONEMPTY),
    OC_STR(T, mode, "mode", OC_REQUIRED),
    OC_STR(T, instance_id, "instanceId", OC_NONEMPTY),
};
static const struct oc_json_field device_fields[] = {
    OC_STR(T, device_id, "id", OC_REQUIRED | OC_NONEMPTY),
    OC_STR(T, public_key, "publicKey", OC_REQUIRED | OC_NONEMPTY),
    OC_STR(T, signature, "signature", OC_REQUIRED | OC_NONEMPTY),
    OC_INT(T, signed_at_ms, "signedAt", OC_REQUIRED, 0, OC_JSON_MAX_EXACT),
    OC_STR(T, nonce, "nonce", OC_REQUIRED),
};
static const struct oc_json_field auth_fields[] = {
    OC_STR(T, token, "token", 0),
    OC_STR(T, device_token, "deviceToken", 0),
    OC_STR(T, password, "password", 0),
    OC_STR(T, bootstrap_token, "bootstrapToken", 0),
};
#undef T
#define T struct connect_parts
static const struct oc_json_field part_fields[] = {
    OC_OBJ(T, client, "client", OC_REQUIRED),
    OC_OBJ(T, device, "device", 0),
    OC_OBJ(T, auth, "auth", 0),
};
#undef T

/* 2026.2.26, then what 2026.9.6 added. */
static const char *const client_ids[] = { "webchat-ui", "openclaw-control-ui", "webchat", "cli",
    "gateway-client", "openclaw-macos", "openclaw-ios", "openclaw-android", "node-host", "test",
    "fingerprint", "openclaw-probe", "openclaw-tui", "openclaw-linux", "openclaw-watchos",
    "openclaw-worker", "openclaw-browser-copilot" };
static const char *const client_modes[] = { "webchat", "cli", "ui", "backend", "node", "probe",
    "test", "worker" };

static enum oc_code check_enum(const char *value, const char *where, const char *const *names,
        size_t n, struct oc_error *err) {
    for (size_t i = 0; i < n; i++) {
        if (strcmp(value, names[i]) == 0) {
            return OC_OK;
        }
    }
    return oc_fail(err, OC_E_INVALID,
            "at %s: must be equal to constant; at %s: must match a schema in anyOf", where, where);
}

static enum oc_code check_length(
        const char *value, const char *where, size_t max, struct oc_error *err) {
    if (!value || strlen(value) <= max) {
        return OC_OK;
    }
    return oc_fail(err, OC_E_INVALID, "at %s: must NOT have more than %zu characters", where, max);
}

static enum oc_code check_lengths(const struct oc_connect *c, struct oc_error *err) {
    const struct {
        const char *value, *where;
        size_t max;
    } limits[] = {
        { c->display_name, "/client/displayName", OC_MAX_NAME_BYTES },
        { c->version, "/client/version", OC_MAX_NAME_BYTES },
        { c->platform, "/client/platform", OC_MAX_NAME_BYTES },
        { c->device_family, "/client/deviceFamily", OC_MAX_NAME_BYTES },
        { c->model_identifier, "/client/modelIdentifier", OC_MAX_NAME_BYTES },
        { c->instance_id, "/client/instanceId", OC_MAX_ID_BYTES },
        { c->role, "/role", OC_MAX_ID_BYTES },
        { c->locale, "/locale", OC_MAX_NAME_BYTES },
        { c->user_agent, "/userAgent", MAX_AGENT_BYTES },
        { c->device_id, "/device/id", OC_MAX_ID_BYTES },
        { c->public_key, "/device/publicKey", MAX_KEY_BYTES },
        { c->signature, "/device/signature", MAX_KEY_BYTES },
        { c->nonce, "/device/nonce", OC_MAX_ID_BYTES },
        { c->token, "/auth/token", OC_MAX_SECRET_BYTES },
        { c->device_token, "/auth/deviceToken", OC_MAX_SECRET_BYTES },
        { c->password, "/auth/password", OC_MAX_SECRET_BYTES },
        { c->bootstrap_token, "/auth/bootstrapToken", OC_MAX_SECRET_BYTES },
    };
    for (size_t i = 0; i < OC_COUNT(limits); i++) {
        enum oc_code rc = check_length(limits[i].value, limits[i].where, limits[i].max, err);
        if (rc != OC_OK) {
            return rc;
        }
    }
    return OC_OK;
}

static enum oc_code check_items(const struct oc_strv *v, const char *where, struct oc_error *err) {
    for (size_t i = 0; i < v->count; i++) {
        if (strlen(v->items[i]) > OC_MAX_ID_BYTES) {
            return oc_fail(err, OC_E_INVALID, "at %s/%zu: must NOT have more than %d characters",
                    where, i, OC_MAX_ID_BYTES);
        }
    }
    return OC_OK;
}

enum oc_code oc_connect_check_permissions(const cJSON *permissions, struct oc_error *err) {
    const cJSON *p;
    size_t n = 0;
    oc_json_for_each_member(p, permissions) {
        if (strlen(p->string) > OC_MAX_ID_BYTES) {
            return oc_fail(err, OC_E_INVALID, "at /permissions: names must not be that long");
        }
        if (!cJSON_IsBool(p)) {
            OC_AUTO_FREE char *key = oc_printable(p->string, strlen(p->string), 60);
            return oc_fail(err, OC_E_INVALID, "at /permissions/%s: must be boolean", key);
        }
        if (++n > OC_MAX_NODE_CAPS) {
            return oc_fail(err, OC_E_INVALID,
                    "at /permissions: must NOT have more than %d properties", OC_MAX_NODE_CAPS);
        }
    }
    return OC_OK;
}

static enum oc_code decode_parts(const cJSON *params, struct oc_connect *c, struct oc_error *err) {
    struct connect_parts parts = { 0 };
    const struct {
        const char *where;
        const struct oc_json_field *fields;
        size_t n;
        const cJSON **part;
    } steps[] = {
        { "/client", client_fields, OC_COUNT(client_fields), &parts.client },
        { "/device", device_fields, OC_COUNT(device_fields), &parts.device },
        { "/auth", auth_fields, OC_COUNT(auth_fields), &parts.auth },
    };
    enum oc_code rc = oc_json_decode(params, "", part_fields, OC_COUNT(part_fields), &parts, err);
    for (size_t i = 0; rc == OC_OK && i < OC_COUNT(steps); i++) {
        if (*steps[i].part) {
            rc = oc_json_decode(
                    *steps[i].part, steps[i].where, steps[i].fields, steps[i].n, c, err);
        }
    }
    return rc;
}

enum oc_code oc_connect_decode(const cJSON *params, struct oc_connect *ret, struct oc_error *err) {
    *ret = (struct oc_connect){ .role = OC_ROLE_OPERATOR };
    enum oc_code rc = oc_json_decode(params, "", root_fields, OC_COUNT(root_fields), ret, err);
    if (rc == OC_OK) {
        rc = decode_parts(params, ret, err);
    }
    if (rc == OC_OK) {
        rc = check_enum(ret->client_id, "/client/id", client_ids, OC_COUNT(client_ids), err);
    }
    if (rc == OC_OK) {
        rc = check_enum(ret->mode, "/client/mode", client_modes, OC_COUNT(client_modes), err);
    }
    if (rc == OC_OK) {
        rc = check_lengths(ret, err);
    }
    if (rc == OC_OK) {
        rc = check_items(&ret->caps, "/caps", err);
    }
    if (rc == OC_OK) {
        rc = check_items(&ret->commands, "/commands", err);
    }
    if (rc == OC_OK) {
        rc = check_items(&ret->scopes, "/scopes", err);
    }
    return rc == OC_OK ? oc_connect_check_permissions(ret->permissions, err) : rc;
}

void oc_connect_finish(struct oc_connect *c) {
    oc_strv_finish(&c->caps);
    oc_strv_finish(&c->commands);
    oc_strv_finish(&c->scopes);
}

static cJSON *encode_client(const struct oc_connect *c) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "id", c->client_id);
    oc_json_set_str(o, "displayName", c->display_name);
    oc_json_set_str(o, "version", c->version);
    oc_json_set_str(o, "platform", c->platform);
    oc_json_set_str(o, "deviceFamily", c->device_family);
    oc_json_set_str(o, "modelIdentifier", c->model_identifier);
    oc_json_set_str(o, "mode", c->mode);
    oc_json_set_str(o, "instanceId", c->instance_id);
    return o;
}

static cJSON *encode_auth(const struct oc_connect *c) {
    if (!c->token && !c->device_token && !c->password && !c->bootstrap_token) {
        return NULL;
    }
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "token", c->token);
    oc_json_set_str(o, "deviceToken", c->device_token);
    oc_json_set_str(o, "password", c->password);
    oc_json_set_str(o, "bootstrapToken", c->bootstrap_token); /* only sent with a setup code */
    return o;
}

static cJSON *encode_device(const struct oc_connect *c) {
    if (!c->device_id) {
        return NULL;
    }
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "id", c->device_id);
    oc_json_set_str(o, "publicKey", c->public_key);
    oc_json_set_str(o, "signature", c->signature);
    oc_json_set_int(o, "signedAt", c->signed_at_ms);
    oc_json_set_str(o, "nonce", c->nonce);
    return o;
}

cJSON *oc_connect_encode(const struct oc_connect *c) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_int(o, "minProtocol", c->min_protocol);
    oc_json_set_int(o, "maxProtocol", c->max_protocol);
    oc_json_set(o, "client", encode_client(c));
    oc_json_set_strv(o, "caps", &c->caps);
    if (c->commands.count > 0) {
        oc_json_set_strv(o, "commands", &c->commands);
    }
    oc_json_set(o, "permissions", c->permissions ? cJSON_Duplicate(c->permissions, true) : NULL);
    oc_json_set_str(o, "pathEnv", c->path_env);
    oc_json_set(o, "auth", encode_auth(c));
    oc_json_set_str(o, "role", c->role);
    oc_json_set_strv(o, "scopes", &c->scopes);
    oc_json_set(o, "device", encode_device(c));
    oc_json_set_str(o, "locale", c->locale);
    oc_json_set_str(o, "userAgent", c->user_agent);
    return o;
}

int oc_protocol_choose(int64_t client_min, int64_t client_max) {
    for (int v = OC_PROTOCOL_MAX; v >= OC_PROTOCOL_MIN; v--) {
        if (client_min <= v && v <= client_max) {
            return v;
        }
    }
    return 0;
}
