/* Takes what a person did on the canvas to the gateway, a few at a time and not too often, and brings back what became of it.
 * canvas_action.h has the words. */
#ifndef NODE_CANVAS_CANVAS_ACTIONS_H
#define NODE_CANVAS_CANVAS_ACTIONS_H

#include "lib/json/json.h"
#include "node/canvas/canvas.h"

struct oc_canvas_actions;
/* error NULL: an agent has it. May fire before oc_canvas_actions_take returns. */
typedef void oc_canvas_action_done(void *user, const char *id, const char *error);

struct oc_canvas_actions *oc_canvas_actions_create(
        struct oc_canvas_site *site, oc_canvas_action_done *done, void *user);
/* After the connection: it may still answer until then. */
void oc_canvas_actions_destroy(struct oc_canvas_actions *a);
/* session_key, via: as in struct oc_canvas_teller. */
void oc_canvas_actions_take(
        struct oc_canvas_actions *a, const cJSON *action, const char *session_key, const char *via);
/* Counts a press of another kind with the actions; false: there were too many in a short time. */
bool oc_canvas_actions_allow(struct oc_canvas_actions *a);

#endif
