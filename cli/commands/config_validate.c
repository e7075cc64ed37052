/* openclaw config validate: what is wrong with the settings, and where. */
#include "cli/command.h"

#include "cli/output.h"
#include "gateway/settings/config_check.h"
#include "lib/base/mem.h"
#include "lib/config/config_file.h"
#include "lib/files/file.h"
#include "node/config_check.h"

static void config_validate_print(
        const struct oc_config_file *f, const cJSON *list, const char *kind) {
    const cJSON *issue = NULL;
    cJSON_ArrayForEach(issue, list) {
        OC_AUTO_FREE char *text = oc_config_issue_text(issue);
        cli_out_line("%s: %s: %s", oc_config_issue_file(f, issue), kind, text);
    }
}

static int config_validate_run(struct cli_cli *cli) {
    struct oc_error err;
    OC_AUTO_FREE char *own = oc_path_config();
    const char *path = cli->args.rest.count > 0 ? cli->args.rest.items[0] : own;
    OC_AUTO_CONFIG_FILE struct oc_config_file f;
    oc_config_file_read(path, &f);
    OC_AUTO_FREE char *state_dir = oc_dir_state(), *home = oc_dir_home();
    gw_check_file(&f, state_dir);
    nd_check_file(&f, state_dir, home);
    if (!f.exists && cli->args.rest.count > 0) {
        oc_fail(&err, OC_E_NOT_FOUND, "%s does not exist", path);
        return cli_fail(cli, &err);
    }
    bool is_valid = !f.issues->child;
    if (cli->is_json) {
        OC_AUTO_JSON cJSON *doc = cJSON_CreateObject();
        oc_json_set_bool(doc, "valid", is_valid);
        oc_json_set_str(doc, "path", path);
        oc_json_set(doc, "issues", oc_take(&f.issues));
        oc_json_set(doc, "warnings", oc_take(&f.warnings));
        cli_out_json(doc);
    } else {
        config_validate_print(&f, f.issues, "error");
        config_validate_print(&f, f.warnings, "warning");
        if (is_valid) {
            cli_out_line(
                    "%s %s", path, f.exists ? "is valid" : "does not exist; the defaults hold");
        }
    }
    return is_valid ? CLI_EXIT_OK : CLI_EXIT_FAILED;
}

static const struct cli_option options[] = {
    { "json", 0, CLI_OPT_FLAG, NULL, "print one JSON document on stdout" },
    { 0 },
};

const struct cli_command cli_command_config_validate = {
    .path = "config validate",
    .summary = "Check the settings; mistakes are named with line and column",
    .operands = "[file]",
    .details = "Also what only shows when a gateway or node starts: settings that do not go "
               "together,\n"
               "certificates and directories that cannot be used.",
    .examples = "openclaw config validate",
    .options = options,
    .max_operands = 1,
    .run = config_validate_run,
};
