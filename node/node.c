#include "node/node.h"

#include "lib/base/mem.h"
#include "lib/config/config.h"
#include "lib/files/file.h"
#include "lib/identity/identity.h"
#include "lib/json/json_index.h"
#include "lib/log/log.h"
#include "lib/protocol/connect.h"
#include "lib/state/exec_approvals.h"
#include "lib/state/identity_file.h"
#include "node/argv/paths/exec_path.h"
#include "node/call/call.h"
#include "node/call/key_file.h"
#include "node/canvas/canvas_surface.h"
#include "node/commands/host.h"
#include "node/config_watch.h"
#include "node/declare/redeclare.h"
#include "node/declare/reports.h"
#include "node/declare/vitals.h"
#include "node/link/enrolled.h"
#include "node/link/link.h"
#include "node/link/own_gateway.h"
#include "node/owner/announce.h"
#include "node/owner/notices.h"
#include "node/owner/switches.h"
#include "node/policy/exec_remember.h"
#include "node/policy/skill_bins.h"
#include "node/process/process.h"
#include "node/run/log/run_log.h"
#include "node/run/runs.h"
#include "node/run/unconfirmed.h"
#include "node/sandbox/sandbox_now.h"
#include "node/state.h"
#include "node/status_file.h"

#include <stdlib.h>
#include <string.h>

#define TAG "node"

enum {
    MAX_SETTLED_VALUES = 8, /* of OC_EVENT_NAME_SETTLED */
    TRIM_AFTER_MS = 500,    /* what was only needed to connect */
    STOP_WITHIN_MS = 3000,
};

struct nd_node {
    struct nd_host host;
    struct nd_settings settings;
    struct oc_identity *identity;
    char *state_dir, *approvals_path, *switches_path;
    char *gateway;
    cJSON *config;                 /* that runs */
    struct nd_config_watch *watch; /* NULL: it cannot change */
    struct nd_sandbox_now *sandbox;
    struct oc_strv commands, caps; /* that it declares */
    struct nd_key_file *key_file;  /* of idempotency keys */
    struct nd_link *link;
    struct nd_calls *calls;
    struct nd_vitals vitals;
    bool wants_vitals; /* the gateway is of protocol 4: older ones have no use for them */
    struct nd_reports *reports;
    struct nd_redeclare *redeclare;
    struct nd_status_file *status_file;
    nd_on_status *on_status;
    void (*on_settings)(void *user);
    void *user;
    struct oc_timer trim, stop_limit;
    bool is_stopping;
    void (*on_stopped)(void *user);
    void *stopped_user;
};

static struct nd_node *node_of(const struct nd_uplink *up) {
    return OC_CONTAINER(up, struct nd_node, host.uplink);
}

static void send_frame(struct nd_uplink *up, struct oc_msg *take_msg) {
    nd_link_send(node_of(up)->link, take_msg);
}

static int gateway_fd(const struct nd_uplink *up) {
    const struct nd_node *n = node_of(up);
    return n->link ? nd_link_fd(n->link) : -1;
}

static void ask_gateway(struct nd_uplink *up, const char *method, cJSON *take_params,
        int timeout_ms, oc_reply_done *done, void *user) {
    nd_link_ask(node_of(up)->link, method, take_params, timeout_ms, done, user);
}

static void on_status(void *user, const struct nd_status *status) {
    struct nd_node *n = user;
    /* Said with every hello and again once the commands are approved, before which it is not heard.
     */
    if (status->state == ND_CONNECTED && n->wants_vitals && !n->is_stopping) {
        nd_vitals_start(&n->vitals);
    }
    nd_status_file_put(n->status_file, status);
    if (n->on_status) {
        n->on_status(n->user, status);
    }
}

static void on_cut(void *user) {
    struct nd_node *n = user;
    n->host.uplink.connection++;
    n->host.uplink.max_message_bytes = 0;
    n->host.uplink.takes_grounds = false;
    n->wants_vitals = false;
    nd_vitals_stop(&n->vitals);
    nd_calls_cut(n->calls);
    nd_asks_take_back_all(&n->host.asks);
}

