#include "lib/config/config.h"

#include "lib/config/config_file.h"

#include <stdlib.h>

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
