/* openclaw doctor: looks at files, gateway and nodes, says what is wrong, and names the command
 * that helps. */
#include "cli/doctor/doctor.h"

#include "cli/output.h"
#include "lib/base/mem.h"
#include "lib/files/file.h"

static int doctor_run(struct cli_cli *cli) {
    OC_AUTO_FREE char *state_dir = oc_dir_state(), *config_path = oc_path_config(),
                      *home = oc_dir_home();
    struct cli_doctor d = {
        .cli = cli,
        .state_dir = state_dir,
        .config_path = config_path,
        .home = home,
        .findings = cJSON_CreateArray(),
        .nodes = cJSON_CreateArray(),
    };
    cli_doctor_files(&d);
    cli_doctor_ancestors(&d);
    cli_doctor_mdns(&d);
    cli_doctor_sandbox(&d);
    cli_doctor_owner(&d);
    cli_doctor_service(&d);
    cli_doctor_desktop(&d);
    cli_doctor_gateway(&d);
    if (cli->is_json) {
        OC_AUTO_JSON cJSON *doc = cJSON_CreateObject();
        oc_json_set_bool(doc, "ok", d.failures == 0);
        oc_json_set(doc, "checks", oc_take(&d.findings));
        oc_json_set(doc, "nodes", oc_take(&d.nodes));
        cli_out_json(doc);
    } else {
        cli_doctor_print(&d);
    }
    cJSON_Delete(d.findings);
    cJSON_Delete(d.nodes);
    cJSON_Delete(d.config);
    return d.failures > 0 ? CLI_EXIT_FAILED : CLI_EXIT_OK;
}

const struct cli_command cli_command_doctor = {
    .path = "doctor",
    .summary = "Check files, desktop, gateway, pairing and every gate of every node",
    .details = "Changes nothing. One finding per check: ok, off (not used, which is fine), warn or "
               "fail,\n"
               "with the command that helps. Ends with 1 when one of them failed.",
    .examples = "openclaw doctor",
    .calls_gateway = true,
    .run = doctor_run,
};
