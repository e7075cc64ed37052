/* What a node tells its owner: one status per change, and the line of text for it. */
#ifndef NODE_STATUS_H
#define NODE_STATUS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum oc_node_state {
    OC_NODE_CONNECTING,
    OC_NODE_WAITING_DEVICE,  /* gate 1: the gateway does not know this device; it is tried again and
                                again */
    OC_NODE_WAITING_SURFACE, /* gate 2: connected, but its commands are not approved yet */
    OC_NODE_CONNECTED,
    OC_NODE_RETRYING, /* not connected; retry_ms says when it tries again */
    OC_NODE_FAILED,   /* it makes no sense to try again; the process should end with an error */
    OC_NODE_STOPPED,
};

/* Strings are borrowed for the call; NULL when they do not apply. */
struct oc_node_status {
    enum oc_node_state state;
    const char *gateway; /* URL */
    const char *name;    /* ours */
    const char *reason;  /* RETRYING, WAITING_*, FAILED: one line, may hold the gateway's words */
    const char *fix;     /* FAILED: what to do about it */
    const char *request_id; /* WAITING_*: what to approve */
    bool is_foreign; /* WAITING_DEVICE: the reference's gateway, whose own command line approves it */
    int64_t retry_ms; /* RETRYING, WAITING_DEVICE */
};
/* Fires from the loop, also when nothing has changed but retry_ms. */
typedef void oc_node_on_status(void *user, const struct oc_node_status *status);

/* One line without newline; caller frees. */
char *oc_node_status_line(const struct oc_node_status *s);

/* Remembers what was said, so that a node that tries for a week says it once. Zero-initialise. */
struct oc_node_status_log {
    bool has_said;
    enum oc_node_state state;
    char *said;
};
/* True if the status is worth a line. */
bool oc_node_status_is_news(struct oc_node_status_log *log, const struct oc_node_status *s);
void oc_node_status_log_finish(struct oc_node_status_log *log);
/* The line, if it is news. */
void oc_node_print_status(struct oc_node_status_log *log, FILE *to, const struct oc_node_status *s);

#endif
