#include "canvas/model/bound.h"

struct oc_slice cv_bound_path(const struct cv_value *bv) {
    const struct cv_value *path = cv_value_get(bv, "path");
    return cv_value_type_of(path) == CV_V_STRING ? cv_value_string(path)
                                                 : (struct oc_slice){ NULL, 0 };
}

const struct cv_value *cv_bound_literal(const struct cv_value *bv) {
    static const char *const members[] = { "literalString", "literalNumber", "literalBoolean",
        "literalArray", "literal" };
    for (size_t i = 0; i < OC_COUNT(members); i++) {
        const struct cv_value *v = cv_value_get(bv, members[i]);
        if (v) {
            return v;
        }
    }
    return NULL;
}

const struct cv_value *cv_bound_resolve(
        const struct cv_surface *s, const struct cv_context *c, const struct cv_value *bv) {
    if (cv_value_type_of(bv) != CV_V_MAP) {
        return cv_value_type_of(bv) == CV_V_NULL ? NULL : bv;
    }
    struct oc_slice path = cv_bound_path(bv);
    const struct cv_value *v = path.ptr ? cv_surface_lookup(s, c, path) : NULL;
    /* With both, the literal was written to the path (model_init.c). Where it could not be, it is
     * still what the agent meant to be seen, and of an action's context it is what is sent when
     * there is no data. */
    return v ? v : cv_bound_literal(bv);
}
