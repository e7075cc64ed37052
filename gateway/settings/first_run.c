#include "gateway/settings/first_run.h"

#include "gateway/settings/config.h"
#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/config/config_edit.h"
#include "lib/config/config_file.h"
#include "lib/config/config_path.h"
#include "lib/files/file.h"

#include <libgen.h>
#include <string.h>

/* The nested object under key, made when it is missing. NULL when something else is in its
 * place. */
static cJSON *object_in(cJSON *parent, const char *key) {
    cJSON *o = cJSON_GetObjectItemCaseSensitive(parent, key);
    if (!o) {
        o = cJSON_AddObjectToObject(parent, key);
    }
    return cJSON_IsObject(o) ? o : NULL;
}

/* Somebody set something before the first start. What is in the file stays as it is, comments
 * too. */
static enum oc_code add_to_file(const char *path, const char *token, struct oc_error *err) {
    OC_AUTO_CONFIG_FILE struct oc_config_file file = { 0 };
    OC_AUTO_STRV struct oc_strv parts = { 0 };
    OC_AUTO_JSON cJSON *value = cJSON_CreateString(token);
    oc_config_file_read(path, &file);
    enum oc_code rc = oc_config_path_parse("gateway.auth.token", &parts, err);
    rc = rc == OC_OK ? oc_config_edit_set(&file.raw, file.resolved, &parts, value, err) : rc;
    rc = rc == OC_OK ? oc_config_file_write(path, &file.raw, err) : rc;
    if (file.raw.len > 0) {
        explicit_bzero(file.raw.data, file.raw.len);
    }
    return rc;
}

static enum oc_code write_config(const char *path, const cJSON *config, struct oc_error *err) {
    OC_AUTO_FREE char *copy = oc_strdup(path);
    enum oc_code rc = oc_dir_ensure_private(dirname(copy), err);
    if (rc != OC_OK) {
        return rc;
    }
    OC_AUTO_SECRET char *text = oc_json_print(config, true);
    OC_AUTO_SECRET char *line = oc_strfmt("%s\n", text);
    return oc_file_write_private(path, line, strlen(line), err);
}

enum oc_code gw_ensure_secret(
        const struct gw_opts *opts, cJSON *config, bool *ret_created, struct oc_error *err) {
    struct gw_opts now = *opts;
    now.config = config;
    enum gw_auth_mode mode;
    enum oc_code rc = gw_gateway_auth_mode(&now, &mode, err);
    if (rc != OC_OK) {
        return rc;
    }
    *ret_created = false;
    if (mode == GW_AUTH_NONE || gw_secret(&now, gw_auth_mode_name(mode))) {
        return OC_OK;
    }
    const char *path = opts->config_path;
    if (!path) {
        return oc_fail(err, OC_E_INVALID,
                "no gateway secret is set, and there is no config file to keep one in");
    }
    if (mode == GW_AUTH_PASSWORD) {
        return oc_fail(err, OC_E_INVALID,
                "auth mode is password but no password is set; add gateway.auth.password to %s or "
                "set "
                "OPENCLAW_GATEWAY_PASSWORD",
                path);
    }
    bool is_there = oc_file_exists(path);
    if (is_there && oc_json_path(config, "gateway.auth.token")) { /* it leads nowhere */
        return oc_fail(err, OC_E_INVALID,
                "%s sets no gateway secret; add "
                "{\"gateway\":{\"auth\":{\"mode\":\"token\",\"token\":\"<a long random "
                "text>\"}}} to it, set OPENCLAW_GATEWAY_TOKEN, or start with --auth none (loopback "
                "only)",
                path);
    }
    uint8_t random[32];
    oc_random(random, sizeof(random));
    OC_AUTO_SECRET char *token = oc_base64url(random, sizeof(random));
    cJSON *gateway = object_in(config, "gateway");
    cJSON *auth = gateway ? object_in(gateway, "auth") : NULL;
    if (!auth) {
        return oc_fail(err, OC_E_INVALID, "gateway.auth must be an object");
    }
    if (!oc_json_get(gateway, "mode")) {
        oc_json_set_str(gateway, "mode", "local");
    }
    if (!oc_json_get(auth, "mode")) {
        oc_json_set_str(auth, "mode", "token");
    }
    oc_json_set_str(auth, "token", token);
    rc = is_there ? add_to_file(path, token, err) : write_config(path, config, err);
    if (rc == OC_OK) {
        *ret_created = true;
    }
    return rc;
}
