/* Wiring and life of a gateway. */
#include "gateway/gateway.h"

#include "gateway/audit/run_audit.h"
#include "gateway/canvas/canvas_host.h"
#include "gateway/conn/conn.h"
#include "gateway/conn/events.h"
#include "gateway/core.h"
#include "gateway/exec/approval_events.h"
#include "gateway/exec/approval_look.h"
#include "gateway/health.h"
#include "gateway/log_ring.h"
#include "gateway/methods/methods.h"
#include "gateway/nodes/node_work.h"
#include "gateway/nodes/voicewake.h"
#include "gateway/pairing/store_import.h"
#include "gateway/settings/tls_setup.h"
#include "gateway/store/audit.h"
#include "gateway/test_echo.h"
#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/log/log.h"
#include "lib/log/log_blame.h"
#include "lib/log/log_tap.h"
#include "lib/protocol/limits.h"

#include <string.h>

#define TAG "gateway"
#define HEALTH_INTERVAL_MS 60000
#define PRESENCE_DELAY_MS 200
#define STOP_TIMEOUT_MS 700
#define RESTART_EXPECTED_MS 1500
#define TRIM_DELAY_MS 3000
#define TRIM_CONNECTIONS 16           /* so many that went are worth it */
#define TRIM_BODY_BYTES (64ull << 10) /* and an answer as large as this */
#define MAX_HEADS 1024                /* a whole fleet that comes back after a restart */

int64_t gw_uptime_ms(const struct gw_gateway *gw) {
    return oc_loop_now_ms(gw->loop) - gw->started_ms;
}

static void on_tick(struct oc_timer *t) {
    struct gw_gateway *gw = t->user;
    oc_log_settle(false);
    cJSON *payload = cJSON_CreateObject();
    oc_json_set_int(payload, "ts", oc_wall_ms(gw->clock));
    gw_event_broadcast(&gw->conns, GW_EVENT_TICK, payload);
    oc_timer_set(gw->loop, t, OC_TICK_INTERVAL_MS);
}

static void on_health(struct oc_timer *t) {
    struct gw_gateway *gw = t->user;
    gw->conns.health_version++;
    gw_event_broadcast(&gw->conns, GW_EVENT_HEALTH, gw_health_build(gw));
    oc_timer_set(gw->loop, t, HEALTH_INTERVAL_MS);
}

static void on_presence(struct oc_timer *t) {
    struct gw_gateway *gw = t->user;
    cJSON *payload = cJSON_CreateObject();
    oc_json_set(payload, "presence", gw_presence_list(gw->presence));
    gw_event_broadcast(&gw->conns, GW_EVENT_PRESENCE, payload);
}

void gw_presence_changed(struct gw_gateway *gw) {
    if (!gw->presence_soon.loop && !gw->conns.is_stopping) {
        oc_timer_set(gw->loop, &gw->presence_soon, PRESENCE_DELAY_MS);
    }
}

static void on_trim(struct oc_timer *t) {
    struct gw_gateway *gw = t->user;
    gw->gone_since_trim = 0;
    oc_mem_trim();
}

/* Much of what was taken is free now, and goes back to the system. That takes time, the more the
 * larger the heap is: a small request does not cause it. */
void gw_trim_soon(struct gw_gateway *gw) {
    if (!gw->trim.loop && gw->trim.on_expire) {
        oc_timer_set(gw->loop, &gw->trim, TRIM_DELAY_MS);
    }
}

static void on_calm(void *user) {
    gw_trim_soon(user);
}

static void on_log_line(void *user, enum oc_log_level level, const char *line) {
    (void)level;
    gw_log_ring_add(user, line, oc_log_is_strangers());
}

static void on_store_work(void *user) {
    oc_turns_count(user, 1);
}

