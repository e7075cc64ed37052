/* What Video and AudioPlayer have in common: pressing them opens what they show outside. */
#ifndef CANVAS_WIDGETS_PLAYER_H
#define CANVAS_WIDGETS_PLAYER_H

#include "canvas/input.h"

/* The first member of their state. */
struct oc_player {
    const char *url;
};

extern const struct oc_widget_input oc_player_input;

#endif
