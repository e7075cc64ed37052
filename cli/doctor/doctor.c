#include "cli/doctor/doctor.h"

#include "cli/output.h"
#include "lib/base/mem.h"

#include <stdarg.h>
#include <stdio.h>

#define MAX_LINE 2048

static const struct {
    const char *name;
    enum cli_style style;
} levels[] = {
    [CLI_FINDING_OK] = { "ok", CLI_STYLE_GOOD },
    [CLI_FINDING_OFF] = { "off", CLI_STYLE_DIM },
    [CLI_FINDING_WARN] = { "warn", CLI_STYLE_WARN },
    [CLI_FINDING_FAIL] = { "fail", CLI_STYLE_BAD },
};

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
    oc_json_set_str(finding, "level", levels[level].name);
    oc_json_set_str(finding, "text", text);
    oc_json_set_str(finding, "fix", level == CLI_FINDING_OK ? NULL : fix);
    cJSON_AddItemToArray(d->findings, finding);
    d->failures += level == CLI_FINDING_FAIL;
}

static enum cli_style style_of(const char *level) {
    for (size_t i = 0; i < OC_COUNT(levels); i++) {
        if (oc_streq(level, levels[i].name)) {
            return levels[i].style;
        }
    }
    return CLI_STYLE_PLAIN;
}

void cli_doctor_print(const struct cli_doctor *d) {
    const cJSON *finding = NULL;
    cJSON_ArrayForEach(finding, d->findings) {
        const char *level = oc_json_get_str(finding, "level");
        const char *fix = oc_json_get_str(finding, "fix");
        OC_AUTO_FREE char *text = oc_strfmt(
                "%s: %s", oc_json_get_str(finding, "check"), oc_json_get_str(finding, "text"));
        cli_out_item(level, style_of(level), text);
        if (fix) {
            OC_AUTO_FREE char *line = oc_strfmt("fix: %s", fix);
            cli_out_item("", CLI_STYLE_PLAIN, line);
        }
    }
}
