/* The canvas of this node: one helper program that stays while there is something to show, and what
 * it needs to come back as it was when it dies.
 *
 *   ask ─▶ started on demand (window when there is a display, else headless)
 *     ─▶ told again what it showed ─▶ request ─▶ answer
 *          └─ died ─▶ what waits is asked once more, then it is an error; a window is shown again
 *                     by itself
 *
 * Wire: canvas/serve/serve_canvas.h. Pictures that it wants are fetched here
 * (node/canvas/canvas_pictures.h), what a person does goes to the gateway as agent.request
 * (node/canvas/canvas_actions.h). Ends by itself some time after the last surface is gone. */
#ifndef NODE_CANVAS_CANVAS_H
#define NODE_CANVAS_CANVAS_H

#include "lib/base/list.h"
#include "node/helper/helper.h"
#include "node/link/uplink.h"
#include "node/machine.h"

struct nd_canvas_surface; /* node/canvas/canvas_surface.h */
struct nd_canvas;

/* What the canvas needs of its node, and what there is of it. */
struct nd_canvas_site {
    const struct nd_machine *machine;
    struct nd_uplink *uplink;
    struct nd_helpers *helpers;
    struct nd_canvas *canvas;          /* NULL: nothing was drawn yet */
    struct nd_canvas_surface *surface; /* the gateway's canvas files; NULL: it has none for us */
};

struct nd_canvas_ask {
    const char *what; /* "push", "snapshot" … */
    cJSON *take_params;
    const char *bytes; /* go along with it; NULL: none */
    size_t len;
    int64_t timeout_ms;      /* of the canvas itself: one that takes longer is ended; 0: 30 s */
    const char *session_key; /* of who draws; if it is accepted, they hear of user actions from then
                                on. NULL: as it is */
};

/* Once; perhaps before nd_node_canvas_ask returns. */
typedef void nd_canvas_done(void *user, struct nd_helper_answer *answer);

/* 0 when it was answered at once; else what nd_canvas_forget takes. */
uint64_t nd_node_canvas_ask(struct nd_canvas_site *site, const struct nd_canvas_ask *ask,
        nd_canvas_done *done, void *user);
/* done is not called any more; what was asked for may still happen. */
void nd_canvas_forget(struct nd_canvas_site *site, uint64_t id);

/* Tells once that the canvas may look different than at the last "view", or has died. Embedded in
 * its owner, who takes it back before it goes. */
struct nd_canvas_watch {
    struct oc_list link;
    bool is_set;
    void (*on_changed)(struct nd_canvas_watch *w);
    void *user;
};
void nd_node_canvas_watch(struct nd_canvas_site *site, struct nd_canvas_watch *w);
void nd_canvas_unwatch(struct nd_canvas_watch *w); /* safe when not set */

/* The owner may have switched it off: then it is gone at once. */
void nd_canvas_check(struct nd_canvas_site *site);
void nd_canvas_settings(struct nd_canvas_site *site); /* they may be others now */
void nd_canvas_finish(struct nd_canvas_site *site);

#endif
