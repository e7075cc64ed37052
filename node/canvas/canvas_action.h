/* What a person did on the canvas, as the agent is told (docs/CANVAS.md#actions): agents are
 * prompted with this text, so it is exact. What it says is also there as data. */
#ifndef NODE_CANVAS_CANVAS_ACTION_H
#define NODE_CANVAS_CANVAS_ACTION_H

#include "lib/json/json.h"

struct nd_canvas_teller {
    const char *session_key; /* of who drew last; NULL: "main" */
    const char *host;        /* what people call this machine */
    const char *instance;
    const char *via; /* how it came about, unless by a person at this machine; NULL: by one */
};

/* action: {"userAction":{…}} or what is inside. *ret_params are those of node.event; *ret_id is the
 * action's. Both are the caller's.
 */
enum oc_code nd_canvas_action_tell(const cJSON *action, const struct nd_canvas_teller *teller,
        cJSON **ret_params, char **ret_id, struct oc_error *err) OC_MUST_USE;

#endif
