/*   serving ── file changed ──┬─ wrong: a warning, nothing changes
 *      ▲                      ├─ hot: the running gateway takes it over
 *      │                      └─ else: shutdown event, 1012 ──▶ gone ──┐
 *      └──────── a new gateway on the new settings, or on the old ones ──┘
 *                if that fails */
#include "gateway/supervisor.h"

#include "gateway/fairness/rate_limit.h"
#include "gateway/fairness/write_budget.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/config/config_file.h"
#include "lib/config/config_patch.h"
#include "lib/json/json_index.h"
#include "lib/log/log.h"
#include "lib/net/server/listeners.h"
#include "lib/net/watch/watch.h"

#include <string.h>

#define TAG "gateway.supervisor"
#define MAX_NAMED_CHANGES 8
#define DEFAULT_SETTLE_MS 300
#define MAX_ROUNDS 4

struct gw_supervisor {
    struct oc_loop *loop;
    struct gw_supervisor_opts opts;
    struct gw_gateway *gateway; /* NULL only when nothing could be served */
    cJSON *config;              /* that it runs on */
    cJSON *next;                /* that it will run on; set while the old gateway says good-bye */
    bool changed_again;         /* meanwhile */
    bool restart_again;
    int port; /* as asked; the one the system picked once it has */
    struct gw_write_budget *writes;
    struct gw_rate_limit *rate;
    struct oc_listeners *sockets; /* the port stays ours from one gateway to the next */
    struct oc_watch *watch, *cert_watch;
    struct oc_strv watched;        /* files of the config */
    bool has_read;                 /* the config, once */
    bool reads_ancestor;           /* … and it is of an earlier name of the product */
    struct oc_strv warned;         /* unknown keys that were named already */
    struct oc_timer restart_later; /* somebody who wrote the config said when; set: nothing restarts
                                      before */
    int64_t restart_due_ms;
    void (*on_stopped)(void *user);
    void *stopped_user;
};

static void supervisor_warn(struct gw_supervisor *s, const struct oc_config_file *f) {
    const cJSON *issue = NULL;
    cJSON_ArrayForEach(issue, f->warnings) {
        const char *path = oc_json_get_str(issue, "path");
        if (path && !oc_strv_has(&s->warned, path)) {
            oc_strv_add(&s->warned, path);
            OC_AUTO_FREE char *text = oc_config_issue_text(issue);
            oc_log(OC_LOG_WARN, TAG, "%s: %s", oc_config_issue_file(f, issue), text);
        }
    }
}

static void set_log_level(const struct gw_supervisor *s, const cJSON *config) {
    static const struct {
        const char *name;
        enum oc_log_level level;
    } levels[] = { { "silent", OC_LOG_ERROR }, { "fatal", OC_LOG_ERROR }, { "error", OC_LOG_ERROR },
        { "warn", OC_LOG_WARN }, { "info", OC_LOG_INFO }, { "debug", OC_LOG_DEBUG },
        { "trace", OC_LOG_DEBUG } };
    if (s->opts.keeps_log_level) {
        return;
    }
    const char *name = oc_json_get_str(oc_json_get(config, "logging"), "level");
    enum oc_log_level level = OC_LOG_INFO;
    for (size_t i = 0; i < OC_COUNT(levels); i++) {
        level = oc_streq(name, levels[i].name) ? levels[i].level : level;
    }
    oc_log_set_level(level);
}

static void on_change(void *user);

/* The restart itself is the one any change of the file brings, or none would with reload.mode
 * off. */
static void on_restart_due(struct oc_timer *t) {
    struct gw_supervisor *s = t->user;
    const char *mode = oc_json_get_str(oc_json_path(s->config, "gateway.reload"), "mode");
    if (oc_streq(mode, "off")) {
        gw_supervisor_restart(s);
    } else {
        on_change(s);
    }
}

