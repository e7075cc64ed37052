#include "gateway/settings/config_check.h"

#include "gateway/settings/config.h"
#include "gateway/settings/tls_setup.h"

/* When nothing is said about authentication the token may be in the environment of the service. */
static bool lacks_only_a_token(const struct gw_opts *opts) {
    enum gw_auth_mode mode;
    struct oc_error ignored;
    return !oc_json_get_str(oc_json_path(opts->config, "gateway.auth"), "mode") &&
           gw_gateway_auth_mode(opts, &mode, &ignored) == OC_OK && mode == GW_AUTH_TOKEN &&
           !gw_secret(opts, "token");
}

void gw_check_file(struct oc_config_file *f, const char *state_dir) {
    const char *mode = oc_json_get_str(oc_json_get(f->config, "gateway"), "mode");
    if (!f->exists || f->issues->child || oc_streq(mode, "remote")) {
        return;
    }
    struct gw_opts opts = {
        .state_dir = state_dir, .config_path = f->path, .config = f->config, .port = -1
    };
    if (lacks_only_a_token(&opts)) {
        opts.token = "-"; /* for the rest of the check */
    }
    if (opts.token && cJSON_GetArraySize(oc_json_get(f->config, "gateway")) > 0) {
        oc_config_file_add(f, f->warnings, "gateway.auth.token",
                "is not set, and a gateway does not start without one: openclaw config set "
                "gateway.auth.token --stdin, or OPENCLAW_GATEWAY_TOKEN");
    }
    struct gw_config cfg;
    struct oc_error err;
    enum oc_code rc = gw_config_load(&opts, &cfg, &err);
    if (rc == OC_OK) {
        rc = gw_tls_check(&cfg, &err);
    }
    gw_config_finish(&cfg);
    if (rc != OC_OK) {
        oc_config_file_add(f, f->issues, err.grounds.subject, oc_error_why(&err));
    }
}
