/* openclaw node run: this machine as a node, in the foreground until SIGTERM or SIGINT. */
#include "cli/command.h"

#include "cli/gateway/running.h"
#include "cli/gateway/secret.h"
#include "cli/gateway/target.h"
#include "cli/output.h"
#include "cli/pairing/pair_code.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/config/config.h"
#include "lib/config/config_file.h"
#include "lib/files/file.h"
#include "lib/log/log.h"
#include "lib/log/log_blame.h"
#include "lib/net/loop/loop.h"
#include "lib/net/loop/sd_notify.h"
#include "lib/protocol/limits.h"
#include "node/node.h"

#include <signal.h>
#include <stdio.h>

struct host {
    struct oc_loop *loop;
    struct nd_node *node;
    struct oc_sd_notify *notify; /* the service manager, if one started us */
    struct nd_status_log said;
    bool is_stopping, has_failed;
};

static void on_stopped(void *user) {
    struct host *h = user;
    oc_loop_stop(h->loop);
}

static void on_signal(void *user, int signo) {
    struct host *h = user;
    (void)signo;
    if (h->is_stopping) { /* somebody is in a hurry */
        oc_loop_stop(h->loop);
        return;
    }
    h->is_stopping = true;
    oc_sd_notify_stopping(h->notify);
    nd_node_stop(h->node, on_stopped, h);
}

/* A node that waits for its gateway is ready, too: it does all that can be done on this machine. */
static void tell_manager(struct host *h, const struct nd_status *status) {
    OC_AUTO_FREE char *line = nd_status_line(status);
    bool is_settled = status->state != ND_CONNECTING && status->state != ND_FAILED &&
                      status->state != ND_STOPPED;
    if (is_settled) {
        oc_sd_notify_ready(h->notify, line);
    } else {
        oc_sd_notify_status(h->notify, line);
    }
}

static void on_status(void *user, const struct nd_status *status) {
    struct host *h = user;
    tell_manager(h, status);
    bool is_failure = status->state == ND_FAILED;
    nd_print_status(&h->said, is_failure ? stderr : stdout, status);
    if (is_failure) {
        h->has_failed = true;
        oc_loop_stop(h->loop);
    }
}

static void say_sandbox(const struct nd_node *node) {
    const char *summary = nd_node_sandbox_summary(node);
    if (!oc_streq(summary, "off")) {
        cli_out_line("sandbox: %s", summary);
        fflush(stdout);
    }
}

static void on_settings(void *user) {
    const struct host *h = user;
    cli_out_line("took over the changed config; sandbox: %s", nd_node_sandbox_summary(h->node));
    fflush(stdout);
}

static enum oc_code node_run_serve(struct host *h, struct nd_opts *opts, struct oc_error *err) {
    opts->on_status = on_status;
    opts->on_settings = on_settings;
    opts->user = h;
    enum oc_code rc = oc_loop_create(&oc_clock_system, &h->loop, err);
    if (rc == OC_OK) {
        h->notify = oc_sd_notify_create(h->loop);
        rc = nd_node_create(h->loop, opts, &h->node, err);
    }
    if (rc == OC_OK) {
        rc = oc_loop_on_signal(h->loop, SIGTERM, on_signal, h, err);
    }
    if (rc == OC_OK) {
        rc = oc_loop_on_signal(h->loop, SIGINT, on_signal, h, err);
    }
    if (rc == OC_OK) {
        say_sandbox(h->node);
        /* Whatever this node logs is because of what its gateway wants. */
        static const struct oc_log_cause gateway = { "the gateway", OC_MAX_LOG_OF_NODE, false };
        oc_log_blame(&gateway);
        nd_node_start(h->node);
        oc_loop_run(h->loop);
        oc_log_blame(NULL);
        oc_log_settle(true);
    }
    nd_close(h->node);
    nd_status_log_finish(&h->said);
    if (rc != OC_OK && h->notify) {
        oc_sd_notify_status(h->notify, err->text);
    }
    oc_sd_notify_destroy(h->notify);
    oc_loop_destroy(h->loop);
    return rc;
}

