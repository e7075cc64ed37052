/* openclaw gateway install: the gateway as a service that starts by itself. */
#include "cli/service/service_install.h"

#include "cli/gateway/secret.h"
#include "cli/gateway/target.h"
#include "cli/output.h"
#include "lib/base/mem.h"
#include "lib/config/config.h"
#include "lib/files/file.h"

static enum oc_code check_config(
        struct cli_cli *cli, const char *path, cJSON **ret, struct oc_error *err) {
    enum oc_code rc = oc_config_load(path, ret, err);
    if (rc != OC_OK) {
        cli_set_fix(cli, "openclaw config validate");
        return rc;
    }
    const char *mode = oc_json_get_str(oc_json_path(*ret, "gateway"), "mode");
    if (oc_streq(mode, "remote") && !cli_args_has(&cli->args, "allow-unconfigured")) {
        cli_set_fix(cli, "openclaw config set gateway.mode local");
        return oc_fail(err, OC_E_INVALID,
                "gateway.mode is remote in %s: this machine uses another gateway", path);
    }
    return OC_OK;
}

/* The secret of --<which> or of its file, for the variable. */
static enum oc_code add_secret(const struct cli_args *args, const char *which,
        const char *which_file, const char *name, struct cli_service_plan *p,
        struct oc_error *err) {
    const char *path = cli_args_text(args, which_file);
    OC_AUTO_SECRET char *secret = oc_strdup(cli_args_text(args, which));
    enum oc_code rc = !secret && path ? cli_secret_from_file(path, which, &secret, err) : OC_OK;
    cli_service_plan_secret(p, name, secret);
    return rc;
}

static void add_words(const struct cli_args *args, struct cli_service_plan *p) {
    static const char *const values[] = { "port", "bind", "host", "auth" };
    static const char *const flags[] = { "verbose", "allow-unconfigured" };
    for (size_t i = 0; i < OC_COUNT(values); i++) {
        cli_service_plan_pass(p, args, values[i]);
    }
    for (size_t i = 0; i < OC_COUNT(flags); i++) {
        cli_service_plan_pass_flag(p, args, flags[i]);
    }
}

/* The commands of this machine look into the config, not into the service's file. */
static void tell_where_to_keep(const cJSON *config, const struct cli_service_plan *p) {
    const cJSON *auth = oc_json_path(config, "gateway.auth");
    if (oc_json_get(p->secrets, "OPENCLAW_GATEWAY_TOKEN") && !oc_json_get(auth, "token")) {
        cli_note("note: commands in other shells need OPENCLAW_GATEWAY_TOKEN, too; openclaw config "
                 "set gateway.auth.token keeps it for all of them");
    }
}

static int gateway_install_run(struct cli_cli *cli) {
    struct cli_service_plan plan = { .group = "gateway", .description = "OpenClaw gateway" };
    OC_AUTO_FREE char *config_path = oc_path_config();
    OC_AUTO_JSON cJSON *config = NULL;
    const char *bind = cli_args_text(&cli->args, "bind");
    struct oc_error err;
    if (cli_args_has(&cli->args, "host") && bind && !oc_streq(bind, "custom")) {
        return cli_usage(cli, "--host goes with --bind custom");
    }
    enum oc_code rc = check_config(cli, config_path, &config, &err);
    if (rc == OC_OK) {
        rc = add_secret(&cli->args, "token", "token-file", "OPENCLAW_GATEWAY_TOKEN", &plan, &err);
    }
    if (rc == OC_OK) {
        rc = add_secret(
                &cli->args, "password", "password-file", "OPENCLAW_GATEWAY_PASSWORD", &plan, &err);
    }
    add_words(&cli->args, &plan);
    int code = rc == OC_OK ? cli_service_install(cli, &plan) : cli_fail(cli, &err);
    if (code == CLI_EXIT_OK) {
        tell_where_to_keep(config, &plan);
    }
    cli_service_plan_finish(&plan);
    return code;
}

static const struct cli_option options[] = {
    { "port", 'p', CLI_OPT_INT, "port",
            "listen here (18789, gateway.port or OPENCLAW_GATEWAY_PORT)", .min = 1, .max = 65535 },
#include "cli/commands/gateway/gateway_options.def"
    { "allow-unconfigured", 0, CLI_OPT_FLAG, NULL, "install although gateway.mode is remote" },
    { "force", 0, CLI_OPT_FLAG, NULL, "overwrite a unit that is not from this program" },
    { "runtime", 0, CLI_OPT_TEXT, "name", "", .flags = CLI_OPT_HIDDEN },
    { "json", 0, CLI_OPT_FLAG, NULL, "print one JSON document on stdout" },
    { 0 },
};

const struct cli_command cli_command_gateway_install = {
    .path = "gateway install",
    .summary = "Run the gateway as a service of your systemd, from now on and after every login",
    .details =
            "Writes openclaw-gateway.service, enables and starts it; safe to repeat, and a\n"
            "running gateway starts anew only when something changed. What is given becomes the\n"
            "words of gateway run. Token and password (from options or the environment) go into\n"
            "service-gateway.env in the state directory, mode 0600, and stay there until openclaw\n"
            "gateway uninstall; variables that the config refers to can be added by hand.\n"
            "Another OPENCLAW_STATE_DIR makes another service.",
    .examples = "openclaw gateway install",
    .options = options,
    .run = gateway_install_run,
};