static void on_ws(void *user, struct oc_ws *take_ws, const struct oc_http_head *head,
        const struct oc_peer *peer) {
#ifdef OC_TEST_ECHO
    if (gw_test_echo_accept(((struct gw_gateway *)user)->echo, take_ws, head)) {
        return;
    }
#endif
    struct gw_gateway *gw = user;
    if (gw_canvas_host_owns(gw->canvas, head)) {
        gw_canvas_host_accept(gw->canvas, head, take_ws);
        return;
    }
    gw_conn_accept(&gw->conns, take_ws, head, peer, gw_tls_pin(gw));
}

static void on_http(void *user, const struct oc_http_head *head, const struct oc_peer *peer,
        struct oc_http_reply *ret) {
    gw_http(user, head, peer, ret);
    uint64_t body = ret->body_len > 0 || !ret->body ? ret->body_len : strlen(ret->body);
    if (body + (ret->has_file ? ret->file_len : 0) >= TRIM_BODY_BYTES) {
        gw_trim_soon(user);
    }
}

static enum oc_code send_to_node(void *user, const char *node_id, struct oc_msg *take_msg) {
    struct gw_gateway *gw = user;
    struct gw_node *n = gw_nodes_find(gw->nodes, node_id);
    if (!n) {
        oc_msg_destroy(take_msg);
        return OC_E_CLOSED;
    }
    /* Droppable: a node that is busy with what it has is not cut off, the caller hears that it
     * is. */
    return gw_conn_send(n->conn, take_msg, true) ? OC_OK : OC_E_TOO_LARGE;
}

/* What the operating system refused is mended there, or avoided by going elsewhere. */
static enum oc_code with_hint(const struct gw_gateway *gw, enum oc_code rc, struct oc_error *err) {
    if (rc == OC_E_IO) {
        struct oc_error plain = *err;
        return oc_fail(err, rc,
                "%s; %s must belong to the user who runs the gateway, or set OPENCLAW_STATE_DIR to "
                "another directory",
                plain.text, gw->state_dir);
    }
    return rc;
}

static enum oc_code open_state(struct gw_gateway *gw, struct oc_error *err) {
    enum oc_code rc = oc_dir_ensure_private(gw->state_dir, err);
    if (rc != OC_OK) {
        return with_hint(gw, rc, err);
    }
    OC_AUTO_FREE char *path = oc_path_join(gw->state_dir, GW_DB_NAME);
    rc = gw_store_open(path, &gw->store, err);
    if (rc == OC_OK) {
        rc = gw_audit_open(gw->store, err);
    }
    if (rc != OC_OK) {
        return with_hint(gw, rc, err);
    }
    size_t imported = 0;
    rc = gw_store_import(gw->store, gw->state_dir, &imported, err);
    if (rc == OC_OK && imported > 0) {
        oc_log(OC_LOG_INFO, TAG, "took over paired devices of an earlier installation count=%zu",
                imported);
        size_t waiting = gw_store_import_waiting(gw->state_dir);
        if (waiting > 0) {
            oc_log(OC_LOG_INFO, TAG,
                    "requests that waited there are not taken over, their devices ask again "
                    "count=%zu",
                    waiting);
        }
    }
    OC_AUTO_FREE char *missed =
            rc == OC_OK ? gw_store_import_missed_by(gw->store, gw->state_dir) : NULL;
    if (missed) {
        oc_log(OC_LOG_WARN, TAG,
                "pairings were taken over once, '%s' has changed since, ignoring it", missed);
    }
    return rc;
}

static enum oc_code listen_now(
        struct gw_gateway *gw, struct oc_listeners *sockets, struct oc_error *err) {
    static const struct oc_server_handlers handlers = {
        .on_request = on_http, .may_upgrade = gw_may_upgrade, .on_ws = on_ws
    };
    struct oc_server_opts opts = {
        .hosts = (const char *const *)gw->cfg.hosts.items,
        .host_count = gw->cfg.hosts.count,
        .port = gw->cfg.port,
        .max_heads = MAX_HEADS,
        .head_timeout_ms = gw->cfg.handshake_ms,
        .context_path = gw->cfg.context_path,
        .sockets = sockets,
        .tls = gw->tls,
        .ws = { .max_message_bytes = OC_MAX_PREAUTH_BYTES,
                .max_queued_bytes = OC_MAX_QUEUED_BYTES },
    };
    return oc_server_create(gw->loop, &opts, &handlers, gw, &gw->server, err);
}

