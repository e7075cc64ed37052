/* What the files of the wire's far end share; see serve_canvas.h. */
#ifndef CANVAS_SERVE_SERVE_PRIVATE_H
#define CANVAS_SERVE_SERVE_PRIVATE_H

#include "canvas/serve/serve_canvas.h"

#define CV_SERVE_MAX_WAITING 16 /* snapshots */
#define CV_SERVE_MAX_URL 8192   /* of a picture, or of what is played */
#define CV_SERVE_MAX_NAME 80    /* characters of a gateway's */
#define CV_SERVE_MIN_SIDE 160   /* of a view port elsewhere */
#define CV_SERVE_MAX_SIDE 4096
#define CV_SERVE_MAX_SCALE 3

struct cv_serve_waiting {
    int64_t id, until_ms;
    cJSON *params;
};

struct cv_serve_canvas {
    int socket;
    bool is_gone;
    struct cv_canvas *canvas;
    const struct cv_serve_screen *screen;
    const struct cv_serve_web *web;
    bool shows_web;
    bool web_is_shown; /* in its window, instead of ours */
    int64_t page_id;   /* the last request for a page */
    cJSON *geometry;   /* of the window, ours or the page's; NULL: not told yet */
    double width, height, scale;
    char *title;         /* of windows, with whose canvas it is; NULL: nobody said */
    char *prefers;       /* the theme that the desktop likes; NULL: it did not say */
    bool theme_is_fixed; /* the owner chose one */
    int64_t revision;    /* of what is to be seen */
    bool tells_change;   /* somebody looked and wants to know when to look again */
    char *action;        /* name of the last one, for the pill; NULL: answered by a push */
    bool is_remote;      /* what happens now was done elsewhere, not at this machine */
    bool pastes;         /* while it is: they asked for what they copied */
    char *clipboard;     /* theirs: the desktop's belongs to who sits there */
    struct cv_serve_waiting waiting[CV_SERVE_MAX_WAITING];
    size_t waiting_count;
    struct cv_playing playing; /* key NULL: nothing */
    int64_t play_id;           /* of the last one */
};

/* One request; fd is its bytes, or -1. */
struct cv_serve_asked {
    int64_t id;
    const char *what;
    const cJSON *params;
    int fd;
};

typedef void cv_serve_answerer(struct cv_serve_canvas *s, const struct cv_serve_asked *r);

/* serve_draw.c */
cv_serve_answerer cv_serve_push, cv_serve_reset, cv_serve_present, cv_serve_hide, cv_serve_navigate,
        cv_serve_eval, cv_serve_action_status, cv_serve_bring, cv_serve_theme, cv_serve_gateway;
/* serve_view.c */
cv_serve_answerer cv_serve_snapshot, cv_serve_view;
/* Snapshots that waited for pictures: all of them, or those whose time is over. */
int64_t cv_serve_waits_until(
        const struct cv_serve_canvas *s, const struct cv_serve_waiting *waiting);
void cv_serve_take_waiting(struct cv_serve_canvas *s, bool all);
int64_t cv_serve_now_ms(void);
/* {"width","height"?,"scale"?}: who asks sees it elsewhere, in a view port of their own. True, and
 * it counts until cv_use_port(…, NULL). */
bool cv_serve_use_port(struct cv_serve_canvas *s, const cJSON *params);
/* serve_input.c */
cv_serve_answerer cv_serve_input, cv_serve_enter;
/* serve_player.c */
cv_serve_answerer cv_serve_player;
void cv_serve_play(void *user, const struct cv_play *what);
void cv_serve_play_gone(void *user);
void cv_serve_player_finish(struct cv_serve_canvas *s);

/* serve_canvas.c */
void cv_serve_open(void *user, const char *url);  /* a link, for the person */
void cv_serve_changed(struct cv_serve_canvas *s); /* something else is to be seen */
void cv_serve_tell(struct cv_serve_canvas *s, cJSON *take_event, int fd);
void cv_serve_fail_with(struct cv_serve_canvas *s, const struct cv_serve_asked *r, const char *code,
        const struct oc_error *err);
cJSON *cv_serve_str(const char *key, const char *value); /* {"key":"value"} */
double cv_serve_number(const cJSON *o, const char *key, double def);

#endif