/* The first run without --host and --port goes where the commands of this machine go; later ones
 * where the last did. */
static enum oc_code first_target(
        const cJSON *config, const char *state_dir, struct cli_target *ret, struct oc_error *err) {
    OC_AUTO_FREE char *path = oc_path_join(state_dir, "node.json");
    const cJSON *gateway = oc_json_get(config, "gateway");
    const cJSON *remote = oc_json_get(gateway, "remote");
    if (oc_file_exists(path)) {
        return OC_OK;
    }
    if (oc_streq(oc_json_get_str(gateway, "mode"), "remote") && oc_json_get_str(remote, "url")) {
        ret->tls_fingerprint = oc_strdup(oc_json_get_str(remote, "tlsFingerprint"));
        return cli_target_parse_url(oc_json_get_str(remote, "url"), ret, err);
    }
    if (oc_json_get_bool(oc_json_get(gateway, "tls"), "enabled", false)) {
        ret->tls = true;
        ret->tls_fingerprint = cli_target_local_pin(config, state_dir);
    }
    ret->path = cli_target_local_path(config);
    return cli_target_port(config, &ret->port, err);
}

static enum oc_code fill_target(const struct cli_cli *cli, const cJSON *config,
        const char *state_dir, struct cli_target *target, struct nd_opts *opts,
        struct oc_error *err) {
    if (!cli_args_has(&cli->args, "host") && !cli_args_has(&cli->args, "port")) {
        enum oc_code rc = first_target(config, state_dir, target, err);
        if (rc != OC_OK) {
            return rc;
        }
        opts->host = target->host;
        opts->port = target->port;
        opts->tls = target->tls;
        opts->tls_fingerprint = target->tls_fingerprint;
        opts->context_path = target->path;
        return OC_OK;
    }
    opts->host = cli_args_text(&cli->args, "host");
    opts->port = (uint16_t)cli_args_int(&cli->args, "port", 0);
    return OC_OK;
}

/* A setup code says everything that --host, --tls and --tls-fingerprint say, and what is given
 * wins. Only for one that is used: an old code in a start script knows less than node.json, and
 * must not take TLS or the pin away. */
static enum oc_code apply_code(const struct cli_cli *cli, const struct cli_pair_code *pair,
        struct nd_opts *opts, struct oc_error *err) {
    if (cli_args_has(&cli->args, "host") || cli_args_has(&cli->args, "port")) {
        return oc_fail(err, OC_E_INVALID,
                "a setup code says where the gateway is: leave out --host and --port, or make a "
                "code with --public-url");
    }
    opts->host = pair->target.host;
    opts->port = pair->target.port;
    opts->context_path = pair->target.path;
    opts->tls = pair->target.tls;
    opts->no_tls = !pair->target.tls; /* whatever was used the last time */
    opts->tls_fingerprint = pair->code.tls_fingerprint;
    opts->context_path = pair->target.path;
    opts->setup_token = pair->code.token;
    return OC_OK;
}

/* A setting that nobody reads is not silently without effect. */
static void warn_of_unknown_keys(const char *config_path) {
    OC_AUTO_CONFIG_FILE struct oc_config_file f;
    oc_config_file_read(config_path, &f);
    const cJSON *issue = NULL;
    cJSON_ArrayForEach(issue, f.warnings) {
        OC_AUTO_FREE char *text = oc_config_issue_text(issue);
        oc_log(OC_LOG_WARN, "node.config", "%s: %s", f.path, text);
    }
}

