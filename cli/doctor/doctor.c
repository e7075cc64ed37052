#include "cli/doctor/doctor.h"

#include "lib/base/mem.h"

#include <stdarg.h>
#include <stdio.h>

#define MAX_LINE 2048

static const char *const level_names[] = { "ok", "warn", "fail" };

void cli_doctor_add(struct cli_doctor *d, enum cli_finding_level level, const char *check,
        char *take_fix, const char *fmt, ...) {
    OC_AUTO_FREE char *fix = take_fix;
    char text[MAX_LINE];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    cJSON *finding = cJSON_CreateObject();
    oc_json_set_str(finding, "check", check);
    oc_json_set_str(finding, "level", level_names[level]);
    oc_json_set_str(finding, "text", text);
    oc_json_set_str(finding, "fix", fix);
    cJSON_AddItemToArray(d->findings, finding);
    d->failures += level == CLI_FINDING_FAIL;
}
