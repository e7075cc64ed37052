/* What the owner of this machine has switched on, and whether the programs for it are there. */
#include "cli/doctor/doctor.h"

#include "cli/nodes/node_local.h"
#include "lib/base/mem.h"

void cli_doctor_owner(struct cli_doctor *d) {
    OC_AUTO_JSON cJSON *doc = cli_node_local(&(struct cli_node_local_opts){
            .state_dir = d->state_dir, .home = d->home, .config = d->config });
    OC_AUTO_STRV struct oc_strv on = { 0 }, off = { 0 };
    const cJSON *s;
    oc_json_for_each_member(s, oc_json_get(doc, "switches")) {
        if (!oc_json_get(s, "package")) {
            continue;
        }
        bool is_on = oc_json_get_bool(s, "on", false);
        oc_strv_add(is_on ? &on : &off, s->string);
        if (is_on && !oc_json_get_bool(s, "installed", false)) {
            const char *package = oc_json_get_str(s, "package");
            cli_doctor_add(d, CLI_FINDING_WARN, "switches",
                    oc_strfmt("install the package %s", package),
                    "%s is on here, but %s is not installed", s->string, package);
        }
    }
    if (oc_json_get(doc, "switchesError")) {
        cli_doctor_add(d, CLI_FINDING_FAIL, "switches",
                oc_strdup(
                        "remove that file, then openclaw node enable what a node here is to offer"),
                "everything is off here, because the switches' file is not understood: %s",
                oc_json_get_str(doc, "switchesError"));
    }
    bool announces =
            oc_json_get_bool(oc_json_get(oc_json_get(doc, "switches"), "announce"), "on", false);
    OC_AUTO_FREE char *all_on = oc_strv_join(&on, ", "), *all_off = oc_strv_join(&off, ", ");
    if (on.count > 0) {
        cli_doctor_add(d, CLI_FINDING_OK, "switches", NULL, "on here: %s; captures are %s", all_on,
                announces ? "announced" : "not announced");
    }
    if (off.count > 0) {
        cli_doctor_add(d, CLI_FINDING_OFF, "switches",
                oc_strfmt("openclaw node enable %s", off.items[0]),
                "off here (gate: local switch): %s", all_off);
    }
    const cJSON *h;
    oc_json_for_each_member(h, oc_json_get(doc, "helpers")) {
        if (!oc_json_get_bool(h, "installed", false)) {
            cli_doctor_add(d, CLI_FINDING_OFF, "helpers",
                    oc_strfmt("install the package %s", oc_json_get_str(h, "package")),
                    "%s is not installed; a node here does without its commands", h->string);
        }
    }
    /* Of interest only where the canvas is used. */
    bool draws = oc_json_get_bool(oc_json_get(oc_json_get(doc, "switches"), "canvas"), "on", false);
    oc_json_for_each_member(h, oc_json_get(doc, "parts")) {
        if (draws && !oc_json_get_bool(h, "installed", false)) {
            cli_doctor_add(d, CLI_FINDING_OFF, "helpers",
                    oc_strfmt("install the package %s", h->string), "%s is not installed; %s",
                    h->string, oc_json_get_str(h, "without"));
        }
    }
}
