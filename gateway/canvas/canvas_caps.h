/* Who may watch the canvas of a node in a browser: whoever has an address that an operator asked
 * for.
 *
 *   open ──▶ found (each use prolongs it) ──▶ 30 minutes without use, 12 hours, somebody ends it,
 *                                               its maker or the node is gone, or the gateway ends
 *
 * The address is all that a browser has to show, so it holds 144 random bits, names one node, and
 * does no more than its maker may. Times are those of the loop. */
#ifndef GATEWAY_CANVAS_CANVAS_CAPS_H
#define GATEWAY_CANVAS_CANVAS_CAPS_H

#include "gateway/conn/canvas_pass.h"
#include "lib/base/error.h"
#include "lib/base/list.h"

#include <stdbool.h>
#include <stdint.h>

#define GW_CANVAS_WATCH_MS ((int64_t)30 * 60 * 1000) /* an unused address to watch a canvas */
#define GW_CANVAS_WATCH_MAX_MS ((int64_t)12 * 60 * 60 * 1000) /* … and however often it is used */
#define GW_MAX_WATCH_CAPS 256                                 /* such addresses */
#define GW_MAX_WATCH_CAPS_PER_ACTOR 16                        /* … of one maker */
#define GW_MAX_WATCH_SOCKETS_PER_CAP 8 /* pages that are open at one address */

struct gw_canvas_cap {
    struct oc_list link; /* oldest first */
    char token[GW_CANVAS_CAP_LEN + 1];
    char *node_id, *actor;
    char *device_id; /* of its maker; NULL: one who knew the shared secret */
    bool is_read_only;
    int64_t until_ms, born_ms;
    unsigned sockets; /* pages that are open */
};

struct gw_canvas_caps;
/* Before it goes; its pages must go too. */
typedef void gw_canvas_cap_ended(void *user, struct gw_canvas_cap *cap);

struct gw_canvas_caps *gw_canvas_caps_create(gw_canvas_cap_ended *on_ended, void *user);
void gw_canvas_caps_destroy(struct gw_canvas_caps *c);

/* Whoever has as many as they may loses the oldest that nobody looks at. OC_E_UNAVAILABLE: all are
 * in use. */
enum oc_code gw_canvas_cap_open(struct gw_canvas_caps *c, int64_t now_ms,
        const struct gw_canvas_cap *like, struct gw_canvas_cap **ret,
        struct oc_error *err) OC_MUST_USE;
/* NULL: there is none, or its time is over. Prolongs it. */
struct gw_canvas_cap *gw_canvas_cap_find(
        struct gw_canvas_caps *c, int64_t now_ms, const char *token);
void gw_canvas_cap_used(struct gw_canvas_cap *cap, int64_t now_ms);
/* Those whose time is over go. */
void gw_canvas_caps_end_late(struct gw_canvas_caps *c, int64_t now_ms);
/* A device that is no operator any more. */
void gw_canvas_caps_end_device(struct gw_canvas_caps *c, const char *device_id);
/* Whoever made them. How many. */
unsigned gw_canvas_caps_end_node(struct gw_canvas_caps *c, const char *node_id);

#endif
