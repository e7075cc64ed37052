/* A running program from the inside: for the three files that make it up. */
#ifndef NODE_PROCESS_PROCESS_IMPL_H
#define NODE_PROCESS_PROCESS_IMPL_H

#include "node/process/process.h"

/* Streams that are read in the order in which they were written (process_output.c). */
struct nd_process_turns {
    struct {
        struct oc_io *io;
        unsigned events;
    } waiting[2]; /* turned up, but it is not their turn yet: the reader pauses, or has paused */
    size_t count;
    struct oc_deferred catch_up;
    const struct oc_io *last; /* read from */
    size_t in_a_row;          /* bytes from it */
};

struct nd_process {
    struct oc_loop *loop;
    const struct os_exec_ops *ops;
    struct os_child child;
    struct oc_io exit_io, out_io, err_io, in_io;
    struct oc_timer time_limit, linger, insist;
    struct nd_process_result result;
    bool has_ended, is_paused, is_tty;
    bool is_gone;        /* nothing is left of what the program started */
    bool has_lingered;   /* it was waited for long enough */
    bool is_hurried;     /* it is not to be waited for */
    unsigned lingers;    /* that it was waited for */
    bool outlives;       /* what is left may outlive us */
    struct oc_buf input; /* not yet taken by the program */
    bool input_ends;     /* behind that */
    nd_process_room *on_room;
    void *room_user;
    size_t owed; /* bytes in the pipes when the program ended: those are its own */
    struct nd_process_turns turns;
    nd_process_output *on_bytes;
    void *bytes_user;
    nd_process_done *done;
    nd_process_gone *gone; /* NULL: what is left is killed */
    bool has_stayed;       /* done has fired, gone has not */
    void *user;
};

/* process.c: after every reading, since it may have been the last. Frees the process then. */
void nd_process_check_over(struct nd_process *p);

/* process_output.c */
void nd_process_init_output(struct nd_process *p, struct os_child *take_child);
enum oc_code nd_process_watch_output(struct nd_process *p, struct oc_error *err) OC_MUST_USE;
/* Reads what is there, up to a fair share; nothing while there is a pause. */
void nd_process_drain(struct nd_process *p);

/* process_input.c */
void nd_process_on_input(struct oc_io *io, unsigned events);
void nd_process_close_input(struct nd_process *p);

#endif
