#include "lib/helper/failure.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"

#include <string.h>

static bool may_name_cause(enum oc_cause cause) {
    return cause == OC_CAUSE_BUSY || cause == OC_CAUSE_NOT_INSTALLED || cause == OC_CAUSE_TIMED_OUT;
}

static bool may_name_remedy(enum oc_remedy remedy) {
    return remedy == OC_REMEDY_INSTALL_PACKAGE || remedy == OC_REMEDY_TRY_LATER;
}

/* A person may be told to install these. */
static bool is_package(const char *name) {
    static const char *const packages[] = { "gstreamer1.0-libav", "gstreamer1.0-pipewire",
        "gstreamer1.0-plugins-bad", "gstreamer1.0-plugins-base", "gstreamer1.0-plugins-good",
        "gstreamer1.0-plugins-ugly", "gstreamer1.0-x", "openclaw-web" };
    for (size_t i = 0; i < OC_COUNT(packages); i++) {
        if (oc_streq(name, packages[i])) {
            return true;
        }
    }
    return false;
}

static bool is_shown_whole(const char *text) {
    OC_AUTO_FREE char *shown = oc_printable(text, strlen(text), OC_MAX_SUBJECT);
    return strcmp(shown, text) == 0;
}

void oc_failure_put(cJSON *answer, const struct oc_grounds *g) {
    oc_json_set_str(answer, "cause", oc_cause_name(g->cause));
    oc_json_set_str(answer, "subject", g->subject[0] ? g->subject : NULL);
    oc_json_set_str(answer, "remedy", oc_remedy_name(g->remedy));
}

void oc_failure_read(const cJSON *answer, struct oc_grounds *ret) {
    enum oc_cause cause = oc_cause_named(oc_json_get_str(answer, "cause"));
    enum oc_remedy remedy = oc_remedy_named(oc_json_get_str(answer, "remedy"));
    const char *subject = oc_json_get_str(answer, "subject");
    *ret = (struct oc_grounds){ 0 };
    if (!may_name_cause(cause)) {
        return;
    }
    ret->cause = cause;
    if (remedy == OC_REMEDY_INSTALL_PACKAGE && !is_package(subject)) {
        return;
    }
    ret->remedy = may_name_remedy(remedy) ? remedy : OC_REMEDY_NONE;
    oc_grounds_set_subject(ret, subject && is_shown_whole(subject) ? subject : NULL);
}
