/* openclaw node status: this machine as a node. Asks nobody; what its files and the node that runs
 * here tell. */
#include "cli/command.h"

#include "cli/nodes/node_local.h"
#include "cli/output.h"
#include "cli/service/service.h"
#include "cli/text.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/config/config.h"
#include "lib/files/file.h"

static void print_running(const cJSON *doc) {
    const cJSON *node = oc_json_get(doc, "node");
    if (!oc_json_get_bool(doc, "running", false)) {
        bool has_service = oc_json_get_bool(oc_json_get(doc, "service"), "installed", false);
        cli_out_line(
                "Node: not running\n  start it: openclaw node %s", has_service ? "start" : "run");
        return;
    }
    char age[24];
    cli_age(oc_wall_ms(&oc_clock_system), oc_json_get_ms(node, "sinceMs", 0), age);
    OC_AUTO_FREE char *text = cli_shown(oc_json_get_str(node, "text"));
    cli_out_line(
            "Node: running, pid %lld", (long long)oc_json_get_int(node, "pid", 1, INT32_MAX, 0));
    cli_out_line("  %s%s%s%s", *text ? text : "its state is not known", *age ? " (" : "", age,
            *age ? ")" : "");
}

static void print_service(const cJSON *service) {
    OC_AUTO_FREE char *summary = cli_service_summary(service);
    if (!oc_json_get_bool(service, "installed", false)) {
        cli_out_line("Service: not installed (openclaw node install)");
        return;
    }
    cli_out_line("Service: %s: %s\n  logs: %s", oc_json_get_str(service, "unit"), summary,
            oc_json_get_str(service, "logs"));
}

static void print_switches(const cJSON *switches) {
    static const char *const headers[] = { "Switch", "State", "Program", "What it is for" };
    CLI_AUTO_TABLE struct cli_table *t = cli_table_create(headers, OC_COUNT(headers));
    const cJSON *s;
    oc_json_for_each_member(s, switches) {
        bool is_on = oc_json_get_bool(s, "on", false);
        bool is_there = oc_json_get_bool(s, "installed", true);
        cli_table_add(t, s->string);
        cli_table_add_styled(t, is_on ? "on" : "off", is_on ? CLI_STYLE_GOOD : CLI_STYLE_DIM);
        if (oc_json_get(s, "package")) {
            cli_table_add_styled(t, is_there ? "installed" : "missing",
                    is_there ? CLI_STYLE_GOOD : CLI_STYLE_WARN);
        } else {
            cli_table_add_styled(t, "-", CLI_STYLE_DIM);
        }
        cli_table_add(t, oc_json_get_str(s, "summary"));
    }
    cli_out_table(t);
    cli_out_line("Change them with openclaw node enable and openclaw node disable.");
}

static void print_helpers(const cJSON *helpers) {
    const cJSON *h;
    oc_json_for_each_member(h, helpers) {
        OC_AUTO_FREE char *commands = cli_shown_list(oc_json_get(h, "commands"));
        if (!oc_json_get_bool(h, "installed", false)) {
            cli_out_line("%s is not installed, so there is no %s\n  fix: install the package %s",
                    h->string, commands, oc_json_get_str(h, "package"));
        }
    }
}

static void print_exec(const cJSON *doc) {
    const cJSON *exec = oc_json_get(doc, "exec");
    const char *error = oc_json_get_str(exec, "error");
    if (error) {
        cli_out_line("Programs: none, %s", error);
    } else {
        cli_out_line("Programs: security=%s ask=%s (openclaw approvals get)",
                oc_json_get_str(exec, "security"), oc_json_get_str(exec, "ask"));
    }
    cli_out_line("Sandbox: %s", oc_json_get_str(doc, "sandbox"));
}

static int node_status_run(struct cli_cli *cli) {
    OC_AUTO_FREE char *state_dir = oc_dir_state(), *home = oc_dir_home(),
                      *config_path = oc_path_config();
    OC_AUTO_JSON cJSON *config = NULL;
    struct oc_error err;
    if (oc_config_load(config_path, &config, &err) != OC_OK) {
        cli_set_fix(cli, "openclaw config validate");
        return cli_fail(cli, &err);
    }
    OC_AUTO_JSON cJSON *doc = cli_node_local(&(struct cli_node_local_opts){
            .state_dir = state_dir, .home = home, .config = config });
    CLI_AUTO_SERVICE struct cli_service service;
    cli_service_init(&service, "node");
    oc_json_set(doc, "service", cli_service_state(&service));
    if (cli->is_json) {
        cli_out_json(doc);
        return CLI_EXIT_OK;
    }
    print_running(doc);
    print_service(oc_json_get(doc, "service"));
    print_switches(oc_json_get(doc, "switches"));
    if (oc_json_get(doc, "switchesError")) {
        OC_AUTO_FREE char *why = cli_shown(oc_json_get_str(doc, "switchesError"));
        cli_out_line("All of them are off, because their file is not understood: %s\n"
                     "  fix: remove it, then openclaw node enable what you want",
                why);
    }
    print_helpers(oc_json_get(doc, "helpers"));
    print_exec(doc);
    return CLI_EXIT_OK;
}

static const struct cli_option options[] = {
    { "json", 0, CLI_OPT_FLAG, NULL, "print one JSON document on stdout" },
    { 0 },
};

const struct cli_command cli_command_node_status = {
    .path = "node status",
    .summary = "This machine as a node: what runs, and what its owner allows",
    .details = "Looks at this machine only. openclaw nodes describe shows what the gateway thinks "
               "of it.",
    .examples = "openclaw node status",
    .options = options,
    .run = node_status_run,
};
