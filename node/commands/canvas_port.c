#include "node/commands/canvas_port.h"

#include "lib/base/mem.h"
#include "lib/protocol/limits.h"

enum oc_code nd_canvas_copy_port(const cJSON *params, cJSON *ret, struct oc_error *err) {
    static const struct {
        const char *name;
        double min, max;
    } members[] = { { "width", OC_MIN_VIEW_PX, OC_MAX_VIEW_PX },
        { "height", OC_MIN_VIEW_PX, OC_MAX_VIEW_PX }, { "scale", 1, OC_MAX_VIEW_SCALE } };
    for (size_t i = 0; i < OC_COUNT(members); i++) {
        const cJSON *v = oc_json_get(params, members[i].name);
        double n;
        if (v && !oc_json_as_num(v, members[i].min, members[i].max, &n)) {
            return oc_fail_wire(err, OC_E_INVALID, "INVALID_REQUEST",
                    "INVALID_REQUEST: %s must be a number from %g to %g", members[i].name,
                    members[i].min, members[i].max);
        }
        if (v) {
            oc_json_set(ret, members[i].name, cJSON_CreateNumber(n));
        }
    }
    return OC_OK;
}
