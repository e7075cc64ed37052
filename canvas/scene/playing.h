/* The player that was pressed and plays; one at a time. Who plays it is the node: see
 * serve_player.c. */
#ifndef CANVAS_SCENE_PLAYING_H
#define CANVAS_SCENE_PLAYING_H

#include <stdbool.h>
#include <stdint.h>

struct cv_scene;

/* One was pressed. */
struct cv_play {
    const char *key, *url; /* of the item */
    const char *title;     /* as a person reads it; perhaps "" */
    bool is_film;
};

struct cv_playing {
    char *key, *url; /* of the item: another address there is another sound */
    bool has_begun;
    int64_t position_ms, duration_ms; /* 0: not known */
};

/* Whether the scene still has it; widgets/player.c. */
bool cv_playing_is_there(const struct cv_scene *s);

#endif