/* Asked anew for every connection: the owner may have changed the rules since. */
static cJSON *node_permissions(void *user) {
    struct nd_node *n = user;
    nd_redeclare_refresh(n->redeclare);
    nd_canvas_check(&n->host.canvas);
    return nd_reports_permissions(n->reports);
}

static bool own_place(void *user, struct nd_place *ret) {
    const struct nd_node *n = user;
    return nd_own_gateway_place(n->state_dir, n->config, n->settings.at.host, ret);
}

/* Only ours moves with its nodes (node/link/moves.h); others would not know what this means. */
static void ask_for_moves(struct nd_node *n) {
    cJSON *params = cJSON_CreateObject();
    oc_json_set_str(params, "event", OC_EVENT_NAME_FOLLOWS);
    oc_json_set_str(params, "payloadJSON", "{}");
    nd_uplink_request(&n->host.uplink, "node.event", params);
}

static void on_hello(void *user, const struct oc_hello *hello) {
    struct nd_node *n = user;
    n->host.uplink.max_message_bytes = (size_t)hello->max_payload;
    n->host.uplink.takes_grounds = hello->is_native;
    n->wants_vitals = hello->protocol >= 4;
    if (hello->is_native) {
        ask_for_moves(n);
    }
    nd_canvas_surface_hello(&n->host.canvas, hello);
    oc_timer_set(n->host.machine.loop, &n->trim, TRIM_AFTER_MS);
    nd_reports_connected(n->reports);
    nd_unconfirmed_connected(n->host.runner.unconfirmed);
}

/* Somebody else has decided, or nobody needs to any more. */
static void node_approval_settled(struct nd_node *n, struct oc_slice payload) {
    OC_AUTO_JSON cJSON *o = NULL;
    struct oc_error ignored;
    if (oc_json_parse_within(payload.ptr, payload.len, MAX_SETTLED_VALUES, &o, &ignored) == OC_OK) {
        nd_asks_take_back(&n->host.asks, oc_json_get_str(o, "id"));
    }
}

static void on_event(void *user, const struct oc_frame *frame) {
    struct nd_node *n = user;
    if (n->is_stopping) {
        return;
    }
    if (strcmp(frame->name, "node.invoke.request") == 0) {
        nd_calls_request(n->calls, frame->body);
    } else if (strcmp(frame->name, "node.invoke.cancel") == 0) {
        nd_calls_cancel(n->calls, frame->body);
    } else if (strcmp(frame->name, OC_EVENT_NAME_SETTLED) == 0) {
        node_approval_settled(n, frame->body);
    }
}

static void on_response(void *user, const struct oc_frame *frame) {
    struct nd_node *n = user;
    nd_runs_answered(n->host.runner.runs, frame);
    nd_unconfirmed_answered(n->host.runner.unconfirmed, frame);
}

static void on_link_stopped(void *user) {
    struct nd_node *n = user;
    oc_timer_cancel(&n->stop_limit);
    if (n->on_stopped) {
        n->on_stopped(n->stopped_user);
    }
}

static void on_trim(struct oc_timer *t) {
    (void)t;
    oc_mem_trim();
}

static void on_idle(void *user) {
    struct nd_node *n = user;
    if (n->is_stopping) {
        nd_link_stop(n->link);
    } else {
        nd_redeclare_idle(n->redeclare);
    }
}

static void node_withdraw(void *user) {
    struct nd_node *n = user;
    nd_calls_withdraw(n->calls);
}

static bool is_busy(void *user) {
    struct nd_node *n = user;
    return nd_calls_running(n->calls) > 0;
}

static void node_reconnect(void *user) {
    struct nd_node *n = user;
    nd_link_reconnect(n->link);
}

/* Something does not die even from SIGKILL (it hangs in the kernel): leave it. */
static void on_stop_limit(struct oc_timer *t) {
    struct nd_node *n = t->user;
    nd_link_stop(n->link);
}

