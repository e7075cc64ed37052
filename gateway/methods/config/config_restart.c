/* The reference keeps a sentinel file over its restart, out of which it tells an agent's session
 * that the change is done. There are no agents here, so none is kept; the answer has its content
 * all the same, since clients show it. */
#include "gateway/methods/config/config_restart.h"

#include "gateway/core.h"
#include "lib/base/mem.h"
#include "lib/config/config_schema.h"

#include <unistd.h>

#define DEFAULT_SETTLE_MS 300
#define DEFAULT_DIRECT_MS 2000 /* with reload.mode off, where nothing else would restart it */
#define MAX_DELAY_MS 60000

static cJSON *config_restart_describe(
        const struct gw_call *call, int64_t delay_ms, bool is_coalesced) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_bool(o, "ok", true);
    oc_json_set_int(o, "pid", getpid());
    oc_json_set_str(o, "signal", "SIGUSR1");
    oc_json_set_int(o, "delayMs", delay_ms);
    oc_json_set_str(o, "reason", call->method);
    oc_json_set_str(o, "mode", "emit");
    oc_json_set_bool(o, "coalesced", is_coalesced);
    oc_json_set_int(o, "cooldownMsApplied", 0);
    return o;
}

/* NULL: nothing will be restarted. */
static cJSON *config_restart_schedule(
        const struct gw_call *call, const cJSON *reload, int64_t delay_ms) {
    const struct gw_opts *asked = &call->gw->asked;
    const char *mode = oc_json_get_str(reload, "mode");
    bool is_off = oc_streq(mode, "off"), is_coalesced = false;
    if (!asked->on_restart_wanted || oc_streq(mode, "hot")) {
        return NULL; /* hot: the owner restarts it */
    }
    if (delay_ms == GW_CONFIG_RESTART_SOON && !is_off) {
        return config_restart_describe(
                call, oc_json_clamp_int(reload, "debounceMs", 0, 60000, DEFAULT_SETTLE_MS), false);
    }
    int64_t wanted_ms = delay_ms == GW_CONFIG_RESTART_SOON ? DEFAULT_DIRECT_MS
                        : delay_ms > MAX_DELAY_MS          ? MAX_DELAY_MS
                                                           : delay_ms;
    int64_t actual_ms = asked->on_restart_wanted(asked->user, wanted_ms, &is_coalesced);
    return config_restart_describe(call, actual_ms, is_coalesced);
}

void gw_config_restart(const struct gw_call *call, const cJSON *config, const char *note,
        int64_t delay_ms, cJSON *payload) {
    struct gw_gateway *gw = call->gw;
    const cJSON *reload = oc_json_path(config, "gateway.reload");
    unsigned changes = oc_config_changes(gw->config, config);
    bool always = oc_streq(oc_json_get_str(reload, "mode"), "restart") ||
                  oc_streq(oc_json_get_str(reload, "mode"), "off");
    bool needs_restart = (changes & OC_CONFIG_RESTART) || (always && changes != 0);
    bool is_patch = oc_streq(call->method, "config.patch");
    oc_json_set(payload, "restart",
            needs_restart ? config_restart_schedule(call, reload, delay_ms) : NULL);
    cJSON *sentinel = cJSON_CreateObject(), *said = cJSON_CreateObject(),
          *stats = cJSON_CreateObject();
    oc_json_set_str(said, "kind", is_patch ? "config-patch" : "config-apply");
    oc_json_set_str(said, "status", "ok");
    oc_json_set_int(said, "ts", oc_wall_ms(gw->clock));
    oc_json_set_str_or_null(said, "message", note);
    oc_json_set_str(said, "doctorHint", "Run: openclaw doctor");
    oc_json_set_str(stats, "mode", call->method);
    oc_json_set_str(stats, "root", gw->config_path);
    oc_json_set_bool(stats, "requiresRestart", needs_restart);
    oc_json_set(said, "stats", stats);
    oc_json_set_str_or_null(sentinel, "path", NULL);
    oc_json_set_bool(sentinel, "persisted", false);
    oc_json_set(sentinel, "payload", said);
    oc_json_set(payload, "sentinel", sentinel);
}
