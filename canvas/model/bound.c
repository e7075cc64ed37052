#include "canvas/model/bound.h"

struct oc_slice oc_bound_path(const struct oc_value *bv) {
    const struct oc_value *path = oc_value_get(bv, "path");
    return oc_value_type(path) == OC_V_STRING ? oc_value_string(path)
                                              : (struct oc_slice){ NULL, 0 };
}

const struct oc_value *oc_bound_literal(const struct oc_value *bv) {
    static const char *const members[] = { "literalString", "literalNumber", "literalBoolean",
        "literalArray", "literal" };
    for (size_t i = 0; i < OC_COUNT(members); i++) {
        const struct oc_value *v = oc_value_get(bv, members[i]);
        if (v) {
            return v;
        }
    }
    return NULL;
}

const struct oc_value *oc_bound_resolve(
        const struct oc_surface *s, const struct oc_context *c, const struct oc_value *bv) {
    if (oc_value_type(bv) != OC_V_MAP) {
        return oc_value_type(bv) == OC_V_NULL ? NULL : bv;
    }
    struct oc_slice path = oc_bound_path(bv);
    const struct oc_value *v = path.ptr ? oc_surface_lookup(s, c, path) : NULL;
    /* With both, the literal was written to the path (model_init.c). Where it could not be, it is still what the agent meant to be
     * seen, and of an action's context it is what is sent when there is no data. */
    return v ? v : oc_bound_literal(bv);
}
