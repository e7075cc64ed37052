#include "lib/protocol/scopes.h"

bool oc_scope_held(const struct oc_strv *granted, const char *wanted) {
    return oc_strv_has(granted, wanted) ||
           (oc_starts_with(wanted, "operator.") && oc_strv_has(granted, OC_SCOPE_ADMIN)) ||
           (oc_streq(wanted, OC_SCOPE_READ) && oc_strv_has(granted, OC_SCOPE_WRITE));
}

bool oc_scopes_cover(
        const char *role, const struct oc_strv *granted, const struct oc_strv *wanted) {
    if (!oc_streq(role, OC_ROLE_OPERATOR)) {
        return oc_strv_covers(granted, wanted);
    }
    for (size_t i = 0; i < wanted->count; i++) {
        if (!oc_scope_held(granted, wanted->items[i])) {
            return false;
        }
    }
    return true;
}
