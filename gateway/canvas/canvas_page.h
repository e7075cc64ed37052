/* The page that shows the canvas of a node in a browser, and what it is made of
 * (gateway/canvas/page). */
#ifndef GATEWAY_CANVAS_CANVAS_PAGE_H
#define GATEWAY_CANVAS_CANVAS_PAGE_H

#include "lib/net/server/server.h"

/* path: what follows /__openclaw__/a2ui. */
void gw_canvas_page_answer(const char *path, struct oc_http_reply *ret);
/* For people who came without an address of their own: they are told so, by a page that looks like
 * this one. Its style is no secret. */
void gw_canvas_page_refuse(const char *path, struct oc_http_reply *ret);

#endif
