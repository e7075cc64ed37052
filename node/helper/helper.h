/* Helper programs. What needs libraries that are large, block or crash (GStreamer, D-Bus, a
 * browser) runs in a program of its own, one for each request, and is killed when it misses its
 * deadline. One that serves (the canvas) lives on and takes many requests; what it is told and
 * tells is node/canvas/canvas.c's matter.
 *
 *   start ─▶ its turn ─▶ request ─▶ progress… ─▶ answer ─▶ killed, or kept for its events
 *              │                                            when it says that it stays
 *              └─ deadline, crash, nonsense ─▶ an error as the answer
 *
 * The helper's stdin is a socket (SOCK_SEQPACKET); each message on it is one line of JSON:
 *
 *   to it     {"do":"camera.snap","params":{…},"maxBytes":N}    N: most bytes of a capture;
 *                                                             with a sealed memfd when it is to
 *                                                             work on something
 *   from it   {"progress":{…}}
 *             {"ok":true,"result":{…}}                          with a sealed memfd when there is
 *                                                             a capture
 *             {"ok":true,"result":{…},"stays":true} {"event":{…}}…
 *             {"ok":false,"code":"CAMERA_UNAVAILABLE","message":"…"}    and why, as data
 *                                                             (lib/helper/failure.h)
 *
 * Its stdout and stderr are for people; what it said last is logged when it fails. */
#ifndef NODE_HELPER_HELPER_H
#define NODE_HELPER_HELPER_H

#include "lib/json/json.h"
#include "node/link/uplink.h"
#include "node/machine.h"

#define ND_HELPER_MEDIA "openclaw-media"
#define ND_HELPER_DESKTOP "openclaw-desktop"
#define ND_HELPER_CANVAS "openclaw-canvas"

#define ND_HELPER_CANVAS_WINDOW "openclaw-canvas-window"
#define ND_HELPER_WEB "openclaw-web"

#define ND_MAX_HELPERS 8          /* at a time, but for those that serve */
#define ND_MAX_HELPERS_WAITING 16 /* for one of them to end */

struct nd_helper;

/* What the helpers of a node share. */
struct nd_helpers {
    const struct nd_machine *machine;
    const struct nd_uplink *uplink; /* a capture must fit into a message of it */
    size_t running;
    struct nd_helper *waiting; /* the oldest first */
};

struct nd_helper_answer {
    bool ok;
    cJSON *result;              /* ok: an object; the receiver may take it */
    int fd;                     /* ok: a sealed memfd, or -1; the receiver may take it */
    size_t len;                 /* of the file */
    bool stays;                 /* events may follow, until nd_helper_stop */
    const char *code, *message; /* not ok */
    struct oc_grounds grounds;  /* not ok: why, as data */
};
/* The message with what helps, for a log or a person here. Caller frees. */
char *nd_helper_answer_text(const struct nd_helper_answer *answer);

struct nd_helper_events {
    /* Exactly once, perhaps before nd_helper_start returns. Unless the answer stays, the helper is
     * gone when this returns. */
    void (*on_answer)(void *user, struct nd_helper_answer *answer);
    void (*on_progress)(void *user, const cJSON *progress); /* may be NULL */
    /* After an answer that stays. NULL event: it has ended, and is gone when this returns. */
    void (*on_event)(void *user, const cJSON *event);
    /* Of a helper that serves, all it says; *fd (-1: none) may be taken. NULL message: it has
     * ended, as end tells in message and grounds, and is gone when this returns; perhaps before
     * nd_helper_start does. */
    void (*on_message)(
            void *user, const cJSON *message, int *fd, const struct nd_helper_answer *end);
    void (*on_writable)(void *user); /* it has room again, after OC_E_UNAVAILABLE; may be NULL */
};

struct nd_helper_opts {
    const char *program; /* ND_HELPER_… */
    const char *what;
    cJSON *take_params;
    int64_t timeout_ms; /* for the answer; > 0 */
    /* Does not wait for its turn and takes nobody's: for what must be said while captures use up
     * the helpers. The caller has few of them. */
    bool is_reserved;
    bool may_stay; /* the caller owns it after an answer that stays; from others such an answer is
                      an error */
    const int *fd; /* goes along with the request, sealed, and stays the caller's; NULL: none */
    const char *root; /* its --root; NULL: none */
    bool serves;      /* starts without a request: no params, no time-out, only on_message */
};

/* NULL when it was answered at once. */
struct nd_helper *nd_helper_start(struct nd_helpers *helpers, const struct nd_helper_opts *opts,
        const struct nd_helper_events *events, void *user);
/* Kills it; nothing more is told. NULL is fine. */
void nd_helper_stop(struct nd_helper *h);
/* To one that serves. fd stays the caller's; -1: none. OC_E_UNAVAILABLE: it does not keep up;
 * on_writable follows. */
enum oc_code nd_helper_send(
        struct nd_helper *h, const cJSON *message, int fd, struct oc_error *err) OC_MUST_USE;
/* Most bytes that a capture may have to fit into an answer. */
size_t nd_helper_max_bytes(const struct nd_helpers *helpers);

/* Where it is installed: beside our own program, or in its libexec directory. NULL when it is not.
 * Caller frees. */
char *nd_helper_find(const char *program);
bool nd_helper_is_installed(const char *program);

/* What a helper may know of our environment, and where the desktop session is: a service has not
 * been told. Strings and array are owned by ret. */
void nd_helper_env(struct oc_strv *ret);

#endif
