/* The inside of node/canvas/canvas.h: what canvas.c (the program and its life), canvas_queue.c (what it is asked),
 * canvas_replay.c (what it shows, and shows again) and canvas_events.c (what it tells by itself) share. */
#ifndef NODE_CANVAS_CANVAS_IMPL_H
#define NODE_CANVAS_CANVAS_IMPL_H

#include "lib/base/buf.h"
#include "lib/base/list.h"
#include "node/canvas/canvas.h"

#define OC_CANVAS_UNAVAILABLE "CANVAS_UNAVAILABLE"

struct oc_canvas_asked {
    struct oc_node_canvas *canvas;
    struct oc_list link;
    uint64_t id;
    cJSON *message;
    int fd;
    struct oc_timer deadline;
    oc_canvas_done *done; /* NULL: nobody cares */
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

struct oc_node_canvas {
    struct oc_canvas_site *site;
    /* The program. */
    struct oc_helper *helper;
    bool is_window, has_spoken;
    int64_t no_window_until_ms;
    int64_t started_ms;
    unsigned deaths;        /* in a row, each soon after the start */
    struct oc_list watches; /* oc_canvas_watch.link */
    struct oc_timer idle, come_back, save;
    /* What it is asked. */
    struct oc_list asked; /* oc_canvas_asked.link, in order */
    size_t asked_count, own_count;
    bool is_full; /* what is asked waits until it has read more */
    uint64_t last_id;
    /* What it shows. */
    struct oc_canvas_kept *kept;
    unsigned replay_deaths; /* in a row, each while it was told again what it showed */
    char *page;             /* NULL: the surfaces are shown */
    cJSON *placement;       /* as it was asked for, and as the window told; an object */
    bool is_visible;        /* a person can see it, if there is a window */
    char *session_key;
    /* What it tells. */
    struct oc_canvas_pictures *pictures;
    struct oc_canvas_player *player;
    struct oc_canvas_actions *actions;
};

/* canvas.c. False: it did not start, and oc_canvas_on_message has said so. */
bool oc_canvas_start(struct oc_node_canvas *c);
void oc_canvas_on_message(void *user, const cJSON *message, int *fd, const char *why);
void oc_canvas_tell_watches(struct oc_node_canvas *c);

/* canvas_queue.c: what is asked, in order, each once answered. */
struct oc_canvas_asked *oc_canvas_enqueue(
        struct oc_node_canvas *c, const struct oc_canvas_ask *ask, bool is_callers);
void oc_canvas_send(struct oc_canvas_asked *a);
struct oc_canvas_asked *oc_canvas_find(struct oc_node_canvas *c, uint64_t id);
void oc_canvas_fail(struct oc_canvas_asked *a, const char *code, const char *why);
void oc_canvas_take_answer(struct oc_node_canvas *c, const cJSON *message, int *fd);
void oc_canvas_on_writable(void *user);
void oc_canvas_tell(struct oc_node_canvas *c, const struct oc_canvas_ask *ask);
void oc_canvas_watch_idle(struct oc_node_canvas *c);

/* canvas_replay.c: what it shows, for the next program when this one dies. */
void oc_canvas_take_note(
        struct oc_node_canvas *c, struct oc_canvas_asked *a, const struct oc_helper_answer *answer);
void oc_canvas_place(struct oc_node_canvas *c, const cJSON *placement);
void oc_canvas_keep_scripted(struct oc_node_canvas *c, int fd);
void oc_canvas_keep_entered(struct oc_node_canvas *c, int fd);
void oc_canvas_add_web(const struct oc_node_canvas *c, cJSON *params);
void oc_canvas_tell_theme(struct oc_node_canvas *c);
void oc_canvas_show_again(struct oc_node_canvas *c);
void oc_canvas_on_death(struct oc_node_canvas *c, const char *why);

/* canvas_events.c: what it tells by itself, and what it is told of that. */
void oc_canvas_take_event(struct oc_node_canvas *c, const cJSON *event, int fd);
void oc_canvas_bring(void *user, uint64_t id, const char *url, int fd, const char *error);
void oc_canvas_tell_status(void *user, const char *id, const char *error);
void oc_canvas_tell_player(void *user, cJSON *take_state);

#endif