/* The earliest of several wishes counts. */
static int64_t on_restart_wanted(void *user, int64_t delay_ms, bool *ret_coalesced) {
    struct gw_supervisor *s = user;
    int64_t now_ms = oc_loop_now_ms(s->loop);
    *ret_coalesced = s->restart_later.loop && s->restart_due_ms <= now_ms + delay_ms;
    if (!*ret_coalesced) {
        s->restart_due_ms = now_ms + delay_ms;
        oc_timer_set(s->loop, &s->restart_later, delay_ms);
    }
    return s->restart_due_ms - now_ms;
}

static void watch_files(struct gw_supervisor *s, const struct oc_strv *files) {
    const cJSON *reload = oc_json_path(s->config, "gateway.reload");
    struct oc_watch_opts opts = {
        .files = files,
        .settle_ms = oc_json_clamp_int(reload, "debounceMs", 0, 60000, DEFAULT_SETTLE_MS),
        .on_change = on_change,
        .user = s,
    };
    oc_watch_destroy(s->watch);
    s->watch = files->count > 0 && *files->items[0] ? oc_watch_create(s->loop, &opts) : NULL;
    struct oc_strv copy = { 0 };
    oc_strv_copy(&copy, files);
    oc_strv_finish(&s->watched);
    s->watched = copy;
}

/* Watches first and reads then: a change in between would never be heard of. Which files are
 * included is known only after reading, so it may take another round. */
static void read_watched(struct gw_supervisor *s, struct oc_config_file *ret) {
    const char *path = s->opts.gateway.config_path ? s->opts.gateway.config_path : "";
    if (s->watched.count == 0) {
        oc_strv_add(&s->watched, path);
    }
    struct oc_strv files = { 0 };
    oc_strv_copy(&files, &s->watched);
    for (int round = 0; round < MAX_ROUNDS; round++) {
        watch_files(s, &files);
        oc_config_file_read(path, ret);
        if (oc_strv_equal(&files, &ret->files) || round + 1 == MAX_ROUNDS) {
            break;
        }
        oc_strv_finish(&files);
        oc_strv_copy(&files, &ret->files);
        oc_config_file_finish(ret);
    }
    oc_strv_finish(&files);
    /* A file of an earlier name counts from the start or not at all: ours may be gone for a moment
     * only. */
    s->reads_ancestor = ret->is_ancestor && (s->reads_ancestor || !s->has_read);
    s->has_read = true;
    ret->exists = ret->exists && (!ret->is_ancestor || s->reads_ancestor);
}

/* A certificate is replaced while the gateway serves: those who come from then on see the new one.
 * Nothing is restarted, and a pair that does not fit (half of it is written first) is not taken. */
static void on_certificate(void *user) {
    struct gw_supervisor *s = user;
    struct oc_error err;
    if (s->on_stopped || s->next || !s->gateway) {
        return; /* whoever serves next reads the files anyway */
    }
    if (gw_tls_reload(s->gateway, &err) != OC_OK) {
        oc_log(OC_LOG_WARN, TAG, "keeping the certificate that is in use: %s", err.text);
        return;
    }
    oc_log(OC_LOG_INFO, TAG, "took over the changed certificate");
    s->opts.on_serving(s->opts.user, s->gateway, s->config);
}

static void watch_certificate(struct gw_supervisor *s) {
    OC_AUTO_STRV struct oc_strv files = { 0 };
    const cJSON *reload = oc_json_path(s->config, "gateway.reload");
    if (!oc_streq(oc_json_get_str(reload, "mode"), "off")) {
        gw_tls_files(s->gateway, &files);
    }
    struct oc_watch_opts opts = {
        .files = &files,
        .settle_ms = oc_json_clamp_int(reload, "debounceMs", 0, 60000, DEFAULT_SETTLE_MS),
        .on_change = on_certificate,
        .user = s,
    };
    oc_watch_destroy(s->cert_watch);
    s->cert_watch = files.count > 0 ? oc_watch_create(s->loop, &opts) : NULL;
}

