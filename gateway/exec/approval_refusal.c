#include "gateway/exec/approval_refusal.h"

#include "lib/base/encode.h"
#include "lib/base/grounds.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/protocol/errors.h"
#include "lib/protocol/grounds.h"
#include "lib/text/fix.h"

#include <string.h>

#define MAX_WHY 200

static const struct form {
    const char *wire, *code, *message;
    struct oc_grounds grounds;
} forms[] = {
    [GW_APPROVAL_NOT_FOUND] = { OC_WIRE_INVALID, "APPROVAL_NOT_FOUND",
            "approval expired or not found",
            { .cause = OC_CAUSE_UNKNOWN_REQUEST, .remedy = OC_REMEDY_LIST_APPROVALS } },
    [GW_APPROVAL_OWN_REQUEST] = { OC_WIRE_INVALID, "APPROVAL_OWN_REQUEST",
            "whoever asked cannot approve it", { .remedy = OC_REMEDY_OTHER_OPERATOR } },
    [GW_APPROVAL_CHANGED] = { OC_WIRE_INVALID, "APPROVAL_CHANGED",
            "nothing was approved: its files have changed since it was asked for, so it was "
            "withdrawn",
            { .cause = OC_CAUSE_APPROVAL_CHANGED, .remedy = OC_REMEDY_REQUEST_AGAIN } },
    [GW_APPROVAL_NOT_LOOKED_AT] = { OC_WIRE_UNAVAILABLE, "APPROVAL_NOT_LOOKED_AT",
            "nothing was approved: the node did not say whether its files are still the same",
            { .remedy = OC_REMEDY_WAIT_FOR_NODE } },
    [GW_APPROVAL_CONTENT_NOT_BOUND] = { OC_WIRE_INVALID, "APPROVAL_CONTENT_NOT_BOUND",
            "content not bound: what this command runs can change, so it is allowed once at a "
            "time",
            { .remedy = OC_REMEDY_APPROVE_ONCE } },
};
_Static_assert(OC_COUNT(forms) == GW_APPROVAL_REFUSAL_COUNT, "every refusal has its words");

static cJSON *details_of(const struct form *f) {
    OC_AUTO_FREE char *fix = oc_fix_text(&f->grounds);
    cJSON *details = cJSON_CreateObject();
    oc_json_set_str(details, "code", f->code);
    oc_grounds_put(details, &f->grounds, fix);
    return details;
}

cJSON *gw_approval_refuse(enum gw_approval_refusal refusal, const char *why) {
    const struct form *f = &forms[refusal];
    OC_AUTO_FREE char *shown = why ? oc_printable(why, strlen(why), MAX_WHY) : NULL;
    OC_AUTO_FREE char *message =
            shown ? oc_strfmt("%s (%s)", f->message, shown) : oc_strdup(f->message);
    return oc_wire_error(f->wire, message, details_of(f), -1);
}

cJSON *gw_approval_not_found(const char *message) {
    const struct form *f = &forms[GW_APPROVAL_NOT_FOUND];
    cJSON *details = details_of(f);
    oc_json_set_str(details, "reason", f->code);
    return oc_wire_error(f->wire, message, details, -1);
}
