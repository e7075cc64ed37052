/* Would what the owner has switched on work here? The helper programs look, because the desktop's
 * libraries are theirs, and are ended when the desktop hangs. Nothing is captured, and nobody is
 * asked. */
#include "cli/doctor/doctor.h"

#include "cli/child.h"
#include "cli/text.h"
#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "node/helper/helper.h"
#include "node/owner/switches.h"

#include <stdlib.h>
#include <string.h>

enum { CHECK_MS = 6000, MAX_ANSWER = 65536 };

struct switches {
    bool camera, screen, location, announce;
};

/* A terminal of an SSH session is told as little of the desktop as a service is. */
static void join_session(void) {
    OC_AUTO_STRV struct oc_strv env = { 0 };
    nd_helper_env(&env);
    for (size_t i = 0; i < env.count; i++) {
        OC_AUTO_FREE char *name = oc_strndup(env.items[i], strcspn(env.items[i], "="));
        if (strchr(env.items[i], '=')) {
            (void)setenv(name, env.items[i] + strlen(name) + 1, 0);
        }
    }
}

static cJSON *doctor_desktop_ask(
        struct cli_doctor *d, const char *program, const char *what, const cJSON *params) {
    OC_AUTO_FREE char *path = nd_helper_find(program), *text = oc_json_print(params, false);
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(MAX_ANSWER);
    OC_AUTO_JSON cJSON *answer = NULL;
    struct oc_error err;
    int status = 0;
    if (!path) {
        return NULL; /* named elsewhere */
    }
    oc_strv_add(&argv, path);
    oc_strv_add(&argv, "check");
    oc_strv_add(&argv, text);
    enum oc_code rc = cli_child_collect(&argv, CHECK_MS, &out, &status, &err);
    if (rc == OC_OK && out.len == 0) {
        rc = oc_fail(&err, OC_E_TIMEOUT, "no answer within %d s", CHECK_MS / 1000);
    }
    rc = rc == OC_OK ? oc_json_parse(out.data, out.len, &answer, &err) : rc;
    if (rc != OC_OK || !oc_json_get_bool(answer, "ok", false)) {
        const char *told = oc_json_get_str(answer, "message");
        OC_AUTO_FREE char *why = cli_shown(told ? told : err.text);
        cli_doctor_add(d, CLI_FINDING_WARN, what, oc_strfmt("%s check '%s'", path, text),
                "%s could not look at it: %s", program, why);
        return NULL;
    }
    return oc_take(&answer);
}

static void doctor_desktop_report(
        struct cli_doctor *d, const cJSON *answer, const struct switches *on) {
    const cJSON *c;
    cJSON_ArrayForEach(c, oc_json_get(oc_json_get(answer, "result"), "checks")) {
        const char *check = oc_json_get_str(c, "check"), *fix = oc_json_get_str(c, "fix");
        OC_AUTO_FREE char *text = cli_shown(oc_json_get_str(c, "text"));
        /* Notifications need no switch, and a server shows none. */
        bool matters = !oc_streq(check, "notifications") ||
                       (on->announce && (on->camera || on->screen || on->location));
        bool ok = oc_json_get_bool(c, "ok", false);
        enum cli_finding_level level = ok        ? CLI_FINDING_OK
                                       : matters ? CLI_FINDING_WARN
                                                 : CLI_FINDING_OFF;
        cli_doctor_add(
                d, level, check ? check : "desktop", fix ? oc_strdup(fix) : NULL, "%s", text);
    }
}

/* Each by a program of its own: one that hangs does not hide the others. */
static void check_media(struct cli_doctor *d, const char *what, const struct switches *on) {
    OC_AUTO_JSON cJSON *params = cJSON_CreateObject();
    oc_json_set_str(params, "only", what);
    oc_json_set_bool(params, "quiet", true);
    OC_AUTO_JSON cJSON *answer = doctor_desktop_ask(d, ND_HELPER_MEDIA, what, params);
    doctor_desktop_report(d, answer, on);
}

static void check_desktop(struct cli_doctor *d, const struct switches *on) {
    const cJSON *fixed = oc_json_path(d->config, "node.location.fixed");
    const cJSON *gpsd = oc_json_path(d->config, "node.location.gpsd");
    OC_AUTO_JSON cJSON *params = cJSON_CreateObject();
    oc_json_set_bool(params, "location", on->location && !fixed);
    oc_json_set_str(params, "gpsd", cJSON_IsString(gpsd) ? gpsd->valuestring : NULL);
    OC_AUTO_JSON cJSON *answer = doctor_desktop_ask(d, ND_HELPER_DESKTOP, "desktop", params);
    doctor_desktop_report(d, answer, on);
    if (on->location && fixed) {
        cli_doctor_add(d, CLI_FINDING_OK, "location", NULL,
                "written down in node.location.fixed, for when nothing else knows it");
    }
}

void cli_doctor_desktop(struct cli_doctor *d) {
    OC_AUTO_FREE char *switches_path = oc_path_join(d->state_dir, ND_SWITCHES_FILE);
    struct switches on = { .camera = nd_switch_is_on(switches_path, "camera"),
        .screen = nd_switch_is_on(switches_path, "screen"),
        .location = nd_switch_is_on(switches_path, "location"),
        .announce = nd_switch_is_on(switches_path, "announce") };
    join_session();
    check_desktop(d, &on);
    if (on.camera) {
        check_media(d, "camera", &on);
    }
    if (on.screen) {
        check_media(d, "screen", &on);
    }
    if (on.camera || on.screen) {
        check_media(d, "gstreamer", &on);
    }
}
