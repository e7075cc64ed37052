/* The inside of node/canvas/canvas.h: what canvas.c (the program and its life), canvas_queue.c
 * (what it is asked), canvas_replay.c (what it shows, and shows again) and canvas_events.c (what it
 * tells by itself) share. */
#ifndef NODE_CANVAS_CANVAS_IMPL_H
#define NODE_CANVAS_CANVAS_IMPL_H

#include "lib/base/buf.h"
#include "lib/base/list.h"
#include "node/canvas/canvas.h"

#define ND_CANVAS_UNAVAILABLE "CANVAS_UNAVAILABLE"

struct nd_canvas_asked {
    struct nd_canvas *canvas;
    struct oc_list link;
    uint64_t id;
    cJSON *message;
    int fd;
    struct oc_timer deadline;
    nd_canvas_done *done; /* NULL: nobody cares */
    void *user;
    bool is_again;         /* asked for the second time */
    bool is_replay;        /* of what was shown before */
    char *session_key;     /* of who draws when it is accepted; NULL: as it is */
    struct oc_blob *jsonl; /* push: kept when it is accepted */
    bool is_callers;
    bool is_unsent;   /* there was no room for it yet */
    uint64_t picture; /* of canvas_pictures.h, which waits for the answer; 0: it is none */
    bool shows;       /* present, navigate: its page is shown when it is accepted */
};

struct nd_canvas {
    struct nd_canvas_site *site;
    /* The program. */
    struct nd_helper *helper;
    bool is_window, has_spoken;
    int64_t no_window_until_ms;
    int64_t started_ms;
    unsigned deaths;        /* in a row, each soon after the start */
    struct oc_grounds gone; /* why it is not there, when it is not */
    struct oc_list watches; /* nd_canvas_watch.link */
    struct oc_timer idle, come_back, save;
    /* What it is asked. */
    struct oc_list asked; /* nd_canvas_asked.link, in order */
    size_t asked_count, own_count;
    bool is_full; /* what is asked waits until it has read more */
    uint64_t last_id;
    /* What it shows. */
    struct nd_canvas_kept *kept;
    unsigned replay_deaths; /* in a row, each while it was told again what it showed */
    char *page;             /* NULL: the surfaces are shown */
    cJSON *placement;       /* as it was asked for, and as the window told; an object */
    bool is_visible;        /* a person can see it, if there is a window */
    char *session_key;
    /* What it tells. */
    struct nd_canvas_pictures *pictures;
    struct nd_canvas_player *player;
    struct nd_canvas_actions *actions;
};

/* canvas.c. False: it did not start, and nd_canvas_on_message has said so. */
bool nd_canvas_start(struct nd_canvas *c);
void nd_canvas_on_message(
        void *user, const cJSON *message, int *fd, const struct nd_helper_answer *end);
void nd_canvas_tell_watches(struct nd_canvas *c);

/* canvas_queue.c: what is asked, in order, each once answered. */
struct nd_canvas_asked *nd_canvas_enqueue(
        struct nd_canvas *c, const struct nd_canvas_ask *ask, bool is_callers);
void nd_canvas_send(struct nd_canvas_asked *a);
struct nd_canvas_asked *nd_canvas_find(struct nd_canvas *c, uint64_t id);
void nd_canvas_fail(struct nd_canvas_asked *a, const char *why, const struct oc_grounds *grounds);
void nd_canvas_take_answer(struct nd_canvas *c, const cJSON *message, int *fd);
void nd_canvas_on_writable(void *user);
void nd_canvas_tell(struct nd_canvas *c, const struct nd_canvas_ask *ask);
void nd_canvas_watch_idle(struct nd_canvas *c);

/* canvas_replay.c: what it shows, for the next program when this one dies. */
void nd_canvas_take_note(
        struct nd_canvas *c, struct nd_canvas_asked *a, const struct nd_helper_answer *answer);
void nd_canvas_place(struct nd_canvas *c, const cJSON *placement);
void nd_canvas_keep_scripted(struct nd_canvas *c, int fd);
void nd_canvas_keep_entered(struct nd_canvas *c, int fd);
void nd_canvas_add_web(const struct nd_canvas *c, cJSON *params);
void nd_canvas_tell_theme(struct nd_canvas *c);
void nd_canvas_tell_gateway(struct nd_canvas *c);
void nd_canvas_show_again(struct nd_canvas *c);
void nd_canvas_on_death(struct nd_canvas *c, const struct nd_helper_answer *end);

/* canvas_events.c: what it tells by itself, and what it is told of that. */
void nd_canvas_take_event(struct nd_canvas *c, const cJSON *event, int fd);
void nd_canvas_bring(void *user, uint64_t id, const char *url, int fd, const char *error);
void nd_canvas_tell_status(void *user, const char *id, const char *error);
void nd_canvas_tell_player(void *user, cJSON *take_state);

#endif