static int node_run_run(struct cli_cli *cli) {
    struct oc_error err;
    struct cli_target target = { 0 };
    struct cli_pair_code pair = { 0 };
    OC_AUTO_FREE char *state_dir = oc_dir_state(), *config_path = oc_path_config(),
                      *home = oc_dir_home();
    OC_AUTO_SECRET char *token = NULL;
    OC_AUTO_FREE char *gateway_user = NULL;
    OC_AUTO_JSON cJSON *config = NULL;
    struct host host = { 0 };
    struct nd_opts opts = {
        .node_id = cli_args_text(&cli->args, "node-id"),
        .display_name = cli_args_text(&cli->args, "display-name"),
        .state_dir = state_dir,
        .home_dir = home,
        .sandbox = cli_args_text(&cli->args, "sandbox"),
        .sandbox_workspace = cli_args_text(&cli->args, "sandbox-workspace"),
    };
    oc_log_set_level(cli_args_has(&cli->args, "verbose") ? OC_LOG_DEBUG : OC_LOG_WARN);
    oc_log_follow_journal();
    const char *token_file = cli_args_text(&cli->args, "token-file");
    enum oc_code rc = oc_config_load(config_path, &config, &err);
    if (rc == OC_OK && token_file) {
        rc = cli_secret_from_file(token_file, "token", &token, &err);
    }
    if (rc == OC_OK) {
        gateway_user = cli_target_gateway_user(&cli->args, config);
        rc = cli_pair_code_read(&cli->args, state_dir, gateway_user, &pair, &err);
    }
    if (rc == OC_OK) {
        bool is_used = pair.code.url && pair.is_needed;
        rc = is_used ? apply_code(cli, &pair, &opts, &err)
                     : fill_target(cli, config, state_dir, &target, &opts, &err);
    }
    if (rc == OC_OK) {
        warn_of_unknown_keys(config_path);
        opts.config = config;
        opts.config_path = config_path;
        opts.token_file = token_file;
        opts.token = token;
        opts.gateway_user = gateway_user;
        (void)cli_running_port(state_dir, &opts.own_port);
        opts.tls = opts.tls || cli_args_has(&cli->args, "tls");
        opts.no_tls = (opts.no_tls && !opts.tls) || cli_args_has(&cli->args, "no-tls");
        if (cli_args_has(&cli->args, "context-path")) {
            opts.context_path = cli_args_text(&cli->args, "context-path");
        }
        if (cli_args_has(&cli->args, "tls-fingerprint")) {
            opts.tls_fingerprint = cli_args_text(&cli->args, "tls-fingerprint");
        }
        rc = node_run_serve(&host, &opts, &err);
    }
    cli_target_finish(&target);
    cli_pair_code_finish(&pair);
    if (rc != OC_OK) {
        return cli_fail(cli, &err);
    }
    return host.has_failed ? CLI_EXIT_FAILED : CLI_EXIT_OK;
}

static const struct cli_option options[] = {
#include "cli/commands/node_options.def"
    { "pair-if-needed", 0, CLI_OPT_SECRET, "code",
            "the same, unless this machine is paired with that gateway already" },
    { 0 },
};

const struct cli_command cli_command_node_run = {
    .path = "node run",
    .summary = "Make this machine a node, in the foreground",
    .details =
            "What is given is kept in node.json for the next time. The gateway token comes from\n"
            "OPENCLAW_GATEWAY_TOKEN, --token-file or the config file. Waits for approval and\n"
            "reconnects by itself; ends with 1 when the gateway refuses the token or password.\n"
            "A setup code pairs it without a token: gateway, TLS pin and all come from the code.\n"
            "OPENCLAW_PAIR_CODE is taken as --pair-if-needed.\n"
            "node.exec.* of openclaw.json is taken over when the file changes, for later "
            "commands.\n"
            "--sandbox and --gateway-user are not kept: node.exec.sandbox and gateway.user in\n"
            "openclaw.json are. A sandbox that this kernel cannot build refuses every command;\n"
            "openclaw doctor says what is missing.",
    .examples = "openclaw node run --pair -\n"
                "openclaw node run --host 192.0.2.7 --port 18789",
    .options = options,
    .run = node_run_run,
};
