/* A changed config: can the running gateway take it over, or must it serve anew? The table of keys
 * says which (lib/config/config_keys.def), so that a setting nobody thought of here is never half
 * applied. */
#include "gateway/core.h"
#include "gateway/fairness/write_budget.h"
#include "gateway/handshake/node_surface.h"
#include "gateway/settings/config.h"
#include "gateway/settings/tls_setup.h"
#include "lib/base/mem.h"
#include "lib/config/config_schema.h"
#include "lib/log/log.h"

#define TAG "gateway.reload"

void gw_remember(struct gw_gateway *gw, const struct gw_opts *opts) {
    gw->config = opts->config ? cJSON_Duplicate(opts->config, true) : cJSON_CreateObject();
    gw->started_with = cJSON_Duplicate(gw->config, true);
    gw->asked = (struct gw_opts){
        .state_dir = gw->state_dir,
        .config_path = gw->config_path,
        .port = opts->port,
        .bind = oc_strdup(opts->bind),
        .custom_host = oc_strdup(opts->custom_host),
        .auth_mode = oc_strdup(opts->auth_mode),
        .token = oc_strdup(opts->token),
        .password = oc_strdup(opts->password),
        .on_restart_wanted = opts->on_restart_wanted,
        .user = opts->user,
    };
    gw->owns_writes = !opts->writes;
    gw->writes = opts->writes ? opts->writes : gw_write_budget_create();
}

static char *reload_owned(const char *s) {
    return (char *)(uintptr_t)s; /* the copies above; the struct's members borrow elsewhere */
}

void gw_forget(struct gw_gateway *gw) {
    cJSON_Delete(gw->config);
    cJSON_Delete(gw->started_with);
    oc_free(reload_owned(gw->asked.bind));
    oc_free(reload_owned(gw->asked.custom_host));
    oc_free(reload_owned(gw->asked.auth_mode));
    oc_free_secret(reload_owned(gw->asked.token));
    oc_free_secret(reload_owned(gw->asked.password));
    if (gw->owns_writes) {
        gw_write_budget_destroy(gw->writes);
    }
}

static enum oc_code reload_load(const struct gw_gateway *gw, const cJSON *config,
        struct gw_config *ret, struct oc_error *err) {
    struct gw_opts opts = gw->asked;
    opts.config = config;
    return gw_config_load(&opts, ret, err);
}

enum oc_code gw_check_config(
        const struct gw_gateway *gw, const cJSON *config, struct oc_error *err) {
    struct gw_config cfg;
    enum oc_code rc = reload_load(gw, config, &cfg, err);
    struct oc_error why;
    if (rc == OC_OK && gw_tls_check(&cfg, &why) != OC_OK) {
        /* The reason tells what files there are here. */
        oc_log(OC_LOG_WARN, TAG, "a config was refused: %s", why.text);
        rc = oc_fail_setting(err, OC_E_INVALID, "gateway.tls",
                "these files cannot be used; the gateway's log says why");
    }
    gw_config_finish(&cfg);
    return rc;
}

/* Every connected node is judged again at once. A refresh may end other connections, so the ids are
 * collected first. */
static void refresh_nodes(struct gw_gateway *gw) {
    OC_AUTO_STRV struct oc_strv ids = { 0 };
    size_t pos = 0;
    for (struct gw_node *n; (n = gw_nodes_next(gw->nodes, &pos));) {
        oc_strv_add(&ids, n->id);
    }
    for (size_t i = 0; i < ids.count; i++) {
        struct gw_node *n = gw_nodes_find(gw->nodes, ids.items[i]);
        if (n) {
            gw_node_surface_refresh(&gw->handshake, n);
        }
    }
}

static void reload_apply(struct gw_gateway *gw, struct gw_config *fresh) {
    struct gw_policy policy = gw->cfg.policy;
    gw->cfg.policy = fresh->policy;
    fresh->policy = policy;
    struct oc_strv origins = gw->cfg.allowed_origins;
    gw->cfg.allowed_origins = fresh->allowed_origins;
    fresh->allowed_origins = origins;
    gw->cfg.rate_max_attempts = fresh->rate_max_attempts;
    gw->cfg.rate_window_ms = fresh->rate_window_ms;
    gw->cfg.rate_lockout_ms = fresh->rate_lockout_ms;
    gw->cfg.rate_exempt_loopback = fresh->rate_exempt_loopback;
    gw->cfg.auto_approve_local = fresh->auto_approve_local;
    gw_rate_limit_configure(
            gw->rate, fresh->rate_max_attempts, fresh->rate_window_ms, fresh->rate_lockout_ms);
    refresh_nodes(gw);
}

enum oc_code gw_reload(
        struct gw_gateway *gw, const cJSON *config, bool *ret_needs_restart, struct oc_error *err) {
    struct gw_config fresh;
    enum oc_code rc = reload_load(gw, config, &fresh, err);
    bool is_hot = (oc_config_changes(gw->config, config) & OC_CONFIG_HOT) != 0;
    bool needs_restart = (oc_config_changes(gw->started_with, config) & OC_CONFIG_RESTART) != 0;
    if (rc == OC_OK && needs_restart) { /* not to find it out when everybody was sent away */
        rc = gw_tls_check(&fresh, err);
    }
    if (rc == OC_OK) {
        *ret_needs_restart = needs_restart;
        cJSON_Delete(gw->config);
        gw->config = cJSON_Duplicate(config, true);
        if (is_hot) {
            reload_apply(gw, &fresh);
            oc_log(OC_LOG_INFO, TAG, "took over the changed config");
        }
    }
    gw_config_finish(&fresh);
    return rc;
}