/* Credentials in the clear only where the network is trusted by its address. */
static enum oc_code check_plaintext(const struct nd_settings *s, struct oc_error *err) {
    const char *allowed = getenv("OPENCLAW_ALLOW_INSECURE_PRIVATE_WS");
    if (s->at.tls || oc_host_is_private(s->at.host) || oc_streq(allowed, "1")) {
        return OC_OK;
    }
    return oc_fail(err, OC_E_DENIED,
            "'%s' is not on this machine or a private network, and without TLS everyone on the way "
            "can read the token; "
            "use --tls (and --tls-fingerprint for a self-signed certificate), or set "
            "OPENCLAW_ALLOW_INSECURE_PRIVATE_WS=1 if you trust that network",
            s->at.host);
}

static enum oc_code node_prepare(
        struct nd_node *n, const struct nd_opts *opts, struct oc_error *err) {
    enum oc_code rc = n->host.machine.platform->start(err);
    if (rc == OC_OK) {
        rc = oc_dir_ensure_private(n->state_dir, err);
    }
    if (rc == OC_OK) {
        rc = oc_identity_load_or_create(
                n->state_dir, oc_loop_clock(n->host.machine.loop), &n->identity, err);
    }
    if (rc == OC_OK) {
        /* Before node.json names another gateway. */
        nd_adopt_token(n->state_dir, oc_identity_device_id(n->identity));
        rc = nd_settings_load(opts, &n->settings, err);
    }
    if (rc == OC_OK) {
        rc = check_plaintext(&n->settings, err);
    }
    return rc;
}

/* Commands that run keep the settings they began with. */
static void on_config(
        void *user, const cJSON *config, const struct oc_strv *files, const char *wrong) {
    struct nd_node *n = user;
    struct oc_error err;
    if (n->is_stopping) {
        return;
    }
    if (config && oc_json_same(config, n->config)) {
        nd_sandbox_now_shut(n->sandbox, NULL); /* a mistake was taken back */
        return;
    }
    if (!config || nd_sandbox_now_rebuild(n->sandbox, config, files, &err) != OC_OK) {
        /* It may be a tightening, and nobody would notice that it never came to be. */
        const char *why = config ? err.text : wrong;
        oc_log(OC_LOG_ERROR, TAG, "no command starts until the config is right again: %s", why);
        nd_sandbox_now_shut(n->sandbox, why);
        return;
    }
    cJSON_Delete(n->config);
    n->config = cJSON_Duplicate(config, true);
    n->host.machine.config = n->config;
    n->host.machine.config_number++;
    nd_reports_check(n->reports);
    nd_redeclare_check(n->redeclare);
    nd_canvas_settings(&n->host.canvas);
    if (n->on_settings) {
        n->on_settings(n->user);
    }
}

/* After the key file, whose lock says that nobody else uses the state directory. */
static enum oc_code build_sandbox(
        struct nd_node *n, const struct nd_opts *opts, struct oc_error *err) {
    if (opts->config_path) {
        n->watch = nd_config_watch_create(n->host.machine.loop, opts->config_path, on_config, n);
    }
    struct nd_sandbox_now_opts sandbox = {
        .mode = opts->sandbox, .workspace = opts->sandbox_workspace, .token_file = opts->token_file
    };
    return nd_sandbox_now_create(&n->host.machine, &sandbox,
            n->watch ? nd_config_watch_files(n->watch) : NULL, &n->sandbox, err);
}

