/* Canvas files of the gateway. Its hello says where they are: an address with a capability in it,
 * which ends some minutes after its last use and is asked for anew with every page that is shown.
 *
 * What an agent writes                          shows
 *   /__openclaw__/canvas/x                      the gateway's file, when hello had
 *                                               pluginSurfaceUrls.canvas (2026.8.1 resolves hosted
 *                                               paths so); else the node's own, as before
 *   http(s)://<gateway>/__openclaw__/canvas/x   the gateway's file, with either hello
 *
 * The capability is a secret: it goes to the web program as part of the address, and into no
 * message, log or other address. */
#ifndef NODE_CANVAS_CANVAS_SURFACE_H
#define NODE_CANVAS_CANVAS_SURFACE_H

#include "lib/protocol/connect.h"
#include "node/canvas/canvas.h"

/* With every hello; one without an address forgets the last. */
void nd_canvas_surface_hello(struct nd_canvas_site *site, const struct oc_hello *hello);
void nd_canvas_surface_finish(struct nd_canvas_site *site);

/* Whether it is a file of the gateway. */
bool nd_canvas_surface_has(const struct nd_canvas_site *site, const char *url);
/* done gets its address, perhaps at once; NULL when the gateway has gone meanwhile. */
typedef void nd_canvas_surface_done(void *user, const char *address);
void nd_canvas_surface_find(
        struct nd_canvas_site *site, const char *url, nd_canvas_surface_done *done, void *user);

/* The same at once, when the capability is so young that it is surely good; else NULL. Caller
 * frees, as a secret. */
char *nd_canvas_surface_known(const struct nd_canvas_site *site, const char *url);

/* The text without capabilities of addresses in it. Caller frees. */
char *nd_canvas_surface_hide(const char *text);

#endif