static enum oc_code supervisor_start(struct gw_supervisor *s, cJSON *config, struct oc_error *err) {
    struct gw_opts opts = s->opts.gateway;
    opts.config = config;
    opts.port = s->port;
    opts.writes = s->writes;
    opts.rate = s->rate;
    opts.sockets = s->sockets;
    opts.on_restart_wanted = on_restart_wanted;
    opts.user = s;
    enum oc_code rc = gw_gateway_create(s->loop, &opts, &s->gateway, err);
    if (rc == OC_OK && s->port == 0) {
        s->port = gw_port(s->gateway); /* clients come back to where they were */
    }
    return rc;
}

static void supervisor_serving(struct gw_supervisor *s, cJSON *take_config) {
    if (s->config != take_config) {
        cJSON_Delete(s->config);
        s->config = take_config;
    }
    set_log_level(s, s->config);
    watch_certificate(s);
    s->opts.on_serving(s->opts.user, s->gateway, s->config);
}

/* The old gateway is gone; called by it. */
static void on_gone(void *user) {
    struct gw_supervisor *s = user;
    gw_gateway_destroy(oc_take(&s->gateway));
    if (s->on_stopped) {
        s->on_stopped(s->stopped_user);
        return;
    }
    cJSON *next = oc_take(&s->next);
    struct oc_error err;
    if (supervisor_start(s, next, &err) == OC_OK) {
        supervisor_serving(s, next);
    } else {
        cJSON_Delete(next);
        oc_log(OC_LOG_ERROR, TAG,
                "the new settings cannot be served, going back to the ones before: %s", err.text);
        if (supervisor_start(s, s->config, &err) != OC_OK) {
            s->opts.on_failed(s->opts.user, &err);
            return;
        }
        supervisor_serving(s, s->config);
    }
    bool again = s->changed_again, restart = s->restart_again;
    s->changed_again = s->restart_again = false;
    if (restart) {
        gw_supervisor_restart(s);
    } else if (again) {
        on_change(s);
    }
}

static void serve_anew(struct gw_supervisor *s, const cJSON *config) {
    oc_timer_cancel(&s->restart_later);
    s->next = cJSON_Duplicate(config, true);
    OC_AUTO_STRV struct oc_strv changed = { 0 };
    oc_config_diff(s->config, config, MAX_NAMED_CHANGES, &changed);
    OC_AUTO_FREE char *names = oc_strv_join(&changed, ", ");
    oc_log(OC_LOG_INFO, TAG, "restarting%s%s", *names ? "; changed: " : " as asked for", names);
    gw_restarting(s->gateway, s->next, on_gone, s);
}

static void take_over(struct gw_supervisor *s, const cJSON *config) {
    struct oc_error err;
    const char *mode = oc_json_get_str(oc_json_path(config, "gateway.reload"), "mode");
    bool needs_restart = false;
    if (gw_reload(s->gateway, config, &needs_restart, &err) != OC_OK) {
        oc_log(OC_LOG_WARN, TAG, "keeping the settings that run: %s", err.text);
        return;
    }
    bool differs = !oc_json_same(s->config, config);
    if (needs_restart && oc_streq(mode, "hot")) {
        set_log_level(s, config);
        oc_log(OC_LOG_WARN, TAG,
                "part of the changed config needs a restart, which gateway.reload.mode hot leaves "
                "to you: send SIGUSR1");
    } else if (needs_restart || (differs && oc_streq(mode, "restart"))) {
        if (!s->restart_later.loop) { /* else it comes back here in time */
            serve_anew(s, config);
        }
    } else if (differs) {
        cJSON_Delete(s->config);
        s->config = cJSON_Duplicate(config, true);
        set_log_level(s, s->config);
    }
}

