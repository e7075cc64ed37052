/* openclaw gateway run: the gateway, in the foreground until SIGTERM or SIGINT. */
#include "cli/command.h"

#include "cli/child.h"
#include "cli/gateway/mdns_publish.h"
#include "cli/gateway/secret.h"
#include "cli/gateway/target.h"
#include "cli/output.h"
#include "gateway/gateway.h"
#include "gateway/settings/config.h"
#include "gateway/settings/first_run.h"
#include "gateway/supervisor.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/config/config.h"
#include "lib/files/file.h"
#include "lib/log/log.h"
#include "lib/net/loop/loop.h"
#include "lib/net/loop/sd_notify.h"
#include "lib/net/tls_cert.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

struct server {
    struct oc_loop *loop;
    const struct gw_opts *opts;
    struct gw_supervisor *supervisor;
    struct oc_sd_notify *notify; /* the service manager, if one started us */
    struct oc_error failure;     /* code OC_OK: none */
    bool is_stopping;
    pid_t advertisement; /* 0: none */
};

static void on_stopped(void *user) {
    struct server *s = user;
    oc_loop_stop(s->loop);
}

static void on_signal(void *user, int signo) {
    struct server *s = user;
    if (signo == SIGUSR1) {
        gw_supervisor_restart(s->supervisor);
        return;
    }
    if (s->is_stopping) { /* somebody is in a hurry */
        oc_loop_stop(s->loop);
        return;
    }
    s->is_stopping = true;
    oc_sd_notify_stopping(s->notify);
    gw_supervisor_stop(s->supervisor, "gateway stopping", on_stopped, s);
}

static void on_failed(void *user, const struct oc_error *err) {
    struct server *s = user;
    s->failure = *err;
    oc_loop_stop(s->loop);
}

static void stop_advertising(struct server *s) {
    if (s->advertisement > 0) {
        (void)cli_child_stop(s->advertisement);
        s->advertisement = 0;
    }
}

static void on_serving(void *user, const struct gw_gateway *gw, const cJSON *config) {
    struct server *s = user;
    struct gw_opts opts = *s->opts;
    opts.config = config;
    const char *host = gw_host(gw);
    bool is_v6 = strchr(host, ':') != NULL;
    enum gw_auth_mode mode = GW_AUTH_TOKEN;
    struct oc_error ignored;
    const char *auth =
            gw_gateway_auth_mode(&opts, &mode, &ignored) == OC_OK ? gw_auth_mode_name(mode) : "?";
    const char *pin = gw_tls_pin(gw);
    OC_AUTO_FREE char *where = oc_strfmt("listening on %s://%s%s%s:%u%s", pin ? "wss" : "ws",
            is_v6 ? "[" : "", host, is_v6 ? "]" : "", (unsigned)gw_port(gw), gw_context_path(gw));
    cli_out_line("gateway %s (auth: %s, state: %s)", where, auth, opts.state_dir);
    if (pin) {
        char shown[OC_TLS_SHOWN_LEN + 1];
        oc_tls_pin_shown(pin, shown);
        cli_out_line("tls fingerprint (sha256): %s", shown);
    }
    cli_out_flush();
    stop_advertising(s); /* port and certificate may be others now */
    s->advertisement = cli_mdns_advertise(config, gw);
    oc_mem_trim();
    oc_sd_notify_ready(s->notify, where);
}

static enum oc_code gateway_run_serve(
        const struct gw_opts *opts, bool keeps_log_level, struct oc_error *err) {
    static const int signals[] = { SIGTERM, SIGINT, SIGUSR1 };
    struct server s = { .opts = opts };
    struct gw_supervisor_opts supervised = {
        .gateway = *opts,
        .keeps_log_level = keeps_log_level,
        .on_serving = on_serving,
        .on_failed = on_failed,
        .user = &s,
    };
    enum oc_code rc = oc_loop_create(&oc_clock_system, &s.loop, err);
    if (rc != OC_OK) {
        return rc;
    }
    s.notify = oc_sd_notify_create(s.loop);
    /* Before it says that it listens: a SIGUSR1 right after that must not be the end of it. */
    for (size_t i = 0; rc == OC_OK && i < OC_COUNT(signals); i++) {
        rc = oc_loop_on_signal(s.loop, signals[i], on_signal, &s, err);
    }
    if (rc == OC_OK) {
        rc = gw_supervisor_create(s.loop, &supervised, &s.supervisor, err);
    }
    if (rc == OC_OK) {
        oc_loop_run(s.loop);
    }
    stop_advertising(&s);
    gw_supervisor_destroy(s.supervisor);
    if (rc == OC_OK && s.failure.code != OC_OK) {
        *err = s.failure;
        rc = s.failure.code;
    }
    if (rc != OC_OK) {
        oc_sd_notify_status(s.notify, err->text);
    }
    oc_sd_notify_destroy(s.notify);
    oc_loop_destroy(s.loop);
    return rc;
}

