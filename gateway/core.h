/* The gateway's inside, all of it: for this folder and the rooms above the others (see
 * docs/ARCHITECTURE.md). Rooms below take what they need. */
#ifndef GATEWAY_CORE_H
#define GATEWAY_CORE_H

#include "gateway/conn/conns.h"
#include "gateway/exec/approval_look.h"
#include "gateway/exec/approvals.h"
#include "gateway/fairness/party.h"
#include "gateway/fairness/rate_limit.h"
#include "gateway/gateway.h"
#include "gateway/handshake/handshake_uses.h"
#include "gateway/invoke/invoke.h"
#include "gateway/nodes/node_entry.h"
#include "gateway/nodes/nodes.h"
#include "gateway/nodes/roster.h"
#include "gateway/pairing/pairing.h"
#include "gateway/pairing/surface.h"
#include "gateway/settings/config.h"
#include "gateway/settings/config_schema_cache.h"
#include "gateway/store/store.h"
#include "lib/base/encode.h"
#include "lib/base/list.h"
#include "lib/net/loop/turns.h"
#include "lib/net/server/server.h"
#include "lib/net/tls.h"

struct gw_canvas_host;
struct gw_run_audit;

struct gw_gateway {
    struct oc_loop *loop;
    const struct oc_clock *clock;
    struct gw_config cfg;
    char *state_dir, *config_path;
    char boot_id[OC_UUID_LEN + 1];
    int64_t started_ms; /* monotonic */

    struct gw_store *store;
    struct gw_pairing *pairing;
    struct gw_surface *surface;
    struct gw_roster *roster;

    struct gw_opts asked; /* copies of what it was started with, see reload.c */
    cJSON *config;        /* the one that runs */
    cJSON *started_with;  /* the one whose RESTART settings run */
    struct gw_write_budget *writes;
    bool owns_writes, owns_rate;
    int64_t restart_expected_ms; /* 0: it does not come back */

    struct gw_rate_limit *rate;
    struct gw_parties *parties;
    struct oc_turns turns;
    struct gw_nodes *nodes;
    struct gw_invokes *invokes;
    struct gw_run_audit *run_audit;
    struct gw_approvals *approvals;
    struct gw_approval_looks looks;
    struct gw_handshake_uses handshake;
    struct gw_presence *presence;
    struct gw_log_ring *log;
    struct gw_node_work *work;
    struct gw_config_schema_cache schema;

    struct oc_tls_server *tls; /* NULL: plain */
    struct oc_server *server;
    struct gw_canvas_host *canvas; /* NULL: switched off */
#ifdef OC_TEST_ECHO
    struct gw_test_echo *echo;
#endif
    struct gw_conns conns;
    struct oc_timer tick, health, presence_soon, trim;
    unsigned gone_since_trim; /* connections */

    struct oc_timer stop_deadline;
    struct oc_deferred stop_check;
    void (*on_stopped)(void *user);
    void *stopped_user;
    char http_body[2048], http_extra[96]; /* of the answer being sent */
};

static inline struct gw_node_records gw_gateway_node_records(struct gw_gateway *gw) {
    return (struct gw_node_records){ .clock = gw->clock,
        .live = gw->nodes,
        .roster = gw->roster,
        .surface = gw->surface,
        .policy = &gw->cfg.policy };
}

int64_t gw_uptime_ms(const struct gw_gateway *gw);
/* Tells operators soon that presence changed; many changes become one event. */
void gw_presence_changed(struct gw_gateway *gw);
/* A connection is gone; the last one completes a shutdown. */
void gw_conn_gone(struct gw_gateway *gw);
/* Much has become free: memory goes back to the system in a few seconds. */
void gw_trim_soon(struct gw_gateway *gw);

/* conns.c: what connections lead to. */
extern const struct gw_conn_hooks gw_gateway_conn_hooks;
/* gw_conns_close_device; what the device lets browsers watch ends, too. */
void gw_device_close(struct gw_gateway *gw, const char *device_id, const char *role,
        struct gw_conn *asking, const char *reason_v3, const char *reason_v4);

/* hello.c: see gw_handshake_uses.accept. */
void gw_hello(struct gw_conn *c, const char *request_id, cJSON *take_auth);

/* reload.c: what a gateway was started with, kept to judge another config by. */
void gw_remember(struct gw_gateway *gw, const struct gw_opts *opts);
void gw_forget(struct gw_gateway *gw);
/* OC_E_INVALID when the gateway could not be started with this config. */
enum oc_code gw_check_config(
        const struct gw_gateway *gw, const cJSON *config, struct oc_error *err) OC_MUST_USE;

/* moves.c: tells nodes where a gateway with this config will be, if that is elsewhere. */
void gw_moves_announce(struct gw_gateway *gw, const cJSON *config);
/* … that the certificate is another one from now on. */
void gw_moves_new_pin(struct gw_gateway *gw);
/* … that it goes to another machine, by its owner's word, which is kept; port 0 and pin NULL: the
 * same as here. *ret is the place, and in "told" the ids of those who heard it. */
enum oc_code gw_moves_to(struct gw_gateway *gw, const char *host, uint16_t port, const char *pin,
        cJSON **ret, struct oc_error *err) OC_MUST_USE;
/* … that it does not. */
enum oc_code gw_moves_stay(struct gw_gateway *gw, cJSON **ret, struct oc_error *err) OC_MUST_USE;
/* A node wants to hear of it, and does at once if there is something. */
void gw_moves_follower(struct gw_conn *c);

/* False: the address may not try to prove itself now, and *ret says for how long. */
bool gw_may_upgrade(void *user, const struct oc_http_head *head, const struct oc_peer *peer,
        struct oc_http_reply *ret);
/* The plain HTTP side: health checks. */
void gw_http(void *user, const struct oc_http_head *head, const struct oc_peer *peer,
        struct oc_http_reply *ret);

#endif
