#include "lib/config/config.h"

#include "lib/config/config_edit.h"
#include "lib/config/config_file.h"
#include "lib/config/config_parts.h"
#include "lib/files/file.h"

#include <stdlib.h>

enum oc_code oc_config_read(const char *path, cJSON **ret, struct oc_error *err) {
    OC_AUTO_BUF struct oc_buf text = { 0 };
    enum oc_code rc = oc_file_read(path, OC_CONFIG_MAX_BYTES, &text, err);
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
    OC_AUTO_CONFIG_FILE struct oc_config_file f;
    oc_config_file_read(path, &f);
    if (!f.is_readable) {
        return oc_config_file_verdict(&f, err);
    }
    *ret = oc_take(&f.config);
    return OC_OK;
}

char *oc_config_client_secret(const cJSON *config, const char *which, enum oc_gateway_kind kind) {
    bool is_password = oc_streq(which, "password");
    const char *from_env =
            getenv(is_password ? "OPENCLAW_GATEWAY_PASSWORD" : "OPENCLAW_GATEWAY_TOKEN");
    if (!oc_str_blank(from_env)) {
        return oc_strdup(from_env);
    }
    const cJSON *section = NULL;
    if (kind == OC_GATEWAY_OWN) {
        section = oc_json_path(config, "gateway.auth");
    } else if (kind == OC_GATEWAY_REMOTE) {
        section = oc_json_path(config, "gateway.remote");
    }
    const char *secret = oc_json_get_str(section, which);
    return oc_str_blank(secret) ? NULL : oc_strdup(secret);
}