/* Every node is a descriptor; the usual soft limit of 1024 is for programs that use select. */
static void raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
            cli_note("the limit of open files stays as it is: %s", strerror(errno));
        }
    }
}

/* Running a gateway here while everything here talks to another one is nearly always a mistake. */
static enum oc_code check_mode(
        const struct cli_cli *cli, const cJSON *config, const char *path, struct oc_error *err) {
    const char *mode = oc_json_get_str(oc_json_path(config, "gateway"), "mode");
    if (oc_streq(mode, "remote") && !cli_args_has(&cli->args, "allow-unconfigured")) {
        return oc_fail(err, OC_E_INVALID,
                "gateway.mode is remote in %s: this machine uses another gateway. Set it to "
                "\"local\" (or use "
                "--allow-unconfigured) to run one here",
                path);
    }
    return OC_OK;
}

/* A secret of the gateway itself from --<which> or its file. */
static enum oc_code own_secret(const struct cli_args *args, const char *which,
        const char *which_file, char **ret, struct oc_error *err) {
    if (cli_args_text(args, which)) {
        *ret = oc_strdup(cli_args_text(args, which));
        return OC_OK;
    }
    const char *path = cli_args_text(args, which_file);
    return path ? cli_secret_from_file(path, which, ret, err) : OC_OK;
}

static int gateway_run_run(struct cli_cli *cli) {
    struct oc_error err;
    OC_AUTO_FREE char *state_dir = oc_dir_state(), *config_path = oc_path_config();
    OC_AUTO_SECRET char *token = NULL, *password = NULL;
    OC_AUTO_JSON cJSON *config = NULL;
    oc_log_set_level(cli_args_has(&cli->args, "verbose") ? OC_LOG_DEBUG : OC_LOG_INFO);
    oc_log_follow_journal();
    if (oc_config_load(config_path, &config, &err) != OC_OK ||
            check_mode(cli, config, config_path, &err) != OC_OK ||
            own_secret(&cli->args, "token", "token-file", &token, &err) != OC_OK ||
            own_secret(&cli->args, "password", "password-file", &password, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    /* Only what is not in the config is fixed for the life of the process. */
    uint16_t env_port = 0;
    if (cli_target_port(NULL, &env_port, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    const char *env = getenv("OPENCLAW_GATEWAY_PORT");
    int port = env && *env ? env_port : -1;
    const char *host = cli_args_text(&cli->args, "host");
    const char *bind = cli_args_text(&cli->args, "bind");
    if (host && bind && !oc_streq(bind, "custom")) {
        return cli_usage(cli, "--host goes with --bind custom");
    }
    struct gw_opts opts = {
        .state_dir = state_dir,
        .config_path = config_path,
        .config = config,
        .port = (int)cli_args_int(&cli->args, "port", port),
        .bind = host ? "custom" : bind,
        .custom_host = host,
        .auth_mode = cli_args_text(&cli->args, "auth"),
        .token = token,
        .password = password,
    };
    bool created = false;
    if (gw_ensure_secret(&opts, config, &created, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    if (created) {
        cli_note("%s has a new random gateway token; the commands on this machine find it there",
                config_path);
    }
    raise_descriptor_limit();
    return gateway_run_serve(&opts, cli_args_has(&cli->args, "verbose"), &err) == OC_OK
                   ? CLI_EXIT_OK
                   : cli_fail(cli, &err);
}

static const struct cli_option options[] = {
    { "port", 'p', CLI_OPT_INT, "port",
            "listen here (18789, gateway.port or OPENCLAW_GATEWAY_PORT); 0 picks one", .min = 0,
            .max = 65535 },
#include "cli/commands/gateway/gateway_options.def"
    { "allow-unconfigured", 0, CLI_OPT_FLAG, NULL, "start although gateway.mode is remote" },
    { "force", 0, CLI_OPT_FLAG, NULL, "", .flags = CLI_OPT_HIDDEN },
    { "compact", 0, CLI_OPT_FLAG, NULL, "", .flags = CLI_OPT_HIDDEN },
    { "ws-log", 0, CLI_OPT_TEXT, "style", "", .flags = CLI_OPT_HIDDEN },
    { 0 },
};

const struct cli_command cli_command_gateway_run = {
    .path = "gateway run",
    .summary = "Run the gateway in the foreground",
    .details = "On the very first start a config file with a random token is created.\n"
               "Stops on SIGTERM or SIGINT; SIGUSR1 makes it read the config and serve anew. A "
               "change of\n"
               "the config file is taken over by itself.",
    .examples = "openclaw gateway run\n"
                "openclaw gateway run --port 18790 --bind lan",
    .options = options,
    .run = gateway_run_run,
};
