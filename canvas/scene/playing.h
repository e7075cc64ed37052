/* The player that was pressed and plays; one at a time. Who plays it is the node: see serve_player.c. */
#ifndef CANVAS_SCENE_PLAYING_H
#define CANVAS_SCENE_PLAYING_H

#include <stdbool.h>
#include <stdint.h>

struct oc_scene;

/* One was pressed. */
struct oc_play {
    const char *key, *url; /* of the item */
    const char *title;     /* as a person reads it; perhaps "" */
    bool is_film;
};

struct oc_playing {
    char *key, *url; /* of the item: another address there is another sound */
    bool has_begun;
    int64_t position_ms, duration_ms; /* 0: not known */
};

/* Whether the scene still has it; widgets/player.c. */
bool oc_playing_is_there(const struct oc_scene *s);

#endif
