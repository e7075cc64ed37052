/* The canvas host: files of `canvasHost.root` for nodes that show web pages, on the gateway's own
 * port.
 *
 *   /__openclaw__/canvas/…             files; a directory is its index.html
 *   /__openclaw__/ws                   a WebSocket that says "reload" when a file has changed
 *   /__openclaw__/a2ui/                the canvas of a node in a browser; always with a capability
 *                                      of its own (canvas_watch.h)
 *   /__openclaw__/cap/<token>/…        the same for whoever was given the token, until its node is
 *                                      gone
 *
 * Who may look: a program or page on this machine (Host and Origin name it too, so no page of
 * elsewhere that resolves to us), who knows the shared secret (Authorization: Bearer), and who has
 * a capability. GET and HEAD only. A file is opened without following links, below the root
 * whatever the path says. */
#ifndef GATEWAY_CANVAS_CANVAS_HOST_H
#define GATEWAY_CANVAS_CANVAS_HOST_H

#include "gateway/canvas/canvas_uses.h"
#include "lib/net/server/server.h"
#include "lib/net/ws/ws.h"

#include <stdbool.h>
#include <stdint.h>

struct gw_conn;
struct gw_canvas_cap;
struct gw_canvas_caps;
struct gw_canvas_host;

/* NULL: it is switched off, or has no root. Makes the root (below state_dir when the config names
 * none) and a first page in it when they are missing. */
struct gw_canvas_host *gw_canvas_host_create(
        const struct gw_canvas_uses *uses, const cJSON *config, const char *state_dir);
void gw_canvas_host_destroy(struct gw_canvas_host *h);

/* False: not ours. */
bool gw_canvas_host_answer(struct gw_canvas_host *h, const struct oc_http_head *head,
        const struct oc_peer *peer, struct oc_http_reply *ret);
/* Of an upgrade to one of our addresses. */
bool gw_canvas_host_owns(const struct gw_canvas_host *h, const struct oc_http_head *head);
bool gw_canvas_host_may_upgrade(struct gw_canvas_host *h, const struct oc_http_head *head,
        const struct oc_peer *peer, struct oc_http_reply *ret);
void gw_canvas_host_accept(
        struct gw_canvas_host *h, const struct oc_http_head *head, struct oc_ws *take_ws);

/* The address with a fresh capability for a node; NULL when nothing is served. Caller frees. */
char *gw_canvas_host_url(struct gw_canvas_host *h, struct gw_conn *node);

/* Of those who watch a node's canvas; NULL when nothing is served. */
struct gw_canvas_caps *gw_canvas_host_caps(struct gw_canvas_host *h);
/* Where a browser finds it, as far as we know. port: of the gateway. Caller frees. */
char *gw_canvas_host_watch_url(struct gw_canvas_host *h, const struct gw_conn *asking,
        const struct gw_canvas_cap *cap, uint16_t port);

#endif
