/* Where the canvas's window was the last time, for the next time: `<state>/canvas-window.json`. */
#ifndef NODE_CANVAS_CANVAS_WINDOW_H
#define NODE_CANVAS_CANVAS_WINDOW_H

#include "lib/json/json.h"

/* {"x","y","width","height"}, as far as known; NULL: nothing. Caller deletes. */
cJSON *nd_canvas_window_load(const char *state_dir);
/* Only what is a number and makes sense is kept; a file that cannot be written is none of anybody's
 * trouble. */
void nd_canvas_window_save(const char *state_dir, const cJSON *geometry);

#endif