static void create_link(struct nd_node *n, const struct nd_opts *opts) {
    static const struct nd_link_events events = {
        .on_status = on_status,
        .permissions = node_permissions,
        .own_place = own_place,
        .on_cut = on_cut,
        .on_hello = on_hello,
        .on_event = on_event,
        .on_response = on_response,
        .on_stopped = on_link_stopped,
    };
    /* Who pairs by a code has no shared secret, and a wrong one from the environment must not get
     * in its way. */
    bool is_given = opts->token || opts->password || opts->setup_token;
    enum oc_gateway_kind kind = nd_gateway_kind(&n->settings, opts->config, opts->own_port);
    OC_AUTO_SECRET char *token = is_given ? oc_strdup(opts->token)
                                          : oc_config_client_secret(opts->config, "token", kind);
    OC_AUTO_SECRET char *password =
            is_given ? oc_strdup(opts->password)
                     : oc_config_client_secret(opts->config, "password", kind);
    struct nd_link_opts link = {
        .settings = &n->settings,
        .identity = n->identity,
        .state_dir = n->state_dir,
        .platform = n->host.machine.platform->name,
        .commands = &n->commands,
        .caps = &n->caps,
        .path_env = nd_exec_search_path(),
        .gateway_user = opts->gateway_user,
        .token = opts->setup_token ? NULL : token,
        .password = opts->setup_token ? NULL : password,
        .setup_token = opts->setup_token,
    };
    n->link = nd_link_create(n->host.machine.loop, &link, &events, n);
}

static void on_unconfirmed(void *user, const char *id, cJSON *take_report) {
    nd_unconfirmed_add(user, id, take_report, 0);
}

/* As its identity, its settings and its gateway have it. */
static void name_it(struct nd_node *n) {
    n->gateway = oc_strfmt("%s:%u", n->settings.at.host, (unsigned)n->settings.at.port);
    n->host.machine.name = n->settings.display_name;
    n->host.uplink.gateway = n->gateway;
    n->host.uplink.device_id = oc_identity_device_id(n->identity);
    n->host.uplink.instance_id = n->settings.node_id;
}

static void start_run_log(struct nd_node *n) {
    struct nd_runner *r = &n->host.runner;
    r->runs = nd_runs_create(&n->host.machine);
    r->log = nd_run_log_create(n->state_dir, n->gateway, oc_loop_clock(n->host.machine.loop));
    r->unconfirmed = nd_unconfirmed_create(&n->host.uplink, r->log);
    nd_run_log_recover(r->log, on_unconfirmed, r->unconfirmed);
}

static void start_declaring(struct nd_node *n) {
    nd_commands_list(&n->host.commands, &n->commands, &n->caps);
    n->reports = nd_reports_create(
            &n->host.uplink, &(struct nd_permissions_of){ .machine = &n->host.machine,
                                     .all = &n->host.commands,
                                     .desktop = &n->host.desktop,
                                     .commands = &n->commands });
    n->status_file = nd_status_file_create(n->state_dir, oc_loop_clock(n->host.machine.loop));
    n->redeclare = nd_redeclare_create(
            &n->host.commands, &(struct nd_redeclare_opts){ .commands = &n->commands,
                                       .caps = &n->caps,
                                       .withdraw = node_withdraw,
                                       .is_busy = is_busy,
                                       .reconnect = node_reconnect,
                                       .user = n });
}

enum oc_code nd_node_create(struct oc_loop *loop, const struct nd_opts *opts, struct nd_node **ret,
        struct oc_error *err) {
    struct nd_node *n = oc_new(struct nd_node);
    n->on_status = opts->on_status;
    n->on_settings = opts->on_settings;
    n->user = opts->user;
    n->config = opts->config ? cJSON_Duplicate(opts->config, true) : NULL;
    n->state_dir = oc_strdup(opts->state_dir);
    n->approvals_path = oc_exec_approvals_path(opts->home_dir);
    n->switches_path = oc_path_join(opts->state_dir, ND_SWITCHES_FILE);
    n->trim = (struct oc_timer){ .on_expire = on_trim, .user = n };
    n->stop_limit = (struct oc_timer){ .on_expire = on_stop_limit, .user = n };
    n->host.machine = (struct nd_machine){
        .loop = loop,
        .platform = opts->platform ? opts->platform : &os_native,
        .config = n->config,
        .state_dir = n->state_dir,
        .approvals_path = n->approvals_path,
        .switches_path = n->switches_path,
    };
    n->host.uplink = (struct nd_uplink){
        .send = send_frame,
        .ask = ask_gateway,
        .fd = gateway_fd,
    };
    nd_host_init(&n->host);
    nd_vitals_init(&n->vitals, &n->host.machine, &n->host.uplink, n->state_dir);
    n->host.notes.skills = nd_skill_bins_create(loop, &n->host.uplink);
    n->host.notes.memory = nd_exec_memory_create(loop, n->approvals_path);
    enum oc_code rc = node_prepare(n, opts, err);
    if (rc == OC_OK) {
        rc = nd_key_file_open(n->state_dir, oc_loop_clock(loop), &n->key_file, err);
    }
    if (rc == OC_OK) {
        rc = build_sandbox(n, opts, err);
    }
    if (rc != OC_OK) {
        nd_close(n);
        return rc;
    }
    name_it(n);
    start_run_log(n);
    n->calls = nd_host_calls(&n->host, n->key_file);
    nd_calls_on_idle(n->calls, on_idle, n);
    start_declaring(n);
    create_link(n, opts);
    *ret = n;
    return OC_OK;
}

