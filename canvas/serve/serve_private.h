/* What the files of the wire's far end share; see serve_canvas.h. */
#ifndef CANVAS_SERVE_SERVE_PRIVATE_H
#define CANVAS_SERVE_SERVE_PRIVATE_H

#include "canvas/serve/serve_canvas.h"

#define OC_SERVE_MAX_WAITING 16 /* snapshots */
#define OC_SERVE_MAX_URL 8192   /* of a picture, or of what is played */

struct oc_serve_waiting {
    int64_t id, until_ms;
    cJSON *params;
};

struct oc_serve_canvas {
    int socket;
    bool is_gone;
    struct oc_canvas *canvas;
    const struct oc_serve_screen *screen;
    const struct oc_serve_web *web;
    bool shows_web;
    bool web_is_shown; /* in its window, instead of ours */
    int64_t page_id;   /* the last request for a page */
    cJSON *geometry;   /* of the window, ours or the page's; NULL: not told yet */
    double width, height, scale;
    char *prefers;       /* the theme that the desktop likes; NULL: it did not say */
    bool theme_is_fixed; /* the owner chose one */
    int64_t revision;    /* of what is to be seen */
    bool tells_change;   /* somebody looked and wants to know when to look again */
    char *action;        /* name of the last one, for the pill; NULL: answered by a push */
    bool is_remote;      /* what happens now was done elsewhere, not at this machine */
    bool pastes;         /* while it is: they asked for what they copied */
    char *clipboard;     /* theirs: the desktop's belongs to who sits there */
    struct oc_serve_waiting waiting[OC_SERVE_MAX_WAITING];
    size_t waiting_count;
    struct oc_playing playing; /* key NULL: nothing */
    int64_t play_id;           /* of the last one */
};

/* One request; fd is its bytes, or -1. */
struct oc_serve_asked {
    int64_t id;
    const char *what;
    const cJSON *params;
    int fd;
};

typedef void oc_serve_answerer(struct oc_serve_canvas *s, const struct oc_serve_asked *r);

/* serve_draw.c */
oc_serve_answerer oc_serve_push, oc_serve_reset, oc_serve_present, oc_serve_hide, oc_serve_navigate,
        oc_serve_eval, oc_serve_action_status, oc_serve_bring, oc_serve_theme;
/* serve_view.c */
oc_serve_answerer oc_serve_snapshot, oc_serve_view;
/* Snapshots that waited for pictures: all of them, or those whose time is over. */
int64_t oc_serve_waits_until(
        const struct oc_serve_canvas *s, const struct oc_serve_waiting *waiting);
void oc_serve_take_waiting(struct oc_serve_canvas *s, bool all);
int64_t oc_serve_now_ms(void);
/* serve_input.c */
oc_serve_answerer oc_serve_input, oc_serve_enter;
/* serve_player.c */
oc_serve_answerer oc_serve_player;
void oc_serve_play(void *user, const struct oc_play *what);
void oc_serve_play_gone(void *user);
void oc_serve_player_finish(struct oc_serve_canvas *s);

/* serve_canvas.c */
void oc_serve_open(void *user, const char *url);  /* a link, for the person */
void oc_serve_changed(struct oc_serve_canvas *s); /* something else is to be seen */
void oc_serve_tell(struct oc_serve_canvas *s, cJSON *take_event, int fd);
void oc_serve_fail_with(struct oc_serve_canvas *s, const struct oc_serve_asked *r, const char *code,
        const struct oc_error *err);
cJSON *oc_serve_str(const char *key, const char *value); /* {"key":"value"} */
double oc_serve_number(const cJSON *o, const char *key, double def);

#endif
