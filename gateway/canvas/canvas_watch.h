/* Browsers that watch the canvas of a node: each page has a WebSocket.
 *
 *   to the page     {"state":"hello","node","readOnly"}, then as things are
 *                   {"state":"live","width","height","text"?} and a binary message, the picture
 *                   (PNG) {"state":"away"|"shut"|"failed","message"}: there is no picture now; it
 *                   comes back by itself
 *   from the page   gateway/canvas/canvas_touch.h: what is done there, and in which view port
 *
 * The gateway asks the node with canvas.view and canvas.input on behalf of whoever made the
 * address, through every gate each time: what its owner or policy forbids meanwhile is not seen any
 * more. At most one of each is asked at a time for a page. The node keeps a canvas.view until the
 * picture is another one (waitMs), so a change is told, not found. Each page has the canvas laid
 * out for its own view port; nodes that do not know of that, and web pages, show theirs. */
#ifndef GATEWAY_CANVAS_CANVAS_WATCH_H
#define GATEWAY_CANVAS_CANVAS_WATCH_H

#include "gateway/canvas/canvas_caps.h"
#include "gateway/canvas/canvas_uses.h"
#include "lib/net/ws/ws.h"

#define GW_MAX_WATCH_SOCKETS 64 /* pages that are open at all addresses */
#define GW_MAX_WATCH_BYTES \
    ((size_t)32 * 1024 * 1024) /* of pictures that pages have not read, all together */

struct gw_canvas_watch;

struct gw_canvas_watch *gw_canvas_watch_create(const struct gw_canvas_uses *uses);
void gw_canvas_watch_destroy(struct gw_canvas_watch *w);

struct gw_canvas_caps *gw_canvas_watch_caps(struct gw_canvas_watch *w);
/* False: as many pages as may be are open, of this address or of all. */
bool gw_canvas_watch_has_room(const struct gw_canvas_watch *w, const struct gw_canvas_cap *cap);
void gw_canvas_watch_accept(
        struct gw_canvas_watch *w, struct gw_canvas_cap *cap, struct oc_ws *take_ws);

#endif
