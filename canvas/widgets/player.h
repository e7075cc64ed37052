/* What Video and AudioPlayer have in common: pressing them plays what they have, and once more ends it. Who plays (the node) tells
 * how far it is; where nobody can, they open their address outside. */
#ifndef CANVAS_WIDGETS_PLAYER_H
#define CANVAS_WIDGETS_PLAYER_H

#include "canvas/input/input.h"

/* The first member of their state. */
struct oc_player {
    const char *url;
    const char *caption; /* "0:03 / 0:10 · song.mp3"; in the arena */
    bool is_on;          /* it plays, or is about to */
};

/* For their resolve, when url is set. name: of the file. */
void oc_player_resolve(struct oc_scene *s, struct oc_item *it, const char *name);
/* The triangle, or the square while it is on; r: a square. */
void oc_player_sign(
        const struct oc_player *p, struct oc_rect r, oc_color color, struct oc_display_list *dl);

extern const struct oc_widget_input oc_player_input;

#endif
