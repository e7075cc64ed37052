/* Pages that want to hear when a file of the canvas host changes: each has a WebSocket, and is told
 * "reload". */
#ifndef GATEWAY_CANVAS_CANVAS_RELOAD_H
#define GATEWAY_CANVAS_CANVAS_RELOAD_H

#include "lib/net/loop/loop.h"
#include "lib/net/loop/turns.h"
#include "lib/net/ws/ws.h"

#include <stdbool.h>

#define GW_MAX_RELOAD_SOCKETS 64

struct gw_canvas_reload;

struct gw_canvas_reload *gw_canvas_reload_create(
        struct oc_loop *loop, struct oc_turns *turns, int root_fd); /* borrowed */
void gw_canvas_reload_destroy(struct gw_canvas_reload *r);
bool gw_canvas_reload_is_full(const struct gw_canvas_reload *r);
void gw_canvas_reload_accept(struct gw_canvas_reload *r, struct oc_ws *take_ws);

#endif
