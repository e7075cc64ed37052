#include "base/config.h"

#include "base/config_parts.h"
#include "base/file.h"

#include <stdlib.h>

#define MAX_BYTES 1048576u

enum oc_code oc_config_read(const char *path, cJSON **ret, struct oc_error *err) {
    OC_AUTO_BUF struct oc_buf text = { 0 };
    enum oc_code rc = oc_file_read(path, MAX_BYTES, &text, err);
    if (rc != OC_OK) {
        return rc;
    }
    rc = oc_json5_parse(text.data ? text.data : "", text.len, ret, err);
    if (rc != OC_OK) {
        oc_error_prefix(err, "config '%s'", path);
    }
    return rc;
}

enum oc_code oc_config_load(const char *path, cJSON **ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *config = NULL;
    enum oc_code rc = oc_config_read(path, &config, err);
    if (rc == OC_E_NOT_FOUND) {
        *ret = cJSON_CreateObject();
        return OC_OK;
    }
    if (rc != OC_OK) {
        return rc;
    }
    rc = oc_config_include(&config, path, err);
    if (rc == OC_OK && !cJSON_IsObject(config)) {
        rc = oc_fail(err, OC_E_INVALID, "line 1, column 1: the config must be one object { … }");
    }
    if (rc == OC_OK) {
        rc = oc_config_expand(config, err);
    }
    if (rc != OC_OK) {
        oc_error_prefix(err, "config '%s'", path);
        return rc;
    }
    *ret = oc_take(&config);
    return OC_OK;
}

char *oc_config_client_secret(const cJSON *config, const char *which) {
    bool is_password = oc_streq(which, "password");
    const char *from_env =
            getenv(is_password ? "OPENCLAW_GATEWAY_PASSWORD" : "OPENCLAW_GATEWAY_TOKEN");
    if (!oc_str_blank(from_env)) {
        return oc_strdup(from_env);
    }
    const char *mode = oc_json_get_str(oc_json_get(config, "gateway"), "mode");
    const cJSON *remote = oc_streq(mode, "remote") ? oc_json_path(config, "gateway.remote") : NULL;
    const char *secret = oc_json_get_str(remote, which);
    if (oc_str_blank(secret)) {
        secret = oc_json_get_str(oc_json_path(config, "gateway.auth"), which);
    }
    return oc_str_blank(secret) ? NULL : oc_strdup(secret);
}
