/* What a node tells its owner: one status per change, and the line of text for it. */
#ifndef NODE_STATUS_H
#define NODE_STATUS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum nd_state {
    ND_CONNECTING,
    ND_WAITING_DEVICE,  /* gate 1: the gateway does not know this device; it is tried again and
                                again */
    ND_WAITING_SURFACE, /* gate 2: connected, but its commands are not approved yet */
    ND_CONNECTED,
    ND_RETRYING, /* not connected; retry_ms says when it tries again */
    ND_FAILED,   /* it makes no sense to try again; the process should end with an error */
    ND_STOPPED,
};

/* Strings are borrowed for the call; NULL when they do not apply. */
struct nd_status {
    enum nd_state state;
    const char *gateway; /* URL */
    const char *name;    /* ours */
    const char *reason;  /* RETRYING, WAITING_*, FAILED: one line, may hold the gateway's words */
    const char *fix;     /* RETRYING, FAILED: what to do about it, perhaps in the gateway's words */
    const char *request_id; /* WAITING_*: what to approve */
    bool is_foreign;  /* WAITING_DEVICE: the reference's gateway, whose own command line approves it
                       */
    int64_t retry_ms; /* RETRYING, WAITING_DEVICE */
};
/* Fires from the loop, also when nothing has changed but retry_ms. */
typedef void nd_on_status(void *user, const struct nd_status *status);

/* One line without newline; caller frees. */
char *nd_status_line(const struct nd_status *s);

/* Remembers what was said, so that a node that tries for a week says it once. Zero-initialise. */
struct nd_status_log {
    bool has_said;
    enum nd_state state;
    char *said;
};
/* True if the status is worth a line. */
bool nd_status_is_news(struct nd_status_log *log, const struct nd_status *s);
void nd_status_log_finish(struct nd_status_log *log);
/* The line, if it is news. */
void nd_print_status(struct nd_status_log *log, FILE *to, const struct nd_status *s);

#endif
