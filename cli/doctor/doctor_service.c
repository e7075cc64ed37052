/* The services of this state directory: do they start what is still there, and do they run. */
#include "cli/doctor/doctor.h"

#include "cli/service/service.h"
#include "lib/base/mem.h"

#include <unistd.h>

/* Where a machine was upgraded or a build was moved, the unit still names the old place. */
static bool check_program(struct cli_doctor *d, const struct cli_service *s, const cJSON *state) {
    const cJSON *argv = oc_json_get(oc_json_get(state, "command"), "programArguments");
    const cJSON *first = argv ? argv->child : NULL;
    OC_AUTO_FREE char *own = cli_service_program(),
                      *again = oc_strfmt("openclaw %s install", s->group);
    if (!first || !cJSON_IsString(first)) {
        return true;
    }
    if (access(first->valuestring, X_OK) != 0) {
        cli_doctor_add(d, CLI_FINDING_FAIL, "service", oc_take(&again),
                "%s starts %s, which is not there any more", s->unit, first->valuestring);
        return false;
    }
    if (own && !oc_streq(own, first->valuestring)) {
        cli_doctor_add(d, CLI_FINDING_WARN, "service", oc_take(&again),
                "%s starts %s, but this program is %s", s->unit, first->valuestring, own);
    }
    return true;
}

static void doctor_service_look(struct cli_doctor *d, const char *group) {
    CLI_AUTO_SERVICE struct cli_service s;
    cli_service_init(&s, group);
    OC_AUTO_JSON cJSON *state = cli_service_state(&s);
    if (!oc_json_get_bool(state, "installed", false)) {
        return;
    }
    OC_AUTO_FREE char *summary = cli_service_summary(state);
    const cJSON *runtime = oc_json_get(state, "runtime");
    const char *active = oc_json_get_str(runtime, "state");
    bool is_there = check_program(d, &s, state);
    bool has_failed = oc_streq(active, "failed") ||
                      oc_streq(oc_json_get_str(runtime, "subState"), "auto-restart");
    if (has_failed && is_there) {
        cli_doctor_add(d, CLI_FINDING_FAIL, "service",
                oc_strfmt("%s -n 20", oc_json_get_str(state, "logs")), "%s: %s", s.unit, summary);
    } else if (!has_failed) {
        cli_doctor_add(d, CLI_FINDING_OK, "service", NULL, "%s: %s", s.unit, summary);
    }
    if (oc_streq(active, "active") && !oc_json_get_bool(state, "lingers", false)) {
        cli_doctor_add(d, CLI_FINDING_OFF, "service", oc_strdup("loginctl enable-linger"),
                "%s ends when you log out", s.unit);
    }
}

void cli_doctor_service(struct cli_doctor *d) {
    doctor_service_look(d, "gateway");
    doctor_service_look(d, "node");
}
