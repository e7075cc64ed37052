/* The view port of somebody who sees the canvas elsewhere, as canvas.view and canvas.input take it:
 * {"width","height"?,"scale"?}. */
#ifndef NODE_COMMANDS_CANVAS_PORT_H
#define NODE_COMMANDS_CANVAS_PORT_H

#include "lib/base/error.h"
#include "lib/json/json.h"

/* To ret, an object; what is not there stays away. */
enum oc_code nd_canvas_copy_port(const cJSON *params, cJSON *ret, struct oc_error *err) OC_MUST_USE;

#endif
