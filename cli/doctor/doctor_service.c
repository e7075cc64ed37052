/* The services of this state directory: do they start what is still there, and do they run. */
#include "cli/doctor/doctor.h"

#include "cli/service/service.h"
#include "lib/base/mem.h"

#include <unistd.h>

/* Where a machine was upgraded or a build was moved, the unit still names the old place. */
static bool check_program(struct oc_doctor *d, const struct oc_service *s, const cJSON *state) {
    const cJSON *argv = oc_json_get(oc_json_get(state, "command"), "programArguments");
    const cJSON *first = argv ? argv->child : NULL;
    OC_AUTO_FREE char *own = oc_service_program(),
                      *again = oc_strfmt("openclaw %s install", s->group);
    if (!first || !cJSON_IsString(first)) {
        return true;
    }
    if (access(first->valuestring, X_OK) != 0) {
        oc_doctor_add(d, OC_FINDING_FAIL, "service", oc_take(&again),
                "%s starts %s, which is not there any more", s->unit, first->valuestring);
        return false;
    }
    if (own && !oc_streq(own, first->valuestring)) {
        oc_doctor_add(d, OC_FINDING_WARN, "service", oc_take(&again),
                "%s starts %s, but this program is %s", s->unit, first->valuestring, own);
    }
    return true;
}

static void look(struct oc_doctor *d, const char *group) {
    OC_AUTO_SERVICE struct oc_service s;
    oc_service_init(&s, group);
    OC_AUTO_JSON cJSON *state = oc_service_state(&s);
    if (!oc_json_get_bool(state, "installed", false)) {
        return;
    }
    OC_AUTO_FREE char *summary = oc_service_summary(state);
    const cJSON *runtime = oc_json_get(state, "runtime");
    const char *active = oc_json_get_str(runtime, "state");
    bool is_there = check_program(d, &s, state);
    bool has_failed = oc_streq(active, "failed") ||
                      oc_streq(oc_json_get_str(runtime, "subState"), "auto-restart");
    if (has_failed && is_there) {
        oc_doctor_add(d, OC_FINDING_FAIL, "service",
                oc_strfmt("%s -n 20", oc_json_get_str(state, "logs")), "%s: %s", s.unit, summary);
    } else if (!has_failed) {
        oc_doctor_add(d, OC_FINDING_OK, "service", NULL, "%s: %s", s.unit, summary);
    }
    if (oc_streq(active, "active") && !oc_json_get_bool(state, "lingers", false)) {
        oc_doctor_add(d, OC_FINDING_OK, "service", oc_strdup("loginctl enable-linger"),
                "%s ends when you log out", s.unit);
    }
}

void oc_doctor_service(struct oc_doctor *d) {
    look(d, "gateway");
    look(d, "node");
}
