/* Plays what a person at this machine pressed on the canvas (Video, AudioPlayer): the bytes are
 * fetched or read here, as pictures are, and played by openclaw-media. One at a time.
 *
 *   pressed ─▶ fetched ─▶ openclaw-media play ─▶ ended, or pressed again, hidden, gone,
 *                                                half an hour over
 *
 *   canvas ─▶ {"play":{"id":3,"kind":"audio","title","url"}}, or without url and with the bytes;
 *             {"play":{"id":3,"stop":true}}
 *   canvas ◀─ {"do":"player","params":{"id":3,"state":"playing","positionMs","durationMs"?}},
 *             then "ended" or "failed" with "error"; "open": openclaw-media is not installed, the
 *             desktop may have a program for it */
#ifndef NODE_CANVAS_CANVAS_PLAYER_H
#define NODE_CANVAS_CANVAS_PLAYER_H

#include "lib/json/json.h"
#include "node/canvas/canvas.h"

struct nd_canvas_player;

struct nd_canvas_player *nd_canvas_player_create(
        struct nd_canvas_site *site, void (*tell)(void *user, cJSON *take_state), void *user);
void nd_canvas_player_destroy(struct nd_canvas_player *p); /* NULL is fine */
/* Ends what plays first. fd, its bytes, stays the caller's; -1: none. */
void nd_canvas_player_start(struct nd_canvas_player *p, const cJSON *play, int fd);
void nd_canvas_player_refuse(struct nd_canvas_player *p, const cJSON *play, const char *why);
void nd_canvas_player_stop(struct nd_canvas_player *p); /* tells so, if something plays */

#endif
