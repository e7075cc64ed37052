#include "gateway/settings/config_check.h"

#include "gateway/settings/config.h"
#include "gateway/settings/tls_setup.h"
#include "lib/base/mem.h"

#include <string.h>

/* The texts begin with the setting they are about, or with words for it. */
static size_t path_length(const char *text) {
    size_t n = oc_starts_with(text, "gateway.") ? strcspn(text, " :") : 0;
    return n > 0 && text[n - 1] == '.' ? n - 1 : n;
}

static void config_check_add(struct oc_config_file *f, cJSON *to, const char *text) {
    size_t n = path_length(text);
    bool is_auth = oc_starts_with(text, "auth mode ");
    OC_AUTO_FREE char *path = is_auth ? oc_strdup("gateway.auth.mode") : oc_strndup(text, n);
    const char *rest = text + n + (n > 0 && text[n] == ':');
    cJSON *issue = cJSON_CreateObject();
    oc_json_set_str(issue, "path", path);
    oc_json_set_str(issue, "message", rest + strspn(rest, " "));
    oc_config_file_place(f, issue);
    cJSON_AddItemToArray(to, issue);
}

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
        config_check_add(f, f->warnings,
                "gateway.auth.token is not set, and a gateway does not start without one: openclaw "
                "config set gateway.auth.token --stdin, or OPENCLAW_GATEWAY_TOKEN");
    }
    struct gw_config cfg;
    struct oc_error err;
    enum oc_code rc = gw_config_load(&opts, &cfg, &err);
    if (rc == OC_OK) {
        rc = gw_tls_check(&cfg, &err);
    }
    gw_config_finish(&cfg);
    if (rc != OC_OK) {
        config_check_add(f, f->issues, err.text);
    }
}