static void start_timer(struct gw_gateway *gw, struct oc_timer *t, void (*fn)(struct oc_timer *),
        int64_t after_ms) {
    t->on_expire = fn;
    t->user = gw;
    if (after_ms > 0) {
        oc_timer_set(gw->loop, t, after_ms);
    }
}

static void wire_conns(struct gw_gateway *gw) {
    struct gw_conns *all = &gw->conns;
    all->loop = gw->loop;
    all->clock = gw->clock;
    all->turns = &gw->turns;
    all->parties = gw->parties;
    all->cfg = &gw->cfg;
    all->presence = gw->presence;
    all->hooks = &gw_gateway_conn_hooks;
    all->gw = gw;
    all->health_version = 1;
    gw->handshake = (struct gw_handshake_uses){ .conns = all,
        .store = gw->store,
        .pairing = gw->pairing,
        .surface = gw->surface,
        .rate = gw->rate,
        .nodes = gw->nodes,
        .roster = gw->roster,
        .invokes = gw->invokes,
        .accept = gw_hello };
}

OC_DEFINE_AUTO(gw_gateway, struct gw_gateway);

enum oc_code gw_gateway_create(struct oc_loop *loop, const struct gw_opts *opts,
        struct gw_gateway **ret, struct oc_error *err) {
    OC_AUTO(gw_gateway) struct gw_gateway *gw = oc_new(struct gw_gateway);
    gw->loop = loop;
    gw->clock = oc_loop_clock(loop);
    oc_turns_init(&gw->turns, loop);
    gw->started_ms = oc_loop_now_ms(loop);
    gw->log = gw_log_ring_create();
    oc_log_set_tap(on_log_line, gw->log);
    gw->state_dir = oc_strdup(opts->state_dir);
    gw->config_path = oc_strdup(opts->config_path);
    oc_list_init(&gw->conns.list);
    oc_uuid4(gw->boot_id);
    gw_remember(gw, opts);
    enum oc_code rc = gw_config_load(opts, &gw->cfg, err);
    if (rc == OC_OK) {
        rc = open_state(gw, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    gw->pairing = gw_pairing_create(gw->store, gw->clock);
    gw->surface = gw_surface_create(gw->store, gw->clock);
    rc = gw_roster_create(gw->pairing, gw->surface, &gw->roster, err);
    if (rc != OC_OK) {
        return rc;
    }
    gw->owns_rate = !opts->rate;
    gw->rate = opts->rate ? opts->rate : gw_rate_limit_create(gw->clock);
    gw_rate_limit_configure(
            gw->rate, gw->cfg.rate_max_attempts, gw->cfg.rate_window_ms, gw->cfg.rate_lockout_ms);
    gw->parties = gw_parties_create();
    gw_parties_on_calm(gw->parties, on_calm, gw);
    gw_store_on_work(gw->store, OC_TURN_STEPS, on_store_work, &gw->turns);
    gw->nodes = gw_nodes_create();
    gw->invokes = gw_invokes_create(loop, send_to_node, gw);
    gw->approvals = gw_approvals_create(loop);
    gw->looks = (struct gw_approval_looks){
        .conns = &gw->conns, .approvals = gw->approvals, .invokes = gw->invokes, .nodes = gw->nodes
    };
    gw_approval_look_watch(&gw->looks);
    gw->run_audit = gw_run_audit_open(&(struct gw_run_audit_uses){ .loop = loop,
            .clock = gw->clock,
            .store = gw->store,
            .nodes = gw->nodes,
            .invokes = gw->invokes,
            .approvals = gw->approvals });
    gw_approvals_on_expired(gw->approvals, gw_exec_approval_expired, &gw->conns);
    gw->work = gw_node_work_create(gw->clock);
    gw->presence = gw_presence_create(gw->clock);
    wire_conns(gw);
#ifdef OC_TEST_ECHO
    gw->echo = gw_test_echo_create();
#endif
    gw_voicewake_import(gw->store, gw->state_dir);
    rc = gw_tls_load(&gw->cfg, &gw->tls, err);
    if (rc == OC_OK) {
        struct gw_canvas_uses canvas = { .conns = &gw->conns,
            .nodes = gw->nodes,
            .invokes = gw->invokes,
            .rate = gw->rate,
            .has_tls = gw->tls != NULL };
        gw->canvas = gw_canvas_host_create(&canvas, gw->config, gw->state_dir);
        rc = listen_now(gw, opts->sockets, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    start_timer(gw, &gw->tick, on_tick, OC_TICK_INTERVAL_MS);
    start_timer(gw, &gw->health, on_health, HEALTH_INTERVAL_MS);
    start_timer(gw, &gw->presence_soon, on_presence, 0);
    start_timer(gw, &gw->trim, on_trim, 0);
    if (!gw->cfg.is_loopback_only && !gw->tls) {
        oc_log(OC_LOG_WARN, TAG,
                "listening on %s without TLS; set gateway.tls, or put a TLS proxy or a VPN in "
                "between",
                gw->cfg.hosts.items[0]);
    }
    gw_store_note_port(gw->store, gw_port(gw));
    oc_log(OC_LOG_INFO, TAG, "listening host=%s port=%u auth=%s", gw->cfg.hosts.items[0],
            gw_port(gw), gw_auth_mode_name(gw->cfg.auth_mode));
    *ret = oc_take(&gw);
    return OC_OK;
}

uint64_t gw_work(const struct gw_gateway *gw) {
    return gw->turns.work;
}

uint16_t gw_port(const struct gw_gateway *gw) {
    return oc_server_port(gw->server);
}

const char *gw_host(const struct gw_gateway *gw) {
    return gw->cfg.hosts.items[0];
}

const char *gw_context_path(const struct gw_gateway *gw) {
    return gw->cfg.context_path;
}

const char *gw_tls_pin(const struct gw_gateway *gw) {
    return gw->tls ? oc_tls_server_pin(gw->tls) : NULL;
}

void gw_tls_files(const struct gw_gateway *gw, struct oc_strv *ret) {
    const char *const files[] = { gw->cfg.tls_cert, gw->cfg.tls_key, gw->cfg.tls_ca };
    for (size_t i = 0; i < OC_COUNT(files); i++) {
        if (files[i]) {
            oc_strv_add(ret, files[i]);
        }
    }
}

enum oc_code gw_tls_reload(struct gw_gateway *gw, struct oc_error *err) {
    struct oc_tls_server *fresh = NULL;
    enum oc_code rc = gw_tls_read(&gw->cfg, &fresh, err);
    if (rc == OC_OK) {
        bool is_other = strcmp(oc_tls_server_pin(fresh), gw_tls_pin(gw)) != 0;
        oc_server_set_tls(gw->server, fresh);
        oc_tls_server_destroy(gw->tls);
        gw->tls = fresh;
        if (is_other) {
            gw_moves_new_pin(gw);
        }
    }
    return rc;
}

size_t gw_node_count(const struct gw_gateway *gw) {
    return gw_nodes_count(gw->nodes);
}

static void gateway_stopped(struct gw_gateway *gw) {
    void (*done)(void *) = gw->on_stopped;
    gw->on_stopped = NULL;
    oc_timer_cancel(&gw->stop_deadline);
    if (done) {
        done(gw->stopped_user); /* may destroy the gateway */
    }
}

static void on_stop_deadline(struct oc_timer *t) {
    gateway_stopped(t->user);
}

static void check_stopped(struct oc_deferred *d) {
    struct gw_gateway *gw = d->user;
    if (oc_list_empty(&gw->conns.list)) {
        gateway_stopped(gw);
    }
}

void gw_conn_gone(struct gw_gateway *gw) {
    if (++gw->gone_since_trim >= TRIM_CONNECTIONS) {
        gw_trim_soon(gw);
    }
    if (gw->conns.is_stopping && !gw->stop_check.queued) {
        oc_defer(gw->loop, &gw->stop_check);
    }
}

void gw_shutdown(
        struct gw_gateway *gw, const char *reason, void (*on_done)(void *user), void *user) {
    if (gw->conns.is_stopping) {
        return;
    }
    gw->conns.is_stopping = true;
    gw->on_stopped = on_done;
    gw->stopped_user = user;
    gw->stop_check.run = check_stopped;
    gw->stop_check.user = gw;
    oc_log(OC_LOG_INFO, TAG, "stopping");
    oc_server_stop_listening(gw->server);
    oc_timer_cancel(&gw->tick);
    oc_timer_cancel(&gw->health);
    oc_timer_cancel(&gw->presence_soon);
    cJSON *payload = cJSON_CreateObject();
    oc_json_set_str(payload, "reason", reason ? reason : "gateway stopping");
    if (gw->restart_expected_ms > 0) {
        oc_json_set_int(payload, "restartExpectedMs", gw->restart_expected_ms);
    }
    gw_event_broadcast(&gw->conns, GW_EVENT_SHUTDOWN, payload);
    gw_invokes_settle_all(gw->invokes);
    struct gw_conn *c;
    oc_list_for_each(c, &gw->conns.list, link) {
        gw_conn_close(c, 1012, "service restart");
    }
    start_timer(gw, &gw->stop_deadline, on_stop_deadline, STOP_TIMEOUT_MS);
    gw_conn_gone(gw); /* there may be none */
}

void gw_restarting(
        struct gw_gateway *gw, const cJSON *next_config, void (*on_done)(void *user), void *user) {
    if (!gw->conns.is_stopping) {
        gw_moves_announce(gw, next_config);
    }
    gw->restart_expected_ms = gw->conns.is_stopping ? 0 : RESTART_EXPECTED_MS;
    gw_shutdown(gw, "gateway restarting", on_done, user);
}

void gw_gateway_destroy(struct gw_gateway *gw) {
    if (!gw) {
        return;
    }
    gw->conns.is_stopping = true;
    oc_timer_cancel(&gw->tick);
    oc_timer_cancel(&gw->health);
    oc_timer_cancel(&gw->presence_soon);
    oc_timer_cancel(&gw->stop_deadline);
    gw->trim.on_expire = NULL; /* what goes from here on is nothing to tidy up after */
    oc_timer_cancel(&gw->trim);
    oc_defer_cancel(&gw->stop_check);
    oc_server_destroy(gw->server);
    gw_canvas_host_destroy(gw->canvas);
    oc_tls_server_destroy(gw->tls);
#ifdef OC_TEST_ECHO
    gw_test_echo_destroy(gw->echo);
#endif
    while (!oc_list_empty(&gw->conns.list)) {
        gw_conn_destroy(oc_list_first(&gw->conns.list, struct gw_conn, link));
    }
    gw_approvals_destroy(gw->approvals);
    gw_invokes_destroy(gw->invokes);
    gw_run_audit_close(gw->run_audit);
    gw_nodes_destroy(gw->nodes);
    gw_presence_destroy(gw->presence);
    gw_node_work_destroy(gw->work);
    gw_parties_destroy(gw->parties);
    oc_turns_finish(&gw->turns);
    gw_config_schema_cache_finish(&gw->schema);
    if (gw->owns_rate) {
        gw_rate_limit_destroy(gw->rate);
    }
    if (gw->roster) {
        gw_roster_save(gw->roster);
    }
    gw_roster_destroy(gw->roster);
    gw_surface_destroy(gw->surface);
    gw_pairing_destroy(gw->pairing);
    gw_store_close(gw->store);
    gw_config_finish(&gw->cfg);
    gw_forget(gw);
    oc_log_settle(true);
    oc_log_set_tap(NULL, NULL);
    gw_log_ring_destroy(gw->log);
    oc_free(gw->state_dir);
    oc_free(gw->config_path);
    oc_free(gw);
}
