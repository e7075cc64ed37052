/* Takes what a person did on the canvas to the gateway, a few at a time and not too often, and
 * brings back what became of it. canvas_action.h has the words. */
#ifndef NODE_CANVAS_CANVAS_ACTIONS_H
#define NODE_CANVAS_CANVAS_ACTIONS_H

#include "lib/json/json.h"
#include "node/canvas/canvas.h"

struct nd_canvas_actions;
/* error NULL: an agent has it. May fire before nd_canvas_actions_take returns. */
typedef void nd_canvas_action_done(void *user, const char *id, const char *error);

struct nd_canvas_actions *nd_canvas_actions_create(
        struct nd_canvas_site *site, nd_canvas_action_done *done, void *user);
/* After the connection: it may still answer until then. */
void nd_canvas_actions_destroy(struct nd_canvas_actions *a);
/* session_key, via: as in struct nd_canvas_teller. */
void nd_canvas_actions_take(
        struct nd_canvas_actions *a, const cJSON *action, const char *session_key, const char *via);
/* Counts a press of another kind with the actions; false: there were too many in a short time. */
bool nd_canvas_actions_allow(struct nd_canvas_actions *a);

#endif
