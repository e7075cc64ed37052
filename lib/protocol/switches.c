#include "lib/protocol/switches.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"

#include <string.h>

static const struct oc_switch switches[] = {
    { "approvals", "APPROVALS_DISABLED", NULL, "system.execApprovals.set" },
    { "camera", "CAMERA_DISABLED", "openclaw-media" },
    { "canvas", "CANVAS_DISABLED", "openclaw-canvas" },
    { "location", "LOCATION_DISABLED", "openclaw-desktop" },
    { "screen", "SCREEN_DISABLED", "openclaw-media" },
};

const struct oc_switch *oc_switches(size_t *ret_count) {
    *ret_count = OC_COUNT(switches);
    return switches;
}

const struct oc_switch *oc_switch_of(const char *command) {
    size_t len = strcspn(command, ".");
    for (size_t i = 0; i < OC_COUNT(switches); i++) {
        if (switches[i].command) {
            if (strcmp(switches[i].command, command) == 0) {
                return &switches[i];
            }
            continue;
        }
        if (command[len] == '.' && strlen(switches[i].name) == len &&
                strncmp(switches[i].name, command, len) == 0) {
            return &switches[i];
        }
    }
    return NULL;
}

const struct oc_switch *oc_switch_by_code(const char *code) {
    for (size_t i = 0; i < OC_COUNT(switches); i++) {
        if (oc_streq(switches[i].disabled, code)) {
            return &switches[i];
        }
    }
    return NULL;
}

static enum oc_switch_state state_of_declared(const cJSON *permissions, const char *command) {
    OC_AUTO_FREE char *denied = oc_strfmt("%s" OC_PERMISSION_DENIED, command);
    return oc_json_get(permissions, command)  ? OC_SWITCH_OFF
           : oc_json_get(permissions, denied) ? OC_SWITCH_ON
                                              : OC_SWITCH_UNKNOWN;
}

enum oc_switch_state oc_switch_read(const cJSON *permissions, const struct oc_switch *s) {
    if (s->command) {
        return state_of_declared(permissions, s->command);
    }
    OC_AUTO_FREE char *installed = oc_strfmt("%s" OC_PERMISSION_INSTALLED, s->name);
    if (!oc_json_get(permissions, s->name)) {
        return OC_SWITCH_UNKNOWN;
    }
    if (!oc_json_get_bool(permissions, s->name, false)) {
        return OC_SWITCH_OFF;
    }
    return oc_json_get_bool(permissions, installed, true) ? OC_SWITCH_ON : OC_SWITCH_NOT_INSTALLED;
}

/* Apps have settings of their own for this. */
static bool has_command_line(const char *client_id) {
    return oc_streq(client_id, "node-host");
}

struct oc_grounds oc_switch_grounds(
        const cJSON *permissions, const struct oc_switch *s, const char *client_id) {
    struct oc_grounds g = { .cause = OC_CAUSE_SWITCHED_OFF, .gate = OC_GATE_SWITCH };
    switch (oc_switch_read(permissions, s)) {
    case OC_SWITCH_OFF:
        g.remedy = has_command_line(client_id) ? OC_REMEDY_ENABLE_SWITCH : OC_REMEDY_ALLOW_IN_APP;
        oc_grounds_set_subject(&g, s->name);
        return g;
    case OC_SWITCH_NOT_INSTALLED:
        g.remedy = OC_REMEDY_INSTALL_PACKAGE;
        oc_grounds_set_subject(&g, s->package);
        return g;
    case OC_SWITCH_UNKNOWN:
    case OC_SWITCH_ON:
        break;
    }
    return (struct oc_grounds){ 0 };
}