static void on_change(void *user) {
    struct gw_supervisor *s = user;
    if (s->on_stopped || !s->gateway) {
        return;
    }
    if (s->next) {
        s->changed_again = true;
        return;
    }
    OC_AUTO_CONFIG_FILE struct oc_config_file f;
    read_watched(s, &f);
    const char *mode = oc_json_get_str(oc_json_path(s->config, "gateway.reload"), "mode");
    struct oc_error err;
    if (!f.exists) {
        oc_log(OC_LOG_WARN, TAG, "%s is gone; keeping the settings that run", f.path);
    } else if (oc_config_file_verdict(&f, &err) != OC_OK) {
        oc_log(OC_LOG_WARN, TAG, "keeping the settings that run: %s", err.text);
    } else if (!oc_streq(mode, "off")) {
        supervisor_warn(s, &f);
        take_over(s, f.config);
    }
}

void gw_supervisor_restart(struct gw_supervisor *s) {
    if (s->on_stopped || !s->gateway) {
        return;
    }
    if (s->next) {
        s->restart_again = true;
        return;
    }
    OC_AUTO_CONFIG_FILE struct oc_config_file f;
    read_watched(s, &f);
    struct oc_error err;
    bool is_usable = f.exists && oc_config_file_verdict(&f, &err) == OC_OK;
    if (f.exists && !is_usable) {
        oc_log(OC_LOG_WARN, TAG, "keeping the settings that run: %s", err.text);
    }
    if (is_usable) {
        supervisor_warn(s, &f);
    }
    serve_anew(s, is_usable ? f.config : s->config);
}

void gw_supervisor_stop(
        struct gw_supervisor *s, const char *reason, void (*on_done)(void *user), void *user) {
    if (s->on_stopped) {
        return;
    }
    s->on_stopped = on_done;
    s->stopped_user = user;
    if (!s->gateway) {
        on_done(user);
    } else if (!s->next) { /* else on_gone is on its way already */
        gw_shutdown(s->gateway, reason, on_gone, s);
        oc_listeners_close_all(s->sockets);
    }
}

OC_DEFINE_AUTO(gw_supervisor, struct gw_supervisor);

enum oc_code gw_supervisor_create(struct oc_loop *loop, const struct gw_supervisor_opts *opts,
        struct gw_supervisor **ret, struct oc_error *err) {
    OC_AUTO(gw_supervisor) struct gw_supervisor *s = oc_new(struct gw_supervisor);
    s->loop = loop;
    s->opts = *opts;
    s->port = opts->gateway.port;
    s->writes = gw_write_budget_create();
    s->rate = gw_rate_limit_create(oc_loop_clock(loop));
    s->sockets = oc_listeners_create();
    s->restart_later.on_expire = on_restart_due;
    s->restart_later.user = s;
    s->config = opts->gateway.config ? cJSON_Duplicate(opts->gateway.config, true)
                                     : cJSON_CreateObject();
    OC_AUTO_CONFIG_FILE struct oc_config_file f;
    read_watched(s, &f);
    enum oc_code rc = opts->gateway.config_path ? oc_config_file_verdict(&f, err) : OC_OK;
    if (rc != OC_OK) {
        return rc;
    }
    if (opts->gateway.config_path && f.exists) { /* what was handed over may be older */
        cJSON_Delete(s->config);
        s->config = oc_take(&f.config);
    }
    supervisor_warn(s, &f);
    set_log_level(s, s->config);
    rc = supervisor_start(s, s->config, err);
    if (rc != OC_OK) {
        return rc;
    }
    supervisor_serving(s, s->config);
    *ret = oc_take(&s);
    return OC_OK;
}

void gw_supervisor_destroy(struct gw_supervisor *s) {
    if (!s) {
        return;
    }
    oc_watch_destroy(s->watch);
    oc_watch_destroy(s->cert_watch);
    oc_timer_cancel(&s->restart_later);
    gw_gateway_destroy(s->gateway);
    oc_listeners_destroy(s->sockets);
    gw_rate_limit_destroy(s->rate);
    gw_write_budget_destroy(s->writes);
    cJSON_Delete(s->config);
    cJSON_Delete(s->next);
    oc_strv_finish(&s->watched);
    oc_strv_finish(&s->warned);
    oc_free(s);
}