void nd_node_start(struct nd_node *node) {
    if (node->watch) {
        nd_config_watch_compare(node->watch, node->config);
    }
    nd_link_start(node->link);
}

void nd_node_stop(struct nd_node *node, void (*on_done)(void *user), void *user) {
    if (node->is_stopping) {
        return;
    }
    node->is_stopping = node->host.machine.is_stopping = true;
    node->on_stopped = on_done;
    node->stopped_user = user;
    oc_timer_set(node->host.machine.loop, &node->stop_limit, STOP_WITHIN_MS);
    nd_asks_take_back_all(&node->host.asks);
    /* Killed commands still tell their callers; then the connection is closed. */
    nd_calls_cancel_all(node->calls);
    if (nd_calls_running(node->calls) == 0) {
        nd_link_stop(node->link);
    }
}

void nd_close(struct nd_node *node) {
    if (!node) {
        return;
    }
    oc_timer_cancel(&node->trim);
    nd_vitals_stop(&node->vitals);
    oc_timer_cancel(&node->stop_limit);
    nd_reports_destroy(node->reports);
    nd_redeclare_destroy(node->redeclare);
    nd_status_file_destroy(node->status_file);
    nd_calls_destroy(node->calls);
    nd_asks_take_back_all(&node->host.asks);
    nd_asks_finish(&node->host.asks);
    nd_looks_finish(&node->host.looks);
    nd_announce_finish(&node->host.desktop);
    nd_canvas_finish(&node->host.canvas);
    nd_canvas_surface_finish(&node->host.canvas);
    nd_notices_destroy(node->host.desktop.notices);
    nd_last_fix_finish(&node->host.last_fix);
    nd_runs_destroy(node->host.runner.runs);
    nd_unconfirmed_destroy(node->host.runner.unconfirmed);
    nd_run_log_destroy(node->host.runner.log);
    nd_exec_mounts_finish(&node->host.runner.mounts);
    nd_key_file_close(node->key_file);
    nd_process_drop_leftovers(node->host.machine.loop);
    nd_link_destroy(node->link);
    nd_skill_bins_destroy(node->host.notes.skills);
    nd_exec_memory_destroy(node->host.notes.memory);
    oc_identity_destroy(node->identity);
    nd_settings_finish(&node->settings);
    oc_strv_finish(&node->commands);
    oc_strv_finish(&node->caps);
    nd_config_watch_destroy(node->watch);
    nd_sandbox_now_destroy(node->sandbox);
    cJSON_Delete(node->config);
    oc_free(node->gateway);
    oc_free(node->state_dir);
    oc_free(node->approvals_path);
    oc_free(node->switches_path);
    oc_free(node);
}

const char *nd_node_sandbox_summary(const struct nd_node *node) {
    return nd_sandbox_now_summary(node->sandbox);
}

const char *nd_gateway_url(const struct nd_node *node) {
    return nd_link_url(node->link);
}

const char *nd_device_id(const struct nd_node *node) {
    return node->host.uplink.device_id;
}
