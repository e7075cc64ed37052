/* What somebody does in a browser with the canvas of a node: checked, kept while the node is busy with what came before, and
 * fewer of it when there is much. */
#ifndef GATEWAY_CANVAS_CANVAS_TOUCH_H
#define GATEWAY_CANVAS_CANVAS_TOUCH_H

#include "lib/base/error.h"
#include "lib/json/json.h"

#include <stdbool.h>
#include <stddef.h>

#define OC_MAX_TOUCHES 64            /* that wait */
#define OC_MAX_TOUCH_BYTES 16384     /* of one message */
#define OC_MAX_TOUCH_TEXT_BYTES 8192 /* typed or pasted at once */

/* {"pointer":"move|press|release|leave","x","y","mods"?}, {"scroll":true,"x","y","dx","dy"}, {"key","mods"?} or {"text"}: the params
 * of canvas.input, with nothing else in them. */
enum oc_code oc_touch_decode(
        const char *text, size_t len, cJSON **ret, struct oc_error *err) OC_MUST_USE;

struct oc_touches {
    cJSON *items[OC_MAX_TOUCHES]; /* oldest first */
    size_t count;
};
/* A move replaces the one that waits last, a scroll at the same place adds to it, text follows text. False, and it is gone: too
 * many wait. */
bool oc_touches_add(struct oc_touches *t, cJSON *take_touch);
cJSON *oc_touches_take(struct oc_touches *t); /* NULL: none waits */
void oc_touches_finish(struct oc_touches *t);

#endif
