/* openclaw node install: the node of this machine as a service that starts by itself. */
#include "cli/service/service_install.h"

#include "cli/gateway/secret.h"
#include "cli/gateway/target.h"
#include "lib/base/mem.h"
#include "lib/config/config.h"
#include "lib/files/file.h"

#include <stdlib.h>
#include <string.h>

/* Programs that the owner's shell finds are found by the node, too. Relative entries would mean
 * something else there. */
static void add_path(struct oc_strv *env) {
    const char *path = getenv("PATH");
    OC_AUTO_STRV struct oc_strv kept = { 0 };
    while (path && *path) {
        size_t len = strcspn(path, ":");
        OC_AUTO_FREE char *entry = oc_strndup(path, len);
        if (entry[0] == '/') {
            oc_strv_add_unique(&kept, entry);
        }
        path += len + (path[len] == ':');
    }
    if (kept.count > 0) {
        OC_AUTO_FREE char *joined = oc_strv_join(&kept, ":"), *all = oc_strfmt("PATH=%s", joined);
        oc_strv_add(env, all);
    }
}

static void add_words(const struct cli_args *args, struct cli_service_plan *p) {
    static const char *const values[] = { "host", "port", "tls-fingerprint", "gateway-user",
        "context-path", "node-id", "display-name", "sandbox" };
    static const char *const flags[] = { "tls", "no-tls", "verbose" };
    for (size_t i = 0; i < OC_COUNT(values); i++) {
        cli_service_plan_pass(p, args, values[i]);
    }
    for (size_t i = 0; i < OC_COUNT(flags); i++) {
        cli_service_plan_pass_flag(p, args, flags[i]);
    }
    if (cli_args_has(args, "sandbox-workspace")) {
        OC_AUTO_FREE char *dir = oc_path_user(cli_args_text(args, "sandbox-workspace"));
        OC_AUTO_FREE char *word = oc_strfmt("--sandbox-workspace=%s", dir);
        oc_strv_add(&p->words, word);
    }
}

static enum oc_code add_secrets(
        const struct cli_args *args, struct cli_service_plan *p, struct oc_error *err) {
    const char *file = cli_args_text(args, "token-file"), *pair = cli_args_text(args, "pair");
    OC_AUTO_SECRET char *token = NULL, *code = NULL;
    enum oc_code rc = file ? cli_secret_from_file(file, "token", &token, err) : OC_OK;
    if (rc == OC_OK && oc_streq(pair, "-")) {
        rc = cli_secret_from_file("-", "join code", &code, err);
    }
    cli_service_plan_secret(p, "OPENCLAW_GATEWAY_TOKEN", token);
    cli_service_plan_secret(p, "OPENCLAW_GATEWAY_PASSWORD", NULL);
    cli_service_plan_secret(p, "OPENCLAW_PAIR_CODE", code ? code : pair);
    return rc;
}

static int node_install_run(struct cli_cli *cli) {
    struct cli_service_plan plan = {
        .group = "node", .description = "OpenClaw node", .runs_commands = true
    };
    OC_AUTO_FREE char *config_path = oc_path_config();
    OC_AUTO_JSON cJSON *config = NULL;
    struct oc_error err;
    if (cli_args_has(&cli->args, "pair") &&
            (cli_args_has(&cli->args, "host") || cli_args_has(&cli->args, "port"))) {
        return cli_usage(
                cli, "a setup code says where the gateway is: leave out --host and --port");
    }
    enum oc_code rc = oc_config_load(config_path, &config, &err);
    if (rc != OC_OK) {
        cli_set_fix(cli, "openclaw config validate");
    }
    rc = rc == OC_OK ? add_secrets(&cli->args, &plan, &err) : rc;
    add_words(&cli->args, &plan);
    add_path(&plan.env);
    int code = rc == OC_OK ? cli_service_install(cli, &plan) : cli_fail(cli, &err);
    cli_service_plan_finish(&plan);
    return code;
}

static const struct cli_option options[] = {
#include "cli/commands/node_options.def"
    { "force", 0, CLI_OPT_FLAG, NULL, "overwrite a unit that is not from this program" },
    { "runtime", 0, CLI_OPT_TEXT, "name", "", .flags = CLI_OPT_HIDDEN },
    { "json", 0, CLI_OPT_FLAG, NULL, "print one JSON document on stdout" },
    { 0 },
};

const struct cli_command cli_command_node_install = {
    .path = "node install",
    .summary = "Run the node as a service of your systemd, from now on and after every login",
    .details =
            "Writes openclaw-node.service, enables and starts it; safe to repeat, and a running\n"
            "node starts anew only when something changed. What is given becomes the words of\n"
            "node run. Token, password and setup code (from --token-file, --pair or the\n"
            "environment) go into service-node.env in the state directory, mode 0600, and stay\n"
            "there until openclaw node uninstall. PATH and the OPENCLAW_* settings of this shell\n"
            "are taken along. Another OPENCLAW_STATE_DIR makes another service.",
    .examples = "openclaw node install --pair -",
    .options = options,
    .run = node_install_run,
};
