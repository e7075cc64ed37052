/* What Video and AudioPlayer have in common: pressing them plays what they have, and once more ends
 * it. Who plays (the node) tells how far it is; where nobody can, they open their address
 * outside. */
#ifndef CANVAS_WIDGETS_PLAYERS_PLAYER_H
#define CANVAS_WIDGETS_PLAYERS_PLAYER_H

#include "canvas/input/input.h"

/* The first member of their state. */
struct cv_player {
    const char *url;
    const char *caption; /* "0:03 / 0:10 · song.mp3"; in the arena */
    bool is_on;          /* it plays, or is about to */
};

/* For their resolve, when url is set. name: of the file. */
void cv_player_resolve(struct cv_scene *s, struct cv_item *it, const char *name);
/* The triangle, or the square while it is on; r: a square. */
void cv_player_sign(
        const struct cv_player *p, struct cv_rect r, cv_color color, struct cv_display_list *dl);

extern const struct cv_widget_input cv_player_input;

#endif
