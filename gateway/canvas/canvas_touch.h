/* What somebody does in a browser with the canvas of a node: checked, kept while the node is busy
 * with what came before, and fewer of it when there is much. */
#ifndef GATEWAY_CANVAS_CANVAS_TOUCH_H
#define GATEWAY_CANVAS_CANVAS_TOUCH_H

#include "lib/base/error.h"
#include "lib/json/json.h"

#include <stdbool.h>
#include <stddef.h>

#define GW_MAX_TOUCHES 64            /* that wait */
#define GW_MAX_TOUCH_BYTES 16384     /* of one message */
#define GW_MAX_TOUCH_TEXT_BYTES 8192 /* typed or pasted at once */

/* {"pointer":"move|press|release|leave","x","y","mods"?}, {"scroll":true,"x","y","dx","dy"},
 * {"key","mods"?} or {"text"}: the params of canvas.input, with nothing else in them.
 * {"view":{"width","height"?,"scale"?}} is no touch: the page says in which view port it shows the
 * canvas, and *ret_view is that object, with nothing else in it; one of the two is set. */
enum oc_code gw_touch_decode(const char *text, size_t len, cJSON **ret, cJSON **ret_view,
        struct oc_error *err) OC_MUST_USE;

struct gw_touches {
    cJSON *items[GW_MAX_TOUCHES]; /* oldest first */
    size_t count;
};
/* A move replaces the one that waits last, a scroll at the same place adds to it, text follows
 * text. False, and it is gone: too many wait. */
bool gw_touches_add(struct gw_touches *t, cJSON *take_touch);
cJSON *gw_touches_take(struct gw_touches *t); /* NULL: none waits */
void gw_touches_finish(struct gw_touches *t);

#endif
